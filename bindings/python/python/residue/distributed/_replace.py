"""Files replaced whole or not at all, and what is no file written to where it stands."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat


def replace(path: str | os.PathLike[str], content: bytes) -> None:
    """Writes a file, so that its name leads to all of the old content or to all of the new, never
    to less.

    Links are followed and stay; one that leads nowhere gets its target. A file that is replaced
    passes on its permissions and, where the system allows it, its owner. What is no regular file (a
    device, a pipe) is written to, not replaced, and so is a file that is open already and named so
    (`/dev/stdout`, `/proc/self/fd/1`): it is appended to.
    """
    path = os.fspath(path)
    try:
        there = os.stat(path)
    except FileNotFoundError:
        there = None
    target, opened = _followed(path)
    if there is not None and (opened or not stat.S_ISREG(there.st_mode)):
        # A folder is refused here, in the system's words.
        flags = os.O_WRONLY | (os.O_APPEND if stat.S_ISREG(there.st_mode) else 0)
        with open(os.open(path, flags), "wb") as file:
            file.write(content)
        return
    temporary = os.path.join(os.path.dirname(target), f".residue-{secrets.token_hex(8)}")
    # Nobody may read what the old file kept from them, not for a moment.
    mode = 0o666 if there is None else 0o600
    try:
        file = open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode))
    except OSError as error:
        # Named after what was asked for, not after the temporary file.
        raise type(error)(error.errno, error.strerror, path) from None
    try:
        with file:
            file.write(content)
            if there is not None and hasattr(os, "fchmod"):
                _like(file.fileno(), there)
            file.flush()
            # On the disk before the name is: a crash must not leave an empty file under it.
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _like(number: int, there: os.stat_result) -> None:
    """Gives a new file the owner and the mode of the one that it replaces."""
    for owner in (there.st_uid, -1):
        # The group may be one's own to give where the owner is not.
        with contextlib.suppress(PermissionError):
            os.fchown(number, owner, there.st_gid)
            break
    os.fchmod(number, stat.S_IMODE(there.st_mode))


#: The most links that are followed, as Linux has it.
MOST_LINKS = 40


def _followed(path: str) -> tuple[str, bool]:
    """The path at the end of all links, whether something is there or not; and whether it names a
    file that is open.
    """
    for _ in range(MOST_LINKS):
        folder = os.path.dirname(path)
        real = os.path.realpath(folder or ".")
        if real == "/dev/fd" or real.startswith("/proc/") and real.endswith("/fd"):
            return path, True
        if not os.path.islink(path):
            break
        path = os.path.join(folder, os.readlink(path))
    return path, False
