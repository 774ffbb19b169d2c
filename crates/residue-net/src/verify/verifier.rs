//! The verification of one packet after another.

use crate::agreements::Agreements;
use crate::buffer::{Buffer, Places};
use crate::check::Reason;
use crate::datagram::{Datagrams, Unit};
use crate::frame::{Found, Walk};
use crate::pcap::Packet;
use crate::select::Selection;
use crate::stream::Streams;
use crate::unfollowed::Numbering;
use crate::wire;

/// Verifies the packets of a capture in order. Keeps fragments, streams and agreements from packet
/// to packet, in bounded memory.
#[derive(Debug, Default)]
pub struct Verifier {
    found: Found,
    pub(super) agreements: Agreements,
    waiting: Waiting,
}

impl Verifier {
    /// Creates a verifier without state.
    #[must_use]
    pub fn new() -> Self {
        Verifier::default()
    }

    /// Verifies the next packet; passes it, then all units that it completes, to `each`.
    #[inline]
    pub fn packet(&mut self, packet: &Packet<'_>, mut each: impl FnMut(&Buffer<'_>)) {
        let buffer = walked(packet, &mut self.found, &mut self.agreements);
        each(&buffer);
        if !(buffer.found.fragments.is_empty() && buffer.found.segments.is_empty()) {
            self.waiting.take(&buffer, &mut each);
            self.completed(&mut each);
        }
    }

    /// Verifies the next packet, as [`Verifier::packet`]; passes only what is selected to `each`.
    #[inline]
    pub fn select(
        &mut self,
        packet: &Packet<'_>,
        selection: &mut Selection,
        mut each: impl FnMut(&Buffer<'_>),
    ) {
        self.found.headers.are_wanted = selection.wants_headers();
        selection.begin(packet);
        self.packet(packet, |buffer| {
            if selection.takes(buffer) {
                each(buffer);
            }
        });
    }

    /// Ends the capture, as [`Verifier::finish`]; passes only what is selected to `each`.
    pub fn finish_selected(
        &mut self,
        selection: &mut Selection,
        mut each: impl FnMut(&Buffer<'_>),
    ) {
        selection.end();
        self.finish(|buffer| {
            if selection.takes(buffer) {
                each(buffer);
            }
        });
    }

    /// Ends the capture: passes incomplete datagrams and streams to `each`.
    pub fn finish(&mut self, mut each: impl FnMut(&Buffer<'_>)) {
        // A datagram that is given up may itself hold fragments.
        while self.waiting.datagrams.give_up(&mut self.waiting.units) {
            self.completed(&mut each);
        }
        self.waiting.streams.finish(&mut |pdu| each(&pdu.buffer()));
    }

    // Fragments and segments are rare, and a generic function would be compiled for each caller.
    fn completed(&mut self, each: &mut dyn FnMut(&Buffer<'_>)) {
        while let Some(unit) = self.waiting.units.pop() {
            self.found.clear();
            let Verifier { found, agreements, .. } = self;
            let mut walk = Walk::new(&unit.bytes, unit.sent, unit.missing, found, agreements);
            walk.depth = unit.depth;
            walk.addresses = [unit.ip.source, unit.ip.destination];
            walk.found.networks.push(walk.addresses);
            if let Some(fragments) = unit.headless {
                walk.unfollowed(Numbering::Fragments, unit.ip.protocol);
                walk.found.unfollowed.iter_mut().for_each(|(_, packets)| *packets = fragments);
            } else if unit.ip.version == 4 {
                wire::ip_protocol(&mut walk, &unit.ip);
            } else {
                wire::ipv6::payload(&mut walk, unit.ip);
            }
            let buffer = Buffer {
                packet: unit.origin.packet,
                link: unit.origin.link,
                time: unit.origin.time,
                bytes: &unit.bytes,
                places: Places::Runs(&unit.places),
                copies: &unit.copies,
                found,
                is_cut: unit.bytes.len() < unit.sent as usize,
                sent: unit.sent,
                doubt: unit.doubt,
                pdu: None,
            };
            each(&buffer);
            self.waiting.take(&buffer, each);
        }
    }
}

/// Walks through a packet.
#[inline]
pub fn walked<'a>(
    packet: &Packet<'a>,
    found: &'a mut Found,
    agreements: &mut Agreements,
) -> Buffer<'a> {
    found.clear();
    let mut walk = Walk::new(packet.bytes, packet.wire_length, Reason::Cut, found, agreements);
    wire::walk(&mut walk, packet.link, packet.fcs);
    Buffer {
        packet: packet.number,
        link: packet.link,
        time: packet.time,
        bytes: packet.bytes,
        places: Places::Contiguous(packet.offset),
        found,
        is_cut: packet.bytes.len() < packet.wire_length as usize,
        sent: packet.wire_length,
        copies: &[],
        doubt: None,
        pdu: None,
    }
}

/// Incomplete units, and complete ones.
#[derive(Debug, Default)]
struct Waiting {
    datagrams: Datagrams,
    streams: Streams,
    units: Vec<Unit>,
}

impl Waiting {
    fn take(&mut self, buffer: &Buffer<'_>, each: &mut dyn FnMut(&Buffer<'_>)) {
        let Buffer { bytes, places, found, .. } = buffer;
        let origin = buffer.origin();
        for fragment in &found.fragments {
            self.datagrams.take(fragment, bytes, places, origin, &mut self.units);
        }
        for segment in &found.segments {
            self.streams.take(segment, bytes, places, origin, &mut |pdu| each(&pdu.buffer()));
        }
    }
}
