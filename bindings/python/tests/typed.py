"""A user's program, checked by mypy for several versions of Python and not run."""

import array
import mmap
from typing import assert_type

import numpy as np

import residue

assert_type(residue.crc32c(b"123456789"), int)
residue.crc32c(array.array("B", [1, 2]))
residue.adler32(memoryview(b"x"), residue.adler32(bytearray(3)))
residue.crc32(mmap.mmap(-1, 4096))
residue.crc64_nvme(np.zeros(4, dtype=np.uint32))
residue.crc32c("text")  # type: ignore[arg-type]
residue.crc32c([1, 2])  # type: ignore[arg-type]

digest = residue.new("crc-16/arc", np.ones(3))
digest.update(b"more")
assert_type(digest.hexdigest(), str)
residue.batch("crc-32c", [b"1", np.zeros(2)])
