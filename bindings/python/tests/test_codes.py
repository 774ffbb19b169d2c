"""Tests of codes, hashes and partials: properties of every code, and errors."""

import array
import copy
import inspect
import mmap
import pickle
import random
import zlib

import numpy
import pytest
import residue

CODES = residue.codes()
CUSTOM = "width=7 poly=65 init=3 refin=true refout=true xorout=1"
# Bytes of a word: only the last part may end inside one.
WORDS = {
    "xns": 2,
    "fletcher-32": 2,
    "fletcher-32/be": 2,
    "fletcher-32/mod65536": 2,
    "rfc1146-16": 2,
    "four-octets": 2,
}
WORDS |= {"xor-16": 2, "sum-16": 2, "xor-32": 4, "sum-32": 4, "dual-16": 4, "dual-32": 4}
DATA = random.Random(1).randbytes(700)


def test_names():
    assert len(CODES) >= 113 + 23 and len(set(CODES)) == len(CODES)
    assert residue.Code("CRC32C").name == residue.Code("crc-32_c").name == "crc-32/iscsi"
    for alias, name in residue.aliases().items():
        assert residue.Code(alias).name == name in CODES
    assert residue.backend("crc-32c") == residue.Code("crc-32c").backend
    assert residue.backend("crc-32c") in [
        kernel.name for kernel in residue.Code("crc-32c").kernels if kernel.supported
    ]
    assert (
        residue.Code("internet").about.startswith("The Internet checksum")
        and residue.Code("internet").params is None
    )
    assert residue.Code("crc-32c").little_endian and not residue.Code("crc-16/xmodem").little_endian


@pytest.mark.parametrize("name", [*CODES, CUSTOM])
def test_pieces_and_partials(name):
    code, pick = residue.Code(name), random.Random(name)
    word = WORDS.get(code.name, 1)
    for _ in range(8):
        cut, end = sorted(pick.randrange(1, 170) * word for _ in range(2))
        end += pick.randrange(word)
        a, b, whole = DATA[:cut], DATA[cut:end], DATA[:end]
        value = code.reference(whole)
        assert code.value(whole) == value
        hash = code.new(a)
        fork = hash.copy()
        hash.update(b)
        copy.copy(fork).update(b)
        copy.deepcopy(fork).update(b)
        assert (hash.value, fork.value, hash.length) == (value, code.value(a), end)
        for resumed in (code.resume(fork.value, cut), residue.resume(name, fork.value, cut)):
            resumed.update(b)
            assert (resumed.value, resumed.length) == (value, end)
        pa, pb, pw = code.partial(a), code.partial(b), code.partial(whole)
        assert (
            residue.concat(pa, pb)
            == pa + pb
            == pa.concat(pb)
            == pa.extend(b)
            == hash.partial()
            == pw
        )
        assert (pw.value, pw.length, pw.code) == (value, end, code)
        assert pw.remove_prefix(pa) == pb and pw.remove_suffix(pb) == pa
        assert pa.extend_by_zeroes(len(b)) == code.partial(a + bytes(len(b)))
        new = pick.randbytes(len(b))
        assert pw.replace(cut, pb, code.partial(new)) == code.partial(a + new)
        assert code.update_value(value, end, cut, b, new) == code.value(a + new)
        assert code.combine(pa.value, pb.value, len(b), len(a)) == value
        for one in (pw, code):
            assert pickle.loads(pickle.dumps(one)) == one and hash_of(
                pickle.loads(pickle.dumps(one))
            ) == hash_of(one)
        assert residue.Partial.parse(str(pw)) == residue.Partial(code, value, end) == pw
    if word > 1:
        with pytest.raises(ValueError, match="inside a word"):
            code.partial(DATA[:5]) + code.partial(DATA[5:9])
        if name.startswith(("xor", "sum", "dual")):
            # The value and the length determine how the next bytes count.
            resumed = code.resume(code.value(DATA[:5]), 5)
            resumed.update(DATA[5:9])
            assert resumed.value == code.value(DATA[:9])
        else:
            with pytest.raises(ValueError, match="inside a word"):
                code.resume(code.value(DATA[:5]), 5)
    with pytest.raises(ValueError):
        code.resume(code.value(b"") ^ 1, 0)
    with pytest.raises(ValueError):
        code.resume(1, -1)
    assert residue.concat(code.partial(b"")) == code.partial()
    assert code.name in (name, "custom") and eval(repr(code)) == code


