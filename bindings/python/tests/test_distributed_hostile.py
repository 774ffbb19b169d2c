"""Tests of manifests that somebody else wrote, with right check values: whatever they have, they
are refused with ManifestError, and nothing outside of the root is read.
"""

import copy
import json
import os
import random

import pytest
import residue

from objects import QUIET

pytest.importorskip(
    "distributed", reason="Dask is not installed: pip install 'residue-codes[dask]'"
)

from residue import distributed as rd
from residue.distributed import _names, _objects, _parts, _verify

pytestmark = QUIET

CRC = "crc-32/iscsi"
LARGE, SMALL = bytes(range(200)), b"123456789"


def hexed(data):
    return f"{residue.crc32c(data):08x}"


def good():
    """Returns a manifest as values of JSON: its head, its objects, and its last line."""
    large = {
        "name": "sub/large",
        "size": 200,
        "parts": {CRC: [hexed(LARGE[at : at + 64]) for at in range(0, 200, 64)]},
    }
    return {
        "head": {"format": 1, "root": "/data", "tree": True, "codes": [CRC], "part_size": 64},
        "entries": [[large, hexed(LARGE)], [{"name": "small", "size": 9}, hexed(SMALL)]],
        "end": {"objects": 2},
    }


def signed(body, end, raw=None):
    """Returns a text with a right check value."""
    check = f"{residue.crc32c(body.encode('utf-8', 'surrogateescape')):08x}"
    last = json.dumps({**end, "crc-32c": check}) if raw is None else raw
    return f"{body}# residue-manifest-end {last}\n"


def line(name, value, code="CRC-32/ISCSI"):
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    lead = "\\" if escaped != name else ""
    return f"{lead}{code} ({escaped}) = {value}\n"


def halved(text):
    return any("\ud800" <= character <= "\udbff" for character in text)


def text(parts):
    body = "# residue-manifest " + json.dumps(parts["head"]) + "\n"
    for facts, value in parts["entries"]:
        name = facts.get("name") if isinstance(facts, dict) else None
        # No bytes of a line are half of a surrogate pair; JSON can escape it.
        name = None if isinstance(name, str) and halved(name) else name
        facts = ascii(facts) if isinstance(facts, str) and halved(facts) else facts
        lead = "" if isinstance(facts, str) and not facts.startswith("{") else "# "
        body += lead + (facts if isinstance(facts, str) else json.dumps(facts)) + "\n"
        body += line(name if isinstance(name, str) else "small", ascii(value).strip("'"))
    return signed(body, parts["end"])


def refuse(content, says):
    with pytest.raises(rd.ManifestError, match=says) as raised:
        rd.Manifest.parse(content)
    assert len(str(raised.value)) < 1000
    return str(raised.value)


def test_the_manifest_of_these_tests_is_good():
    made = rd.Manifest.parse(text(good()))
    assert {name: entry.size for name, entry in made.entries.items()} == {
        "sub/large": 200, "small": 9
    }  # fmt: skip
    assert rd.Manifest.parse(made.text()) == made


# --- names

OUTSIDE = [
    "..", "../x", "../../etc/passwd", "a/../../x", "a/..", "a/../b", "./../x", "a//../../x",
    "/etc/passwd", "/", "//host/share", "\\\\host\\share", "\\etc\\passwd", "..\\x", "a\\..\\..\\x",
    "a/..\\..\\x", "C:/x", "c:\\x", "Z:\\..\\x", "", "a\0b", "\0", "../x\0", "file:///etc/passwd",
    "http://169.254.169.254/latest", "a/http://host/x", "s3://bucket/key", "simplecache::s3://b/k",
    "simplecache::/etc/passwd", "filecache::x", "zip::file:///etc/x.zip",
    "local::/etc/passwd", "memory::x", "\ud800", "a\ud83d", "x" * 70_000,
]  # fmt: skip
#: Names that only look like the others.
INSIDE = [
    "...", "a/...", "..a", "a..", ".../x", "a/..b/c", ".hidden", "./a", "a//b", "File::Spec.3pm",
    "a:b", "threads::shared", "new\nline\\", "a\\b", "%2e%2e", "a b", "~", "~root/x", "$HOME", "-",
    "caf\udce9", "\N{FLOPPY DISK}", "x" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE, ids=lambda name: ascii(name[:20]))
