"""Tests that every writer replaces regular files atomically, and writes through everything else."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import residue

pytest.importorskip(
    "distributed", reason="Dask is not installed: pip install 'residue-codes[dask]'"
)

from objects import QUIET
from residue import distributed as rd
from residue.distributed import _cli
from residue.distributed._journal import Journal
from residue.distributed._objects import store
from residue.distributed._replace import replace

pytestmark = QUIET

MADE = rd.Manifest("/data", True, ("crc-32/iscsi",), 65536, {})


def journal(path):
    kept = Journal(path, {"work": "any"})
    kept.add("name", None, 0, "result")
    kept.save()


def command_line(path):
    """Runs `manifest -o` without a cluster."""
    arguments = _cli._parser().parse_args(["manifest", "unread", "-o", os.fspath(path)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_cli, "_client", lambda args: open(os.devnull))
        patch.setattr(_cli, "manifest", lambda *args, **more: MADE)
        assert _cli._manifest(arguments) == 0


#: All writers of the package.
WRITERS = {
    "replace": lambda path: replace(path, b"all of it"),
    "Store.write": lambda path: store(path).write(b"all of it"),
    "Manifest.write": MADE.write,
    "manifest -o": command_line,
    "Journal.save": journal,
}


@pytest.fixture(params=WRITERS)
def write(request):
    return WRITERS[request.param]


@pytest.fixture
def content(write, tmp_path):
    """The content that the writer writes to a new file."""
    (tmp_path / "new").mkdir()
    write(tmp_path / "new" / "file")
    return (tmp_path / "new" / "file").read_bytes()


@pytest.fixture
def path(tmp_path):
    """A path in an empty folder; checks afterwards that no temporary file is left."""
    folder = tmp_path / "there"
    folder.mkdir()
    yield folder / "file"
    assert not [name for name in os.listdir(folder) if name.startswith(".")]


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_that_is_replaced_keeps_mode_and_owner(write, content, path):
    if write is journal:
        Journal(path, {"work": "any"})
    else:
        path.write_bytes(b"old")
    path.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(path, 65534, 65533)
    before = path.stat()
    write(path)
    after = path.stat()
    assert path.read_bytes() == content
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode,
        before.st_uid,
        before.st_gid,
    )
    assert after.st_ino != before.st_ino


def test_a_new_file_has_the_mode_of_any_new_file(write, path):
    write(path)
    other = path.with_name("other")
    other.touch()
    assert mode(path) == mode(other)


@pytest.mark.parametrize("link", ["../far/target", "../first", "/first"])
def test_links_stay_and_what_they_lead_to_is_replaced(write, content, path, tmp_path, link):
    far = tmp_path / "far"
    far.mkdir()
    write(far / "target")
    (far / "target").chmod(0o604)
    (far / "second").symlink_to("target")
    (tmp_path / "first").symlink_to("far/second")
    link = f"{tmp_path}/first" if link == "/first" else link
    path.symlink_to(link)
    before = (far / "target").stat().st_ino
    write(path)
    assert os.readlink(path) == link
    assert (os.readlink(tmp_path / "first"), os.readlink(far / "second")) == (
        "far/second",
        "target",
    )
    assert (far / "target").read_bytes() == content and mode(far / "target") == 0o604
    assert (far / "target").stat().st_ino != before


def test_a_link_that_leads_nowhere_gets_its_target(write, content, path, tmp_path):
    path.symlink_to("../second")
    (tmp_path / "second").symlink_to("target")
    write(path)
    assert path.is_symlink() and not (tmp_path / "target").is_symlink()
    assert (tmp_path / "target").read_bytes() == content
    # A cycle of links.
    (tmp_path / "target").unlink()
    (tmp_path / "target").symlink_to("second")
    with pytest.raises(OSError, match="file"):
        write(path)
    assert path.is_symlink()


def test_a_pipe_is_written_to(write, content, path):
    os.mkfifo(path)
    # Opened for reading and writing, a pipe buffers the data, and no call blocks.
    reader = os.open(path, os.O_RDWR)
    try:
        write(path)
        # A journal is written twice: empty, and with the finished part.
        assert os.read(reader, 1 << 16).endswith(content)
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(path.lstat().st_mode)


def test_a_device_is_written_to_not_replaced(write, path):
    # A node of /dev/null, for this test alone.
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))
        os.close(os.open(path, os.O_WRONLY))
    except OSError as error:
        path.unlink(missing_ok=True)
        pytest.skip(
            "a device node needs root, and a folder for temporary files that allows "
            f"devices: {error}"
        )
    before = path.stat()
    write(path)
    after = path.lstat()
    assert stat.S_ISCHR(after.st_mode) and (after.st_rdev, after.st_ino) == (
        before.st_rdev,
        before.st_ino,
    )


def test_a_file_that_is_open_already_is_appended_to(write, content, path, tmp_path):
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("there is no /proc")
    with open(tmp_path / "open", "wb") as file:
        file.write(b"" if write is journal else b"before\n")
        file.flush()
        before = os.stat(file.fileno()).st_ino
        path.symlink_to(f"/proc/self/fd/{file.fileno()}")
        if write is journal:
            # The file can be read, but is not a journal.
            with pytest.raises(rd.JournalError):
                write(path)
            return
        write(path)
        assert (tmp_path / "open").read_bytes() == b"before\n" + content
        assert (tmp_path / "open").stat().st_ino == before


def test_folders_are_refused_by_name(write, path):
    path.mkdir()
    with pytest.raises(IsADirectoryError, match=re.escape(str(path))):
        write(path)
    assert path.is_dir()


def test_a_folder_that_cannot_be_written_keeps_its_files(write, path):
    # No mode stops root, but the folders of the system do.
    folder = Path("/sys/kernel") if os.geteuid() == 0 else path.parent
    folder == path.parent and path.parent.chmod(0o555)
    with pytest.raises(OSError, match=str(folder / "file")) as caught:
        write(folder / "file")
    path.parent.chmod(0o755)
    assert caught.value.filename == str(folder / "file")


def test_a_file_that_vanishes_is_written_anew(write, content, path, monkeypatch):
    for _ in range(2):
        write(path)
        assert path.read_bytes() == content
        path.unlink()
    # The old file vanishes during the write.
    path.write_bytes(b"" if write is journal else b"old")
    rename = os.rename

    def vanish(*names, **folders):
        path.unlink(missing_ok=True)
        rename(*names, **folders)

    monkeypatch.setattr(os, "rename", vanish)
    if write is not journal:
        write(path)
        assert path.read_bytes() == content
    # The folder does not exist.
    with pytest.raises(FileNotFoundError, match="nowhere"):
        write(path.parent / "nowhere" / "file")


def test_the_command_writes_to_a_device(tmp_path):
    """Runs the whole command as a user would."""
    node = tmp_path / "node"
    try:
        os.mknod(node, stat.S_IFCHR | 0o600, os.makedev(1, 3))
        os.close(os.open(node, os.O_WRONLY))
    except OSError as error:
        pytest.skip(
            "a device node needs root, and a folder for temporary files that allows "
            f"devices: {error}"
        )
    data = tmp_path / "data"
    data.mkdir()
    (data / "file").write_bytes(b"123456789")
    command = [
        sys.executable,
        "-m",
        "residue.distributed",
        "manifest",
        str(data),
        "--workers",
        "1",
        "-o",
    ]
    subprocess.run([*command, str(node)], check=True, timeout=120)
    assert stat.S_ISCHR(node.lstat().st_mode)
    done = subprocess.run(
        [*command, "/dev/stdout"], check=True, timeout=120, capture_output=True, text=True
    )
    assert "CRC-32/ISCSI (file) = e3069283" in done.stdout


def test_nothing_else_replaces_files():
    package = Path(residue.__file__).parent
    calls = re.compile(
        r"\bos\.(replace|rename|renames)\(|\bshutil\.move\(|\.rename\(|write_bytes\(|write_text\("
    )
    found = [path.name for path in package.rglob("*.py") if calls.search(path.read_text())]
    assert found == ["_replace.py"]
