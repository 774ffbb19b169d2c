//! Streams: data that comes in pieces.

use crate::code::{residue_code, residue_wide};
use crate::ffi::{bytes, changed, given, pointer, residue_status, run, write};
use crate::partial::residue_partial;
use residue::Stream;
use std::ffi::c_void;
use std::sync::Arc;

/// A stream: computes the value of data that comes in pieces. It keeps its code alive.
pub struct residue_stream {
    /// Borrows from `code`, which does not move and is dropped later: fields are dropped in this
    /// order.
    stream: Stream<'static>,
    code: Arc<residue_code>,
}

impl residue_stream {
    fn new(code: Arc<residue_code>) -> residue_stream {
        // SAFETY: the code is on the heap, is never changed, and lives until the field `code` is
        // dropped, after `stream`; and `stream` leaves this type only as computed values.
        let of: &'static residue_code = unsafe { &*Arc::as_ptr(&code) };
        residue_stream { stream: of.code.stream(), code }
    }
}

/// Returns a new stream of this code, without data; null on failure. Free it by
/// residue_stream_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_stream_new(code: *const residue_code) -> *mut residue_stream {
    pointer(|| {
        // SAFETY: the header's rules.
        unsafe { given(code, "the code")? };
        // SAFETY: handles are created by `Arc::into_raw`, and this one is still held.
        let code = unsafe {
            Arc::increment_strong_count(code);
            Arc::from_raw(code)
        };
        Ok(Box::into_raw(Box::new(residue_stream::new(code))))
    })
}

/// Returns a copy of a stream; null on failure. Free it by residue_stream_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_stream_copy(stream: *const residue_stream) -> *mut residue_stream {
    pointer(|| {
        // SAFETY: the header's rules.
        let stream = unsafe { given(stream, "the stream")? };
        let copy = residue_stream { stream: stream.stream.clone(), code: Arc::clone(&stream.code) };
        Ok(Box::into_raw(Box::new(copy)))
    })
}

/// Frees a stream. Does nothing if stream is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_stream_free(stream: *mut residue_stream) {
    if !stream.is_null() {
        // SAFETY: created by `Box::into_raw`, and freed once.
        drop(unsafe { Box::from_raw(stream) });
    }
}

/// Resets a stream to no data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_stream_reset(stream: *mut residue_stream) -> residue_status {
    run(|| {
        // SAFETY: the header's rules.
        let stream = unsafe { changed(stream, "the stream")? };
        stream.stream = residue_stream::new(Arc::clone(&stream.code)).stream;
        Ok(())
    })
}

/// Adds the next bytes to a stream; pieces may have any length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_stream_update(
    stream: *mut residue_stream,
    data: *const c_void,
    length: usize,
) -> residue_status {
    run(|| {
        // SAFETY: the header's rules.
        let (stream, data) = unsafe { (changed(stream, "the stream")?, bytes(data, length)?) };
        stream.stream.update(data);
        Ok(())
    })
}

/// Appends the data of another stream of an equal code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_stream_combine(
    stream: *mut residue_stream,
    next: *const residue_stream,
) -> residue_status {
    run(|| {
        // A stream may be appended to itself: the copy is made before the mutable borrow. SAFETY:
        // the header's rules.
        let next = unsafe { given(next, "the next stream")? }.stream.clone();
        // SAFETY: the header's rules.
        let stream = unsafe { changed(stream, "the stream")? };
        Ok(stream.stream.combine(&next)?)
    })
}

/// Writes the value so far, of up to 64 bits. The stream may continue.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_stream_value(
    stream: *const residue_stream,
    value: *mut u64,
) -> residue_status {
    run(|| {
        // SAFETY: the header's rules.
        let stream = unsafe { given(stream, "the stream")? };
        let narrow = stream.code.narrow(stream.stream.value())?;
        // SAFETY: the header's rules.
        unsafe { write(value, narrow) }
    })
}

/// Writes the value so far, of any code. The stream may continue.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_stream_value_wide(
    stream: *const residue_stream,
    value: *mut residue_wide,
) -> residue_status {
    run(|| {
        // SAFETY: the header's rules.
        let stream = unsafe { given(stream, "the stream")? };
        // SAFETY: the header's rules.
        unsafe { write(value, stream.stream.value().into()) }
    })
}

/// Writes the value so far and the length, as a partial.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn residue_stream_partial(
    stream: *const residue_stream,
    partial: *mut residue_partial,
) -> residue_status {
    run(|| {
        // SAFETY: the header's rules.
        let stream = unsafe { given(stream, "the stream")? };
        // SAFETY: the header's rules.
        unsafe { write(partial, (&stream.stream.partial()).into()) }
    })
}