def hash_of(thing):
    return hash(thing)


def test_start_values():
    for function, theirs in ((residue.crc32, zlib.crc32), (residue.adler32, zlib.adler32)):
        for cut in (0, 1, 5, 300, 700):
            start = theirs(DATA[:cut])
            assert (
                function(DATA[cut:], start)
                == function(data=DATA[cut:], value=start)
                == theirs(DATA)
            )
        assert function(b"") == theirs(b"") and function(b"", 7) == theirs(b"", 7)
    for function in (residue.crc32c, residue.crc64_nvme):
        assert function(DATA[9:], function(DATA[:9])) == function(DATA)
    assert str(inspect.signature(residue.crc32c)) == "(data, value=0)"
    assert str(inspect.signature(residue.adler32)) == "(data, value=1)"
    assert str(inspect.signature(residue.internet_checksum)) == "(data)"
    assert "CRC-32C" in residue.crc32c.__doc__ and residue.crc32c.__module__ == "residue"


def test_start_values_are_masked_as_zlib_masks_them():
    pick = random.Random(3)
    starts = [
        0,
        1,
        -1,
        -2,
        1 << 31,
        1 << 32,
        (1 << 32) + 7,
        -(1 << 31),
        -(1 << 32) - 1,
        (1 << 64) - 1,
        1 << 64,
        -(1 << 80),
    ]
    starts += [pick.randrange(-(1 << 70), 1 << 70) for _ in range(200)]
    for start in starts:
        for data in (b"", b"a", DATA[:15], DATA[:16], DATA):
            for function, theirs in ((residue.crc32, zlib.crc32), (residue.adler32, zlib.adler32)):
                if data or function is residue.crc32:
                    assert function(data, start) == theirs(data, start), (theirs, start, len(data))
            assert residue.crc32c(data, start) == residue.crc32c(data, start % (1 << 32))
            assert residue.crc64_nvme(data, start) == residue.crc64_nvme(data, start % (1 << 64))


def length_calls():
    """Returns calls of every function that takes a length, a count or an offset."""
    code, part = residue.Code("crc-32"), residue.partial("crc-32", b"abcd")
    internet = residue.Code("internet")
    strength, jobs = residue.strength, residue._residue
    return {
        "combine length2": lambda n: code.combine(1, 2, n),
        "combine length1": lambda n: internet.combine(1, 2, 2, n),
        "update_value length": lambda n: code.update_value(1, n, 0, b"a", b"b"),
        "update_value offset": lambda n: code.update_value(1, 9, n, b"a", b"b"),
        "Partial": lambda n: residue.Partial("crc-32", 1, n),
        "extend_by_zeroes": part.extend_by_zeroes,
        "replace": lambda n: part.replace(
            n, residue.partial("crc-32", b"b"), residue.partial("crc-32", b"c")
        ),
        "batch offsets": lambda n: residue.batch("crc-32", b"abcd", offsets=[n], lengths=[1]),
        "batch lengths": lambda n: residue.batch("crc-32", b"abcd", offsets=[0], lengths=[n]),
        "Params width": lambda n: residue.Params(n, 1),
        "profile width": lambda n: strength.profile("0x7", width=n),
        "profile most": lambda n: strength.profile("crc-8/smbus", most=n),
        "profile patience": lambda n: strength.profile("crc-8/smbus", patience=n),
        "profile threads": lambda n: strength.profile("crc-8/smbus", threads=n),
        "profile_seconds": lambda n: strength.profile_seconds("crc-8/smbus", most=n),
        "distance": lambda n: strength.distance("crc-8/smbus", n),
        "weights": lambda n: strength.weights("crc-8/smbus", n),
        "weights most": lambda n: strength.weights("crc-8/smbus", 8, most=n),
        "compare": lambda n: strength.compare(["crc-8/smbus"], n),
        "advise": lambda n: strength.advise(n, hd=4),
        "advise lengths": lambda n: strength.advise([8, n], hd=4),
        "advise hd": lambda n: strength.advise(8, hd=n),
        "advise burst": lambda n: strength.advise(8, burst=n),
        "advise width": lambda n: strength.advise(8, hd=4, width=n),
        "widths": lambda n: strength.widths(n, 4),
        "widths hd": lambda n: strength.widths(8, n),
        "search width": lambda n: jobs._search_seconds(n, 4, 8, False),
        "search hd": lambda n: jobs._search_seconds(8, n, 8, False),
        "search length": lambda n: jobs._search_seconds(8, 4, n, False),
        "search index": lambda n: jobs._search_range(8, 4, 8, False, n, 4),
        "search ranges": lambda n: jobs._search_range(8, 4, 8, False, 1, n),
        "data splices": lambda n: jobs._DataJob([], ["ramp"], [], n, 1, 33, 1),
        "data trials": lambda n: jobs._DataJob([], ["ramp"], [], 1, n, 33, 1),
        "data burst": lambda n: jobs._DataJob([], ["ramp"], [], 1, 1, n, 1),
        "data seed": lambda n: jobs._DataJob([], ["ramp"], [], 1, 1, 33, n),
        "data parts": lambda n: jobs._DataJob([], ["ramp"], [], 1, 1, 33, 1).parts(n),
    }


