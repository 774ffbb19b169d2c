"""Tests that the errors of `residue.distributed` name their object and the cause."""

import os

import pytest

from objects import QUIET

pytest.importorskip(
    "distributed", reason="Dask is not installed: pip install 'residue-codes[dask]'"
)

import fsspec
from residue import distributed as rd
from residue.distributed import _cli
from residue.distributed._objects import store

pytestmark = QUIET


class Driver(fsspec.AbstractFileSystem):
    """A store whose driver fails with `error`."""

    protocol = "broken"
    error = None

    def fail(self, *args, **more):
        raise self.error

    info = find = cat_file = pipe_file = fail


class OwnError(Exception):
    """An exception of a driver, which is not one of Python's own."""


CAUSES = [
    (FileNotFoundError("bucket/key"), FileNotFoundError, "no such object"),
    (FileNotFoundError(2, "No such file or directory"), FileNotFoundError, "no such object"),
    (PermissionError("bucket/key"), PermissionError, "permission denied"),
    (PermissionError(13, "Access Denied"), PermissionError, "access Denied"),
    (TimeoutError(), TimeoutError, "connection timed out"),
    (
        ConnectionResetError(104, "Connection reset by peer"),
        ConnectionResetError,
        "connection reset by peer",
    ),
    (OSError("the endpoint is away"), OSError, "the endpoint is away"),
    (OwnError("no credentials"), OSError, "no credentials"),
]


@pytest.mark.parametrize(("error", "kind", "cause"), CAUSES, ids=lambda value: repr(value))
@pytest.mark.parametrize(
    "call",
    [
        rd.value,
        rd.manifest,
        rd.Manifest.read,
        rd.verify,
        lambda url: rd.Manifest(None, True, ("crc-32/iscsi",), 64, {}).write(url),
        lambda url: rd.verify(rd.Manifest(url, True, ("crc-32/iscsi",), 64, {})),
        lambda url: store(url).list(),
        lambda url: list(store(url).read("", 0, 9)),
    ],
    ids=[
        "value",
        "manifest",
        "Manifest.read",
        "verify",
        "Manifest.write",
        "verify, root",
        "list",
        "read",
    ],
)
def test_errors_name_the_cause_and_the_object(call, error, kind, cause, monkeypatch):
    fsspec.register_implementation("broken", Driver, clobber=True)
    monkeypatch.setattr(Driver, "error", error)
    with pytest.raises(kind) as caught:
        call("broken://bucket/key")
    assert cause in str(caught.value) and "broken://bucket/key" in str(caught.value)


def test_errors_of_the_command_name_the_cause(monkeypatch, capsys, tmp_path):
    fsspec.register_implementation("broken", Driver, clobber=True)
    monkeypatch.setattr(_cli, "_client", lambda args: open(os.devnull))
    (tmp_path / "folder").mkdir()
    for error, _, cause in CAUSES:
        monkeypatch.setattr(Driver, "error", error)
        for command in ("value", "manifest", "verify"):
            assert _cli.main([command, "broken://bucket/key"]) == 2
            shown = capsys.readouterr().err
            assert shown.startswith("residue.distributed: broken://bucket/key: ") and cause in shown
    for words, cause in (
        (["value", f"{tmp_path}/none"], "no such object"),
        (["value", f"{tmp_path}/folder"], "is a folder"),
        (["manifest", f"{tmp_path}/none"], "no such object"),
        (["verify", f"{tmp_path}/none"], "no such object"),
        (["value", f"{tmp_path}/folder", "--journal", f"{tmp_path}/folder"], "is a"),
        (["data", f"{tmp_path}/none", "--splices", "1"], "o such"),
    ):
        assert _cli.main(words) == 2
        shown = capsys.readouterr().err
        assert str(tmp_path) in shown and cause in shown, shown
