#!/usr/bin/env python3
"""Many connections: `serve`, or `ask ADDRESS IDLE COUNT`, which opens some connections, leaves them
idle while it makes short ones, says `idle`, and uses them again when it has read a line."""
import selectors, socket, struct, sys, threading

PORT = 8180

if sys.argv[1] == 'serve':
    listener = socket.create_server(('::', PORT), family=socket.AF_INET6, dualstack_ipv6=True,
                                    backlog=4096)
    ready = selectors.DefaultSelector()
    ready.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in ready.select():
            if key.fileobj is listener:
                ready.register(listener.accept()[0], selectors.EVENT_READ)
                continue
            try:
                data = key.fileobj.recv(1000)
                key.fileobj.sendall(data.upper())
            except ConnectionError:
                data = b''
            if not data:
                ready.unregister(key.fileobj)
                key.fileobj.close()


def connected():
    s = socket.create_connection((sys.argv[2], PORT), timeout=60)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # Ends with a reset, so that its ports can be used again at once.
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    return s


def asked(s):
    s.sendall(b'request')
    assert s.recv(100) == b'REQUEST'


def short(count):
    for _ in range(count):
        s = connected()
        asked(s)
        s.close()


idle, count = int(sys.argv[3]), int(sys.argv[4])
kept = [connected() for _ in range(idle)]
for s in kept:
    asked(s)
failed = []
threading.excepthook = lambda why: failed.append(why.exc_value)
threads = [threading.Thread(target=short, args=(count // 4,)) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failed, failed
print('idle', flush=True)
if kept:
    sys.stdin.readline()
for s in kept:
    asked(s)
print('used', flush=True)
