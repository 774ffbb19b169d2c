//! CRC-32C of packets in lockstep.
//!
//! Four packets with equal numbers of whole words, up to 71 bytes, run one chain of the instruction
//! each, side by side. A partial word goes first, padded with zero bytes in front, from the
//! register that this number of zero bytes turns into all ones: a table of eight has these
//! registers. 32 packets and more are first sorted by their number of words, 256 at a time, unless
//! more than a quarter are longer. Longer packets run in lockstep as well, up to a length of the
//! profile, if four in a row have equal numbers of words; else one by one.

use super::compiled::Crc32c;
use super::steps::{HeadShift, before_zeros};
use crate::arch::{Castagnoli, CrcStep};
use crate::body::{Batch, Body, Form, Packets, Source};
use crate::cpu;

/// Computes four packets at a time.
pub(crate) struct Lockstep;

impl<T: CrcStep<Castagnoli>> Batch<T> for Lockstep {
    type Family = Crc32c;
    #[inline(always)]
    fn run(tier: T, (): &(), packets: Packets<'_>, values: &mut [u32]) {
        match packets.0 {
            Form::Slices(slices) => rounds(tier, slices, values),
            Form::Spans(spans) => rounds(tier, spans, values),
        }
    }
}

/// The number of packets sorted together; their indices fit a byte.
const ROUND: usize = 256;
/// The fewest packets worth sorting.
const SORTED: usize = 32;
/// The number of whole words of the longest packet that runs among others, of 71 bytes.
///
/// [`together`] has an arm for each number.
const WORDS: usize = 8;

#[inline(always)]
fn rounds<'a, T: CrcStep<Castagnoli>>(tier: T, packets: impl Source<'a>, values: &mut [u32]) {
    for (round, values) in values.chunks_mut(ROUND).enumerate() {
        let from = round * ROUND;
        let mut order = [0; ROUND];
        let count = values.len();
        if count >= SORTED && sort(&mut order[..count], packets, from) {
            let (fours, rest) = order[..count].as_chunks::<4>();
            for four in fours {
                let [a, b, c, d] = four.map(usize::from);
                let crcs = together(
                    tier,
                    packets.packet(from + a),
                    packets.packet(from + b),
                    packets.packet(from + c),
                    packets.packet(from + d),
                );
                for i in 0..4 {
                    values[usize::from(four[i]) % count] = crcs[i];
                }
            }
            for &place in rest {
                let place = usize::from(place);
                values[place % count] = one(tier, packets.packet(from + place));
            }
        } else {
            let (mut values, mut at) = (values, from);
            while !values.is_empty() {
                let packet = packets.packet(at);
                let done = if packet.len() / 8 > WORDS {
                    match alike(tier, packets, at, values) {
                        0 => long_ones(packets, at, values),
                        done => done,
                    }
                } else if let Some(crcs) = values.first_chunk_mut::<4>() {
                    *crcs = together(
                        tier,
                        packet,
                        packets.packet(at + 1),
                        packets.packet(at + 2),
                        packets.packet(at + 3),
                    );
                    4
                } else {
                    values[0] = one(tier, packet);
                    1
                };
                values = core::mem::take(&mut values).get_mut(done..).unwrap_or_default();
                at += done;
            }
        }
    }
}

/// Sorts the indices of packets by their numbers of words; false if all have equal numbers, or more
/// than a quarter are long.
#[inline(always)]
fn sort<'a>(order: &mut [u8], packets: impl Source<'a>, from: usize) -> bool {
    let class = |i: usize| (packets.packet(from + i).len() / 8).min(WORDS + 1);
    let first = class(0);
    if (1..order.len()).all(|i| class(i) == first) {
        return false;
    }
    let mut next = [0u16; WORDS + 2];
    for i in 0..order.len() {
        next[class(i)] += 1;
    }
    // Sorting a long packet costs time and saves none.
    if usize::from(next[WORDS + 1]) > order.len() / 4 {
        return false;
    }
    let mut sum = 0;
    for count in &mut next {
        (*count, sum) = (sum, sum + *count);
    }
    for i in 0..order.len() {
        let place = &mut next[class(i)];
        if let Some(slot) = order.get_mut(usize::from(*place)) {
            *slot = i as u8;
        }
        *place += 1;
    }
    true
}

