"""Tests of values of objects read in parts by many workers, and of journals."""

import json
import os
import signal
import sys
import threading
import time

import pytest
import residue

from objects import QUIET, noise, tree

pytest.importorskip(
    "distributed", reason="Dask is not installed: pip install 'residue-codes[dask]'"
)

from residue import distributed as rd
from residue.distributed import _cluster, _objects, _parts

pytestmark = QUIET


# --- values


def test_200_megabytes_in_ranges_are_the_direct_value(cluster, tmp_path):
    path = tmp_path / "large"
    with open(path, "wb") as file:
        for place in range(0, 200_000_000, 10_000_000):
            file.seek(place)
            file.write(noise(5_000, place))
        file.truncate(200_000_000)
    codes = ["crc-32c", "crc-64/nvme"]
    found = rd.partials(path, codes, part_size="8MiB", client=cluster)
    direct = [residue.new(code) for code in codes]
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            for one in direct:
                one.update(block)
    assert [partial.value for partial in found] == [one.value for one in direct]
    assert [partial.length for partial in found] == [200_000_000] * 2


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 128, 1000, 4097])
def test_every_code_in_parts_is_every_code_at_once(threads, memory, length):
    data = noise(length, length)
    memory.pipe_file("/object", data)
    names = [*residue.codes(), "width=12,poly=80f,init=fff,refin=true,refout=true,xorout=5"]
    found = rd.partials("memory://object", names, part_size=64, client=threads)
    assert [partial.value for partial in found] == [residue.value(name, data) for name in names]


def test_a_killed_worker_loses_nothing(cluster, tmp_path):
    data = noise(1 << 20)
    path, gate = tmp_path / "object", tmp_path / "gate"
    path.write_bytes(data)
    gate.touch()

    def hold(gate):
        from residue.distributed import _parts

        free = _parts._read

        def read(*arguments):
            while os.path.exists(gate):
                time.sleep(0.01)
            return free(*arguments)

        _parts._read = read

    def release():
        import importlib

        from residue.distributed import _parts

        importlib.reload(_parts)

    cluster.run(hold, str(gate))
    pids = cluster.run(os.getpid)
    found = []
    job = threading.Thread(
        target=lambda: found.append(rd.value(path, "crc32c", part_size="64KiB", client=cluster))
    )
    job.start()
    while not all(cluster.processing().get(worker) for worker in pids):
        time.sleep(0.01)
    # Each worker is reading a part, and none is finished.
    dead, pid = next(iter(pids.items()))
    os.kill(pid, signal.SIGKILL)
    while dead in cluster.nthreads():
        time.sleep(0.01)
    gate.unlink()
    job.join()
    assert found == [residue.crc32c(data)]
    cluster.wait_for_workers(2)
    assert pid not in cluster.run(os.getpid).values()
    cluster.run(release)


def test_a_task_that_kills_every_worker_is_reported(tmp_path):
    with _cluster.connect(workers=1) as client:
        client.cluster.scheduler.allowed_failures = 0
        with pytest.raises(rd.ClusterError, match="died"):
            _cluster.each(client, os._exit, [(1,)], print)


def test_no_scheduler():
    _cluster_timeout, _cluster.TIMEOUT = _cluster.TIMEOUT, 0.5
    try:
        with pytest.raises(
            rd.ClusterError, match="cannot reach the scheduler at tcp://127.0.0.1:9"
        ):
            rd.value(__file__, client="tcp://127.0.0.1:9")
    finally:
        _cluster.TIMEOUT = _cluster_timeout


def test_bad_arguments(threads, tmp_path):
    path = tmp_path / "object"
    path.write_bytes(b"x")
    for wrong, error, words in [
        ({"part_size": 100}, ValueError, "multiple of 64"),
        ({"part_size": 0}, ValueError, "multiple of 64"),
        ({"part_size": "8 apples"}, ValueError, "expected a size"),
        ({"part_size": 6.4}, TypeError, "an int or a str"),
        ({"code": "crc-1000"}, ValueError, "crc-1000"),
        ({"code": "cksum"}, ValueError, "appends the length"),
        ({"storage_options": {"anon": True}}, ValueError, "local path"),
        ({"url": tmp_path}, IsADirectoryError, "manifest"),
        ({"url": tmp_path / "none"}, FileNotFoundError, "none"),
        ({"url": "/dev/null"}, OSError, "not a regular file"),
        ({"url": 5}, TypeError, "not int"),
        ({"url": "nosuch://x"}, ValueError, "nosuch"),
    ]:
        arguments = {"url": path, "code": "crc32c", "client": threads, **wrong}
        with pytest.raises(error, match=words):
            rd.value(**arguments)
    assert [_parts.size(text) for text in (64, "64", "1KiB", "64kB", "2 MiB", "1G")] == [
        64,
        64,
        1024,
        64000,
        2 << 20,
        1 << 30,
    ]


