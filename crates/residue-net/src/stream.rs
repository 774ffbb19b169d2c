//! TCP streams with check values: their bytes are put in order and cut into PDUs, in bounded
//! memory.
//!
//! Segments may come in any order, be duplicated, and overlap: of bytes sent twice, the first ones
//! count. If some are missing, or come too late for the memory limits, their PDU cannot be judged.
//! The next one begins where its header says; if the header is missing, too, at the first position
//! where a digest proves that a PDU begins.

mod direction;
mod pdu;
mod session;

pub use pdu::Pdu;

use crate::agreements::Connection;
use crate::buffer::{Origin, Places};
use crate::frame::{Found, Header, Segment};
use crate::lru::Lru;
use crate::unfollowed::{Numbering, Unfollowed};
use crate::wire::storage::Kind;
use direction::{Around, Arrived, Direction};
use session::Session;

/// Largest number of connections; the least recently used is given up for another.
const MOST_CONNECTIONS: usize = 1024;
/// Largest number of stored bytes.
const MOST_BYTES: usize = 24 << 20;

const FIN: u8 = 1;
const SYN: u8 = 2;
const RST: u8 = 4;
const ACK: u8 = 16;

#[derive(Debug)]
struct Stream {
    session: Session,
    directions: [Direction; 2],
    /// Addresses of 4 or 16 bytes and ports, by side.
    addresses: [Vec<u8>; 2],
    ports: [u16; 2],
    closed: bool,
}

impl Stream {
    fn cost(&self) -> usize {
        self.directions.iter().map(Direction::cost).sum()
    }

    fn around<'a>(
        &'a mut self,
        side: usize,
        ready: &'a mut dyn FnMut(Pdu),
    ) -> (&'a mut Direction, Around<'a>) {
        let addresses = [side, 1 - side].map(|side| self.addresses[side].as_slice());
        let ports = [self.ports[side], self.ports[1 - side]];
        let around = Around { session: &mut self.session, side, addresses, ports, ready };
        (&mut self.directions[side], around)
    }

    fn give_up(&mut self, ready: &mut dyn FnMut(Pdu)) {
        for side in 0..2 {
            let (direction, mut around) = self.around(side, ready);
            direction.give_up(&mut around);
        }
    }

    /// Ends the stream: gives up waiting segments, and reports directions in which no PDU was
    /// found.
    fn finish(&mut self, ready: &mut dyn FnMut(Pdu)) {
        self.give_up(ready);
        if self.session.is_plain() {
            return;
        }
        let port = self.ports.into_iter().find(|&port| Kind::of_ports([port; 2]).is_some());
        let Some(port) = port else { return };
        for (side, direction) in self.directions.iter().enumerate() {
            let Some((origin, packets)) = direction.unfollowed() else { continue };
            let unfollowed = Unfollowed { numbering: Numbering::TcpPort, value: port.into() };
            let mut found = Found { unfollowed: vec![(unfollowed, packets)], ..Found::default() };
            let sides = [side, 1 - side];
            let ends = sides.map(|side| self.addresses[side].as_slice());
            found.headers.list.extend(Header::of_tcp(ends, sides.map(|side| self.ports[side])));
            let (bytes, places) = (Vec::new(), Vec::new());
            ready(Pdu { origin, number: 0, bytes, places, found, is_cut: false });
        }
    }

    /// Begins another connection between the two ends.
    fn restart(&mut self, ready: &mut dyn FnMut(Pdu)) {
        self.finish(ready);
        self.session = Session::new(self.session.kind());
        self.directions = [Direction::new(), Direction::new()];
        self.closed = false;
    }
}

/// Unfinished streams.
#[derive(Debug)]
pub struct Streams {
    streams: Lru<Connection, Stream>,
    bytes: usize,
}

impl Default for Streams {
    fn default() -> Self {
        Streams { streams: Lru::new([MOST_CONNECTIONS]), bytes: 0 }
    }
}