CALLS = length_calls()


@pytest.mark.parametrize("name", CALLS)
def test_a_negative_length_or_count_is_a_wrong_value(name):
    for number in (-1, -(1 << 63), -(1 << 70), 1 << 70):
        with pytest.raises(ValueError):
            CALLS[name](number)
    with pytest.raises(TypeError):
        CALLS[name]("1")


def every_buffer(data):
    yield data
    yield bytearray(data)
    yield memoryview(data)
    yield memoryview(bytearray(data))[:]
    yield type("Sub", (bytes,), {})(data)
    yield array.array("B", data)
    yield array.array("H", data)
    yield numpy.frombuffer(data, numpy.uint8)
    yield numpy.frombuffer(data, ">f8").reshape(2, -1)
    yield numpy.frombuffer(data, "M8[s]")
    mapped = mmap.mmap(-1, len(data))
    mapped[:] = data
    yield mapped


def test_any_contiguous_buffer():
    data = DATA[:688]
    # Read-only buffers must not be copied.
    for buffer in every_buffer(data):
        assert residue.crc32c(buffer) == residue.crc32c(data), type(buffer)
        assert residue.value("fletcher-16", buffer) == residue.fletcher16(data)
        assert residue.new("crc-16/arc", buffer).value == residue.value("crc-16/arc", data)
        assert residue.partial("xns", buffer) == residue.partial("xns", data)
    assert residue.crc32c(numpy.empty((0, 4))) == residue.crc32c(b"") == 0


