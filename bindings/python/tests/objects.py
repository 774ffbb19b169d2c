"""Objects for the tests of `residue.distributed`."""

import random

import pytest

# Dask's own warnings when a process ends.
QUIET = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:distributed"),
]


def noise(count, seed=1):
    return random.Random(seed).randbytes(count)


def tree(folder):
    """Creates files of many sizes, the largest of five parts of 64 KiB; returns their contents."""
    contents = {
        "a": noise(300_000),
        "sub/b": noise(70_000, 2),
        "sub/deep/c": b"123456789",
        "empty": b"",
        "new\nline\\": b"x",
    }
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return contents
