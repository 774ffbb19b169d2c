"""Check values of files."""

from __future__ import annotations

import os
from typing import Any

from ._residue import Code, Hash

_CHUNK = 1 << 20


def file(file: Any, code: Any) -> Hash:
    """Hashes a file from its current position to its end, and returns the ``Hash``.

    For example ``residue.file("disk.img", "crc-32c").hexdigest()``. ``file`` is a path, or a file
    open for reading in binary mode (with ``readinto`` or ``read``), which stays open. Other threads
    can run meanwhile.
    """
    hash = (code if isinstance(code, Code) else Code(code)).new()
    if isinstance(file, (str, bytes, os.PathLike)):
        with open(file, "rb", buffering=0) as opened:
            _take(opened, hash)
    else:
        _take(file, hash)
    return hash


def _take(file: Any, hash: Hash) -> None:
    if not hasattr(file, "readinto"):
        if not hasattr(file, "read"):
            raise TypeError(f"expected a path or an open file, not {type(file).__name__}")
        while data := file.read(_CHUNK):
            hash.update(data)
        return
    buffer = bytearray(_CHUNK)
    view = memoryview(buffer)
    while True:
        count = file.readinto(buffer)
        if count is None:
            raise BlockingIOError(
                f"{file!r} is non-blocking and has no data: wait until it is readable"
            )
        if count == 0:
            return
        hash.update(view[:count])
