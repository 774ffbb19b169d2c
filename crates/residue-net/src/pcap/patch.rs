//! Changes of single bytes at their places in a capture. Every other byte stays as it is, whatever
//! it means.
//!
//! The functions with paths are, with [`replace`], the only ones of the crate that open files.

use super::compressed::{self, Compression, Decompressed};
use crate::Error;
use crate::replace::replace;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Up to four bytes to be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Where they stand in the capture, decompressed if it is compressed.
    pub offset: u64,
    /// How many bytes of `old` and `new` count.
    pub length: u8,
    /// What stands there.
    pub old: [u8; 4],
    /// What shall stand there.
    pub new: [u8; 4],
}

impl Edit {
    /// The edits that change `old` into `new`, which are of equal length, from `offset` on. Bytes
    /// at both ends that stay the same are left out.
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

    /// How many bytes it has.
    fn len(&self) -> usize {
        usize::from(self.length).min(4)
    }

    fn before(&self) -> &[u8] {
        &self.old[..self.len()]
    }

    fn after(&self) -> &[u8] {
        &self.new[..self.len()]
    }

    /// Makes it in bytes that begin at `start` of the capture.
    ///
    /// # Errors
    ///
    /// If what it changes does not stand there.
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

/// Sorts edits by their places, as everything here wants them.
///
/// # Errors
///
/// If two edits want to change the same byte.
pub fn sort(edits: &mut [Edit]) -> Result<(), Error> {
    edits.sort_by_key(|edit| edit.offset);
    match edits.windows(2).find(|two| two[0].end() > two[1].offset) {
        Some(two) => Err(Error::Overlap { offset: two[1].offset }),
        None => Ok(()),
    }
}

/// A capture with edits made while it is read.
pub struct Edited<'a, R> {
    input: R,
    offset: u64,
    edits: &'a [Edit],
}

impl<'a, R: Read> Edited<'a, R> {
    /// `input` is the decompressed capture, from its first byte; `edits` are sorted.
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
                // An edit may have begun in what was read before, or end in what is read next.
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

/// An [`Error::Changed`] on its way through [`Read`].
fn changed(offset: u64) -> io::Error {
    io::Error::other(Error::Changed { offset })
}

/// Back from [`Read`] and [`Write`].
fn of_io(doing: &'static str) -> impl FnOnce(io::Error) -> Error {
    move |error| match error.downcast::<Error>() {
        Ok(error) => error,
        Err(source) => Error::Io { doing, source },
    }
}

/// Writes a capture with edits to `output`, compressed if so wished. `input` is the capture,
/// compressed or not; `edits` are sorted.
///
/// # Errors
///
/// Those of `input` and `output`, and if the bytes to be changed are not those expected.
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

/// Makes edits where the capture stands, after checking all of them. `edits` are sorted. Says how
/// many bytes were changed.
///
/// # Errors
///
/// Those of `file`; if the capture is compressed; and if bytes to be changed are not those
/// expected: then nothing was changed. If writing fails, edits before were made.
pub fn in_place(file: &mut (impl Read + Write + Seek), edits: &[Edit]) -> Result<u64, Error> {
    let reading = || Error::io("read the capture");
    let mut start = Vec::new();
    file.rewind().map_err(reading())?;
    Read::by_ref(file).take(4).read_to_end(&mut start).map_err(reading())?;
    if let Some(compression) = Compression::of_start(&start) {
        return Err(Error::InPlace { compression });
    }
    let mut input = BufReader::with_capacity(64 * 1024, &mut *file);
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

/// [`in_place`] in a file.
///
/// # Errors
///
/// As [`in_place`], and if the file cannot be opened for reading and writing.
pub fn in_place_file(path: &Path, edits: &[Edit]) -> Result<u64, Error> {
    let file = OpenOptions::new().read(true).write(true).open(path);
    in_place(&mut file.map_err(Error::io("open the capture to change it"))?, edits)
}

/// All of `input` in a file without a name, read from its start: for what can be read only once,
/// and must be read twice. It is gone when it is dropped.
///
/// # Errors
///
/// Those of `input`, or if the folder for temporary files has no room.
pub fn spool(mut input: impl Read) -> Result<File, Error> {
    let spooling = || Error::io("keep the capture in a temporary file");
    let mut file = tempfile::tempfile().map_err(spooling())?;
    compressed::copy(&mut input, &mut file, None).map_err(spooling())?;
    file.rewind().map_err(spooling())?;
    Ok(file)
}

/// Writes a capture with edits to a file, compressed if its name ends in `.gz` or `.zst`, or to
/// standard output if its name is `-`, as [`replace`] does it. `input` is the capture, compressed
/// or not; it may be the file itself. `like` is the file whose permissions a new one gets. `edits`
/// are sorted.
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
