"""Tests of the package itself: its names, and the examples in its documents."""

import doctest
import importlib.metadata
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest
import residue

ROOT = Path(__file__).resolve().parents[3]


def test_all_names():
    assert residue.__all__ == sorted(residue.__all__)
    for name in residue.__all__:
        assert getattr(residue, name).__doc__, name


def test_all_members_are_documented():
    for name in residue.__all__:
        kind = getattr(residue, name)
        if inspect.isclass(kind):
            for member, value in vars(kind).items():
                assert member.startswith("_") or value.__doc__, (name, member)


def test_the_version_is_that_of_the_distribution():
    assert residue.__version__ == importlib.metadata.version("residue-codes")


@pytest.mark.parametrize("mask", [None, "", "portable", "bogus", "AVX2", "\x1b[31m"])
@pytest.mark.parametrize("variable", ["RESIDUE_CPU", "RESIDUE_PROFILE"])
def test_an_unknown_mask_is_reported_at_import(variable, mask):
    names = {"RESIDUE_CPU": "portable, sse2", "RESIDUE_PROFILE": "zen3, zen4"}
    environment = {key: value for key, value in os.environ.items() if key not in names}
    if mask == "portable" and variable == "RESIDUE_PROFILE":
        mask = "zen5"
    if mask is not None:
        environment[variable] = mask
    program = "import residue; assert residue.crc32c(b'123456789') == 0xe3069283"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    if mask in (None, "", "portable", "zen5"):
        assert done.stderr == ""
    else:
        assert f"RuntimeWarning: {variable}=" in done.stderr and names[variable] in done.stderr
        assert "\x1b" not in done.stderr and ("bogus" in done.stderr) == (mask == "bogus")
        # The warning names the line that imports the package.
        assert done.stderr.startswith("<string>:1:")
        strict = subprocess.run(
            [sys.executable, "-W", "error", "-c", program], env=environment, capture_output=True
        )
        assert strict.returncode == 1


@pytest.mark.parametrize(
    "document",
    [
        "bindings/python/README.md",
        "docs/change-over.md",
        "docs/guide-lake.md",
        "docs/python.md",
    ],
)
def test_examples(document, tmp_path, monkeypatch):
    captures = ROOT / "captures"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "disk.img").write_bytes(b"123456789")
    os.symlink(captures / "nat-tcp.bad.pcap", tmp_path / "trace.pcap")
    failed, tried = doctest.testfile(
        str(ROOT / document), module_relative=False, optionflags=doctest.ELLIPSIS
    )
    assert tried > 0 and failed == 0


OTHER_INTERPRETER = """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import residue
print(residue.crc32c(b"123456789"), flush=True)
other = interpreters.create(*sys.argv[1:])
interpreters.run_string(other, '''
try:
    import residue
    print(residue.crc32c(b"123456789"), residue.Code("crc-32").params.width, flush=True)
except ImportError as error:
    print(error, flush=True)
''')
interpreters.destroy(other)
print(residue.crc32c(b"123456789"))
"""

# Kinds of interpreters: before 3.13 there is one, whose lock is its own from 3.12 on.
KINDS = ["legacy", "isolated"] if sys.version_info >= (3, 13) else [None]


@pytest.mark.parametrize("kind", KINDS)
def test_another_interpreter_of_the_process(kind):
    words = [] if kind is None else [kind]
    command = [sys.executable, "-c", OTHER_INTERPRETER, *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    first, other, last = done.stdout.splitlines()
    assert int(first) == int(last) == 0xE3069283
    if kind == "legacy" or sys.version_info < (3, 12):
        assert other == f"{0xE3069283} 32"
    else:
        assert other.endswith("does not support loading in subinterpreters")
