"""Tests that files are replaced safely where other users can write."""

import contextlib
import errno
import importlib.util
import os
import signal
import stat
import tempfile
from pathlib import Path

import pytest
import residue

# The module alone: the package around it needs Dask.
PLACE = Path(residue.__file__).parent / "distributed" / "_replace.py"
SPEC = importlib.util.spec_from_file_location("_replace_alone", PLACE)
MODULE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(MODULE)
replace = MODULE.replace

pytestmark = pytest.mark.skipif(not MODULE.RELATIVE, reason="there are no files below folders")

#: A user without privilege, and without files.
OTHER = 65534

#: Races are won within ten tries.
TRIES = 2000


class Shared:
    """A folder that all may write, and beside it one of the caller with a file."""

    def __init__(self, place):
        self.folder = place / "shared"
        self.folder.mkdir()
        self.folder.chmod(0o1777)
        (place / "own").mkdir()
        self.precious = place / "own" / "file"
        self.precious.write_bytes(b"precious")
        self.default = mode(self.precious)

    def nothing_is_lost(self):
        there = self.precious.lstat()
        assert (there.st_uid, stat.S_IMODE(there.st_mode)) == (0, self.default)
        assert self.precious.read_bytes() == b"precious"

    def play(self, role):
        """Lets the other user do something to its end."""
        assert os.waitpid(self.start(role), 0)[1] == 0

    def start(self, role):
        child = os.fork()
        if child:
            return child
        done = 1
        try:
            os.setgroups([])
            os.setgid(OTHER)
            os.setuid(OTHER)
            role()
            done = 0
        finally:
            os._exit(done)


@pytest.fixture
def shared():
    if os.geteuid() != 0:
        pytest.skip("to act as another user needs root")
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=memory) as place:
        os.chmod(place, 0o755)
        yield Shared(Path(place))


def mode(path):
    return stat.S_IMODE(path.lstat().st_mode)


def made(path, owner, bits):
    path.write_bytes(b"old")
    os.chown(path, owner, owner)
    path.chmod(bits)


def test_a_race_for_a_link_is_not_won(shared):
    path = shared.folder / "file"

    def other():
        while True:
            for name in ("a", "b"):
                # Fails while the file is that of root.
                with contextlib.suppress(OSError):
                    if name == "a":
                        (shared.folder / name).symlink_to(shared.precious)
                    else:
                        os.close(os.open(shared.folder / name, os.O_CREAT | os.O_EXCL))
                        (shared.folder / name).chmod(0o666)
                with contextlib.suppress(OSError):
                    os.rename(shared.folder / name, path)

    child = shared.start(other)
    try:
        tries = written = refused = 0
        while tries < TRIES or not written or not refused:
            try:
                replace(path, b"new")
                written += 1
            except OSError:
                refused += 1
            shared.nothing_is_lost()
            path.unlink(missing_ok=True)
            tries += 1
            assert tries < 100 * TRIES, (written, refused)
        assert os.waitpid(child, os.WNOHANG) == (0, 0)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


@pytest.mark.parametrize(
    ("owner", "folder", "outer"),
    [(0, 0o1777, 0o1777), (OTHER, 0o755, 0o1777), (0, 0o775, 0o1777), (0, 0o755, 0o777)],
)
def test_a_file_of_another_user_becomes_the_callers(shared, owner, folder, outer):
    inner = shared.folder / "inner"
    inner.mkdir()
    inner.chmod(folder)
    os.chown(inner, owner, 0)
    shared.folder.chmod(outer)
    for old, new in [(0o666, shared.default), (0o600, 0o600), (0o4711, 0o600)]:
        made(inner / "file", OTHER, old)
        replace(inner / "file", b"new")
        there = (inner / "file").lstat()
        assert (there.st_uid, there.st_gid, stat.S_IMODE(there.st_mode)) == (0, 0, new)


def test_owners_are_kept_where_nobody_else_writes(shared):
    inner = shared.folder / "inner"
    inner.mkdir()
    for old, new in [(0o640, 0o640), (0o666, 0o666), (0o6755, 0o755), (0o1600, 0o600)]:
        made(inner / "file", OTHER, old)
        replace(inner / "file", b"new")
        there = (inner / "file").lstat()
        assert (there.st_uid, there.st_gid, stat.S_IMODE(there.st_mode)) == (OTHER, OTHER, new)


def test_a_second_name_gives_no_permissions(shared):
    made(shared.precious, 0, 0o666)
    os.link(shared.precious, shared.folder / "file")
    replace(shared.folder / "file", b"new")
    assert mode(shared.folder / "file") == shared.default
    assert shared.precious.read_bytes() == b"old"


