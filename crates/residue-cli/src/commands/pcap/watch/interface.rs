//! A watch of an interface, through the ring of a packet socket.

use super::arguments::WatchArgs;
use super::session::Session;
use super::state::{Ending, Losses};
use crate::output::{Output, Styles};
use residue_capture::capture::{self, Capture, Frame, Options, Waited};
use residue_capture::signals::Signals;
use residue_net::pcap::{LinkType, Packet};
use std::ops::ControlFlow;
use std::time::Duration;

/// Number of blocks after which other events are handled while packets keep coming.
const BLOCKS: usize = 8;

/// Watches an interface until the end.
pub fn run(args: &WatchArgs, name: &str, output: &mut Output) -> anyhow::Result<()> {
    let signals = Signals::block()?;
    let capture = Capture::open(&Options {
        interface: name.to_string(),
        promiscuous: args.promiscuous,
        buffer: (args.buffer as usize) << 20,
    })?;
    let mut session = Session::new(args, &Styles::plain(name.as_ref()), output)?;
    session.mtu = capture.mtu();
    let mut watch = Watch { capture, session };
    let mut ended = watch.go_on(&signals);
    // Unless the count is reached, or the output has failed, the packets before the end count.
    let goes_on = match &ended {
        Ok(ending) => *ending != Ending::Count,
        Err(error) => error.is::<capture::Error>(),
    };
    if goes_on && let Err(error) = watch.last() {
        ended = ended.and(Err(error));
    }
    watch.losses();
    watch.session.finish(ended)
}

struct Watch<'a> {
    capture: Capture,
    session: Session<'a>,
}

impl Watch<'_> {
    /// Verifies packets until the end. With an error of the interface, the packets before it are
    /// still in the ring.
    fn go_on(&mut self, signals: &Signals) -> anyhow::Result<Ending> {
        loop {
            if self.session.is_due() {
                self.losses();
                if let Some(ending) = self.session.tick()? {
                    return Ok(ending);
                }
            }
            let mut found = false;
            for _ in 0..BLOCKS {
                match self.block()? {
                    (_, Some(ending)) => return Ok(ending),
                    (true, None) => found = true,
                    (false, None) => break,
                }
            }
            let most = if found { Duration::ZERO } else { self.session.left() };
            if self.capture.wait(signals, most)? == Waited::Signal {
                return Ok(Ending::Signal);
            }
        }
    }

    /// Verifies the packets of a block. Returns whether there was one, and why the watch is over,
    /// if it is.
    fn block(&mut self) -> anyhow::Result<(bool, Option<Ending>)> {
        let Watch { capture, session } = self;
        let link = capture.link();
        let mut result = Ok(None);
        let found = capture.block(|frame| take(session, frame, link, &mut result));
        result.map(|ending| (found, ending))
    }

    /// Verifies the packets that came before the end.
    fn last(&mut self) -> anyhow::Result<()> {
        let Watch { capture, session } = self;
        let link = capture.link();
        let mut result = Ok(None);
        capture.finish(|frame| take(session, frame, link, &mut result));
        result.map(drop)
    }

    /// Reads the numbers of packets that were not verified.
    fn losses(&mut self) {
        let (dropped, passed_over) = (self.capture.dropped(), self.capture.passed_over());
        self.session.state.losses = Losses { dropped, passed_over };
    }
}

/// Verifies a frame; breaks if the watch is over.
fn take(
    session: &mut Session<'_>,
    frame: &Frame<'_>,
    link: LinkType,
    result: &mut anyhow::Result<Option<Ending>>,
) -> ControlFlow<()> {
    let counts = session.state.live.counts;
    let packet = Packet {
        number: counts.packets + 1,
        // There is no file; bytes of different packets have different offsets.
        offset: counts.bytes,
        link,
        bytes: frame.bytes,
        wire_length: frame.wire_length,
        fcs: None,
        time: Some(frame.time),
    };
    *result = session.packet(&packet, frame.evidence);
    match result {
        Ok(None) => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    }
}
