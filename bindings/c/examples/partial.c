// Keeps only the values of a large object's parts: computes the value of the whole, and updates it
// when a part is appended, dropped, changed, or is a hole. Prints:
//   part 0  crc-64/nvme:166ae2b7ff62caf8:5
//   part 1  crc-64/nvme:e0d6368f42d00737:4
//   whole   crc-64/nvme:ae8b14860a799888:9
//   dropped crc-64/nvme:166ae2b7ff62caf8:5
//   hole    crc-64/nvme:7588ab0bfc271173:1099511627785
#include <residue.h>

#include <stdio.h>

static int good(residue_status status) {
    if (status != RESIDUE_OK) fprintf(stderr, "%s\n", residue_last_error());
    return status == RESIDUE_OK;
}

static int show(const residue_code *code, const char *what, const residue_partial *partial) {
    char text[RESIDUE_PARTIAL_TEXT];
    if (!good(residue_partial_format(code, partial, text, sizeof text))) return 0;
    printf("%-7s %s\n", what, text);
    return 1;
}

int main(void) {
    residue_code *code = residue_code_new("crc-64/nvme");
    residue_partial first, second, whole, left, hole;
    int all = good(residue_partial_of(code, "12345", 5, &first)) && show(code, "part 0", &first) &&
              good(residue_partial_of(code, "6789", 4, &second)) && show(code, "part 1", &second) &&
              good(residue_partial_concat(code, &first, &second, &whole)) &&
              show(code, "whole", &whole) &&
              good(residue_partial_remove_suffix(code, &whole, &second, &left)) &&
              show(code, "dropped", &left) &&
              good(residue_partial_extend_by_zeroes(code, &whole, UINT64_C(1) << 40, &hole)) &&
              show(code, "hole", &hole);
    residue_code_free(code);
    return all ? 0 : 1;
}
