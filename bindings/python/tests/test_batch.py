"""Tests that values of many packets in one call equal those of one call each."""

import array
import random
import subprocess
import sys

import numpy
import pytest
import residue

DATA = random.Random(2).randbytes(5000)
CODES = [
    "crc-32c",
    "internet",
    "crc-32",
    "crc-16/arc",
    "crc-5/usb",
    "fletcher-16",
    "crc-64/nvme",
    "crc-82/darc",
    "xns",
]


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("count", [0, 1, 3, 257, 600])
def test_all_forms(name, count):
    pick = random.Random(count)
    code = residue.Code(name)
    size = next(size for size in (1, 2, 4, 8, 16) if 8 * size >= code.width)
    spans = [(start := pick.randrange(4000), pick.randrange(5000 - start)) for _ in range(count)]
    packets = [DATA[start : start + length] for start, length in spans]
    expected = [code.value(packet) for packet in packets]
    offsets, lengths = [start for start, _ in spans], [length for _, length in spans]
    results = [
        residue.batch(code, packets),
        residue.batch(name, tuple(map(memoryview, packets))),
        residue.batch(code, DATA, offsets, lengths),
        residue.batch(code, bytearray(DATA), array.array("q", offsets), lengths),
        residue.batch(
            code, DATA, numpy.array(offsets, numpy.uint16), numpy.array(lengths, numpy.int32)
        ),
        residue.batch(code, numpy.frombuffer(DATA, numpy.uint8), offsets, lengths),
    ]
    for result in results:
        assert list(result) == expected
    if size <= 8:
        assert [type(result).__name__ for result in results] == ["array"] * 4 + ["ndarray"] * 2
        assert {result.itemsize for result in results} == {size}
        assert results[4].dtype == numpy.dtype(f"u{size}")
        out = numpy.zeros(count, numpy.uint64)
        assert residue.batch(code, packets, out=out) is out and list(out) == expected
    else:
        assert {type(result) for result in results} == {list}


def test_rows():
    rows = numpy.frombuffer(DATA, numpy.uint8).reshape(100, 50)
    expected = [residue.crc32c(row) for row in rows]
    result = residue.batch("crc-32c", rows)
    assert result.dtype == numpy.uint32 and list(result) == expected
    assert list(residue.batch("crc-32c", memoryview(DATA).cast("B", (100, 50)))) == expected
    assert list(residue.batch("crc-32c", rows.view(numpy.uint16))) == expected
    assert list(residue.batch("crc-32c", numpy.empty((3, 0), numpy.uint8))) == [0, 0, 0]
    assert len(residue.batch("crc-32c", numpy.empty((0, 3), numpy.uint8))) == 0


def test_refused():
    rows = numpy.frombuffer(DATA, numpy.uint8).reshape(100, 50)
    for wrong in (rows[:, :40], rows[::2], rows.T):
        with pytest.raises(BufferError, match="ascontiguousarray"):
            residue.batch("crc-32c", wrong)
    for wrong in (DATA, rows.reshape(10, 10, 50), numpy.array(5)):
        with pytest.raises(ValueError, match="2 dimensions"):
            residue.batch("crc-32c", wrong)
    with pytest.raises(TypeError, match="not int"):
        residue.batch("crc-32c", 5)
    with pytest.raises(TypeError, match="encode"):
        residue.batch("crc-32c", ["text"])
    with pytest.raises(TypeError, match="together"):
        residue.batch("crc-32c", DATA, [0])
    for offsets, lengths in (
        ([4990], [11]),
        ([-1], [1]),
        ([0], [-1]),
        ([5001], [0]),
        ([2**62], [2**62]),
    ):
        with pytest.raises(ValueError, match="packet 1 .*5000 bytes"):
            residue.batch("crc-32c", DATA, [0, *offsets], [5, *lengths])
    with pytest.raises(ValueError, match="past any buffer"):
        residue.batch("crc-32c", DATA, [2**63], [1])
    with pytest.raises(ValueError, match="past any buffer"):
        residue.batch("crc-32c", DATA, numpy.array([2**63], numpy.uint64), numpy.array([1]))
    with pytest.raises(TypeError, match="row of integers"):
        residue.batch("crc-32c", DATA, numpy.array([1.5]), numpy.array([1]))
    with pytest.raises(ValueError, match="needs both"):
        residue.batch("crc-32c", DATA, [0, 1], [5])
    for out, words in (
        (numpy.zeros(100, numpy.uint16), "32 bits"),
        (numpy.zeros(100, numpy.float64), "unsigned"),
        (numpy.zeros(100, numpy.int32), "unsigned"),
        (numpy.zeros(100, ">u4"), "native"),
        (numpy.zeros(99, numpy.uint32), "100"),
        (numpy.zeros((10, 10), numpy.uint32), "one row"),
    ):
        with pytest.raises(ValueError, match=words):
            residue.batch("crc-32c", rows, out=out)
    with pytest.raises(BufferError):
        residue.batch("crc-32c", rows, out=bytes(400))
    own = numpy.zeros((100, 4), numpy.uint8)
    with pytest.raises(ValueError, match="memory of its own"):
        residue.batch("crc-32c", own, out=own.reshape(-1).view(numpy.uint32))
    with pytest.raises(ValueError, match="leave out"):
        residue.batch("crc-82/darc", rows, out=numpy.zeros(100, numpy.uint64))


def test_out_shares_no_byte_with_any_argument():
    """Whatever view of the memory `out` is, the values are those of the arguments as given."""
    memory = numpy.arange(4096, dtype=numpy.uint8)
    data = memory[1024:2048]
    rows = data.reshape(64, 16)
    offsets = memory[2048:2560].view(numpy.int64)
    lengths = memory[3072:3584].view(numpy.int64)
    offsets[:], lengths[:] = numpy.arange(64) * 16, 16
    each = [memory[1024 + 16 * at : 1040 + 16 * at] for at in range(64)]
    expected = [residue.crc32c(packet) for packet in each]
    before = memory.copy()
    for size in (4, 8):
        for at in range(0, 4096 - 64 * size, size):
            out = memory[at : at + 64 * size].view(f"u{size}")
            in_data = at < 2048 and at + 64 * size > 1024
            in_tables = any(at < start + 512 and at + 64 * size > start for start in (2048, 3072))
            for call, refused in (
                (lambda out: residue.batch("crc-32c", rows, out=out), in_data),
                (lambda out: residue.batch("crc-32c", each, out=out), in_data),
                (
                    lambda out: residue.batch("crc-32c", data, offsets, lengths, out=out),
                    in_data or in_tables,
                ),
            ):
                if refused:
                    with pytest.raises(ValueError, match="memory of its own"):
                        call(out)
                    assert (memory == before).all()
                else:
                    assert call(out).tolist() == expected
                    memory[:] = before
    # An empty packet overlaps with nothing.
    out = numpy.zeros(2, numpy.uint32)
    assert residue.batch("crc-32c", [out.view(numpy.uint8)[4:4], b"x"], out=out) is out


def test_more_rows_than_memory():
    rows = numpy.zeros((1 << 44, 0), numpy.uint8)
    with pytest.raises(MemoryError):
        residue.batch("crc-82/darc", rows)


def test_without_numpy():
    program = """
import sys
sys.modules["numpy"] = None
import residue
assert list(residue.batch("crc-32c", [b"123456789", b""])) == [0xe3069283, 0]
expected = [residue.crc32c(b"12345"), residue.crc32c(b"6789")]
assert list(residue.batch("crc-32c", b"123456789", [0, 5], [5, 4])) == expected
"""
    subprocess.run([sys.executable, "-c", program], check=True)
