"""Error-detection codes: Internet checksum, XNS, Fletcher, Adler-32, CRC-32C, every other CRC."""

import warnings

from . import pcap, strength
from ._batch import batch
from ._file import file
from ._residue import (
    Code,
    Hash,
    Kernel,
    Params,
    Partial,
    __version__,
    _mask_error,
    adler32,
    aliases,
    backend,
    codes,
    concat,
    crc32,
    crc32c,
    crc64_nvme,
    fletcher16,
    fletcher32,
    fletcher32_be,
    internet_checksum,
    new,
    partial,
    resume,
    value,
    xns,
)

__all__ = [
    "Code",
    "Hash",
    "Kernel",
    "Params",
    "Partial",
    "adler32",
    "aliases",
    "backend",
    "batch",
    "codes",
    "concat",
    "crc32",
    "crc32c",
    "crc64_nvme",
    "file",
    "fletcher16",
    "fletcher32",
    "fletcher32_be",
    "internet_checksum",
    "new",
    "partial",
    "pcap",
    "resume",
    "strength",
    "value",
    "xns",
]

if _error := _mask_error():
    warnings.warn(_error, RuntimeWarning, stacklevel=2)
