// Tests of results that share memory with arguments. Functions that write while they read refuse
// overlaps; all others read everything first, so their results may replace an argument.
#include <residue.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// More than the packets of one round.
#define PACKETS 300
#define BYTES 24

static unsigned checked, failures;

static void expect(int good, const char *what, int line) {
    checked++;
    if (!good) {
        failures++;
        printf("FAILED: line %d: %s\n", line, what);
    }
}

#define EXPECT(condition) expect((condition) ? 1 : 0, #condition, __LINE__)
#define REFUSED(call)                                                                              \
    EXPECT((call) == RESIDUE_OVERLAP && strstr(residue_last_error(), "overlap") != NULL)

// Memory of any alignment, with the packets and the array of slices beside each other.
static union {
    uint64_t align;
    char bytes[4 * PACKETS * BYTES];
} memory, before;

static residue_slice slices[PACKETS + 1], slices_before[PACKETS + 1];

static void fill(void) {
    size_t i;
    for (i = 0; i < sizeof memory.bytes; i++) memory.bytes[i] = (char)(i * 7 + (i >> 8));
    for (i = 0; i < PACKETS; i++) {
        slices[i].data = memory.bytes + PACKETS * BYTES + i * BYTES;
        slices[i].length = i % 5 == 4 ? 0 : BYTES;
    }
    memcpy(&before, &memory, sizeof memory);
    memcpy(slices_before, slices, sizeof slices);
}

static int untouched(void) {
    return !memcmp(&before, &memory, sizeof memory) &&
           !memcmp(slices_before, slices, sizeof slices);
}

// The values at every place around the packets: refused where they share a byte, and right beside.
static void values_in_packets(void) {
    residue_code *code = residue_code_new("adler-32");
    size_t first = PACKETS * BYTES, last = 2 * PACKETS * BYTES - BYTES, at;
    for (at = 0; at + 8 * PACKETS <= sizeof memory.bytes; at += 8) {
        // The last packet has no data; the end of the one before counts.
        int apart32 = at + 4 * PACKETS <= first || at >= last;
        int apart16 = at + 2 * PACKETS <= first || at >= last;
        int apart64 = at + 8 * PACKETS <= first || at >= last;
        void *values = memory.bytes + at;
        fill();
        if (apart32) {
            EXPECT(!residue_batch_crc32c(slices, PACKETS, (uint32_t *)values));
            EXPECT(((uint32_t *)values)[7] == residue_crc32c(slices[7].data, BYTES));
        } else {
            REFUSED(residue_batch_crc32c(slices, PACKETS, (uint32_t *)values));
            EXPECT(untouched());
        }
        fill();
        if (apart16) {
            EXPECT(!residue_batch_internet(slices, PACKETS, (uint16_t *)values));
            EXPECT(((uint16_t *)values)[7] == residue_internet_checksum(slices[7].data, BYTES));
        } else {
            REFUSED(residue_batch_internet(slices, PACKETS, (uint16_t *)values));
            EXPECT(untouched());
        }
        fill();
        if (apart64) {
            EXPECT(!residue_batch(code, slices, PACKETS, (uint64_t *)values));
            EXPECT(((uint64_t *)values)[7] == residue_adler32(slices[7].data, BYTES));
        } else {
            REFUSED(residue_batch(code, slices, PACKETS, (uint64_t *)values));
            EXPECT(untouched());
        }
    }
    residue_code_free(code);
}

static void values_in_slices(void) {
    residue_code *code = residue_code_new("adler-32");
    size_t at;
    fill();
    for (at = 0; at < PACKETS * sizeof *slices; at += 8) {
        void *values = (char *)slices + at;
        REFUSED(residue_batch_crc32c(slices, PACKETS, (uint32_t *)values));
        REFUSED(residue_batch_internet(slices, PACKETS, (uint16_t *)values));
        REFUSED(residue_batch(code, slices, PACKETS, (uint64_t *)values));
        // The array ends inside the values.
        REFUSED(residue_batch_internet(slices + 1, 1, (uint16_t *)(void *)(slices + 1)));
    }
    EXPECT(untouched());
    // Beside them, before and after.
    EXPECT(!residue_batch(code, slices, PACKETS - 1, (uint64_t *)memory.bytes));
    EXPECT(!residue_batch_crc32c(slices + 1, 1, (uint32_t *)(void *)slices));
    fill();
    EXPECT(!residue_batch_crc32c(slices, 2, (uint32_t *)(void *)(slices + 2)));
    EXPECT(*(uint32_t *)(void *)(slices + 2) == residue_crc32c(slices[0].data, BYTES));
    residue_code_free(code);
}

