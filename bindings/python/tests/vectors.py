"""Reads the files of vectors/ at the root of the project; vectors/README.md defines their form."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "vectors"


def lines(name: str) -> list[list[str]]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    kept = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [[field.strip() for field in line.split(" | ")] for line in kept]


def octets(text: str) -> bytes:
    """Returns the bytes of an input."""
    if text == "empty":
        return b""
    form, body = text.split(":", 1)
    if form == "text":
        return body.encode("ascii")
    if form == "hex":
        return bytes.fromhex(body)
    what, count = body.split("*")
    count, start = (int(part) for part in (count.split("@") + ["0"])[:2])
    number = int(what) if form in ("ramp", "mul") else int(what, 16)
    byte = {
        "rep": lambda i: number,
        "ramp": lambda i: i % number,
        "mul": lambda i: i * number % 256,
        "inc": lambda i: (number + i) % 256,
        "dec": lambda i: (number - i) % 256,
    }[form]
    return bytes(byte(i) for i in range(start, start + count))
