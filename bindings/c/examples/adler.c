// Computes Adler-32 of data in pieces: from the value so far, as with zlib, or by a stream.
// Prints:
//   at once   11e60398
//   extended  11e60398
//   streamed  11e60398
//   combined  11e60398
#include <residue.h>

#include <inttypes.h>
#include <stdio.h>

int main(void) {
    uint32_t first = residue_adler32("Wiki", 4), second = residue_adler32("pedia", 5);
    residue_code *code = residue_code_new("adler-32");
    residue_stream *stream = residue_stream_new(code);
    uint64_t value;
    printf("at once   %08" PRIx32 "\n", residue_adler32("Wikipedia", 9));
    printf("extended  %08" PRIx32 "\n", residue_adler32_extend(first, "pedia", 5));
    if (residue_stream_update(stream, "Wiki", 4) || residue_stream_update(stream, "pedia", 5) ||
        residue_stream_value(stream, &value)) {
        fprintf(stderr, "%s\n", residue_last_error());
        return 1;
    }
    printf("streamed  %08" PRIx64 "\n", value);
    printf("combined  %08" PRIx32 "\n", residue_adler32_combine(first, second, 5));
    residue_stream_free(stream);
    residue_code_free(code);
    return 0;
}
