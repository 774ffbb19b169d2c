"""Manifests that somebody else wrote, with right check values."""

import json

import pytest
import residue
from residue import distributed as rd

CRC = "crc-32/iscsi"
LARGE, SMALL = bytes(range(200)), b"123456789"


def hexed(data):
    return f"{residue.crc32c(data):08x}"


def good():
    """Returns a manifest as values of JSON: its head, its objects, and its last line."""
    large = {
        "name": "sub/large",
        "size": 200,
        "parts": {CRC: [hexed(LARGE[at : at + 64]) for at in range(0, 200, 64)]},
    }
    return {
        "head": {"format": 1, "root": "/data", "tree": True, "codes": [CRC], "part_size": 64},
        "entries": [[large, hexed(LARGE)], [{"name": "small", "size": 9}, hexed(SMALL)]],
        "end": {"objects": 2},
    }


def signed(body, end, raw=None):
    """Returns a text with a right check value."""
    check = f"{residue.crc32c(body.encode('utf-8', 'surrogateescape')):08x}"
    last = json.dumps({**end, "crc-32c": check}) if raw is None else raw
    return f"{body}# residue-manifest-end {last}\n"


def line(name, value, code="CRC-32/ISCSI"):
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    lead = "\\" if escaped != name else ""
    return f"{lead}{code} ({escaped}) = {value}\n"


def halved(text):
    return any("\ud800" <= character <= "\udbff" for character in text)


def text(parts):
    body = "# residue-manifest " + json.dumps(parts["head"]) + "\n"
    for facts, value in parts["entries"]:
        name = facts.get("name") if isinstance(facts, dict) else None
        # No bytes of a line are half of a surrogate pair; JSON can escape it.
        name = None if isinstance(name, str) and halved(name) else name
        facts = ascii(facts) if isinstance(facts, str) and halved(facts) else facts
        lead = "" if isinstance(facts, str) and not facts.startswith("{") else "# "
        body += lead + (facts if isinstance(facts, str) else json.dumps(facts)) + "\n"
        body += line(name if isinstance(name, str) else "small", ascii(value).strip("'"))
    return signed(body, parts["end"])


def refuse(content, says):
    with pytest.raises(rd.ManifestError, match=says) as raised:
        rd.Manifest.parse(content)
    assert len(str(raised.value)) < 1000
    return str(raised.value)


#: Names that lead out of a root, on some system.
OUTSIDE = [
    "..", "../x", "../../etc/passwd", "a/../../x", "a/..", "a/../b", "./../x", "a//../../x",
    "/etc/passwd", "/", "//host/share", "\\\\host\\share", "\\etc\\passwd", "..\\x", "a\\..\\..\\x",
    "a/..\\..\\x", "C:/x", "c:\\x", "Z:\\..\\x", "", "a\0b", "\0", "../x\0", "file:///etc/passwd",
    "http://169.254.169.254/latest", "a/http://host/x", "s3://bucket/key", "simplecache::s3://b/k",
    "simplecache::/etc/passwd", "filecache::x", "zip::file:///etc/x.zip",
    "local::/etc/passwd", "memory::x", "\ud800", "a\ud83d", "x" * 70_000,
]  # fmt: skip