static void values_of_copies(void) {
    residue_code *code = residue_code_new("crc-32/iscsi");
    char *to = memory.bytes, *from = memory.bytes + 1024;
    size_t at;
    for (at = 0; at < 64; at += 8) {
        fill();
        REFUSED(residue_copy_crc32c(to, from, 64, (uint32_t *)(void *)(to + at)));
        REFUSED(residue_copy_crc32c(to, from, 64, (uint32_t *)(void *)(from + at)));
        REFUSED(residue_copy(code, to, from, 64, (residue_wide *)(void *)(to + at)));
        REFUSED(residue_copy(code, to, from, 64, (residue_wide *)(void *)(from + at)));
        EXPECT(untouched());
    }
    // A trailer of the copy, and a header before the source.
    EXPECT(!residue_copy_crc32c(to, from, 64, (uint32_t *)(void *)(to + 64)));
    EXPECT(!memcmp(to, from, 64) && *(uint32_t *)(void *)(to + 64) == residue_crc32c(from, 64));
    EXPECT(!residue_copy(code, to, from, 64, (residue_wide *)(void *)(from - 16)));
    EXPECT(!memcmp(to, from, 64) && *(uint32_t *)(void *)(from - 16) == residue_crc32c(from, 64));
    // No bytes overlap with nothing.
    EXPECT(!residue_copy_crc32c(to, from, 0, (uint32_t *)(void *)to));
    residue_code_free(code);
}

// Functions that write their result last.
static void results_may_replace_arguments(void) {
    residue_code *code = residue_code_new("crc-32/iscsi");
    residue_partial *partial = (residue_partial *)(void *)memory.bytes;
    residue_partial expected;
    size_t i;
    for (i = 0; i < 3; i++) {
        uint32_t crc;
        fill();
        crc = residue_crc32c(memory.bytes, 64);
        EXPECT(!residue_value(code, memory.bytes, 64, (uint64_t *)(void *)(memory.bytes + 8 * i)));
        EXPECT(*(uint64_t *)(void *)(memory.bytes + 8 * i) == crc);
        fill();
        EXPECT(!residue_value_wide(code, memory.bytes, 64,
            (residue_wide *)(void *)(memory.bytes + 8 * i)));
        EXPECT(*(uint64_t *)(void *)(memory.bytes + 8 * i) == crc);
        fill();
        EXPECT(!residue_partial_of(code, memory.bytes, 64, partial));
        EXPECT(partial->value.low == crc && partial->bytes == 64);
    }
    // The text of a partial in its place, and the partial of a text in its place.
    expected = *partial;
    EXPECT(!residue_partial_format(code, partial, memory.bytes, RESIDUE_PARTIAL_TEXT));
    EXPECT(!strncmp(memory.bytes, "crc-32/iscsi:", 13));
    EXPECT(!residue_partial_parse(code, memory.bytes, partial));
    EXPECT(partial->value.low == expected.value.low && partial->bytes == expected.bytes);
    // The bytes that replace others, in the place of the result.
    fill();
    EXPECT(!residue_partial_of(code, memory.bytes + 512, 64, &expected));
    EXPECT(!residue_partial_of(code, memory.bytes + 512, 64, partial));
    EXPECT(!residue_partial_update(code, partial, 0, memory.bytes + 512, memory.bytes, 24,
        &expected));
    EXPECT(!residue_partial_update(code, partial, 0, memory.bytes + 512, memory.bytes, 24,
        partial));
    EXPECT(partial->value.low == expected.value.low && partial->bytes == 64);
    residue_code_free(code);
}

int main(void) {
    values_in_packets();
    values_in_slices();
    values_of_copies();
    results_may_replace_arguments();
    printf("overlap: %u checked, %u failed\n", checked, failures);
    return failures ? 1 : 0;
}
