"""Check values of an object, and manifests of trees."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import residue

from ._cluster import connect
from ._journal import Journal
from ._lines import label
from ._manifest import Manifest
from ._objects import store
from ._parts import PART_SIZE, raised, read, size
from ._progress import Progress

Codes = str | residue.Code | Sequence[str | residue.Code]


def labels(codes: Codes) -> list[str]:
    """Returns the names of codes, each once; raises ValueError if none is given or known."""
    named = [codes] if isinstance(codes, (str, residue.Code)) else codes
    known = list(dict.fromkeys(label(code) for code in named))
    if not known:
        raise ValueError("no code is given: name at least one")
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
    """Computes the partial results (value and length) of an object by several codes in one pass.

    The arguments and errors are those of `value`.
    """
    named, bytes_of_part = labels(codes), size(part_size)
    place = store(url, storage_options)
    if place.is_tree():
        raise IsADirectoryError(
            21, "is a folder: create a manifest, or name an object in it", place.root
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
    """Computes the check value of an object, which many workers read in parts.

    `url` is a local path or a URL that fsspec reads, as `s3://bucket/key`; `storage_options` are
    the options of its driver. `part_size` is in bytes, or a text as `"64MiB"`; a multiple of 64.
    `client` selects the cluster (see `connect`). `journal` names a local file that keeps the
    finished parts, from which an equal call resumes after an interruption. `progress` shows a bar
    on standard error; with None, only on a terminal.

    Raises OSError if the object cannot be read, ChangedError (an OSError) if it changed meanwhile,
    ValueError if the code is unknown or the part size invalid, JournalError (a ValueError) if the
    journal is damaged or belongs to other work, and ClusterError (a RuntimeError) if the cluster
    fails.
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
    """Creates the manifest of all objects below a URL, or of one object.

    It has names, sizes, values, and values of parts. Objects that cannot be read are left out, and
    listed in its `problems`. In local trees, links and anything that is not a regular file are left
    out. The arguments and errors are those of `value`.
    """
    named, bytes_of_part = labels(codes), size(part_size)
    place = store(url, storage_options)
    tree = place.is_tree()
    if tree:
        listing = place.list()
        objects, troubles = listing.objects, listing.problems
    else:
        folder, _, name = place.root.rpartition("/")
        if not folder or folder.endswith(":/"):
            folder += "/"  # The root of the file system, or of the store.
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
