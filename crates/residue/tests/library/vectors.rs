//! The cited vectors: every kernel of every code, compared with every line of `vectors/`.

use crate::common::{self, hex, input, number, vectors};
use residue::fletcher::check_octets;
use residue::{Error, Partial, internet};

#[test]
fn every_kernel_gives_every_cited_value() {
    let mut checked = 0;
    for file in common::values() {
        for line in vectors(&file) {
            let [name, text, value, source] = line.as_slice() else { panic!("{file}: {line:?}") };
            let code = common::code(name);
            assert_eq!(code.name(), name);
            let (data, expected) = (input(text), number(value));
            assert_eq!(code.value(&data), expected, "{name} of {text} ({source})");
            for kernel in code.kernels() {
                match code.value_with(kernel.name, &data) {
                    Ok(value) => assert_eq!(value, expected, "{name} {kernel:?} {text} ({source})"),
                    Err(Error::UnsupportedKernel(_)) => assert!(!kernel.supported()),
                    Err(other) => panic!("{name} {}: {other}", kernel.name),
                }
                checked += 1;
            }
        }
    }
    assert!(checked > 3000, "only {checked} values were compared");
}

#[test]
fn every_catalogue_crc_has_a_vector() {
    let lines = vectors("values/crc.txt");
    for params in residue::crc::catalog::ALL {
        let check = lines.iter().find(|line| line[0] == params.name && line[1] == "text:123456789");
        assert_eq!(number(&check.unwrap_or_else(|| panic!("{}", params.name))[2]), params.check);
    }
}

#[test]
fn check_octets_as_cited() {
    for line in vectors("check_octets.txt") {
        let [name, text, offset, octets, source] = line.as_slice() else { panic!("{line:?}") };
        let (mut data, offset, expected) =
            (input(text), offset.parse().expect("offset"), hex(octets));
        let placed = match name.as_str() {
            "iso-8473" => check_octets::place(&mut data, offset).map(Vec::from),
            "four-octets" => check_octets::place_four(&mut data, offset).map(Vec::from),
            other => panic!("{other}"),
        };
        assert_eq!(placed, Some(expected), "{text} ({source})");
        let verify: fn(&[u8]) -> bool =
            if name == "iso-8473" { check_octets::verify } else { check_octets::verify_four };
        assert!(verify(&data), "{text} ({source})");
    }
}

#[test]
fn combined_values_as_cited() {
    for line in vectors("combine.txt") {
        let [name, first, second, length, combined, source] = line.as_slice() else {
            panic!("{line:?}")
        };
        let code = common::code(name);
        let (first, second, expected) = (number(first), number(second), number(combined));
        let length = length
            .strip_prefix("0x")
            .map_or_else(|| length.parse(), |hex| u64::from_str_radix(hex, 16));
        let length = length.unwrap_or_else(|e| panic!("{line:?}: {e}"));
        // The first part is whole words: the file has no others. Its length does not matter.
        let [first, second] = [(first, 4), (second, length)]
            .map(|(value, bytes)| Partial::new(&code, value, bytes).expect("a value"));
        let whole = first.concat(&second).expect("whole words");
        assert_eq!(whole.value(), expected, "{name} ({source})");
        assert_eq!(whole.remove_prefix(&first), Ok(second), "{name} ({source})");
        assert_eq!(whole.remove_suffix(&second), Ok(first), "{name} ({source})");
    }
}

#[test]
fn updates_as_cited() {
    for line in vectors("update.txt") {
        let [name, before, old, new, after, source] = line.as_slice() else { panic!("{line:?}") };
        assert_eq!(name, "internet");
        let [before, old, new] = [before, old, new].map(|text| number(text) as u16);
        assert_eq!(
            u128::from(internet::update(before, old, new)),
            number(after),
            "{line:?} ({source})"
        );
    }
}

#[test]
fn a_router_updates_the_xns_checksum_by_hops() {
    for (packet, after) in [
        (
            "61ae 0026 00 02 00000001 02608c000001 0002 00000002 02608c000002 \
             0bb8 0001 68656c6c6f21",
            0x63ae,
        ),
        (
            "6168 0025 00 02 00000001 02608c000001 0002 00000002 02608c000002 \
             0bb8 0001 68656c6c6f 00",
            0x6368,
        ),
    ] {
        let mut packet = hex(packet);
        let length = u16::from_be_bytes([packet[2], packet[3]]);
        let before = u16::from_be_bytes([packet[0], packet[1]]);
        assert_eq!(residue::xns::checksum(&packet[2..]), before);
        assert_eq!(residue::xns::update_hop(before, length), after);
        packet[4] += 1;
        assert_eq!(residue::xns::checksum(&packet[2..]), after);
    }
    assert_eq!(residue::xns::update_hop(0xffff, 38), 0xffff);
    for length in [0, 1, 2, 3, u16::MAX] {
        assert_ne!(residue::xns::update_hop(1, length), 0xffff);
    }
}
