"""Atomic replacement of files, and writing to devices and pipes."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat


def replace(path: str | os.PathLike[str], content: bytes) -> None:
    """Replaces a file atomically: its name refers to all of the old content or all of the new.

    Links are followed and stay; the target of a dangling link is created. The new file has the
    permissions of the old one and, where the system allows it, its owner. A device or a pipe is
    written to, not replaced; a file that is named by its descriptor (`/dev/stdout`,
    `/proc/self/fd/1`) is appended to.
    """
    path = os.fspath(path)
    try:
        there = os.stat(path)
    except FileNotFoundError:
        there = None
    target, opened = _followed(path)
    if there is not None and (opened or not stat.S_ISREG(there.st_mode)):
        # For a folder, this raises the error of the system.
        flags = os.O_WRONLY | (os.O_APPEND if stat.S_ISREG(there.st_mode) else 0)
        with open(os.open(path, flags), "wb") as file:
            file.write(content)
        return
    temporary = os.path.join(os.path.dirname(target), f".residue-{secrets.token_hex(8)}")
    # Until it has the mode of the old file, only the owner may read it.
    mode = 0o666 if there is None else 0o600
    try:
        file = open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode))
    except OSError as error:
        # With the requested path, not that of the temporary file.
        raise type(error)(error.errno, error.strerror, path) from None
    try:
        with file:
            file.write(content)
            if there is not None and hasattr(os, "fchmod"):
                _like(file.fileno(), there)
            file.flush()
            # The content must be on the disk before the name: a crash must not leave an empty file.
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _like(number: int, there: os.stat_result) -> None:
    """Gives a new file the owner and the mode of the file that it replaces."""
    for owner in (there.st_uid, -1):
        # A user may be allowed to set the group, but not the owner.
        with contextlib.suppress(PermissionError):
            os.fchown(number, owner, there.st_gid)
            break
    os.fchmod(number, stat.S_IMODE(there.st_mode))


#: Largest number of links to follow, as in Linux.
MOST_LINKS = 40


def _followed(path: str) -> tuple[str, bool]:
    """Returns the path at the end of all links, existing or not, and whether it is a descriptor."""

    for _ in range(MOST_LINKS):
        folder = os.path.dirname(path)
        real = os.path.realpath(folder or ".")
        if real == "/dev/fd" or real.startswith("/proc/") and real.endswith("/fd"):
            return path, True
        if not os.path.islink(path):
            break
        path = os.path.join(folder, os.readlink(path))
    return path, False
