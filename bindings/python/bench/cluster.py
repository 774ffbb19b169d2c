"""Measures the overhead of Dask: the value of a local file by `residue sum`, by `residue.file`, and
by worker processes.

python bench/cluster.py FILE [path of the program residue]
"""

import shutil
import statistics
import subprocess
import sys
import time

import residue
from residue import distributed


def show(name, work, runs=5):
    """Prints the median and the shortest time, and checks that all values are equal."""
    times, values = [], set()
    for _ in range(runs):
        start = time.perf_counter()
        values.add(work())
        times.append(time.perf_counter() - start)
    (value,) = values
    print(
        f"{name:50} {statistics.median(times):6.3f} s median, {min(times):6.3f} best  {value}",
        flush=True,
    )


def ran(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()[0]


def main():
    path = sys.argv[1]
    program = sys.argv[2] if len(sys.argv) > 2 else shutil.which("residue")
    if program:
        ran(program, "sum", path)  # Into the page cache.
        show("residue sum", lambda: ran(program, "sum", "-a", "crc32c", path))
        show(
            "residue sum, one CPU",
            lambda: ran("taskset", "-c", "0", program, "sum", "-a", "crc32c", path),
        )
    show("residue.file", lambda: residue.file(path, "crc32c").hexdigest())
    for workers in (1, 2):
        with distributed.connect(workers=workers) as client:
            for part_size in ("16MiB", "64MiB", "256MiB"):
                show(
                    f"value, {workers} running processes, parts of {part_size}",
                    lambda: (  # noqa: B023
                        f"{distributed.value(path, client=client, part_size=part_size):08x}"
                    ),
                )
    for workers in ("1", "2"):
        words = [sys.executable, "-m", "residue.distributed", "value", path, "--workers", workers]
        title = f"python -m residue.distributed value --workers {workers}"
        show(title, lambda: ran(*words), 3)  # noqa: B023


if __name__ == "__main__":
    main()
