//! Long work that Ctrl-C can interrupt.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Interval between checks for signals.
const LOOK: Duration = Duration::from_millis(50);

/// Runs `work` on another thread, without the interpreter's lock, and checks for signals meanwhile.
///
/// After an interrupt, the work goes on in the background and its result is dropped: it must end by
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
                    "the work ended without a result: this is a bug, please report it",
                ));
            }
        }
    }
}

/// A reader that checks for signals at intervals, and when a signal interrupts it. For threads
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
