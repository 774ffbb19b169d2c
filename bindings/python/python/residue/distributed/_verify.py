"""Comparison of trees with their manifests."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._cluster import connect
from ._errors import ManifestError
from ._journal import Journal
from ._lines import hexed
from ._manifest import Entry, Manifest
from ._names import same_store
from ._objects import Object, reason, store
from ._parts import PART_SIZE, Problem, Result, count, read
from ._progress import Progress


#: Largest number of parts of an object whose size is not that in the manifest: a manifest may have
#: parts of 64 bytes, and be of other objects than these.
MOST_PARTS = 1 << 22


@dataclass(frozen=True)
class Finding:
    """The verdict on an object.

    `verdict` is `good`, `changed`, `missing`, `extra` or `unreadable`. `ranges` are the parts in
    which a changed object differs, as pairs of offsets in bytes (the end is not included).
    `expected` and `actual` are the values by code; `problem` is the reason.
    """

    name: str
    verdict: str
    ranges: tuple[tuple[int, int], ...] = ()
    expected: Mapping[str, int] | None = None
    actual: Mapping[str, int] | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Report:
    """The verdicts on the objects of a manifest.

    Iterates over `findings`, sorted by name. `malformed` are the numbers of lines that could not be
    parsed, from 1.
    """

    root: str
    findings: tuple[Finding, ...]
    malformed: tuple[int, ...] = ()

    def __iter__(self) -> Any:
        return iter(self.findings)

    def count(self, verdict: str) -> int:
        """Returns the number of objects with a verdict."""
        return sum(finding.verdict == verdict for finding in self.findings)

    @property
    def good(self) -> bool:
        """Whether all objects of the manifest exist unchanged, and no others exist."""
        return all(finding.verdict == "good" for finding in self.findings)


def verify(
    manifest: str | os.PathLike[str] | Manifest,
    root: str | os.PathLike[str] | None = None,
    *,
    code: str | None = None,
    client: Any = None,
    journal: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    ignore_missing: bool = False,
    ignore_extra: bool = False,
    storage_options: Mapping[str, Any] | None = None,
) -> Report:
    """Compares a tree with its manifest, or files with a list of values.

    `root` is the URL of the objects; the default is the root in the manifest, or the current folder
    for a list of values. A manifest that was read from elsewhere than the store of its root (of
    another protocol, host or bucket) needs `root`. Objects are read below the root only. `code` is
    the code of lines that name none. `ignore_missing` and `ignore_extra` leave out objects that are
    missing, or not in the manifest. `storage_options` are the options for the root. The other
    arguments are those of `value`. Raises ManifestError if the manifest is damaged or leads
    elsewhere, and OSError if the manifest or the root cannot be read.
    """
    if not isinstance(manifest, Manifest):
        manifest = Manifest.read(os.fspath(manifest), None, code)
    if root is None and manifest.root is not None and manifest.origin is not None:
        # A text has no place, and is taken for a local file.
        if not same_store(manifest.origin or ".", manifest.root):
            raise ManifestError(
                f"{manifest.origin or 'the manifest'}: its root {manifest.root!r} is in another "
                "store than the manifest; if these objects are to be read, name them as the root "
                f"(root=, --root {manifest.root})"
            )
    place = store(root if root is not None else manifest.root or ".", storage_options)
    tree = manifest.tree and place.is_tree()
    listing = place.list() if tree else None
    found: dict[str, Object] = {}
    problems: dict[str, Problem] = {}
    part_size = manifest.part_size or PART_SIZE
    for name, entry in manifest.entries.items():
        # Links, objects in folders that cannot be listed, and missing ones are not listed.
        try:
            one = (listing.objects.get(name) if listing else None) or place.stat(name)
        except (FileNotFoundError, NotADirectoryError):
            problems[name] = Problem("missing", "no such object")
        except (OSError, ValueError) as error:
            problems[name] = Problem("unreadable", reason(error))
        else:
            parts = count(one.size, part_size)
            if one.size != entry.size and parts > MOST_PARTS:
                why = f"has {one.size} bytes, {parts} parts of {part_size} bytes: too many to read"
                problems[name] = Problem("unreadable", why)
                continue
            found[name] = one

    groups: dict[tuple[str, ...], dict[str, Object]] = {}
    for name, one in found.items():
        groups.setdefault(tuple(manifest.entries[name].values), {})[name] = one
    results: dict[str, Result] = {}
    bar = Progress(progress)
    with connect(client) as connected:
        for codes, objects in groups.items():
            # One journal serves all groups: for each object it keeps the values of the object's own
            # codes.
            task = {
                "work": "verify",
                "root": place.root,
                "part_size": part_size,
                "codes": list(manifest.codes),
            }
            kept = Journal(journal, task)
            results |= read(
                connected, place.root, storage_options, objects, codes, part_size, kept, bar
            )

    findings = [
        _finding(entry, results.get(name), problems.get(name), part_size)
        for name, entry in manifest.entries.items()
    ]
    # If nothing is found, the root is probably wrong: report the missing objects.
    if ignore_missing and found:
        findings = [finding for finding in findings if finding.verdict != "missing"]
    if listing is not None:
        findings += [Finding(name, "unreadable", problem=why) for name, why in listing.problems]
        if not ignore_extra:
            extra = listing.objects.keys() - manifest.entries.keys()
            findings += [Finding(name, "extra", problem="not in the manifest") for name in extra]
    findings.sort(key=lambda finding: finding.name)
    return Report(place.root, tuple(findings), manifest.malformed)


def _finding(
    entry: Entry, result: Result | None, problem: Problem | None, part_size: int
) -> Finding:
    if result is not None:
        problem = result.problem
    if problem is not None or result is None:
        problem = problem or Problem("missing", "no such object")
        verdict = "missing" if problem.kind == "missing" else "unreadable"
        return Finding(entry.name, verdict, expected=entry.values, problem=problem.why)
    actual = {code: whole.value for code, whole in zip(entry.values, result.whole(), strict=True)}
    size = result.object.size
    if actual == dict(entry.values) and entry.size in (None, size):
        return Finding(entry.name, "good", expected=entry.values, actual=actual)
    ranges = _ranges(entry, result, part_size)
    if entry.size not in (None, size):
        why = f"has {size} bytes instead of {entry.size}"
    else:
        differ = [code for code in actual if actual[code] != entry.values[code]]
        why = ", ".join(
            f"{code} {hexed(code, actual[code])} instead of {hexed(code, entry.values[code])}"
            for code in differ
        )
    return Finding(entry.name, "changed", ranges, entry.values, actual, why)


def _ranges(entry: Entry, result: Result, part_size: int) -> tuple[tuple[int, int], ...]:
    """Returns the parts in which a changed object differs; adjacent ones as one range."""
    if entry.size is None:
        return ()
    size = max(entry.size, result.object.size)
    whole = {code: [value] for code, value in entry.values.items()}
    ranges: list[tuple[int, int]] = []
    for part, start in enumerate(range(0, size, part_size)):
        end = min(size, start + part_size)
        alike = min(entry.size, end) == min(result.object.size, end)
        now = result.parts[part] if part < len(result.parts) else []
        for (code, before), after in zip((entry.parts or whole).items(), now, strict=False):
            alike = alike and part < len(before) and before[part] == after.value
        if not alike:
            joined = ranges and ranges[-1][1] == start
            ranges[-1:] = [(ranges[-1][0], end)] if joined else [*ranges[-1:], (start, end)]
    return tuple(ranges)
