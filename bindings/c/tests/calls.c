// Calls in any order, described by bytes: values in pieces, copies, batches and partials agree with
// the value of all data at once, and what fails says why. Every buffer is an allocation of its own
// size, so that valgrind and AddressSanitizer find a byte that is read or written too many.
//
// With FUZZER defined, a fuzzer describes the calls (`cargo xtask fuzz 60 c_calls`).
#include <residue.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUTS 1500
#define LONGEST 600
#define SLOTS 4

static void expect(int good, const char *what, int line) {
    if (!good) {
        printf("FAILED: line %d: %s: %s\n", line, what, residue_last_error());
        abort();
    }
}

#define EXPECT(condition) expect((condition) ? 1 : 0, #condition, __LINE__)

// What is left of the description; bytes behind its end are zeros.
typedef struct {
    const unsigned char *bytes;
    size_t left;
} input;

static unsigned next(input *in) {
    if (in->left == 0) return 0;
    in->left--;
    return *in->bytes++;
}

static size_t below(input *in, size_t limit) {
    size_t number = next(in);
    return limit == 0 ? 0 : (number << 8 | next(in)) % limit;
}

// An allocation of this size, which for 0 bytes may not be read at all.
static unsigned char *room(size_t bytes) {
    unsigned char *made = (unsigned char *)malloc(bytes);
    if (made == NULL && bytes > 0) abort();
    return made;
}

static unsigned char *copied(const void *from, size_t bytes) {
    unsigned char *made = room(bytes);
    if (bytes > 0) memcpy(made, from, bytes);
    return made;
}

// A stream, the handle it was made by, and all data that it should have.
typedef struct {
    residue_code *code;
    residue_stream *stream;
    unsigned char *data;
    size_t length;
} slot;

static void freed(slot *of) {
    residue_stream_free(of->stream);
    residue_code_free(of->code);
    free(of->data);
    memset(of, 0, sizeof *of);
}

static int equal(residue_wide a, residue_wide b) { return a.low == b.low && a.high == b.high; }

static int is_crc(const residue_code *code) {
    residue_params params;
    return residue_code_params(code, &params) == RESIDUE_OK;
}

static residue_wide value_of(const residue_code *code, const void *data, size_t length) {
    residue_wide value;
    EXPECT(residue_value_wide(code, data, length, &value) == RESIDUE_OK);
    return value;
}

// A named code, one by a name that may be wrong, or one of any parameters; null if there is none.
static residue_code *any_code(input *in) {
    residue_code *named = residue_code_at(below(in, residue_code_count())), *code;
    EXPECT(named != NULL);
    switch (next(in) % 4) {
    case 0: {
        size_t length = strlen(residue_code_name(named)) + 1;
        char *name = (char *)copied(residue_code_name(named), length);
        if (length > 1) name[below(in, length - 1)] = (char)next(in);
        code = residue_code_new(name);
        free(name);
        break;
    }
    case 1: {
        residue_params params;
        size_t i;
        unsigned char *bytes = (unsigned char *)&params.poly;
        memset(&params, 0, sizeof params);
        params.width = next(in) % 132;
        params.refin = next(in) % 2 != 0;
        params.refout = next(in) % 2 != 0;
        for (i = 0; i < 1 + params.width / 8 && i < sizeof params.poly; i++)
            bytes[i] = (unsigned char)next(in);
        params.poly.low |= 1;
        params.init.low = params.width > 8 ? next(in) : 0;
        code = residue_code_from_params(&params);
        break;
    }
    default:
        return named;
    }
    residue_code_free(named);
    if (code == NULL) EXPECT(residue_last_error()[0] != 0);
    return code;
}

