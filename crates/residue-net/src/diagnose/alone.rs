//! Explanations of a check value by its packet alone.

use super::contradiction::{self, Contradictions};
use super::{Bit, Cause, CauseKind, decrypted, flipped_bit, lengthened, repeated};
use crate::buffer::Finding;
use crate::check::{Check, Piece, Rule, Span};

/// Explanations of one kind: how many fit by chance on average, and the one that fits.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// The kind of cause.
    pub kind: CauseKind,
    /// Average number of fits if the stored value is random.
    pub expected: f64,
    /// The cause that fits.
    pub fits: Option<Cause>,
}

/// Returns all tests of a bad value by its packet alone, those that others prevail over last.
/// `contradictions` are those of its packet.
pub fn tests(finding: &Finding<'_>, contradictions: Option<Contradictions>) -> Vec<Test> {
    let (Some(stored), Some(computed)) = (finding.stored(), finding.computed()) else {
        return Vec::new();
    };
    let rule = finding.check.rule;
    let one = 1.0 / values(rule);
    let mut tests = Vec::with_capacity(13);
    let mut test = |kind, tried: f64, fits| tests.push(Test { kind, expected: tried * one, fits });
    if rule.is_internet() && computed == 0xffff {
        test(CauseKind::NegativeZero, 1.0, (stored == 0).then_some(Cause::NegativeZero));
    } else {
        test(CauseKind::Zeroed, 1.0, (stored == 0).then_some(Cause::Zeroed));
    }
    if rule.is_internet() {
        let is_sum = stored == computed ^ 0xffff;
        test(CauseKind::NotComplemented, 1.0, is_sum.then_some(Cause::NotComplemented));
    }
    let (tried, is_filled) = filled(finding);
    test(CauseKind::Filled, tried, is_filled.then_some(Cause::Filled));
    let is_swapped = stored == swapped(rule, computed);
    test(CauseKind::ByteSwapped, 1.0, is_swapped.then_some(Cause::ByteSwapped));
    if let Some(value) = for_header_destination(finding) {
        let fits = (value == stored).then_some(Cause::OtherDestination);
        test(CauseKind::OtherDestination, 1.0, fits);
    }
    if let Some(value) = without_pseudo_header(finding) {
        let fits = (value == stored).then_some(Cause::NoPseudoHeader);
        test(CauseKind::NoPseudoHeader, 1.0, fits);
    }
    let (covered, length) = other_length(finding, stored);
    let (counted, count) = lengthened::of(finding, stored);
    let length = length.or(count).map(Cause::OtherLength);
    test(CauseKind::OtherLength, covered + counted, length);
    let (tried, bit) = flipped_bit(finding, stored, computed);
    test(CauseKind::FlippedBit, tried, bit.map(Cause::FlippedBit));
    if matches!(rule, Rule::Internet | Rule::InternetNeverZero | Rule::Cdp) {
        test(CauseKind::ChangedByte, CHANGED_BYTES, changed_byte(stored, computed));
    }
    let (tried, is_repeated) = repeated::of(finding, stored);
    test(CauseKind::Repeated, tried, is_repeated.then_some(Cause::Repeated));
    if let Some(is_plain) = decrypted::of(finding) {
        let fits = is_plain.then_some(Cause::Decrypted);
        let expected = decrypted::AMONG_ENCRYPTED;
        tests.push(Test { kind: CauseKind::Decrypted, expected, fits });
    }
    if let Some(contradictions) = contradictions {
        let fits = contradictions.any_except(Contradictions::default());
        let fits = fits.then_some(Cause::Contradiction);
        let expected = contradiction::AMONG_GOOD;
        tests.push(Test { kind: CauseKind::Contradiction, expected, fits });
    }
    tests
}

/// Returns the number of values of a rule.
pub fn values(rule: Rule) -> f64 {
    match rule {
        Rule::Internet | Rule::InternetNeverZero | Rule::Cdp | Rule::Xns => 65535.0,
        Rule::CheckOctets | Rule::Fletcher8 => 255.0 * 255.0,
        Rule::Dnp3 => 65536.0,
        Rule::Fletcher16 => 65535.0 * 65535.0,
        Rule::Adler32 => 65521.0 * 65521.0,
        Rule::Crc32c | Rule::Crc32cBig | Rule::Crc32kBig | Rule::Crc32 | Rule::Stun => {
            4_294_967_296.0
        }
    }
}

fn swapped(rule: Rule, value: u64) -> u64 {
    let (bytes, length) = rule.write(value);
    let mut field = bytes;
    field[..length].reverse();
    rule.read(&field[..length])
}

/// Returns the flipped bit that explains the value, and the number of values that one would.
fn flipped_bit(finding: &Finding<'_>, stored: u64, computed: u64) -> (f64, Option<Bit>) {
    let tried = match finding.check.rule {
        // Each of 16 weights, more or less.
        Rule::Internet | Rule::InternetNeverZero | Rule::Cdp | Rule::Xns => 32,
        Rule::CheckOctets | Rule::Fletcher8 | Rule::Fletcher16 | Rule::Adler32 => 0,
        rule => (finding.cover().iter().map(Piece::len).sum::<u32>() + rule.width()) * 8,
    };
    (f64::from(tried), flipped_bit::find(finding, stored, computed))
}