/// The register that 8 - n zero bytes turn into all ones, for n bytes below 8.
///
/// It is the start register for a word that holds n bytes of a packet behind zero bytes. The bits
/// above it hold half the number of bits before those bytes.
static STARTS: [u64; 8] = {
    let registers = before_zeros::<Castagnoli>();
    let (mut starts, mut n) = ([0; 8], 0);
    while n < 8 {
        starts[n] = (32 - 4 * n as u64) << 32 | registers[8 - n] as u64;
        n += 1;
    }
    starts
};

/// Returns the register after the bytes before the whole words.
///
/// `word` begins with them. There are `bytes % 8`.
#[inline(always)]
fn head<T: CrcStep<Castagnoli>>(tier: T, word: u64, bytes: usize) -> u32 {
    let start = STARTS[bytes % 8];
    // Shifts half the way twice, because a shift by 64 is not allowed.
    let shift = start >> 32 & 63;
    tier.step8(start as u32, word << shift << shift)
}

#[inline(always)]
fn one<T: CrcStep<Castagnoli>>(tier: T, packet: &[u8]) -> u32 {
    if packet.len() / 8 > WORDS {
        return one_long(packet);
    }
    !<HeadShift<Crc32c> as Body<T>>::run(tier, &(), u32::MAX, packet)
}

/// Computes a long packet out of line, which frees registers here.
#[inline(never)]
fn one_long(packet: &[u8]) -> u32 {
    Crc32c::DISPATCH.oneshot(&(), packet)
}

/// Computes consecutive long packets from `from` on, and returns their number.
#[inline(never)]
fn long_ones<'a>(packets: impl Source<'a>, from: usize, values: &mut [u32]) -> usize {
    let mut done = 0;
    for crc in values {
        let packet = packets.packet(from + done);
        if packet.len() / 8 <= WORDS {
            break;
        }
        *crc = Crc32c::DISPATCH.oneshot(&(), packet);
        done += 1;
    }
    done
}

/// Computes consecutive packets with as many whole words as the first, four at a time, from `from`
/// on, and returns their number; none if single calls are faster.
#[inline(always)]
fn alike<'a, T: CrcStep<Castagnoli>>(
    tier: T,
    packets: impl Source<'a>,
    from: usize,
    values: &mut [u32],
) -> usize {
    let bytes = packets.packet(from).len();
    if bytes > cpu::profile().lockstep_to {
        return 0;
    }
    let mut done = 0;
    for values in values.as_chunks_mut::<4>().0 {
        let packet = |i| packets.packet(from + done + i);
        let four = [packet(0), packet(1), packet(2), packet(3)];
        match looped(tier, bytes / 8, four) {
            Some(crcs) => *values = crcs,
            None => break,
        }
        done += 4;
    }
    done
}

