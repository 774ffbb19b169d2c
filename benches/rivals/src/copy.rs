//! A copy and the check value of what was copied: `residue::copy` against a copy and then a call,
//! of the library and of its rivals; and the copy alone.

use crate::contender::{APART, Contender, Copied, MEMCPY};
use crate::model::Mode;
use crate::race::{Race, Runner};
use residue_bench::data::Buffer;
use residue_bench::harness::{Timed, ticks};
use std::cell::RefCell;
use std::hint::black_box;

/// Races copies of one code and size; `data` has a page of bytes more.
///
/// # Errors
/// Returns an error if `residue` gives a wrong answer, or a wrong copy.
pub fn race<'a>(
    group: &[Contender],
    size: usize,
    data: &'a [u8],
    destination: &'a RefCell<Buffer>,
) -> Result<Race<'a>, String> {
    let (data, mut runners) = (&data[..size + PAGE], Vec::new());
    for contender in group.iter().filter(|contender| Mode::Copy.suits(contender, size)) {
        let call = contender.call;
        // The source is read again: a copy past the caches may leave its destination in memory.
        let apart = move |from: &[u8], to: &mut [u8]| {
            to.copy_from_slice(from);
            black_box(&mut *to);
            call(from)
        };
        let Some(copied) = contender.copied else {
            runners.push(Runner::new(contender, contender.name, timed(apart, data, destination)));
            continue;
        };
        check(contender, copied, &data[..size], destination)?;
        let plain = |from: &[u8], to: &mut [u8]| {
            to.copy_from_slice(from);
            0
        };
        runners.push(Runner::new(contender, contender.name, timed(copied, data, destination)));
        runners.push(Runner::new(contender, APART, timed(apart, data, destination)));
        runners.push(Runner::new(contender, MEMCPY, timed(plain, data, destination)));
    }
    Ok(Race::new(group, Mode::Copy, size, runners))
}

/// Compares the value with that of a call, which was checked before; and the copy.
fn check(
    contender: &Contender,
    copied: Copied,
    from: &[u8],
    destination: &RefCell<Buffer>,
) -> Result<(), String> {
    let mut destination = destination.borrow_mut();
    let to = opposite(&mut destination, from);
    to.fill(0);
    let (answer, expected) = (copied(from, to), (contender.call)(from));
    if answer == expected && to == from {
        return Ok(());
    }
    let same = if to == from { "the same" } else { "other" };
    let (code, size) = (contender.code, from.len());
    Err(format!(
        "copying {size} bytes of {code} gives {same} bytes and {answer:x}, not {expected:x}"
    ))
}

/// The bytes of a page, within which copies move from call to call.
pub const PAGE: usize = 4096;

/// The room that a destination has besides the bytes that are copied.
pub const ROOM: usize = 2 * PAGE;

/// Returns room for a copy of `from`, half a page after the place of `from` in its page.
///
/// With equal places, a load seems to wait for the store of a copy just before, as CPUs compare
/// only the lowest twelve bits of addresses at first. A copy of 64 bytes then takes three times as
/// long, or not, as the memory happens to be laid out.
fn opposite<'a>(destination: &'a mut Buffer, from: &[u8]) -> &'a mut [u8] {
    let room = destination.slice(0, from.len() + PAGE);
    let opposite = from.as_ptr() as usize + PAGE / 2;
    let offset = opposite.wrapping_sub(room.as_ptr() as usize) % PAGE;
    &mut room[offset..offset + from.len()]
}

/// Times copies of all bytes of `data` but a page, from each cache line of a page on in turn.
///
/// Where the destination crosses the end of a page, as it does at an eighth of all places, a copy
/// of 550 bytes takes 1.4 to 1.9 times as long (Emerald Rapids, 2026-11-30): at one place alone,
/// chance would decide what is measured.
fn timed<'a>(
    copied: impl Fn(&[u8], &mut [u8]) -> u64 + Copy + 'a,
    data: &'a [u8],
    destination: &'a RefCell<Buffer>,
) -> Timed<'a> {
    Box::new(move |count, _| {
        let copied = black_box(copied);
        let mut destination = destination.borrow_mut();
        let to = opposite(&mut destination, data);
        let (size, mut value) = (data.len() - PAGE, 0);
        let ticks = ticks(count, |i| {
            let at = 64 * i % PAGE;
            value ^= copied(black_box(&data[at..at + size]), &mut to[at..at + size]);
            black_box(&mut *to);
        });
        black_box(value);
        ticks
    })
}
