"""Tests that large data is processed without the interpreter's lock, and small data with it."""

import sys
import threading

import pytest
import residue

locked = getattr(sys, "_is_gil_enabled", lambda: True)()


def others_ran(call, rounds):
    """Calls until another thread has run meanwhile, up to a limit; returns whether one has."""
    ran = False
    result = []

    def work():
        for _ in range(rounds):
            call()
            if ran:
                break
        result.append(ran)

    interval = sys.getswitchinterval()
    # No thread is forced to release the lock: the starting thread runs only if it is released.
    # (`start` waits for `work` to begin.)
    sys.setswitchinterval(1000)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        ran = True
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    return result[0]


BIG = bytes(4 << 20)


@pytest.mark.skipif(not locked, reason="there is no lock")
@pytest.mark.parametrize(
    "call",
    [
        lambda: residue.crc32c(BIG),
        lambda: residue.crc32c(BIG, 5),
        lambda: residue.Code("crc-16/arc").value(BIG),
        lambda: residue.new("internet").update(BIG),
        lambda: residue.partial("crc-82/darc", BIG[: residue._residue.RELEASE]),
        lambda: residue.batch("crc-32c", memoryview(BIG).cast("B", (1024, 4096))),
    ],
)
def test_large_data(call):
    assert others_ran(call, 2000)


@pytest.mark.skipif(not locked, reason="there is no lock")
def test_small_data():
    small = bytes(residue._residue.RELEASE - 1)
    assert not others_ran(lambda: residue.crc32c(small), 2000)


def test_a_hash_is_shared():
    # Pieces above and below the threshold, so that threads meet inside of `update`.
    pieces = [bytes([7]) * size for size in (residue._residue.RELEASE * 4, 100)]
    hash = residue.new("crc-32c")
    threads = [
        threading.Thread(target=lambda: [hash.update(p) for p in pieces * 50]) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    total = sum(map(len, pieces)) * 50 * 4
    assert hash.length == total
    whole = residue.concat(*[residue.partial("crc-32c", b"".join(pieces))] * 200)
    assert hash.partial() == whole


def test_codes_are_made_by_many_threads():
    values = []
    start = threading.Barrier(8)

    def work():
        start.wait()
        values.extend(residue.value(name, b"123456789") for name in residue.codes())

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(values) == sorted(
        8 * [residue.value(name, b"123456789") for name in residue.codes()]
    )
