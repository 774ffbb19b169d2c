//! Addresses or ports changed without the checksum: it is wrong by the sum of the old ones less
//! that of the new ones, an equal amount in every packet between two addresses.

use super::{CauseKind, Chance, flipped_bit};
use crate::address::Address;
use crate::buffer::Finding;
use crate::check::{Piece, PseudoHeader};
use residue::internet::Checksum;

/// Number of packets needed for an amount of one bit: defective memory or a wire may flip one bit
/// repeatedly.
const PACKETS_OF_ONE_BIT: u64 = 8;

/// The value from which the amount is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Base {
    /// The right value: the sender had completed the checksum.
    Complete,
    /// The sum of the pseudo-header, which the network card would have completed.
    Partial,
    /// The sum of the pseudo-header without the length, as large-send offload leaves it.
    PartialWithoutLength,
}

impl Base {
    /// All bases, in order.
    pub const ALL: [Base; 3] = [Base::Complete, Base::Partial, Base::PartialWithoutLength];

    /// Returns the kind of cause.
    pub fn kind(self) -> CauseKind {
        match self {
            Base::Complete => CauseKind::Rewritten,
            Base::Partial | Base::PartialWithoutLength => CauseKind::OffloadRewritten,
        }
    }
}

/// A source, a destination, and the amount by which checksums between them are wrong, modulo 65535.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Amount {
    /// Source address.
    pub source: Address,
    /// Destination address.
    pub destination: Address,
    /// From which value the amount is counted.
    pub base: Base,
    /// Sum of the original addresses and ports less that of the present ones.
    pub lacking: u16,
}

impl Amount {
    /// Returns the amounts that explain a value, for each of [`Base::ALL`].
    pub fn lacking(finding: &Finding<'_>) -> [Option<u16>; 3] {
        if !finding.check.rule.is_internet() || !covers_addresses(finding) {
            return [None; 3];
        }
        let Some(stored) = finding.stored() else { return [None; 3] };
        let amount = |more: u64, less: u64| ((more + 65535 - less % 65535) % 65535) as u16;
        Base::ALL.map(|base| match base {
            // Complemented: what the stored value has too little, the original addresses have too
            // much.
            Base::Complete => Some(amount(finding.computed()?, stored)),
            base => Some(amount(stored, pseudo_sum(finding, base == Base::Partial)?)),
        })
    }

    /// Returns the probability that `packets` of `all` between these addresses lack this amount by
    /// chance.
    pub fn chance(&self, packets: u64, all: u64) -> Chance {
        let one_bit = flipped_bit::weight(u64::from(self.lacking), 0).is_some();
        if one_bit && packets < PACKETS_OF_ONE_BIT {
            return Chance::CERTAIN;
        }
        Chance::of_equal(all, packets, if one_bit { 32.0 } else { 65535.0 })
    }
}

/// Returns the sum of the pseudo-header of a check, not complemented, with its length or without;
/// `None` if it has none, or bytes are missing.
pub fn pseudo_sum(finding: &Finding<'_>, has_length: bool) -> Option<u64> {
    let pseudo = finding.cover().get(..usize::from(finding.check.pseudo))?;
    if pseudo.is_empty() {
        return None;
    }
    let mut sum = Checksum::new();
    for &piece in pseudo {
        let piece = match piece {
            Piece::PseudoHeader(header) if !has_length => {
                Piece::PseudoHeader(PseudoHeader::with_length(header, 0))
            }
            piece => piece,
        };
        sum.update(piece.of(finding.buffer.bytes)?);
    }
    Some(u64::from(!sum.value()))
}

/// Returns whether the value covers the addresses: in a pseudo-header, or as in IPv4.
fn covers_addresses(finding: &Finding<'_>) -> bool {
    let [source, destination] = finding.check.addresses;
    let has_both = |piece: &Piece| {
        matches!(piece, Piece::Bytes(span)
        if !source.is_empty() && span.start <= source.start && destination.end <= span.end)
    };
    finding.check.pseudo > 0 || finding.cover().iter().any(has_both)
}

