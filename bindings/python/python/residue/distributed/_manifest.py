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
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import residue

from ._errors import ManifestError
from ._objects import reason, store
from ._parts import Problem, Result, count

HEAD = "# residue-manifest "
TAIL = "# residue-manifest-end "

#: Names are bytes, which need not be valid UTF-8.
CODING = {"encoding": "utf-8", "errors": "surrogateescape"}


@dataclass(frozen=True)
class Entry:
    """An object of a manifest.

    `size` is in bytes, None if the list does not state it; `values` has the value by each code, and
    `parts` the values of the object's parts by each code.
    """

    name: str
    size: int | None
    values: Mapping[str, int]
    parts: Mapping[str, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Manifest:
    """The sizes and check values of the objects of a tree.

    `root` is the URL of the tree, `tree` whether all objects below it are listed, `codes` the names
    of the codes, `part_size` the size of the parts in bytes, `entries` the objects by name, and
    `problems` the objects that could not be read, with reasons. A list of values has no root and no
    part size.
    """

    root: str | None
    tree: bool
    codes: tuple[str, ...]
    part_size: int | None
    entries: Mapping[str, Entry]
    problems: tuple[tuple[str, Problem], ...] = ()
    #: Numbers of the lines that could not be parsed, from 1.
    malformed: tuple[int, ...] = ()

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
            facts: dict[str, Any] = {"name": entry.name, "size": entry.size}
            if entry.parts:
                facts["parts"] = {
                    code: [hexed(code, v) for v in parts] for code, parts in entry.parts.items()
                }
            lines.append("# " + _json(facts))
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
            return Manifest.parse(content.decode(**CODING), code)
        except ManifestError as error:
            raise ManifestError(f"{url}: {error}") from None

    @staticmethod
    def parse(text: str, code: str | None = None) -> Manifest:
        """Parses the text of a manifest, or of a list of values in the format of `residue sum`."""
        return _manifest(text) if text.startswith(HEAD) else _list(text, code)


def _json(facts: Mapping[str, Any]) -> str:
    return json.dumps(facts, separators=(",", ":"))


def hexed(code: str, value: int) -> str:
    """Formats a value in hexadecimal, with all digits of its code."""
    return f"{value:0{-(-residue.Code(code).width // 4)}x}"


def tagged(code: str, name: str, value: int) -> str:
    """Formats a line of `residue sum --tag`. Names are escaped as in coreutils."""
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    lead = "\\" if escaped != name else ""
    return f"{lead}{code if '=' in code else code.upper()} ({escaped}) = {hexed(code, value)}"


def _manifest(text: str) -> Manifest:
    body, _, last = text.rpartition(TAIL)
    try:
        end = json.loads(last)
        good = end["crc-32c"] == f"{residue.crc32c(body.encode(**CODING)):08x}"
    except (ValueError, KeyError, TypeError):
        raise ManifestError(
            "cut short: its last line is missing or damaged; use another copy"
        ) from None
    if not good:
        raise ManifestError(
            "damaged: its check value is wrong; use another copy (or, if it was changed on "
            "purpose, delete the lines that begin with #: it is then a list without part values)"
        )
    lines = body.split("\n")
    try:
        head = json.loads(lines[0][len(HEAD) :])
        if head["format"] != 1:
            raise ManifestError(
                f"has format {head['format']}, but this version of residue reads format 1"
            )
        codes, part_size = tuple(head["codes"]), head["part_size"]
        entries: dict[str, Entry] = {}
        place = 1
        while place < len(lines) - 1:
            facts = json.loads(lines[place][2:])
            values = {}
            for offset, code in enumerate(codes, 1):
                name, label, value = _tagged(lines[place + offset])
                if name != facts["name"] or label != code:
                    raise ValueError
                values[code] = value
            parts = {code: [int(v, 16) for v in of] for code, of in facts.get("parts", {}).items()}
            entry = Entry(facts["name"], facts["size"], values, parts)
            _agree(entry, facts["size"], part_size)
            entries[entry.name] = entry
            place += 1 + len(codes)
        return Manifest(head["root"], head["tree"], codes, part_size, entries)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        if isinstance(error, ManifestError):
            raise
        raise ManifestError(
            "its check value is right, but residue did not write it; create a new one"
        ) from error


def _agree(entry: Entry, size: int, part_size: int) -> None:
    """Raises ValueError unless the values of the parts combine to the value of the object."""
    for code, parts in entry.parts.items():
        if len(parts) != count(size, part_size):
            raise ValueError(f"{len(parts)} parts")
        lengths = [min(part_size, size - start) for start in range(0, size, part_size)]
        whole = residue.concat(
            *(residue.Partial(code, v, n) for v, n in zip(parts, lengths, strict=True))
        )
        if whole.value != entry.values[code]:
            raise ValueError("the parts have another value")


#: `CODE (name) = value`, the value in hexadecimal or base64.
TAGGED = re.compile(r"(\\?)([^()]+?) \((.+)\) = ([0-9A-Za-z+/]+=*)\s*", re.DOTALL)
#: `value  name`
PLAIN = re.compile(r"(\\?)([0-9A-Za-z+/]+=*)(?:  | \*|\t| )(.+)", re.DOTALL)


def _tagged(line: str) -> tuple[str, str, int]:
    """Parses a tagged line into name, code and value; raises ValueError if it is not one."""
    match = TAGGED.fullmatch(line)
    if match is None:
        raise ValueError("not a tagged line")
    escape, tag, name, value = match.groups()
    code = label(tag)
    return _unescaped(name) if escape else name, code, _value(code, value)


def _unescaped(name: str) -> str:
    plain = {"\\\\": "\\", "\\n": "\n", "\\r": "\r"}
    if re.fullmatch(r"(?:[^\\]|\\[\\nr])*", name, re.DOTALL) is None:
        raise ValueError("not an escaped name")
    return re.sub(r"\\.", lambda match: plain[match[0]], name)


def _value(code: str, text: str) -> int:
    """Parses a value in hexadecimal or base64, which differ in their numbers of characters."""
    width = residue.Code(code).width
    if len(text) == -(-width // 4) and re.fullmatch("[0-9a-fA-F]+", text):
        value = int(text, 16)
    else:
        octets = b64decode(text, validate=True)
        if len(octets) != -(-width // 8):
            raise ValueError("not a value of this code")
        value = int.from_bytes(octets, "big")
    if value >> width:
        raise ValueError("not a value of this code")
    return value


def label(code: str | residue.Code) -> str:
    """Returns the name of a code for manifests and journals.

    For a CRC without a name, returns its parameters, as `residue sum` formats them. Raises
    ValueError if there is no such code.
    """
    if isinstance(code, str) and code.lower() == "cksum":
        raise ValueError(
            "cksum appends the length to the data, which is impossible for parts: use "
            "crc-32/cksum for the code alone, or `residue sum -a cksum`"
        )
    return str(residue.Code(code)).replace(" ", ",")


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
                name, named, value = _tagged(line)
            except ValueError:
                match = PLAIN.fullmatch(line)
                if code is None or match is None:
                    raise
                named = label(code)
                name = _unescaped(match[3]) if match[1] else match[3]
                value = _value(named, match[2])
        except ValueError:
            malformed.append(number)
            continue
        codes[named] = None
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
    return Manifest(None, False, tuple(codes), None, entries, malformed=tuple(malformed))