def test_without_dask_the_error_says_what_to_install(monkeypatch, tmp_path):
    (tmp_path / "object").write_bytes(b"x")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install 'residue-codes\[dask\]'"):
        rd.value(tmp_path / "object")


# --- objects that change or fail


@pytest.mark.parametrize("change", ["grow", "shrink", "touch", "remove"])
def test_an_object_that_changes_while_read_is_noticed(threads, tmp_path, monkeypatch, change):
    path = tmp_path / "object"
    path.write_bytes(noise(300_000))
    read = _parts._read

    def changing(files, codes, piece):
        done = None
        if piece.part == 2:
            if change == "grow":
                path.write_bytes(noise(300_001))
            elif change == "shrink":
                os.truncate(path, 100_000)
            elif change == "remove":
                path.unlink()
            else:
                # Changes the time, not the size.
                os.utime(path, ns=(0, 5))
        return done or read(files, codes, piece)

    monkeypatch.setattr(_parts, "_read", changing)
    with pytest.raises(
        rd.ChangedError, match="disappeared" if change == "remove" else "changed while it was read"
    ):
        rd.value(path, part_size="64KiB", client=threads)


def test_objects_in_memory_have_versions_too(threads, memory, monkeypatch):
    memory.pipe_file("/object", noise(1000))
    read = _parts._read

    def changing(files, codes, piece):
        if piece.part == 3:
            memory.pipe_file("/object", noise(1000, 2))
        return read(files, codes, piece)

    monkeypatch.setattr(_parts, "_read", changing)
    with pytest.raises(rd.ChangedError):
        rd.value("memory://object", part_size=64, client=threads)


def test_tags_tell_objects_apart_and_times_where_there_are_none():
    files = _objects.Remote("memory://", None)

    def known(**info):
        return files._object("/object", {"size": 5, **info})

    tag = known(ETag='"abc"', LastModified="10:00:00")
    assert tag.same(known(ETag="abc", LastModified="10:00:00.123")) and not tag.same(
        known(ETag='"abd"')
    )
    time = known(mtime=1.5)
    assert time.same(known(mtime=1.5)) and not time.same(known(mtime=1.6))
    assert not time.same(files._object("/object", {"size": 6, "mtime": 1.5}))


def test_a_read_that_fails_now_and_then_is_repeated(threads, memory, monkeypatch):
    data = noise(1000)
    memory.pipe_file("/object", data)
    cat, calls = memory.cat_file, []

    def flaky(path, start=None, end=None, **more):
        calls.append(start)
        if calls.count(start) == 1:
            raise ConnectionResetError(104, "Connection reset by peer")
        if calls.count(start) == 2:
            return cat(path, start, end - 1)
        return cat(path, start, end, **more)

    monkeypatch.setattr(_parts, "PAUSE", 0)
    monkeypatch.setattr(type(memory), "cat_file", lambda _, *a, **k: flaky(*a, **k))
    assert rd.value("memory://object", part_size=512, client=threads) == residue.crc32c(data)
    monkeypatch.setattr(_parts, "ATTEMPTS", 2)
    calls.clear()
    with pytest.raises(
        OSError, match="gave 511 of the 512 bytes from 0|gave 487 of the 488 bytes from 512"
    ):
        rd.value("memory://object", part_size=512, client=threads)


def test_workers_that_do_not_see_the_object_say_so(cluster, memory):
    # Only the client sees its memory.
    memory.pipe_file("/object", b"x")
    with pytest.raises(OSError, match="storage that all of them share"):
        rd.value("memory://object", client=cluster)


# --- journals


