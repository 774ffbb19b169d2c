"""The command line: `python -m residue.distributed`.

Exit codes are those of the program `residue`: 0 all is well, 1 a manifest and what is there differ,
2 trouble.
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
from ._manifest import hexed, label, tagged
from ._objects import reason
from ._parts import PART_SIZE, size
from ._value import manifest, partials
from ._verify import Finding, verify

ABOUT = """\
Check values, manifests and strength of error-detection codes on many machines, by Dask.

Without --scheduler, a cluster on this machine does the work, with one process per CPU. Values,
manifests and results equal those of one machine, for any workers;
no work is lost if a worker dies."""

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
Compare a tree with its manifest. Prints one line per object: `OK`, `FAILED` with the ranges of
bytes that differ, `missing`, `extra` (not in the manifest), or `FAILED open or read`. Also accepts
lists printed by `residue sum --tag`, without ranges and extra objects.

Examples:
  python -m residue.distributed verify data.manifest
  python -m residue.distributed verify data.manifest --root s3://copy/data --quiet
  residue sum -r --tag -a crc32c . > list; python -m residue.distributed verify list"""

MANIFEST = """\
A manifest is text: a line `CODE (name) = value` per object, which `residue sum --check` verifies in
the tree's folder, and lines that begin with `#`, with sizes, the values of parts, and a check value
of the manifest itself.

Examples:
  python -m residue.distributed manifest /data -o data.manifest
  cd /data && residue sum --check ../data.manifest"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Does what the command line says, and returns the exit code."""
    parser = _parser()
    args = parser.parse_args(arguments)
    try:
        with _ending():
            return args.run(args)
    except KeyboardInterrupt:
        kept = f"; what is done is kept in {args.journal}" if args.journal else ""
        print(f"residue.distributed: ended{kept}", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader has seen enough. Python would complain once more when it ends.
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
    """While it lasts, SIGTERM ends the work in order, as Ctrl-C does: schedulers of batches send
    it.
    """

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
    parser.add_argument("--version", action="version", version=f"residue {version('residue')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(
        name: str, run: Any, about: str, epilog: str | None = None
    ) -> argparse.ArgumentParser:
        formatter = argparse.RawDescriptionHelpFormatter
        one = commands.add_parser(
            name, help=about, description=about, epilog=epilog, formatter_class=formatter
        )
        one.set_defaults(run=run)
        where = one.add_argument_group("where the work is done")
        where.add_argument(
            "--scheduler",
            metavar="ADDRESS",
            help="the address of a Dask scheduler, as tcp://host:8786",
        )
        where.add_argument(
            "--workers",
            type=int,
            metavar="N",
            help="processes on this machine [default: one for each CPU]",
        )
        where.add_argument(
            "--journal",
            metavar="FILE",
            help="keep what is done in a file, and go on from it if it is there",
        )
        where.add_argument(
            "--no-progress",
            dest="progress",
            action="store_false",
            default=None,
            help="show no progress bar",
        )
        one.add_argument("--json", action="store_true", help="print JSON")
        return one

    def objects(one: argparse.ArgumentParser) -> None:
        one.add_argument(
            "--storage-options",
            type=_options,
            metavar="JSON",
            help='what the store\'s driver wants, as {"anon": true}',
        )

    def codes(one: argparse.ArgumentParser, default: str) -> None:
        one.add_argument(
            "-a",
            "--code",
            action="append",
            metavar="CODE",
            help=f"codes by name or parameters, separated by commas [default: {default}]",
        )

    def parts(one: argparse.ArgumentParser, default: int) -> None:
        one.add_argument(
            "--part-size",
            type=_size,
            default=default,
            metavar="SIZE",
            help=(
                "what a worker reads at once, as 64MiB; a multiple of 64 bytes [default: "
                f"{default >> 20}MiB]"
            ),
        )

    one = command("value", _value, "Print the check values of objects.")
    one.add_argument(
        "urls",
        nargs="+",
        metavar="URL",
        help="a local path, or what fsspec reads, as s3://bucket/key",
    )
    codes(one, "crc-32c")
    one.add_argument(
        "--base64", action="store_true", help="spell values in base64, as object stores do"
    )
    parts(one, PART_SIZE)
    objects(one)

    one = command(
        "manifest", _manifest, "Write down what the objects of a tree are like.", MANIFEST
    )
    one.add_argument("url", metavar="URL", help="a folder, a bucket or a part of it, or one object")
    codes(one, "crc-32c")
    one.add_argument(
        "-o", "--output", metavar="FILE", help="where the manifest goes [default: standard output]"
    )
    parts(one, PART_SIZE)
    objects(one)

    one = command("verify", _verify, "Compare a tree with its manifest.", VERIFY)
    one.add_argument("manifest", metavar="MANIFEST")
    one.add_argument(
        "--root", metavar="URL", help="where the objects are now [default: where the manifest says]"
    )
    one.add_argument("-a", "--code", metavar="CODE", help="the code of lines that name none")
    one.add_argument("--quiet", action="store_true", help="print no line for objects that are good")
    one.add_argument(
        "--ignore-missing", action="store_true", help="objects that are missing are no failure"
    )
    one.add_argument(
        "--ignore-extra", action="store_true", help="objects that the manifest lacks are no failure"
    )
    objects(one)

    one = command(
        "search",
        _search,
        "Find the polynomials of a width that keep a Hamming distance, or survey all.",
    )
    one.add_argument(
        "--width", type=int, required=True, metavar="BITS", help="the polynomials' degree, 3 to 64"
    )
    one.add_argument(
        "--length",
        type=_bits,
        metavar="N",
        help=(
            "bits of data, bytes with a B behind; without, those that keep the distance "
            "longest are found"
        ),
    )
    asked = one.add_mutually_exclusive_group(required=True)
    asked.add_argument("--hd", type=int, metavar="H", help="the Hamming distance")
    asked.add_argument(
        "--survey", action="store_true", help="the limits of all distances of every polynomial"
    )
    one.add_argument(
        "--ranges",
        type=int,
        metavar="N",
        help="divide the candidates into N [default: of some seconds each]",
    )
    one.add_argument("--csv", action="store_true", help="print CSV")

    one = command(
        "data", _data, "Damage real data as networks and disks do, and count what each code misses."
    )
    one.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="files and folders that all workers see by the same names",
    )
    one.add_argument(
        "--made",
        default="",
        metavar="KIND",
        help="also made data: uniform, zeros, bitmap, ramp, records",
    )
    codes(one, "the twelve of the documents")
    one.add_argument(
        "--splices", type=_number, default=10**8, metavar="N", help="for each source [default: 1e8]"
    )
    one.add_argument(
        "--trials",
        type=_number,
        default=10**6,
        metavar="N",
        help="of each other kind [default: 1e6]",
    )
    one.add_argument(
        "--burst", type=int, default=33, metavar="BITS", help="bits of a burst [default: 33]"
    )
    one.add_argument(
        "--seed", type=int, default=1, metavar="N", help="what all choices follow from [default: 1]"
    )
    one.add_argument("--full", action="store_true", help="print the counts of every kind of damage")
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
            f"{text!r}: write bits, or bytes as 1500B, kB, MB, KiB or MiB"
        )
    return int(digits) * unit


