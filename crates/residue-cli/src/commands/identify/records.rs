//! Records of text that end in their value as hexadecimal digits: Intel HEX, Motorola's S-records,
//! NMEA 0183.

use residue_identify::{Sample, Samples};

/// The bytes of values that are tried, shortest first.
const BYTES: [usize; 3] = [1, 2, 4];

/// Returns samples of messages that are all text and end in digits of a value, for each length of
/// the value; white space behind it is left out.
pub(super) fn samples(messages: &[Vec<u8>]) -> Vec<Samples> {
    let text: Option<Vec<&[u8]>> = messages.iter().map(|message| record(message)).collect();
    let Some(text) = text else { return Vec::new() };
    BYTES.iter().filter_map(|&bytes| of(&text, bytes)).collect()
}

/// Returns the record in a message, if it is a line of text.
pub(super) fn record(message: &[u8]) -> Option<&[u8]> {
    let record = message.trim_ascii();
    let printable = record.iter().all(|&byte| byte == b' ' || byte.is_ascii_graphic());
    (printable && !record.is_empty()).then_some(record)
}

/// Returns samples with values of this many bytes, in twice as many digits.
fn of(text: &[&[u8]], bytes: usize) -> Option<Samples> {
    let one = |record: &&[u8]| {
        let (message, digits) = record.split_at_checked(record.len().checked_sub(2 * bytes)?)?;
        let value = digits.iter().fold(0, |value, &byte| value << 8 | u128::from(byte));
        Some(Sample { message: message.to_vec(), value })
    };
    let list = text.iter().map(one).collect::<Option<_>>()?;
    Samples::new(list, 16 * bytes as u32, true).ok()?.from_digits()
}
