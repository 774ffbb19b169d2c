"""Tests every line of the project's vectors."""

import struct

import pytest
import residue
from vectors import FOLDER, lines, octets

VALUES = sorted(f"values/{path.name}" for path in (FOLDER / "values").iterdir())
ONE_SHOT = {
    "crc-32/iscsi": residue.crc32c,
    "crc-32/iso-hdlc": residue.crc32,
    "crc-64/nvme": residue.crc64_nvme,
    "adler-32": residue.adler32,
    "internet": residue.internet_checksum,
    "xns": residue.xns,
    "fletcher-16": residue.fletcher16,
    "fletcher-32": residue.fletcher32,
    "fletcher-32/be": residue.fletcher32_be,
}


def test_every_file_is_read():
    read = {"crc_models.txt", "check_octets.txt", "combine.txt", "update.txt"}
    assert {path.name for path in FOLDER.glob("*.txt")} == read


@pytest.mark.parametrize("name", VALUES)
def test_values(name):
    for code, text, expected, source in lines(name):
        data, known = octets(text), int(expected, 16)
        code = residue.Code(code)
        assert len(expected) == -(-code.width // 4)
        ways = {"value": code.value(data), "reference": code.reference(data)}
        if code.name in ONE_SHOT:
            ways["one-shot"] = ONE_SHOT[code.name](data)
        hash = residue.new(code)
        for at in range(0, len(data), 7):
            hash.update(data[at : at + 7])
        ways["pieces"] = hash.value
        ways["partial"] = residue.partial(code, data).value
        for kernel in code.kernels:
            if kernel.supported:
                ways[kernel.name] = code.value_with(kernel.name, data)
        assert ways == dict.fromkeys(ways, known), (code, text, source)
        assert hash.digest() == known.to_bytes(-(-code.width // 8), "big")
        assert hash.hexdigest() == hash.digest().hex()


def test_dual_sums_by_their_definition():
    # The words and the padding are this project's choice, so no other program has these values.
    for name, text, expected, _ in lines("values/dual.txt"):
        modulus, bits = {"dual-16": (253, 8), "dual-32": (65525, 16)}[name]
        data = octets(text)
        a = b = 0
        for (word,) in struct.iter_unpack(">I", data + bytes(-len(data) % 4)):
            a = (a + word) % modulus
            b = (b + a) % modulus
        assert b << bits | a == int(expected, 16), (name, text)


def test_models():
    for name, width, poly, init, refin, refout, xorout, left in lines("crc_models.txt"):
        params = residue.Code(name).params
        numbers = [int(text, 16) for text in (poly, init, xorout, left)]
        assert [params.poly, params.init, params.xorout, params.residue] == numbers
        assert (params.width, params.refin, params.refout) == (
            int(width),
            refin == "true",
            refout == "true",
        )
        own = residue.Params(
            int(width), numbers[0], numbers[1], refin == "true", refout == "true", numbers[2]
        )
        assert (own.check, own.residue) == (params.check, params.residue)
        data = bytes(range(200))
        assert residue.Code(own).value(data) == residue.value(name, data)
        assert residue.Code(own) == residue.Code(name) and hash(residue.Code(own)) == hash(
            residue.Code(name)
        )


def test_check_octets():
    # Check octets at the end of the data are the value of a code.
    found = 0
    for name, text, offset, expected, _ in lines("check_octets.txt"):
        data, size = octets(text), len(expected) // 2
        if int(offset) == len(data) - size:
            value = residue.value(name, data[:-size])
            assert value == int(expected, 16), (name, text)
            found += 1
    assert found >= 3


def test_combine():
    for name, one, two, length, expected, _ in lines("combine.txt"):
        code = residue.Code(name)
        one, two, expected = (int(text, 16) for text in (one, two, expected))
        # For codes that need the first length, it is even.
        assert code.combine(one, two, int(length), 4) == expected, name
        if code.params is not None or name == "adler-32":
            assert code.combine(one, two, int(length)) == expected, name
            assert (
                residue.concat(
                    residue.Partial(code, one, 5), residue.Partial(code, two, int(length))
                ).value
                == expected
            )


def test_update():
    for name, before, old, new, expected, _ in lines("update.txt"):
        # RFC 1624's equation is wrong here, as the file says: unchanged data of zeros keeps its
        # value.
        expected = "ffff" if before == "ffff" else expected
        value = residue.Code(name).update_value(
            int(before, 16), 20, 8, bytes.fromhex(old), bytes.fromhex(new)
        )
        assert value == int(expected, 16), (before, old, new)
