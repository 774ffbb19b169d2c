"""Lines of check values, in the formats of `residue sum`."""

from __future__ import annotations

import re
from base64 import b64decode

import residue


def hexed(code: str, value: int) -> str:
    """Formats a value in hexadecimal, with all digits of its code."""
    return f"{value:0{-(-residue.Code(code).width // 4)}x}"


def tagged(code: str, name: str, value: int) -> str:
    """Formats a line of `residue sum --tag`. Names are escaped as in coreutils."""
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    lead = "\\" if escaped != name else ""
    return f"{lead}{code if '=' in code else code.upper()} ({escaped}) = {hexed(code, value)}"


#: `CODE (name) = value`, the value in hexadecimal or base64.
TAGGED = re.compile(r"(\\?)([^()]+?) \((.+)\) = ([0-9A-Za-z+/]+=*)\s*", re.DOTALL)
#: `value  name`
PLAIN = re.compile(r"(\\?)([0-9A-Za-z+/]+=*)(?:  | \*|\t| )(.+)", re.DOTALL)


def parsed(line: str) -> tuple[str, str, int]:
    """Parses a tagged line into name, code and value; raises ValueError if it is not one."""
    match = TAGGED.fullmatch(line)
    if match is None:
        raise ValueError("not a tagged line")
    escape, tag, name, value = match.groups()
    code = label(tag)
    return unescaped(name) if escape else name, code, value_of(code, value)


def unescaped(name: str) -> str:
    plain = {"\\\\": "\\", "\\n": "\n", "\\r": "\r"}
    if re.fullmatch(r"(?:[^\\]|\\[\\nr])*", name, re.DOTALL) is None:
        raise ValueError("not an escaped name")
    return re.sub(r"\\.", lambda match: plain[match[0]], name)


def value_of(code: str, text: str) -> int:
    """Parses a value in hexadecimal or base64, which differ in their numbers of characters."""
    width = residue.Code(code).width
    if len(text) == -(-width // 4) and re.fullmatch("[0-9a-fA-F]+", text):
        value = int(text, 16)
    else:
        octets = b64decode(text, validate=True)
        if len(octets) != -(-width // 8):
            raise ValueError("not a value of this code")
        value = int.from_bytes(octets, "big")
    if value >> width:
        raise ValueError("not a value of this code")
    return value


def label(code: str | residue.Code) -> str:
    """Returns the name of a code for manifests and journals.

    For a CRC without a name, returns its parameters, as `residue sum` formats them. Raises
    ValueError if there is no such code.
    """
    if isinstance(code, str) and code.lower() == "cksum":
        raise ValueError(
            "cksum appends the length to the data, which is impossible for parts: use "
            "crc-32/cksum for the code alone, or `residue sum -a cksum`"
        )
    return str(residue.Code(code)).replace(" ", ",")
