//! Internet checksums of packets side by side.
//!
//! A packet of up to 64 bytes is summed into 32-bit elements by one masked load and one dot product
//! (`avx512_vnni`). Additions between unpacked halves turn sixteen such vectors into one with an
//! element for each packet, so that one fold, complement and byte swap serves sixteen, and no
//! branch depends on a length. `avx2` does so with eight packets. Without masks, 32 to 64 bytes are
//! the first vector and the last, of which a shuffle keeps what the first does not have; the
//! shuffle also aligns the bytes of an odd length to words. 16 to 32 bytes take two half vectors;
//! four packets of the same kind take no branch.

use super::family::{Internet, up_to_24};
use crate::arch::PacketSums;
use crate::body::{Batch, Form, Packets, Source};
use crate::sums::running::Summed;

/// Sums `N` groups of four packets at a time.
pub(crate) struct Grouped<const N: usize>;

impl<T: PacketSums<N>, const N: usize> Batch<T> for Grouped<N> {
    type Family = Internet;
    #[inline(always)]
    fn run(tier: T, (): &(), packets: Packets<'_>, values: &mut [u16]) {
        match packets.0 {
            Form::Slices(slices) => grouped(tier, slices, values),
            Form::Spans(spans) => grouped(tier, spans, values),
        }
    }
}

/// The longest packet, in bytes, for which the last fold is a large part of the work: a group does
/// not pay if most are longer, or shorter than [`PacketSums::SHORTEST`].
const SHORT: usize = 64;

#[inline(always)]
fn grouped<'a, T: PacketSums<N>, const N: usize>(
    tier: T,
    packets: impl Source<'a>,
    values: &mut [u16],
) {
    let count = values.len();
    let (fours, rest) = values.as_chunks_mut::<4>();
    let (groups, others) = fours.as_chunks_mut::<N>();
    let mut done = 0;
    for places in groups {
        let fits = |&i: &usize| (T::SHORTEST..=SHORT).contains(&packets.packet(i).len());
        if (done..done + 4 * N).filter(fits).count() < 2 * N {
            for (i, place) in places.as_flattened_mut().iter_mut().enumerate() {
                *place = one(packets.packet(done + i));
            }
        } else {
            *places = group(tier, packets, done, count);
        }
        done += 4 * N;
    }
    if count - done <= 2 * N {
        // Half a group or less does not pay.
        for (i, place) in others.as_flattened_mut().iter_mut().chain(rest).enumerate() {
            *place = one(packets.packet(done + i));
        }
    } else {
        let last = group(tier, packets, done, count);
        let last = last.as_flattened();
        let places = others.as_flattened_mut().iter_mut().chain(rest);
        places.zip(last).for_each(|(place, checksum)| *place = *checksum);
    }
}

/// Returns the checksum of one packet.
#[inline(always)]
fn one(packet: &[u8]) -> u16 {
    up_to_24(packet).map_or_else(|| one_long(packet), Internet::value_of)
}

/// Returns the checksum of a long packet, out of line, which frees registers here.
#[inline(never)]
fn one_long(packet: &[u8]) -> u16 {
    Internet::DISPATCH.oneshot(&(), packet)
}

/// Returns the checksums of `count` packets from `from` on; the rest of the group is empty.
#[inline(always)]
fn group<'a, T: PacketSums<N>, const N: usize>(
    tier: T,
    packets: impl Source<'a>,
    from: usize,
    count: usize,
) -> [[u16; 4]; N] {
    let mut fours = [tier.four([tier.none(); 4]); N];
    for (i, four) in fours.iter_mut().enumerate() {
        let from = from + 4 * i;
        if count - from.min(count) >= 4 {
            if let Some(alike) = alike::<T, N, false>(tier, packets, from) {
                *four = alike;
                continue;
            }
            if let Some(alike) = alike::<T, N, true>(tier, packets, from) {
                *four = alike;
                continue;
            }
        }
        let mut lanes = [tier.none(); 4];
        for (i, lanes) in lanes.iter_mut().enumerate() {
            if from + i < count {
                let packet = packets.packet(from + i);
                *lanes = if packet.len() <= T::LONGEST {
                    PacketSums::lanes(tier, packet)
                } else {
                    tier.lone(!one_long(packet).swap_bytes())
                };
            }
        }
        *four = tier.four(lanes);
    }
    tier.checksums(fours)
}

/// Sums four packets, if all have a length that takes no branch.
#[inline(always)]
fn alike<'a, T: PacketSums<N>, const N: usize, const BRIEF: bool>(
    tier: T,
    packets: impl Source<'a>,
    from: usize,
) -> Option<T::Four> {
    let mut lanes = [tier.none(); 4];
    for (i, lanes) in lanes.iter_mut().enumerate() {
        let packet = packets.packet(from + i);
        *lanes = if BRIEF { tier.brief(packet)? } else { tier.quick(packet)? };
    }
    Some(tier.four(lanes))
}
