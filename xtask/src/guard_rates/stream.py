#!/usr/bin/env python3
"""A connection with one way to detect damage: data for some seconds, then requests one by one.

    stream.py serve KIND PORT EXTRA ...
    stream.py send KIND ADDRESS PORT SECONDS EXTRA ...

KIND is plain, tls (EXTRA: a certificate with its key), crc (EXTRA: the shared library; a CRC-32C
behind each block of data, as iSCSI's digests), mptcp, or md5 (EXTRA: the address of the client).
`send` prints JSON.
"""
import ctypes, json, socket, ssl, struct, sys, time

BLOCK, REQUEST, REQUESTS = 256 * 1024, 128, 5000
TCP_MD5SIG, IPPROTO_MPTCP = 14, 262
# struct tcp_md5sig: address, flags, prefix length, length of the key, interface, key.
KEY = b'0123456789abcdef'


def signed(sock, peer):
    address = struct.pack('=HH4s120x', socket.AF_INET, 0, socket.inet_aton(peer))
    sock.setsockopt(socket.IPPROTO_TCP, TCP_MD5SIG,
                    address + struct.pack('=BBHi80s', 0, 0, len(KEY), 0, KEY))


class Plain:
    """Blocks as they are."""

    def __init__(self, sock):
        self.sock = sock

    def send(self, block):
        self.sock.sendall(block)

    def receive(self, block):
        """Fills the block; returns whether there was one."""
        view, done = memoryview(block), 0
        while done < len(block):
            more = self.sock.recv_into(view[done:])
            if not more:
                if done:
                    raise EOFError('a block is not complete')
                return False
            done += more
        return True


class Checked(Plain):
    """A CRC-32C behind each block."""

    def __init__(self, sock, library):
        super().__init__(sock)
        self.crc32c = ctypes.CDLL(library).residue_crc32c
        self.crc32c.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self.crc32c.restype = ctypes.c_uint32
        self.digest = bytearray(4)

    def value(self, block):
        return self.crc32c((ctypes.c_char * len(block)).from_buffer(block), len(block))

    def send(self, block):
        self.sock.sendall(block)
        self.sock.sendall(struct.pack('<I', self.value(block)))

    def receive(self, block):
        if not super().receive(block):
            return False
        super().receive(self.digest)
        if struct.unpack('<I', self.digest)[0] != self.value(block):
            raise ValueError('wrong CRC')
        return True


def opened(kind):
    protocol = IPPROTO_MPTCP if kind == 'mptcp' else 0
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b'cubic')
    return sock


def channel(kind, sock, extra):
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return Checked(sock, *extra) if kind == 'crc' else Plain(sock)


def serve(kind, port, *extra):
    listener = opened(kind)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if kind == 'md5':
        signed(listener, *extra)
    listener.bind(('', int(port)))
    listener.listen()
    block, request = bytearray(BLOCK), bytearray(REQUEST)
    while True:
        sock, _ = listener.accept()
        if kind == 'tls':
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.minimum_version = ssl.TLSVersion.TLSv1_3
            context.load_cert_chain(*extra)
            sock = context.wrap_socket(sock, server_side=True)
        end = channel(kind, sock, extra)
        # The first byte of a block of data is 0, of the last one 1.
        while end.receive(block) and not block[0]:
            pass
        end.send(bytearray(1))
        while end.receive(request):
            end.send(request)
        sock.close()


def send(kind, address, port, seconds, *extra):
    sock = opened(kind)
    if kind == 'md5':
        signed(sock, address)
    sock.connect((address, int(port)))
    if kind == 'tls':
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version, context.check_hostname = ssl.TLSVersion.TLSv1_3, False
        context.load_verify_locations(*extra)
        sock = context.wrap_socket(sock)
    end = channel(kind, sock, extra)
    block, blocks = bytearray(range(1, 256)) * (BLOCK // 255 + 1), 0
    del block[BLOCK:]
    block[0] = 0
    began = time.perf_counter()
    while time.perf_counter() - began < float(seconds):
        end.send(block)
        blocks += 1
    block[0] = 1
    end.send(block)
    end.receive(bytearray(1))
    lasted = time.perf_counter() - began
    request, answer, times = bytearray(REQUEST), bytearray(REQUEST), []
    print(json.dumps({'bytes': (blocks + 1) * BLOCK, 'seconds': lasted}), flush=True)
    sys.stdin.readline()
    for number in range(REQUESTS):
        request[:8] = struct.pack('<Q', number)
        before = time.perf_counter()
        end.send(request)
        if not end.receive(answer) or answer != request:
            raise ValueError('a wrong answer')
        times.append(time.perf_counter() - before)
    times.sort()
    print(json.dumps({'rate': REQUESTS / sum(times), 'p99': times[REQUESTS * 99 // 100] * 1e3}))


if __name__ == '__main__':
    {'serve': serve, 'send': send}[sys.argv[1]](*sys.argv[2:])
