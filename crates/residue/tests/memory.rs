//! Kernels, copies and batches on memory that ends where the data end.
//!
//! Miri (`cargo xtask miri`) reports each access to other memory, and to memory that was not
//! written. Without it these are tests of values. They are short, as Miri takes minutes for them.

mod common;

use residue::{batch, copy};
use residue_testing::noise;

/// A code of each kind of kernels.
const CODES: [&str; 11] = [
    "internet",
    "xns",
    "fletcher-16",
    "fletcher-32",
    "adler-32",
    "crc-32/iscsi",
    "crc-32/iso-hdlc",
    "crc-64/nvme",
    "crc-64/ecma-182",
    "crc-16/arc",
    "crc-24/openpgp",
];

/// Lengths of words, vectors and steps, and others.
const LENGTHS: [usize; 15] = [0, 1, 3, 7, 8, 15, 16, 17, 33, 65, 129, 257, 513, 1100, 1600];

/// Returns data in memory of the same length.
fn exact(n: usize) -> Box<[u8]> {
    noise(n).into_boxed_slice()
}

#[test]
fn kernels_read_the_data_alone() {
    for code in CODES.map(common::code) {
        let kernels = common::kernels(&code);
        for n in LENGTHS {
            let data = exact(n);
            let expected = code.reference(&data);
            for kernel in kernels.iter().filter(|kernel| !common::slow(kernel.name)) {
                assert_eq!((kernel.value)(&data), expected, "{code} {} of {n} bytes", kernel.name);
            }
        }
    }
}

#[test]
fn copies_write_the_destination_alone() {
    for code in CODES.map(common::code) {
        for n in LENGTHS {
            let data = exact(n);
            let mut to = Box::<[u8]>::new_uninit_slice(n);
            assert_eq!(
                copy::code(&code, &data, &mut *to),
                code.value(&data),
                "{code} of {n} bytes"
            );
            // SAFETY: the copy has written all of it.
            assert!(unsafe { to.assume_init() } == data, "{code} of {n} bytes");
        }
    }
}

#[test]
fn batches_read_the_packets_alone() {
    let packets: Vec<Box<[u8]>> = (0..=40).chain([64, 90, 128, 300, 700]).map(exact).collect();
    let packets: Vec<&[u8]> = packets.iter().map(|packet| &**packet).collect();
    for name in ["internet", "adler-32", "crc-32/iscsi", "crc-64/nvme", "crc-16/arc"] {
        let code = common::code(name);
        let mut values = vec![0; packets.len()];
        assert_eq!(batch::each(&code, &packets[..], &mut values), Ok(()));
        let single: Vec<u128> = packets.iter().map(|packet| code.value(packet)).collect();
        assert_eq!(values, single, "{name}");
    }
}
