//! Signals that end a watch.

use crate::sys;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

/// SIGINT, SIGTERM and SIGHUP, which do not end the process while this exists, and can be waited
/// for.
#[derive(Debug)]
pub struct Signals(OwnedFd);

impl Signals {
    /// Takes the signals of this process. Call this before other threads start.
    ///
    /// # Errors
    ///
    /// Those of the system calls.
    pub fn block() -> io::Result<Signals> {
        sys::signals().map(Signals)
    }

    /// Waits until one of the signals has come or `other` can be read, for at most `most`. Returns
    /// both.
    ///
    /// # Errors
    ///
    /// Those of the system calls.
    pub fn wait(&self, other: BorrowedFd<'_>, most: Duration) -> io::Result<(bool, bool)> {
        let [signal, other] = sys::wait([self.0.as_fd(), other], most)?;
        Ok((signal, other))
    }

    /// Waits until `other` can be read, for at most `most`; signals stay blocked.
    ///
    /// # Errors
    ///
    /// Those of the system calls.
    pub fn wait_only(&self, other: BorrowedFd<'_>, most: Duration) -> io::Result<bool> {
        sys::wait([other], most).map(|[other]| other)
    }
}
