//! Copies of captures that are made while edits are found.

use super::{Edit, in_place, of_io};
use crate::Error;
use crate::pcap::ReadAt;
use crate::replace::replace;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Number of bytes to copy at a time of what was not read.
const CHUNK: usize = 256 * 1024;

/// A source that also writes to a file what is read from it.
pub struct Copying<I> {
    input: I,
    output: File,
    /// Offset behind the last byte that was written.
    end: AtomicU64,
    /// The first error of the output.
    error: Mutex<Option<io::Error>>,
}

impl<I: ReadAt> ReadAt for Copying<I> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let count = self.input.read_at(buffer, offset)?;
        if let Err(error) = self.output.write_all_at(&buffer[..count], offset) {
            let kind = error.kind();
            self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            return Err(kind.into());
        }
        self.end.fetch_max(offset + count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl<I: ReadAt> Copying<I> {
    /// Copies the bytes behind all that were read.
    fn finish(&self) -> io::Result<()> {
        let mut buffer = vec![0; CHUNK];
        let result = loop {
            match self.read_at(&mut buffer, self.end.load(Ordering::Relaxed)) {
                Ok(0) => break Ok(()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => {
                    break Err(io::Error::other(Error::Io { doing: "read the capture", source }));
                }
            }
        };
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        error.map_or(result, Err)
    }
}

/// Writes an uncompressed capture with edits to a new file, as
/// [`copy_to_file`](super::copy_to_file), while `find` reads it to find the edits. `find` must read
/// from the first byte on without gaps; it returns the edits, sorted, and a result.
///
/// # Errors
///
/// Returns the errors of `find` and of both files, and an error if the old bytes differ. The old
/// file is then unchanged.
pub fn copy_and_find<I: ReadAt, T>(
    input: I,
    output: &Path,
    like: Option<&Path>,
    find: impl FnOnce(Arc<Copying<I>>) -> Result<(Vec<Edit>, T), Error>,
) -> Result<T, Error> {
    let write = |file: &mut File| {
        let (output, error) = (file.try_clone()?, Mutex::new(None));
        let copying = Arc::new(Copying { input, output, end: AtomicU64::new(0), error });
        let found = find(Arc::clone(&copying));
        copying.finish()?;
        let (edits, result) = found.map_err(io::Error::other)?;
        in_place(file, &edits).map_err(io::Error::other)?;
        Ok(result)
    };
    replace(output, like, write).map_err(of_io("write the new capture"))
}
