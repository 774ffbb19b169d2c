"""The face of google-crc32c's compiled module `google_crc32c._crc32c`, on residue."""

from residue import crc32c as value

__all__ = ["extend", "value"]


def extend(crc, chunk):
    """Returns the CRC-32C of data with the CRC `crc` and of `chunk` after it."""
    return value(chunk, crc)
