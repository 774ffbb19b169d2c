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

/// A function of the caller's that is called with the bytes read so far, and those to read in all,
/// if they are known.
pub struct Progress {
    function: Py<PyAny>,
    done: u64,
    all: Option<u64>,
}

impl Progress {
    pub fn new(function: Py<PyAny>, all: Option<u64>) -> Self {
        Progress { function, done: 0, all }
    }

    pub fn report(&self, py: Python<'_>) -> PyResult<()> {
        self.function.call1(py, (self.done, self.all)).map(drop)
    }
}

/// A reader that checks for signals and reports its progress at intervals, and when a signal
/// interrupts it. For threads without the interpreter's lock.
pub struct Interruptible<'a, R> {
    reader: R,
    looked: Instant,
    progress: Option<&'a mut Progress>,
    /// Exception that a signal's handler or the reported progress raised.
    pub raised: Option<PyErr>,
}

impl<'a, R> Interruptible<'a, R> {
    pub fn new(reader: R, progress: Option<&'a mut Progress>) -> Self {
        Interruptible { reader, looked: Instant::now(), progress, raised: None }
    }

    fn look(&self) -> PyResult<()> {
        Python::attach(|py| {
            py.check_signals()?;
            self.progress.as_ref().map_or(Ok(()), |progress| progress.report(py))
        })
    }
}

impl<R: Read> Read for Interruptible<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let result = self.reader.read(buffer);
            if let (Some(progress), Ok(length)) = (&mut self.progress, &result) {
                progress.done += *length as u64;
            }
            let interrupted =
                result.as_ref().is_err_and(|error| error.kind() == ErrorKind::Interrupted);
            if interrupted || self.looked.elapsed() >= LOOK {
                self.looked = Instant::now();
                if let Err(raised) = self.look() {
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
