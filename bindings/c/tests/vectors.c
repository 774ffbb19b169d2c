// Tests every cited vector through the C interface: by handle, by stream, by every kernel, and by
// the one-shot functions.
//
//   vectors FOLDER        FOLDER is vectors/
#include <dirent.h>
#include <residue.h>

#include "vectors.h"

static unsigned failures, checked;

static void expect(int good, const char *what, const char *name, const char *input) {
    checked++;
    if (!good) {
        failures++;
        printf("FAILED: %s: %s of %.60s: %s\n", what, name, input, residue_last_error());
    }
}

static residue_wide number(const char *hex) {
    residue_wide value = {0, 0};
    for (; *hex; hex++) {
        unsigned digit = (unsigned)(*hex <= '9' ? *hex - '0' : *hex - 'a' + 10);
        value.high = value.high << 4 | value.low >> 60;
        value.low = value.low << 4 | digit;
    }
    return value;
}

static int same(residue_wide a, residue_wide b) {
    return a.low == b.low && a.high == b.high;
}

// Returns the value of the one-shot function, for the codes that have one.
static int once(const char *name, const void *data, size_t length, uint64_t *value) {
    if (!strcmp(name, "crc-32/iscsi")) *value = residue_crc32c(data, length);
    else if (!strcmp(name, "crc-32/iso-hdlc")) *value = residue_crc32(data, length);
    else if (!strcmp(name, "crc-64/nvme")) *value = residue_crc64_nvme(data, length);
    else if (!strcmp(name, "adler-32")) *value = residue_adler32(data, length);
    else if (!strcmp(name, "internet")) *value = residue_internet_checksum(data, length);
    else if (!strcmp(name, "xns")) *value = residue_xns_checksum(data, length);
    else if (!strcmp(name, "fletcher-16")) *value = residue_fletcher16(data, length);
    else if (!strcmp(name, "fletcher-32")) *value = residue_fletcher32(data, length);
    else if (!strcmp(name, "fletcher-32/be")) *value = residue_fletcher32_be(data, length);
    else return 0;
    return 1;
}

static void value_of(const char *name, const char *input, const char *hex, unsigned char *data) {
    long count = input_bytes(input, data);
    size_t length = (size_t)count, half = length / 2, kernel;
    residue_wide expected = number(hex), value = {0, 0};
    residue_code *code = residue_code_new(name);
    residue_stream *stream;
    uint64_t narrow = 0;
    expect(count >= 0 && code != NULL, "input and name", name, input);
    if (count < 0 || !code) return;
    expect(!strcmp(residue_code_name(code), name), "the name", name, input);
    expect(!residue_value_wide(code, data, length, &value) && same(value, expected), "value", name,
        input);
    if (residue_code_width(code) <= 64) {
        expect(!residue_value(code, data, length, &narrow) && narrow == expected.low, "64 bits",
            name, input);
    } else {
        expect(residue_value(code, data, length, &narrow) == RESIDUE_WIDE, "refused", name, input);
    }
    for (kernel = 0; kernel < residue_kernel_count(code); kernel++) {
        const char *title = residue_kernel_name(code, kernel);
        residue_status status = residue_value_with(code, title, data, length, &value);
        if (!residue_kernel_supported(code, kernel))
            expect(status == RESIDUE_UNSUPPORTED, title, name, input);
        else expect(status == RESIDUE_OK && same(value, expected), title, name, input);
    }
    stream = residue_stream_new(code);
    // The stream keeps the code alive.
    residue_code_free(code);
    expect(!residue_stream_update(stream, data, half), "first half", name, input);
    expect(!residue_stream_update(stream, data + half, length - half), "second half", name, input);
    expect(!residue_stream_value_wide(stream, &value) && same(value, expected), "stream", name,
        input);
    residue_stream_free(stream);
    if (once(name, data, length, &narrow)) expect(narrow == expected.low, "one call", name, input);
}

static void combined(char *fields[FIELDS]) {
    const char *name = fields[0];
    residue_code *code = residue_code_new(name);
    residue_partial first, second, whole, back;
    first.value = number(fields[1]);
    first.bytes = 4;
    second.value = number(fields[2]);
    second.bytes = strtoull(fields[3], NULL, 10);
    expect(!residue_partial_concat(code, &first, &second, &whole), "concat", name, fields[1]);
    expect(same(whole.value, number(fields[4])) && whole.bytes == second.bytes + 4, "concat", name,
        fields[1]);
    expect(!residue_partial_remove_suffix(code, &whole, &second, &back) &&
        same(back.value, first.value),
           "remove_suffix", name, fields[1]);
    expect(!residue_partial_remove_prefix(code, &whole, &first, &back) &&
        same(back.value, second.value),
           "remove_prefix", name, fields[1]);
    residue_code_free(code);
}

static void octets(char *fields[FIELDS], unsigned char *data) {
    size_t length = (size_t)input_bytes(fields[1], data),
        offset = (size_t)strtoul(fields[2], NULL, 10);
    unsigned char expected[8];
    if (strcmp(fields[0], "iso-8473")) return;
    hex_bytes(fields[3], expected);
    expect(!residue_iso8473_place(data, length, offset), "place", fields[0], fields[1]);
    expect(!memcmp(data + offset, expected, 2) && residue_iso8473_verify(data, length), "octets",
        fields[0], fields[1]);
}

// Tests all lines of a file, whose kind their number of fields shows.
static void lines_of(const char *path, unsigned char *data) {
    static char line[8192];
    char *fields[FIELDS];
    int found, lines = 0;
    FILE *file = fopen(path, "r");
    expect(file != NULL, "reading", path, "");
    while (file && (found = next_line(file, line, sizeof line, fields)) != 0) {
        lines++;
        if (found == 6) combined(fields);
        else if (found == 5) octets(fields, data);
        else if (found == 4) value_of(fields[0], fields[1], fields[2], data);
        else expect(0, "fields", path, fields[0]);
    }
    if (file) fclose(file);
    expect(lines > 0, "lines", path, "");
}

int main(int count, char **words) {
    unsigned char *data = (unsigned char *)malloc(LARGEST);
    char path[4096];
    DIR *values;
    struct dirent *entry;
    if (count != 2 || !data) return 2;
    snprintf(path, sizeof path, "%s/values", words[1]);
    values = opendir(path);
    if (!values) {
        printf("FAILED: cannot read %s\n", path);
        return 1;
    }
    while ((entry = readdir(values)) != NULL) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/values/%s", words[1], entry->d_name);
        lines_of(path, data);
    }
    closedir(values);
    snprintf(path, sizeof path, "%s/combine.txt", words[1]);
    lines_of(path, data);
    snprintf(path, sizeof path, "%s/check_octets.txt", words[1]);
    lines_of(path, data);
    free(data);
    printf("vectors: %u checked, %u failed\n", checked, failures);
    return failures || checked < 3000;
}
