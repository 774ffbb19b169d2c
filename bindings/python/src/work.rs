//! Long work that Ctrl-C interrupts.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Interval between checks for signals.
const LOOK: Duration = Duration::from_millis(50);

/// Does `work` on another thread, without the interpreter's lock, and checks for signals meanwhile.
///
/// Work that cannot be stopped goes on in the background after an interrupt, and its result is
/// dropped: it has to end by itself.
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

/// A reader that checks for signals from time to time, and when one interrupts it. For threads
/// without the interpreter's lock.
pub struct Interruptible<R> {
    reader: R,
    looked: Instant,
    /// Exception that a signal's handler raised.
    pub raised: Option<PyErr>,
}

impl<R> Interruptible<R> {
    pub fn new(reader: R) -> Self {
        Interruptible { reader, looked: Instant::now(), raised: None }
    }
}

impl<R: Read> Read for Interruptible<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let result = self.reader.read(buffer);
            let interrupted =
                result.as_ref().is_err_and(|error| error.kind() == ErrorKind::Interrupted);
            if interrupted || self.looked.elapsed() >= LOOK {
                self.looked = Instant::now();
                if let Err(raised) = Python::attach(|py| py.check_signals()) {
                    self.raised = Some(raised);
                    return Err(ErrorKind::Other.into());
                }
            }
            if !interrupted {
                return result;
            }
        }
    }
}
