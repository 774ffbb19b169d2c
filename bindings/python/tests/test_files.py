"""Tests of `residue.file`."""

import io
import random

import pytest
import residue

DATA = random.Random(3).randbytes((3 << 20) + 5)


def test_files(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(DATA)
    for name in ("crc-32c", "internet", "fletcher-32"):
        expected = residue.value(name, DATA)
        assert residue.file(path, name).value == residue.file(str(path), name).value == expected
        assert residue.file(bytes(path), residue.Code(name)).value == expected
        with open(path, "rb") as opened:
            opened.seek(1000)
            assert residue.file(opened, name).partial() == residue.partial(name, DATA[1000:])
            assert not opened.closed
        assert residue.file(io.BytesIO(DATA), name).value == expected
    source = io.BytesIO(DATA)
    only_read = type("R", (), {"read": lambda self, n: source.read(min(n, 1000))})()
    assert residue.file(only_read, "crc-32c").value == residue.crc32c(DATA)
    assert residue.file(io.BytesIO(b""), "crc-32c").hexdigest() == "00000000"


def test_errors(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        residue.file(tmp_path / "none", "crc-32")
    assert (
        caught.value.filename == str(tmp_path / "none")
        or caught.value.filename == tmp_path / "none"
    )
    with pytest.raises(IsADirectoryError):
        residue.file(tmp_path, "crc-32")
    with pytest.raises(TypeError, match="int"):
        residue.file(5, "crc-32")
    with pytest.raises(TypeError, match="encode"):
        residue.file(type("T", (), {"read": lambda self, n: "text"})(), "crc-32")
    with pytest.raises(BlockingIOError):
        residue.file(type("N", (), {"readinto": lambda self, b: None})(), "crc-32")
    with pytest.raises(ValueError, match="nope"):
        residue.file(tmp_path, "nope")
