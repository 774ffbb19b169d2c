//! Computes the values of large data on several threads: each takes a part, and the values are
//! combined.
//!
//! This module needs the feature `rayon`. The work runs on the caller's rayon pool, or else on the
//! global pool, which the first call creates; as everywhere with rayon, that call panics if the
//! system grants no threads. Data of less than 2 [`PART`] bytes stay on the calling thread. The
//! value does not depend on the number of threads.
//!
//! ```
//! let code: residue::Code = "crc32c".parse()?;
//! let data = vec![7; 9 << 20];
//! assert_eq!(residue::parallel::value(&code, &data), code.value(&data));
//! # Ok::<(), residue::Error>(())
//! ```

use crate::code::stream::GRAIN;
use crate::code::{Code, Stream};
use core::ops::Range;
use core::slice;
use std::vec::Vec;

/// The fewest bytes given to a thread of their own.
///
/// Waking a thread and waiting for it takes 20 to 100 microseconds: with two threads the fastest
/// codes break even at two parts, and take half the time from four parts on.
pub const PART: u64 = 4 << 20;

/// Returns the value of `data` by `code`, as [`Code::value`] does.
#[must_use]
pub fn value(code: &Code, data: &[u8]) -> u128 {
    let mut stream = code.stream();
    update(&mut stream, data);
    stream.value()
}

/// Adds the next bytes, as [`Stream::update`] does.
pub fn update(stream: &mut Stream<'_>, data: &[u8]) {
    let all = 0..data.len() as u64;
    let done = ranges(slice::from_mut(stream), all, &|streams: &mut [Stream<'_>], range| {
        let part = data.get(range.start as usize..range.end as usize).unwrap_or_default();
        streams.iter_mut().for_each(|stream| stream.update(part));
        Ok::<_, core::convert::Infallible>(())
    });
    let Ok(()) = done;
}

/// Adds the bytes of `range` to all `streams`; `take` reads them, from a file for example.
///
/// `take` adds the bytes of the range it is given to the streams it is given. It is called on any
/// thread, and possibly twice for one range.
///
/// # Errors
/// The first error of `take`, in the order of the data. The streams are then useless.
pub fn ranges<'a, E: Send>(
    streams: &mut [Stream<'a>],
    range: Range<u64>,
    take: &(impl Fn(&mut [Stream<'a>], Range<u64>) -> Result<(), E> + Sync),
) -> Result<(), E> {
    let length = range.end.saturating_sub(range.start);
    if length < 2 * PART {
        return take(streams, range);
    }
    let seen = streams.first().map_or(0, Stream::bytes);
    let half = length / 2;
    let middle = range.start + half - seen.wrapping_add(half) % GRAIN;
    let (before, after) = (range.start..middle, middle..range.end);
    let mut next: Vec<Stream<'a>> = streams.iter().map(|stream| stream.code().stream()).collect();
    let (first, second) =
        rayon::join(|| ranges(streams, before, take), || ranges(&mut next, after.clone(), take));
    first?;
    second?;
    for (stream, next) in streams.iter_mut().zip(&next) {
        // Combination fails only for a stream that ends inside a word, if its length before differs
        // from that of the first.
        if stream.combine(next).is_err() {
            take(slice::from_mut(stream), after.clone())?;
        }
    }
    Ok(())
}
