"""Atomic replacement of files, and writing to devices and pipes."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator

#: Largest number of links to follow, as in Linux.
MOST_LINKS = 40

#: Whether files can be opened, renamed and deleted relative to an open folder.
RELATIVE = {os.open, os.rename, os.unlink, os.readlink, os.stat} <= os.supports_dir_fd

#: Flags to open a folder to work in it: on Linux, it need not be readable.
_PATH = getattr(os, "O_PATH", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0) | _PATH


def replace(path: str | os.PathLike[str], content: bytes) -> None:
    """Replaces a file atomically: its name refers to all of the old content or all of the new.

    Links are followed and stay; the target of a dangling link is created. A device or a pipe is
    written to, not replaced; a file that is named by its descriptor (`/dev/stdout`,
    `/proc/self/fd/1`) is appended to. The content is on the disk before its name exists, and then
    the folder is synchronised.

    On Unix, the path is resolved once, one name at a time. If nobody but the caller and root can
    change where it leads, the new file has the permissions of the old one and, where the system
    allows it, its owner. If others can, a file of another user is replaced by one of the caller,
    whose permissions are those of the old one as far as the umask permits them. Set-user, set-group
    and sticky bits are never kept. In a folder that all may write, links, pipes and devices are
    refused unless they belong to the caller or the owner of the folder.
    """
    path = os.fspath(path)
    if not RELATIVE:
        _portable(path, content)
        return
    # Errors name the requested path, not a name in a folder or that of a temporary file.
    with _naming(path), contextlib.closing(_Walk(path)) as place:
        place.find()
        number = place.through()
        if number is None:
            _replace(place, content)
        else:
            with open(number, "wb") as file:
                file.write(content)


def _replace(place: _Walk, content: bytes) -> None:
    """Replaces or creates the file at the end of a path."""
    old = place.old
    temporary = _Temporary(place.folder.number, 0o666 if old is None else old.st_mode & 0o666)
    mode = None
    try:
        # A second name may have been given by another user, to a file in another folder.
        is_own = old is not None and old.st_uid == os.geteuid() and old.st_nlink == 1
        if old is not None and (place.is_safe or is_own):
            # Nothing is written to a file that others may have opened before it has its mode.
            limited = os.fstat(temporary.number)
            temporary.remove()
            temporary = _Temporary(place.folder.number, 0o600)
            mode = stat.S_IMODE((old if _given(temporary.number, old) else limited).st_mode) & 0o777
        with open(temporary.number, "wb", closefd=False) as file:
            file.write(content)
        if mode is not None:
            os.fchmod(temporary.number, mode)
        # The content must be on the disk before the name: a crash must not leave an empty file.
        os.fsync(temporary.number)
        temporary.rename(place.name)
    finally:
        temporary.remove()
    place.folder.synchronise()


def _given(number: int, old: os.stat_result) -> bool:
    """Gives a new file the owner and the group of an old one; returns whether it has both."""
    for owner in (old.st_uid, -1):
        # A user may be allowed to set the group, but not the owner.
        with contextlib.suppress(OSError):
            os.fchown(number, owner, old.st_gid)
            break
    new = os.fstat(number)
    return (new.st_uid, new.st_gid) == (old.st_uid, old.st_gid)


class _Temporary:
    """A new file in an open folder."""

    def __init__(self, folder: int, mode: int) -> None:
        self._folder = folder
        self._name = f".residue-{secrets.token_hex(8)}"
        self._is_there = True
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINK
        self.number = os.open(self._name, flags, mode, dir_fd=folder)

    def rename(self, name: str) -> None:
        """Gives the file its name, in place of any other file."""
        os.rename(self._name, name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        self._is_there = False

    def remove(self) -> None:
        """Closes the file, and deletes it if it was not renamed."""
        if self.number >= 0:
            os.close(self.number)
            self.number = -1
        if self._is_there:
            with contextlib.suppress(OSError):
                os.unlink(self._name, dir_fd=self._folder)
            self._is_there = False


class _Folder:
    """An open folder."""

    def __init__(self, name: str, flags: int = 0, dir_fd: int | None = None) -> None:
        self.number = os.open(name, _FOLDER | flags, dir_fd=dir_fd)
        self.stat = os.fstat(self.number)

    def entry(self, name: str) -> tuple[os.stat_result, str] | None:
        """Returns what a name refers to, and the text of a link."""
        try:
            if not _PATH:
                there = os.stat(name, dir_fd=self.number, follow_symlinks=False)
                is_link = stat.S_ISLNK(there.st_mode)
                return there, os.readlink(name, dir_fd=self.number) if is_link else ""
            # The owner and the text must be those of one link.
            number = os.open(name, _PATH | _NO_LINK, dir_fd=self.number)
        except FileNotFoundError:
            return None
        try:
            there = os.fstat(number)
            is_link = stat.S_ISLNK(there.st_mode)
            return there, os.readlink("", dir_fd=number) if is_link else ""
        finally:
            os.close(number)

    def is_magic(self, entry: os.stat_result) -> bool:
        """Returns whether an entry is an open file of a process, which only the system follows."""
        try:
            if _PATH:
                process = os.stat("/proc/self/").st_dev
                return stat.S_ISLNK(entry.st_mode) and self.stat.st_dev == process
            return os.path.samestat(os.stat("/dev/fd"), self.stat)
        except OSError:
            return False

    @property
    def is_shared(self) -> bool:
        """Whether somebody other than the caller and root may change the names in the folder."""
        return not _is_trusted(self.stat) or self.stat.st_mode & 0o022 != 0

    def holds(self, entry: os.stat_result) -> bool:
        """Returns whether only the caller and root may exchange an entry."""
        is_sticky = _is_trusted(self.stat) and self.stat.st_mode & stat.S_ISVTX != 0
        return not self.is_shared or is_sticky and _is_trusted(entry)

    def admit(self, entry: os.stat_result, what: str) -> None:
        """Refuses what anybody may have put into a folder that all may write."""
        if self.stat.st_mode & stat.S_IWOTH and entry.st_uid not in (
            self.stat.st_uid,
            os.geteuid(),
        ):
            raise PermissionError(
                errno.EACCES,
                f"leads through a {what} of another user (number {entry.st_uid}) in a folder that "
                "all may write; name another file",
            )

    def synchronise(self) -> None:
        """Waits until the names in the folder are on the disk."""
        try:
            number = os.open(".", os.O_RDONLY, dir_fd=self.number)
        except PermissionError:
            # A folder may be writable and not readable.
            return
        try:
            os.fsync(number)
        except OSError as error:
            # Not all file systems can.
            if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
                raise
        finally:
            os.close(number)


def _is_trusted(entry: os.stat_result) -> bool:
    return entry.st_uid in (0, os.geteuid())


class _Walk:
    """A path that is followed, one name at a time, each relative to an open folder.

    A path that is resolved twice may lead to two places.
    """

    def __init__(self, path: str) -> None:
        if not path:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        self.folder = _Folder("/" if path.startswith("/") else ".")
        self._names = _names(path)
        #: The last name, in the folder.
        self.name = ""
        #: The file to replace, if there is one.
        self.old: os.stat_result | None = None
        #: Whether nobody but the caller and root can change where the path leads.
        self.is_safe = True
        self._through: os.stat_result | None = None
        self._is_descriptor = False

    def close(self) -> None:
        os.close(self.folder.number)

    def _enter(self, folder: _Folder) -> None:
        self.close()
        self.folder = folder

    def find(self) -> None:
        """Follows the path to its end, through all links."""
        links = 0
        while self._names:
            name = self._names.pop()
            failed = None
            if self._names or name in (".", ".."):
                flags = 0 if name in (".", "..") else _NO_LINK
                try:
                    below = _Folder(name, flags, self.folder.number)
                except OSError as error:
                    failed = error
                else:
                    self.is_safe &= name in (".", "..") or self.folder.holds(below.stat)
                    self._enter(below)
                    continue
            entry = self.folder.entry(name)
            is_link = entry is not None and stat.S_ISLNK(entry[0].st_mode)
            if failed is not None and not is_link:
                raise failed
            if entry is None or not self._names and self.folder.is_magic(entry[0]) or not is_link:
                self._end(name, entry[0] if entry else None)
                return
            links += 1
            if links > MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            self._follow(name, *entry)
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))

    def _follow(self, name: str, link: os.stat_result, text: str) -> None:
        if self.folder.is_magic(link):
            self.is_safe = False
            self._enter(_Folder(name, dir_fd=self.folder.number))
            return
        self.folder.admit(link, "link")
        self.is_safe &= self.folder.holds(link)
        if text.startswith("/"):
            self._enter(_Folder("/"))
        self._names += _names(text)

    def _end(self, name: str, there: os.stat_result | None) -> None:
        self.name = name
        self.is_safe &= not self.folder.is_shared
        if there is None:
            return
        self._is_descriptor = self.folder.is_magic(there)
        if self._is_descriptor:
            return
        if stat.S_ISDIR(there.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if stat.S_ISREG(there.st_mode):
            self.old = there
        else:
            self._through = there

    def through(self) -> int | None:
        """Opens a device, a pipe or a file by its descriptor; nothing for other files."""
        flags = os.O_WRONLY | getattr(os, "O_NOCTTY", 0)
        if self._is_descriptor:
            there = os.stat(self.name, dir_fd=self.folder.number)
            if stat.S_ISREG(there.st_mode):
                flags |= os.O_APPEND
            return os.open(self.name, flags, dir_fd=self.folder.number)
        if self._through is None:
            return None
        self.folder.admit(self._through, "pipe or device")
        number = os.open(self.name, flags | _NO_LINK, dir_fd=self.folder.number)
        if not os.path.samestat(os.fstat(number), self._through):
            os.close(number)
            raise OSError(errno.EAGAIN, "was exchanged while it was opened; try again")
        return number


def _names(path: str) -> list[str]:
    """Returns the names of a path, the last one first."""
    names = [name for name in path.split("/") if name not in ("", ".")]
    # A path that ends in a slash names a folder.
    if path.endswith(("/", "/.")) or path == ".":
        names.append(".")
    return names[::-1]


@contextlib.contextmanager
def _naming(path: str) -> Iterator[None]:
    """Raises the errors of the system with this path."""
    try:
        yield
    except OSError as error:
        raise type(error)(error.errno, error.strerror, path) from None


def _portable(path: str, content: bytes) -> None:
    """Replaces a file by its path, on systems without files relative to open folders."""
    for _ in range(MOST_LINKS):
        if not os.path.islink(path):
            break
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    if os.path.exists(path) and not os.path.isfile(path):
        # For a folder, this raises the error of the system.
        with open(os.open(path, os.O_WRONLY), "wb") as file:
            file.write(content)
        return
    temporary = os.path.join(os.path.dirname(path), f".residue-{secrets.token_hex(8)}")
    with _naming(path):
        file = open(temporary, "xb")
    try:
        with file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with _naming(path):
            os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