def test_names_do_not_lead_out_of_the_root(name, memory, tmp_path):
    parts = good()
    parts["entries"][1][0]["name"] = name
    refuse(text(parts), "line 4: the name .* relative paths")
    with pytest.raises(rd.ManifestError, match="the name"):
        rd.Entry(name, 9, {CRC: 1})
    # An empty name is that of the root itself.
    if name:
        refuse(line(name, hexed(SMALL)), "line 1: the name")
        # Not even a worker that is asked for it reads it.
        (tmp_path / "root").mkdir()
        for place in (_objects.store(tmp_path / "root"), _objects.store("memory://root")):
            with pytest.raises(PermissionError, match="the name"):
                place.stat(name)
            with pytest.raises(PermissionError, match="the name"):
                list(place.read(name, 0, 9))


@pytest.mark.parametrize("name", INSIDE, ids=lambda name: ascii(name[:20]))
def test_names_that_stay_inside_are_accepted(name):
    assert _names.outside(name) is None
    parts = good()
    parts["entries"][1][0]["name"] = name
    made = rd.Manifest.parse(text(parts))
    assert list(made.entries) == ["sub/large", name]
    assert rd.Manifest.parse(made.text()) == made


@pytest.mark.parametrize("name", ["%2e%2e/x", "a/%2E./x", "%252e%252e/x", "%2fetc", "a%5c..%5cx"])
def test_names_that_servers_decode_stay_below_the_url(name, memory):
    with pytest.raises(PermissionError, match="the name"):
        _objects.store("memory://root").stat(name)


def test_trees_with_such_names_have_manifests_without_them(threads, tmp_path):
    root = tmp_path / "tree"
    root.mkdir()
    for name in ("good", "a\\..\\b", "\\x", "File::Spec.3pm"):
        (root / name).write_bytes(SMALL)
    made = rd.manifest(root, client=threads)
    assert sorted(made.entries) == ["File::Spec.3pm", "good"]
    assert sorted(name for name, _ in made.problems) == ["\\x", "a\\..\\b"]
    assert all("name" in problem.why for _, problem in made.problems)
    assert rd.Manifest.parse(made.text()).entries == made.entries


# --- links


def test_links_out_of_the_root_are_not_followed(threads, tmp_path):
    root, secret = tmp_path / "root", tmp_path / "secret"
    (root / "in").mkdir(parents=True)
    secret.mkdir()
    (secret / "file").write_bytes(SMALL)
    (root / "in" / "file").write_bytes(SMALL)
    # A sibling whose path begins as the root's.
    (tmp_path / "rootless").write_bytes(SMALL)
    for name, target in [
        ("absolute", secret / "file"),
        ("relative", "../secret/file"),
        ("folder", secret),
        ("chain", "absolute"),
        ("up", ".."),
        ("sibling", "../rootless"),
        ("inside", "in/file"),
        ("below", "in"),
    ]:
        (root / name).symlink_to(target)
    good_names = ["inside", "in/file", "below/file"]
    bad_names = ["absolute", "relative", "folder/file", "chain", "up/secret/file", "sibling"]
    entries = {name: rd.Entry(name, 9, {CRC: residue.crc32c(SMALL)}) for name in
               good_names + bad_names}  # fmt: skip
    through = tmp_path / "link-to-root"
    through.symlink_to(root)
    for place in (str(root), str(through), f"simplecache::file://{root}"):
        given = rd.Manifest(place, True, (CRC,), 64, entries)
        report = rd.verify(given, client=threads, ignore_extra=True)
        found = {finding.name: finding for finding in report}
        assert {name for name in entries if found[name].verdict == "good"} == set(good_names)
        for name in bad_names:
            assert found[name].verdict == "unreadable", name
            assert "link leads out" in found[name].problem and found[name].actual is None


