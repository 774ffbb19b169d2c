// Computes values of many packets in one call, and copies with a value in one pass. Prints:
//   packet 0: crc 7355c460, internet cecd
//   packet 1: crc 00000000, internet ffff
//   packet 2: crc c27e5db2, internet 918f
//   copied 123456789 with e3069283
#include <residue.h>

#include <inttypes.h>
#include <stdio.h>

int main(void) {
    const residue_slice packets[3] = {{"12", 2}, {NULL, 0}, {"6789", 4}};
    uint32_t crcs[3], crc;
    uint16_t sums[3];
    char copy[10] = "";
    int i;
    if (residue_batch_crc32c(packets, 3, crcs) || residue_batch_internet(packets, 3, sums) ||
        residue_copy_crc32c(copy, "123456789", 9, &crc)) {
        fprintf(stderr, "%s\n", residue_last_error());
        return 1;
    }
    for (i = 0; i < 3; i++)
        printf("packet %d: crc %08" PRIx32 ", internet %04x\n", i, crcs[i], sums[i]);
    printf("copied %s with %08" PRIx32 "\n", copy, crc);
    return 0;
}
