//! Splices packets that were cut into cells.
//!
//! A packet is 20 bytes of IP header, 20 of TCP header and 256 of data, in cells of 48 bytes: six
//! whole ones and a last one with the 8 bytes that are left (and, on the wire, AAL5's trailer). If
//! cells of two packets that follow each other are lost, among them the last one of the first
//! packet, those that arrive may be as many as one packet has, ending with the second packet's last
//! cell: 6 of 12, in order, and that one, 924 in all. One of them is the second packet. 461 do not
//! begin with a header, which the receiver sees. The other 462 begin with the first packet's
//! header.

use crate::codes::additive::{Additive, Group, Piece, Shift, Work};

/// Bytes of data in a packet.
pub(super) const PAYLOAD: usize = 256;
/// Bytes of a cell.
pub(super) const CELL: usize = 48;
/// Splices of a pair of packets that begin with a header and are not the second packet.
pub(super) const SPLICES: u64 = 462;
/// Splices that do not begin with a header.
pub(super) const REJECTED: u64 = 461;

const HEADER: usize = 40;
const LENGTH: usize = HEADER + PAYLOAD;
/// Whole cells of a packet.
const WHOLE: usize = 6;
/// The place of a check value in the header: that of the TCP checksum, and the urgent pointer for
/// 32 bits.
const FIELD: usize = 36;

/// A packet with a checksum field of zero.
pub(super) struct Packet {
    /// The bytes that the check value covers: in place of the IP header 8 zeros and TCP's
    /// pseudo-header of 12 bytes.
    covered: [u8; LENGTH],
    /// The first cell as it is sent.
    first: [u8; CELL],
}

/// Splits `data`, which `before` bytes precede, into packets; an incomplete one is left out.
pub(super) fn packets(data: &[u8], before: u64) -> Vec<Packet> {
    const ADDRESSES: [u8; 8] = [10, 0, 0, 1, 10, 0, 0, 2];
    let number = before / PAYLOAD as u64;
    let packet = |(payload, number): (&[u8; PAYLOAD], u64)| {
        let mut covered = [0; LENGTH];
        covered[8..16].copy_from_slice(&ADDRESSES);
        covered[16..20].copy_from_slice(&[0, 6, 1, 20]);
        // TCP: ftp-data to a high port, sequence and acknowledgment numbers, 20 bytes, ACK, window.
        covered[20..24].copy_from_slice(&[0, 20, 0xc0, 1]);
        covered[24..28].copy_from_slice(&((number * PAYLOAD as u64) as u32).to_be_bytes());
        covered[28..36].copy_from_slice(&[0, 0, 0, 1, 0x50, 0x10, 0x10, 0]);
        covered[HEADER..].copy_from_slice(payload);
        let mut first = [0; CELL];
        first.copy_from_slice(&covered[..CELL]);
        // IPv4: 20 bytes, total length, identification, time to live 64, TCP.
        let length = (LENGTH as u16).to_be_bytes();
        let [high, low] = (number as u16).to_be_bytes();
        first[..12].copy_from_slice(&[0x45, 0, length[0], length[1], high, low, 0, 0, 64, 6, 0, 0]);
        first[12..20].copy_from_slice(&ADDRESSES);
        let sum = residue::internet::checksum(&first[..20]);
        first[10..12].copy_from_slice(&sum.to_be_bytes());
        Packet { covered, first }
    };
    data.as_chunks().0.iter().zip(number..).map(packet).collect()
}

/// Returns a cell of the bytes that the check value covers.
fn cell(packet: &Packet, number: usize) -> &[u8] {
    &packet.covered[number * CELL..LENGTH.min((number + 1) * CELL)]
}

/// Returns a cell as it is sent.
fn sent(packet: &Packet, number: usize) -> &[u8] {
    if number == 0 { &packet.first } else { cell(packet, number) }
}

/// Counts for each pair of neighbours the splices that equal the first packet: they do no harm.
///
/// None equals the second packet, since the headers differ.
pub(super) fn identical(packets: &[Packet]) -> Vec<u64> {
    let counted = |pair: &[Packet]| {
        let [a, b] = pair else { return 0 };
        if cell(a, WHOLE) != cell(b, WHOLE) {
            return 0;
        }
        // The numbers of ways to take a first part of the cells of the first packet from cells of
        // both, in order, by the last cell: the first packet's cells at 0..6, the second's at
        // 6..12.
        let source =
            |number: usize| if number < WHOLE { cell(a, number) } else { sent(b, number - WHOLE) };
        let mut ways = [0u64; 2 * WHOLE];
        ways[0] = 1;
        for place in 1..WHOLE {
            let wanted = cell(a, place);
            let mut longer = [0; 2 * WHOLE];
            for number in place..=WHOLE + place {
                if source(number) == wanted {
                    longer[number] = ways[..number].iter().sum();
                }
            }
            ways = longer;
        }
        ways.iter().sum()
    };
    packets.windows(2).map(counted).collect()
}

