//! Cases: packets with right check values, and with a wrong one.

use residue_net::check::{Reason, Verdict};
use residue_net::pcap::LinkType;
use std::ops::Range;

use crate::ip::Ends;

/// A packet as it would be captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The bytes captured.
    pub bytes: Vec<u8>,
    /// The length on the wire, in bytes.
    pub wire_length: u32,
}

impl Frame {
    /// Returns a packet captured whole.
    #[must_use]
    pub fn whole(bytes: Vec<u8>) -> Frame {
        Frame { wire_length: bytes.len() as u32, bytes }
    }

    /// Returns the packet with all but its first `length` bytes not captured.
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
    /// Classic pcap with longer record headers, under its own magic number or not.
    PcapVariant(Variant),
    /// snoop (RFC 1761).
    Snoop,
}

/// A variant of classic pcap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// A. Kuznetzov's, with 8 bytes more: interface, protocol, packet type.
    Modified,
    /// A pcap file of Red Hat 6.1, under the ordinary magic number.
    RedHat,
    /// That of SuSE 6.3, with 12 bytes more.
    Suse,
    /// Nokia's, with 4 bytes more, under the ordinary magic number.
    Nokia,
}

/// What repairing the bad capture must do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Repair {
    /// The good capture results, without forcing: the cause is known and harmless.
    Explained,
    /// The good capture results if all is forced.
    Forced,
    /// The good capture results if all is forced and lengths of zero are allowed.
    LengthZero,
    /// If all is forced nothing is bad any more, but the good capture does not result: the damage
    /// is not in a check value, or the packet does not show how its check value was computed.
    Differs,
    /// Nothing changes, even if all is forced.
    Never,
}

impl Repair {
    /// Returns its name in tables.
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

/// A good capture and a bad one of equal packets: with right check values, and with one wrong.
#[derive(Clone, Debug)]
pub struct Case {
    /// Short, as in file names.
    pub name: &'static str,
    /// As in a table.
    pub title: &'static str,
    /// Type of the first header of the packets.
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
    /// All verdicts on the good packets that are not good, in any order.
    pub good_verdicts: Vec<(&'static str, Verdict)>,
    /// All verdicts on the bad packets that are not good, in any order.
    pub bad_verdicts: Vec<(&'static str, Verdict)>,
    /// The cause of the wrong value, if it can be determined.
    pub cause: Option<&'static str>,
    /// What repair makes of the bad packets.
    pub repair: Repair,
}

impl Case {
    /// Returns a pair of one Ethernet frame each, the bad one flagged as `protocol` and repaired
    /// only by force.
    pub(crate) fn of(
        name: &'static str,
        title: &'static str,
        protocol: &'static str,
        good: Vec<u8>,
        bad: Vec<u8>,
    ) -> Case {
        Case {
            name,
            title,
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

    /// Returns a pair that differs in a check value: `field` of `part`, which stands somewhere in
    /// `frame`.
    pub(crate) fn spoiled(
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

    /// Returns a pair of a message over IP on Ethernet, which differs in the two bytes at `field`.
    pub(crate) fn of_message(
        name: &'static str,
        title: &'static str,
        protocol: &'static str,
        (ends, number): (Ends, u8),
        message: &[u8],
        field: usize,
    ) -> Case {
        let frame = ends.frame(number, message);
        Case::spoiled(name, title, protocol, frame, message, field..field + 2)
    }

    /// Returns a pair whose outer check values are right for a wrong inner one: `build` puts the
    /// headers around a good part and around that part with a changed `field`.
    pub(crate) fn over_bad(
        name: &'static str,
        title: &'static str,
        protocol: &'static str,
        build: &dyn Fn(&[u8]) -> Vec<u8>,
        good: &[u8],
        field: Range<usize>,
    ) -> Case {
        Case::of(name, title, protocol, build(good), build(&spoil(good, good, field)))
    }

    /// Sets another first header than Ethernet's.
    pub(crate) fn link(mut self, link: LinkType) -> Case {
        self.link = link;
        self
    }

    /// Adds a verdict on the good and on the bad packets.
    pub(crate) fn both(mut self, protocol: &'static str, verdict: Verdict) -> Case {
        self.good_verdicts.push((protocol, verdict));
        self.bad_verdicts.push((protocol, verdict));
        self
    }

    /// Adds a verdict on the bad packets.
    pub(crate) fn also(mut self, protocol: &'static str, verdict: Verdict) -> Case {
        self.bad_verdicts.push((protocol, verdict));
        self
    }

    /// Sets the verdict on the bad packets in the place of *bad*, and what repair makes of them.
    pub(crate) fn verdict(mut self, verdict: Verdict, repair: Repair) -> Case {
        self.bad_verdicts = vec![(self.protocol, verdict)];
        self.repair = repair;
        self
    }

    /// Cuts the packets to `length` bytes, so that neither capture can be judged or changed.
    pub(crate) fn cut(mut self, length: usize) -> Case {
        for frames in [&mut self.good, &mut self.bad] {
            *frames = std::mem::take(frames).into_iter().map(|frame| frame.cut(length)).collect();
        }
        let verdict = Verdict::Unverifiable(Reason::Cut);
        self.good_verdicts = vec![(self.protocol, verdict)];
        self.verdict(verdict, Repair::Never)
    }

    /// Puts packets at the beginning of both captures.
    pub(crate) fn after(mut self, frames: &[Vec<u8>]) -> Case {
        for capture in [&mut self.good, &mut self.bad] {
            capture.splice(0..0, frames.iter().cloned().map(Frame::whole));
        }
        self
    }

    /// Puts packets at the end of both captures.
    pub(crate) fn before(mut self, frames: &[Vec<u8>]) -> Case {
        for capture in [&mut self.good, &mut self.bad] {
            capture.extend(frames.iter().cloned().map(Frame::whole));
        }
        self
    }

    /// Sets the cause of the wrong value.
    pub(crate) fn because(mut self, cause: &'static str) -> Case {
        self.cause = Some(cause);
        self
    }
}

/// Returns a copy of `frame` with every byte of `field` changed; `field` is counted from the start
/// of `part`, which stands last in `frame`. No sum of bytes or words has 5A5A as a zero, nor does
/// the change make a field zero that was not.
pub(crate) fn spoil(frame: &[u8], part: &[u8], field: Range<usize>) -> Vec<u8> {
    let mut bad = frame.to_vec();
    if let Some(start) = frame.windows(part.len().max(1)).rposition(|window| window == part)
        && let Some(bytes) = bad.get_mut(start + field.start..start + field.end)
    {
        let pattern = if bytes == [0x5a, 0x5a] { 0x3c } else { 0x5a };
        bytes.iter_mut().for_each(|byte| *byte ^= pattern);
    }
    bad
}
