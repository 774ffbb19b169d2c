"""Compares one-shot calls of `residue` with other packages, at 64 B, 1 KiB and 1 MiB.

    pip install google-crc32c crc32c fastcrc anycrc crcmod
    python bench/compare.py [--json] [--seconds 60]

Values are checked first. Contenders take turns in short batches, so that disturbances affect all of
them; a figure is the median of its batches, a ratio the median of the ratios within each turn. The
cost of the loop around a call, about that of calling `len`, is not subtracted.
"""

import argparse
import datetime
import importlib
import importlib.metadata
import json
import platform
import statistics
import sys
import time
import zlib

import residue

SIZES = (64, 1024, 1 << 20)
TURNS = 41


def contenders():
    """Yields each code's name and its contenders as (name, function), those of residue first."""

    def module(name):
        try:
            return importlib.import_module(name)
        except ImportError:
            print(f"{name} is not installed: left out", file=sys.stderr)
            return None

    google, icrar, fast, any_, mod = (
        module(name)
        for name in ("google_crc32c", "crc32c", "fastcrc", "anycrc", "crcmod.predefined")
    )

    def row(name, ours, *others):
        code = residue.Code(name)
        own = [(f"residue.{ours.__name__}", ours)] if ours else []
        return name, [
            *own,
            ("residue.Code.value", code.value),
            *(other for other in others if other),
        ]

    def from_fast(width, name):
        function = fast and getattr(getattr(fast, width), name, None)
        return function and (f"fastcrc.{width}.{name}", function)

    def from_any(name):
        return any_ and (f"anycrc {name}", any_.Model(name).calc)

    def from_mod(name):
        return mod and (f"crcmod {name}", mod.mkPredefinedCrcFun(name))

    yield row(
        "crc-32/iscsi",
        residue.crc32c,
        google and ("google_crc32c.value", google.value),
        icrar and ("crc32c.crc32c", icrar.crc32c),
        from_fast("crc32", "iscsi"),
        from_any("CRC32-ISCSI"),
        from_mod("crc-32c"),
    )
    yield row(
        "crc-32/iso-hdlc",
        residue.crc32,
        ("zlib.crc32", zlib.crc32),
        from_fast("crc32", "iso_hdlc"),
        from_any("CRC32-ISO-HDLC"),
        from_mod("crc-32"),
    )
    yield row("crc-64/nvme", residue.crc64_nvme, from_fast("crc64", "nvme"), from_any("CRC64-NVME"))
    yield row("crc-64/xz", None, from_fast("crc64", "xz"), from_any("CRC64-XZ"))
    yield row(
        "crc-16/arc", None, from_fast("crc16", "arc"), from_any("CRC16-ARC"), from_mod("crc-16")
    )
    yield row(
        "crc-16/ibm-3740", None, from_fast("crc16", "ibm_3740"), from_any("CRC16-CCITT-FALSE")
    )
    yield row("crc-8/smbus", None, from_fast("crc8", "smbus"), from_any("CRC8"))
    yield row("adler-32", residue.adler32, ("zlib.adler32", zlib.adler32))


def timed(function, data, calls):
    """Returns nanoseconds per call."""
    rounds = range(calls)
    start = time.perf_counter_ns()
    for _ in rounds:
        function(data)
    return (time.perf_counter_ns() - start) / calls


def measure(functions, data, seconds):
    """Returns a list of nanoseconds for each function, one for each turn."""
    per_batch = seconds / TURNS / len(functions) * 1e9
    calls = [
        max(1, int(per_batch / timed(function, data, max(1, 20_000 // len(data)))))
        for function in functions
    ]
    turns = []
    for turn in range(TURNS):
        # Each contender is first equally often.
        order = [(turn + place) % len(functions) for place in range(len(functions))]
        found = {place: timed(functions[place], data, calls[place]) for place in order}
        turns.append([found[place] for place in range(len(functions))])
    return list(zip(*turns, strict=True))


def cpu():
    try:
        with open("/proc/cpuinfo") as file:
            return next(
                line.split(":")[1].strip() for line in file if line.startswith("model name")
            )
    except (OSError, StopIteration):
        return platform.processor()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--seconds", type=float, default=60, help="total duration")
    options = parser.parse_args()
    codes = list(contenders())
    data = {size: bytes(i * 13 % 251 for i in range(size)) for size in SIZES}
    for name, functions in codes:
        for size in (0, 1, 9, *SIZES[:2], 100_000):
            expected = residue.Code(name).reference(bytes(i * 7 % 256 for i in range(size)))
            for label, function in functions:
                value = function(bytes(i * 7 % 256 for i in range(size)))
                if value != expected:
                    sys.exit(
                        f"{label} gives {value:x} for {size} bytes, but {expected:x} is correct: "
                        "nothing is timed"
                    )
    share = options.seconds / len(codes) / len(SIZES)
    rows = []
    for name, functions in codes:
        for size in SIZES:
            turns = measure([function for _, function in functions], data[size], share)
            for (label, _), own in zip(functions, turns, strict=True):
                ratio = statistics.median(
                    theirs / ours for theirs, ours in zip(own, turns[0], strict=True)
                )
                rows.append(
                    {
                        "code": name,
                        "size": size,
                        "function": label,
                        "ns": statistics.median(own),
                        "ratio": ratio,
                    }
                )
    versions = {}
    for package in ("google-crc32c", "crc32c", "fastcrc", "anycrc", "crcmod"):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    about = {
        "cpu": cpu(),
        "python": platform.python_version(),
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
        "date": datetime.date.today().isoformat(),
        **versions,
    }
    if options.json:
        print(json.dumps({"about": about, "rows": rows}, indent=1))
        return
    print(", ".join(f"{key} {value}" for key, value in about.items()))
    print("Nanoseconds per call, and in brackets the ratio to the first row of the code.\n")
    print("| code | function | 64 B | 1 KiB | 1 MiB |\n|---|---|---|---|---|")
    for name, functions in codes:
        for label, _ in functions:
            cells = [row for row in rows if (row["code"], row["function"]) == (name, label)]
            text = " | ".join(
                f"{cell['ns']:,.{0 if cell['ns'] > 100 else 1}f} ({cell['ratio']:.2f})"
                for cell in cells
            )
            print(f"| {name} | `{label}` | {text} |")
    slower = [
        row for row in rows if not row["function"].startswith("residue.") and row["ratio"] < 1
    ]
    print(
        "\n"
        + (
            "\n".join(f"faster: {row}" for row in slower)
            or "No contender is faster than residue."
        )
    )


if __name__ == "__main__":
    main()
