/* Times libresidue and its peers, by turns, as a C program calls them: one line for each code and
 * length, with the nanoseconds of a call and how many times as long the fastest peer takes.
 *
 * `cargo xtask rivals --from-c` builds and runs it with both libraries. By hand:
 *
 *   cc -O2 -DHAVE_ISAL -DHAVE_LIBDEFLATE -DHAVE_ZLIB bench.c \
 *       $(pkg-config --cflags --libs residue libisal libdeflate zlib) -o bench && ./bench */

#define _POSIX_C_SOURCE 200809L
#include <residue.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef HAVE_ISAL
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#endif
#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

enum { ROUNDS = 41, LARGEST = 64 << 20, MOST = 4 };

/* Calls a function `calls` times. The calls of `independent` loops do not wait for each other; the
 * address of each of `waiting` ones depends on the value before. */
typedef uint64_t loop(const unsigned char *data, size_t length, size_t calls);

/* The compiler must not know that this is always zero. */
static volatile uint64_t none;

#define LOOP(name, call)                                                                   \
    static uint64_t name##_independent(const unsigned char *data, size_t length,           \
                                       size_t calls)                                       \
    {                                                                                      \
        uint64_t value = 0;                                                                \
        for (size_t i = 0; i < calls; i++)                                                 \
            value = (call);                                                                \
        return value;                                                                      \
    }                                                                                      \
    static uint64_t name##_waiting(const unsigned char *start, size_t length,              \
                                   size_t calls)                                           \
    {                                                                                      \
        const unsigned char *data = start;                                                 \
        uint64_t value = 0, zero = none;                                                   \
        for (size_t i = 0; i < calls; i++) {                                               \
            value = (call);                                                                \
            data = start + (value & zero);                                                 \
        }                                                                                  \
        return value;                                                                      \
    }
#define CONTENDER(library, name) {library, {name##_independent, name##_waiting}}

LOOP(residue_of_crc32, residue_crc32(data, length))
LOOP(residue_of_crc32c, residue_crc32c(data, length))
LOOP(residue_of_adler32, residue_adler32(data, length))
#ifdef HAVE_ISAL
LOOP(isal_crc32, crc32_gzip_refl(0, data, length))
LOOP(isal_crc32c, ~crc32_iscsi((unsigned char *)data, (int)length, 0xffffffff))
LOOP(isal_adler, isal_adler32(1, data, length))
#endif
#ifdef HAVE_LIBDEFLATE
LOOP(libdeflate_of_crc32, libdeflate_crc32(0, data, length))
LOOP(libdeflate_of_adler32, libdeflate_adler32(1, data, length))
#endif
#ifdef HAVE_ZLIB
LOOP(zlib_crc32, crc32(0, data, (uInt)length))
LOOP(zlib_adler32, adler32(1, data, (uInt)length))
#endif

struct contender {
    const char *library;
    loop *run[2];
};

struct subject {
    const char *code;
    struct contender contenders[MOST];
};

static const struct subject SUBJECTS[] = {
    {"crc-32",
     {CONTENDER("residue", residue_of_crc32),
#ifdef HAVE_ISAL
      CONTENDER("isa-l", isal_crc32),
#endif
#ifdef HAVE_LIBDEFLATE
      CONTENDER("libdeflate", libdeflate_of_crc32),
#endif
#ifdef HAVE_ZLIB
      CONTENDER("zlib", zlib_crc32),
#endif
     }},
    {"crc-32c",
     {CONTENDER("residue", residue_of_crc32c),
#ifdef HAVE_ISAL
      CONTENDER("isa-l", isal_crc32c),
#endif
     }},
    {"adler-32",
     {CONTENDER("residue", residue_of_adler32),
#ifdef HAVE_ISAL
      CONTENDER("isa-l", isal_adler),
#endif
#ifdef HAVE_LIBDEFLATE
      CONTENDER("libdeflate", libdeflate_of_adler32),
#endif
#ifdef HAVE_ZLIB
      CONTENDER("zlib", zlib_adler32),
#endif
     }},
};

static const size_t SIZES[] = {8,    16,   20,   40,    64,    128,     256,
                               550,  1500, 4096, 16384, 65536, 1 << 20, LARGEST};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* Fills `medians` with the nanoseconds that a call of each contender takes. Returns whether all of
 * them compute the same. */
static int race(const struct subject *subject, const unsigned char *data, size_t length, int waits,
                double *medians)
{
    static double times[MOST][ROUNDS];
    size_t contenders = 0;
    while (contenders < MOST && subject->contenders[contenders].library != NULL)
        contenders++;
    /* Bits above the value are the peer's own. */
    uint32_t value = (uint32_t)subject->contenders[0].run[waits](data, length, 1);
    for (size_t i = 1; i < contenders; i++)
        if ((uint32_t)subject->contenders[i].run[waits](data, length, 1) != value)
            return 0;
    /* 200 microseconds a round, by the duration of ours. */
    size_t calls = 1;
    double began, taken;
    do {
        calls *= 2;
        began = seconds();
        subject->contenders[0].run[waits](data, length, calls);
        taken = seconds() - began;
    } while (taken < 2e-4);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t turn = 0; turn < contenders; turn++) {
            /* Another one begins each round. */
            size_t i = (turn + (size_t)round) % contenders;
            began = seconds();
            subject->contenders[i].run[waits](data, length, calls);
            times[i][round] = (seconds() - began) / (double)calls * 1e9;
        }
    for (size_t i = 0; i < contenders; i++) {
        qsort(times[i], ROUNDS, sizeof(double), ascending);
        medians[i] = times[i][ROUNDS / 2];
    }
    return 1;
}

int main(int count, char **words)
{
    /* Which library this program is linked with. */
    const char *library = count > 1 ? words[1] : "residue";
    unsigned char *data = malloc(LARGEST);
    if (data == NULL) {
        fputs("bench: no memory for 64 MiB of data\n", stderr);
        return 1;
    }
    uint32_t state = 1;
    for (size_t i = 0; i < LARGEST; i++) {
        state = state * 1664525 + 1013904223;
        data[i] = (unsigned char)(state >> 24);
    }
    printf("%s\n%-10s %9s %-10s %12s %12s  %s\n", library, "code", "bytes", "mode", "ns",
           "best peer", "ratio");
    for (size_t s = 0; s < sizeof SUBJECTS / sizeof *SUBJECTS; s++)
        for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++)
            for (int waits = 0; waits < 2; waits++) {
                const struct subject *subject = &SUBJECTS[s];
                double medians[MOST] = {0};
                if (waits && SIZES[i] > 1500)
                    continue;
                if (!race(subject, data, SIZES[i], waits, medians)) {
                    fprintf(stderr, "bench: values of %s of %zu bytes differ\n", subject->code,
                            SIZES[i]);
                    return 1;
                }
                size_t best = 0;
                for (size_t c = 1; c < MOST && subject->contenders[c].library != NULL; c++)
                    if (best == 0 || medians[c] < medians[best])
                        best = c;
                printf("%-10s %9zu %-10s %12.1f %12.1f  ", subject->code, SIZES[i],
                       waits ? "latency" : "throughput", medians[0], medians[best]);
                if (best == 0)
                    puts("no peer");
                else
                    printf("%.2f %s\n", medians[best] / medians[0],
                           subject->contenders[best].library);
                fflush(stdout);
            }
    free(data);
    return 0;
}
