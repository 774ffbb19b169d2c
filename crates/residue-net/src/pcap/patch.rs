//! Changes of single bytes of a capture. Every other byte stays, whatever it means.
//!
//! The functions with paths, and [`replace`], are the only ones of the crate that open files.

#[cfg(unix)]
mod copying;

use super::compressed::{self, Compression, Decompressed};
use crate::Error;
use crate::replace::replace;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

#[cfg(unix)]
pub use copying::{Copying, copy_and_find};

/// A change of up to four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Offset in the (decompressed) capture.
    pub offset: u64,
    /// Number of bytes of `old` and `new`.
    pub length: u8,
    /// Old bytes.
    pub old: [u8; 4],
    /// New bytes.
    pub new: [u8; 4],
}

impl Edit {
    /// Returns the edits that change `old` into `new`, of equal length, at `offset`. Equal bytes at
    /// both ends are left out.
    pub fn of(offset: u64, old: &[u8], new: &[u8]) -> impl Iterator<Item = Edit> {
        let length = old.len().min(new.len());
        let changed = |&place: &usize| old[place] != new[place];
        let start = (0..length).find(changed).unwrap_or(length);
        let end = (start..length).rfind(changed).map_or(start, |last| last + 1);
        (start..end).step_by(4).map(move |place| {
            let length = (end - place).min(4);
            let four = |bytes: &[u8]| {
                let mut four = [0; 4];
                four[..length].copy_from_slice(&bytes[place..place + length]);
                four
            };
            Edit {
                offset: offset + place as u64,
                length: length as u8,
                old: four(old),
                new: four(new),
            }
        })
    }

    /// Returns the number of bytes.
    fn len(&self) -> usize {
        usize::from(self.length).min(4)
    }

    fn before(&self) -> &[u8] {
        &self.old[..self.len()]
    }

    fn after(&self) -> &[u8] {
        &self.new[..self.len()]
    }

    /// Applies the edit to bytes that begin at `start` in the capture.
    ///
    /// # Errors
    ///
    /// If the old bytes differ.
    pub(crate) fn make(&self, bytes: &mut [u8], start: u64) -> Result<(), Error> {
        let place = self.offset.checked_sub(start).and_then(|place| usize::try_from(place).ok());
        let bytes = place.and_then(|place| bytes.get_mut(place..place.checked_add(self.len())?));
        match bytes {
            Some(bytes) if bytes == self.before() => {
                bytes.copy_from_slice(self.after());
                Ok(())
            }
            _ => Err(Error::Changed { offset: self.offset }),
        }
    }

    fn end(&self) -> u64 {
        self.offset.saturating_add(self.len() as u64)
    }
}

/// Sorts edits by offset, as all functions here require.
///
/// # Errors
///
/// If two edits change one byte.
pub fn sort(edits: &mut [Edit]) -> Result<(), Error> {
    edits.sort_by_key(|edit| edit.offset);
    match edits.windows(2).find(|two| two[0].end() > two[1].offset) {
        Some(two) => Err(Error::Overlap { offset: two[1].offset }),
        None => Ok(()),
    }
}

/// A reader that applies edits to a capture.
pub struct Edited<'a, R> {
    input: R,
    offset: u64,
    edits: &'a [Edit],
}

impl<'a, R: Read> Edited<'a, R> {
    /// Creates a reader; `input` is the decompressed capture, from its first byte, and `edits` are
    /// sorted.
    pub fn new(input: R, edits: &'a [Edit]) -> Self {
        Edited { input, offset: 0, edits }
    }
}

impl<R: Read> Read for Edited<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        if count == 0
            && !buffer.is_empty()
            && let Some(edit) = self.edits.first()
        {
            return Err(changed(edit.offset.max(self.offset)));
        }
        let end = self.offset + count as u64;
        while let Some(edit) = self.edits.first()
            && edit.offset < end
        {
            let bytes = edit.before().iter().zip(edit.after()).zip(edit.offset..);
            for ((old, new), place) in bytes {
                // An edit may begin in the previous read, or end in the next one.
                if place < self.offset || place >= end {
                    continue;
                }
                let byte = &mut buffer[(place - self.offset) as usize];
                if byte != old {
                    return Err(changed(place));
                }
                *byte = *new;
            }
            if edit.end() > end {
                break;
            }
            self.edits = &self.edits[1..];
        }
        self.offset = end;
        Ok(count)
    }
}

/// Wraps an [`Error::Changed`] to pass it through [`Read`].
fn changed(offset: u64) -> io::Error {
    io::Error::other(Error::Changed { offset })
}

