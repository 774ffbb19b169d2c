/* Verifies the limits in a certificate, completely, with nothing but the C library.
 *
 *     cc -O2 -o verify verify.c && ./verify < crc-64.txt
 *
 * Each line states: with P = x^64 + poly, every error of fewer than `distance` bits in `data` bits
 * of data is detected, and the error of the given exponents, one bit longer, is not. An undetected
 * error is a sum of powers of x that is 0 modulo P; divided by its lowest power, one of them is 1.
 * Proved are:
 *
 * - the upper bound: the exponents are different, fewer than `distance`, 0 the lowest and 64 + data
 *   the highest, and their powers of x add up to 0;
 * - distance 3: x^e is 1 for the e = 64 + data, and for no e / q with a prime q: e is the order of
 *   x, so that no two powers below it are equal;
 * - distance 5, where the order of x is 2^64 - 1, so that no error of two bits exists: each 1 + x^i
 *   is a power x^L(i). An error of three bits is x^j = 1 + x^i, so that L(i) = j. One of four bits
 *   is 1 + x^i = x^b (1 + x^d), so that L(i) - L(d) = b. The discrete logarithms L of all i up to
 *   the limit are computed modulo M = (2^32 - 1) 641, a divisor of the order, and sorted; each pair
 *   whose difference is modulo M a b within the limit is tried;
 * - distance 5 of other polynomials: the powers of x up to the limit are different, and for no
 *   i and j is 1 + x^i or 1 + x^i + x^j among them.
 *
 * Prints a line for each limit; ends with status 1 at the first that is not proved. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint64_t u64;

static u64 poly;
static u64 overflow[16];    /* four bits beyond x^63, modulo P */
static u64 squares[8][256]; /* of each byte of an element */

static void refuse(const char *code, const char *why) {
    printf("%s: refused: %s\n", code, why);
    exit(1);
}

static void *allocated(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) refuse("verify", "no memory");
    return memory;
}

static u64 times_x(u64 a) { return a << 1 ^ (a >> 63 ? poly : 0); }

static u64 multiply(u64 a, u64 b) {
    u64 multiples[16] = {0, b}, product = 0;
    for (int i = 2; i < 16; i++)
        multiples[i] = i & 1 ? multiples[i - 1] ^ b : times_x(multiples[i / 2]);
    for (int shift = 60; shift >= 0; shift -= 4)
        product = product << 4 ^ overflow[product >> 60] ^ multiples[a >> shift & 15];
    return product;
}

/* a^(2^count) */
static u64 squared(u64 a, int count) {
    while (count--) {
        u64 square = 0;
        for (int i = 0; i < 8; i++) square ^= squares[i][a >> 8 * i & 255];
        a = square;
    }
    return a;
}

static u64 power(u64 a, u64 exponent) {
    u64 result = 1;
    int bit = 63;
    while (bit && !(exponent >> bit)) bit--;
    for (; bit >= 0; bit--) {
        result = squared(result, 1);
        if (exponent >> bit & 1) result = multiply(result, a);
    }
    return result;
}

/* a^(2^bits - 1), for `bits` a power of two */
static u64 power_of_ones(u64 a, int bits) {
    for (int half = 1; half < bits; half *= 2) a = multiply(squared(a, half), a);
    return a;
}

static void set_polynomial(u64 p) {
    poly = p;
    for (int i = 0; i < 16; i++) {
        overflow[i] = 0;
        for (int bit = 3; bit >= 0; bit--)
            overflow[i] = times_x(overflow[i]) ^ (i >> bit & 1 ? poly : 0);
    }
    for (int i = 0; i < 8; i++)
        for (int byte = 0; byte < 256; byte++) {
            u64 a = (u64)byte << 8 * i, square = 0;
            for (int bit = 63; bit >= 0; bit--)
                square = times_x(times_x(square)) ^ (a >> bit & 1);
            squares[i][byte] = square;
        }
}