impl Streams {
    /// Adds a segment in `buffer`, the bytes of the packet `origin`. Passes complete PDUs, and
    /// those given up, to `ready` one by one: a few segments may hold very many.
    pub fn take(
        &mut self,
        segment: &Segment,
        buffer: &[u8],
        places: &Places<'_>,
        origin: Origin,
        ready: &mut dyn FnMut(Pdu),
    ) {
        let ip = &segment.ip;
        let (Some(source), Some(destination)) = (ip.source.of(buffer), ip.destination.of(buffer))
        else {
            return;
        };
        let start = (segment.payload.start as usize).min(buffer.len());
        let end = (segment.payload.end as usize).clamp(start, buffer.len());
        let bytes = &buffer[start..end];
        let (connection, side) = Connection::of(source, destination, segment.ports);
        let flags = segment.flags;
        let is_first = flags & SYN != 0;

        if self.streams.get(&connection).is_none() {
            let kind = Kind::of_ports(segment.ports).or_else(|| Kind::of_start(bytes));
            let Some(kind) = kind.filter(|_| is_first || !bytes.is_empty()) else { return };
            let mut stream = Stream {
                session: Session::new(kind),
                directions: [Direction::new(), Direction::new()],
                addresses: [source.to_vec(), destination.to_vec()],
                ports: segment.ports,
                closed: false,
            };
            if side == 1 {
                stream.addresses.reverse();
                stream.ports.reverse();
            }
            if let Some((_, mut given_up)) = self.streams.insert(connection, stream, 0) {
                self.bytes -= given_up.cost();
                given_up.finish(ready);
            }
        }
        let Some(stream) = self.streams.touch(&connection) else { return };
        let before = stream.cost();
        if is_first {
            let asks = flags & ACK == 0;
            if stream.directions[side].is_other(segment.sequence) || stream.closed && asks {
                stream.restart(ready);
            }
            stream.directions[side].begin(segment.sequence);
        }
        if flags & RST != 0 {
            stream.give_up(ready);
            stream.closed = true;
        } else if !stream.closed {
            let inside = places.runs(segment.payload.take(bytes.len() as u32));
            let arrived = Arrived {
                sequence: segment.sequence.wrapping_add(u32::from(is_first)),
                bytes,
                sent: segment.payload.len(),
                places: Places::Runs(&inside),
                origin,
                finish: flags & FIN != 0,
            };
            if !bytes.is_empty() || arrived.finish {
                let (direction, mut around) = stream.around(side, ready);
                direction.take(&mut around, &arrived);
            }
            stream.closed = stream.directions.iter().all(Direction::is_over);
        }
        let mut after = stream.cost();
        if self.bytes - before + after > MOST_BYTES {
            stream.give_up(ready);
            after = stream.cost();
        }
        self.bytes = self.bytes - before + after;
    }

    /// Ends the capture: judges incomplete PDUs as they are.
    pub fn finish(&mut self, ready: &mut dyn FnMut(Pdu)) {
        while let Some((_, mut stream)) = self.streams.pop(0) {
            stream.finish(ready);
        }
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Span;
    use crate::frame::Ip;
    use crate::pcap::LinkType;

    const ORIGIN: Origin = Origin { packet: 1, link: LinkType::ETHERNET, time: None };

    /// Many connections, each of which claims a long PDU and sends it slowly, or leaves gaps.
    #[test]
    fn memory_is_bounded() {
        let mut streams = Streams::default();
        let mut buffer = vec![0; 8 + 1400];
        let ip = Ip {
            version: 4,
            source: Span::at(0, 4),
            destination: Span::at(4, 4),
            prefix: Span::default(),
            protocol: 6,
            payload: Span::at(8, 1400),
            length_zero: false,
        };
        let mut most = 0;
        for round in 0..40u32 {
            for host in 0..2000u16 {
                buffer[..2].copy_from_slice(&host.to_be_bytes());
                // NVMe/TCP: controller data, 8 MiB of them.
                buffer[8..16].copy_from_slice(&[7, 0, 24, 24, 0, 0, 0x80, 0]);
                let syn = Segment {
                    ip,
                    ports: [4420, 9],
                    sequence: 0,
                    flags: SYN,
                    payload: Span::at(8, 0),
                };
                let gap = if host % 2 == 0 { 1400 } else { 2000 };
                let data = Segment {
                    sequence: 1 + round * gap,
                    flags: 0,
                    payload: Span::at(8, 1400),
                    ..syn
                };
                for segment in [syn, data] {
                    let places = Places::Contiguous(0);
                    streams.take(&segment, &buffer, &places, ORIGIN, &mut |_| ());
                }
                most = most.max(streams.bytes);
                assert!(streams.streams.len(0) <= MOST_CONNECTIONS);
            }
        }
        let kept: usize = streams.streams.values().map(Stream::cost).sum();
        assert_eq!(kept, streams.bytes);
        assert!(most > 1 << 20 && most <= MOST_BYTES, "{most}");
        streams.finish(&mut |_| ());
        assert_eq!(streams.bytes, 0);
    }
}
