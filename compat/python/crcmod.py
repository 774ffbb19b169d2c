"""The face of crcmod 1.7's module `crcmod.crcmod`, on residue.

`Crc.generateCode` and `Crc.table` are not there: no table is used.
"""

import residue

__all__ = ["Crc", "mkCrcFun"]

_usingExtension = True


def _width(poly):
    for width in (8, 16, 24, 32, 64):
        if poly >> width == 1:
            return width
    raise ValueError("The degree of the polynomial must be 8, 16, 24, 32 or 64")


def mkCrcFun(poly, initCrc=~0, rev=True, xorOut=0):
    """Returns a function of data and of the CRC before it."""
    width = _width(poly)
    mask = (1 << width) - 1
    # The function gets its start value with each call, so the parameters need none.
    params = residue.Params(
        width, poly & mask, refin=bool(rev), refout=bool(rev), xorout=xorOut & mask
    )
    resume = residue.Code(params).resume

    def crcfun(data, crc=initCrc & mask):
        # Some data of 8 bytes has any value. The length does not change what follows.
        state = resume(crc & mask, 8)
        state.update(data)
        return state.value

    return crcfun


class Crc:
    """A CRC of data that may come in pieces, as the objects of hashlib."""

    def __init__(self, poly, initCrc=~0, rev=True, xorOut=0):
        mask = (1 << _width(poly)) - 1
        self.poly = poly
        self.reverse = rev
        self.initCrc = initCrc & mask
        self.xorOut = xorOut & mask
        self.digest_size = _width(poly) // 8
        self.crcValue = self.initCrc
        self._crc = mkCrcFun(poly, initCrc, rev, xorOut)

    def __str__(self):
        digits = 2 * self.digest_size
        return (
            f"poly = 0x{self.poly:X}\n"
            f"reverse = {self.reverse}\n"
            f"initCrc  = 0x{self.initCrc:0{digits}X}\n"
            f"xorOut   = 0x{self.xorOut:0{digits}X}\n"
            f"crcValue = 0x{self.crcValue:0{digits}X}"
        )

    def new(self, arg=None):
        """Returns a new object of this CRC, with the data `arg`."""
        new = Crc(self.poly, self.initCrc, self.reverse, self.xorOut)
        if arg is not None:
            new.update(arg)
        return new

    def copy(self):
        """Returns an object that goes on from here."""
        copy = self.new()
        copy.crcValue = self.crcValue
        return copy

    def update(self, data):
        """Appends data."""
        self.crcValue = self._crc(data, self.crcValue)

    def digest(self):
        """Returns the CRC as bytes, most significant first."""
        return self.crcValue.to_bytes(self.digest_size, "big")

    def hexdigest(self):
        """Returns the CRC in hexadecimal."""
        return self.digest().hex().upper()
