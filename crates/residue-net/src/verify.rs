//! Verification of the packets of a capture.

mod plain;
mod threads;
mod totals;
mod verifier;

pub use crate::buffer::{Buffer, Finding, Origin, Places};
pub use totals::{AnyReader, Read};
pub use verifier::Verifier;

use crate::Error;
use crate::pcap::Reader;
use crate::select::Selection;
use crate::summary::Summary;
use std::io;
use std::num::NonZero;
use totals::Totals;

/// Verifies a capture to its end, or up to an error; passes its packets and reassembled units to
/// `each`.
///
/// # Errors
///
/// If the capture cannot be read at all. An error after the header is part of the result.
pub fn capture(input: impl io::Read, each: impl FnMut(&Buffer<'_>)) -> Result<Read, Error> {
    Ok(packets(Reader::new(input)?, each))
}

/// Verifies the remaining packets of a reader, as [`capture`].
pub fn packets<R: io::Read>(mut reader: Reader<R>, mut each: impl FnMut(&Buffer<'_>)) -> Read {
    let mut verifier = Verifier::new();
    let (mut totals, mut error) = (Totals::default(), None);
    loop {
        match reader.next() {
            Ok(Some(packet)) => {
                totals.add(&packet);
                verifier.packet(&packet, &mut each);
            }
            Ok(None) => break,
            Err(found) => {
                error = Some(found);
                break;
            }
        }
    }
    verifier.finish(&mut each);
    totals.read(&reader, None, error)
}

/// Verifies the remaining packets of a reader on this many threads, and counts all findings in
/// `summary`, with the results of one thread. Passes to `each`, in order, all packets and
/// reassembled units with a value that is wrong or offloaded, and perhaps others.
///
/// The types are not generic, so that all of it is optimised as this crate is.
pub fn counted(
    reader: AnyReader<'_>,
    threads: NonZero<usize>,
    summary: &mut Summary,
    each: &mut dyn FnMut(&Buffer<'_>),
) -> Read {
    if threads.get() > 1 {
        return threads::run(reader, threads.get(), Some(summary), each);
    }
    packets(reader, |buffer| {
        summary.buffer(buffer);
        each(buffer);
    })
}

/// Verifies the remaining packets of a reader on this many threads. Passes to `each`, in order, all
/// packets and reassembled units with a value that is wrong or offloaded, and perhaps others.
pub fn wrong(
    reader: AnyReader<'_>,
    threads: NonZero<usize>,
    each: &mut dyn FnMut(&Buffer<'_>),
) -> Read {
    match threads.get() {
        1 => packets(reader, each),
        threads => threads::run(reader, threads, None, each),
    }
}

/// Verifies the remaining packets of a reader; passes only selected ones to `each`, and units that
/// belong to them.
pub fn selected<R: io::Read>(
    mut reader: Reader<R>,
    selection: &mut Selection,
    mut each: impl FnMut(&Buffer<'_>),
) -> Read {
    if selection.is_all() {
        return packets(reader, each);
    }
    let mut verifier = Verifier::new();
    let (mut totals, mut error) = (Totals::default(), None);
    loop {
        match reader.next() {
            Ok(Some(packet)) => {
                totals.add(&packet);
                verifier.select(&packet, selection, &mut each);
            }
            Ok(None) => break,
            Err(found) => {
                error = Some(found);
                break;
            }
        }
    }
    verifier.finish_selected(selection, each);
    totals.read(&reader, Some(selection.selected()), error)
}