def test_links_and_pipes_of_another_user_are_refused_where_all_write(shared):
    at = shared.folder.joinpath

    def other():
        at("link").symlink_to(shared.precious)
        at("folder").symlink_to(shared.precious.parent)
        at("dangling").symlink_to("nothing")
        os.mkfifo(at("pipe"))

    shared.play(other)
    for bits in (0o1777, 0o777):
        shared.folder.chmod(bits)
        for name in ("link", "folder/file", "folder/new", "dangling", "pipe"):
            with pytest.raises(PermissionError, match="of another user .number 65534") as caught:
                replace(at(name), b"new")
            assert caught.value.filename == str(at(name))
    shared.nothing_is_lost()
    assert not at("nothing").exists()
    shared.folder.chmod(0o755)
    replace(at("dangling"), b"new")
    assert at("nothing").read_bytes() == b"new"
    shared.folder.chmod(0o1777)
    at("own").symlink_to("nothing")
    replace(at("own"), b"newer")
    assert at("nothing").read_bytes() == b"newer"


def test_a_user_without_privilege_replaces_what_the_folder_allows(shared):
    path = shared.folder / "file"
    os.chown(shared.folder, OTHER, OTHER)
    shared.folder.chmod(0o755)
    for owner, old, new in [(0, 0o644, 0o644), (0, 0o666, shared.default), (OTHER, 0o6666, 0o666)]:
        made(path, owner, old)
        shared.play(lambda: replace(path, b"new"))
        there = path.lstat()
        assert (there.st_uid, there.st_gid, stat.S_IMODE(there.st_mode)) == (OTHER, OTHER, new)


def test_paths_lead_where_the_system_leads_them(tmp_path):
    at = tmp_path.joinpath
    (tmp_path / "a" / "b").mkdir(parents=True)
    at("c").mkdir()
    at("a", "up").symlink_to("../c")
    at("absolute").symlink_to(at("a"))
    at("far").symlink_to("absolute/b/../up//./")
    at("first").symlink_to("far/file")
    for name in ("first", "far/file", "c/../c/file", "absolute/up/file", "a/b/../../c//./file"):
        replace(f"{tmp_path}/{name}", b"new")
        assert at("c", "file").read_bytes() == b"new"
        at("c", "file").unlink()
    replace(at("c", "file"), b"new")
    for name, error in [
        ("a/", IsADirectoryError),
        ("a/b/..", IsADirectoryError),
        ("far", IsADirectoryError),
        ("none/file", FileNotFoundError),
        ("none/", FileNotFoundError),
        ("c/file/", NotADirectoryError),
        ("c/file/more", NotADirectoryError),
    ]:
        with pytest.raises(error):
            replace(f"{tmp_path}/{name}", b"new")
    with pytest.raises(FileNotFoundError):
        replace("", b"new")
    assert os.listdir(at("c")) == ["file"]


def test_forty_links_are_followed_and_no_loop(tmp_path):
    (tmp_path / "1").symlink_to("file")
    for number in range(2, 42):
        (tmp_path / str(number)).symlink_to(str(number - 1))
    replace(tmp_path / "40", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"
    (tmp_path / "loop").symlink_to("loop/loop")
    for name in ("41", "loop", "loop/file"):
        with pytest.raises(OSError) as caught:
            replace(tmp_path / name, b"new")
        assert caught.value.errno == errno.ELOOP


def test_no_descriptor_stays_open(tmp_path):
    (tmp_path / "link").symlink_to("file")
    before = len(os.listdir("/dev/fd"))
    for _ in range(3):
        replace(tmp_path / "link", b"new")
        for wrong in (tmp_path, tmp_path / "none" / "file", tmp_path / "link" / "more"):
            with pytest.raises(OSError):
                replace(wrong, b"new")
    assert len(os.listdir("/dev/fd")) == before


def test_the_content_is_synchronised_before_its_name_and_then_the_folder(tmp_path, monkeypatch):
    calls = []
    for name in ("write", "fsync", "rename"):
        call = getattr(os, name)

        def note(*args, name=name, call=call, **more):
            is_folder = name == "fsync" and stat.S_ISDIR(os.fstat(args[0]).st_mode)
            calls.append(f"{name} {'folder' if is_folder else 'file'}")
            if name == "fsync" and not is_folder:
                assert os.fstat(args[0]).st_size == len(b"new")
            return call(*args, **more)

        monkeypatch.setattr(os, name, note)
    for _ in range(2):
        calls.clear()
        replace(tmp_path / "file", b"new")
        assert calls == ["fsync file", "rename file", "fsync folder"]
