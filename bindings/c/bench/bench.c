// Compares libresidue with the installed zlib, libdeflate and ISA-L. Prints nanoseconds per call,
// and the ratio of the fastest other library to libresidue.
//
//   cc -O2 bench.c $(pkg-config --cflags --libs residue) -ldl -o bench && ./bench
//
// "alone": independent calls. "chained": each call continues from the value of the previous one.
#define _POSIX_C_SOURCE 200809L
#include <residue.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// The common signature: continues `value` (first that of no data) with `length` bytes.
typedef uint32_t function(uint32_t value, const unsigned char *data, size_t length);

static uint32_t residue_1(uint32_t value, const unsigned char *data, size_t length) {
    return residue_crc32_extend(value, data, length);
}
static uint32_t residue_2(uint32_t value, const unsigned char *data, size_t length) {
    return residue_crc32c_extend(value, data, length);
}
static uint32_t residue_3(uint32_t value, const unsigned char *data, size_t length) {
    return residue_adler32_extend(value, data, length);
}

static unsigned long (*zlib_crc32_z)(unsigned long, const unsigned char *, size_t);
static unsigned long (*zlib_adler32_z)(unsigned long, const unsigned char *, size_t);
static uint32_t (*deflate_crc32)(uint32_t, const void *, size_t);
static uint32_t (*deflate_adler32)(uint32_t, const void *, size_t);
static uint32_t (*isal_crc32)(uint32_t, const unsigned char *, uint64_t);
static unsigned (*isal_crc32c)(const unsigned char *, int, unsigned);

static uint32_t zlib_1(uint32_t value, const unsigned char *data, size_t length) {
    return (uint32_t)zlib_crc32_z(value, data, length);
}
static uint32_t zlib_3(uint32_t value, const unsigned char *data, size_t length) {
    return (uint32_t)zlib_adler32_z(value, data, length);
}
static uint32_t deflate_1(uint32_t value, const unsigned char *data, size_t length) {
    return deflate_crc32(value, data, length);
}
static uint32_t deflate_3(uint32_t value, const unsigned char *data, size_t length) {
    return deflate_adler32(value, data, length);
}
static uint32_t isal_1(uint32_t value, const unsigned char *data, size_t length) {
    return isal_crc32(value, data, length);
}
static uint32_t isal_2(uint32_t value, const unsigned char *data, size_t length) {
    return ~isal_crc32c(data, (int)length, ~value);
}

// A library's function for a code. Its wrapper calls it through `symbol`.
static const struct rival {
    const char *name, *file, *symbol_name;
    void *symbol;
    unsigned code;
    function *call;
} rivals[] = {
    {"zlib", "libz.so.1", "crc32_z", &zlib_crc32_z, 0, zlib_1},
    {"libdeflate", "libdeflate.so.0", "libdeflate_crc32", &deflate_crc32, 0, deflate_1},
    {"ISA-L", "libisal.so.2", "crc32_gzip_refl", &isal_crc32, 0, isal_1},
    {"ISA-L", "libisal.so.2", "crc32_iscsi", &isal_crc32c, 1, isal_2},
    {"zlib", "libz.so.1", "adler32_z", &zlib_adler32_z, 2, zlib_3},
    {"libdeflate", "libdeflate.so.0", "libdeflate_adler32", &deflate_adler32, 2, deflate_3},
};

static const struct {
    const char *name;
    uint32_t start;
    function *call;
} codes[] = {{"CRC-32", 0, residue_1}, {"CRC-32C", 0, residue_2}, {"Adler-32", 1, residue_3}};

static const size_t lengths[] = {16, 64, 256, 1500, 16384, 1048576};

enum { ROUNDS = 11, MOST = 4 };
#define COUNT(array) (sizeof(array) / sizeof *(array))

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double nanoseconds(function *call, uint32_t start, const unsigned char *data, size_t length,
    int chained) {
    unsigned calls = (unsigned)(1 + 4000000 / (length + 200)), i;
    volatile uint32_t kept = start;
    uint32_t value = start;
    double begin = now();
    for (i = 0; i < calls; i++) {
        if (chained) value = call(value, data, length);
        else kept = call(start, data, length);
    }
    kept = value;
    (void)kept;
    return (now() - begin) / calls;
}

static int ascending(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

// Prints one line, medians of repeated rounds over all libraries. Returns 0 if a value is wrong.
static int line(unsigned code, const struct rival *const *found, const unsigned char *data,
    size_t length, int chained) {
    double times[MOST][ROUNDS], medians[MOST], best = 1e300;
    uint32_t start = codes[code].start, value = codes[code].call(start, data, length);
    size_t n, round;
    for (n = 0; found[n]; n++) {
        if (found[n]->call(start, data, length) != value) {
            fprintf(stderr, "%s of %zu bytes: %s gives another value\n", codes[code].name, length,
                found[n]->name);
            return 0;
        }
    }
    for (round = 0; round < ROUNDS; round++) {
        times[0][round] = nanoseconds(codes[code].call, start, data, length, chained);
        for (n = 0; found[n]; n++)
            times[n + 1][round] = nanoseconds(found[n]->call, start, data, length, chained);
    }
    printf("%-8s  %-7s  %8zu", codes[code].name, chained ? "chained" : "alone", length);
    for (n = 0; n == 0 || found[n - 1]; n++) {
        qsort(times[n], ROUNDS, sizeof times[n][0], ascending);
        medians[n] = times[n][ROUNDS / 2];
        if (n > 0 && medians[n] < best) best = medians[n];
        printf("  %s %.1f", n == 0 ? "residue" : found[n - 1]->name, medians[n]);
    }
    if (n > 1) printf("  %.2f x", best / medians[0]);
    printf("\n");
    return 1;
}

int main(void) {
    unsigned char *data = (unsigned char *)malloc(1 << 20);
    size_t i, length;
    unsigned code;
    int chained, good = data != NULL;
    for (i = 0; good && i < 1 << 20; i++) data[i] = (unsigned char)(i * i >> 7);
    for (code = 0; good && code < COUNT(codes); code++) {
        const struct rival *found[MOST] = {NULL};
        size_t number = 0;
        for (i = 0; i < COUNT(rivals); i++) {
            void *library = rivals[i].code == code ? dlopen(rivals[i].file, RTLD_NOW) : NULL;
            void *symbol = library ? dlsym(library, rivals[i].symbol_name) : NULL;
            if (symbol) {
                *(void **)rivals[i].symbol = symbol;
                found[number++] = &rivals[i];
            }
        }
        for (chained = 0; chained < 2; chained++)
            for (length = 0; good && length < COUNT(lengths); length++)
                good = line(code, found, data, lengths[length], chained);
    }
    free(data);
    return good ? 0 : 1;
}
