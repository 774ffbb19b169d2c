//! Packets and captures made to be verified: each a good and a bad twin.
//!
//! What is here computes check values with the crate `residue` and places them by its own knowledge of the headers. It knows
//! nothing of [`residue_net::wire`] and [`residue_net::check::Rule`], and so proves them.

pub mod application;
pub mod causes;
pub mod control;
pub mod file;
pub mod lab;
pub mod link;
pub mod more;
pub mod network;
pub mod routing;
pub mod synthetic;
#[cfg(test)]
mod tests;
pub mod transport;
pub mod tunnel;
mod upper;

pub use causes::causes;
pub use lab::lab;
pub use more::more;
pub use synthetic::{Synthetic, synthetic};

use residue_net::check::{Reason, Verdict};
use residue_net::pcap::LinkType;
use std::ops::Range;

/// A packet as it would be captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The bytes captured.
    pub bytes: Vec<u8>,
    /// The length on the wire, in bytes.
    pub wire_length: u32,
}

impl Frame {
    /// A packet captured whole.
    #[must_use]
    pub fn whole(bytes: Vec<u8>) -> Frame {
        Frame { wire_length: bytes.len() as u32, bytes }
    }

    /// The packet with all but its first `length` bytes not captured.
    #[must_use]
    pub fn cut(mut self, length: usize) -> Frame {
        self.bytes.truncate(length);
        self
    }
}

/// The file format that a case is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Classic pcap with microseconds.
    Pcap,
    /// Classic pcap with nanoseconds.
    PcapNanoseconds,
    /// Classic pcap in the other byte order.
    PcapSwapped,
    /// pcapng.
    PcapNg,
    /// Classic pcap, compressed with gzip.
    Gzip,
}

/// What repairing the bad twin must do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Repair {
    /// The good twin comes out, without forcing: the cause is known and harmless.
    Explained,
    /// The good twin comes out if all is forced.
    Forced,
    /// The good twin comes out if all is forced and lengths of zero are allowed.
    LengthZero,
    /// If all is forced nothing is bad any more, but the good twin does not come out: the damage is not in a check value, or
    /// the packet does not tell how its check value was computed.
    Differs,
    /// Nothing changes, even if all is forced.
    Never,
}

impl Repair {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Repair::Explained => "explained",
            Repair::Forced => "forced",
            Repair::LengthZero => "length-zero",
            Repair::Differs => "differs",
            Repair::Never => "never",
        }
    }
}

/// A capture twice: with right check values, and with one wrong.
#[derive(Clone, Debug)]
pub struct Case {
    /// Short, as in file names.
    pub name: &'static str,
    /// As in a table.
    pub title: &'static str,
    /// Is it one of the 54 by which other tools were judged?
    pub lab: bool,
    /// What the packets' first header is.
    pub link: LinkType,
    /// The length of the frame check sequence at each packet's end, in bytes.
    pub fcs: Option<u8>,
    /// The format of the file.
    pub format: Format,
    /// Whose check value the case is about.
    pub protocol: &'static str,
    /// The packets with right check values.
    pub good: Vec<Frame>,
    /// The packets with a wrong one.
    pub bad: Vec<Frame>,
    /// All verdicts on the good twin that are not good, in any order.
    pub good_verdicts: Vec<(&'static str, Verdict)>,
    /// All verdicts on the bad twin that are not good, in any order.
    pub bad_verdicts: Vec<(&'static str, Verdict)>,
    /// The cause of what is wrong, where it can be known.
    pub cause: Option<&'static str>,
    /// What becomes of the bad twin.
    pub repair: Repair,
}

impl Case {
    /// Twins of one Ethernet frame each, the bad one flagged as `protocol`, repaired only by force.
    fn of(
        name: &'static str,
        title: &'static str,
        protocol: &'static str,
        good: Vec<u8>,
        bad: Vec<u8>,
    ) -> Case {
        Case {
            name,
            title,
            lab: false,
            link: LinkType::ETHERNET,
            fcs: None,
            format: Format::Pcap,
            protocol,
            good: vec![Frame::whole(good)],
            bad: vec![Frame::whole(bad)],
            good_verdicts: Vec::new(),
            bad_verdicts: vec![(protocol, Verdict::Bad)],
            cause: None,
            repair: Repair::Forced,
        }
    }

    /// Twins that differ in a check value: `field` of `part`, which stands somewhere in `frame`.
    fn spoiled(
        name: &'static str,
        title: &'static str,
        protocol: &'static str,
        frame: Vec<u8>,
        part: &[u8],
        field: Range<usize>,
    ) -> Case {
        let bad = spoil(&frame, part, field);
        Case::of(name, title, protocol, frame, bad)
    }

    /// With another first header than Ethernet's.
    fn link(mut self, link: LinkType) -> Case {
        self.link = link;
        self
    }

    /// Both twins have this verdict, too.
    fn both(mut self, protocol: &'static str, verdict: Verdict) -> Case {
        self.good_verdicts.push((protocol, verdict));
        self.bad_verdicts.push((protocol, verdict));
        self
    }

    /// The bad twin has this verdict, too.
    fn also(mut self, protocol: &'static str, verdict: Verdict) -> Case {
        self.bad_verdicts.push((protocol, verdict));
        self
    }

    /// The bad twin has this verdict instead of *bad*, and is repaired as said.
    fn verdict(mut self, verdict: Verdict, repair: Repair) -> Case {
        self.bad_verdicts = vec![(self.protocol, verdict)];
        self.repair = repair;
        self
    }

    /// Neither twin can be judged or changed, because packets are cut to `length` bytes.
    fn cut(mut self, length: usize) -> Case {
        for frames in [&mut self.good, &mut self.bad] {
            *frames = std::mem::take(frames).into_iter().map(|frame| frame.cut(length)).collect();
        }
        let verdict = Verdict::Unverifiable(Reason::Cut);
        self.good_verdicts = vec![(self.protocol, verdict)];
        self.verdict(verdict, Repair::Never)
    }

    /// Both twins begin with these packets.
    fn after(mut self, frames: &[Vec<u8>]) -> Case {
        for twin in [&mut self.good, &mut self.bad] {
            twin.splice(0..0, frames.iter().cloned().map(Frame::whole));
        }
        self
    }

    /// Both twins end with these packets.
    fn before(mut self, frames: &[Vec<u8>]) -> Case {
        for twin in [&mut self.good, &mut self.bad] {
            twin.extend(frames.iter().cloned().map(Frame::whole));
        }
        self
    }

    /// The cause of what is wrong.
    fn because(mut self, cause: &'static str) -> Case {
        self.cause = Some(cause);
        self
    }
}

/// All cases: the 54, the others of single checks, and those of causes.
#[must_use]
pub fn cases() -> Vec<Case> {
    [lab(), more(), causes()].concat()
}

/// A copy of `frame` with every byte of `field` changed; `field` is counted from the start of `part`, which stands last
/// in `frame`. No sum of bytes or words has 5A5A as a zero, nor does the change make a field zero that was not.
fn spoil(frame: &[u8], part: &[u8], field: Range<usize>) -> Vec<u8> {
    let mut bad = frame.to_vec();
    if let Some(start) = frame.windows(part.len().max(1)).rposition(|window| window == part)
        && let Some(bytes) = bad.get_mut(start + field.start..start + field.end)
    {
        let pattern = if bytes == [0x5a, 0x5a] { 0x3c } else { 0x5a };
        bytes.iter_mut().for_each(|byte| *byte ^= pattern);
    }
    bad
}
