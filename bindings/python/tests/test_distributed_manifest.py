"""Tests of manifests and of the command line of `residue.distributed`."""

import json
import os
import subprocess
import sys

import pytest
import residue

from objects import QUIET, noise, tree

pytest.importorskip(
    "distributed", reason="Dask is not installed: pip install 'residue-codes[dask]'"
)

from residue import distributed as rd
from residue.distributed import _cli, _parts

pytestmark = QUIET


# --- manifests


def test_a_manifest_names_the_corrupted_file_and_range(cluster, tmp_path):
    root = tmp_path / "tree"
    contents = tree(root)
    made = rd.manifest(root, ["crc32c", "fletcher-32"], part_size="64KiB", client=cluster)
    assert {name: entry.size for name, entry in made.entries.items()} == {
        n: len(c) for n, c in contents.items()
    }
    for name, content in contents.items():
        assert made.entries[name].values == {
            code: residue.value(code, content) for code in made.codes
        }
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

    # All other verdicts.
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
    # Names need not be valid UTF-8.
    named = tmp_path / "names" / os.fsdecode(b"caf\xe9")
    named.parent.mkdir()
    named.write_bytes(b"x")
    rd.manifest(named.parent, client=cluster).write(tmp_path / "list")
    assert b"(caf\xe9) = " in (tmp_path / "list").read_bytes()
    assert rd.verify(tmp_path / "list", client=cluster).good
    # The manifest of one place verifies another.
    assert rd.verify(local, "memory://data", client=threads).good
    memory.pipe_file("/data/sub/b", noise(70_000, 3))
    (finding,) = (
        finding
        for finding in rd.verify(local, "memory://data", client=threads)
        if finding.verdict != "good"
    )
    assert (finding.name, finding.ranges) == ("sub/b", ((0, 70_000),))
    remote.write("memory://data.manifest")
    assert rd.Manifest.read("memory://data.manifest") == remote
    # A manifest of one object ignores the rest of the tree.
    one = rd.manifest(tmp_path / "tree" / "a", client=threads)
    assert list(one.entries) == ["a"] and not one.tree
    assert (
        rd.verify(one, client=threads).count("good")
        == len(rd.verify(one, client=threads).findings)
        == 1
    )


def test_a_damaged_manifest_is_not_believed(threads, tmp_path):
    tree(tmp_path / "tree")
    text = rd.manifest(tmp_path / "tree", part_size="64KiB", client=threads).text()
    lines = text.splitlines(keepends=True)
    assert rd.Manifest.parse(text)
    wrong = [
        "".join(lines[:-1]),
        "".join(lines[:3] + lines[5:]),
        text.replace('"size":9', '"size":8'),
        text[:-5],
    ]
    for broken in wrong:
        assert broken != text
        with pytest.raises(rd.ManifestError, match="use another copy"):
            rd.Manifest.parse(broken)

    def signed(text):
        body = text[: text.index("# residue-manifest-end")]
        check = f"{residue.crc32c(body.encode()):08x}"
        return f'{body}# residue-manifest-end {{"objects":5,"crc-32c":"{check}"}}\n'

    # Right check values of wrong manifests: parts with another value, another format, another name,
    # another code.
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
    found = {
        finding.name: (finding.verdict, finding.ranges)
        for finding in rd.verify(listed, client=threads)
    }
    assert found == {
        name: ("changed" if name == "sub/b" else "good", ()) for name in contents if name != "empty"
    }
    assert len(rd.Manifest.parse("\n".join(lines)).malformed) == 3
    for nothing in ("", "\n", "hello world\n", "e3069283  a\n"):
        with pytest.raises(rd.ManifestError, match="a list of check values"):
            rd.Manifest.parse(nothing)
    with pytest.raises(rd.ManifestError, match="line 2: another value"):
        rd.Manifest.parse("CRC32C (a) = 00000000\nCRC32C (a) = 00000001\n")


