//! Check values of many packets in one call: the compiled part of `residue.batch`; the rest is
//! `python/residue/_batch.py`.

use crate::buffer::{self, Lent};
use crate::code::PyCode;
use crate::convert::number;
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use residue::{Code, batch};
use std::ops::Range;

/// Number of packets computed at a time.
const ROUND: usize = 256;

/// Overhead of a packet, in bytes, for the decision whether to release the interpreter's lock.
const PACKET: usize = 64;

/// Computes the check values of the rows of a two-dimensional buffer.
#[pyfunction]
pub fn _batch_rows<'py>(
    code: &Bound<'py, PyCode>,
    data: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyList>>> {
    let lent = Lent::shaped(data)?;
    let &[rows, columns] = lent.shape() else {
        return Err(PyValueError::new_err(format!(
            "expected an array of 2 dimensions, whose rows are packets; this one has {} (for parts \
             of a buffer, give offsets and lengths)",
            lent.shape().len()
        )));
    };
    let (rows, row) = (rows as usize, columns as usize * lent.item());
    let bytes = lent.bytes();
    run(code, rows, &|index| &bytes[index * row..(index + 1) * row], &[], out)
}

/// Computes the check values of parts of one buffer. Offsets and lengths are arrays of 64-bit
/// integers.
#[pyfunction]
pub fn _batch_spans<'py>(
    code: &Bound<'py, PyCode>,
    data: &Bound<'py, PyAny>,
    offsets: &Bound<'py, PyAny>,
    lengths: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyList>>> {
    let lent = Lent::of(data)?;
    let bytes = lent.bytes();
    let (starts, counts) = (Lent::shaped(offsets)?, Lent::shaped(lengths)?);
    let tables = [starts.bytes().as_ptr_range(), counts.bytes().as_ptr_range()];
    let (starts, counts) = (integers(&starts, "offsets")?, integers(&counts, "lengths")?);
    if starts.len() != counts.len() {
        return Err(PyValueError::new_err(format!(
            "{} offsets and {} lengths: each packet needs both",
            starts.len(),
            counts.len()
        )));
    }
    // Copied, as another thread may change the arrays after they have been checked.
    let mut spans = Vec::with_capacity(starts.len());
    for (index, (start, count)) in starts.iter().zip(counts).enumerate() {
        let (start, count) = (i64::from_ne_bytes(*start), i64::from_ne_bytes(*count));
        let span = usize::try_from(start).ok().zip(usize::try_from(count).ok());
        let inside = span.and_then(|(start, count)| bytes.get(start..start.checked_add(count)?));
        spans.push(inside.ok_or_else(|| {
            PyValueError::new_err(format!(
                "packet {index} ({count} bytes at offset {start}) is not within the buffer's {} \
                 bytes",
                bytes.len()
            ))
        })?);
    }
    run(code, spans.len(), &|index| spans[index], &tables, out)
}

/// Computes the check values of packets that are separate objects.
#[pyfunction]
pub fn _batch_each<'py>(
    code: &Bound<'py, PyCode>,
    packets: Vec<Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyList>>> {
    let lent: Vec<Lent<'_>> = packets.iter().map(Lent::of).collect::<PyResult<_>>()?;
    let packets: Vec<&[u8]> = lent.iter().map(Lent::bytes).collect();
    run(code, packets.len(), &|index| packets[index], &[], out)
}

/// Returns the bytes of 64-bit integers.
fn integers<'a>(lent: &'a Lent<'_>, what: &str) -> PyResult<&'a [[u8; 8]]> {
    match (lent.shape(), lent.item(), lent.format()) {
        ([_], 8, b"q" | b"l") => Ok(lent.bytes().as_chunks().0),
        _ => Err(PyTypeError::new_err(format!("{what} must be one row of 64-bit integers"))),
    }
}

/// Writes the check values into `out`, which must overlap neither the packets nor `tables`, or
/// returns them as a list.
fn run<'py, 'a>(
    code: &Bound<'py, PyCode>,
    count: usize,
    packet: &(dyn Fn(usize) -> &'a [u8] + Sync),
    tables: &[Range<*const u8>],
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyList>>> {
    let py = code.py();
    let code: &Code = code.get().get();
    let work =
        || (0..count).map(|index| packet(index).len() + PACKET).fold(0, usize::saturating_add);
    let Some(out) = out else {
        // Rows without bytes may be more than any memory holds values for.
        let mut values = Vec::new();
        values.try_reserve_exact(count).map_err(|_| {
            PyMemoryError::new_err(format!("no memory for the values of {count} packets"))
        })?;
        values.resize(count, 0);
        buffer::unlocked(py, work(), || {
            each(code, count, packet, |at, some| values[at..at + some.len()].copy_from_slice(some))
        });
        let values: Vec<_> =
            values.into_iter().map(|value| number(py, value)).collect::<PyResult<_>>()?;
        return PyList::new(py, values).map(Some);
    };
    let mut lent = Lent::writable(out)?;
    let item = lent.item();
    let unsigned = matches!(lent.format(), b"B" | b"H" | b"I" | b"L" | b"Q" | b"N");
    if !unsigned || item < code.width().div_ceil(8) as usize {
        return Err(PyValueError::new_err(format!(
            "out has elements of {item} bytes and format {:?}; \
             values of {code} need unsigned integers of at least {} bits in \
             native byte order",
            String::from_utf8_lossy(lent.format()),
            code.width()
        )));
    }
    if lent.shape() != [count as isize] {
        return Err(PyValueError::new_err(format!(
            "out has the shape {:?}: {count} packets need one row of {count} elements",
            lent.shape()
        )));
    }
    let places = lent.bytes_mut();
    let target = places.as_ptr_range();
    // A range without bytes may lie inside another one.
    let overlaps = |data: &Range<*const u8>| {
        !data.is_empty() && data.start < target.end && target.start < data.end
    };
    if (0..count).any(|index| overlaps(&packet(index).as_ptr_range())) {
        return Err(PyValueError::new_err("out overlaps the data: give it memory of its own"));
    }
    if tables.iter().any(overlaps) {
        let text = "out overlaps the offsets or the lengths: give it memory of its own";
        return Err(PyValueError::new_err(text));
    }
    buffer::unlocked(py, work(), || {
        each(code, count, packet, |at, some| {
            let places = places[at * item..].chunks_exact_mut(item);
            for (place, value) in places.zip(some) {
                let bytes = value.to_ne_bytes();
                let low =
                    if cfg!(target_endian = "big") { &bytes[16 - item..] } else { &bytes[..item] };
                place.copy_from_slice(low);
            }
        });
    });
    Ok(None)
}

/// Computes the check values a round at a time, and passes each on with its index.
fn each<'a>(
    code: &Code,
    count: usize,
    packet: &(dyn Fn(usize) -> &'a [u8] + Sync),
    mut take: impl FnMut(usize, &[u128]),
) {
    let mut slices: [&[u8]; ROUND] = [&[]; ROUND];
    let mut values = [0; ROUND];
    for at in (0..count).step_by(ROUND) {
        let size = ROUND.min(count - at);
        let (slices, values) = (&mut slices[..size], &mut values[..size]);
        slices.iter_mut().enumerate().for_each(|(index, slice)| *slice = packet(at + index));
        // `out` has one element for each packet: there is no other error.
        let _ = batch::each(code, &*slices, values);
        take(at, values);
    }
}
