//! TCP alternate checksums.

use crate::ip::{Ends, V4, seal};
use crate::tcp::Tcp;
use crate::{Case, DATA, Repair};
use residue::crc::{Crc, catalog};
use residue::crc32c;
use residue::fletcher::{rfc1146_8, rfc1146_16};
use residue_net::check::{Reason, Verdict};

/// CRC-32K with a last exclusive-or is not in the catalogue.
static CRC_32_MEF: Crc = Crc::new(&catalog::CRC_32_MEF);

/// Returns a SYN that asks for an alternate checksum (RFC 1146 kind 14), or its answer.
#[must_use]
pub fn syn(ends: Ends, ports: [u16; 2], answer: bool, value: u8) -> Vec<u8> {
    let options = [14, 3, value, 1];
    let (flags, numbers) = if answer { (0x12, [1, 1]) } else { (2, [0, 0]) };
    Tcp { ports, numbers, flags, options: &options, data: &[] }.segment(ends)
}

/// Returns a segment with the alternate checksum that `value` names: 1 and 2 of RFC 1146, 3 to 5 of
/// Sahu's thesis (2019, chapter 7), 6 as 5 with CRC-32K, 7 as 5 without pseudo-header and ports.
#[must_use]
pub fn segment(ends: Ends, value: u8, data: &[u8]) -> Vec<u8> {
    let options: &[u8] = match value {
        1 => &[],
        2 | 3 => &[15, 4, 0, 0],
        _ => &[15, 6, 0, 0, 0, 0, 1, 1],
    };
    let mut segment = Tcp { options, data, ..Tcp::default() }.unsealed();
    let covered = [&ends.pseudo_bytes(6, segment.len())[..], &segment].concat();
    let word = match value {
        1 => u32::from(rfc1146_8(&covered)) << 16,
        2 => rfc1146_16(&covered),
        3 | 5 => crc32c(&covered),
        4 => crc32c(data),
        7 => crc32c(&[&[0; 4][..], &segment[4..]].concat()),
        _ => !(CRC_32_MEF.checksum(&covered) as u32),
    };
    let [a, b, c, d] = word.to_be_bytes();
    if value <= 3 {
        segment[16..18].copy_from_slice(&[a, b]);
        if value > 1 {
            segment[22..24].copy_from_slice(&[c, d]);
        }
        return segment;
    }
    segment[22..26].copy_from_slice(&[a, b, c, d]);
    seal(segment, ends, 6, 16)
}

/// Cases of TCP alternate checksums.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases: Vec<_> = [
        ("tcp-alternate-1", "TCP alternate checksum 1, 8-bit Fletcher"),
        ("tcp-alternate-2", "TCP alternate checksum 2, 16-bit Fletcher"),
        ("tcp-alternate-3", "TCP alternate checksum 3, CRC-32C for the checksum"),
        ("tcp-alternate-4", "TCP alternate checksum 4, CRC-32C of the data"),
        ("tcp-alternate-5", "TCP alternate checksum 5, CRC-32C of all"),
        ("tcp-alternate-6", "TCP alternate checksum 6, CRC-32K of all"),
        ("tcp-alternate-7", "TCP alternate checksum 7, CRC-32C of what a NAT leaves as it is"),
    ]
    .into_iter()
    .zip(1..)
    .map(|((name, title), value)| agreed(name, title, value))
    .collect();
    cases.push(unseen());
    cases
}

/// Returns a connection that agrees upon the value, then a segment; the bad one has a changed check
/// value.
fn agreed(name: &'static str, title: &'static str, value: u8) -> Case {
    let syns = [
        V4.frame(6, &syn(V4, [1234, 80], false, value)),
        V4.turned().frame(6, &syn(V4.turned(), [80, 1234], true, value)),
    ];
    let segment = segment(V4, value, DATA);
    let field = if value <= 3 { 16..18 } else { 22..26 };
    let frame = V4.frame(6, &segment);
    let case = Case::spoiled(name, title, "tcp.alternate", frame, &segment, field);
    // The ordinary checksum covers the option.
    let case = if value >= 4 { case.also("tcp", Verdict::Bad) } else { case };
    case.after(&syns)
}

/// Returns a segment of a connection whose SYNs were not captured. Right values explain themselves,
/// wrong ones do not.
fn unseen() -> Case {
    let segment = segment(V4, 5, DATA);
    let case = Case::spoiled(
        "tcp-alternate-unseen",
        "TCP alternate checksum, agreed upon before",
        "tcp.alternate",
        V4.frame(6, &segment),
        &segment,
        22..26,
    );
    case.verdict(Verdict::Unverifiable(Reason::Agreement), Repair::Differs)
        .also("tcp", Verdict::Bad)
}