def test_a_journal_goes_on_and_is_never_trusted_blindly(threads, tmp_path, monkeypatch):
    data = noise(640_000)
    path, journal = tmp_path / "object", tmp_path / "journal"
    path.write_bytes(data)
    read, calls = _parts._read, []

    def counted(files, codes, piece):
        calls.append(piece.part)
        return read(files, codes, piece)

    def value(code="crc32c", part_size="64KiB"):
        calls.clear()
        return rd.value(path, code, part_size=part_size, client=threads, journal=journal)

    monkeypatch.setattr(_parts, "_read", counted)
    add = _parts.Journal.add

    def ended(self, name, stamp, part, result):
        add(self, name, stamp, part, result)
        if len(self._objects[name]["parts"]) == 4:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_parts.Journal, "add", ended)
        with pytest.raises(KeyboardInterrupt):
            value()
    done = json.loads(journal.read_text())["journal"]["objects"][""]["parts"]
    assert len(done) == 4
    assert value() == residue.crc32c(data)
    # A part that was being read at the interrupt may be among the calls, too.
    read_before = set(map(int, done))
    assert read_before.isdisjoint(calls) and read_before.union(calls) == set(range(10))
    assert value() == residue.crc32c(data) and calls == []

    # Other work.
    for other in ({"code": "crc-32"}, {"part_size": "128KiB"}):
        with pytest.raises(rd.JournalError, match="other work"):
            value(**other)

    # Another object of the same size.
    data = noise(640_000, 2)
    path.write_bytes(data)
    os.utime(path, ns=(0, 5))
    assert value() == residue.crc32c(data) and sorted(calls) == list(range(10))

    # Damage, wherever it is.
    good = journal.read_bytes()
    for damaged in (
        good[:-20],
        b"",
        good.replace(b'"3":["', b'"3":["1', 1),
        good + b"x",
        good.replace(b'"5"', b'"4"', 1),
        b"\xff",
    ):
        assert damaged != good
        journal.write_bytes(damaged)
        with pytest.raises(rd.JournalError, match="delete it to start over"):
            value()
        assert journal.read_bytes() == damaged
    journal.unlink()
    assert value() == residue.crc32c(data) and len(calls) == 10


def test_a_journal_that_cannot_be_written_is_found_out_before_the_work(
    threads, tmp_path, monkeypatch
):
    (tmp_path / "object").write_bytes(b"x")
    monkeypatch.setattr(_parts, "_read", None)
    with pytest.raises(FileNotFoundError):
        rd.value(tmp_path / "object", client=threads, journal=tmp_path / "none" / "journal")


def test_objects_without_a_version_are_read_again(threads, memory, tmp_path, monkeypatch):
    memory.pipe_file("/object", noise(100))
    monkeypatch.setattr(
        type(memory), "modified", lambda *_: (_ for _ in ()).throw(NotImplementedError)
    )
    journal = tmp_path / "journal"
    first = rd.value("memory://object", client=threads, journal=journal)
    memory.pipe_file("/object", noise(100, 2))
    second = rd.value("memory://object", client=threads, journal=journal)
    assert (first, second) == (residue.crc32c(noise(100)), residue.crc32c(noise(100, 2)))


# --- strength


def test_a_search_in_ranges_is_the_search(cluster, tmp_path):
    for question in (
        {"width": 12, "hd": 4, "length": 100},
        {"width": 10, "hd": 4},
        {"width": 8, "survey": True},
    ):
        whole = rd.search(**question, ranges=1, client=cluster)
        assert whole["kind"] == "exact" and whole["missing"] == [] and whole["found"]
        assert rd.search(**question, ranges=7, client=cluster) == whole
        assert rd.search(**question, client=cluster, journal=tmp_path / str(question)) == whole
        # From the journal alone.
        assert rd.search(**question, client=cluster, journal=tmp_path / str(question)) == whole
    for wrong in (
        {"width": 2, "hd": 3},
        {"width": 8},
        {"width": 8, "hd": 9, "length": 200},
        {"width": 8, "hd": 3, "survey": True},
    ):
        with pytest.raises(ValueError):
            rd.search(**wrong, client=cluster)


def test_data_in_parts_are_the_data(cluster, tmp_path):
    tree(tmp_path / "tree")
    arguments = {
        "made": ["zeros"],
        "codes": ["internet", "crc32c"],
        "splices": 500_000,
        "trials": 500,
        "client": cluster,
    }
    runs = [
        rd.data([tmp_path / "tree"], part_size=part_size, journal=journal, **arguments)
        for part_size, journal in [
            ("1GiB", None),
            ("64KiB", tmp_path / "j"),
            ("64KiB", tmp_path / "j"),
            (64, None),
        ]
    ]
    for run in runs:
        run.pop("date")
    assert runs.count(runs[0]) == 4
    assert [source["files"] for source in runs[0]["sources"]] == [2, 0]
    assert all(test["trials"] for test in runs[0]["sources"][1]["tests"])
    # A file has changed.
    (tmp_path / "tree" / "a").write_bytes(bytes(300_000))
    other = rd.data([tmp_path / "tree"], part_size="64KiB", journal=tmp_path / "j", **arguments)
    assert other["sources"][0]["tests"] != runs[0]["sources"][0]["tests"]
    for wrong, error in [
        ({"paths": [tmp_path / "none"]}, OSError),
        ({"paths": []}, ValueError),
        ({"made": ["gold"]}, ValueError),
        ({"made": ["zeros"], "codes": ["crc-64/nvme"]}, ValueError),
        ({"made": ["zeros"], "burst": 65}, ValueError),
        ({"paths": [tmp_path / "tree" / "empty"]}, ValueError),
    ]:
        with pytest.raises(error):
            rd.data(**{"paths": [], "client": cluster, **wrong})
