#!/usr/bin/env python3
"""One end of a connection that both ends open: `both.py ADDRESS`."""
import socket, sys, threading

PORT, DATA = 40001, bytes(range(256)) * 400

s = socket.socket(socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET)
s.settimeout(60)
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(('', PORT))
s.connect((sys.argv[1], PORT))

def send():
    s.sendall(DATA)
    s.shutdown(socket.SHUT_WR)

sender = threading.Thread(target=send)
sender.start()
received = b''
while part := s.recv(65536):
    received += part
sender.join()
assert received == DATA, len(received)
