"""The command line: `python -m residue.distributed`.

Exit codes are those of the program `residue`: 0 success, 1 differences from the manifest, 2 errors.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any

import residue

from . import _strength
from ._cluster import connect
from ._errors import ClusterError
from ._lines import hexed, label, tagged
from ._objects import reason
from ._parts import PART_SIZE, size
from ._value import manifest, partials
from ._verify import Finding, verify

ABOUT = """\
Check values, manifests and strength of error-detection codes on many machines, by Dask.

Without --scheduler, a cluster on this machine does the work, with one process per CPU. Values,
manifests and results equal those of one machine, for any number of workers. If a worker dies,
others repeat its work."""

EXAMPLES = """\
Examples:
  python -m residue.distributed value disk.img
  python -m residue.distributed value s3://bucket/key --scheduler tcp://10.0.0.1:8786
  python -m residue.distributed manifest gs://bucket/data -o data.manifest --journal data.journal
  python -m residue.distributed verify data.manifest --root /mnt/copy
  python -m residue.distributed search --width 32 --length 1024 --hd 8 --journal hd8.journal
  python -m residue.distributed data /shared/corpus -a internet,crc-32c

Exit codes: 0 success, 1 differences from the manifest, 2 errors. See `COMMAND --help`."""

VERIFY = """\
Prints one line per object: `OK`, `FAILED` with the ranges of bytes that differ, `missing`, `extra`
(not in the manifest), or `FAILED open or read`. Also accepts lists printed by `residue sum --tag`;
these have neither ranges nor extra objects.

Examples:
  python -m residue.distributed verify data.manifest
  python -m residue.distributed verify data.manifest --root s3://copy/data --quiet
  residue sum -r --tag -a crc32c . > list; python -m residue.distributed verify list"""

MANIFEST = """\
A manifest is text. It has a line `CODE (name) = value` per object, which `residue sum --check`
verifies in the folder of the tree. Lines that begin with `#` hold sizes, the values of parts, and a
check value of the manifest itself.

