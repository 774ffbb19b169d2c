//! A watch of a capture that another program writes.

use super::session::Session;
use super::state::Ending;
use crate::output::Styles;
use crate::streams;
use anyhow::Context as _;
use residue_capture::live::Evidence;
use residue_net::pcap::Reader;
use std::cell::RefCell;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};

/// Opens standard input (`-`) or a file.
pub fn open(name: &OsStr) -> anyhow::Result<Input> {
    if name == "-" {
        let read = streams::stdin()?;
        #[cfg(target_os = "linux")]
        let descriptor = waiting::descriptor(&io::stdin())?;
        return Ok(Input {
            read: Box::new(read),
            #[cfg(target_os = "linux")]
            descriptor,
        });
    }
    let file = File::open(name).with_context(|| Styles::plain(name))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        anyhow::bail!("{}: is a folder", Styles::plain(name));
    }
    #[cfg(target_os = "linux")]
    let descriptor = waiting::descriptor(&file)?;
    Ok(Input {
        read: Box::new(file),
        #[cfg(target_os = "linux")]
        descriptor,
    })
}

/// The bytes of a capture.
pub struct Input {
    read: Box<dyn Read>,
    /// A second descriptor of the file, to wait for it.
    #[cfg(target_os = "linux")]
    descriptor: std::os::fd::OwnedFd,
}

/// The session, shared by the loop over packets and the input below it, which come in turns.
struct Shared<'a> {
    session: Session<'a>,
    /// Why the watch is over; the input then ends.
    ended: Option<anyhow::Result<Ending>>,
}

impl Shared<'_> {
    /// Does what is due.
    fn tick(&mut self) {
        if self.ended.is_none() && self.session.is_due() {
            self.ended = self.session.tick().transpose();
        }
    }
}

/// Watches a capture until its end.
pub fn run(session: Session<'_>, input: Input) -> anyhow::Result<()> {
    let name = session.state.source.clone();
    let shared = RefCell::new(Shared { session, ended: None });
    let ended = match Watched::new(input, &shared).map(|watched| verify(watched, &shared)) {
        Ok(ended) => ended.with_context(|| name),
        Err(error) => Err(error.into()),
    };
    let Shared { session, ended: earlier } = shared.into_inner();
    session.finish(earlier.unwrap_or(ended))
}

/// Verifies the packets of the input.
fn verify(input: Watched<'_, '_>, shared: &RefCell<Shared<'_>>) -> anyhow::Result<Ending> {
    let mut reader = Reader::new(input)?;
    while let Some(packet) = reader.next()? {
        let mut shared = shared.borrow_mut();
        let ended = shared.session.packet(&packet, Evidence::None).transpose();
        if ended.is_some() {
            shared.ended = ended;
            break;
        }
    }
    Ok(Ending::Input)
}

/// The input of a session, which is kept up to date while it waits.
struct Watched<'s, 'a> {
    input: Input,
    shared: &'s RefCell<Shared<'a>>,
    #[cfg(target_os = "linux")]
    waiting: waiting::Waiting,
}

impl<'s, 'a> Watched<'s, 'a> {
    fn new(input: Input, shared: &'s RefCell<Shared<'a>>) -> io::Result<Watched<'s, 'a>> {
        Ok(Watched {
            input,
            shared,
            #[cfg(target_os = "linux")]
            waiting: waiting::Waiting::new()?,
        })
    }
}

impl Read for Watched<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.shared.borrow_mut().tick();
        #[cfg(target_os = "linux")]
        self.waiting.until_readable(&self.input.descriptor, self.shared)?;
        if self.shared.borrow().ended.is_some() {
            return Ok(0);
        }
        let count = self.input.read.read(buffer)?;
        #[cfg(target_os = "linux")]
        if count == 0 && self.waiting.is_ending() {
            self.shared.borrow_mut().ended = Some(Ok(Ending::Signal));
        }
        Ok(count)
    }
}

/// Waits for input and for signals.
#[cfg(target_os = "linux")]
mod waiting {
    use super::super::state::Ending;
    use super::Shared;
    use residue_capture::signals::Signals;
    use std::cell::RefCell;
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::time::{Duration, Instant};

    /// Time for the program that captures to write its last packets after a signal, which it
    /// usually gets, too.
    const LAST: Duration = Duration::from_secs(1);

    /// Returns a descriptor of the same file.
    pub fn descriptor(file: &impl AsFd) -> io::Result<OwnedFd> {
        file.as_fd().try_clone_to_owned()
    }

    pub struct Waiting {
        signals: Signals,
        /// Time at which the input ends after a signal.
        end: Option<Instant>,
    }

    impl Waiting {
        pub fn new() -> io::Result<Waiting> {
            Ok(Waiting { signals: Signals::block()?, end: None })
        }

        /// Returns whether a signal has come.
        pub fn is_ending(&self) -> bool {
            self.end.is_some()
        }

        /// Waits until there is input, or the session has ended.
        pub fn until_readable(
            &mut self,
            input: &OwnedFd,
            shared: &RefCell<Shared<'_>>,
        ) -> io::Result<()> {
            loop {
                if shared.borrow().ended.is_some() {
                    return Ok(());
                }
                let left = shared.borrow().session.left();
                if let Some(end) = self.end {
                    let left = left.min(end.saturating_duration_since(Instant::now()));
                    if self.signals.wait_only(input.as_fd(), left)? && Instant::now() < end {
                        return Ok(());
                    }
                    if Instant::now() >= end {
                        shared.borrow_mut().ended = Some(Ok(Ending::Signal));
                    }
                } else {
                    let (signal, readable) = self.signals.wait(input.as_fd(), left)?;
                    if signal {
                        self.end = Some(Instant::now() + LAST);
                    } else if readable {
                        return Ok(());
                    }
                }
                shared.borrow_mut().tick();
            }
        }
    }
}
