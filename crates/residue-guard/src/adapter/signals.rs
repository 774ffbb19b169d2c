//! Signals that end a guard.

use super::sys::process::end_signals;
use super::sys::wait;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::{Duration, Instant};

/// SIGINT, SIGTERM and SIGHUP, which do not end the process while this exists, and can be waited
/// for.
#[derive(Debug)]
pub struct Signals(OwnedFd);

impl Signals {
    /// Takes the signals of this process.
    ///
    /// # Errors
    ///
    /// Those of the system calls.
    pub fn block() -> io::Result<Signals> {
        end_signals().map(Signals)
    }

    /// Waits for one of the signals, for at most `most`; returns whether one has come.
    ///
    /// # Errors
    ///
    /// Those of the system calls.
    pub fn wait(&self, most: Duration) -> io::Result<bool> {
        let end = Instant::now() + most;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let [has_come] = wait([self.0.as_fd()], left)?;
            if has_come || left.is_zero() {
                return Ok(has_come);
            }
        }
    }
}
