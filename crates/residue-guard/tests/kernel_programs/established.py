#!/usr/bin/env python3
"""Sockets without packets: one that listens at port 80, and one that is connected to each peer
`ADDRESS PORT` of the arguments, at an address of the same family that is made for it."""
import socket, subprocess, sys

LOCAL = {socket.AF_INET: '192.0.2.2', socket.AF_INET6: '2001:db8::2'}
TCP_REPAIR = 19


def ip(words):
    subprocess.run(['ip', *words.split()], check=True)


ip('link set lo up')
for family, address in LOCAL.items():
    version = '-6' if family == socket.AF_INET6 else '-4'
    ip(f'addr add {address} dev lo' + (' nodad' if version == '-6' else ''))
    ip(f'{version} route add default dev lo')
listener = socket.create_server(('::', 80), family=socket.AF_INET6, dualstack_ipv6=True)
kept = []
for address, port in zip(sys.argv[1::2], sys.argv[2::2]):
    family = socket.AF_INET6 if ':' in address else socket.AF_INET
    s = socket.socket(family)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)
    s.bind((LOCAL[family], 80))
    # In this mode, nothing is sent, and the socket is connected at once.
    s.connect((address, int(port)))
    kept.append(s)
print('ready', flush=True)
sys.stdin.read()
