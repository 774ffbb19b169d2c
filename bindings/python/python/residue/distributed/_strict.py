"""JSON from anybody: read strictly, and refused with ManifestError."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ._errors import ManifestError

#: Largest size of an object or a part in bytes: that of files and of the stores' own numbers.
MOST = (1 << 63) - 1


def facts(text: str) -> dict[str, Any]:
    """Parses a JSON object of ASCII; raises ManifestError if it is none.

    Refuses keys that occur twice, and numbers that JSON does not have.
    """
    if not text.isascii():
        raise ManifestError("has bytes that are not ASCII, which JSON escapes")
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_constant)
    except ManifestError:
        raise
    except RecursionError:
        raise ManifestError("is nested too deeply") from None
    except ValueError as error:
        raise ManifestError(f"is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise ManifestError(f"is not an object of JSON, but {kind(found)}")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for place, key in enumerate(names) if key in names[:place])
        raise ManifestError(f"has the key {shown(twice)} twice")
    return found


def _constant(name: str) -> Any:
    raise ManifestError(f"has {name}, which is not a number of JSON")


def kind(value: object) -> str:
    """Names the type of a value of JSON."""
    names = {bool: "a boolean", int: "an integer", float: "a number with a fraction or exponent"}
    names |= {str: "a text", list: "a list", dict: "an object", type(None): "null"}
    return names.get(type(value), type(value).__name__)


def shown(value: object) -> str:
    """Shows a value in a message, which it must not fill."""
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= 80 else text[:76] + "..."


def has(found: Mapping[str, Any], key: str, type_: type, what: str) -> Any:
    """Returns a value of an object; raises ManifestError unless it is there, with this type."""
    if key not in found:
        raise ManifestError(f"has no {key}")
    value = found[key]
    # A boolean is an int in Python.
    if type(value) is not type_:
        raise ManifestError(f"{key} is {kind(value)}: expected {what}")
    return value


def size(value: object, what: str) -> int:
    """Returns a size in bytes; raises ManifestError if a value is none."""
    if type(value) is not int:
        raise ManifestError(f"{what} is {kind(value)}: expected a number of bytes")
    if not 0 <= value <= MOST:
        raise ManifestError(f"{what} is {shown(value)}: expected 0 to 2^63 - 1 bytes")
    return value
