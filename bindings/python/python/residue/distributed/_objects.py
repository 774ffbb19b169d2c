"""Objects that can be read in ranges: local files, and any object that an fsspec driver reads.

An object has a *version*: metadata of its store that changes with its bytes (an entity tag, a
generation, the time of modification), as text. It is empty if the store has no such metadata.
"""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import stat
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ._names import outside, outside_of_store
from ._replace import replace

#: Bytes of a local file to read at a time: few enough that they are still in the cache when the
#: codes read them.
LOCAL_BLOCK = 256 << 10

#: Bytes to request from a store at a time.
REMOTE_BLOCK = 16 << 20

#: Keys of a version in the metadata of stores. Times count only if there are no tags: some stores
#: report them with more digits in a list than for a single object.
TAGS = ("ETag", "etag", "generation", "VersionId", "version_id", "md5Hash", "content_md5")
TIMES = ("mtime", "LastModified", "last_modified", "updated", "modified")


@dataclass(frozen=True)
class Object:
    """Metadata of an object: its size in bytes, and its version."""

    size: int
    version: Mapping[str, str] = field(default_factory=dict)

    def same(self, other: Object) -> bool:
        """Returns whether both may have the same bytes: sizes and known parts of versions agree.

        Stores report less in a list than for a single object.
        """
        known = self.version.keys() & other.version.keys()
        return self.size == other.size and all(self.version[k] == other.version[k] for k in known)


@dataclass
class Listing:
    """Objects of a tree."""

    #: Objects by their paths below the root, sorted.
    objects: dict[str, Object]
    #: Paths that could not be listed, with reasons.
    problems: list[tuple[str, str]]


class Store(Protocol):
    """The objects of one URL."""

    #: The URL without a final slash, for messages and manifests.
    root: str

    def is_tree(self) -> bool:
        """Returns whether the URL names a folder or a prefix, not an object.

        Raises FileNotFoundError if it names nothing.
        """

    def list(self) -> Listing:
        """Lists the objects below the URL."""

    def stat(self, name: str) -> Object:
        """Returns the metadata of an object below the URL; of the URL itself for an empty name."""

    def read(self, name: str, offset: int, length: int) -> Iterator[Any]:
        """Reads a range, in buffers that are valid until the next one; fewer bytes at the end."""

    def write(self, content: bytes) -> None:
        """Creates or replaces the object at the URL; a local file as a whole or not at all."""


def store(url: str | os.PathLike[str], options: Mapping[str, Any] | None = None) -> Store:
    """Returns the store of a URL. A text without `scheme://` is a local path."""
    if not isinstance(url, (str, os.PathLike)):
        raise TypeError(f"expected a URL or a path, not {type(url).__name__}")
    url = os.fspath(url)
    for scheme in ("file://", "local://"):
        url = url.removeprefix(scheme)
    if "://" in url or "::" in url and not os.path.exists(url):
        return Remote(url, options)
    if options:
        raise ValueError(f"{url!r} is a local path: leave out the storage options")
    return Local(url)


def within(root: str, name: str) -> str:
    """Returns the URL of an object, for messages."""
    return f"{root.rstrip('/')}/{name}" if name else root


def below(root: str, name: str) -> str:
    """Returns the path of an object below a local root.

    Raises PermissionError if the name, or a link on its way, leads out of the root.
    """
    if not name:
        return root
    path = os.path.join(root, name)
    if why := outside(name):
        raise PermissionError(errno.EACCES, f"the name {why}", path)
    real = os.path.realpath(root)
    if not os.path.realpath(path).startswith(os.path.join(real, "")):
        why = "a link leads out of the root, and is not followed"
        raise PermissionError(errno.EACCES, why, path)
    return path


class Local:
    """Local files, read without fsspec and without Python's own buffering."""

    def __init__(self, path: str) -> None:
        self.root = os.path.abspath(path)

    def _path(self, name: str) -> str:
        return below(self.root, name)

    def is_tree(self) -> bool:
        return stat.S_ISDIR(os.stat(self.root).st_mode)

    def list(self) -> Listing:
        # Regular files, as `residue sum --recursive`: links could leave the tree, or form a cycle.
        listing = Listing({}, [])
        folders = [""]
        while folders:
            folder = folders.pop()
            try:
                with os.scandir(self._path(folder)) as entries:
                    for entry in entries:
                        name = f"{folder}/{entry.name}" if folder else entry.name
                        try:
                            if entry.is_dir(follow_symlinks=False):
                                folders.append(name)
                            elif entry.is_file(follow_symlinks=False):
                                listing.objects[name] = _local(entry.stat(follow_symlinks=False))
                        except FileNotFoundError:
                            pass  # Removed meanwhile.
                        except OSError as error:
                            listing.problems.append((name, reason(error)))
            except OSError as error:
                listing.problems.append((folder, reason(error)))
        listing.objects = dict(sorted(listing.objects.items()))
        return listing

    def stat(self, name: str) -> Object:
        path = self._path(name)
        result = os.stat(path)
        if stat.S_ISDIR(result.st_mode):
            raise IsADirectoryError(21, "is a folder", path)
        if not stat.S_ISREG(result.st_mode):
            raise OSError(22, "is not a regular file, and cannot be read in ranges", path)
        return _local(result)

    def read(self, name: str, offset: int, length: int) -> Iterator[memoryview]:
        buffer = _buffer()
        with open(self._path(name), "rb", buffering=0) as file:
            file.seek(offset)
            while length:
                block = buffer[: min(length, LOCAL_BLOCK)]
                filled = 0
                # Whole blocks: sums of words cannot be concatenated inside a word.
                while filled < len(block) and (count := file.readinto(block[filled:])):
                    filled += count
                if filled:
                    yield block[:filled]
                if filled < len(block):
                    return
                length -= filled

    def write(self, content: bytes) -> None:
        replace(self.root, content)


