// Computes Fletcher's sums, and the check octets of ISO 8473, which make them zero. Prints:
//   fletcher-16 c8f0
//   fletcher-32 f04fc729
//   octets d2 06: right
//   damaged: wrong
#include <residue.h>

#include <inttypes.h>
#include <stdio.h>

static const char *result(const unsigned char *packet) {
    return residue_iso8473_verify(packet, 10) ? "right" : "wrong";
}

int main(void) {
    unsigned char packet[10] = {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 0, 0};
    printf("fletcher-16 %04x\n", residue_fletcher16("abcde", 5));
    printf("fletcher-32 %08" PRIx32 "\n", residue_fletcher32("abcde", 5));
    if (residue_iso8473_place(packet, sizeof packet, 8) != RESIDUE_OK) {
        fprintf(stderr, "%s\n", residue_last_error());
        return 1;
    }
    printf("octets %02x %02x: %s\n", packet[8], packet[9], result(packet));
    packet[0] ^= 0x20;
    printf("damaged: %s\n", result(packet));
    return 0;
}
