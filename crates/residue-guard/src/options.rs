//! The options of a TCP header: parsing, adding and removing.

use std::ops::{Deref, Range};

/// End of the option list.
const END: u8 = 0;
/// No operation: padding.
const NOP: u8 = 1;
/// Maximum segment size (RFC 9293 section 3.7.1).
pub(crate) const MSS: u8 = 2;
/// Window scale (RFC 7323).
pub(crate) const WINDOW_SCALE: u8 = 3;
/// Selective acknowledgment (RFC 2018).
pub(crate) const SACK: u8 = 5;
/// Signatures over a segment: MD5 (RFC 2385), and TCP-AO, which covers the other options, too (RFC
/// 5925).
const SIGNATURES: [u8; 2] = [19, 29];
/// TCP Fast Open (RFC 7413).
pub(crate) const FAST_OPEN: u8 = 34;
/// The experiment identifier of Fast Open, after kind 254 (RFC 7413 appendix A).
const FAST_OPEN_EXPERIMENT: [u8; 2] = [0xf9, 0x89];
/// The kind of experiments (RFC 6994).
const EXPERIMENT: u8 = 254;

/// Largest number of bytes of options in a header.
pub(crate) const MOST: usize = 40;

/// The options of one header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    bytes: [u8; MOST],
    length: usize,
}

impl Deref for Options {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Returns the kind and the length of the first option; `None` at the end of the list, or if it is
/// malformed.
fn first(rest: &[u8]) -> Option<(u8, usize)> {
    match *rest {
        [] | [END, ..] => None,
        [NOP, ..] => Some((NOP, 1)),
        [kind, length, ..] if length >= 2 && usize::from(length) <= rest.len() => {
            Some((kind, usize::from(length)))
        }
        _ => None,
    }
}

/// Returns the kinds and ranges of the options, including NOPs.
pub fn each(options: &[u8]) -> impl Iterator<Item = (u8, Range<usize>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (kind, length) = first(options.get(at..)?)?;
        let place = at..at + length;
        at = place.end;
        Some((kind, place))
    })
}

/// Returns the only option of a kind; `None` if there are several, which is ambiguous.
pub fn find(options: &[u8], kind: u8) -> Option<Range<usize>> {
    let mut found = each(options).filter(|&(each, _)| each == kind).map(|(_, place)| place);
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

/// Returns the scale of the receive window, which has effect only if both SYNs have one.
pub(crate) fn window_scale(options: &[u8]) -> u8 {
    let place = find(options, WINDOW_SCALE).filter(|place| place.len() == 3);
    // RFC 7323 section 2.3: at most 14.
    place.and_then(|place| options.get(place.start + 2)).map_or(0, |&scale| scale.min(14))
}

/// Returns whether a signature is among the options.
pub(crate) fn is_signed(options: &[u8]) -> bool {
    each(options).any(|(kind, _)| SIGNATURES.contains(&kind))
}

/// Returns the length of an option with NOPs after it, a multiple of four.
const fn padded(length: usize) -> usize {
    length.next_multiple_of(4)
}

impl Options {
    const NONE: Options = Options { bytes: [NOP; MOST], length: 0 };

    /// Creates options from those of a header, at most 40 bytes.
    pub(crate) fn new(options: &[u8]) -> Options {
        let mut new = Options::NONE;
        new.push(options);
        new
    }

    /// Appends bytes; returns whether they fit. Otherwise nothing changes.
    fn push(&mut self, bytes: &[u8]) -> bool {
        let end = self.length + bytes.len();
        let fits = end <= MOST;
        if fits {
            self.bytes[self.length..end].copy_from_slice(bytes);
            self.length = end;
        }
        fits
    }

    /// Pads with NOPs to a multiple of four, which 40 is.
    fn pad(&mut self) {
        let end = padded(self.length);
        self.bytes[self.length..end].fill(NOP);
        self.length = end;
    }

    /// Returns `ours` followed by `options`, and how many blocks of selective acknowledgments were
    /// cut for it; `None` if the other options leave no room.
    ///
    /// `ours` comes first, as receivers ignore options after an end of the list. If 40 bytes are
    /// not enough, padding is cut, then blocks from the last on: senders put the newest first (RFC
    /// 2018 section 4), and acknowledge the others again.
    pub(crate) fn with(options: &[u8], ours: &[u8]) -> Option<(Options, u8)> {
        let mut new = Options::new(ours);
        new.pad();
        if new.push(options) {
            return Some((new, 0));
        }
        let needed: usize =
            each(options).filter(|&(kind, _)| kind != NOP).map(|(_, place)| place.len()).sum();
        let mut excess = (ours.len() + needed).saturating_sub(MOST);
        let mut cut = 0;
        let mut new = Options::new(ours);
        for (kind, place) in each(options).filter(|&(kind, _)| kind != NOP) {
            if kind != SACK || excess == 0 {
                new.push(&options[place]).then_some(())?;
                continue;
            }
            let blocks = (place.len() - 2) / 8;
            let goes = excess.div_ceil(8).min(blocks);
            excess = excess.saturating_sub(goes * 8);
            cut += goes as u8;
            if goes < blocks {
                let length = 2 + (blocks - goes) * 8;
                new.push(&[SACK, length as u8]).then_some(())?;
                new.push(&options[place.start + 2..place.start + length]).then_some(())?;
            }
        }
        new.pad();
        Some((new, cut))
    }

    /// Returns the options without the one at `place` and its padding.
    pub(crate) fn without(options: &[u8], place: &Range<usize>) -> Options {
        let mut new = Options::new(&options[..place.start]);
        let most = place.start + padded(place.len());
        let mut end = place.end;
        while end < most && options.get(end) == Some(&NOP) {
            end += 1;
        }
        new.push(&options[end..]);
        new.pad();
        new
    }

    /// Replaces requests for TCP Fast Open by NOPs; returns whether there was one.
    pub(crate) fn blank_fast_open(&mut self) -> bool {
        let mut any = false;
        let options = *self;
        for (kind, place) in each(&options) {
            let experiment = kind == EXPERIMENT
                && options[place.clone()].get(2..4) == Some(&FAST_OPEN_EXPERIMENT);
            if kind == FAST_OPEN || experiment {
                self.bytes[place].fill(NOP);
                any = true;
            }
        }
        any
    }

    /// Lowers the maximum segment size by `by`, and to `most` before that. A small one stays:
    /// Linux, too, accepts none below 48 (CVE-2019-11479).
    pub(crate) fn lower_mss(&mut self, by: u16, most: Option<u16>) {
        const LEAST: u16 = 48;
        let places = find(self, MSS).filter(|place| place.len() == 4);
        if let Some(Range { start, .. }) = places {
            let mss = u16::from_be_bytes([self.bytes[start + 2], self.bytes[start + 3]]);
            let lowered = mss.min(most.unwrap_or(u16::MAX)).saturating_sub(by).max(mss.min(LEAST));
            self.bytes[start + 2..start + 4].copy_from_slice(&lowered.to_be_bytes());
        }
    }
}
