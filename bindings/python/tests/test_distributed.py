"""`residue.distributed`: values of objects read in parts by many workers, whatever happens to the workers."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest
import residue

distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'residue[dask]'")
fsspec = pytest.importorskip("fsspec")

from residue import distributed as rd
from residue.distributed import _cli, _cluster, _objects, _parts

# Dask's own, on its way out of a process.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:distributed"),
]


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes."""
    with rd.connect(workers=2) as client:
        yield client


@pytest.fixture(scope="module")
def threads():
    """Workers in this process, which see its memory and what a test does to its modules."""
    with (
        distributed.LocalCluster(
            processes=False, n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0"
        ) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def memory():
    files = fsspec.filesystem("memory")
    yield files
    files.store.clear()
    files.pseudo_dirs[:] = [""]


def noise(count, seed=1):
    return random.Random(seed).randbytes(count)


def tree(folder):
    """Files of many sizes, the largest of five parts of 64 KiB."""
    contents = {
        "a": noise(300_000),
        "sub/b": noise(70_000, 2),
        "sub/deep/c": b"123456789",
        "empty": b"",
        "new\nline\\": b"x",
    }
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return contents


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
    job = threading.Thread(target=lambda: found.append(rd.value(path, "crc32c", part_size="64KiB", client=cluster)))
    job.start()
    while not all(cluster.processing().get(worker) for worker in pids):
        time.sleep(0.01)
    # Each worker is in the middle of a part, and nothing is done.
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


def test_a_task_that_kills_every_worker_is_told(tmp_path):
    with _cluster.connect(workers=1) as client:
        client.cluster.scheduler.allowed_failures = 0
        with pytest.raises(rd.ClusterError, match="died"):
            _cluster.each(client, os._exit, [(1,)], print)


def test_no_scheduler():
    _cluster_timeout, _cluster.TIMEOUT = _cluster.TIMEOUT, 0.5
    try:
        with pytest.raises(rd.ClusterError, match="cannot reach the scheduler at tcp://127.0.0.1:9"):
            rd.value(__file__, client="tcp://127.0.0.1:9")
    finally:
        _cluster.TIMEOUT = _cluster_timeout


def test_bad_arguments(threads, tmp_path):
    path = tmp_path / "object"
    path.write_bytes(b"x")
    for wrong, error, words in [
        ({"part_size": 100}, ValueError, "multiple of 64"),
        ({"part_size": 0}, ValueError, "multiple of 64"),
        ({"part_size": "8 apples"}, ValueError, "is no size"),
        ({"part_size": 6.4}, TypeError, "an int or a str"),
        ({"code": "crc-1000"}, ValueError, "crc-1000"),
        ({"code": "cksum"}, ValueError, "appends the length"),
        ({"storage_options": {"anon": True}}, ValueError, "local path"),
        ({"url": tmp_path}, IsADirectoryError, "manifest"),
        ({"url": tmp_path / "none"}, FileNotFoundError, "none"),
        ({"url": "/dev/null"}, OSError, "no regular file"),
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
    with pytest.raises(ImportError, match=r"pip install 'residue\[dask\]'"):
        rd.value(tmp_path / "object")


# --- what happens to objects meanwhile


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
                # Its size stays, its time does not.
                os.utime(path, ns=(0, 5))
        return done or read(files, codes, piece)

    monkeypatch.setattr(_parts, "_read", changing)
    with pytest.raises(rd.ChangedError, match="disappeared" if change == "remove" else "changed while it was read"):
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
    assert tag.same(known(ETag="abc", LastModified="10:00:00.123")) and not tag.same(known(ETag='"abd"'))
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
    with pytest.raises(OSError, match="gave 511 of the 512 bytes from 0|gave 487 of the 488 bytes from 512"):
        rd.value("memory://object", part_size=512, client=threads)


def test_workers_that_do_not_see_the_object_say_so(cluster, memory):
    # The memory is the client's.
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
    assert sorted([*calls, *map(int, done)]) == list(range(10))
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
        with pytest.raises(rd.JournalError, match="delete it to begin anew"):
            value()
        assert journal.read_bytes() == damaged
    journal.unlink()
    assert value() == residue.crc32c(data) and len(calls) == 10


def test_a_journal_that_cannot_be_written_is_found_out_before_the_work(threads, tmp_path, monkeypatch):
    (tmp_path / "object").write_bytes(b"x")
    monkeypatch.setattr(_parts, "_read", None)
    with pytest.raises(FileNotFoundError):
        rd.value(tmp_path / "object", client=threads, journal=tmp_path / "none" / "journal")


def test_objects_without_a_version_are_read_again(threads, memory, tmp_path, monkeypatch):
    memory.pipe_file("/object", noise(100))
    monkeypatch.setattr(type(memory), "modified", lambda *_: (_ for _ in ()).throw(NotImplementedError))
    journal = tmp_path / "journal"
    first = rd.value("memory://object", client=threads, journal=journal)
    memory.pipe_file("/object", noise(100, 2))
    second = rd.value("memory://object", client=threads, journal=journal)
    assert (first, second) == (residue.crc32c(noise(100)), residue.crc32c(noise(100, 2)))


# --- manifests


def test_a_manifest_names_the_corrupted_file_and_range(cluster, tmp_path):
    root = tmp_path / "tree"
    contents = tree(root)
    made = rd.manifest(root, ["crc32c", "fletcher-32"], part_size="64KiB", client=cluster)
    assert {name: entry.size for name, entry in made.entries.items()} == {n: len(c) for n, c in contents.items()}
    for name, content in contents.items():
        assert made.entries[name].values == {code: residue.value(code, content) for code in made.codes}
    made.write(tmp_path / "manifest")
    assert rd.Manifest.read(tmp_path / "manifest") == made
    assert rd.verify(tmp_path / "manifest", client=cluster).good

    damaged = bytearray(contents["a"])
    damaged[3 * 65536 + 7] ^= 1
    (root / "a").write_bytes(damaged)
    report = rd.verify(tmp_path / "manifest", client=cluster)
    assert [(finding.name, finding.verdict) for finding in report] == [
        (name, "changed" if name == "a" else "good") for name in sorted(contents)
    ]
    assert report.findings[0].ranges == ((3 * 65536, 4 * 65536),)
    assert not report.good

    # Everything else that can happen.
    (root / "a").write_bytes(contents["a"] + b"more")
    (root / "sub" / "b").unlink()
    (root / "sub" / "extra").write_bytes(b"")
    (root / "sub" / "deep" / "c").write_bytes(b"123456780")
    (root / "empty").unlink()
    (root / "empty").mkdir()
    report = rd.verify(tmp_path / "manifest", client=cluster)
    found = {finding.name: (finding.verdict, finding.ranges) for finding in report}
    assert found == {
        "a": ("changed", ((4 * 65536, 300_004),)),
        "empty": ("unreadable", ()),
        "new\nline\\": ("good", ()),
        "sub/b": ("missing", ()),
        "sub/deep/c": ("changed", ((0, 9),)),
        "sub/extra": ("extra", ()),
    }
    (tmp_path / "nothing").mkdir()
    nothing = rd.verify(made, tmp_path / "nothing", client=cluster, ignore_missing=True)
    assert nothing.count("missing") == len(contents) and not nothing.good
    report = rd.verify(made, client=cluster, ignore_missing=True, ignore_extra=True)
    assert (report.count("missing"), report.count("extra"), report.count("changed")) == (0, 0, 2)


def test_manifests_do_not_depend_on_who_made_them(cluster, threads, memory, tmp_path):
    contents = tree(tmp_path / "tree")
    for name, content in contents.items():
        memory.pipe_file(f"/data/{name}", content)
    memory.pipe_file("/database", b"beside it")
    local = rd.manifest(tmp_path / "tree", part_size="64KiB", client=cluster)
    remote = rd.manifest("memory://data", part_size="64KiB", client=threads)
    assert remote.root == "memory://data"
    assert local.entries == remote.entries
    assert local.text() == rd.manifest(tmp_path / "tree", part_size="64KiB", client=threads).text()
    # Names need not be Unicode.
    named = tmp_path / "names" / os.fsdecode(b"caf\xe9")
    named.parent.mkdir()
    named.write_bytes(b"x")
    rd.manifest(named.parent, client=cluster).write(tmp_path / "list")
    assert b"(caf\xe9) = " in (tmp_path / "list").read_bytes()
    assert rd.verify(tmp_path / "list", client=cluster).good
    # The manifest of one place verifies another.
    assert rd.verify(local, "memory://data", client=threads).good
    memory.pipe_file("/data/sub/b", noise(70_000, 3))
    (finding,) = (finding for finding in rd.verify(local, "memory://data", client=threads) if finding.verdict != "good")
    assert (finding.name, finding.ranges) == ("sub/b", ((0, 70_000),))
    remote.write("memory://data.manifest")
    assert rd.Manifest.read("memory://data.manifest") == remote
    # One object, of a tree that is none of its business.
    one = rd.manifest(tmp_path / "tree" / "a", client=threads)
    assert list(one.entries) == ["a"] and not one.tree
    assert rd.verify(one, client=threads).count("good") == len(rd.verify(one, client=threads).findings) == 1


def test_a_damaged_manifest_is_not_believed(threads, tmp_path):
    tree(tmp_path / "tree")
    text = rd.manifest(tmp_path / "tree", part_size="64KiB", client=threads).text()
    lines = text.splitlines(keepends=True)
    assert rd.Manifest.parse(text)
    wrong = ["".join(lines[:-1]), "".join(lines[:3] + lines[5:]), text.replace('"size":9', '"size":8'), text[:-5]]
    for broken in wrong:
        assert broken != text
        with pytest.raises(rd.ManifestError, match="take another copy"):
            rd.Manifest.parse(broken)

    def signed(text):
        body = text[: text.index("# residue-manifest-end")]
        return f'{body}# residue-manifest-end {{"objects":5,"crc-32c":"{residue.crc32c(body.encode()):08x}"}}\n'

    # Right check values around what nobody wrote: parts that make another whole, another format, another name.
    part = text.split('["', 1)[1][:8]
    for old, new in [
        (part, "00000000"),
        ('"format":1', '"format":2'),
        ("(empty)", "(emptx)"),
        ("CRC-32/ISCSI (a)", "CRC-32 (a)"),
    ]:
        assert old in text
        with pytest.raises(rd.ManifestError):
            rd.Manifest.parse(signed(text.replace(old, new, 1)))
    assert rd.Manifest.parse(signed(text)) == rd.Manifest.parse(text)


def test_lists_of_residue_sum(threads, tmp_path, monkeypatch):
    contents = tree(tmp_path)
    monkeypatch.chdir(tmp_path)
    lines = [
        "# a comment",
        f"CRC-32/ISCSI (a) = {residue.crc32c(contents['a']):08x}",
        f"ADLER-32 (a) = {residue.adler32(contents['a']):08x}",
        "CRC32C (sub/deep/c) = 4waSgw==",
        f"\\CRC-32/ISCSI (new\\nline\\\\) = {residue.crc32c(b'x'):08x}",
        f"{residue.crc32c(contents['sub/b']) ^ 1:08x}  sub/b",
        "SHA256 (a) = 00",
        "CKSUM (a) = 12345678",
    ]
    listed = rd.Manifest.parse("\n".join(lines), "crc32c")
    assert listed.malformed == (7, 8)
    found = {finding.name: (finding.verdict, finding.ranges) for finding in rd.verify(listed, client=threads)}
    assert found == {name: ("changed" if name == "sub/b" else "good", ()) for name in contents if name != "empty"}
    assert len(rd.Manifest.parse("\n".join(lines)).malformed) == 3
    for nothing in ("", "\n", "hello world\n", "e3069283  a\n"):
        with pytest.raises(rd.ManifestError, match="no list of check values"):
            rd.Manifest.parse(nothing)
    with pytest.raises(rd.ManifestError, match="line 2: another value"):
        rd.Manifest.parse("CRC32C (a) = 00000000\nCRC32C (a) = 00000001\n")


def test_what_cannot_be_read_is_in_no_manifest(threads, memory, monkeypatch):
    memory.pipe_file("/data/good", b"x")
    memory.pipe_file("/data/bad", b"y")
    read = _parts._read

    def failing(files, codes, piece):
        if piece.name == "bad":
            return _parts.Done(piece.name, piece.part, [], rd.Problem("unreadable", "permission denied"))
        return read(files, codes, piece)

    with monkeypatch.context() as patch:
        patch.setattr(_parts, "_read", failing)
        made = rd.manifest("memory://data", client=threads)
    assert list(made.entries) == ["good"]
    assert made.problems == (("bad", rd.Problem("unreadable", "permission denied")),)
    assert rd.verify(made, client=threads).count("extra") == 1


def test_a_manifest_and_its_verification_have_journals(threads, tmp_path, monkeypatch):
    contents = tree(tmp_path / "tree")
    calls, read = [], _parts._read

    def counted(files, codes, piece):
        calls.append(piece.name)
        return read(files, codes, piece)

    monkeypatch.setattr(_parts, "_read", counted)
    made = rd.manifest(tmp_path / "tree", part_size="64KiB", client=threads, journal=tmp_path / "j")
    # 300,000 bytes are five parts, 70,000 are two, the others one each.
    assert len(calls) == 10
    (tmp_path / "tree" / "sub" / "b").write_bytes(noise(70_000, 9))
    calls.clear()
    rd.manifest(tmp_path / "tree", part_size="64KiB", client=threads, journal=tmp_path / "j")
    assert calls == ["sub/b"] * 2
    with pytest.raises(rd.JournalError):
        rd.verify(made, client=threads, journal=tmp_path / "j")
    for left in (10, 0):
        calls.clear()
        report = rd.verify(made, client=threads, journal=tmp_path / "v")
        assert report.count("good") == len(contents) - 1 and len(calls) == left


# --- strength


def test_a_search_in_ranges_is_the_search(cluster, tmp_path):
    for question in ({"width": 12, "hd": 4, "length": 100}, {"width": 10, "hd": 4}, {"width": 8, "survey": True}):
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
        for part_size, journal in [("1GiB", None), ("64KiB", tmp_path / "j"), ("64KiB", tmp_path / "j"), (64, None)]
    ]
    for run in runs:
        run.pop("date")
    assert runs.count(runs[0]) == 4
    assert [source["files"] for source in runs[0]["sources"]] == [2, 0]
    assert all(test["trials"] for test in runs[0]["sources"][1]["tests"])
    # The files are others now.
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


# --- the command line


def run(capfdbinary, cluster, *words):
    code = _cli.main([*map(str, words), "--scheduler", cluster.scheduler.address])
    out, err = capfdbinary.readouterr()
    return code, out.decode(), err.decode()


def test_the_command_line(cluster, tmp_path, capfdbinary, monkeypatch):
    contents = tree(tmp_path / "tree")
    a, listed = tmp_path / "tree" / "a", tmp_path / "manifest"
    value = f"{residue.crc32c(contents['a']):08x}"
    assert run(capfdbinary, cluster, "value", a) == (0, f"{value}  {a}\n", "")
    code, out, _ = run(capfdbinary, cluster, "value", a, "-a", "crc32c,width=12,poly=80f,adler-32", "--base64")
    assert code == 0 and [line.split(" (")[0] for line in out.splitlines()] == [
        "CRC-32/ISCSI", "width=12,poly=80f,init=0,refin=false,refout=false,xorout=0", "ADLER-32"
    ]  # fmt: skip
    code, out, err = run(capfdbinary, cluster, "value", tmp_path / "none", a, "--json")
    none, good = json.loads(out)
    assert code == 2 and "error" in none and good["codes"][0]["value"] == value and good["bytes"] == 300_000
    assert err == f"residue.distributed: {tmp_path / 'none'}: no such object\n"

    root = tmp_path / "tree"
    assert run(capfdbinary, cluster, "manifest", root, "--part-size", "64KiB", "-o", listed)[:2] == (0, "")
    code, out, _ = run(capfdbinary, cluster, "verify", listed)
    assert code == 0 and out.splitlines()[:2] == ["a: OK", "empty: OK"] and "new\\nline\\: OK" in out
    a.write_bytes(contents["a"][:65536] + b"y" + contents["a"][65537:])
    (root / "empty").unlink()
    code, out, err = run(capfdbinary, cluster, "verify", listed, "--quiet")
    changed = f"{residue.crc32c(a.read_bytes()):08x}"
    assert code == 1
    assert out == f"a: FAILED  bytes 65536..131072  crc-32/iscsi {changed} instead of {value}\nempty: missing\n"
    assert err == f"residue.distributed: {root}: 3 good, 1 changed, 1 missing\n"
    code, out, _ = run(capfdbinary, cluster, "verify", listed, "--json", "--ignore-missing")
    report = json.loads(out)
    assert code == 1 and report["counts"] == {"good": 3, "changed": 1, "missing": 0, "extra": 0, "unreadable": 0}
    assert report["findings"][0]["ranges"] == [[65536, 131072]]
    listed.write_text(listed.read_text()[:-30])
    code, out, err = run(capfdbinary, cluster, "verify", listed)
    assert (code, out) == (2, "") and "take another copy" in err

    code, out, _ = run(capfdbinary, cluster, "search", "--width", 8, "--hd", 4, "--length", "12B")
    assert code == 0 and "have HD 4 at 96 bits of data" in out
    code, out, _ = run(capfdbinary, cluster, "search", "--width", 8, "--survey", "--csv")
    assert code == 0 and out.startswith("koopman,mirrored,")
    code, out, _ = run(capfdbinary, cluster, "data", "--made", "ramp", "-a", "xns", "--splices", "1e5", "--trials", 100)
    assert code == 0 and out.startswith("ramp: ") and "effective bits" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["value", "x", "--part-size", "65"], "multiple of 64"),
        (["value", "x", "--storage-options", "["], "no JSON"),
        (["search", "--width", "8"], "--hd"),
        (["search", "--width", "8", "--hd", "4", "--length", "5GiB"], "1500B"),
        (["data", "--splices", "1e99"], "1e8"),
        (["frobnicate"], "invalid choice"),
        ([], "COMMAND"),
    ],
)
def test_wrong_usage(capsys, words, told):
    with pytest.raises(SystemExit) as ended:
        _cli.main(words)
    assert ended.value.code == 2 and told in capsys.readouterr().err


def test_help_has_examples(capsys):
    for command in ([], ["value"], ["manifest"], ["verify"], ["search"], ["data"]):
        with pytest.raises(SystemExit) as ended:
            _cli.main([*command, "--help"])
        out = capsys.readouterr().out
        assert ended.value.code == 0 and "--json" in out or not command and "Examples:" in out


def test_a_program_of_its_own_brings_its_cluster(tmp_path):
    (tmp_path / "object").write_bytes(b"123456789")
    words = [sys.executable, "-m", "residue.distributed", "value", "object", "--workers", "2"]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "e3069283  object\n", "")
