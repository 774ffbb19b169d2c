"""Tests of manifests that somebody else wrote, with right check values: whatever they have, they
are refused with ManifestError, which says what is wrong and where.
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
from residue.distributed import _names

from manifests import CRC, LARGE, OUTSIDE, SMALL, good, hexed, refuse, signed, text

pytestmark = QUIET


def test_the_manifest_of_these_tests_is_good():
    made = rd.Manifest.parse(text(good()))
    assert {name: entry.size for name, entry in made.entries.items()} == {
        "sub/large": 200, "small": 9
    }  # fmt: skip
    assert rd.Manifest.parse(made.text()) == made


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