/// The tables of a code for counting splices.
pub(super) struct Cells<'a> {
    code: &'a Additive,
    whole: Piece<'a>,
    last: Piece<'a>,
    /// The shifts past the last cell's 8 bytes, and past a whole cell.
    shifts: [Shift; 2],
    ways: Ways,
}

/// The beginnings from the first packet and the ends from the second, shortest first, each with the
/// place of the one it adds a cell to, the number of that cell, and its place in the splice.
struct Ways {
    beginnings: Vec<[usize; 3]>,
    ends: Vec<[usize; 3]>,
}

/// Beginnings of one to six cells, and where each group starts.
const BEGINNINGS: [usize; 7] = [0, 1, 6, 16, 26, 31, 32];
/// Ends of none to five cells.
const ENDS: [usize; 7] = [0, 1, 7, 22, 42, 57, 63];

impl Ways {
    fn new() -> Ways {
        let sorted = |bits: u32| {
            let mut sets: Vec<u32> = (0..1 << bits).collect();
            sets.sort_by_key(|set| set.count_ones());
            sets
        };
        let (first, second) = (sorted(5), sorted(6));
        let place = |sets: &[u32], set: u32| sets.iter().position(|&other| other == set);
        // A bit for each cell but the first, which begins every splice. The highest was added last.
        let beginning = |&set: &u32| {
            let highest = set.checked_ilog2()?;
            let before = place(&first, set & !(1 << highest))?;
            Some([before, highest as usize + 1, set.count_ones() as usize])
        };
        // Ends grow from the back.
        let end = |&set: &u32| {
            let lowest = set.trailing_zeros() as usize;
            let after = place(&second, set & (set.wrapping_sub(1)))?;
            (set != 0).then_some([after, lowest, WHOLE - set.count_ones() as usize])
        };
        Ways {
            beginnings: first.iter().filter_map(beginning).collect(),
            // All six cells are the second packet itself.
            ends: second[..63].iter().filter_map(end).collect(),
        }
    }
}

/// The sums of a packet's cells: the whole ones at each place, the first amid data at each place
/// (with a checksum field that is filled in, and with one of zero), and the last.
struct Sums {
    cells: [[u32; WHOLE]; WHOLE],
    inside: [[u32; WHOLE]; 2],
    last: u32,
    all: u32,
}

impl<'a> Cells<'a> {
    pub(super) fn new(code: &'a Additive) -> Cells<'a> {
        Cells {
            code,
            whole: code.piece(CELL),
            last: code.piece(LENGTH - WHOLE * CELL),
            shifts: [code.shift(LENGTH - WHOLE * CELL), code.shift(CELL)],
            ways: Ways::new(),
        }
    }

    /// Counts the splices that the code does not detect although their bytes are those of neither
    /// packet, with the check value in the header and after the data.
    pub(super) fn misses(&self, packets: &[Packet], identical: &[u64]) -> [u64; 2] {
        self.code.within(Splices { tools: self, packets, identical })
    }

    /// Returns what a cell adds at each place.
    fn places<G: Group>(&self, group: G, cell: &[u8]) -> [u32; WHOLE] {
        let mut places = [0; WHOLE];
        let mut sum = self.shifts[0].apply(self.whole.sum(group, cell));
        for place in (0..WHOLE).rev() {
            places[place] = sum;
            sum = self.shifts[1].apply(sum);
        }
        places
    }

    fn sums<G: Group>(&self, group: G, packet: &Packet) -> Sums {
        let cells = std::array::from_fn(|number| self.places(group, cell(packet, number)));
        let value = self.code.value(&packet.covered).to_be_bytes();
        let width = self.code.width().div_ceil(8) as usize;
        let mut filled = packet.first;
        filled[FIELD..FIELD + width].copy_from_slice(&value[4 - width..]);
        let inside = [filled, packet.first].map(|first| self.places(group, &first));
        let last = self.last.sum(group, cell(packet, WHOLE));
        let all = (0..WHOLE).fold(last, |sum, place| group.add(sum, cells[place][place]));
        Sums { cells, inside, last, all }
    }
}

struct Splices<'a> {
    tools: &'a Cells<'a>,
    packets: &'a [Packet],
    identical: &'a [u64],
}

impl Work for Splices<'_> {
    type Output = [u64; 2];

    fn run<G: Group>(self, group: G) -> [u64; 2] {
        let mut misses = [0; 2];
        let Some((first, rest)) = self.packets.split_first() else { return misses };
        let mut a = self.tools.sums(group, first);
        for (packet, &identical) in rest.iter().zip(self.identical) {
            let b = self.tools.sums(group, packet);
            let passed = matches(
                group,
                &self.tools.ways,
                &a,
                &b.cells,
                b.inside[0],
                group.sub(a.all, b.last),
            );
            // With the check value in the header, those with the first packet's bytes always pass.
            misses[0] += passed - identical;
            let passed = matches(
                group,
                &self.tools.ways,
                &a,
                &b.cells,
                b.inside[1],
                group.sub(b.all, b.last),
            );
            misses[1] += passed - if a.all == b.all { identical } else { 0 };
            a = b;
        }
        misses
    }
}

