#!/usr/bin/env python3
"""Carries IP packets between a tun device and a UDP socket: a tunnel without link headers."""
import argparse, fcntl, os, select, socket, struct, subprocess

p = argparse.ArgumentParser()
p.add_argument('device'); p.add_argument('local'); p.add_argument('remote')
p.add_argument('--address', action='append')
args = p.parse_args()
tun = os.open('/dev/net/tun', os.O_RDWR)
# TUNSETIFF with IFF_TUN and IFF_NO_PI.
fcntl.ioctl(tun, 0x400454CA, struct.pack('16sH22x', args.device.encode(), 0x1001))
for address in args.address:
    words = ['ip', 'addr', 'add', address, 'dev', args.device]
    subprocess.run(words + ['nodad'] * (':' in address), check=True)
subprocess.run(['ip', 'link', 'set', args.device, 'mtu', '1400', 'up'], check=True)
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind((args.local, 4789))
udp.connect((args.remote, 4789))
while True:
    for ready in select.select([tun, udp], [], [])[0]:
        try:
            if ready is udp:
                os.write(tun, udp.recv(65536))
            else:
                udp.send(os.read(tun, 65536))
        except OSError:
            # The other end is not there yet.
            pass
