"""Objects read in parts: what is read, the work of a worker, and the results put together.

A part is a range of an object; the last one of an object may be shorter. Small objects are given to
workers many at a time. What a part comes to is one partial result for each code, and those of an
object are concatenated in order: so the value is that of reading it from start to end, whoever read
the parts, and when.
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

#: Bytes of a part if nothing is said.
PART_SIZE = 64 << 20

#: Parts begin where words of all codes do, and lines of the cache.
GRAIN = 64

#: Small objects that are given to a worker at once, at most.
TOGETHER = 256

#: Times that a range is read before its error counts, and seconds between them: stores fail for a
#: moment now and then.
ATTEMPTS = 3
PAUSE = 0.2

UNITS = {"": 1, "B": 1}
for power, letter in enumerate("KMGT", 1):
    UNITS |= {f"{letter}iB": 1 << 10 * power, f"{letter}B": 1000**power, letter: 1 << 10 * power}


def size(text: int | str) -> int:
    """A part size: bytes, or a number with a unit as `8MiB`. ValueError if no part can have it."""
    if isinstance(text, str):
        digits = text.strip().rstrip("KMGTiBkb")
        unit = text.strip()[len(digits) :].replace("k", "K")
        if not digits.strip().isdecimal() or unit not in UNITS:
            raise ValueError(f"{text!r} is no size; write bytes, or 8MiB, 64MB, 1GiB")
        text = int(digits) * UNITS[unit]
    if isinstance(text, bool) or not isinstance(text, int):
        raise TypeError(f"a part size is an int or a str, not {type(text).__name__}")
    if text < GRAIN or text % GRAIN:
        raise ValueError(
            f"a part of {text} bytes: give a multiple of {GRAIN}, at which words of every "
            "code begin"
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
    """What a part came to: a partial result for each code, or why there is none."""

    name: str
    part: int
    partials: list[residue.Partial]
    problem: Problem | None


@dataclass(frozen=True)
class Problem:
    """Why an object has no value. `kind` is `missing`, `unreadable` or `changed` (while it was
    read).
    """

    kind: str
    why: str


@dataclass
class Result:
    """What an object came to: for each part a partial result for each code, or a problem."""

    object: Object
    parts: list[list[residue.Partial]]
    problem: Problem | None = None

    def whole(self) -> list[residue.Partial]:
        """The object's partial result for each code."""
        return [residue.concat(*of_code) for of_code in zip(*self.parts, strict=True)]


def count(length: int, part_size: int) -> int:
    """The parts of an object: at least one, as no bytes have a value too."""
    return max(1, -(-length // part_size))


def work(
    url: str, options: Mapping[str, Any] | None, codes: Sequence[str], pieces: Sequence[Piece]
) -> list[Done]:
    """Reads parts. Runs on a worker."""
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
            # Whatever happened since the object was first looked at, it has happened to the bytes
            # that were read, or not.
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
    """Reads objects, by their names below the URL, on the workers."""
    results = {
        name: Result(one, [[] for _ in range(count(one.size, part_size))])
        for name, one in objects.items()
    }
    progress.start(sum(one.size for one in objects.values()))

    def stamp(one: Object) -> Any:
        return [one.size, dict(one.version), list(codes)]

    def pieces() -> Iterator[Piece]:
        for name, result in results.items():
            # What has no version may have changed.
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
    """The partials that a journal kept."""
    if not isinstance(values, list) or len(values) != len(codes):
        return None
    return [
        residue.Partial(code, int(value, 16), length)
        for code, value in zip(codes, values, strict=True)
    ]


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
    """A worker's problem, looked at from here."""
    if problem.kind != "missing":
        return problem
    try:
        store(url, options).stat(name)
    except OSError:
        return Problem("changed", "disappeared while it was read")
    return Problem(
        "unreadable",
        "is there, but not for the workers: it has to be on storage that all of them share",
    )


def raised(url: str, name: str, problem: Problem) -> OSError:
    """A problem as an exception."""
    kind = ChangedError if problem.kind == "changed" else OSError
    # Python makes a FileNotFoundError of its number.
    number = errno.ENOENT if problem.kind == "missing" else errno.EIO
    return kind(number, problem.why, within(url, name))