static void agrees(const slot *of) {
    residue_wide whole = value_of(of->code, of->data, of->length), value;
    residue_partial partial;
    uint64_t narrow;
    residue_status status;
    EXPECT(residue_stream_value_wide(of->stream, &value) == RESIDUE_OK && equal(value, whole));
    EXPECT(residue_stream_partial(of->stream, &partial) == RESIDUE_OK);
    EXPECT(equal(partial.value, whole) && partial.bytes == of->length);
    status = residue_stream_value(of->stream, &narrow);
    EXPECT(residue_code_width(of->code) > 64 ? status == RESIDUE_WIDE
                                              : status == RESIDUE_OK && narrow == whole.low);
}

// Adds the data of another slot, or of the slot itself.
static void combined(slot *to, const slot *from) {
    residue_status status = residue_stream_combine(to->stream, from->stream);
    if (to->code == from->code)
        EXPECT(status == RESIDUE_OK || (status == RESIDUE_ODD_SPLIT && !is_crc(to->code)));
    else
        EXPECT(status == RESIDUE_OK || status == RESIDUE_DIFFERENT || status == RESIDUE_ODD_SPLIT);
    if (status == RESIDUE_OK) {
        size_t both = to->length + from->length;
        unsigned char *data = room(both);
        if (to->length > 0) memcpy(data, to->data, to->length);
        if (from->length > 0) memcpy(data + to->length, from->data, from->length);
        free(to->data);
        to->data = data;
        to->length = both;
    }
    agrees(to);
}

static void by_kernel(input *in, const slot *of) {
    size_t index = below(in, residue_kernel_count(of->code));
    const char *name = residue_kernel_name(of->code, index);
    residue_wide value;
    residue_status status = residue_value_with(of->code, name, of->data, of->length, &value);
    EXPECT(name != NULL);
    if (residue_kernel_supported(of->code, index))
        EXPECT(status == RESIDUE_OK && equal(value, value_of(of->code, of->data, of->length)));
    else
        EXPECT(status == RESIDUE_UNSUPPORTED);
    EXPECT(residue_kernel_name(of->code, residue_kernel_count(of->code)) == NULL);
}

static void copy(const slot *of) {
    unsigned char *to = room(of->length);
    residue_wide value;
    EXPECT(residue_copy(of->code, to, of->data, of->length, &value) == RESIDUE_OK);
    EXPECT(of->length == 0 || memcmp(to, of->data, of->length) == 0);
    EXPECT(equal(value, value_of(of->code, of->data, of->length)));
    free(to);
}

// Packets of the slot's data, which may overlap, and their values by three functions.
static void batch(input *in, const slot *of) {
    size_t count = below(in, 20), i;
    residue_slice *packets = (residue_slice *)room(count * sizeof *packets);
    uint64_t *values = (uint64_t *)room(count * sizeof *values);
    uint32_t *crcs = (uint32_t *)room(count * sizeof *crcs);
    uint16_t *sums = (uint16_t *)room(count * sizeof *sums);
    residue_status status;
    for (i = 0; i < count; i++) {
        size_t start = below(in, of->length + 1);
        packets[i].data = of->length == 0 ? NULL : of->data + start;
        packets[i].length = below(in, of->length - start + 1);
    }
    EXPECT(residue_batch_crc32c(packets, count, crcs) == RESIDUE_OK);
    EXPECT(residue_batch_internet(packets, count, sums) == RESIDUE_OK);
    status = residue_batch(of->code, packets, count, values);
    EXPECT(status == (residue_code_width(of->code) > 64 ? RESIDUE_WIDE : RESIDUE_OK));
    for (i = 0; i < count; i++) {
        const void *data = packets[i].data;
        size_t length = packets[i].length;
        EXPECT(crcs[i] == residue_crc32c(data, length));
        EXPECT(sums[i] == residue_internet_checksum(data, length));
        if (status == RESIDUE_OK) EXPECT(values[i] == value_of(of->code, data, length).low);
    }
    free(packets);
    free(values);
    free(crcs);
    free(sums);
}

