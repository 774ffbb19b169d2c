"""Journals: files of finished parts, from which interrupted work resumes.

A journal is JSON with its own check value, and is replaced as a whole or not at all. It names the
work that it belongs to, and the version of each object whose parts were read; parts of an object
with another version are read again.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any

import residue

from ._errors import JournalError
from ._replace import replace

#: Shortest interval between two writes of the file, in seconds; and the largest share of the time
#: that writing may take.
INTERVAL = 2.0
SHARE = 0.05


class Journal:
    """The finished parts; saved to a file if there is a path."""

    def __init__(self, path: str | os.PathLike[str] | None, task: dict[str, Any]) -> None:
        self._path = None if path is None else os.fspath(path)
        self._task = task
        self._objects: dict[str, dict[str, Any]] = {}
        self._changed = False
        self._due = 0.0
        if self._path is not None:
            self._load(self._path)

    def known(self, name: str, stamp: Any) -> dict[int, Any]:
        """Returns the results of an object's finished parts; none if its stamp differs."""
        entry = self._objects.get(name)
        if entry is None or entry["stamp"] != stamp:
            return {}
        return {int(part): result for part, result in entry["parts"].items()}

    def add(self, name: str, stamp: Any, part: int, result: Any) -> None:
        """Adds the result of a part."""
        if self._path is None:
            return
        entry = self._objects.get(name)
        if entry is None or entry["stamp"] != stamp:
            entry = self._objects[name] = {"stamp": stamp, "parts": {}}
        entry["parts"][str(part)] = result
        self._changed = True
        if time.monotonic() >= self._due:
            self.save()

    def save(self) -> None:
        """Writes the file, if anything changed."""
        if self._path is None or not self._changed:
            return
        start = time.monotonic()
        body = {"format": 1, "task": self._task, "objects": self._objects}
        text = json.dumps({"journal": body, "crc-32c": _check(body)}, separators=(",", ":")) + "\n"
        replace(self._path, text.encode("ascii"))
        self._changed = False
        end = time.monotonic()
        self._due = end + max(INTERVAL, (end - start) / SHARE)

    def _load(self, path: str) -> None:
        # A device or a pipe holds nothing to resume from.
        if not os.path.isfile(path) and not os.path.isdir(path):
            # Write it at once, so that a file that cannot be written is reported before the work.
            self._changed = True
            self.save()
            return
        with open(path, "rb") as file:
            content = file.read()
        try:
            whole = json.loads(content.decode("ascii"))
            body, check = whole["journal"], whole["crc-32c"]
            good = check == _check(body) and body["format"] == 1 and _sound(body)
        except (ValueError, KeyError, TypeError, RecursionError):
            good = False
        if not good:
            raise JournalError(
                f"{self._path}: not a journal, or a damaged one; delete it to start over"
            )
        if body["task"] != self._task:
            differ = ", ".join(
                f"{key} {body['task'].get(key)!r} instead of {value!r}"
                for key, value in self._task.items()
                if body["task"].get(key) != value
            )
            raise JournalError(
                f"{self._path}: this journal belongs to other work ({differ}); name another file, "
                "or delete it to start over"
            )
        self._objects = body["objects"]


def _sound(body: dict[str, Any]) -> bool:
    """Returns whether a journal has the form of one: its check value is no proof."""
    entries = body["objects"].values() if isinstance(body["objects"], dict) else [None]
    return isinstance(body["task"], dict) and all(
        isinstance(entry, dict)
        and "stamp" in entry
        and isinstance(entry.get("parts"), dict)
        and all(part.isascii() and part.isdecimal() and len(part) < 20 for part in entry["parts"])
        for entry in entries
    )


def _check(body: Any) -> str:
    text = json.dumps(body, separators=(",", ":"), sort_keys=True)
    return f"{residue.crc32c(text.encode('ascii')):08x}"