/// A rewriting that explains several packets.
#[derive(Clone, Debug)]
pub struct Rewrite {
    /// [`CauseKind::Rewritten`], or [`CauseKind::OffloadRewritten`] for checksums that were never
    /// completed.
    pub kind: CauseKind,
    /// Source address in the packets.
    pub source: Address,
    /// Destination address in the packets.
    pub destination: Address,
    /// Sum of the original addresses and ports less that of the present ones, modulo 65535: the
    /// amount to add to complete checksums.
    pub lacking: u16,
    /// Number of packets that it explains.
    pub packets: u64,
    /// The probability that so many packets lack this amount by chance.
    pub chance: Chance,
    /// Whether the packets differ in ports, so that only addresses were rewritten.
    pub addresses_only: bool,
    /// Addresses of this capture that would explain it, each with whether it was the source.
    pub likely: Vec<(bool, Address)>,
}

/// Number of stored addresses, as candidates for the original ones: a power of two.
const SEEN: usize = 1 << 12;
/// Number of packets whose addresses are all stored. Of later ones, one in `SHARE` is looked at:
/// most captures have no rewritten packets, and in long ones addresses come again.
const EARLY: u64 = 1 << 16;
const SHARE: u64 = 8;

/// Addresses of the capture, which may be the original ones of rewritten packets.
#[derive(Debug, Default)]
pub struct Addresses {
    /// Addresses by their last bytes, each with the number of the packet that had it last.
    seen: Vec<(u64, Address)>,
}

impl Addresses {
    /// Stores the addresses of a finding: of all early packets, and of some later ones.
    #[inline]
    pub fn learn(&mut self, finding: &Finding<'_>) {
        // Once per packet is enough, and most packets have a check with ports.
        if finding.check.ports.is_some() {
            self.learn_pair(finding.buffer.packet, finding.addresses());
        }
    }

    /// Stores the addresses of a packet that has ports, as [`Addresses::learn`].
    #[inline]
    pub fn learn_pair(&mut self, packet: u64, addresses: [&[u8]; 2]) {
        // Chosen by its number, so that the order in which packets are judged does not matter.
        if packet <= EARLY || packet.is_multiple_of(SHARE) {
            for address in addresses {
                self.see(packet, address);
            }
        }
    }

    /// Stores an address in a place by its last bytes, where it replaces that of an earlier packet.
    #[inline]
    fn see(&mut self, packet: u64, address: &[u8]) {
        let Some(&last) = address.last_chunk::<4>() else { return };
        if self.seen.is_empty() {
            self.seen.resize(SEEN, (0, Address::default()));
        }
        let place = u32::from_ne_bytes(last).wrapping_mul(0x9e37_79b9) >> (32 - SEEN.ilog2());
        let Some(place) = self.seen.get_mut(place as usize) else { return };
        if packet >= place.0 {
            *place = (packet, Address::new(address));
        }
    }

    /// Adds the addresses of other packets. The order in which they are added does not matter.
    pub fn merge(&mut self, others: Addresses) {
        if self.seen.is_empty() {
            self.seen = others.seen;
            return;
        }
        for (place, other) in self.seen.iter_mut().zip(others.seen) {
            if other.0 > place.0 {
                *place = other;
            }
        }
    }

    /// Returns the stored addresses whose sum exceeds that of a present one by the amount.
    pub fn likely(&self, amount: &Amount) -> Vec<(bool, Address)> {
        let mut likely = Vec::new();
        for (is_source, now) in [(true, amount.source), (false, amount.destination)] {
            let wanted = (now.sum() + u64::from(amount.lacking)) % 65535;
            let seen = self.seen.iter().map(|(_, address)| address);
            let fits = |before: &&Address| {
                before.bytes().len() == now.bytes().len()
                    && **before != now
                    && before.sum() == wanted
            };
            likely.extend(seen.filter(fits).map(|&before| (is_source, before)));
        }
        likely.sort_unstable();
        likely
    }
}
