// Computes, stores and verifies the checksum of an IPv4 header, and updates it as a router does.
// Prints:
//   checksum 442e
//   checked: right
//   one hop later 452e
//   checked: right
#include <residue.h>

#include <stdio.h>

static void store(unsigned char *field, uint16_t value) {
    field[0] = (unsigned char)(value >> 8);
    field[1] = (unsigned char)value;
}

static uint16_t load(const unsigned char *field) {
    return (uint16_t)(field[0] << 8 | field[1]);
}

static void check(const unsigned char *header) {
    printf("checked: %s\n", residue_internet_checksum(header, 20) == 0 ? "right" : "wrong");
}

int main(void) {
    unsigned char header[20] = {0x45, 0, 0,    0x30, 0x44, 0x22, 0x40, 0,    0x80, 6,
                                0,    0, 0x8c, 0x7c, 0x19, 0xac, 0xae, 0x24, 0x1e, 0x2b};
    uint16_t before;
    store(header + 10, residue_internet_checksum(header, 20));
    printf("checksum %04x\n", load(header + 10));
    check(header);
    before = load(header + 8);
    header[8]--;
    store(header + 10, residue_internet_update(load(header + 10), before, load(header + 8)));
    printf("one hop later %04x\n", load(header + 10));
    check(header);
    return 0;
}