/// Unwraps errors of [`Read`] and [`Write`].
fn of_io(doing: &'static str) -> impl FnOnce(io::Error) -> Error {
    move |error| match error.downcast::<Error>() {
        Ok(error) => error,
        Err(source) => Error::Io { doing, source },
    }
}

/// Writes a capture with edits to `output`, with this compression if given. `input` is the capture,
/// compressed or not; `edits` are sorted.
///
/// # Errors
///
/// Returns the errors of `input` and `output`, and an error if the old bytes differ.
pub fn copy(
    input: impl Read,
    mut output: impl Write,
    edits: &[Edit],
    compression: Option<Compression>,
) -> Result<(), Error> {
    let input = Decompressed::new(input).map_err(of_io("read the capture"))?;
    compressed::copy(&mut Edited::new(input, edits), &mut output, compression)
        .map_err(of_io("copy the capture"))
}

/// Number of bytes to read at a time before a change in place: edits are often far apart.
const EXAMINED: usize = 4096;

/// Applies edits to a capture in place, after checking all of them. `edits` are sorted. Returns the
/// number of changed bytes.
///
/// # Errors
///
/// Returns the errors of `file`, and an error if the capture is compressed, or the old bytes
/// differ; then nothing was changed. If writing fails, earlier edits were applied.
pub fn in_place(file: &mut (impl Read + Write + Seek), edits: &[Edit]) -> Result<u64, Error> {
    let reading = || Error::io("read the capture");
    file.rewind().map_err(reading())?;
    let start = compressed::start(file).map_err(reading())?;
    if let Some(compression) = Compression::of_start(&start) {
        return Err(Error::InPlace { compression });
    }
    let mut input = BufReader::with_capacity(EXAMINED, &mut *file);
    let mut place = input.rewind().map(|()| 0).map_err(reading())?;
    for edit in edits {
        let step = edit.offset.checked_sub(place).ok_or(Error::Overlap { offset: edit.offset })?;
        let step = i64::try_from(step).map_err(|_| Error::Changed { offset: edit.offset })?;
        let mut bytes = [0; 4];
        let bytes = &mut bytes[..edit.len()];
        let read = input.seek_relative(step).and_then(|()| input.read_exact(bytes));
        match read {
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
                return Err(reading()(error));
            }
            Ok(()) if bytes == edit.before() => place = edit.end(),
            _ => return Err(Error::Changed { offset: edit.offset }),
        }
    }
    let mut count = 0;
    for edit in edits {
        file.seek(SeekFrom::Start(edit.offset))
            .and_then(|_| file.write_all(edit.after()))
            .map_err(Error::io("write the capture"))?;
        count += edit.len() as u64;
    }
    Ok(count)
}

/// Applies edits to a file in place, as [`in_place`].
///
/// # Errors
///
/// As [`in_place`], and if the file cannot be opened for reading and writing.
pub fn in_place_file(path: &Path, edits: &[Edit]) -> Result<u64, Error> {
    let file = OpenOptions::new().read(true).write(true).open(path);
    in_place(&mut file.map_err(Error::io("open the capture to change it"))?, edits)
}

/// Copies all of `input` to a file without a name, positioned at its start: for input that can be
/// read only once but must be read twice. The file vanishes when it is dropped.
///
/// # Errors
///
/// Returns the errors of `input`, and an error if the folder for temporary files has no room.
pub fn spool(mut input: impl Read) -> Result<File, Error> {
    let spooling = || Error::io("keep the capture in a temporary file");
    let mut file = tempfile::tempfile().map_err(spooling())?;
    compressed::copy(&mut input, &mut file, None).map_err(spooling())?;
    file.rewind().map_err(spooling())?;
    Ok(file)
}

/// Writes a capture with edits to a file, compressed if its name ends in `.gz` or `.zst`, or to
/// standard output if its name is `-`, as [`replace`] does. `input` is the capture, compressed or
/// not; it may be the file itself. A new file gets the permissions of `like`. `edits` are sorted.
///
/// # Errors
///
/// As [`copy`], and if the file cannot be written.
pub fn copy_to_file(
    input: impl Read,
    output: &Path,
    like: Option<&Path>,
    edits: &[Edit],
) -> Result<(), Error> {
    if output == Path::new("-") {
        return copy(input, io::stdout().lock(), edits, None);
    }
    let compression = Compression::of_name(output);
    let write = |file: &mut File| copy(input, file, edits, compression).map_err(io::Error::other);
    replace(output, like, write).map_err(of_io("write the new capture"))
}