def test_other_buffers_are_refused():
    a = numpy.arange(64, dtype=numpy.uint8)
    for view in (a[::2], a[::-1], a.reshape(8, 8).T, a.reshape(8, 8)[:, :4], memoryview(a)[::2]):
        for call in (
            residue.crc32c,
            residue.Code("xns").value,
            residue.new("crc-32").update,
            residue.Code("crc-32").partial,
        ):
            with pytest.raises(BufferError, match="ascontiguousarray"):
                call(view)
    for call in (
        residue.crc32c,
        residue.crc32,
        residue.Code("xns").value,
        residue.new("crc-32").update,
    ):
        with pytest.raises(TypeError, match=r"\.encode\(\)"):
            call("text")
        for wrong in (None, 5, [1, 2], object(), 1.5):
            with pytest.raises(TypeError, match="bytes-like"):
                call(wrong)
        # Its bytes are addresses.
        with pytest.raises(TypeError, match="object"):
            call(numpy.array([object()]))
    # An exported buffer cannot be resized; it is released afterwards.
    buffer = bytearray(DATA)
    hash = residue.new("crc-32", buffer)
    buffer.clear()
    assert hash.length == len(DATA)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: residue.crc32c(), TypeError, "missing"),
        (lambda: residue.crc32c(b"", 1, 2), TypeError, "at most 2"),
        (lambda: residue.xns(b"", 1), TypeError, "1"),
        (lambda: residue.crc32c(b"", x=1), TypeError, "'x'"),
        (lambda: residue.crc32c(b"", data=b""), TypeError, "multiple"),
        (lambda: residue.crc32c(b"", "1"), TypeError, "int"),
        (lambda: residue.crc32c(b"", 1.0), TypeError, "int"),
        (lambda: residue.Code("crc-99"), ValueError, "crc-99"),
        (lambda: residue.Code("width=8 poly=8"), ValueError, "constant term"),
        (lambda: residue.Code("width=3 poly=f"), ValueError, "poly"),
        (lambda: residue.Code(32), TypeError, "not int"),
        (lambda: residue.Params(129, 1), ValueError, "1 to 128"),
        (lambda: residue.Params(1 << 40, 1), ValueError, "range"),
        (lambda: residue.new("nope"), ValueError, "nope"),
        (lambda: residue.value("nope", b""), ValueError, "nope"),
        (lambda: residue.Code("crc-32").value_with("magic", b""), ValueError, "magic"),
        (lambda: residue.Code("crc-32").combine(1 << 32, 0, 0), ValueError, "32 bits"),
        (lambda: residue.Code("crc-32").combine(1, -1, 0), ValueError, "32 bits"),
        (lambda: residue.Code("crc-32").combine("1", 1, 0), TypeError, "int"),
        (lambda: residue.Code("internet").combine(1, 1, 2), TypeError, "length1"),
        (lambda: residue.Code("xns").combine(1, 1, 2, 3), ValueError, "inside a word"),
        (lambda: residue.Code("crc-32").update_value(0, 4, 3, b"ab", b"cd"), ValueError, "past"),
        (lambda: residue.Code("crc-32").update_value(0, 4, 0, b"ab", b"c"), ValueError, "replaced"),
        (
            lambda: residue.Code("fletcher-16").update_value(0xFFFF, 4, 0, b"ab", b"cd"),
            ValueError,
            "no data of 4 bytes",
        ),
        (lambda: residue.concat(), TypeError, "at least one"),
        (lambda: residue.concat(1), TypeError, "Partial"),
        (
            lambda: residue.partial("crc-32", b"a") + residue.partial("crc-32c", b"a"),
            ValueError,
            "different codes",
        ),
        (
            lambda: residue.partial("crc-32", b"a").extend_by_zeroes((1 << 64) - 1),
            ValueError,
            "2\\^64",
        ),
        (
            lambda: residue.partial("crc-32", b"a").remove_prefix(residue.partial("crc-32", b"ab")),
            ValueError,
            "2 bytes",
        ),
        (lambda: residue.Partial("crc-32", 1, 0), ValueError, "0 bytes"),
        (lambda: residue.Partial("crc-32", 1 << 33, 5), ValueError, "32 bits"),
        (lambda: residue.Partial.parse("crc-32:5"), ValueError, "CODE:VALUE:BYTES"),
        (lambda: pickle.dumps(residue.new("crc-32")), TypeError, "partial"),
    ],
)
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_length_beyond_memory():
    # Two pieces of 2^63 bytes: the second of zeros.
    code = residue.Code("crc-64/nvme")
    half = code.partial(b"").extend_by_zeroes(1 << 63)
    with pytest.raises(ValueError, match="2\\^64"):
        half + half
    assert (half + half.remove_suffix(code.partial(b"\0"))).length == (1 << 64) - 1


def test_many_custom_codes_do_not_stay():
    codes = [residue.new(f"width=32 poly={2 * i + 1:x}") for i in range(1500)]
    assert residue.new("width=32 poly=1", b"a").value == codes[0].code.value(b"a")


def test_unknown_names_are_named_with_those_nearby():
    with pytest.raises(ValueError, match=r"^no code has the name `crc-32k`; did you mean crc-32"):
        residue.Code("crc-32k")
    with pytest.raises(ValueError, match=r"^no code has the name `sha256`; see the list"):
        residue.Code("sha256")