/* Is e the order of x? */
static bool is_order(u64 e) {
    if (power(2, e) != 1) return false;
    u64 rest = e;
    for (u64 q = 2; rest > 1; q++) {
        if (q > rest / q) q = rest;
        if (rest % q) continue;
        if (power(2, e / q) == 1) return false;
        while (rest % q == 0) rest /= q;
    }
    return true;
}

/* A set of elements with a number each: open addressing in twice to four times the space. */
typedef struct { u64 *elements; uint32_t *numbers; int shift; } Map;

static Map map(u64 count) {
    int bits = 2;
    while (count * 2 > (u64)1 << bits) bits++;
    return (Map){allocated((size_t)1 << bits, 8), allocated((size_t)1 << bits, 4), 64 - bits};
}

/* The place of a nonzero element, or the free one for it. */
static u64 place(const Map *map, u64 element) {
    u64 at = element * 0x9e3779b97f4a7c15 >> map->shift;
    while (map->elements[at] && map->elements[at] != element)
        at = (at + 1) & (((u64)1 << (64 - map->shift)) - 1);
    return at;
}

/* The powers of a with exponents below count, numbered by them; false if two are equal. */
static bool powers(Map *map, u64 a, u64 count) {
    u64 element = 1;
    for (u64 i = 0; i < count; i++) {
        u64 at = place(map, element);
        if (map->elements[at]) return false;
        map->elements[at] = element;
        map->numbers[at] = (uint32_t)i;
        element = multiply(element, a);
    }
    return true;
}

static void forget(Map *map) {
    free(map->elements);
    free(map->numbers);
}

#define ORDERS 3
static const u64 orders[ORDERS] = {65535, 65537, 641};
#define M ((u64)0xffffffff * 641)

typedef struct { u64 log; uint32_t i; } Log;

static int by_log(const void *a, const void *b) {
    u64 x = ((const Log *)a)->log, y = ((const Log *)b)->log;
    return (x > y) - (x < y);
}

/* Proves that no error of three or four bits has exponents below n, where x has order 2^64 - 1. */
static void exclude_by_logarithms(const char *code, u64 n) {
    Map tables[ORDERS];
    u64 units[ORDERS]; /* 1 modulo the one order, 0 modulo the others */
    for (int k = 0; k < ORDERS; k++) {
        u64 order = orders[k], rest = M / order, unit = rest;
        while (unit % order != 1) unit += rest;
        units[k] = unit;
        tables[k] = map(order);
        if (!powers(&tables[k], power(2, UINT64_MAX / order), order)) refuse(code, "not the order");
    }
    Log *logs = allocated(n, sizeof *logs);
    u64 *x = allocated(n, 8);
    u64 count = n - 1;
    x[0] = 1;
    for (u64 i = 1; i < n; i++) {
        x[i] = times_x(x[i - 1]);
        /* To the powers (2^64 - 1) / order, which x^L has in common with the tables. */
        u64 a = x[i] ^ 1;
        u64 of_641 = power_of_ones(a, 32);
        u64 norm = multiply(squared(a, 32), a);
        u64 parts[ORDERS] = {
            multiply(squared(norm, 16), norm), power_of_ones(norm, 16),
            /* 6700417 = (2^64 - 1) / (2^32 - 1) / 641 */
            power(of_641, 6700417)};
        u64 log = 0; /* below 3 M 65537, which is below 2^64 */
        for (int k = 0; k < ORDERS; k++) {
            u64 at = place(&tables[k], parts[k]);
            if (!tables[k].elements[at]) refuse(code, "not a power of x");
            log += units[k] * tables[k].numbers[at];
        }
        logs[i - 1] = (Log){log % M, (uint32_t)i};
    }
    for (int k = 0; k < ORDERS; k++) forget(&tables[k]);
    qsort(logs, count, sizeof *logs, by_log);
    for (u64 k = 0; k < count; k++) {
        u64 low = x[logs[k].i] ^ 1;
        if (logs[k].log < n && low == x[logs[k].log]) refuse(code, "an error of three bits");
        /* From the next one on, beyond the last one from the first one on again. */
        for (u64 other = (k + 1) % count; other != k; other = (other + 1) % count) {
            u64 b = (logs[other].log + M - logs[k].log) % M;
            if (b >= n) break;
            /* An error whose highest exponent, b + i, is beyond the limit does not count. */
            if (b && b + logs[k].i < n && multiply(x[b], low) == (x[logs[other].i] ^ 1))
                refuse(code, "an error of four bits");
        }
    }
    free(logs);
    free(x);
}