def test_what_cannot_be_read_is_in_no_manifest(threads, memory, monkeypatch):
    memory.pipe_file("/data/good", b"x")
    memory.pipe_file("/data/bad", b"y")
    read = _parts._read

    def failing(files, codes, piece):
        if piece.name == "bad":
            return _parts.Done(
                piece.name, piece.part, [], rd.Problem("unreadable", "permission denied")
            )
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
    # 300,000 bytes are five parts, 70,000 bytes two, the others one each.
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
    code, out, _ = run(
        capfdbinary, cluster, "value", a, "-a", "crc32c,width=12,poly=80f,adler-32", "--base64"
    )
    assert code == 0 and [line.split(" (")[0] for line in out.splitlines()] == [
        "CRC-32/ISCSI", "width=12,poly=80f,init=0,refin=false,refout=false,xorout=0", "ADLER-32"
    ]  # fmt: skip
    code, out, err = run(capfdbinary, cluster, "value", tmp_path / "none", a, "--json")
    none, good = json.loads(out)
    assert (
        code == 2
        and "error" in none
        and good["codes"][0]["value"] == value
        and good["bytes"] == 300_000
    )
    assert err == f"residue.distributed: {tmp_path / 'none'}: no such object\n"

    root = tmp_path / "tree"
    assert run(capfdbinary, cluster, "manifest", root, "--part-size", "64KiB", "-o", listed)[
        :2
    ] == (0, "")
    code, out, _ = run(capfdbinary, cluster, "verify", listed)
    assert (
        code == 0 and out.splitlines()[:2] == ["a: OK", "empty: OK"] and "new\\nline\\: OK" in out
    )
    a.write_bytes(contents["a"][:65536] + b"y" + contents["a"][65537:])
    (root / "empty").unlink()
    code, out, err = run(capfdbinary, cluster, "verify", listed, "--quiet")
    changed = f"{residue.crc32c(a.read_bytes()):08x}"
    assert code == 1
    assert (
        out == f"a: FAILED  bytes 65536..131072  crc-32/iscsi {changed} instead of {value}\n"
        "empty: missing\n"
    )
    assert err == f"residue.distributed: {root}: 3 good, 1 changed, 1 missing\n"
    code, out, _ = run(capfdbinary, cluster, "verify", listed, "--json", "--ignore-missing")
    report = json.loads(out)
    assert code == 1 and report["counts"] == {
        "good": 3,
        "changed": 1,
        "missing": 0,
        "extra": 0,
        "unreadable": 0,
    }
    assert report["findings"][0]["ranges"] == [[65536, 131072]]
    listed.write_text(listed.read_text()[:-30])
    code, out, err = run(capfdbinary, cluster, "verify", listed)
    assert (code, out) == (2, "") and "use another copy" in err

    code, out, _ = run(capfdbinary, cluster, "search", "--width", 8, "--hd", 4, "--length", "12B")
    assert code == 0 and "have HD 4 at 96 bits of data" in out
    code, out, _ = run(capfdbinary, cluster, "search", "--width", 8, "--survey", "--csv")
    assert code == 0 and out.startswith("koopman,mirrored,")
    code, out, _ = run(
        capfdbinary,
        cluster,
        "data",
        "--made",
        "ramp",
        "-a",
        "xns",
        "--splices",
        "1e5",
        "--trials",
        100,
    )
    assert code == 0 and out.startswith("ramp: ") and "effective bits" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["value", "x", "--part-size", "65"], "multiple of 64"),
        (["value", "x", "--storage-options", "["], "expected JSON"),
        (["search", "--width", "8"], "--hd"),
        (["search", "--width", "8", "--hd", "4", "--length", "5GiB"], "1500B"),
        (["data", "--splices", "1e99"], "1e8"),
        (["frobnicate"], "invalid choice"),
        ([], "COMMAND"),
    ],
)
def test_wrong_usage(capsys, words, message):
    with pytest.raises(SystemExit) as ended:
        _cli.main(words)
    assert ended.value.code == 2 and message in capsys.readouterr().err


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