def test_a_link_that_appears_later_is_not_followed_by_workers(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret").write_bytes(SMALL)
    (root / "x").write_bytes(SMALL)
    place = _objects.store(root)
    known = place.stat("x")
    (root / "x").unlink()
    (root / "x").symlink_to(tmp_path / "secret")
    (done,) = _parts.work(str(root), None, [CRC], [_parts.Piece("x", 0, 0, 9, known)])
    assert done.partials == [] and "link leads out" in done.problem.why


# --- roots


@pytest.mark.parametrize(
    ("origin", "root", "same"),
    [
        ("/a/list", "/b", True),
        ("", "/b", True),
        ("", "s3://bucket", False),
        ("/a/list", "memory://data", False),
        ("/a/list", "http://169.254.169.254/", False),
        ("/a/list", "simplecache::s3://bucket", False),
        ("/a/list", "file:///etc", False),
        ("/a/list", "\\\\host\\share", False),
        ("/a/list", "//host/share", False),
        ("s3://bucket/list", "s3://bucket/data", True),
        ("s3://bucket/list", "s3://other/data", False),
        ("s3://bucket/list", "gs://bucket/data", False),
        ("s3://bucket/list", "/etc", False),
        ("http://host/list", "http://host:8080/", False),
        ("http://host/list", "http://user@host/", False),
        ("http://host/list", "http://[", False),
        ("simplecache::http://host/list", "simplecache::http://host/", False),
    ],
)
def test_a_manifest_leads_to_its_own_store_only(origin, root, same, monkeypatch):
    opened = []

    def opens(url, options=None):
        opened.append(url)
        raise InterruptedError

    parts = good()
    parts["head"]["root"] = root
    made = rd.Manifest.parse(text(parts))
    object.__setattr__(made, "origin", origin)
    monkeypatch.setattr(_verify, "store", opens)
    with pytest.raises(InterruptedError if same else rd.ManifestError) as raised:
        rd.verify(made)
    assert opened == ([root] if same else [])
    assert same or ("root=" in str(raised.value) and "--root" in str(raised.value))
    # If it is asked for, by name.
    opened.clear()
    with pytest.raises(InterruptedError):
        rd.verify(made, root)
    assert opened == [root]


def test_where_a_manifest_was_read_is_known(threads, memory, tmp_path):
    memory.pipe_file("/data/a", SMALL)
    made = rd.manifest("memory://data", client=threads)
    assert made.origin is None and rd.verify(made, client=threads).good
    made.write(tmp_path / "list")
    read, parsed = rd.Manifest.read(tmp_path / "list"), rd.Manifest.parse(made.text())
    for given in (tmp_path / "list", read, parsed):
        with pytest.raises(rd.ManifestError, match="another store"):
            rd.verify(given, client=threads)
        assert rd.verify(given, "memory://data", client=threads).good


# --- values of JSON

DEEP = "[" * 100_000
HUGE = "9" * 5000


def wrongs(*right):
    """Returns values of every type of JSON, without those of the given types."""
    all_ = [None, True, False, 0, 1, -1, 1 << 63, 1 << 200, 0.5, 64.0, 1e300, "", "64", "a", [], {}]
    return [value for value in all_ if type(value) not in right]


def changed(where, value):
    parts = good()
    *path, last = where
    place = parts
    for step in path:
        place = place[step]
    place[last] = value
    return parts


TABLE = [
    *[(("head", "format"), value, "line 1: .*format") for value in [2, 0, *wrongs(int)]],
    *[(("head", "tree"), value, "line 1: tree is") for value in wrongs(bool)],
    *[(("head", "codes"), value, "line 1: codes") for value in [[], [1], [CRC] * 2, [None],
       ["crc-99"], ["crc32c"], ["cksum"], ["a\0"], [[CRC]], *wrongs(list)]],
    *[(("head", "root"), value, "line 1: (the root is|has only one of root)") for value in
      ["data", "../data", "", ".", "/a\0b", "/\ud800", *wrongs()]],
    *[(("head", "part_size"), value, "line 1: (part_size is|has only one of root)") for value in
      [0, -64, 63, 65, 1 << 63, -(1 << 200), 2**64 + 64, *wrongs()]],
    *[(("entries", 1, 0, "name"), value, "line 4: name is") for value in wrongs(str)],
    *[(("entries", 1, 0, "size"), value, "line 4: (the size of|has no size|has no parts)") for value
      in [v for v in wrongs() if v not in (0, 1) or type(v) is bool] + [-9, 1 << 63, 65, 1 << 62]],
    *[(("entries", 0, 0, "parts"), value, "line 2: parts") for value in wrongs()],
    *[(("entries", 0, 0, "parts"), value, "line 2: parts has") for value in
      [{CRC: []}, {"adler-32": ["00000000"] * 4}, {CRC: None}, {CRC: "abcd"}, {CRC: {}},
       {CRC: [hexed(LARGE)]}, {CRC: ["00000000"] * 5}, {CRC: [0] * 4}, {CRC: [None] * 4},
       {CRC: ["-0000001"] * 4}, {CRC: ["0x000000"] * 4}, {CRC: ["0000_000"] * 4},
       {CRC: ["0000000"] * 4}, {CRC: ["+0000000"] * 4}, {CRC: ["００００００００"] * 4}]],
    (("entries", 0, 0, "parts"), {CRC: ["00000000"] * 4}, "line 2: the parts of .* another value"),
    (("entries", 1, 0, "name"), "sub/large", "line 4: .* is listed twice"),
    *[(("entries", 1, 1), value, "line 4: expected the value of") for value in
      ["", "-1", "123", "123456789", "zzzzzzzz", "0x123456"]],
    *[(("end", "objects"), value, "(the last line counts|objects is)") for value in
      [3, *wrongs()]],
    *[(("entries", 1, 0), value, "line 4: ") for value in
      [None, True, 5, [], "{", '{"name":"small","name":"other","size":9}', '{"name":"small"}',
       '{"size":9}', '{"name":"small","size":NaN}', '{"name":"small","size":Infinity}',
       '{"name":"small","size":-Infinity}', '{"name":"small","size":1e400}', "no JSON",
       f'{{"name":"small","size":{HUGE}}}', f'{{"name":"small","size":-{HUGE}}}',
       f'{{"name":"small","size":{DEEP}}}', '{"name":"small","size":9} {}', "{'name':'small'}",
       '{"name":"sm\udce9ll","size":9}', '{"name":"café","size":9}']],
]  # fmt: skip


@pytest.mark.parametrize(("where", "value", "says"), TABLE, ids=lambda value: ascii(value)[:40])
def test_hostile_values_are_named(where, value, says):
    assert "do not use it" in refuse(text(changed(where, value)), says)


@pytest.mark.parametrize("where", [("head", key) for key in good()["head"]] + [
    ("entries", 0, 0, "parts"), ("entries", 1, 0, "name"), ("entries", 1, 0, "size"),
    ("end", "objects"),
], ids=str)  # fmt: skip
def test_missing_facts_are_named(where):
    parts = good()
    *path, last = where
    place = parts
    for step in path:
        place = place[step]
    del place[last]
    refuse(text(parts), f"has (no|only one of).* {last}|has only one of")


@pytest.mark.parametrize(
    "head",
    ["", "null", "[]", "1", '"x"', "{", DEEP, "{}", '{"format":1,"format":1}', "NaN",
     '{"format":true}', "{" * 9, '{"format":1e0}', f'{{"format":{HUGE}}}', "\udcff\udcfe"],
    ids=lambda head: ascii(head[:20]),
)  # fmt: skip
def test_heads_and_last_lines_of_any_kind(head):
    refuse(signed(f"# residue-manifest {head}\n", {"objects": 0}), "line 1: .*do not use it")
    body = text(good()).partition("# residue-manifest-end")[0]
    refuse(signed(body, {}, head), "cut short")


def test_lines_that_are_missing_or_too_many():
    whole = text(good()).partition("# residue-manifest-end")[0].splitlines(keepends=True)
    for at in range(1, len(whole)):
        refuse(signed("".join(whole[:at] + whole[at + 1 :]), {"objects": 2}), "line [1-6]: ")
        refuse(signed("".join(whole[: at + 1] + whole[at:]), {"objects": 2}), "line [1-6]: ")
        refuse(signed("".join([*whole[:at], "\n", *whole[at:]]), {"objects": 2}), "line [1-6]: ")
    refuse(signed("".join(whole).rstrip("\n"), {"objects": 2}), "damaged")


@pytest.mark.parametrize(
    "content", [b"\xff\xfe\0\0", b"\0" * 99, bytes(range(256)), b"# residue-manifest \xff"]
)
def test_files_that_are_no_text(content, tmp_path):
    (tmp_path / "list").write_bytes(content)
    with pytest.raises(rd.ManifestError, match=str(tmp_path)):
        rd.Manifest.read(tmp_path / "list")


def test_mutations_are_refused_or_harmless(threads):
    """Whatever is changed in a good manifest, the result is ManifestError or a sound manifest."""
    chance = random.Random(7)
    values = [*wrongs(), *OUTSIDE, "a", {"a": 1}, [0], 64, 128, 9, 200, "crc-32c", [CRC, "xns"]]
    refused = accepted = 0
    for _ in range(3000):
        parts = copy.deepcopy(good())
        for _ in range(chance.choice((1, 1, 2, 4))):
            place, key = parts, chance.choice(["head", "entries", "end"])
            while isinstance(place[key], (dict, list)) and place[key] and chance.random() < 0.8:
                place = place[key]
                key = chance.choice(list(place) if isinstance(place, dict) else range(len(place)))
            if place is parts:
                continue
            if chance.random() < 0.2 and isinstance(place, dict):
                del place[key]
            else:
                place[key] = copy.deepcopy(chance.choice(values))
            if not all(type(entry) is list and len(entry) == 2 for entry in parts["entries"]):
                parts["entries"] = good()["entries"]
        content = text(parts)
        if chance.random() < 0.3:
            body = content.partition("# residue-manifest-end")[0]
            body = bytearray(body.encode("utf-8", "surrogateescape"))
            for _ in range(chance.choice((1, 3))):
                body[chance.randrange(20, len(body))] = chance.randrange(256)
            content = signed(body.decode("utf-8", "surrogateescape"), {"objects": 2})
        try:
            made = rd.Manifest.parse(content)
        except rd.ManifestError as error:
            assert str(error)
            refused += 1
            continue
        accepted += 1
        assert made.part_size is None or (made.part_size >= 64 and made.part_size % 64 == 0)
        for name, entry in made.entries.items():
            assert name == entry.name and _names.outside(name) is None
            assert entry.size is None or 0 <= entry.size < 1 << 63
            assert all(0 <= value < 1 << 32 for value in entry.values.values())
            assert entry.values.keys() == set(made.codes)
        assert rd.Manifest.parse(made.text()) == made
    assert refused > 1000 and accepted > 50, (refused, accepted)


def test_small_parts_of_large_objects_do_not_fill_the_memory(threads, tmp_path):
    with open(tmp_path / "sparse", "wb") as file:
        try:
            os.truncate(file.fileno(), 1 << 40)
        except OSError as error:
            pytest.skip(f"no sparse file of 1 TiB here: {error}")
    entries = {"sparse": rd.Entry("sparse", 9, {CRC: 1})}
    report = rd.verify(rd.Manifest(str(tmp_path), True, (CRC,), 64, entries), client=threads)
    (finding,) = report
    assert (finding.verdict, report.good) == ("unreadable", False)
    assert "too many to read" in finding.problem


@pytest.mark.parametrize(
    "objects",
    [[], None, {"": 1}, {"": {"stamp": 1}}, {"": {"parts": {}}}, {"": {"stamp": 1, "parts": []}},
     {"": {"stamp": 1, "parts": {"x": ["1"]}}}, {"": {"stamp": 1, "parts": {HUGE: ["1"]}}}],
    ids=lambda value: ascii(value)[:40],
)  # fmt: skip
def test_hostile_journals_are_refused(objects, tmp_path):
    body = {"format": 1, "task": {"work": "x"}, "objects": objects}
    check = json.dumps(body, separators=(",", ":"), sort_keys=True)
    whole = {"journal": body, "crc-32c": hexed(check.encode())}
    (tmp_path / "j").write_text(json.dumps(whole))
    from residue.distributed._journal import Journal

    for content in (json.dumps(whole), DEEP):
        (tmp_path / "j").write_text(content)
        with pytest.raises(rd.JournalError, match="damaged"):
            Journal(tmp_path / "j", {"work": "x"})
