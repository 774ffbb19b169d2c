"""Objects read in parts: the parts, the work of a worker, and the combination of the results.

A part is a range of an object; the last one of an object may be shorter. A worker gets many small
objects at a time. The result of a part is one partial result for each code; those of an object are
concatenated in order. The value is therefore that of reading the object from start to end, in
whatever order workers read the parts.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import residue

from ._cluster import each
from ._errors import ChangedError
from ._journal import Journal
from ._objects import Object, reason, store, within
from ._progress import Progress

#: Default size of a part in bytes.
PART_SIZE = 64 << 20

#: Alignment of parts in bytes: a multiple of the words of all codes, and a cache line.
GRAIN = 64

#: Largest number of small objects that a worker gets at a time.
TOGETHER = 256

#: Number of attempts to read a range, and seconds between them: stores fail temporarily.
ATTEMPTS = 3
PAUSE = 0.2

UNITS = {"": 1, "B": 1}
for power, letter in enumerate("KMGT", 1):
    UNITS |= {f"{letter}iB": 1 << 10 * power, f"{letter}B": 1000**power, letter: 1 << 10 * power}


def size(text: int | str) -> int:
    """Parses a part size: bytes, or a number with a unit as `8MiB`.

    Raises ValueError unless it is a positive multiple of 64 bytes.
    """
    if isinstance(text, str):
        digits = text.strip().rstrip("KMGTiBkb")
        unit = text.strip()[len(digits) :].replace("k", "K")
        if not digits.strip().isdecimal() or unit not in UNITS:
            raise ValueError(f"expected a size in bytes or as 8MiB, 64MB, 1GiB, got {text!r}")
        text = int(digits) * UNITS[unit]
    if isinstance(text, bool) or not isinstance(text, int):
        raise TypeError(f"a part size is an int or a str, not {type(text).__name__}")
    if text < GRAIN or text % GRAIN:
        raise ValueError(
            f"a part size of {text} bytes: give a multiple of {GRAIN}, so that no part ends "
            "inside a word of a code"
        )
    return text


class Piece(NamedTuple):
    """A part of an object, as a worker needs it."""

    name: str
    part: int
    offset: int
    length: int
    object: Object


class Done(NamedTuple):
    """The result of a part: a partial result for each code, or a problem."""

    name: str
    part: int
    partials: list[residue.Partial]
    problem: Problem | None


@dataclass(frozen=True)
class Problem:
    """The reason why an object has no value.

    `kind` is `missing`, `unreadable` or `changed` (while it was read); `why` is a text.
    """

    kind: str
    why: str


@dataclass
class Result:
    """The result of an object: for each part a partial result for each code, or a problem."""

    object: Object
    parts: list[list[residue.Partial]]
    problem: Problem | None = None

    def whole(self) -> list[residue.Partial]:
        """Returns the partial result of the object for each code."""
        return [residue.concat(*of_code) for of_code in zip(*self.parts, strict=True)]


def count(length: int, part_size: int) -> int:
    """Returns the number of parts of an object: at least one, as empty data also has a value."""
    return max(1, -(-length // part_size))


def work(
    url: str, options: Mapping[str, Any] | None, codes: Sequence[str], pieces: Sequence[Piece]
) -> list[Done]:
    """Reads parts; runs on a worker."""
    known = [residue.Code(code) for code in codes]
    files = store(url, options)
    return [_read(files, known, piece) for piece in pieces]


def _read(files: Any, codes: Sequence[residue.Code], piece: Piece) -> Done:
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(PAUSE)
        try:
            partials = [residue.partial(code) for code in codes]
            for block in files.read(piece.name, piece.offset, piece.length):
                partials = [
                    whole + residue.partial(code, block)
                    for whole, code in zip(partials, codes, strict=True)
                ]
            # After the read: a change since the first inspection shows, whether it affected these
            # bytes or not.
            now = files.stat(piece.name)
        except FileNotFoundError:
            return Done(piece.name, piece.part, [], Problem("missing", "no such object"))
        except (PermissionError, IsADirectoryError, NotADirectoryError) as error:
            return Done(piece.name, piece.part, [], Problem("unreadable", reason(error)))
        except Exception as error:  # noqa: BLE001 (drivers have errors of their own)
            problem = Problem("unreadable", reason(error))
            continue
        if not now.same(piece.object):
            why = "changed while it was read"
            if now.size != piece.object.size:
                why += f", from {piece.object.size} to {now.size} bytes"
            return Done(piece.name, piece.part, [], Problem("changed", why))
        if partials[0].length == piece.length:
            return Done(piece.name, piece.part, partials, None)
        got = f"its store gave {partials[0].length} of the {piece.length} bytes from {piece.offset}"
        problem = Problem("unreadable", got)
    return Done(piece.name, piece.part, [], problem)


def read(
    client: Any,
    url: str,
    options: Mapping[str, Any] | None,
    objects: Mapping[str, Object],
    codes: Sequence[str],
    part_size: int,
    journal: Journal,
    progress: Progress,
) -> dict[str, Result]:
    """Reads objects below the URL on the workers; returns their results by name."""
    results = {
        name: Result(one, [[] for _ in range(count(one.size, part_size))])
        for name, one in objects.items()
    }
    progress.start(sum(one.size for one in objects.values()))

    def stamp(one: Object) -> Any:
        return [one.size, dict(one.version), list(codes)]

    def pieces() -> Iterator[Piece]:
        for name, result in results.items():
            # An object without a version may have changed.
            known = journal.known(name, stamp(result.object)) if result.object.version else {}
            for part in range(len(result.parts)):
                offset = part * part_size
                length = min(part_size, result.object.size - offset)
                if (partials := _restored(known.get(part), codes, length)) is not None:
                    result.parts[part] = partials
                    progress.skip(length)
                elif result.problem is None:
                    yield Piece(name, part, offset, length, result.object)

    def done(batch: list[Done]) -> None:
        for one in batch:
            result = results[one.name]
            length = min(part_size, result.object.size - one.part * part_size)
            progress.add(length)
            if one.problem is not None:
                result.problem = result.problem or _checked(url, options, one.name, one.problem)
                continue
            result.parts[one.part] = one.partials
            values = [f"{partial.value:x}" for partial in one.partials]
            journal.add(one.name, stamp(result.object), one.part, values)

    try:
        each(
            client,
            work,
            ((url, options, tuple(codes), batch) for batch in _batches(pieces(), part_size)),
            done,
        )
    finally:
        journal.save()
        progress.stop()
    return results


def _restored(values: Any, codes: Sequence[str], length: int) -> list[residue.Partial] | None:
    """Returns the partials from the values in a journal; None if they do not fit the codes."""
    if not isinstance(values, list) or len(values) != len(codes):
        return None
    try:
        return [
            residue.Partial(code, int(value, 16), length)
            for code, value in zip(codes, values, strict=True)
        ]
    except (ValueError, TypeError):
        return None


def _batches(pieces: Iterator[Piece], part_size: int) -> Iterator[list[Piece]]:
    batch: list[Piece] = []
    held = 0
    for piece in pieces:
        if batch and (held + piece.length > part_size or len(batch) == TOGETHER):
            yield batch
            batch, held = [], 0
        batch.append(piece)
        held += piece.length
    if batch:
        yield batch


def _checked(url: str, options: Mapping[str, Any] | None, name: str, problem: Problem) -> Problem:
    """Checks a worker's problem on this machine: a missing object may be missing there only."""
    if problem.kind != "missing":
        return problem
    try:
        store(url, options).stat(name)
    except OSError:
        return Problem("changed", "disappeared while it was read")
    return Problem(
        "unreadable",
        "exists, but not on the workers: put it on storage that all of them share",
    )


def raised(url: str, name: str, problem: Problem) -> OSError:
    """Converts a problem to an exception."""
    kind = ChangedError if problem.kind == "changed" else OSError
    # OSError creates a FileNotFoundError from this number.
    number = errno.ENOENT if problem.kind == "missing" else errno.EIO
    return kind(number, problem.why, within(url, name))
