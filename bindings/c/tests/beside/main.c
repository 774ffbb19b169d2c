// A program with two static libraries in Rust, both of which catch panics.
#include <residue.h>

#include <string.h>

unsigned other_sum(unsigned end);

int main(void) {
    if (residue_crc32c("123456789", 9) != 0xe3069283) return 1;
    if (other_sum(5) != 10 || other_sum(0) != 0) return 2;
    residue_code *code = residue_code_new("no such code");
    return !code && strstr(residue_last_error(), "no such code") ? 0 : 3;
}
