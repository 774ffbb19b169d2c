//! Standard input and output, with the errors that std leaves out.
//!
//! std takes a closed stream for an empty one, and for success that nothing can be read from or
//! written to a stream that is open the other way only. A check value of no bytes, or of bytes that
//! nobody gets, would be the answer.

use std::io::{self, Read, Write};

#[cfg(unix)]
mod system {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsFd;

    pub type Input = File;
    pub type Output = File;

    pub fn input() -> io::Result<Input> {
        own(&io::stdin())
    }

    pub fn output() -> io::Result<Output> {
        own(&io::stdout())
    }

    /// The stream as a file, whose errors std does not hide.
    fn own(stream: &impl AsFd) -> io::Result<File> {
        stream.as_fd().try_clone_to_owned().map(File::from)
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;

    pub type Input = io::Stdin;
    pub type Output = io::Stdout;

    pub fn input() -> io::Result<Input> {
        Ok(io::stdin())
    }

    pub fn output() -> io::Result<Output> {
        Ok(io::stdout())
    }
}

/// Standard input.
pub struct Stdin(system::Input);

/// Standard output. Errors show when something is written, as some commands print nothing.
pub struct Stdout(io::Result<system::Output>);

/// Opens standard input.
pub fn stdin() -> io::Result<Stdin> {
    if was_closed(0) {
        return Err(io::Error::other("standard input is closed"));
    }
    system::input().map(Stdin)
}

/// Opens standard output.
pub fn stdout() -> Stdout {
    if was_closed(1) {
        return Stdout(Err(io::Error::other("standard output is closed")));
    }
    Stdout(system::output())
}

#[cfg(target_os = "linux")]
fn was_closed(descriptor: u8) -> bool {
    residue_guard::adapter::was_closed(descriptor)
}

/// Nothing is known: std has put another file in the place of a closed one before it could be asked
/// for.
#[cfg(not(target_os = "linux"))]
fn was_closed(_: u8) -> bool {
    false
}

/// Says what "Bad file descriptor" means here.
fn explained(error: io::Error, meaning: &str) -> io::Error {
    const EBADF: i32 = 9;
    let bad = cfg!(unix) && error.raw_os_error() == Some(EBADF);
    if bad { io::Error::other(meaning) } else { error }
}

impl Read for Stdin {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer);
        read.map_err(|error| explained(error, "standard input is not open for reading"))
    }
}

impl Stdout {
    /// Fails if nothing can be written.
    pub fn check(&mut self) -> io::Result<()> {
        self.write(&[]).map(|_| ())
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Ok(output) => output
                .write(bytes)
                .map_err(|error| explained(error, "standard output is not open for writing")),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        // What cannot be written was reported by `write`.
        self.0.as_mut().map_or(Ok(()), Write::flush)
    }
}
