"""Tests of the names and the roots of manifests that somebody else wrote: nothing outside of the
root is read.
"""

import pytest
import residue

from objects import QUIET

pytest.importorskip(
    "distributed", reason="Dask is not installed: pip install 'residue-codes[dask]'"
)

from residue import distributed as rd
from residue.distributed import _names, _objects, _parts, _verify

from manifests import CRC, OUTSIDE, SMALL, good, hexed, line, refuse, text

pytestmark = QUIET


# --- names

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


def test_the_manifest_of_an_object_in_the_root_of_a_store(threads, memory, tmp_path, monkeypatch):
    memory.pipe_file("/a", SMALL)
    made = rd.manifest("memory://a", client=threads)
    assert (made.root, list(made.entries)) == ("memory://", ["a"])
    assert rd.verify(made, client=threads).good
    # In the root of the file system, not in the current folder.
    (tmp_path / "a-name-of-no-file").write_bytes(SMALL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_objects.Local, "is_tree", lambda self: False)
    with pytest.raises(FileNotFoundError, match="'/a-name-of-no-file'"):
        rd.manifest("/a-name-of-no-file", client=threads)
