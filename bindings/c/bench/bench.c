// libresidue beside zlib: nanoseconds a call, and gigabytes a second, of CRC-32 and Adler-32. zlib is the one that programs
// on this machine load.
//
//   cc -O2 bench.c $(pkg-config --cflags --libs residue) -ldl -o bench && ./bench
#define _POSIX_C_SOURCE 200809L
#include <residue.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef unsigned long zlib_function(unsigned long, const unsigned char *, unsigned);

static zlib_function *zlib_crc32, *zlib_adler32;

static unsigned long our_crc32(unsigned long start, const unsigned char *data, unsigned length) {
    return residue_crc32_extend((uint32_t)start, data, length);
}

static unsigned long our_adler32(unsigned long start, const unsigned char *data, unsigned length) {
    return residue_adler32_extend((uint32_t)start, data, length);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

// The best of nine runs; each call begins with the value of the one before, so that none is left out.
static double nanoseconds(zlib_function *function, const unsigned char *data, unsigned length, unsigned long *value) {
    unsigned calls = 1 + 20000000 / (length + 400), run, call;
    double best = 1e300;
    for (run = 0; run < 9; run++) {
        double start = now(), time;
        *value = 1;
        for (call = 0; call < calls; call++) *value = function(*value, data, length);
        time = (now() - start) / calls;
        if (time < best) best = time;
    }
    return best;
}

static int compare(const char *name, zlib_function *ours, zlib_function *theirs, const unsigned char *data) {
    static const unsigned lengths[] = {16, 64, 256, 1024, 16384, 1048576};
    size_t i;
    for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        unsigned n = lengths[i];
        unsigned long a, b;
        double us = nanoseconds(ours, data, n, &a), them = nanoseconds(theirs, data, n, &b);
        printf("%-8s %8u bytes  residue %10.1f ns %6.2f GB/s   zlib %10.1f ns %6.2f GB/s\n", name, n, us, n / us, them, n / them);
        if (a != b) {
            printf("%s of %u bytes: %lx and %lx\n", name, n, a, b);
            return 0;
        }
    }
    return 1;
}

int main(void) {
    void *zlib = dlopen("libz.so.1", RTLD_NOW);
    unsigned char *data = (unsigned char *)malloc(1 << 20);
    size_t i;
    if (!zlib || !data) {
        fprintf(stderr, "no libz.so.1: %s\n", dlerror());
        return 1;
    }
    *(void **)&zlib_crc32 = dlsym(zlib, "crc32");
    *(void **)&zlib_adler32 = dlsym(zlib, "adler32");
    for (i = 0; i < 1 << 20; i++) data[i] = (unsigned char)(i * i >> 7);
    i = (size_t)(compare("crc32", our_crc32, zlib_crc32, data) && compare("adler32", our_adler32, zlib_adler32, data));
    free(data);
    return i ? 0 : 1;
}
