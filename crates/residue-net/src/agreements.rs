//! What TCP connections agree on by the alternate checksum option (`wire::tcp_checksum_option`).

use crate::address::Address;
use crate::lru::Lru;
use std::collections::HashSet;

/// The largest defined value.
pub const GREATEST: u8 = 7;

/// Returns the checksum that two SYNs with these values agree on. RFC 1146: unequal values mean the
/// ordinary one. Sahu 2019, table 7.2, and 7: of two of the values 3, 4, 5 and 7, the greatest in
/// the order 3 < 5 < 7 < 4. A 6 that meets 3, 5 or 7 counts as the value that its sender would
/// otherwise have requested, which only the sender knows: `None`.
#[must_use]
pub fn agreed(one: u8, other: u8) -> Option<u8> {
    match (one, other) {
        _ if one == other && one <= GREATEST => Some(one),
        (4, 3..=GREATEST) | (3..=GREATEST, 4) => Some(4),
        (7, 3 | 5) | (3 | 5, 7) => Some(7),
        (3, 5) | (5, 3) => Some(5),
        (6, 3 | 5 | 7) | (3 | 5 | 7, 6) => None,
        _ => Some(0),
    }
}

/// Largest number of stored connections.
const MOST: usize = 1 << 16;
/// Marks a side whose SYN was not seen.
const UNSEEN: u8 = 0xff;

/// Addresses and ports of both ends, the lower end first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Connection([(Address, u16); 2]);

impl Connection {
    /// Returns the connection, and the number of the sending end.
    pub(crate) fn of(source: &[u8], destination: &[u8], ports: [u16; 2]) -> (Connection, usize) {
        let ends = [(Address::new(source), ports[0]), (Address::new(destination), ports[1])];
        if ends[0] <= ends[1] { (Connection(ends), 0) } else { (Connection([ends[1], ends[0]]), 1) }
    }
}

/// The requests in the SYNs of TCP connections. Only connections with a request are stored.
#[derive(Debug)]
pub struct Agreements {
    /// Requests of both sides, in the order of the first one.
    asked: Lru<Connection, [u8; 2]>,
    /// Ports of storage connections that were recognised by their first segment.
    pub(crate) storage_ports: HashSet<u16>,
    /// Whether a segment was walked, whose checks and stream depend on what is stored here.
    pub(crate) are_asked: bool,
}

impl Default for Agreements {
    fn default() -> Self {
        Agreements { asked: Lru::new([MOST]), storage_ports: HashSet::new(), are_asked: false }
    }
}

impl Agreements {
    /// Returns whether there are no requests.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }

    /// Returns whether anything is known of any connection.
    pub(crate) fn know_any(&self) -> bool {
        !(self.asked.is_empty() && self.storage_ports.is_empty())
    }

    /// Learns from a SYN of a side, the first or an answer, with the value that it requests.
    pub(crate) fn syn(
        &mut self,
        connection: Connection,
        side: usize,
        first: bool,
        value: Option<u8>,
    ) {
        if self.asked.get(&connection).is_none() {
            if value.is_none() {
                return;
            }
            self.asked.insert(connection, [UNSEEN; 2], 0);
        }
        let Some(asked) = self.asked.get_mut(&connection) else { return };
        let has_requested = !matches!(asked[side], UNSEEN | 0);
        if first {
            // A new connection between the two ends; or a simultaneous open, in which the other
            // side has requested, too.
            *asked = if value.is_some() { *asked } else { [UNSEEN; 2] };
        }
        // A SYN may be repeated without the request, and the peer takes one of them.
        asked[side] = value.unwrap_or(if has_requested { UNSEEN } else { 0 });
    }

    /// Returns the value that both sides agreed on, if both SYNs were seen, or one without request.
    pub(crate) fn of(&self, connection: &Connection) -> Option<u8> {
        let &[one, other] = self.asked.get(connection)?;
        match (one, other) {
            (0, _) | (_, 0) => Some(0),
            (UNSEEN, _) | (_, UNSEEN) => None,
            _ => agreed(one, other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_agreed() {
        assert_eq!(agreed(3, 5), Some(5));
        assert_eq!(agreed(4, 5), Some(4));
        assert_eq!(agreed(3, 4), Some(4));
        for value in 0..=GREATEST {
            assert_eq!(agreed(value, value), Some(value));
            for undefined in GREATEST + 1..=u8::MAX {
                assert_eq!(agreed(value, undefined), Some(0));
                assert_eq!(agreed(undefined, undefined), Some(0));
            }
        }
        for (other, value) in [(3, Some(7)), (4, Some(4)), (5, Some(7)), (6, None)] {
            assert_eq!((agreed(7, other), agreed(other, 7)), (value, value));
        }
        for (one, other) in [(1, 2), (2, 3), (0, 5), (6, 0), (6, 2), (7, 1)] {
            assert_eq!((agreed(one, other), agreed(other, one)), (Some(0), Some(0)));
        }
        assert_eq!((agreed(6, 3), agreed(5, 6), agreed(4, 6)), (None, None, Some(4)));
    }

    #[test]
    fn agreements_are_kept_for_their_connection() {
        let (one, side) = Connection::of(&[10, 0, 0, 1], &[10, 0, 0, 2], [1234, 80]);
        let (same, other_side) = Connection::of(&[10, 0, 0, 2], &[10, 0, 0, 1], [80, 1234]);
        assert_eq!((one, side), (same, 1 - other_side));
        let mut agreements = Agreements::default();
        agreements.syn(one, side, true, None);
        assert!(agreements.is_empty());
        agreements.syn(one, side, true, Some(5));
        assert_eq!(agreements.of(&one), None);
        agreements.syn(one, other_side, false, Some(3));
        assert_eq!(agreements.of(&one), Some(5));
        agreements.syn(one, side, true, None);
        agreements.syn(one, other_side, false, None);
        assert_eq!(agreements.of(&one), Some(0));
        for port in 0..=u16::MAX {
            let (connection, side) = Connection::of(&[1; 4], &[2; 4], [port, 443]);
            agreements.syn(connection, side, true, Some(4));
        }
        assert_eq!(agreements.asked.len(0), MOST);
        assert_eq!(agreements.of(&one), None);
    }
}
