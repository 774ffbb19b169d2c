#!/usr/bin/env python3
"""A request in the SYN, by TCP Fast Open: `serve`, or `ask ADDRESS COUNT`. Prints for each
connection whether the data of the SYN were accepted. With `bare`, no cookie is needed."""
import socket, sys

PORT, TCP_FASTOPEN, TCP_FASTOPEN_NO_COOKIE, MSG_FASTOPEN = 8178, 23, 34, 0x20000000
# TCPI_OPT_SYN_DATA, in `tcpi_options`, the sixth byte.
SYN_DATA = 32

def accepted(s):
    return bool(s.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 8)[5] & SYN_DATA)

def prepared(s):
    if 'bare' in sys.argv:
        s.setsockopt(socket.IPPROTO_TCP, TCP_FASTOPEN_NO_COOKIE, 1)
    return s

if sys.argv[1] == 'serve':
    s = prepared(socket.socket(socket.AF_INET6))
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.setsockopt(socket.IPPROTO_TCP, TCP_FASTOPEN, 16)
    s.bind(('::', PORT))
    s.listen()
    while True:
        c, _ = s.accept()
        c.sendall(c.recv(100000).upper())
        c.close()

for _ in range(int(sys.argv[3])):
    s = prepared(socket.socket(socket.AF_INET6 if ':' in sys.argv[2] else socket.AF_INET))
    s.settimeout(60)
    s.sendto(b'request', MSG_FASTOPEN, (sys.argv[2], PORT))
    assert s.recv(100) == b'REQUEST'
    print('in the SYN' if accepted(s) else 'after the SYN')
    s.close()
