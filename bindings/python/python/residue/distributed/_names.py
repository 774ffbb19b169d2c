"""Names of objects in manifests, and roots: where a manifest may lead.

A manifest may come from anybody. Its names lead to objects below the root and nowhere else, on any
system and in any store; its root leads to another store only if the caller names that store.
"""

from __future__ import annotations

import os
import re
from urllib.parse import unquote, urlsplit

#: Names are bytes, which need not be valid UTF-8.
CODING = {"encoding": "utf-8", "errors": "surrogateescape"}

#: Longest name in bytes: longer than the names of any store.
LONGEST = 1 << 16

#: Drivers of fsspec that read another URL, which follows two colons. Names as `File::Spec.3pm` are
#: ordinary.
CHAINED = re.compile(
    "(abstract|asynclocal|blockcache|cached|data|dir|file|filecache|generic|libarchive|local|"
    "memory|reference|simplecache|tar|zip|s3a?|gcs|gs|abfss?|adl|az|https?|s?ftp|ssh|smb|hdfs|"
    "webhdfs|github|git|hf)::"
)


def outside(name: object) -> str | None:
    """Returns why a name does not lead to an object below a root; None if it does."""
    if not isinstance(name, str):
        return f"is not a text, but {type(name).__name__}"
    if not name:
        return "is empty"
    if "\0" in name:
        return "has a zero byte"
    try:
        if len(name.encode(**CODING)) > LONGEST:
            return f"has more than {LONGEST} bytes"
    except UnicodeEncodeError:
        return "has half of a surrogate pair, which no name of a file has"
    # Backslashes separate on some systems, and a manifest is read on any.
    if name[0] in "/\\":
        return "is an absolute path"
    if re.match(r"[A-Za-z]:[/\\]", name) or os.path.splitdrive(name)[0]:
        return "begins with a drive"
    if ".." in re.split(r"[/\\]", name):
        return "leads out of the root by `..`"
    if "://" in name or CHAINED.match(name):
        return "is a URL"
    return None


def outside_of_store(name: str) -> str | None:
    """Returns why a name does not lead to an object below a URL; None if it does."""
    plain = unquote(name)
    # Servers decode names, and some more than once.
    while plain != (again := unquote(plain)):
        plain = again
    return outside(name) or outside(plain)


def absolute(root: object) -> bool:
    """Returns whether a root is a text that leads to one place, from every folder of its system."""
    if not isinstance(root, str) or "\0" in root:
        return False
    try:
        root.encode(**CODING)
    except UnicodeEncodeError:
        return False
    return "://" in root or "::" in root or re.match(r"/|\\\\|[A-Za-z]:[/\\]", root) is not None


def local(url: str) -> bool:
    """Returns whether a URL is a path on this machine."""
    if url.startswith(("\\\\", "//")):
        # A share of another machine, on some systems.
        return False
    return "://" not in url and ("::" not in url or os.path.exists(url))


def same_store(first: str, second: str) -> bool:
    """Returns whether two URLs are of one protocol and one host or bucket, or both local."""
    if local(first) or local(second):
        return local(first) and local(second)
    if any("::" in url or "://" not in url for url in (first, second)):
        return False
    try:
        one, other = urlsplit(first), urlsplit(second)
    except ValueError:
        return False
    return (one.scheme, one.netloc) == (other.scheme, other.netloc)
