"""Searches for polynomials, and trials of codes on real data, on many workers.

Rust does the work, one part on one thread of a worker. The merged results are exactly those of one
machine, for any number of parts and workers.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import residue
from residue import _residue

from ._cluster import connect, each
from ._journal import Journal
from ._parts import size
from ._progress import Progress
from ._value import Codes, labels

#: Target duration of a range of a search in seconds: little to lose, but much more than the
#: overhead of a task.
SECONDS = 5.0

#: Largest number of ranges into which the candidates can be divided.
MOST_RANGES = 1 << 20

#: Bytes of data in a part of a trial.
DATA_PART = 4 << 20


def search(
    width: int,
    *,
    hd: int | None = None,
    length: int | None = None,
    survey: bool = False,
    ranges: int | None = None,
    client: Any = None,
    journal: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> dict[str, Any]:
    """Searches for the polynomials of a width that keep a Hamming distance.

    With `hd` and `length`, finds those that keep distance `hd` at `length` bits of data; with `hd`
    alone, those that keep it for the longest data; with `survey`, every polynomial with the limits
    of all distances. Returns the result of `residue strength search --json`.

    The candidates are divided into `ranges`, by default of some seconds each; a journal keeps the
    finished ones. The other arguments are those of `value`. Raises ValueError if no code can have
    the distance, or the width is not 3 to 64.
    """
    text = search_as("json", width, hd, length, survey, ranges, client, journal, progress)
    found: dict[str, Any] = json.loads(text)
    return found


def search_as(
    form: str,
    width: int,
    hd: int | None,
    length: int | None,
    survey: bool,
    ranges: int | None,
    client: Any,
    journal: str | os.PathLike[str] | None,
    progress: bool | None,
) -> str:
    """Searches as `search` does; returns `text`, `csv` or `json` as `residue strength search`."""
    question = (width, hd, length, survey)
    seconds = _residue._search_seconds(*question)
    task = {
        "work": "search",
        "width": width,
        "hd": hd,
        "length": length,
        "survey": survey,
        "ranges": ranges,
    }
    kept = Journal(journal, task)
    with connect(client) as connected:
        # A resumed search keeps its division into ranges.
        begun = kept.known("ranges", None).get(0)
        threads = max(1, sum(connected.nthreads().values()))
        wanted = max(4 * threads, int(seconds / SECONDS))
        of = ranges or begun or min(wanted, MOST_RANGES, 1 << max(0, width - 2))
        kept.add("ranges", None, 0, of)
        parts: dict[int, str] = kept.known("parts", of)
        bar = Progress(progress, "candidates")
        bar.start(of)
        bar.skip(len(parts))

        def done(result: tuple[int, str]) -> None:
            index, text = result
            parts[index] = text
            kept.add("parts", of, index, text)
            bar.add(1)

        try:
            left = (index for index in range(1, of + 1) if index not in parts)
            each(connected, search_part, ((question, index, of) for index in left), done)
        finally:
            kept.save()
            bar.stop()
    return _residue._search_merge([parts[index] for index in sorted(parts)], form)


def search_part(
    question: tuple[int, int | None, int | None, bool], index: int, of: int
) -> tuple[int, str]:
    """Searches a range; runs on a worker."""
    return index, _residue._search_range(*question, index, of)


def data(
    paths: Sequence[str | os.PathLike[str]] = (),
    *,
    made: Sequence[str] = (),
    codes: Codes | None = None,
    splices: int = 100_000_000,
    trials: int = 1_000_000,
    burst: int = 33,
    seed: int = 1,
    part_size: int | str = DATA_PART,
    client: Any = None,
    journal: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> dict[str, Any]:
    """Damages real data as networks and disks do, and counts the errors that codes do not detect.

    `paths` are files and folders, under equal names on all workers; `made` are kinds of generated
    data (`uniform`, `zeros`, `bitmap`, `ramp`, `records`). `codes` have at most 32 bits; the
    default is the twelve codes of docs/strength.md. For each source, `splices` splices of cells
    and `trials` packets with each other kind of damage are tried; `seed` determines the random
    choices, and bursts have `burst` bits.

    Returns the result of `residue strength data --json` for equal arguments, for any parts.
    `part_size` is the size of the parts that workers read, in bytes or as `"4MiB"`. The other
    arguments are those of `value`. Raises ValueError if an argument is invalid or a source too
    small, and OSError if a source cannot be read.
    """
    arguments = (paths, made, codes, splices, trials, burst, seed)
    found: dict[str, Any] = json.loads(data_run(*arguments, part_size, client, journal, progress))
    return found


def data_run(
    paths: Sequence[str | os.PathLike[str]],
    made: Sequence[str],
    codes: Codes | None,
    splices: int,
    trials: int,
    burst: int,
    seed: int,
    part_size: int | str,
    client: Any,
    journal: str | os.PathLike[str] | None,
    progress: bool | None,
) -> str:
    """Runs the trials as `data` does; returns JSON."""
    named = labels(codes) if codes is not None else []
    places = [os.path.abspath(os.fspath(path)) for path in paths]
    job = _residue._DataJob(places, list(made), named, splices, trials, burst, seed)
    parts = job.parts(size(part_size))
    # A part describes its work and the files that it reads; the sizes and times of the files show
    # whether they changed.
    stamps = [_stamp(part, files) for part, files, _ in parts]
    task = {
        "work": "data",
        "paths": places,
        "made": list(made),
        "codes": named,
        "parts": len(parts),
    }
    kept = Journal(journal, task)
    counted: dict[int, str] = {}
    bar = Progress(progress)
    bar.start(sum(length for _, _, length in parts))
    with connect(client) as connected:

        def left() -> Any:
            for index, (part, _, length) in enumerate(parts):
                known = kept.known(str(index), stamps[index]).get(0)
                if known is None:
                    yield index, part
                else:
                    counted[index] = known
                    bar.skip(length)

        def done(result: tuple[int, str]) -> None:
            index, text = result
            counted[index] = text
            kept.add(str(index), stamps[index], 0, text)
            bar.add(parts[index][2])

        try:
            each(connected, data_part, left(), done)
        finally:
            kept.save()
            bar.stop()
    text: str = job.finish([counted[index] for index in sorted(counted)])
    return text


def _stamp(part: str, files: Sequence[str]) -> list[Any]:
    stamp: list[Any] = [f"{residue.crc32c(part.encode()):08x}"]
    for path in files:
        try:
            found = os.stat(path)
            stamp.append([found.st_size, str(found.st_mtime_ns)])
        except OSError:
            stamp.append(None)
    return stamp


def data_part(index: int, part: str) -> tuple[int, str]:
    """Runs a part of the trials; runs on a worker."""
    return index, _residue._data_part(part)


def data_text(run: str, full: bool) -> str:
    """Formats the tables of a run as `residue strength data` prints them."""
    return _residue._data_text(run, full)
