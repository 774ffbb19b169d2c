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

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// One or several gzip members.
    Gzip,
    /// One or several zstd frames.
    Zstd,
}

impl Compression {
    /// By the first bytes of a file.
    #[must_use]
    pub fn of_start(start: &[u8]) -> Option<Compression> {
        match start {
            [0x1f, 0x8b, ..] => Some(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Compression::Zstd),
            // A frame to be skipped may come first.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Compression::Zstd),
            _ => None,
        }
    }

    /// By the end of a file's name: `.gz` or `.zst`.
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

/// How many compressed bytes are read at once.
const CHUNK: usize = 64 * 1024;

/// What was read to find the compression, and what follows.
type Whole<R> = Chain<Cursor<Vec<u8>>, R>;

/// The bytes of a reader, decompressed if they are compressed. All that stands before damage is
/// handed out before the error; behind the error the data end.
pub struct Decompressed<R: Read>(Method<R>);

enum Method<R: Read> {
    Plain(Whole<R>),
    Gzip(Box<Gzip<BufReader<Whole<R>>>>),
    Zstd(Box<Zstd<BufReader<Whole<R>>>>),
}

impl<R: Read> Decompressed<R> {
    /// Reads the first four bytes, which determine the compression.
    ///
    /// # Errors
    ///
    /// As `input` has them.
    pub fn new(mut input: R) -> io::Result<Self> {
        let mut start = Vec::new();
        input.by_ref().take(4).read_to_end(&mut start)?;
        let compression = Compression::of_start(&start);
        let whole = Cursor::new(start).chain(input);
        let buffered = |whole| BufReader::with_capacity(CHUNK, whole);
        Ok(Decompressed(match compression {
            None => Method::Plain(whole),
            Some(Compression::Gzip) => Method::Gzip(Box::new(Gzip::new(buffered(whole)))),
            Some(Compression::Zstd) => Method::Zstd(Box::new(Zstd::new(buffered(whole)))),
        }))
    }

    /// How the input is compressed, if it is.
    pub fn compression(&self) -> Option<Compression> {
        match self.0 {
            Method::Plain(_) => None,
            Method::Gzip(_) => Some(Compression::Gzip),
            Method::Zstd(_) => Some(Compression::Zstd),
        }
    }
}

impl<R: Read> Read for Decompressed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Method::Plain(whole) => whole.read(buffer),
            Method::Gzip(gzip) => gzip.read(buffer),
            Method::Zstd(zstd) => zstd.read(buffer),
        }
    }
}

/// Copies all of `input` to `output`, compressed if so wished. The zstd encoder is ruzstd's at its
/// fastest: right, but slower than gzip here, and its files are larger than gzip's (by 22 % on real
/// captures).
///
/// # Errors
///
/// Those of `input` and `output`.
pub fn copy(
    input: &mut impl Read,
    output: &mut impl Write,
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
            // The encoder panics on errors of what it reads and writes: they are kept from it.
            let mut input = Held { inner: input, error: None };
            let mut output = Held { inner: &mut *output, error: None };
            ruzstd::encoding::compress(&mut input, &mut output, CompressionLevel::Fastest);
            input.error.or(output.error).map_or(Ok(()), Err)?;
        }
    }
    output.flush()
}

/// [`io::copy`] with a larger buffer.
fn copy_plain(input: &mut impl Read, output: &mut impl Write) -> io::Result<()> {
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

/// A reader or writer that keeps its first error to itself: a reader ends then, a writer takes all
/// and drops it.
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
