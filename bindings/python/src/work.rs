//! Long work that Ctrl-C ends.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::io::{self, Read};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How often signals are looked for.
const LOOK: Duration = Duration::from_millis(50);

/// Does `work` on another thread, without the interpreter's lock, and looks for signals meanwhile.
///
/// Work that cannot be stopped goes on in the background after an interrupt, and its result is dropped: it has to end by
/// itself.
pub fn interruptible<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> R + Send + 'static,
) -> PyResult<R> {
    let (send, mut receive) = channel();
    thread::spawn(move || send.send(work()));
    loop {
        // Exclusive, as a receiver is for one thread.
        let receive = &mut receive;
        match py.detach(move || receive.recv_timeout(LOOK)) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err(
                    "the work ended without a result: please report this",
                ));
            }
        }
    }
}

/// A reader that looks for signals from time to time, without the interpreter's lock otherwise.
pub struct Interruptible<R> {
    reader: R,
    left: usize,
    /// What a signal's handler raised.
    pub raised: Option<PyErr>,
}

/// Bytes between two looks.
const BETWEEN: usize = 8 << 20;

impl<R> Interruptible<R> {
    pub fn new(reader: R) -> Self {
        Interruptible { reader, left: BETWEEN, raised: None }
    }
}

impl<R: Read> Read for Interruptible<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        match self.left.checked_sub(count) {
            Some(left) => self.left = left,
            None => {
                self.left = BETWEEN;
                if let Err(raised) = Python::attach(|py| py.check_signals()) {
                    self.raised = Some(raised);
                    return Err(io::ErrorKind::Other.into());
                }
            }
        }
        Ok(count)
    }
}
