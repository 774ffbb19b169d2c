//! All tests on one piece of a source.

use super::cells::{self, Cells};
use super::damage::Damage;
use super::mix::{self, Mix};
use super::question::{Options, Test};
use super::source::{self, Chunk, Plan};
use super::tally::Tally;
use crate::codes::additive::Additive;

/// Values of 48-byte cells that are counted, at most, for each code and source.
const VALUES: u64 = 1 << 20;

/// The precomputed tables of a code for all tests.
pub(super) struct Tools<'a> {
    code: &'a Additive,
    cells: Cells<'a>,
    fragments: Mix<'a>,
    sectors: Mix<'a>,
    /// The sampling step: one in this many cells of the data is counted.
    step: u64,
}

impl<'a> Tools<'a> {
    /// Prepares all codes for a source of `total` bytes.
    pub(super) fn all(codes: &'a [Additive], total: u64) -> Vec<Tools<'a>> {
        let step = total.div_euclid(cells::CELL as u64 * VALUES) + 1;
        codes.iter().map(|code| Tools::new(code, step)).collect()
    }

    fn new(code: &'a Additive, step: u64) -> Tools<'a> {
        let (fragments, sectors) = (Mix::new(code, 256), Mix::new(code, 512));
        Tools { code, cells: Cells::new(code), fragments, sectors, step }
    }
}

/// Tries all codes on one piece of a source.
pub(super) fn one_chunk(
    options: &Options,
    tools: &[Tools<'_>],
    plan: &Plan,
    chunk: &Chunk,
    total: u64,
    tally: &mut Tally,
) {
    let Some(bytes) = &plan.read(chunk) else {
        tally.unread += 1;
        return;
    };
    tally.bytes += bytes.len() as u64;
    tally.pieces += u64::from(bytes.len() >= 2 * cells::PAYLOAD);
    let packets = cells::packets(bytes, chunk.before);
    let identical = cells::identical(&packets);
    let tried = cells::SPLICES * packets.len().saturating_sub(1) as u64;
    let rejected = cells::REJECTED * packets.len().saturating_sub(1) as u64;
    let misses: Vec<[u64; 2]> =
        tools.iter().map(|tools| tools.cells.misses(&packets, &identical)).collect();
    let same = identical.iter().sum();
    for (place, test) in [Test::CellsHeader, Test::CellsTrailer].into_iter().enumerate() {
        tally.add(test, tried, same, misses.iter().map(|misses| misses[place]));
        tally.tests[test as usize].rejected += rejected;
    }

    for (test, all) in [(Test::Fragments, true), (Test::Stale, false)] {
        let pick = |tools: &Tools<'_>| {
            let mix = if all { &tools.fragments } else { &tools.sectors };
            mix.misses(bytes, all)
        };
        let (mixes, same) = mix::tried(bytes, if all { 256 } else { 512 }, all);
        tally.add(test, mixes, same, tools.iter().map(pick));
    }

    let trials = options.trials as f64;
    let share = |before: u64| (trials * before as f64 / total as f64) as u64;
    let trials = share(chunk.before + chunk.length as u64) - share(chunk.before);
    let codes: Vec<&Additive> = tools.iter().map(|tools| tools.code).collect();
    let random = fastrand::Rng::with_seed(source::mixed(options.seed, chunk.before));
    let mut damage = Damage::new(&codes, options.burst, random);
    for (test, result) in damage.run(bytes, trials) {
        tally.add(test, result.tried, result.identical, result.misses.iter().copied());
    }

    for (tools, values) in tools.iter().zip(&mut tally.values) {
        let first = chunk.before / cells::CELL as u64;
        let counted = bytes.chunks_exact(cells::CELL).zip(first..);
        let counted = counted.filter(|(_, number)| number.is_multiple_of(tools.step));
        values.extend(counted.map(|(cell, _)| tools.code.element(cell)));
    }
}
