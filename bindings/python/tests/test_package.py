"""The package itself: its names, its stubs, and the examples in its documents."""

import ast
import doctest
import inspect
import os
from pathlib import Path

import pytest
import residue

ROOT = Path(__file__).resolve().parents[3]
STUB = ast.parse((Path(residue.__file__).parent / "_residue.pyi").read_text())


def test_all_names():
    assert residue.__all__ == sorted(residue.__all__)
    for name in residue.__all__:
        assert getattr(residue, name).__doc__, name


def test_stubs_name_what_there_is():
    told = {}
    for node in STUB.body:
        if isinstance(node, ast.AnnAssign):
            told[node.target.id] = None
        elif isinstance(node, ast.FunctionDef):
            told[node.name] = node
        elif isinstance(node, ast.ClassDef):
            told[node.name] = node
            members = {item.name for item in node.body}
            there = {name for name in vars(getattr(residue._residue, node.name)) if not name.startswith("_")}
            assert {name for name in members if not name.startswith("_")} == there, node.name
            for name in there:
                assert getattr(getattr(residue, node.name), name).__doc__, (node.name, name)
    # What other modules of the package take from the compiled part by names of their own is theirs to test.
    there = {name for name in vars(residue._residue) if not name.startswith("__")}
    missing = {name for name in there - set(told) if not name.startswith("_")}
    assert not missing and set(told) <= there
    for name, node in told.items():
        if isinstance(node, ast.FunctionDef) and node.args.vararg is None:
            names = [argument.arg for argument in node.args.args]
            assert list(inspect.signature(getattr(residue._residue, name)).parameters) == names, name


@pytest.mark.parametrize("document", ["bindings/python/README.md", "docs/python.md"])
def test_examples(document, tmp_path, monkeypatch):
    captures = ROOT / "captures"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "disk.img").write_bytes(b"123456789")
    os.symlink(captures / "nat-tcp.bad.pcap", tmp_path / "trace.pcap")
    failed, tried = doctest.testfile(str(ROOT / document), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried > 0 and failed == 0
