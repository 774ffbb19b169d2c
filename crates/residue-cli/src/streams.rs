//! Standard input and output, with the errors that std hides.
//!
//! std reads a closed standard input as empty, ignores writes to a closed standard output, and does
//! both for a stream opened in the other direction. The program would then print the check value of
//! no bytes, or lose its output and report success.

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

    /// Returns the stream as a file, whose errors std reports.
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

/// Standard output. An error to open it shows at the first write, because some commands print
/// nothing.
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
    residue_guard::host::was_closed(descriptor)
}

/// Returns false: std replaces a closed stream before it can be examined.
#[cfg(not(target_os = "linux"))]
fn was_closed(_: u8) -> bool {
    false
}

/// Replaces "Bad file descriptor" by its meaning here.
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
    /// Fails if standard output cannot be written.
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
        // `write` has reported an error to open.
        self.0.as_mut().map_or(Ok(()), Write::flush)
    }
}
