//! Cisco Discovery Protocol.

use crate::ip::store;
use crate::{Case, ethernet};
use residue::internet::Checksum;

/// Returns what LLC carries of CDP: SNAP with Cisco's number, then the message, whose device has
/// this name. The checksum is at byte 2 of the message, byte 10 of all. An odd last byte is a
/// word's lower half; Cisco's routers add it as a signed number, and lose one when it is negative.
#[must_use]
pub fn message(name: &[u8]) -> Vec<u8> {
    let length = (4 + name.len() as u16).to_be_bytes();
    let mut message = [&[2, 180, 0, 0, 0, 1][..], &length, name].concat();
    let (words, odd) = message.as_chunks::<2>();
    let mut sum = Checksum::new();
    sum.update(words.as_flattened());
    if let &[last] = odd {
        let word = if last < 0x80 { u16::from(last) } else { 0xff00 + u16::from(last) - 1 };
        sum.update(&word.to_be_bytes());
    }
    let value = sum.value();
    store(&mut message, 2, value);
    [&[0xaa, 0xaa, 3, 0, 0, 0x0c, 0x20, 0][..], &message].concat()
}

/// Cases of CDP.
pub(crate) fn cases() -> Vec<Case> {
    let case = |name, title, device: &[u8]| {
        let message = message(device);
        Case::spoiled(name, title, "cdp", ethernet::ieee_802_3(&message), &message, 10..12)
    };
    vec![
        case("cdp", "CDP", b"router"),
        case("cdp-odd", "CDP, odd length", b"routers"),
        case("cdp-odd-negative", "CDP, odd length, last byte above 7F", b"routes\xe9"),
    ]
}