/// Returns the CRCs of four packets if each has this number of whole words, at least one.
#[inline(always)]
fn looped<T: CrcStep<Castagnoli>>(
    tier: T,
    words: usize,
    [a, b, c, d]: [&[u8]; 4],
) -> Option<[u32; 4]> {
    if a.len() / 8 != words || b.len() / 8 != words || c.len() / 8 != words || d.len() / 8 != words
    {
        return None;
    }
    // Slices of one known length need no other test.
    let (wa, wb) = (a.as_rchunks().1.get(..words)?, b.as_rchunks().1.get(..words)?);
    let (wc, wd) = (c.as_rchunks().1.get(..words)?, d.as_rchunks().1.get(..words)?);
    let mut ra = head(tier, u64::from_le_bytes(*a.first_chunk()?), a.len());
    let mut rb = head(tier, u64::from_le_bytes(*b.first_chunk()?), b.len());
    let mut rc = head(tier, u64::from_le_bytes(*c.first_chunk()?), c.len());
    let mut rd = head(tier, u64::from_le_bytes(*d.first_chunk()?), d.len());
    let ((oa, wa), (ob, wb)) = (wa.as_rchunks::<4>(), wb.as_rchunks::<4>());
    let ((oc, wc), (od, wd)) = (wc.as_rchunks::<4>(), wd.as_rchunks::<4>());
    for (((a, b), c), d) in oa.iter().zip(ob).zip(oc).zip(od) {
        ra = tier.step8(ra, u64::from_le_bytes(*a));
        rb = tier.step8(rb, u64::from_le_bytes(*b));
        rc = tier.step8(rc, u64::from_le_bytes(*c));
        rd = tier.step8(rd, u64::from_le_bytes(*d));
    }
    for (((a, b), c), d) in wa.iter().zip(wb).zip(wc).zip(wd) {
        for i in 0..4 {
            ra = tier.step8(ra, u64::from_le_bytes(a[i]));
            rb = tier.step8(rb, u64::from_le_bytes(b[i]));
            rc = tier.step8(rc, u64::from_le_bytes(c[i]));
            rd = tier.step8(rd, u64::from_le_bytes(d[i]));
        }
    }
    Some([!ra, !rb, !rc, !rd])
}

/// Returns the CRCs of four packets.
#[inline(always)]
fn together<T: CrcStep<Castagnoli>>(tier: T, a: &[u8], b: &[u8], c: &[u8], d: &[u8]) -> [u32; 4] {
    // Straight-line code for the lengths of headers and short messages.
    let crcs = match a.len() / 8 {
        1 => lockstep::<T, 1>(tier, a, b, c, d),
        2 => lockstep::<T, 2>(tier, a, b, c, d),
        3 => lockstep::<T, 3>(tier, a, b, c, d),
        4 => lockstep::<T, 4>(tier, a, b, c, d),
        5 => lockstep::<T, 5>(tier, a, b, c, d),
        6 => lockstep::<T, 6>(tier, a, b, c, d),
        7 => lockstep::<T, 7>(tier, a, b, c, d),
        8 => lockstep::<T, 8>(tier, a, b, c, d),
        _ => None,
    };
    if let Some(crcs) = crcs {
        return crcs;
    }
    // Not by `map`, which is not inlined.
    let mut crcs = [0; 4];
    for (crc, packet) in crcs.iter_mut().zip([a, b, c, d]) {
        *crc = one(tier, packet);
    }
    crcs
}

/// Returns the CRCs of four packets that all have `W` whole words, at least one.
#[inline(always)]
fn lockstep<T: CrcStep<Castagnoli>, const W: usize>(
    tier: T,
    a: &[u8],
    b: &[u8],
    c: &[u8],
    d: &[u8],
) -> Option<[u32; 4]> {
    if a.len() / 8 != W || b.len() / 8 != W || c.len() / 8 != W || d.len() / 8 != W {
        return None;
    }
    let (wa, wb): (&[_; W], &[_; W]) =
        (a.as_rchunks().1.first_chunk()?, b.as_rchunks().1.first_chunk()?);
    let (wc, wd): (&[_; W], &[_; W]) =
        (c.as_rchunks().1.first_chunk()?, d.as_rchunks().1.first_chunk()?);
    let mut ra = head(tier, u64::from_le_bytes(*a.first_chunk()?), a.len());
    let mut rb = head(tier, u64::from_le_bytes(*b.first_chunk()?), b.len());
    let mut rc = head(tier, u64::from_le_bytes(*c.first_chunk()?), c.len());
    let mut rd = head(tier, u64::from_le_bytes(*d.first_chunk()?), d.len());
    for i in 0..W {
        ra = tier.step8(ra, u64::from_le_bytes(wa[i]));
        rb = tier.step8(rb, u64::from_le_bytes(wb[i]));
        rc = tier.step8(rc, u64::from_le_bytes(wc[i]));
        rd = tier.step8(rd, u64::from_le_bytes(wd[i]));
    }
    Some([!ra, !rb, !rc, !rd])
}
