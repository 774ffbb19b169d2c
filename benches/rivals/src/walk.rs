//! Calls on one piece after another of a buffer that no cache holds: how fast a program reads data
//! that it has just been given.

use crate::contender::{Call, Contender};
use crate::model::Mode;
use crate::race::{Race, Runner};
use residue_bench::harness::ticks;
use std::cell::Cell;
use std::hint::black_box;
use std::rc::Rc;

/// Returns the length of the buffer: 256 MiB, or twice the largest cache that the system names.
///
/// Some processors have third-level caches of more than 256 MiB.
#[must_use]
pub fn length() -> usize {
    let cache = |i| format!("/sys/devices/system/cpu/cpu0/cache/index{i}/size");
    let sizes = (0..).map_while(|i: u32| std::fs::read_to_string(cache(i)).ok());
    let kib = sizes.filter_map(|size| size.trim().strip_suffix('K')?.parse::<usize>().ok());
    (256 << 20).max(kib.max().unwrap_or(0) << 11)
}

/// Races calls on pieces of this size.
#[must_use]
pub fn race<'a>(group: &[Contender], size: usize, data: &'a [u8]) -> Race<'a> {
    // All contenders go on from one place: none finds in a cache what another one has left there.
    let place = Rc::new(Cell::new(0));
    let runner = |contender: &Contender| {
        let (call, place) = (contender.call, Rc::clone(&place));
        let timed = move |count, _| walk(call, data, size, &place, count);
        Runner::new(contender, contender.name, Box::new(timed))
    };
    let runners = group.iter().filter(|contender| Mode::Walk.suits(contender, size)).map(runner);
    Race::new(group, Mode::Walk, size, runners.collect())
}

/// Returns the ticks of `count` calls from a place on, and leaves the place behind them.
#[inline(never)]
fn walk(call: Call, data: &[u8], size: usize, place: &Cell<usize>, count: usize) -> u64 {
    let (call, mut at, mut value) = (black_box(call), place.get(), 0);
    let ticks = ticks(count, |_| {
        if at + size > data.len() {
            at = 0;
        }
        value ^= call(&data[at..at + size]);
        at += size;
    });
    place.set(at);
    black_box(value);
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_read_in_turn() {
        let data: Vec<u8> = (0..10).collect();
        let place = Cell::new(0);
        let call: Call = |data| {
            assert!(data.len() == 3 && data[0].is_multiple_of(3));
            0
        };
        for after in [3, 6, 9, 3] {
            walk(call, &data, 3, &place, 1);
            assert_eq!(place.get(), after);
        }
        walk(call, &data, 3, &place, 4);
        assert_eq!(place.get(), 6);
    }
}
