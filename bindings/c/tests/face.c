// Tests of the C interface beyond values: errors, lifetimes, partials, batches, copies.
#include <residue.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned failures, checked;

static void expect(int good, const char *what, int line) {
    checked++;
    if (!good) {
        failures++;
        printf("FAILED: line %d: %s: %s\n", line, what, residue_last_error());
    }
}

#define EXPECT(condition) expect((condition) ? 1 : 0, #condition, __LINE__)
// Expects a status, and words in the text of the error.
#define REFUSED(call, status, words) \
    expect((call) == (status) && strstr(residue_last_error(), words) != NULL, #call, __LINE__)
#define NO_POINTER(call, words) \
    expect((call) == NULL && strstr(residue_last_error(), words) != NULL, #call, __LINE__)

static const size_t ABSURD = (size_t)-1;

static void names(void) {
    residue_code *crc = residue_code_new("CRC_32C"), *again = residue_code_new("crc-32/iscsi"),
        *other;
    residue_params params;
    size_t i;
    EXPECT(crc != NULL && crc == again);
    EXPECT(residue_code_width(crc) == 32 && residue_code_little_endian(crc));
    EXPECT(strlen(residue_kernel_chosen(crc)) > 0);
    EXPECT(!residue_code_params(crc, &params) && params.poly.low == 0x1edc6f41 &&
        params.check.low == 0xe3069283);
    other = residue_code_from_params(&params);
    EXPECT(other != NULL && !strcmp(residue_code_name(other), "custom"));
    residue_code_free(other);
    // Releasing it is harmless: others hold it too.
    residue_code_free(crc);
    residue_code_free(again);
    EXPECT(residue_code_count() > 130);
    for (i = 0; i < residue_code_count(); i++) {
        residue_code *code = residue_code_at(i);
        residue_code *found = residue_code_new(residue_code_name(code));
        EXPECT(code != NULL && code == found && residue_code_width(code) > 0);
        EXPECT((residue_code_params(code, &params) == RESIDUE_OK) ==
            (residue_code_about(code)[0] == 0));
        residue_code_free(code);
        residue_code_free(found);
    }
    NO_POINTER(residue_code_at(residue_code_count()), "index");
    NO_POINTER(residue_code_at(ABSURD), "index");
    NO_POINTER(residue_code_new(NULL), "null");
    NO_POINTER(residue_code_new("crc-33"), "crc-33");
    NO_POINTER(residue_code_new(""), "no code");
    NO_POINTER(residue_code_new("\xff\xfe"), "UTF-8");
    NO_POINTER(residue_code_new("width=16"), "poly");
    NO_POINTER(residue_code_new("width=129,poly=1"), "1 to 128");
    NO_POINTER(residue_code_from_params(NULL), "null");
    memset(&params, 0, sizeof params);
    NO_POINTER(residue_code_from_params(&params), "not 0");
    params.width = 300;
    NO_POINTER(residue_code_from_params(&params), "not 300");
    params.width = 8;
    params.poly.low = 8;
    NO_POINTER(residue_code_from_params(&params), "constant term");
    params.poly.high = 1;
    NO_POINTER(residue_code_from_params(&params), "poly");
    // Null is accepted as no code.
    residue_code_free(NULL);
    EXPECT(residue_code_name(NULL)[0] == 0 && residue_code_about(NULL)[0] == 0 &&
        residue_code_width(NULL) == 0);
    EXPECT(!residue_code_little_endian(NULL) && residue_kernel_count(NULL) == 0 &&
        !residue_kernel_supported(NULL, 0));
    EXPECT(residue_kernel_name(NULL, 0) == NULL && residue_kernel_chosen(NULL)[0] == 0);
}

static void nothing(void) {
    residue_code *code = residue_code_new("crc32"), *sum = residue_code_new("internet");
    uint64_t value = 7;
    residue_wide wide;
    residue_params params;
    EXPECT(residue_crc32c(NULL, 0) == 0 && residue_adler32(NULL, 0) == 1 &&
        residue_internet_checksum(NULL, 0) == 0xffff);
    // Functions that cannot fail treat impossible data as no data.
    EXPECT(residue_crc32("x", ABSURD) == 0 && residue_crc32(NULL, 5) == 0);
    EXPECT(residue_crc32_extend(0xcbf43926, NULL, 0) == 0xcbf43926);
    EXPECT(!residue_value(code, NULL, 0, &value) && value == 0);
    EXPECT(!residue_value(code, "", 0, &value) && value == 0);
    value = 7;
    REFUSED(residue_value(code, NULL, 5, &value), RESIDUE_NULL, "5 bytes");
    REFUSED(residue_value(code, "x", ABSURD, &value), RESIDUE_LENGTH, "negative");
    REFUSED(residue_value(NULL, "x", 1, &value), RESIDUE_NULL, "the code is null");
    EXPECT(value == 7);
    REFUSED(residue_value(code, "x", 1, NULL), RESIDUE_NULL, "result");
    REFUSED(residue_value_with(code, "warp", "x", 1, &wide), RESIDUE_UNKNOWN, "kernel");
    REFUSED(residue_value_with(code, NULL, "x", 1, &wide), RESIDUE_NULL, "null");
    REFUSED(residue_code_params(sum, &params), RESIDUE_PARAMETERS, "internet is not a CRC");
    REFUSED(residue_code_params(code, NULL), RESIDUE_NULL, "null");
    REFUSED(residue_iso8473_place(NULL, 5, 0), RESIDUE_NULL, "null");
    REFUSED(residue_iso8473_place(&value, 5, 4), RESIDUE_RANGE, "byte 4");
    REFUSED(residue_iso8473_place(NULL, 0, 0), RESIDUE_RANGE, "0 bytes");
    residue_code_free(code);
    residue_code_free(sum);
}

static void streams(void) {
    residue_code *code = residue_code_new("width=17,poly=1685b"),
        *other = residue_code_new("fletcher-32");
    residue_stream *stream = residue_stream_new(code), *copy, *sums = residue_stream_new(other),
        *odd;
    residue_partial partial;
    uint64_t first = 0, second = 0;
    // The streams keep their codes alive.
    residue_code_free(code);
    EXPECT(!residue_stream_update(stream, "12345", 5) && !residue_stream_update(stream, NULL, 0));
    copy = residue_stream_copy(stream);
    EXPECT(!residue_stream_update(stream, "6789", 4) && !residue_stream_value(stream, &first));
    EXPECT(!residue_stream_partial(stream, &partial) && partial.value.low == first &&
        partial.bytes == 9);
    EXPECT(!residue_stream_update(copy, "6789", 4) && !residue_stream_value(copy, &second) &&
        first == second);
    EXPECT(!residue_stream_reset(copy) && !residue_stream_value(copy, &second) && second != first);
    EXPECT(!residue_stream_update(copy, "123456789", 9) && !residue_stream_value(copy, &second) &&
        first == second);
    // A stream may be appended to itself.
    EXPECT(!residue_stream_combine(copy, copy) && !residue_stream_update(stream, "123456789", 9));
    EXPECT(!residue_stream_value(copy, &second) && !residue_stream_value(stream, &first) &&
        first == second);
    REFUSED(residue_stream_combine(stream, sums), RESIDUE_DIFFERENT, "different codes");
    odd = residue_stream_copy(sums);
    EXPECT(!residue_stream_update(odd, "abc", 3));
    REFUSED(residue_stream_combine(odd, sums), RESIDUE_ODD_SPLIT, "3 bytes");
    REFUSED(residue_stream_update(NULL, "x", 1), RESIDUE_NULL, "stream");
    REFUSED(residue_stream_update(stream, NULL, 1), RESIDUE_NULL, "1 bytes");
    REFUSED(residue_stream_update(stream, "x", ABSURD), RESIDUE_LENGTH, "negative");
    REFUSED(residue_stream_value(NULL, &first), RESIDUE_NULL, "stream");
    REFUSED(residue_stream_value(stream, NULL), RESIDUE_NULL, "result");
    REFUSED(residue_stream_reset(NULL), RESIDUE_NULL, "stream");
    REFUSED(residue_stream_combine(stream, NULL), RESIDUE_NULL, "next");
    NO_POINTER(residue_stream_new(NULL), "code");
    NO_POINTER(residue_stream_copy(NULL), "stream");
    residue_stream_free(NULL);
    residue_stream_free(stream);
    residue_stream_free(copy);
    residue_stream_free(sums);
    residue_stream_free(odd);
    residue_code_free(other);
}

static void partials(void) {
    residue_code *code = residue_code_new("crc32c"), *words = residue_code_new("xns"), *found;
    residue_code *custom =
        residue_code_new("width=127,poly=1234567890abcdef1234567890abcdef,refout=true");
    residue_partial a, b, whole, result, impossible = {{1, 1}, 3};
    char text[RESIDUE_PARTIAL_TEXT] = "", again[RESIDUE_PARTIAL_TEXT];
    EXPECT(!residue_partial_of(code, "12345", 5, &a) && !residue_partial_of(code, "6789", 4, &b));
    EXPECT(!residue_partial_concat(code, &a, &b, &whole) && whole.value.low == 0xe3069283 &&
        whole.bytes == 9);
    EXPECT(!residue_partial_remove_prefix(code, &whole, &a, &result) &&
        result.value.low == b.value.low);
    EXPECT(!residue_partial_remove_suffix(code, &whole, &b, &result) &&
        result.value.low == a.value.low);
    EXPECT(!residue_partial_extend_by_zeroes(code, &a, 4, &result) &&
        result.value.low == residue_crc32c("12345\0\0\0", 9));
    EXPECT(!residue_partial_update(code, &whole, 1, "23", "xy", 2, &result) &&
        result.value.low == residue_crc32c("1xy456789", 9));
    // The result may take the place of an operand.
    EXPECT(!residue_partial_of(code, "abcd", 4, &result) &&
        !residue_partial_replace(code, &whole, 5, &b, &result, &result));
    EXPECT(result.value.low == residue_crc32c("12345abcd", 9) && result.bytes == 9);
    EXPECT(!residue_partial_format(code, &whole, text, sizeof text) &&
        !strcmp(text, "crc-32/iscsi:e3069283:9"));
    EXPECT(!residue_partial_parse(code, text, &result) && result.value.low == whole.value.low &&
        result.bytes == 9);
    EXPECT(!residue_partial_format(code, &whole, text, 24));
    memcpy(again, text, sizeof text);
    REFUSED(residue_partial_format(code, &whole, text, 23), RESIDUE_SPACE,
        "24 bytes, the buffer 23");
    EXPECT(!memcmp(again, text, sizeof text));
    REFUSED(residue_partial_format(code, &whole, NULL, 99), RESIDUE_NULL, "buffer");
    EXPECT(!residue_partial_of(custom, "1", 1, &result) &&
        !residue_partial_format(custom, &result, text, sizeof text));
    found = residue_partial_parse_code(text);
    EXPECT(found != NULL && !residue_partial_parse(found, text, &b) &&
        b.value.high == result.value.high);
    EXPECT(!residue_partial_format(found, &b, again, sizeof again) && !strcmp(text, again));
    REFUSED(residue_partial_parse(code, text, &b), RESIDUE_DIFFERENT, "different");
    REFUSED(residue_partial_parse(code, "crc-32/iscsi", &b), RESIDUE_TEXT, "CODE:VALUE:BYTES");
    REFUSED(residue_partial_parse(code, NULL, &b), RESIDUE_NULL, "text");
    REFUSED(residue_partial_parse(code, "crc32c:100000000:1", &b), RESIDUE_IMPOSSIBLE, "1 bytes");
    NO_POINTER(residue_partial_parse_code("nonsense:1:1"), "no code");
    REFUSED(residue_partial_concat(code, &a, &impossible, &result), RESIDUE_IMPOSSIBLE, "3 bytes");
    REFUSED(residue_partial_concat(code, NULL, &a, &result), RESIDUE_NULL, "first");
    REFUSED(residue_partial_concat(code, &a, NULL, &result), RESIDUE_NULL, "second");
    REFUSED(residue_partial_concat(code, &a, &a, NULL), RESIDUE_NULL, "result");
    REFUSED(residue_partial_remove_prefix(code, &a, &whole, &result), RESIDUE_RANGE, "9 bytes");
    REFUSED(residue_partial_update(code, &whole, 8, "23", "xy", 2, &result), RESIDUE_RANGE,
        "9 bytes");
    REFUSED(residue_partial_replace(code, &whole, UINT64_MAX, &a, &a, &result), RESIDUE_RANGE,
        "past");
    REFUSED(residue_partial_extend_by_zeroes(code, &a, UINT64_MAX, &result), RESIDUE_RANGE, "2^64");
    EXPECT(!residue_partial_of(words, "abc", 3, &a));
    REFUSED(residue_partial_concat(words, &a, &a, &result), RESIDUE_ODD_SPLIT, "3 bytes");
    residue_code_free(code);
    residue_code_free(words);
    residue_code_free(custom);
    residue_code_free(found);
}

enum { PACKETS = 300 };

static void batches(void) {
    residue_code *code = residue_code_new("adler-32"), *wide = residue_code_new("crc-82/darc");
    unsigned char data[PACKETS * 3];
    residue_slice packets[PACKETS];
    uint32_t crcs[PACKETS];
    uint16_t sums[PACKETS];
    uint64_t values[PACKETS];
    size_t i;
    for (i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 31 + i / 7);
    for (i = 0; i < PACKETS; i++) {
        packets[i].data = i ? data + i : NULL;
        packets[i].length = 2 * i;
    }
    EXPECT(!residue_batch_crc32c(packets, PACKETS, crcs) &&
        !residue_batch_internet(packets, PACKETS, sums));
    EXPECT(!residue_batch(code, packets, PACKETS, values));
    for (i = 0; i < PACKETS; i++) {
        EXPECT(crcs[i] == residue_crc32c(packets[i].data, 2 * i));
        EXPECT(sums[i] == residue_internet_checksum(packets[i].data, 2 * i));
        EXPECT(values[i] == residue_adler32(packets[i].data, 2 * i));
    }
    EXPECT(!residue_batch_crc32c(NULL, 0, NULL));
    REFUSED(residue_batch_crc32c(NULL, 1, crcs), RESIDUE_NULL, "packets");
    REFUSED(residue_batch_crc32c(packets, PACKETS, NULL), RESIDUE_NULL, "values");
    REFUSED(residue_batch_internet(packets, ABSURD, sums), RESIDUE_LENGTH, "negative");
    REFUSED(residue_batch(wide, packets, 1, values), RESIDUE_WIDE, "82 bits");
    // The last packet is wrong: no value is written.
    packets[PACKETS - 1].data = NULL;
    crcs[0] = 7;
    REFUSED(residue_batch_crc32c(packets, PACKETS, crcs), RESIDUE_NULL, "598 bytes");
    EXPECT(crcs[0] == 7);
    residue_code_free(code);
    residue_code_free(wide);
}

static void copies(void) {
    residue_code *code = residue_code_new("crc-16/arc");
    char from[3000], to[3000];
    uint32_t crc = 0;
    uint64_t value = 0;
    residue_wide wide;
    memset(from, 'x', sizeof from);
    EXPECT(!residue_copy_crc32c(to, from, sizeof to, &crc) &&
        crc == residue_crc32c(from, sizeof from));
    EXPECT(!memcmp(from, to, sizeof to));
    EXPECT(!residue_copy(code, to, "123456789", 9, &wide) && wide.low == 0xbb3d &&
        !memcmp(to, "123456789x", 10));
    EXPECT(!residue_value(code, to, 9, &value) && value == 0xbb3d);
    EXPECT(!residue_copy_crc32c(NULL, NULL, 0, &crc) && crc == 0);
    REFUSED(residue_copy_crc32c(to, to + 1, 9, &crc), RESIDUE_OVERLAP, "overlap");
    REFUSED(residue_copy_crc32c(to + 8, to, 9, &crc), RESIDUE_OVERLAP, "overlap");
    EXPECT(!residue_copy_crc32c(to + 9, to, 9, &crc) && crc == 0xe3069283);
    REFUSED(residue_copy(code, NULL, to, 9, &wide), RESIDUE_NULL, "null");
    REFUSED(residue_copy(code, to, NULL, 9, &wide), RESIDUE_NULL, "null");
    REFUSED(residue_copy_crc32c(to, from, ABSURD, &crc), RESIDUE_LENGTH, "negative");
    residue_code_free(code);
}

static void continued(void) {
    EXPECT(residue_crc32c_extend(residue_crc32c("12345", 5), "6789", 4) == 0xe3069283);
    EXPECT(residue_crc32_extend(residue_crc32("12345", 5), "6789", 4) == 0xcbf43926);
    EXPECT(residue_crc64_nvme_extend(residue_crc64_nvme("12345", 5), "6789", 4) ==
        0xae8b14860a799888);
    EXPECT(residue_adler32_extend(residue_adler32("Wiki", 4), "pedia", 5) == 0x11e60398);
    // Sums that are not reduced are accepted.
    EXPECT(residue_adler32_extend(0xfff2fff2, "", 0) == 0x00010001);
    EXPECT(residue_crc32c_combine(residue_crc32c("12345", 5), residue_crc32c("6789", 4), 4) ==
        0xe3069283);
    EXPECT(residue_crc32_combine(0x7f6a4306, 0xbc929646, UINT64_C(9407138305895715585)) ==
        0xef922dda);
    EXPECT(residue_crc64_nvme_combine(residue_crc64_nvme("12345", 5), residue_crc64_nvme("6789", 4),
        4) == 0xae8b14860a799888);
    EXPECT(residue_adler32_combine(0x02f80100, 0x022a00df, 4) == 0x091e01de);
    EXPECT(residue_internet_update(0xdd2f, 0x5555, 0x3285) == 0x0000);
    EXPECT(residue_xns_update_hop(0x61ae, 0x26) == 0x63ae);
}

int main(void) {
    EXPECT(!strncmp(residue_version(), "0.", 2) && RESIDUE_VERSION > 0);
    EXPECT(residue_last_error()[0] == 0);
    names();
    nothing();
    streams();
    partials();
    batches();
    copies();
    continued();
    printf("face: %u checked, %u failed\n", checked, failures);
    return failures ? 1 : 0;
}
