//! Signals that end a guard that `residue guard run` has switched on.

use super::switch::forget;
use crate::sys::process::{Asked, asked, signals};
use crate::sys::wait;
use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

/// SIGINT, SIGTERM and SIGHUP, which do not end the process while this exists, and can be waited
/// for. SIGUSR1 makes the guard in the kernel forget failed destinations.
#[derive(Debug)]
pub struct Signals(File);

impl Signals {
    /// Takes the signals of this process.
    ///
    /// # Errors
    ///
    /// Those of the system calls.
    pub fn block() -> io::Result<Signals> {
        signals().map(Signals)
    }

    /// Waits for one of the signals, for at most `most`; returns whether one has come.
    ///
    /// # Errors
    ///
    /// Those of the system calls.
    pub fn wait(&mut self, most: Duration) -> io::Result<bool> {
        let end = Instant::now() + most;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let [has_come] = wait([self.0.as_fd()], left)?;
            match has_come.then(|| asked(&mut self.0)).flatten() {
                Some(Asked::End) => return Ok(true),
                Some(Asked::Forget) => drop(forget(None)?),
                None if left.is_zero() => return Ok(false),
                None => {}
            }
        }
    }
}
