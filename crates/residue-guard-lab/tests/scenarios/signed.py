#!/usr/bin/env python3
"""One request and its answer over a connection signed by MD5 (RFC 2385): `serve`, or `ask`."""
import socket, struct, sys

role, own, peer = sys.argv[1:]

def sign(s):
    # struct tcp_md5sig: address, flags and prefix, length of the key, interface, key.
    address = struct.pack('!HH4s120x', 0, 0, socket.inet_aton(peer))
    address = struct.pack('=H', socket.AF_INET) + address[2:]
    s.setsockopt(socket.IPPROTO_TCP, 14, address + struct.pack('=BBHi80s', 0, 0, 6, 0, b'secret'))

s = socket.socket()
s.settimeout(60)
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
sign(s)
if role == 'serve':
    s.bind((own, 8179))
    s.listen()
    while True:
        try:
            c, _ = s.accept()
        except TimeoutError:
            continue
        c.sendall(c.recv(100000).upper())
        c.close()
s.connect((peer, 8179))
s.sendall(b'request')
answer = s.recv(100)
sys.exit(answer != b'REQUEST')