/* Proves that no error of two to four bits has exponents below n, by trying all. */
static void exclude_by_pairs(const char *code, u64 n) {
    Map known = map(n);
    if (!powers(&known, 2, n)) refuse(code, "an error of two bits");
    enum { FILTER = 1 << 22 };
    u64 *filter = allocated(FILTER / 64, 8), *x = allocated(n, 8);
    x[0] = 1;
    for (u64 i = 1; i < n; i++) x[i] = times_x(x[i - 1]);
    for (u64 i = 0; i < n; i++) filter[x[i] % FILTER / 64] |= (u64)1 << x[i] % 64;
    for (u64 i = 1; i < n; i++) {
        u64 one = x[i] ^ 1;
        if (known.elements[place(&known, one)]) refuse(code, "an error of three bits");
        for (u64 j = 1; j < i; j++) {
            u64 sum = one ^ x[j];
            if (filter[sum % FILTER / 64] >> sum % 64 & 1 && known.elements[place(&known, sum)])
                refuse(code, "an error of four bits");
        }
    }
    forget(&known);
    free(filter);
    free(x);
}

int main(void) {
    char line[512], code[64];
    int lines = 0;
    while (fgets(line, sizeof line, stdin)) {
        unsigned distance, count = 0;
        u64 p, data, exponents[4];
        int read;
        if (line[0] == '#') continue;
        const char *format = "%63s %" SCNx64 " %u %" SCNu64 "%n";
        if (sscanf(line, format, code, &p, &distance, &data, &read) != 4)
            refuse("line", "not `code poly distance data exponents`");
        for (char *at = line + read, *end; count < 4; at = end, count++) {
            exponents[count] = strtoull(at, &end, 10);
            if (end == at) break;
        }
        set_polynomial(p);
        u64 longest = data + 64, sum = 0;
        if (!(p & 1)) refuse(code, "not a polynomial with the term 1");
        if (distance != 3 && distance != 5) refuse(code, "only the distances 3 and 5 are verified");
        if (longest < 64 || count < 2 || count >= distance)
            refuse(code, "not an error of fewer bits");
        if (exponents[0] != longest || exponents[count - 1] != 0)
            refuse(code, "not of this length");
        for (unsigned i = 0; i < count; i++) {
            if (i && exponents[i] >= exponents[i - 1]) refuse(code, "not in falling order");
            sum ^= power(2, exponents[i]);
        }
        if (sum) refuse(code, "the error is detected");
        const char *by = "the order of x";
        if (distance == 3) {
            if (!is_order(longest)) refuse(code, "an error of two bits");
        } else if (longest > 1 << 24) {
            refuse(code, "beyond the lengths that are verified");
        } else if (is_order(UINT64_MAX)) {
            by = "the logarithms of all 1 + x^i";
            exclude_by_logarithms(code, longest);
        } else {
            by = "all sums of two powers";
            exclude_by_pairs(code, longest);
        }
        printf("%s: HD %u to %" PRIu64 " bits of data, proved by %s\n", code, distance, data, by);
        fflush(stdout);
        lines++;
    }
    if (!lines) refuse("certificate", "no line");
    return 0;
}
