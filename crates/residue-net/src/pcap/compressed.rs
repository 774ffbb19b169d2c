//! gzip (RFC 1952) and zstd (RFC 8878), recognised by their first bytes.

mod gzip;
mod zstd;

use flate2::write::GzEncoder;
use gzip::Gzip;
use ruzstd::encoding::CompressionLevel;
use std::fmt;
use std::io::{self, BufReader, Chain, Cursor, Read, Write};
use std::path::Path;
use zstd::Zstd;

/// A compression of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// One or several gzip members.
    Gzip,
    /// One or several zstd frames.
    Zstd,
}

impl Compression {
    /// Returns the compression by the first bytes of a file.
    #[must_use]
    pub fn of_start(start: &[u8]) -> Option<Compression> {
        match start {
            [0x1f, 0x8b, ..] => Some(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Compression::Zstd),
            // A skippable frame may come first.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Compression::Zstd),
            _ => None,
        }
    }

    /// Returns the compression by the end of a file name: `.gz` or `.zst`.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Compression> {
        let extension = path.extension()?;
        if extension.eq_ignore_ascii_case("gz") {
            Some(Compression::Gzip)
        } else if extension.eq_ignore_ascii_case("zst") {
            Some(Compression::Zstd)
        } else {
            None
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        })
    }
}

/// Number of compressed bytes to read at a time.
const CHUNK: usize = 64 * 1024;

/// The bytes read to detect the compression, and the rest.
type Whole<R> = Chain<Cursor<Vec<u8>>, R>;

/// A reader that decompresses its input if necessary. All bytes before damage are returned before
/// the error; after it, the data ends.
pub struct Decompressed<R: Read>(Method<R>);

/// The decoders are given the input, and do not know its type: they are compiled once.
enum Method<R: Read> {
    Plain(Whole<R>),
    Gzip(BufReader<Whole<R>>, Box<Gzip>),
    Zstd(BufReader<Whole<R>>, Box<Zstd>),
}

impl<R: Read> Decompressed<R> {
    /// Creates a reader, and reads the first four bytes, which determine the compression.
    ///
    /// # Errors
    ///
    /// Returns the errors of `input`.
    pub fn new(mut input: R) -> io::Result<Self> {
        let start = start(&mut input)?;
        let compression = Compression::of_start(&start);
        let whole = Cursor::new(start).chain(input);
        let buffered = |whole| BufReader::with_capacity(CHUNK, whole);
        Ok(Decompressed(match compression {
            None => Method::Plain(whole),
            Some(Compression::Gzip) => Method::Gzip(buffered(whole), Box::new(Gzip::new())),
            Some(Compression::Zstd) => Method::Zstd(buffered(whole), Box::new(Zstd::new())),
        }))
    }

    /// Returns the compression of the input, if any.
    pub fn compression(&self) -> Option<Compression> {
        match self.0 {
            Method::Plain(_) => None,
            Method::Gzip(..) => Some(Compression::Gzip),
            Method::Zstd(..) => Some(Compression::Zstd),
        }
    }
}

impl<R: Read> Read for Decompressed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Method::Plain(whole) => whole.read(buffer),
            Method::Gzip(input, gzip) => gzip.read(input, buffer),
            Method::Zstd(input, zstd) => zstd.read(input, buffer),
        }
    }
}

/// Reads the first four bytes, which determine the compression.
pub(super) fn start(input: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    input.take(4).read_to_end(&mut start)?;
    Ok(start)
}

/// Copies all of `input` to `output`, with this compression if given. The zstd encoder is ruzstd's
/// fastest: slower than gzip here, with larger files (by 22 % on real captures).
///
/// # Errors
///
/// Returns the errors of `input` and `output`.
pub fn copy(
    input: &mut dyn Read,
    output: &mut dyn Write,
    compression: Option<Compression>,
) -> io::Result<()> {
    match compression {
        None => copy_plain(input, output)?,
        Some(Compression::Gzip) => {
            let mut gzip = GzEncoder::new(&mut *output, flate2::Compression::default());
            copy_plain(input, &mut gzip)?;
            gzip.finish()?;
        }
        Some(Compression::Zstd) => {
            // The encoder panics on errors of its reader and writer: `Held` hides them.
            let mut input = Held { inner: input, error: None };
            let mut output = Held { inner: &mut *output, error: None };
            ruzstd::encoding::compress(&mut input, &mut output, CompressionLevel::Fastest);
            input.error.or(output.error).map_or(Ok(()), Err)?;
        }
    }
    output.flush()
}

/// [`io::copy`] with a larger buffer.
fn copy_plain(input: &mut dyn Read, output: &mut dyn Write) -> io::Result<()> {
    let mut buffer = vec![0; 4 * CHUNK];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => output.write_all(&buffer[..count])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// A reader or writer that stores its first error: after it, a reader ends, and a writer discards
/// all data.
struct Held<T> {
    inner: T,
    error: Option<io::Error>,
}

impl<R: Read> Read for Held<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.error.is_none() {
            match self.inner.read(buffer) {
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.error = Some(error),
            }
        }
        Ok(0)
    }
}

impl<W: Write> Write for Held<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.error.is_none() {
            self.error = self.inner.write_all(bytes).err();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