/// Number of differences that one changed byte makes: 255 upwards and downwards, for both halves of
/// a word.
const CHANGED_BYTES: f64 = 1020.0;

/// Returns the changed byte that explains the value.
fn changed_byte(stored: u64, computed: u64) -> Option<Cause> {
    let up = (stored + 65535 - computed % 65535) % 65535;
    let is_of = |unit: u64| {
        [up, 65535 - up].into_iter().any(|it| it > 0 && it.is_multiple_of(unit) && it / unit < 256)
    };
    let high = !is_of(1);
    (!high || is_of(256)).then_some(Cause::ChangedByte { high })
}

/// Computes the value of the check over other pieces.
fn with_pieces(check: &Check, buffer: &[u8], pieces: &[Piece]) -> Option<u64> {
    check.rule.compute(buffer, pieces, &check.field)
}

/// Computes the value with the addresses of the header, if the pseudo-header has others.
fn for_header_destination(finding: &Finding<'_>) -> Option<u64> {
    let check = finding.check;
    let cover = finding.cover();
    let pseudo = cover.get(..usize::from(check.pseudo))?;
    let [source, destination] = check.addresses;
    if destination.is_empty() || pseudo.is_empty() {
        return None;
    }
    let usual = Piece::Bytes(Span { start: source.start, end: destination.end });
    if pseudo[0] == usual {
        return None;
    }
    let rest = pseudo.iter().filter(|piece| matches!(piece, Piece::PseudoHeader(_)));
    let mut pieces = vec![Piece::Bytes(source), Piece::Bytes(destination)];
    pieces.extend(rest);
    pieces.extend_from_slice(&cover[pseudo.len()..]);
    with_pieces(check, finding.buffer.bytes, &pieces)
}

/// Computes the value without the pseudo-header, if there is one.
fn without_pseudo_header(finding: &Finding<'_>) -> Option<u64> {
    let check = finding.check;
    let rest = finding.cover().get(usize::from(check.pseudo)..)?;
    (check.pseudo > 0).then(|| with_pieces(check, finding.buffer.bytes, rest))?
}

/// Returns the number of values that a filler would leave, and whether the field has one: one byte
/// in all of the field, and the same in as many bytes before or behind it.
fn filled(finding: &Finding<'_>) -> (f64, bool) {
    let [field, rest] = finding.check.field;
    let bytes = finding.buffer.bytes;
    let Some(stored) = field.of(bytes).filter(|_| rest.is_empty()) else { return (0.0, false) };
    let around = [
        Span { start: field.start.saturating_sub(field.len()), end: field.start },
        Span::at(field.end, field.len()),
    ];
    let is_filler = |span: &Span| {
        let found = span.of(bytes);
        found.is_some_and(|found| found.len() == stored.len() && is_constant(found))
    };
    let tried = around.iter().filter(|span| is_filler(span)).count();
    let is_filled = |span: Span| is_filler(&span) && span.of(bytes) == Some(stored);
    (tried as f64, around.into_iter().any(is_filled))
}

fn is_constant(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| Some(byte) == bytes.first())
}

/// Largest number of bytes after a shorter coverage to test: padding of a short frame, and a frame
/// check sequence. Without the limit, a packet of a thousand checks would take a thousand times its
/// length.
const BEHIND: u32 = 64;

/// Returns the number of other lengths tested, and that for which the stored value would be right.
fn other_length(finding: &Finding<'_>, stored: u64) -> (f64, Option<u32>) {
    let check = finding.check;
    let cover = finding.cover();
    let Some(&Piece::Bytes(last)) = cover.last() else { return (0.0, None) };
    let Ok(end) = u32::try_from(finding.buffer.bytes.len()) else { return (0.0, None) };
    let fields_end = check.field.iter().map(|span| span.end).max().unwrap_or_default();
    // With all that follows; with that except a frame check sequence; without an odd last byte;
    // without four bytes that look like a frame check sequence.
    let mut ends =
        vec![end, end.saturating_sub(4), last.end - last.len() % 2, last.end.saturating_sub(4)];
    ends.retain(|&end| {
        end != last.end
            && end > last.start
            && end >= fields_end
            && end.saturating_sub(last.end) <= last.len().max(BEHIND)
    });
    // With all that the IP header counts.
    if check.pseudo > 0
        && let Some(payload) = contradiction::payload_end(finding)
        && payload > last.end
        && payload <= end
        && !ends.contains(&payload)
    {
        ends.push(payload);
    }
    let has_length = cover.iter().any(|piece| matches!(piece, Piece::PseudoHeader(_)));
    let tried = ends.len() * if has_length { 2 } else { 1 };
    let found = ends.into_iter().find_map(|end| {
        let mut pieces = cover.to_vec();
        *pieces.last_mut()? = Piece::Bytes(Span { start: last.start, end });
        let same_pseudo = with_pieces(check, finding.buffer.bytes, &pieces);
        let length = end - last.start;
        for piece in &mut pieces {
            if let Piece::PseudoHeader(header) = piece {
                *header = header.with_length(length);
            }
        }
        let other_pseudo = with_pieces(check, finding.buffer.bytes, &pieces);
        // Zeros do not change a sum: in that case the length explains nothing.
        [same_pseudo, other_pseudo].contains(&Some(stored)).then_some(length)
    });
    (tried as f64, found)
}
