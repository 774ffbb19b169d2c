"""Check values of many packets in one call."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable
from functools import partial
from typing import Any

from ._residue import Code, _batch_each, _batch_rows, _batch_spans

# Formats of the elements of results by size in bytes, as in the modules array and struct.
_TYPES = {1: "B", 2: "H", 4: "I", 8: "Q"}


def batch(
    code: Any, data: Any, offsets: Any = None, lengths: Any = None, *, out: Any = None
) -> Any:
    """Computes the value of each of many packets.

    ``data`` is a C-contiguous array of two dimensions, whose rows are the packets; or, with
    ``offsets`` and ``lengths`` in bytes, one buffer whose parts are the packets, which may overlap;
    or a list or tuple of buffers.

    Returns a NumPy array if ``data`` or ``offsets`` is one, otherwise an ``array.array``, of the
    smallest unsigned type that holds the values (above 64 bits, a list). If ``out`` is given, a
    writable buffer with an unsigned integer for each packet, stores the values there and returns
    it.
    """
    if not isinstance(code, Code):
        code = Code(code)
    if (offsets is None) != (lengths is None):
        raise TypeError("batch() takes offsets and lengths together: give both or neither")
    call: Callable[[Any], Any]
    # Not imported: without a NumPy array it is not needed.
    numpy: Any = sys.modules.get("numpy")
    array_of_numpy = numpy is not None and (
        isinstance(data, numpy.ndarray) or isinstance(offsets, numpy.ndarray)
    )
    if offsets is not None:
        offsets, lengths = _integers(offsets, "offsets"), _integers(lengths, "lengths")
        call, count = partial(_batch_spans, code, data, offsets, lengths), len(offsets)
    elif isinstance(data, (list, tuple)):
        call, count = partial(_batch_each, code, data), len(data)
    else:
        call, count = partial(_batch_rows, code, data), _rows(data)
    if out is not None:
        if code.width > 64:
            raise ValueError(
                f"{code} has values of {code.width} bits, more than the elements of any buffer: "
                "leave out `out`"
            )
        call(out)
        return out
    if code.width > 64:
        return call(None)
    size = next(size for size in _TYPES if 8 * size >= code.width)
    out = (
        numpy.empty(count, f"u{size}")
        if array_of_numpy
        else array(_TYPES[size], bytes(count * size))
    )
    call(out)
    return out


def _rows(data: Any) -> int:
    # The function that reads the buffer checks the shape.
    shape = getattr(data, "shape", None)
    if shape is None:
        try:
            shape = memoryview(data).shape
        except TypeError:
            raise TypeError(
                "expected an array of rows, a buffer with offsets and lengths, or a list of "
                f"buffers, not {type(data).__name__}"
            ) from None
    return shape[0] if shape else 0


def _integers(values: Any, name: str) -> Any:
    """Converts offsets or lengths to one row of 64-bit integers."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None and isinstance(values, numpy.ndarray):
        if values.dtype.kind not in "iu" or values.ndim != 1:
            raise TypeError(
                f"{name} must be one row of integers, not {values.ndim} dimensions of "
                f"{values.dtype}"
            )
        if values.size and int(values.max()) >= 1 << 63:
            raise ValueError(f"{name} reach past any buffer: {values.max()}")
        return numpy.ascontiguousarray(values, numpy.int64)
    try:
        return array("q", values)
    except OverflowError as error:
        raise ValueError(f"{name} reach past any buffer: {error}") from None
