//! The CRCs whose definitions are tested.

use residue::crc::{Params, catalog};

/// Returns the catalogue, and CRCs of mixed reflection, which it lacks at most widths.
pub fn all() -> Vec<Params> {
    let own = |width: u8, refin, refout| {
        let name: &'static str = Box::leak(format!("own-{width}/{refin}-{refout}").into());
        let poly = (0x8005_1021_04c1_1db7_u128 | 1) & (u128::MAX >> (128 - width));
        let some = poly >> 1;
        Params::new(name, width, poly, some, (refin, refout), some ^ 1).unwrap()
    };
    let widths = [1, 3, 7, 8, 9, 24, 32, 33, 64, 100].into_iter();
    let own = widths.flat_map(|w| [own(w, true, false), own(w, false, true)]);
    catalog::ALL.iter().copied().chain(own).collect()
}