Examples:
  python -m residue.distributed manifest /data -o data.manifest
  cd /data && residue sum --check ../data.manifest"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line, and returns the exit code."""
    parser = _parser()
    args = parser.parse_args(arguments)
    try:
        with _ending():
            code: int = args.run(args)
            return code
    except KeyboardInterrupt:
        kept = f"; resume with the journal {args.journal}" if args.journal else ""
        print(f"residue.distributed: interrupted{kept}", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader closed the pipe. Without this, Python reports the error again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except (OSError, ValueError, ImportError, ClusterError) as error:
        print(f"residue.distributed: {_words(error)}", file=sys.stderr)
        return 2


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {reason(error)}"
    return str(error) or type(error).__name__


@contextlib.contextmanager
def _ending() -> Iterator[None]:
    """Handles SIGTERM like Ctrl-C while the context lasts: batch schedulers send it."""

    def end(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m residue.distributed",
        description=ABOUT,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    known = f"residue {version('residue-codes')}"
    parser.add_argument("--version", action="version", version=known)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(
        name: str, run: Any, about: str, epilog: str | None = None
    ) -> argparse.ArgumentParser:
        formatter = argparse.RawDescriptionHelpFormatter
        one = commands.add_parser(
            name, help=about, description=about, epilog=epilog, formatter_class=formatter
        )
        one.set_defaults(run=run)
        where = one.add_argument_group("cluster and journal")
        where.add_argument(
            "--scheduler",
            metavar="ADDRESS",
            help="use the Dask scheduler at this address, as tcp://host:8786",
        )
        where.add_argument(
            "--workers",
            type=int,
            metavar="N",
            help="number of worker processes on this machine [default: one per CPU]",
        )
        where.add_argument(
            "--journal",
            metavar="FILE",
            help="save finished parts to a file, and resume from it",
        )
        where.add_argument(
            "--no-progress",
            dest="progress",
            action="store_false",
            default=None,
            help="do not show a progress bar",
        )
        one.add_argument("--json", action="store_true", help="print JSON")
        return one

    def objects(one: argparse.ArgumentParser) -> None:
        one.add_argument(
            "--storage-options",
            type=_options,
            metavar="JSON",
            help='options for the driver of the store, as {"anon": true}',
        )

    def codes(one: argparse.ArgumentParser, default: str) -> None:
        one.add_argument(
            "-a",
            "--code",
            action="append",
            metavar="CODE",
            help=f"compute these codes: names or parameters, comma-separated [default: {default}]",
        )

    def parts(one: argparse.ArgumentParser, default: int) -> None:
        one.add_argument(
            "--part-size",
            type=_size,
            default=default,
            metavar="SIZE",
            help=(
                "size of the parts that workers read, as 64MiB; a multiple of 64 bytes "
                f"[default: {default >> 20}MiB]"
            ),
        )

    one = command("value", _value, "Print the check values of objects.")
    one.add_argument(
        "urls",
        nargs="+",
        metavar="URL",
        help="a local path, or a URL that fsspec reads, as s3://bucket/key",
    )
    codes(one, "crc-32c")
    one.add_argument(
        "--base64", action="store_true", help="print values in base64, as object stores do"
    )
    parts(one, PART_SIZE)
    objects(one)

    one = command(
        "manifest", _manifest, "Write a manifest of a tree: sizes and check values.", MANIFEST
    )
    one.add_argument("url", metavar="URL", help="a folder, a bucket, a prefix, or one object")
    codes(one, "crc-32c")
    one.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the manifest to this file or URL [default: standard output]",
    )
    parts(one, PART_SIZE)
    objects(one)

    one = command("verify", _verify, "Compare a tree with its manifest.", VERIFY)
    one.add_argument("manifest", metavar="MANIFEST")
    one.add_argument(
        "--root",
        metavar="URL",
        help="look for the objects here; needed if the root in the manifest is in another store "
        "than the manifest [default: the root in the manifest]",
    )
    one.add_argument("-a", "--code", metavar="CODE", help="code of the lines that name none")
    one.add_argument("--quiet", action="store_true", help="do not print lines for good objects")
    one.add_argument("--ignore-missing", action="store_true", help="ignore missing objects")
    one.add_argument(
        "--ignore-extra", action="store_true", help="ignore objects that are not in the manifest"
    )
    objects(one)

    one = command(
        "search",
        _search,
        "Search for polynomials that keep a Hamming distance, or survey all of a width.",
    )
    one.add_argument(
        "--width",
        type=int,
        required=True,
        metavar="BITS",
        help="degree of the polynomials, 3 to 64",
    )
    one.add_argument(
        "--length",
        type=_bits,
        metavar="N",
        help=(
            "length of the data in bits, or in bytes as 1500B; without it, find the polynomials "
            "that keep the distance for the longest data"
        ),
    )
    asked = one.add_mutually_exclusive_group(required=True)
    asked.add_argument("--hd", type=int, metavar="H", help="Hamming distance to keep")
    asked.add_argument(
        "--survey",
        action="store_true",
        help="print the limits of all distances for every polynomial",
    )
    one.add_argument(
        "--ranges",
        type=int,
        metavar="N",
        help="divide the candidates into N ranges [default: some seconds each]",
    )
    one.add_argument("--csv", action="store_true", help="print CSV")

    one = command(
        "data", _data, "Damage real data as networks and disks do; count the undetected errors."
    )
    one.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="files and folders, under equal names on all workers",
    )
    one.add_argument(
        "--made",
        default="",
        metavar="KIND",
        help="add generated data: uniform, zeros, bitmap, ramp, records",
    )
    codes(one, "twelve codes, see docs/strength.md")
    one.add_argument(
        "--splices",
        type=_number,
        default=10**8,
        metavar="N",
        help="number of splices per source [default: 1e8]",
    )
    one.add_argument(
        "--trials",
        type=_number,
        default=10**6,
        metavar="N",
        help="number of trials of each other kind of damage [default: 1e6]",
    )
    one.add_argument(
        "--burst",
        type=int,
        default=33,
        metavar="BITS",
        help="length of the bursts in bits, 2 to 64 [default: 33]",
    )
    one.add_argument(
        "--seed", type=int, default=1, metavar="N", help="seed for the random choices [default: 1]"
    )
    one.add_argument("--full", action="store_true", help="print all counts")
    parts(one, _strength.DATA_PART)
    return parser