def _number(text: str) -> int:
    digits, _, zeros = text.replace("_", "").lower().partition("e")
    if not digits.isdecimal() or zeros and not (zeros.isdecimal() and int(zeros) < 16):
        raise argparse.ArgumentTypeError(f"{text!r}: write a whole number, as 100000000 or 1e8")
    return int(digits) * 10 ** int(zeros or 0)


def _options(text: str) -> dict[str, Any]:
    try:
        options = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"no JSON: {error}") from None
    if not isinstance(options, dict):
        raise argparse.ArgumentTypeError('write a JSON object, as {"anon": true}')
    return options


def split(texts: Sequence[str]) -> list[str]:
    """Names of codes at commas, but for those between a CRC's parameters. A key that comes again
    starts another CRC.
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
            "--workers is for a cluster on this machine; that of --scheduler has its own"
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
        raise ValueError("a journal is of one object; take a manifest of several")
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
                # The other objects have values all the same.
                print(f"residue.distributed: {_words(error)}", file=sys.stderr)
                rows.append({"file": url, "codes": [], "error": _words(error)})
                trouble = True
                continue
            row = [_spelled(label(partial.code), partial.value) for partial in found]
            rows.append({"file": url, "bytes": found[0].length, "codes": row})
            if not args.json:
                for partial, spelled in zip(found, row, strict=True):
                    _say(
                        _line(
                            label(partial.code),
                            url,
                            partial.value,
                            spelled,
                            args.base64,
                            len(found) > 1,
                        )
                        + "\n"
                    )
    if args.json:
        _say(json.dumps(rows, indent=2) + "\n")
    return 2 if trouble else 0


def _spelled(code: str, value: int) -> dict[str, str]:
    octets = value.to_bytes(-(-residue.Code(code).width // 8), "big")
    text = base64.b64encode(octets).decode()
    return {"code": code, "value": hexed(code, value), "base64": text, "decimal": str(value)}


def _line(
    code: str, url: str, value: int, spelled: dict[str, str], as_base64: bool, several: bool
) -> str:
    line = tagged(code, url, value)
    if as_base64:
        line = line.removesuffix(spelled["value"]) + spelled["base64"]
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
        # The options are those of the objects' store.
        made.write(args.output)
    if args.json:
        _say(json.dumps(_as_json(made), indent=2) + "\n")
    elif not args.output:
        _say(made.text())
    for name, problem in made.problems:
        print(
            f"residue.distributed: {_plain(name or str(made.root))}: {problem.why}; not in "
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
            f"residue.distributed: {count} lines of the list are none, the first is line {first}",
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
    """A name fit for a line: control characters are written as escapes."""
    return "".join(
        c if c.isprintable() or "\ud800" <= c <= "\udfff" else repr(c)[1:-1] for c in name
    )


def _row(finding: Finding) -> dict[str, Any]:
    def spelled(values: Any) -> Any:
        return values and {code: hexed(code, value) for code, value in values.items()}

    return {
        "name": finding.name,
        "verdict": finding.verdict,
        "ranges": finding.ranges,
        "expected": spelled(finding.expected),
        "actual": spelled(finding.actual),
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
