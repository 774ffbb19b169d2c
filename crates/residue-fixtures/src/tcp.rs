//! TCP: the checksum.

use crate::ip::{Ends, V4, V6, offloaded, seal};
use crate::{Case, DATA, Repair};
use residue_net::check::Verdict;

/// A TCP header's fields, and the data.
#[derive(Clone, Copy, Debug)]
pub struct Tcp<'a> {
    /// Source and destination.
    pub ports: [u16; 2],
    /// Sequence and acknowledgment number.
    pub numbers: [u32; 2],
    /// SYN is 2, RST 4, PSH 8, ACK 16.
    pub flags: u8,
    /// Their length is a multiple of four.
    pub options: &'a [u8],
    /// The data.
    pub data: &'a [u8],
}

impl Default for Tcp<'_> {
    fn default() -> Self {
        Tcp { ports: [1234, 80], numbers: [1, 2], flags: 0x18, options: &[], data: DATA }
    }
}

impl Tcp<'_> {
    /// Returns the segment with a checksum field of zero.
    #[must_use]
    pub fn unsealed(&self) -> Vec<u8> {
        let [source, destination] = self.ports.map(u16::to_be_bytes);
        let [sequence, acknowledgment] = self.numbers.map(u32::to_be_bytes);
        let offset = ((20 + self.options.len()) / 4) as u8;
        let rest = [offset << 4, self.flags, 0x20, 0, 0, 0, 0, 0];
        let header = [&source[..], &destination, &sequence, &acknowledgment, &rest].concat();
        [&header, self.options, self.data].concat()
    }

    /// Returns the segment between these ends.
    #[must_use]
    pub fn segment(&self, ends: Ends) -> Vec<u8> {
        seal(self.unsealed(), ends, 6, 16)
    }
}

/// Returns a segment with [`DATA`].
#[must_use]
pub fn segment(ends: Ends) -> Vec<u8> {
    Tcp::default().segment(ends)
}

/// Returns a pair of a segment somewhere in a frame.
pub(crate) fn case(
    name: &'static str,
    title: &'static str,
    frame: Vec<u8>,
    segment: &[u8],
) -> Case {
    Case::spoiled(name, title, "tcp", frame, segment, 16..18)
}

/// Cases of TCP.
pub(crate) fn cases() -> Vec<Case> {
    let (four, six) = (segment(V4), segment(V6));
    let partial = offloaded(four.clone(), V4, 6, 16, true);
    vec![
        case("tcp-v4", "TCP over IPv4", V4.frame(6, &four), &four),
        case("tcp-v6", "TCP over IPv6", V6.frame(6, &six), &six),
        Case::of(
            "tcp-offload",
            "TCP, sum of the pseudo-header alone",
            "tcp",
            V4.frame(6, &four),
            V4.frame(6, &partial),
        )
        .verdict(Verdict::Offloaded, Repair::Explained)
        .because("offload"),
        case("cut-tcp", "TCP, cut by the capture", V4.frame(6, &four), &four).cut(14 + 20 + 20 + 8),
    ]
}