def _local(result: os.stat_result) -> Object:
    return Object(result.st_size, {"mtime": str(result.st_mtime_ns)})


_buffers = threading.local()


def _buffer() -> memoryview:
    """Returns the buffer of this thread, page-aligned: some CPUs copy to others at a third of the
    speed.
    """
    if not hasattr(_buffers, "view"):
        _buffers.view = memoryview(mmap.mmap(-1, LOCAL_BLOCK))
    view: memoryview = _buffers.view
    return view


#: Error numbers of exceptions that may have none.
NUMBERS: dict[type[BaseException], int] = {
    FileNotFoundError: errno.ENOENT,
    PermissionError: errno.EACCES,
    IsADirectoryError: errno.EISDIR,
    NotADirectoryError: errno.ENOTDIR,
    TimeoutError: errno.ETIMEDOUT,
}


@contextlib.contextmanager
def _named(url: str) -> Iterator[None]:
    """Converts the errors of a driver to OSErrors with the cause and the URL.

    Drivers give only the path, or only the cause, or have exceptions of their own.
    """
    try:
        yield
    except (ValueError, TypeError, ImportError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.strerror and error.filename:
            raise
        known = (number for kind, number in NUMBERS.items() if isinstance(error, kind))
        number = getattr(error, "errno", None) or next(known, errno.EIO)
        # OSError creates the subclass of the number, as FileNotFoundError.
        raise OSError(number, reason(error), url) from error


class Remote:
    """Objects that an fsspec driver reads."""

    def __init__(self, url: str, options: Mapping[str, Any] | None) -> None:
        try:
            from fsspec.core import url_to_fs
            from fsspec.implementations.local import LocalFileSystem
        except ImportError as error:
            raise ImportError(
                f"reading {url!r} needs fsspec: pip install 'residue-codes[dask]'"
            ) from error
        self.root = url.rstrip("/")
        if self.root.endswith(":"):
            self.root = url  # `memory://`: the root of the store.
        self._fs, path = url_to_fs(url, **(options or {}))
        self._base: str = path.rstrip("/")
        # A cache of local files follows links, as they do.
        inner = getattr(self._fs, "fs", None)
        self._local = isinstance(inner, LocalFileSystem) and os.path.isabs(self._base)

    def _path(self, name: str) -> str:
        if not name:
            return self._base
        if why := outside_of_store(name):
            raise PermissionError(errno.EACCES, f"the name {why}", within(self.root, name))
        if self._local:
            below(self._base, name)
        return f"{self._base}/{name}"

    def is_tree(self) -> bool:
        if self._base.strip("/") == "":
            return True
        with _named(self.root):
            return bool(self._fs.info(self._base)["type"] == "directory")

    def list(self) -> Listing:
        from fsspec.asyn import AsyncFileSystem

        listing = Listing({}, [])

        def failed(error: OSError) -> None:
            name = getattr(error, "filename", None) or self.root
            listing.problems.append((str(name), reason(error)))

        # Drivers of stores with flat lists have a `find` of their own, with one request for a
        # thousand objects, which reports errors. The common one needs `on_error` for that.
        flat = (
            isinstance(self._fs, AsyncFileSystem)
            and type(self._fs)._find is not AsyncFileSystem._find
        )
        more = {} if flat else {"on_error": failed}
        self._fs.invalidate_cache()
        with _named(self.root):
            found = self._fs.find(self._base, detail=True, **more)
        start = len(self._base) + 1 if self._base else 0
        for path, info in sorted(found.items()):
            name = path[start:]
            if info.get("type", "file") == "file" and name and not name.endswith("/"):
                listing.objects[name] = self._object(path, info)
        return listing

    def stat(self, name: str) -> Object:
        path = self._path(name)
        # Not from the cache of an earlier listing.
        self._fs.invalidate_cache(self._fs._parent(path))
        with _named(within(self.root, name)):
            info = self._fs.info(path)
        if info.get("type") == "directory":
            raise IsADirectoryError(21, "is a folder", within(self.root, name))
        return self._object(path, info)

    def write(self, content: bytes) -> None:
        with _named(self.root):
            self._fs.pipe_file(self._base, content)

    def _object(self, path: str, info: Mapping[str, Any]) -> Object:
        size = info.get("size")
        if size is None:
            raise OSError(
                22, "cannot be read in ranges: its store does not report its size", path
            )
        for keys in (TAGS, TIMES):
            # Stores are inconsistent about quotation marks around a tag.
            version = {key: str(info[key]).strip('"') for key in keys if info.get(key) is not None}
            if version:
                return Object(int(size), version)
        try:
            return Object(int(size), {"modified": self._fs.modified(path).isoformat()})
        except (NotImplementedError, AttributeError, KeyError, TypeError):
            return Object(int(size))

    def read(self, name: str, offset: int, length: int) -> Iterator[bytes]:
        path, end = self._path(name), offset + length
        while offset < end:
            wanted = min(end - offset, REMOTE_BLOCK)
            with _named(within(self.root, name)):
                block = self._fs.cat_file(path, start=offset, end=offset + wanted)
            if len(block) > wanted:
                raise OSError(
                    22, "cannot be read in ranges: its store sends more", within(self.root, name)
                )
            if block:
                yield block
            if len(block) < wanted:
                return
            offset += wanted


def reason(error: BaseException) -> str:
    """Returns the cause of an error, without the path."""
    if isinstance(error, FileNotFoundError):
        return "no such object"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    if type(error) in NUMBERS:
        # The text of some drivers is only the path.
        cause = os.strerror(NUMBERS[type(error)])
        return cause[0].lower() + cause[1:]
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
