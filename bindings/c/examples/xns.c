// Computes the checksum of an XNS packet, and updates it as a router that counts a hop. Prints:
//   checksum 61ae
//   one hop later 63ae
//   computed anew 63ae
#include <residue.h>

#include <stdio.h>
#include <string.h>

int main(void) {
    // The packet after its checksum field: length 38, hop count 0, type 2, ...
    unsigned char packet[36] = {0, 0x26, 0, 2, 0, 0, 0, 1, 2, 0x60, 0x8c, 0, 0, 1, 0, 2, 0, 0,
                                0, 2,    2, 0x60, 0x8c, 0, 0, 2, 0x0b, 0xb8, 0, 1};
    uint16_t sum;
    memcpy(packet + 30, "hello!", 6);
    sum = residue_xns_checksum(packet, sizeof packet);
    printf("checksum %04x\n", sum);
    printf("one hop later %04x\n", residue_xns_update_hop(sum, 38));
    packet[2]++;
    printf("computed anew %04x\n", residue_xns_checksum(packet, sizeof packet));
    return 0;
}
