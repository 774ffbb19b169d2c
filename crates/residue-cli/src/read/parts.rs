//! The values of the parts of an input, as multipart uploads have them.

use super::{LARGE, Part, Source, each_buffer, pool};
use crate::codes::Chosen;
use crate::progress::Progress;
use crate::streams;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use residue::partial::Partial;
use residue::{Code, Stream};
use std::fs::File;
use std::io::{self, Read};
use std::sync::atomic::AtomicBool;

/// The result of reading an input in parts.
#[derive(Debug)]
pub struct Parts {
    /// The number of bytes read.
    pub bytes: u64,
    /// For each part the values of all codes. Empty content is one part.
    pub values: Vec<Vec<u128>>,
    /// Bytes of every part except the last.
    size: u64,
}

impl Parts {
    /// Returns the value of the whole content by code `i`, which must be a CRC.
    pub fn whole(&self, code: &Code, i: usize) -> u128 {
        let (mut start, mut whole) = (0, Partial::empty(code));
        for values in &self.values {
            let length = self.size.min(self.bytes - start);
            // Only sums of words cannot be combined.
            let part = Partial::new(code, values[i], length);
            whole = part.and_then(|part| whole.concat(&part)).unwrap_or(whole);
            start += length;
        }
        whole.value()
    }
}

/// Reads an input to its end, in parts of `size` bytes (at least 1).
pub fn read(
    source: &Source,
    codes: &[Chosen],
    size: u64,
    progress: &Progress,
) -> io::Result<Parts> {
    match source {
        Source::Bytes(bytes) => in_order(&bytes[..], codes, size, progress),
        Source::Stdin => in_order(streams::stdin()?, codes, size, progress),
        Source::File(path) => {
            let file = File::open(path)?;
            let metadata = file.metadata()?;
            if metadata.is_dir() {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
            }
            let large = cfg!(unix) && metadata.is_file() && metadata.len() >= LARGE.max(size + 1);
            match pool().filter(|pool| large && pool.current_num_threads() > 1) {
                Some(pool) => {
                    let length = metadata.len();
                    let values =
                        pool.install(|| side_by_side(&file, length, codes, size, progress));
                    Ok(Parts { bytes: length, values: values?, size })
                }
                None => in_order(file, codes, size, progress),
            }
        }
    }
}

/// Reads the parts of a file of `length` bytes on all CPUs.
fn side_by_side(
    file: &File,
    length: u64,
    codes: &[Chosen],
    size: u64,
    progress: &Progress,
) -> io::Result<Vec<Vec<u128>>> {
    (0..length.div_ceil(size))
        .into_par_iter()
        .map(|i| {
            let range = i * size..length.min((i + 1).saturating_mul(size));
            let wanted = range.end - range.start;
            let parts = in_order(Part { file, range }, codes, size, progress)?;
            if parts.bytes != wanted {
                let why = "shrank while read";
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, why));
            }
            Ok(parts.values.into_iter().next().unwrap_or_default())
        })
        .collect()
}

/// Reads the parts of a stream one after another.
fn in_order(
    input: impl Read,
    codes: &[Chosen],
    size: u64,
    progress: &Progress,
) -> io::Result<Parts> {
    let streams = || -> Vec<Stream<'_>> { codes.iter().map(|one| one.code.stream()).collect() };
    let done = |streams: &[Stream<'_>]| streams.iter().map(Stream::value).collect();
    let (mut now, mut room) = (streams(), size);
    let mut parts = Parts { bytes: 0, values: Vec::new(), size };
    each_buffer(input, &AtomicBool::new(false), |mut bytes| {
        progress.add(bytes.len() as u64);
        parts.bytes += bytes.len() as u64;
        while !bytes.is_empty() {
            if room == 0 {
                parts.values.push(done(&now));
                (now, room) = (streams(), size);
            }
            let count = room.min(bytes.len() as u64);
            let (first, rest) = bytes.split_at(count as usize);
            now.iter_mut().for_each(|stream| stream.update(first));
            (bytes, room) = (rest, room - count);
        }
    })?;
    parts.values.push(done(&now));
    Ok(parts)
}