/// Counts the splices whose whole cells add up to `wanted`.
///
/// `header` is what the second packet's first cell adds at each place.
#[inline(always)]
fn matches<G: Group>(
    group: G,
    ways: &Ways,
    a: &Sums,
    b: &[[u32; WHOLE]; WHOLE],
    header: [u32; WHOLE],
    wanted: u32,
) -> u64 {
    let (mut beginnings, mut ends) = ([a.cells[0][0]; 32], [wanted; 63]);
    for (index, &[before, cell, place]) in ways.beginnings.iter().enumerate() {
        beginnings[index + 1] = group.add(beginnings[before], a.cells[cell][place]);
    }
    // What a beginning must be so that this end completes it.
    for (index, &[after, cell, place]) in ways.ends.iter().enumerate() {
        let added = if cell == 0 { header[place] } else { b[cell][place] };
        ends[index + 1] = group.sub(ends[after], added);
    }
    let mut count = 0;
    for cells in 0..WHOLE {
        let ends = &ends[ENDS[WHOLE - 1 - cells]..ENDS[WHOLE - cells]];
        for beginning in &beginnings[BEGINNINGS[cells]..BEGINNINGS[cells + 1]] {
            count += ends.iter().map(|end| u32::from(end == beginning)).sum::<u32>();
        }
    }
    count.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tries all splices of two packets, byte by byte.
    fn brute(code: &Additive, a: &Packet, b: &Packet) -> [u64; 3] {
        let width = code.width().div_ceil(8) as usize;
        let mut filled = b.first;
        let value = code.value(&b.covered).to_be_bytes();
        filled[FIELD..FIELD + width].copy_from_slice(&value[4 - width..]);
        let filled = Packet { covered: b.covered, first: filled };
        let (mut header, mut trailer, mut identical) = (0, 0, 0);
        for set in (0u32..1 << 12).filter(|set| set.count_ones() == 6 && set & 1 == 1) {
            let splice = |b: &Packet| -> Vec<u8> {
                let chosen = (0..12).filter(|number| set >> number & 1 == 1);
                let pick = |n: usize| if n < 6 { cell(a, n) } else { sent(b, n - 6) }.to_vec();
                chosen.flat_map(pick).chain(cell(b, 6).to_vec()).collect()
            };
            if splice(b) == a.covered {
                identical += 1;
                continue;
            }
            trailer += u64::from(code.element(&splice(b)) == code.element(&b.covered));
            header += u64::from(code.element(&splice(&filled)) == code.element(&a.covered));
        }
        [header, trailer, identical]
    }

    #[test]
    fn splices_are_counted_as_if_each_were_made() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut found = [0; 3];
        for name in [
            "internet",
            "xns",
            "fletcher-16",
            "adler-32",
            "crc-8/smbus",
            "crc-32/iscsi",
            "xor-8",
            "sum-8",
        ] {
            let code = Additive::named(name).unwrap();
            for kind in 0..6 {
                // Cells of few kinds, so that many are alike and many add up alike.
                let mut data = vec![0; 8 * PAYLOAD];
                for word in data.chunks_mut(if kind % 2 == 0 { 2 } else { 8 }) {
                    word.fill(random.u8(..2) * if kind < 4 { 0xff } else { 1 });
                }
                if kind == 5 {
                    data[400..].fill(0);
                }
                let packets = packets(&data, 0);
                let same = identical(&packets);
                let counted = Cells::new(&code).misses(&packets, &same);
                let mut wanted = [0; 3];
                for pair in packets.windows(2) {
                    let brute = brute(&code, &pair[0], &pair[1]);
                    (0..3).for_each(|i| wanted[i] += brute[i]);
                }
                let counted = [counted[0], counted[1], same.iter().sum()];
                assert_eq!(counted, wanted, "{name} {kind}");
                (0..3).for_each(|i| found[i] += counted[i]);
            }
        }
        assert!(found.iter().all(|&count| count > 100), "{found:?}");
    }

    #[test]
    fn headers_are_valid() {
        let all = packets(&[7; 1000], 512);
        assert_eq!(all.len(), 3);
        for packet in &all {
            assert_eq!(residue::internet::checksum(&packet.first[..20]), 0);
            assert_eq!(packet.first[20..], packet.covered[20..CELL]);
            let length = u16::from_be_bytes([packet.covered[18], packet.covered[19]]);
            assert_eq!(usize::from(length), LENGTH - 20);
        }
        assert_eq!((all[0].first[5], &all[1].covered[24..28]), (2, &[0, 0, 3, 0][..]));
    }
}
