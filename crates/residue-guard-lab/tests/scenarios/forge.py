#!/usr/bin/env python3
"""Sends forged TCP segments with random sequence numbers and right check values."""
import argparse, random, socket, struct, time

TABLE = []
for n in range(256):
    c = n
    for _ in range(8):
        c = c >> 1 ^ (0x82F63B78 if c & 1 else 0)
    TABLE.append(c)

def crc32c(data):
    c = 0xFFFFFFFF
    for byte in data:
        c = TABLE[(c ^ byte) & 255] ^ c >> 8
    return c ^ 0xFFFFFFFF

def internet(data):
    total = sum(struct.unpack('!%dH' % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF

def ports(text):
    first, _, last = text.partition('-')
    return list(range(int(first), int(last or first) + 1))

p = argparse.ArgumentParser()
p.add_argument('source'); p.add_argument('destination')
p.add_argument('--source-ports', type=ports, required=True)
p.add_argument('--ports', type=ports, required=True)
p.add_argument('--count', type=int, required=True)
p.add_argument('--value', type=int, default=0)
p.add_argument('--spread', action='store_true', help='random source addresses in 10.0.0.0/8')
p.add_argument('--rate', type=float, default=0, help='at most so many in a second')
p.add_argument('--request', type=int, default=0)
p.add_argument('--flags', type=int, default=0x10)
args = p.parse_args()
random.seed(1)
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
src, dst = socket.inet_aton(args.source), socket.inet_aton(args.destination)
pairs = [(a, b) for b in args.ports for a in args.source_ports]
long_option = b'\x0f\x06\0\0\0\0\x01\x01'
option = {0: b'', 3: b'\x0f\x04\0\0', 4: long_option, 5: long_option}[args.value]
if args.request:
    option = struct.pack('!BBBB', 14, 3, args.request, 1)
offset = (20 + len(option)) // 4 << 4
pseudo = src + dst + struct.pack('!BBH', 0, 6, 20 + len(option))
ip = struct.pack('!BBHHHBBH', 0x45, 0, 40 + len(option), 0, 0x4000, 64, 6, 0) + src + dst
start = time.time()
for n in range(args.count):
    if args.rate and n % 64 == 0:
        time.sleep(max(0, start + n / args.rate - time.time()))
    a, b = pairs[n % len(pairs)]
    if args.spread:
        src = struct.pack('!I', 10 << 24 | random.getrandbits(24))
        pseudo, ip = src + pseudo[4:], ip[:12] + src + dst
    numbers = random.getrandbits(32), random.getrandbits(32)
    head = struct.pack('!HHIIBBHHH', a, b, *numbers, offset, args.flags, 500, 0, 0)
    opt = option
    field = 0
    if args.value == 3:
        crc = crc32c(pseudo + head + opt)
        field, opt = crc >> 16, b'\x0f\x04' + struct.pack('!H', crc & 0xFFFF)
    elif args.value:
        crc = crc32c(pseudo + head + opt) if args.value == 5 else 0
        opt = b'\x0f\x06' + struct.pack('!I', crc) + b'\x01\x01'
    if args.value != 3:
        field = internet(pseudo + head + opt)
    try:
        s.sendto(ip + head[:16] + struct.pack('!H', field) + head[18:] + opt, (args.destination, 0))
    except OSError:
        pass
print('%d in %.1f s' % (args.count, time.time() - start))
