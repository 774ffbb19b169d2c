//! The packets to report on: those of a filter and a range of times.
//!
//! All packets are still verified, because the selected ones may continue others: fragments,
//! streams, agreements of connections.

use crate::buffer::{Buffer, Places};
use crate::filter::Filter;
use crate::pcap::Packet;
use crate::time::Moment;

/// A choice of packets, and its state in a capture.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    filter: Option<Filter>,
    from: Option<Moment>,
    to: Option<Moment>,
    /// Time of the first packet that has one.
    first: Option<u64>,
    /// Length on the wire of the current packet, and its range in the file.
    length: u32,
    place: [u64; 2],
    /// Whether the primitives of the filter hold for the current packet, and for another buffer.
    holds: Vec<bool>,
    other: Vec<bool>,
    /// Number of selected packets.
    selected: u64,
}

impl Selection {
    /// Selects the packets for which the filter holds, from a time on and before another. The times
    /// of packets without a time are in no range.
    #[must_use]
    pub fn new(filter: Option<Filter>, from: Option<Moment>, to: Option<Moment>) -> Selection {
        Selection { filter, from, to, ..Selection::default() }
    }

    /// Returns whether all packets are selected.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.filter.is_none() && self.from.is_none() && self.to.is_none()
    }

    /// Returns whether walks must note headers.
    pub(crate) fn wants_headers(&self) -> bool {
        self.filter.is_some()
    }

    /// Returns the number of packets selected so far.
    #[must_use]
    pub fn selected(&self) -> u64 {
        self.selected
    }

    /// Begins the next packet.
    pub(crate) fn begin(&mut self, packet: &Packet<'_>) {
        self.first = self.first.or(packet.time);
        self.length = packet.wire_length;
        self.place = [packet.offset, packet.offset + packet.bytes.len() as u64];
    }

    /// Begins the end of the capture.
    pub(crate) fn end(&mut self) {
        self.place = [0; 2];
    }

    /// Returns whether a buffer is selected: the current packet, or a unit of several packets. If
    /// the current packet is a part of the unit, the headers of both count.
    pub(crate) fn takes(&mut self, buffer: &Buffer<'_>) -> bool {
        let in_range = self.has_time(buffer.time);
        let Selection { filter, length, place, holds, other, selected, .. } = self;
        let is_packet = matches!(buffer.places, Places::Contiguous(_));
        let matches = match filter {
            None => true,
            Some(filter) if is_packet => {
                filter.ask(buffer, Some(*length), holds);
                filter.decide(holds)
            }
            Some(filter) => {
                filter.ask(buffer, None, other);
                if is_part(buffer.places, *place) {
                    other.iter_mut().zip(&*holds).for_each(|(one, of_packet)| *one |= of_packet);
                }
                filter.decide(other)
            }
        };
        let is_selected = in_range && matches;
        *selected += u64::from(is_packet && is_selected);
        is_selected
    }

    fn has_time(&self, time: Option<u64>) -> bool {
        if self.from.is_none() && self.to.is_none() {
            return true;
        }
        let (Some(time), Some(first)) = (time, self.first) else { return false };
        self.from.is_none_or(|from| from.nanoseconds(first) <= time)
            && self.to.is_none_or(|to| time < to.nanoseconds(first))
    }
}

/// Returns whether one of the runs begins in this range of the file.
fn is_part(places: Places<'_>, [start, end]: [u64; 2]) -> bool {
    match places {
        Places::Contiguous(_) => true,
        Places::Runs(runs) => runs.iter().any(|(_, place)| (start..end).contains(place)),
    }
}
