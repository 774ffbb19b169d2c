"""A journal: the parts that are done, in a file, so that work that was ended goes on instead of
beginning anew.

The file is JSON with a check value of its own, and is replaced whole or not at all. It says what
work it belongs to, and of each object what it was like when its parts were read; parts of an object
that is no longer like that are done again.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any

import residue

from ._errors import JournalError
from ._replace import replace

#: Seconds between two savings, at least; and at most this share of the time goes into saving.
INTERVAL = 2.0
SHARE = 0.05


class Journal:
    """What is done; kept in a file if there is a path."""

    def __init__(self, path: str | os.PathLike[str] | None, task: dict[str, Any]) -> None:
        self._path = None if path is None else os.fspath(path)
        self._task = task
        self._objects: dict[str, dict[str, Any]] = {}
        self._changed = False
        self._due = 0.0
        if self._path is not None:
            self._load(self._path)

    def known(self, name: str, stamp: Any) -> dict[int, Any]:
        """What the parts of an object came to that are done; none if the object is another than it
        was.
        """
        entry = self._objects.get(name)
        if entry is None or entry["stamp"] != stamp:
            return {}
        return {int(part): result for part, result in entry["parts"].items()}

    def add(self, name: str, stamp: Any, part: int, result: Any) -> None:
        """Notes what a part came to."""
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
        """Writes the file, if there is news."""
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
        # What is written through, as a device, holds nothing to go on from.
        if not os.path.isfile(path) and not os.path.isdir(path):
            # At once, so that a file that cannot be written is found out before the work.
            self._changed = True
            self.save()
            return
        with open(path, "rb") as file:
            content = file.read()
        try:
            whole = json.loads(content.decode("ascii"))
            body, check = whole["journal"], whole["crc-32c"]
            good = check == _check(body) and body["format"] == 1
        except (ValueError, KeyError, TypeError):
            good = False
        if not good:
            raise JournalError(
                f"{self._path}: no journal, or a damaged one; delete it to begin anew"
            )
        if body["task"] != self._task:
            differ = ", ".join(
                f"{key} {body['task'].get(key)!r} instead of {value!r}"
                for key, value in self._task.items()
                if body["task"].get(key) != value
            )
            raise JournalError(
                f"{self._path}: the journal of other work ({differ}); name another file, or "
                "delete it to begin anew"
            )
        self._objects = body["objects"]


def _check(body: Any) -> str:
    text = json.dumps(body, separators=(",", ":"), sort_keys=True)
    return f"{residue.crc32c(text.encode('ascii')):08x}"
