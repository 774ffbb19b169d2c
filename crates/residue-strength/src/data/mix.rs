//! Mixes data of two sources, each part at its right place: fragments of two datagrams that became
//! one, and blocks of which a sector was not written.

use crate::codes::additive::{Additive, Group, Piece, Shift, Work};

/// Parts of a whole.
const PARTS: usize = 8;

/// The tables of a code for counting mixtures of parts of one length.
pub(super) struct Mix<'a> {
    code: &'a Additive,
    part: Piece<'a>,
    bytes: usize,
    /// The shifts past all but the first part, past all but the first two, ...
    shifts: [Shift; PARTS],
}

impl<'a> Mix<'a> {
    /// Prepares the code for parts of `bytes` bytes.
    pub(super) fn new(code: &'a Additive, bytes: usize) -> Mix<'a> {
        let shifts = std::array::from_fn(|place| code.shift((PARTS - 1 - place) * bytes));
        Mix { code, part: code.piece(bytes), bytes, shifts }
    }

    /// Counts the mixtures that the code does not detect; see [`tried`].
    pub(super) fn misses(&self, data: &[u8], any: bool) -> u64 {
        self.code.within(Mixtures { tools: self, data, any })
    }
}

/// Counts the mixtures of each pair of neighbouring wholes in `data`, and those that equal the
/// first whole: with any of the parts but the first taken from the second whole, or (if not `any`)
/// with one part of all taken from it.
pub(super) fn tried(data: &[u8], bytes: usize, any: bool) -> (u64, u64) {
    let wholes: Vec<&[u8]> = data.chunks_exact(bytes * PARTS).collect();
    let (mut tried, mut identical) = (0, 0);
    for pair in wholes.windows(2) {
        let parts = pair[0].chunks(bytes).zip(pair[1].chunks(bytes));
        if any {
            let alike = parts.skip(1).filter(|(a, b)| a == b).count();
            tried += (1 << (PARTS - 1)) - 1;
            identical += (1 << alike) - 1;
        } else {
            tried += PARTS as u64;
            identical += parts.filter(|(a, b)| a == b).count() as u64;
        }
    }
    (tried, identical)
}

struct Mixtures<'a> {
    tools: &'a Mix<'a>,
    data: &'a [u8],
    any: bool,
}

impl Work for Mixtures<'_> {
    type Output = u64;

    fn run<G: Group>(self, group: G) -> u64 {
        let Mixtures { tools, data, any } = self;
        let sums = |whole: &[u8]| -> [u32; PARTS] {
            let mut parts = whole.chunks(tools.bytes);
            std::array::from_fn(|place| {
                let part = parts.next().unwrap_or_default();
                tools.shifts[place].apply(tools.part.sum(group, part))
            })
        };
        let mut passed = 0;
        let mut before: Option<[u32; PARTS]> = None;
        for whole in data.chunks_exact(tools.bytes * PARTS) {
            let sums = sums(whole);
            if let Some(before) = before {
                let change: [u32; PARTS] =
                    std::array::from_fn(|place| group.sub(sums[place], before[place]));
                passed += if any {
                    zeros(group, &change[1..])
                } else {
                    change.iter().filter(|&&change| change == 0).count() as u64
                };
            }
            before = Some(sums);
        }
        passed - tried(data, tools.bytes, any).1
    }
}

/// Counts the sums of some of the changes, at least one, that are zero.
fn zeros<G: Group>(group: G, changes: &[u32]) -> u64 {
    let mut sums = [0; 1 << (PARTS - 1)];
    for (number, &change) in changes.iter().enumerate() {
        let (done, next) = sums.split_at_mut(1 << number);
        for (sum, next) in done.iter().zip(next) {
            *next = group.add(*sum, change);
        }
    }
    sums[1..].iter().map(|sum| u64::from(*sum == 0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixtures_are_counted_as_if_each_were_made() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut found = [0; 2];
        for name in ["internet", "xns", "fletcher-16", "crc-8/smbus", "crc-32/iscsi", "xor-16"] {
            let code = Additive::named(name).unwrap();
            for any in [true, false] {
                let mut data = vec![0; 4 * 64];
                data.chunks_mut(4).for_each(|word| word.fill(random.u8(..2) * 0xff));
                data[64..80].copy_from_slice(&[0; 16]);
                data[128..144].copy_from_slice(&[0; 16]);
                let mut wanted = [0; 2];
                for pair in data.chunks(64).collect::<Vec<_>>().windows(2) {
                    for set in 1u32..256 {
                        if if any { set & 1 == 1 } else { set.count_ones() != 1 } {
                            continue;
                        }
                        let part = |n: usize| &pair[(set >> n & 1) as usize][8 * n..8 * n + 8];
                        let mixture: Vec<u8> = (0..8).flat_map(part).copied().collect();
                        if mixture == pair[0] {
                            wanted[1] += 1;
                        } else {
                            wanted[0] += u64::from(code.element(&mixture) == code.element(pair[0]));
                        }
                    }
                }
                let counted = [Mix::new(&code, 8).misses(&data, any), tried(&data, 8, any).1];
                assert_eq!(counted, wanted, "{name}");
                (0..2).for_each(|i| found[i] += counted[i]);
            }
        }
        assert!(found.iter().all(|&count| count > 10), "{found:?}");
    }
}
