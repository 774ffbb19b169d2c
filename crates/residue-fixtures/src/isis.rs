//! IS-IS: the checksum of link state PDUs, and the optional one of hellos.

use crate::Case;
use crate::clnp::{case, seal_octets};

/// Returns a level-2 link state PDU (ISO 10589 section 9.9), covered from its identifier, at byte
/// 12, on. The field is at byte 24.
#[must_use]
pub fn link_state() -> Vec<u8> {
    let header = [0x83, 27, 1, 0, 20, 1, 0, 0];
    let identifier = [0x19, 0x21, 0x68, 0, 0, 1, 0, 0];
    let fixed = [0, 0, 0, 5, 0, 0, 3];
    let values = [
        &[1, 4, 3, 0x49, 0, 1][..], // area address
        &[129, 1, 0xcc],            // protocols: IPv4
        &[132, 4, 192, 0, 2, 1],    // interface address
        &[137, 2, b'r', b'1'],      // host name
    ]
    .concat();
    let length = ((27 + values.len()) as u16).to_be_bytes();
    let covered = seal_octets([&identifier[..], &fixed, &values].concat(), 12);
    // Remaining lifetime: 1199 seconds. Not covered, as every router counts it down.
    [&header[..], &length, &[4, 0xaf], &covered].concat()
}

/// Returns a level-2 hello with the optional checksum (RFC 3358), whose octets are the last two.
/// Everything is covered.
#[must_use]
pub fn hello() -> Vec<u8> {
    let values = [&[1, 4, 3, 0x49, 0, 1][..], &[129, 1, 0xcc], &[12, 2, 0, 0]].concat();
    let length = ((27 + values.len()) as u16).to_be_bytes();
    let header = [0x83, 27, 1, 0, 16, 1, 0, 0, 3, 0x19, 0x21, 0x68, 0, 0, 1, 0, 30];
    let rest = [64, 0x19, 0x21, 0x68, 0, 0, 1, 1];
    let message = [&header[..], &length, &rest, &values].concat();
    let offset = message.len() - 2;
    seal_octets(message, offset)
}

/// Cases of IS-IS.
pub(crate) fn cases() -> Vec<Case> {
    let (lsp, hello) = (link_state(), hello());
    let last = hello.len() - 2;
    vec![
        case("isis-lsp", "IS-IS link state PDU", "isis.lsp", &lsp, &lsp, 24),
        case("isis-hello", "IS-IS hello with checksum", "isis.hello", &hello, &hello, last),
    ]
}
