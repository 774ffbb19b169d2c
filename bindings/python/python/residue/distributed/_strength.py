"""Searches for polynomials, and trials of codes on real data, over workers.

The work is done in Rust, one part on one thread of a worker, and the results of parts make what one
machine would find: exactly, whatever the number of parts and workers.
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

#: Seconds that a worker should need for a range of a search: little to lose, and much more than
#: the overhead of a task.
SECONDS = 5.0

#: The most ranges into which the candidates can be divided.
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
    """The polynomials of a width that keep Hamming distance `hd` at `length` bits of data; without
    a length, those that keep it longest; with `survey`, every polynomial with the limits of all
    distances.

    The result is that of `residue strength search --json`. The candidates are divided into
    `ranges`, by default into as many as take some seconds each; a journal keeps those that are
    done. The other arguments are those of `value`. ValueError if no code can be so good, or the
    width is none.
    """
    return json.loads(
        search_as("json", width, hd, length, survey, ranges, client, journal, progress)
    )


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
    """The result as `text`, `csv` or `json`, as `residue strength search` prints it."""
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
        # A search that goes on has the ranges that it began with.
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
    """A range of a search. Runs on a worker."""
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
    """What codes miss when data are damaged as networks and disks do it: the trials of `residue
    strength data`.

    `paths` are files and folders that all workers see, by the same names; `made` are kinds of made
    data (`uniform`, `zeros`, `bitmap`, `ramp`, `records`). `codes` are of at most 32 bits, by
    default the twelve of the documents. Of each source `splices` splices of cells and `trials`
    packets damaged in each other way are tried, as `seed` has it.

    The result is that of `residue strength data --json`, for the same arguments, whatever the
    parts. The other arguments are those of `value`; `part_size` is how many bytes of data a worker
    takes at once. ValueError if an argument is wrong or a source too small, OSError if it cannot be
    read.
    """
    arguments = (paths, made, codes, splices, trials, burst, seed)
    return json.loads(data_run(*arguments, part_size, client, journal, progress))


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
    """The result as JSON."""
    named = labels(codes) if codes is not None else []
    places = [os.path.abspath(os.fspath(path)) for path in paths]
    job = _residue._DataJob(places, list(made), named, splices, trials, burst, seed)
    parts = job.parts(size(part_size))
    # The parts say all of the work, and which bytes of which files are read; of the files, sizes
    # and times say whether they are still the same.
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
    return job.finish([counted[index] for index in sorted(counted)])


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
    """A part of the trials. Runs on a worker."""
    return index, _residue._data_part(part)


def data_text(run: str, full: bool) -> str:
    """The tables of a run, as `residue strength data` prints them."""
    return _residue._data_text(run, full)
