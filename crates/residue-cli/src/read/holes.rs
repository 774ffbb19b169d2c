//! The holes of sparse files: the file system says where they are, and they read as zeros.

use std::fs::File;
use std::io;
use std::ops::Range;

/// Whether the holes of files can be found here.
pub const KNOWN: bool = cfg!(target_os = "linux");

/// Returns the first data in a range of a file, which are empty at its end if there are none. What
/// is in front of them is a hole. A file system that knows no holes has data alone.
///
/// Moves the position of the file.
#[cfg(target_os = "linux")]
pub fn data(file: &File, range: &Range<u64>) -> io::Result<Range<u64>> {
    use rustix::fs::{SeekFrom, seek};
    use rustix::io::Errno;
    let start = match seek(file, SeekFrom::Data(range.start)) {
        Ok(start) => start.clamp(range.start, range.end),
        // No data follow.
        Err(Errno::NXIO) => range.end,
        Err(Errno::INVAL) => return Ok(range.clone()),
        Err(error) => return Err(error.into()),
    };
    if start == range.end {
        return Ok(start..start);
    }
    let end = seek(file, SeekFrom::Hole(start))?.min(range.end);
    Ok(start..if end > start { end } else { range.end })
}

/// Returns all of the range.
#[cfg(not(target_os = "linux"))]
pub fn data(_: &File, range: &Range<u64>) -> io::Result<Range<u64>> {
    Ok(range.clone())
}