def _size(text: str) -> int:
    try:
        return size(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _bits(text: str) -> int:
    digits = text.rstrip("BbKkMi")
    unit = {"": 1, "b": 1, "B": 8, "kB": 8000, "MB": 8_000_000, "KiB": 8 << 10, "MiB": 8 << 20}.get(
        text[len(digits) :]
    )
    if not digits.isdecimal() or unit is None:
        raise argparse.ArgumentTypeError(
            f"expected bits (12000) or bytes (1500B; also kB, MB, KiB, MiB), got {text!r}"
        )
    return int(digits) * unit


def _number(text: str) -> int:
    digits, _, zeros = text.replace("_", "").lower().partition("e")
    if not digits.isdecimal() or zeros and not (zeros.isdecimal() and int(zeros) < 16):
        raise argparse.ArgumentTypeError(
            f"expected a whole number (100000000 or 1e8), got {text!r}"
        )
    return int(digits + "0" * int(zeros or 0))


def _options(text: str) -> dict[str, Any]:
    try:
        options = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected JSON: {error}") from None
    if not isinstance(options, dict):
        raise argparse.ArgumentTypeError(f'expected a JSON object ({{"anon": true}}), got {text}')
    return options


def split(texts: Sequence[str]) -> list[str]:
    """Splits names of codes at commas, except for the commas between the parameters of a CRC.

    A key that occurs again starts another CRC.
    """
    names: list[str] = []
    keys: set[str] = set()
    for part in (part.strip() for text in texts for part in text.split(",")):
        key = part.partition("=")[0] if "=" in part else None
        if key and names and "=" in names[-1] and key not in keys:
            names[-1] += "," + part
            keys.add(key)
        else:
            names.append(part)
            keys = {key} if key else set()
    return names


@contextlib.contextmanager
def _client(args: argparse.Namespace) -> Iterator[Any]:
    if args.scheduler and args.workers:
        raise ValueError(
            "give --workers or --scheduler, not both: --workers is for a cluster on this machine"
        )
    with connect(args.scheduler, args.workers) as client:
        if args.scheduler and not client.nthreads():
            print(
                f"residue.distributed: {args.scheduler} has no workers yet; waiting for them",
                file=sys.stderr,
            )
        yield client


def _say(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.flush()


def _value(args: argparse.Namespace) -> int:
    named = split(args.code or ["crc-32c"])
    if args.journal and len(args.urls) > 1:
        raise ValueError("a journal holds one object: name one, or use the command manifest")
    rows, trouble = [], False
    with _client(args) as client:
        for url in args.urls:
            try:
                found = partials(
                    url,
                    named,
                    part_size=args.part_size,
                    client=client,
                    journal=args.journal,
                    progress=args.progress,
                    storage_options=args.storage_options,
                )
            except OSError as error:
                # Continue with the other objects.
                print(f"residue.distributed: {_words(error)}", file=sys.stderr)
                rows.append({"file": url, "codes": [], "error": _words(error)})
                trouble = True
                continue
            row = [_formats(label(partial.code), partial.value) for partial in found]
            rows.append({"file": url, "bytes": found[0].length, "codes": row})
            if not args.json:
                for partial, formats in zip(found, row, strict=True):
                    _say(
                        _line(
                            label(partial.code),
                            url,
                            partial.value,
                            formats,
                            args.base64,
                            len(found) > 1,
                        )
                        + "\n"
                    )
    if args.json:
        _say(json.dumps(rows, indent=2) + "\n")
    return 2 if trouble else 0


def _formats(code: str, value: int) -> dict[str, str]:
    octets = value.to_bytes(-(-residue.Code(code).width // 8), "big")
    text = base64.b64encode(octets).decode()
    return {"code": code, "value": hexed(code, value), "base64": text, "decimal": str(value)}


def _line(
    code: str, url: str, value: int, formats: dict[str, str], as_base64: bool, several: bool
) -> str:
    line = tagged(code, url, value)
    if as_base64:
        line = line.removesuffix(formats["value"]) + formats["base64"]
    if several:
        return line
    lead, name = ("\\", line[1:]) if line.startswith("\\") else ("", line)
    name, _, text = name.partition(" (")[2].rpartition(") = ")
    return f"{lead}{text}  {name}"


def _manifest(args: argparse.Namespace) -> int:
    with _client(args) as client:
        made = manifest(
            args.url,
            split(args.code or ["crc-32c"]),
            part_size=args.part_size,
            client=client,
            journal=args.journal,
            progress=args.progress,
            storage_options=args.storage_options,
        )
    if args.output:
        # Without the storage options, which belong to the store of the objects.
        made.write(args.output)
    if args.json:
        _say(json.dumps(_as_json(made), indent=2) + "\n")
    elif not args.output:
        _say(made.text())
    for name, problem in made.problems:
        print(
            f"residue.distributed: {_plain(name or str(made.root))}: {problem.why}; left out of "
            "the manifest",
            file=sys.stderr,
        )
    return 2 if made.problems else 0


def _as_json(made: Any) -> dict[str, Any]:
    def entry(one: Any) -> dict[str, Any]:
        values = {code: hexed(code, value) for code, value in one.values.items()}
        parts = {code: [hexed(code, value) for value in of] for code, of in one.parts.items()}
        return {"name": one.name, "size": one.size, "values": values, "parts": parts}

    return {
        "root": made.root,
        "codes": made.codes,
        "part_size": made.part_size,
        "objects": [entry(one) for one in made.entries.values()],
        "problems": [
            {"name": name, "kind": problem.kind, "why": problem.why}
            for name, problem in made.problems
        ],
    }


def _verify(args: argparse.Namespace) -> int:
    with _client(args) as client:
        report = verify(
            args.manifest,
            args.root,
            code=args.code,
            client=client,
            journal=args.journal,
            progress=args.progress,
            ignore_missing=args.ignore_missing,
            ignore_extra=args.ignore_extra,
            storage_options=args.storage_options,
        )
    verdicts = ("good", "changed", "missing", "extra", "unreadable")
    counts = {verdict: report.count(verdict) for verdict in verdicts}
    shown = [finding for finding in report if not (args.quiet and finding.verdict == "good")]
    if args.json:
        rows = [_row(finding) for finding in shown]
        whole = {
            "root": report.root,
            "good": report.good,
            "counts": counts,
            "malformed": report.malformed,
        }
        _say(json.dumps({**whole, "findings": rows}, indent=2) + "\n")
    else:
        for finding in shown:
            _say(_line_of(finding) + "\n")
    if report.malformed:
        count, first = len(report.malformed), report.malformed[0]
        print(
            f"residue.distributed: {count} lines of the list cannot be read, the first is line "
            f"{first}",
            file=sys.stderr,
        )
    if not report.good:
        summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
        print(f"residue.distributed: {report.root}: {summary}", file=sys.stderr)
    return 0 if report.good else 1


WORDS = {"good": "OK", "changed": "FAILED", "unreadable": "FAILED open or read"}


def _line_of(finding: Finding) -> str:
    text = f"{_plain(finding.name)}: {WORDS.get(finding.verdict, finding.verdict)}"
    if finding.ranges:
        text += "  bytes " + ", ".join(f"{start}..{end}" for start, end in finding.ranges)
    if finding.verdict in ("changed", "unreadable") and finding.problem:
        text += f"  {finding.problem}"
    return text


def _plain(name: str) -> str:
    """Returns a name for a line of output: control characters become escapes."""
    return "".join(
        c if c.isprintable() or "\ud800" <= c <= "\udfff" else repr(c)[1:-1] for c in name
    )


def _row(finding: Finding) -> dict[str, Any]:
    def formatted(values: Any) -> Any:
        return values and {code: hexed(code, value) for code, value in values.items()}

    return {
        "name": finding.name,
        "verdict": finding.verdict,
        "ranges": finding.ranges,
        "expected": formatted(finding.expected),
        "actual": formatted(finding.actual),
        "problem": finding.problem,
    }


def _search(args: argparse.Namespace) -> int:
    form = "json" if args.json else "csv" if args.csv else "text"
    with _client(args) as client:
        text = _strength.search_as(
            form,
            args.width,
            args.hd,
            args.length,
            args.survey,
            args.ranges,
            client,
            args.journal,
            args.progress,
        )
    _say(json.dumps(json.loads(text), indent=2) + "\n" if args.json else text)
    return 0


def _data(args: argparse.Namespace) -> int:
    named = split(args.code) if args.code else None
    made = [kind for kind in args.made.split(",") if kind]
    with _client(args) as client:
        run = _strength.data_run(
            args.paths,
            made,
            named,
            args.splices,
            args.trials,
            args.burst,
            args.seed,
            args.part_size,
            client,
            args.journal,
            args.progress,
        )
    _say(
        json.dumps(json.loads(run), indent=2) + "\n"
        if args.json
        else _strength.data_text(run, args.full)
    )
    return 0
