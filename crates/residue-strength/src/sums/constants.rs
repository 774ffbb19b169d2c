//! What each bit of data adds to a sum, and how often each element occurs.

use crate::codes::additive::{Additive, Group, Work};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Returns what each bit of data adds when it becomes 1: the first byte's highest bit first.
///
/// The data are `bytes` bytes, whole units of the code.
pub(super) fn constants(code: &Additive, bytes: usize) -> Vec<u32> {
    struct Constants<'a>(&'a Additive, usize);
    impl Work for Constants<'_> {
        type Output = Vec<u32>;
        fn run<G: Group>(self, group: G) -> Vec<u32> {
            let Constants(code, bytes) = self;
            let (piece, shift) = (code.piece(4), code.shift(4));
            let bit = |bit: u32| piece.sum(group, &(0x8000_0000u32 >> bit).to_be_bytes());
            let mut last: Vec<u32> = (0..32u32).map(bit).collect();
            let mut backwards = Vec::new();
            for _ in 0..bytes.div_ceil(4) {
                backwards.extend(last.iter().rev());
                last.iter_mut().for_each(|constant| *constant = shift.apply(*constant));
            }
            // Units before the data do not change what those of the data add.
            backwards.truncate(8 * bytes);
            backwards.reverse();
            backwards
        }
    }
    code.within(Constants(code, bytes))
}

/// The number of times that each element occurs.
pub(super) type Counts = HashMap<u32, u64, BuildHasherDefault<Mixed>>;

/// Hashes elements, which are not chosen to collide, ten times as fast as the standard hasher.
#[derive(Default)]
pub(super) struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(byte.into()));
    }

    fn write_u32(&mut self, element: u32) {
        let mixed = (self.0 ^ u64::from(element)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Counts how often each element is in a list.
pub(super) fn counted(elements: impl Iterator<Item = u32>) -> Counts {
    let mut counts = Counts::default();
    elements.for_each(|element| *counts.entry(element).or_insert(0) += 1);
    counts
}
