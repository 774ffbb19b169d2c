"""Manifests: the sizes and check values of the objects of a tree.

A manifest is text. It has lines `CRC-32/ISCSI (name) = e3069283`, as `residue sum --tag` prints
them, by which `residue sum --check` verifies local files. Lines that begin with `#` are comments to
these programs; in a manifest they hold JSON. The first line describes the manifest. A line before
the values of each object has its size and the values of its parts. The last line has a check value
of all lines before it, so that a cut or damaged manifest is refused.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import residue

from ._errors import ManifestError
from ._lines import PLAIN, hexed, label, parsed, tagged, unescaped, value_of
from ._names import CODING, absolute, outside
from ._objects import reason, store
from ._parts import GRAIN, Problem, Result, count
from ._strict import MOST, facts, has, kind, shown, size

HEAD = "# residue-manifest "
TAIL = "# residue-manifest-end "


@dataclass(frozen=True)
class Entry:
    """An object of a manifest.

    `size` is in bytes, None if the list does not state it; `values` has the value by each code, and
    `parts` the values of the object's parts by each code. Raises ManifestError if the name does not
    lead to an object below a root, or the size is none.
    """

    name: str
    size: int | None
    values: Mapping[str, int]
    parts: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if why := outside(self.name):
            raise ManifestError(
                f"the name {shown(self.name)} {why}: names are relative paths below the root, as "
                "`a/b`"
            )
        if self.size is not None:
            size(self.size, f"the size of {shown(self.name)}")


@dataclass(frozen=True)
class Manifest:
    """The sizes and check values of the objects of a tree.

    `root` is the URL of the tree, `tree` whether all objects below it are listed, `codes` the names
    of the codes, `part_size` the size of the parts in bytes, `entries` the objects by name, and
    `problems` the objects that could not be read, with reasons. A list of values has no root and no
    part size. `origin` is the URL that the manifest was read from, empty for a text, and None if it
    was not read: its root is then the caller's own. Raises ManifestError if the root is not
    absolute, or the part size not a positive multiple of 64.
    """

    root: str | None
    tree: bool
    codes: tuple[str, ...]
    part_size: int | None
    entries: Mapping[str, Entry]
    problems: tuple[tuple[str, Problem], ...] = ()
    #: Numbers of the lines that could not be parsed, from 1.
    malformed: tuple[int, ...] = ()
    origin: str | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.root is not None and not absolute(self.root):
            raise ManifestError(
                f"the root is {shown(self.root)}: expected an absolute path or a URL"
            )
        if self.part_size is not None and (
            type(self.part_size) is not int
            or not GRAIN <= self.part_size <= MOST
            or self.part_size % GRAIN
        ):
            raise ManifestError(
                f"part_size is {shown(self.part_size)}: expected a multiple of {GRAIN} bytes, "
                "at least one"
            )

    def text(self) -> str:
        """Returns the text of the manifest."""
        head = {
            "format": 1,
            "root": self.root,
            "tree": self.tree,
            "codes": self.codes,
            "part_size": self.part_size,
        }
        lines = [HEAD + _json(head)]
        for entry in self.entries.values():
            known: dict[str, Any] = {"name": entry.name, "size": entry.size}
            if entry.parts:
                known["parts"] = {
                    code: [hexed(code, v) for v in parts] for code, parts in entry.parts.items()
                }
            lines.append("# " + _json(known))
            lines += [tagged(code, entry.name, value) for code, value in entry.values.items()]
        body = "".join(line + "\n" for line in lines)
        end = {
            "objects": len(self.entries),
            "crc-32c": f"{residue.crc32c(body.encode(**CODING)):08x}",
        }
        return f"{body}{TAIL}{_json(end)}\n"

    def write(
        self, url: str | os.PathLike[str], storage_options: Mapping[str, Any] | None = None
    ) -> None:
        """Writes the manifest; a local file is replaced as a whole or not at all."""
        store(url, storage_options).write(self.text().encode(**CODING))

    @staticmethod
    def of(
        root: str,
        tree: bool,
        codes: Sequence[str],
        part_size: int,
        results: Mapping[str, Result],
        unlisted: Sequence[tuple[str, str]],
    ) -> Manifest:
        """Creates a manifest from results, and from names that cannot be listed, with reasons."""
        entries: dict[str, Entry] = {}
        problems = [(name, Problem("unreadable", why)) for name, why in unlisted]
        for name, result in results.items():
            if result.problem is not None:
                problems.append((name, result.problem))
                continue
            values = {code: whole.value for code, whole in zip(codes, result.whole(), strict=True)}
            parts: dict[str, list[int]] = {}
            if len(result.parts) > 1:
                columns = zip(*result.parts, strict=True)
                parts = {
                    code: [part.value for part in of]
                    for code, of in zip(codes, columns, strict=True)
                }
            entries[name] = Entry(name, result.object.size, values, parts)
        return Manifest(root, tree, tuple(codes), part_size, entries, tuple(problems))

    @staticmethod
    def read(
        url: str | os.PathLike[str],
        storage_options: Mapping[str, Any] | None = None,
        code: str | None = None,
    ) -> Manifest:
        """Reads a manifest or a list of values; `code` is the code of lines that name none.

        Raises ManifestError if the file is neither, or a manifest is damaged.
        """
        place = store(url, storage_options)
        try:
            size = place.stat("").size
            content = b"".join(map(bytes, place.read("", 0, size)))
        except OSError as error:
            raise type(error)(error.errno, reason(error), url) from error
        try:
            return replace(Manifest.parse(content.decode(**CODING), code), origin=place.root)
        except ManifestError as error:
            raise ManifestError(f"{url}: {error}") from None

    @staticmethod
    def parse(text: str, code: str | None = None) -> Manifest:
        """Parses the text of a manifest, or of a list of values in the format of `residue sum`."""
        return _manifest(text) if text.startswith(HEAD) else _list(text, code)


def _json(known: Mapping[str, Any]) -> str:
    return json.dumps(known, separators=(",", ":"))


def _manifest(text: str) -> Manifest:
    body, _, last = text.rpartition(TAIL)
    try:
        end = facts(last)
        good = end["crc-32c"] == f"{residue.crc32c(body.encode(**CODING)):08x}"
    except (ValueError, KeyError):
        raise ManifestError(
            "cut short: its last line is missing or damaged; use another copy"
        ) from None
    if not good or not body.endswith("\n"):
        raise ManifestError(
            "damaged: its check value is wrong; use another copy (or, if it was changed on "
            "purpose, delete the lines that begin with #: it is then a list without part values)"
        )
    lines = body.split("\n")[:-1]
    place = 0
    try:
        root, tree, codes, part_size = _head(facts(lines[0][len(HEAD) :]))
        entries: dict[str, Entry] = {}
        place = 1
        while place < len(lines):
            entry = _entry(lines[place : place + 1 + len(codes)], codes, part_size)
            if entry.name in entries:
                raise ManifestError(f"{shown(entry.name)} is listed twice")
            entries[entry.name] = entry
            place += 1 + len(codes)
        place = len(lines)
        if has(end, "objects", int, "the number of objects") != len(entries):
            raise ManifestError(
                f"the last line counts {shown(end['objects'])} objects, but {len(entries)} are "
                "listed"
            )
        return Manifest(root, tree, codes, part_size, entries, origin="")
    except ManifestError as error:
        raise ManifestError(
            f"line {place + 1}: {error}; its check value is right, so it was written like this: "
            "do not use it, and create a new one"
        ) from None


def _head(head: Mapping[str, Any]) -> tuple[str | None, bool, tuple[str, ...], int | None]:
    """Reads the facts of a first line: root, tree, codes and part size."""
    if has(head, "format", int, "1") != 1:
        raise ManifestError(
            f"has format {shown(head['format'])}, but this version of residue reads format 1"
        )
    tree = has(head, "tree", bool, "true or false")
    codes = tuple(has(head, "codes", list, "a list of names"))
    if not codes:
        raise ManifestError("codes is empty: expected at least one")
    for code in codes:
        if not isinstance(code, str) or codes.count(code) > 1 or not _is_label(code):
            raise ManifestError(f"codes has {shown(code)}: expected names of codes, each once")
    for key in ("root", "part_size"):
        if key not in head:
            raise ManifestError(f"has no {key}")
    root, part_size = head["root"], head["part_size"]
    # A list of values has neither.
    if (root is None) != (part_size is None):
        raise ManifestError("has only one of root and part_size")
    # Checks both before any entry is read.
    Manifest(root, tree, codes, part_size, {})
    return root, tree, codes, part_size


def _is_label(code: str) -> bool:
    try:
        return label(code) == code
    except ValueError:
        return False


def _entry(lines: Sequence[str], codes: Sequence[str], part_size: int | None) -> Entry:
    """Reads the lines of an object."""
    if not lines[0].startswith("# "):
        raise ManifestError("expected `# ` and the facts of an object in JSON")
    found = facts(lines[0][2:])
    name = has(found, "name", str, "a text")
    if "size" not in found or (found["size"] is None and part_size is not None):
        raise ManifestError(f"has no size for {shown(name)}")
    # Checks the name and the size before anything depends on them.
    entry = Entry(name, found["size"], {})
    if len(lines) <= len(codes):
        raise ManifestError(f"not all values of {shown(name)} follow")
    values = {}
    for code, line in zip(codes, lines[1:], strict=True):
        try:
            found_name, found_code, value = parsed(line)
        except ValueError:
            raise ManifestError(
                f"expected the value of {shown(name)} by {code}, got {shown(line)}"
            ) from None
        if (found_name, found_code) != (name, code):
            raise ManifestError(
                f"expected the value of {shown(name)} by {code}, got that of "
                f"{shown(found_name)} by {found_code}"
            )
        values[code] = value
    parts = _parts_of(found, codes, entry, part_size)
    entry = Entry(name, entry.size, values, parts)
    _agree(entry, part_size)
    return entry


def _parts_of(
    found: dict[str, Any], codes: Sequence[str], entry: Entry, part_size: int | None
) -> dict[str, list[int]]:
    """Reads the values of an object's parts; none if it is one part."""
    expected = 1 if entry.size is None or part_size is None else count(entry.size, part_size)
    if "parts" not in found:
        if expected > 1:
            raise ManifestError(f"has no parts for {shown(entry.name)}: expected {expected}")
        return {}
    parts = has(found, "parts", dict, "the values of the parts by code")
    if list(parts) != list(codes) or part_size is None:
        raise ManifestError(f"parts has other codes than the manifest: {shown(list(parts))}")
    read = {}
    for code, texts in parts.items():
        if type(texts) is not list or len(texts) != expected:
            got = len(texts) if type(texts) is list else kind(texts)
            raise ManifestError(
                f"parts has {got} for {code}: expected {expected} values, as "
                f"{entry.size} bytes have parts of {part_size} bytes"
            )
        digits = -(-residue.Code(code).width // 4)
        for text in texts:
            if type(text) is not str or re.fullmatch(f"[0-9a-f]{{{digits}}}", text) is None:
                raise ManifestError(f"parts has {shown(text)} for {code}: not a value of it")
        read[code] = [int(text, 16) for text in texts]
    return read


def _agree(entry: Entry, part_size: int | None) -> None:
    """Raises ManifestError unless the values of the parts combine to the value of the object."""
    if entry.size is None or part_size is None:
        return
    for code, parts in entry.parts.items():
        starts = range(0, max(entry.size, 1), part_size)
        lengths = [min(part_size, entry.size - start) for start in starts]
        try:
            whole = residue.concat(
                *(residue.Partial(code, v, n) for v, n in zip(parts, lengths, strict=True))
            )
        except ValueError as error:
            raise ManifestError(f"the parts of {shown(entry.name)}: {error}") from None
        if whole.value != entry.values[code]:
            raise ManifestError(f"the parts of {shown(entry.name)} have another value by {code}")


def _list(text: str, code: str | None) -> Manifest:
    entries: dict[str, Entry] = {}
    malformed: list[int] = []
    codes: dict[str, None] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        line = line.removesuffix("\r")
        if not line or line.startswith("#"):
            continue
        try:
            try:
                name, named, value = parsed(line)
            except ValueError:
                match = PLAIN.fullmatch(line)
                if code is None or match is None:
                    raise
                named = label(code)
                name = unescaped(match[3]) if match[1] else match[3]
                value = value_of(named, match[2])
        except ValueError:
            malformed.append(number)
            continue
        codes[named] = None
        if why := outside(name):
            raise ManifestError(
                f"line {number}: the name {shown(name)} {why}: verify names below one root, or use "
                "`residue sum --check`"
            )
        before = entries.get(name)
        if before is not None and before.values.get(named, value) != value:
            raise ManifestError(
                f"line {number}: another value of {named} for {name!r} than in an earlier line"
            )
        entries[name] = Entry(name, None, {**(before.values if before else {}), named: value})
    if not entries:
        raise ManifestError(
            "expected a manifest, or a list of check values as `residue sum --tag` prints it"
            + ("" if code else "; if the lines name no code, give it with --code (code=)")
        )
    return Manifest(
        None, False, tuple(codes), None, entries, malformed=tuple(malformed), origin=""
    )
