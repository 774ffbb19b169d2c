"""Prints zlib's check values as Python's own modules compute them. With residue's library
preloaded, also compares each of its functions with that of libz.

The output is equal with and without LD_PRELOAD.
"""

import ctypes
import gzip
import io
import os
import zlib

DATA = bytes(i * i >> 3 & 255 for i in range(70_000))
for length in [*range(0, 70), 255, 256, 1023, 5552, 5553, 65_535, 70_000]:
    part = memoryview(DATA)[:length]
    print(
        length,
        zlib.crc32(part),
        zlib.crc32(part, 0x12345678),
        zlib.adler32(part),
        zlib.adler32(part, 0xFFF0FFF0),
    )
packed = gzip.compress(DATA)
print(gzip.decompress(packed) == DATA, gzip.GzipFile(fileobj=io.BytesIO(packed)).read(9))

if "libresidue_zlib" in os.environ.get("LD_PRELOAD", ""):
    # The functions as the program sees them, and those of libz.
    seen, libz = ctypes.CDLL(None), ctypes.CDLL("libz.so.1")
    ulong, offset = ctypes.c_ulong, ctypes.c_longlong

    def equal(name, result, *arguments):
        ours, theirs = getattr(seen, name), getattr(libz, name)
        for function in (ours, theirs):
            function.restype = result
        address = lambda function: ctypes.cast(function, ctypes.c_void_p).value
        assert address(ours) != address(theirs), f"{name} is libz's"
        found, expected = ours(*arguments), theirs(*arguments)
        assert found == expected, f"{name}{arguments}: {found:x}, libz {expected:x}"
        return found

    for start in (0, 1, 0xCBF43926, 0xFFFFFFFF):
        for length in (0, 1, 7, 64, 1000):
            equal("crc32", ulong, ulong(start), DATA, ctypes.c_uint(length))
            equal("crc32_z", ulong, ulong(start), DATA, ctypes.c_size_t(length))
            equal("adler32", ulong, ulong(start), DATA, ctypes.c_uint(length))
            equal("adler32_z", ulong, ulong(start), DATA, ctypes.c_size_t(length))
        for name in ("crc32", "adler32"):
            equal(name, ulong, ulong(start), None, ctypes.c_uint(0))
        for length in (0, 1, 2, 1000, 2**31, 2**40 + 7):
            for name in (
                "crc32_combine",
                "crc32_combine64",
                "adler32_combine",
                "adler32_combine64",
            ):
                equal(name, ulong, ulong(start), ulong(0x2C0F0123), offset(length))
            for name in ("crc32_combine_gen", "crc32_combine_gen64"):
                op = equal(name, ulong, offset(length))
            equal("crc32_combine_op", ulong, ulong(start), ulong(0x2C0F0123), ulong(op))
    tables = []
    for library in (seen, libz):
        library.get_crc_table.restype = ctypes.POINTER(ctypes.c_uint32)
        tables.append(library.get_crc_table()[:256])
    assert tables[0] == tables[1] and len(tables[0]) == 256, "get_crc_table"
    assert seen.adler32_combine(ulong(1), ulong(1), offset(-1)) & 0xFFFFFFFF == 0xFFFFFFFF
