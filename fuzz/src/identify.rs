//! Target `identify`.

use residue::Code;
use residue_identify::{Options, Sample, Samples, identify as search, locate};

/// The most messages, and the most bytes in each: a search of more takes seconds.
const MESSAGES: usize = 6;
const LONGEST: usize = 12;

/// Returns messages described by bytes: a length, and as many bytes, for each.
fn messages(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut messages = Vec::new();
    while let [length, rest @ ..] = bytes
        && messages.len() < MESSAGES
    {
        let length = usize::from(*length) % (LONGEST + 1);
        let (message, rest) = rest.split_at(length.min(rest.len()));
        messages.push(message.to_vec());
        bytes = rest;
    }
    messages
}

/// Messages with values of a named code, some of them changed, or with values of their own; and
/// messages that hold such values: every code that is found has the values, but those that the
/// report names as strangers.
pub fn identify(input: &[u8]) {
    let Some((&[kind, which, change], bytes)) = input.split_first_chunk::<3>() else { return };
    let names: Vec<&str> = Code::names().collect();
    let code: Code = names[usize::from(which) % names.len()].parse().expect("a name of the list");
    let messages = messages(bytes);
    if kind % 3 == 0 {
        return in_messages(&code, messages, change);
    }
    let bits = if kind % 3 == 1 { code.width() } else { 8 * u32::from(change % 8 + 1) };
    let most = u128::MAX >> (128 - bits);
    let valued = |message: Vec<u8>| {
        let value = match kind % 3 {
            1 => code.value(&message) ^ u128::from(change) & most,
            _ => message.iter().fold(0, |value, byte| value << 7 ^ u128::from(*byte)) & most,
        };
        Sample { message, value }
    };
    let list: Vec<Sample> = messages.into_iter().map(valued).collect();
    let Ok(samples) = Samples::new(list.clone(), bits, false) else { return };
    let options = Options { offset: 0, ..Options::default() };
    let report = search(&samples, &options).expect("samples that can be of a code");
    for hit in &report.hits {
        for (index, Sample { message, value }) in list.iter().enumerate() {
            let is_other = report.strangers.contains(&index);
            assert!(is_other || hit.field(message, bits) == Some(*value), "{hit:?} of {message:?}");
        }
    }
}

/// Searches in messages with their values of `code`, changed by exclusive or, at the end.
fn in_messages(code: &Code, mut messages: Vec<Vec<u8>>, change: u8) {
    let bytes = code.width().div_ceil(8) as usize;
    for message in &mut messages {
        let value = code.value(message) ^ u128::from(change);
        message.extend_from_slice(&value.to_be_bytes()[16 - bytes..]);
    }
    let Ok(located) = locate(&messages, false) else { return };
    for spot in &located.spots {
        for message in &messages {
            let held = spot.layout.sample(message).map(|sample| sample.value);
            assert_eq!(spot.expected(message), held, "{spot:?} of {message:?}");
        }
    }
}
