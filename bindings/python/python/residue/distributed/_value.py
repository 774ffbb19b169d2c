"""Check values of one object, and manifests of trees."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import residue

from ._cluster import connect
from ._journal import Journal
from ._manifest import Manifest, label
from ._objects import store
from ._parts import PART_SIZE, raised, read, size
from ._progress import Progress

Codes = str | residue.Code | Sequence[str | residue.Code]


def labels(codes: Codes) -> list[str]:
    """The names of codes, each once. ValueError if there is none, or one is not known."""
    named = [codes] if isinstance(codes, (str, residue.Code)) else codes
    known = list(dict.fromkeys(label(code) for code in named))
    if not known:
        raise ValueError("no code is named")
    return known


def partials(
    url: str | os.PathLike[str],
    codes: Codes = "crc-32c",
    *,
    part_size: int | str = PART_SIZE,
    client: Any = None,
    journal: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> list[residue.Partial]:
    """The partial results (value and length) of an object for each of the codes, from one reading.
    See `value`.
    """
    named, bytes_of_part = labels(codes), size(part_size)
    place = store(url, storage_options)
    if place.is_tree():
        raise IsADirectoryError(
            21, "is a folder: take its manifest, or name an object in it", place.root
        )
    task = {"work": "value", "url": place.root, "codes": named, "part_size": bytes_of_part}
    kept = Journal(journal, task)
    objects = {"": place.stat("")}
    with connect(client) as connected:
        bar = Progress(progress)
        result = read(
            connected, place.root, storage_options, objects, named, bytes_of_part, kept, bar
        )[""]
    if result.problem is not None:
        raise raised(place.root, "", result.problem)
    return result.whole()


def value(
    url: str | os.PathLike[str],
    code: str | residue.Code = "crc-32c",
    *,
    part_size: int | str = PART_SIZE,
    client: Any = None,
    journal: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> int:
    """The check value of an object, read in parts by many workers: what reading it from start to
    end gives.

    `url` is a local path or what fsspec reads, as `s3://bucket/key`, `storage_options` what its
    driver wants to know. `part_size` is in bytes, or text as `"64MiB"`; a multiple of 64. `client`
    says where (see `connect`). `journal` names a local file that keeps what is done, so that the
    same call goes on after an interruption. `progress` shows a bar on standard error; None shows it
    on a terminal.

    Raises OSError if the object cannot be read, ChangedError (an OSError) if it changed meanwhile,
    ValueError if the code is unknown or the part size is none, JournalError (a ValueError) if the
    journal is damaged or another's, and ClusterError (a RuntimeError) if the cluster cannot do it.
    """
    (partial,) = partials(
        url,
        [code],
        part_size=part_size,
        client=client,
        journal=journal,
        progress=progress,
        storage_options=storage_options,
    )
    return partial.value


def manifest(
    url: str | os.PathLike[str],
    codes: Codes = "crc-32c",
    *,
    part_size: int | str = PART_SIZE,
    client: Any = None,
    journal: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> Manifest:
    """The manifest of all objects below a URL, or of one object: names, sizes, values, and values
    of parts.

    Objects that cannot be read are in `.problems` and not in the manifest. Of local trees, links
    and what is no regular file are left out. The arguments are those of `value`. The manifest is
    the same whoever read the parts.
    """
    named, bytes_of_part = labels(codes), size(part_size)
    place = store(url, storage_options)
    tree = place.is_tree()
    if tree:
        listing = place.list()
        objects, troubles = listing.objects, listing.problems
    else:
        folder, _, name = place.root.rpartition("/")
        place, troubles = store(folder, storage_options), []
        objects = {name: place.stat(name)}
    task = {"work": "manifest", "url": place.root, "codes": named, "part_size": bytes_of_part}
    kept = Journal(journal, task)
    with connect(client) as connected:
        bar = Progress(progress)
        results = read(
            connected, place.root, storage_options, objects, named, bytes_of_part, kept, bar
        )
    return Manifest.of(place.root, tree, named, bytes_of_part, results, troubles)
