"""Computes the segments of value 7 in golden.txt, bit by bit: prints the lines of the connections.

They are those of value 5 with another number in option 14, another CRC, and the Internet checksum
of that. Before that, the CRCs of value 5 are computed, too, and compared.
"""

import pathlib

GENERATOR = 0x1EDC6F41  # CRC-32C, the highest power first


def crc_32c(message):
    register = 0xFFFFFFFF
    for byte in message:
        for bit in range(8):  # the lowest bit of a byte first
            carry = register >> 31 ^ byte >> bit & 1
            register = register << 1 & 0xFFFFFFFF ^ (GENERATOR if carry else 0)
    return int(f"{register ^ 0xFFFFFFFF:032b}"[::-1], 2).to_bytes(4, "big")


def internet(message):
    total = sum(byte << (0 if at % 2 else 8) for at, byte in enumerate(message))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return (0xFFFF - total).to_bytes(2, "big")


def pseudo_header(packet, start):
    length = len(packet) - start
    if start == 20:
        return packet[12:20] + bytes([0, 6]) + length.to_bytes(2, "big")
    return packet[8:40] + length.to_bytes(4, "big") + bytes([0, 0, 0, 6])


def begins_with(segment, kind):
    """Returns whether this option is the first one."""
    return segment[12] >> 4 > 5 and segment[20] == kind


def with_value_7(packet):
    start = 20 if packet[0] >> 4 == 4 else 40
    pseudo, segment = pseudo_header(packet, start), bytearray(packet[start:])
    if begins_with(segment, 14):
        segment[22] = 7
    elif begins_with(segment, 15):
        given = bytes(segment[22:26])
        segment[16:18] = bytes(2)
        segment[22:26] = bytes(4)
        assert crc_32c(pseudo + segment) == given
        segment[22:26] = crc_32c(bytes(4) + segment[4:])
    else:
        return packet
    segment[16:18] = bytes(2)
    segment[16:18] = internet(pseudo + segment)
    return packet[:start] + bytes(segment)


assert crc_32c(b"123456789").hex() == "e3069283"
for line in pathlib.Path(__file__).with_name("golden.txt").read_text().splitlines():
    name, *packets = [part.strip() for part in line.split("|")]
    if name[:1] == "#" or name.split()[1] != "5":
        continue
    sent, wire, received = packets
    wire = with_value_7(bytes.fromhex(wire)).hex()
    print(" | ".join([name.replace(" 5 ", " 7 ", 1), sent, wire, received]))