// The data as two parts, and each part from the other and the whole.
static void parts(input *in, const slot *of) {
    size_t cut = below(in, of->length + 1);
    residue_partial first, second, whole, result;
    residue_status status;
    EXPECT(residue_partial_of(of->code, of->data, of->length, &whole) == RESIDUE_OK);
    EXPECT(residue_partial_of(of->code, of->data, cut, &first) == RESIDUE_OK);
    EXPECT(residue_partial_of(of->code, of->length == 0 ? NULL : of->data + cut, of->length - cut,
                              &second) == RESIDUE_OK);
    status = residue_partial_concat(of->code, &first, &second, &result);
    if (status != RESIDUE_OK) {
        EXPECT(status == RESIDUE_ODD_SPLIT && !is_crc(of->code));
        return;
    }
    EXPECT(equal(result.value, whole.value) && result.bytes == whole.bytes);
    status = residue_partial_remove_prefix(of->code, &whole, &first, &result);
    if (is_crc(of->code))
        EXPECT(status == RESIDUE_OK && equal(result.value, second.value));
    status = residue_partial_remove_suffix(of->code, &whole, &second, &result);
    if (is_crc(of->code))
        EXPECT(status == RESIDUE_OK && equal(result.value, first.value));
    status = residue_partial_extend_by_zeroes(of->code, &first, next(in), &result);
    EXPECT(status == RESIDUE_OK || status == RESIDUE_ODD_SPLIT);
    // Ranges that may lie outside.
    status = residue_partial_replace(of->code, &whole, below(in, 700), &first, &second, &result);
    if (status != RESIDUE_OK) EXPECT(residue_last_error()[0] != 0);
}

// Bytes of the data replaced.
static void replaced(input *in, slot *of) {
    size_t offset = below(in, of->length + 1), length = below(in, of->length - offset + 1), i;
    residue_partial whole, updated;
    unsigned char *before = copied(of->length == 0 ? NULL : of->data + offset, length);
    unsigned char *after = room(length);
    for (i = 0; i < length; i++) after[i] = (unsigned char)next(in);
    EXPECT(residue_partial_of(of->code, of->data, of->length, &whole) == RESIDUE_OK);
    EXPECT(residue_partial_update(of->code, &whole, offset, before, after, length, &updated) ==
           RESIDUE_OK);
    if (length > 0) memcpy(of->data + offset, after, length);
    EXPECT(equal(updated.value, value_of(of->code, of->data, of->length)));
    EXPECT(residue_stream_reset(of->stream) == RESIDUE_OK);
    EXPECT(residue_stream_update(of->stream, of->data, of->length) == RESIDUE_OK);
    free(before);
    free(after);
}

// A partial as text: in buffers of any size, and with one byte changed.
static void text(input *in, const slot *of) {
    char line[RESIDUE_PARTIAL_TEXT], *copy;
    size_t length, size = below(in, 80);
    residue_partial partial, again;
    residue_code *named;
    residue_status status;
    char *buffer = (char *)room(size);
    EXPECT(residue_stream_partial(of->stream, &partial) == RESIDUE_OK);
    status = residue_partial_format(of->code, &partial, line, sizeof line);
    EXPECT(status == RESIDUE_OK);
    length = strlen(line) + 1;
    status = residue_partial_format(of->code, &partial, buffer, size);
    EXPECT(status == (size < length ? RESIDUE_SPACE : RESIDUE_OK));
    EXPECT(size < length || strcmp(buffer, line) == 0);
    free(buffer);
    EXPECT(residue_partial_parse(of->code, line, &again) == RESIDUE_OK);
    EXPECT(equal(again.value, partial.value) && again.bytes == partial.bytes);
    copy = (char *)copied(line, length);
    copy[below(in, length - 1)] = (char)next(in);
    status = residue_partial_parse(of->code, copy, &again);
    if (status == RESIDUE_OK)
        EXPECT(residue_partial_format(of->code, &again, line, sizeof line) == RESIDUE_OK);
    else
        EXPECT(residue_last_error()[0] != 0);
    named = residue_partial_parse_code(copy);
    residue_code_free(named);
    free(copy);
}

