#!/usr/bin/env python3
"""Connections one after another with the same ports: `serve`, or `ask ADDRESS COUNT`. The server
closes first, and so remembers each connection for a minute after its end."""
import socket, sys, time

PORT, OWN = 8179, 40000

if sys.argv[1] == 'serve':
    s = socket.socket(socket.AF_INET6)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(('::', PORT))
    s.listen()
    while True:
        c, _ = s.accept()
        c.sendall(c.recv(100000).upper())
        c.close()

family = socket.AF_INET6 if ':' in sys.argv[2] else socket.AF_INET
for _ in range(int(sys.argv[3])):
    for wait in range(500):
        s = socket.socket(family)
        s.settimeout(60)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(('', OWN))
            s.connect((sys.argv[2], PORT))
            break
        except OSError as error:
            # The end of the last connection is not acknowledged yet.
            if isinstance(error, (socket.timeout, ConnectionError)) or wait == 499:
                raise
            s.close()
            time.sleep(0.02)
    s.sendall(b'request')
    answer = b''
    while part := s.recv(100):
        answer += part
    assert answer == b'REQUEST', answer
    s.close()