// The check octets of ISO 8473 in a packet of the slot's data.
static void octets(input *in, const slot *of) {
    size_t offset = below(in, of->length + 2);
    unsigned char *packet = copied(of->data, of->length);
    residue_status status = residue_iso8473_place(packet, of->length, offset);
    if (status == RESIDUE_OK) {
        EXPECT(offset + 2 <= of->length && packet[offset] != 0 && packet[offset + 1] != 0);
        EXPECT(residue_iso8473_verify(packet, of->length));
    } else {
        EXPECT(residue_last_error()[0] != 0);
        EXPECT(of->length == 0 || memcmp(packet, of->data, of->length) == 0);
    }
    free(packet);
}

static void update(input *in, slot *of) {
    size_t length = below(in, LONGEST), i;
    unsigned char *piece = room(length);
    unsigned char *data = room(of->length + length);
    for (i = 0; i < length; i++) piece[i] = (unsigned char)(next(in) + i);
    EXPECT(residue_stream_update(of->stream, piece, length) == RESIDUE_OK);
    if (of->length > 0) memcpy(data, of->data, of->length);
    if (length > 0) memcpy(data + of->length, piece, length);
    free(piece);
    free(of->data);
    of->data = data;
    of->length += length;
}

static void call(input *in, slot *slots) {
    slot *of = &slots[next(in) % SLOTS], *other = &slots[next(in) % SLOTS];
    unsigned what = next(in) % 14;
    if (what == 0 || of->stream == NULL) {
        residue_code *code = any_code(in);
        residue_stream *stream = code == NULL ? NULL : residue_stream_new(code);
        freed(of);
        EXPECT((code == NULL) == (stream == NULL));
        of->code = code;
        of->stream = stream;
        return;
    }
    switch (what) {
    case 1: case 2: case 3: update(in, of); break;
    case 4:
        if (other != of) {
            freed(other);
            // The handle of a copy is that of the first, taken once more by its name.
            other->code = residue_code_new(residue_code_name(of->code));
            if (other->code == NULL) break;
            other->stream = residue_stream_copy(of->stream);
            EXPECT(other->code == of->code && other->stream != NULL);
            other->data = copied(of->data, of->length);
            other->length = of->length;
        }
        break;
    case 5:
        // The length of the data doubles at most.
        if (other->stream != NULL && of->length < 4 * LONGEST) combined(of, other);
        break;
    case 6: by_kernel(in, of); break;
    case 7: copy(of); break;
    case 8: batch(in, of); break;
    case 9: parts(in, of); break;
    case 10: replaced(in, of); break;
    case 11: text(in, of); break;
    case 12: octets(in, of); break;
    default:
        if (next(in) % 4 == 0) {
            EXPECT(residue_stream_reset(of->stream) == RESIDUE_OK);
            of->length = 0;
        }
        agrees(of);
    }
}

#ifdef __cplusplus
extern "C"
#endif
int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length) {
    input in;
    slot slots[SLOTS];
    size_t i;
    in.bytes = bytes;
    in.left = length;
    memset(slots, 0, sizeof slots);
    while (in.left > 0) call(&in, slots);
    for (i = 0; i < SLOTS; i++) {
        if (slots[i].stream != NULL) agrees(&slots[i]);
        freed(&slots[i]);
    }
    return 0;
}

#ifndef FUZZER
// Inputs that are the same each time.
int main(void) {
    static unsigned char bytes[LONGEST];
    uint64_t state = 1;
    size_t i, j;
    for (i = 0; i < INPUTS; i++) {
        for (j = 0; j < LONGEST; j++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bytes[j] = (unsigned char)(state >> 56);
        }
        LLVMFuzzerTestOneInput(bytes, 1 + i % LONGEST);
    }
    return 0;
}
#endif
