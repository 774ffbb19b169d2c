//! Copy and check in one pass: the bytes arrive, the value is the code's, and the bytes around the
//! destination are unchanged.

use crate::common;
use residue::Code;
use residue::copy::{self, Destination};
use residue::cpu::{self, Features};
use residue::internals::{self, Family, Kernel, ValueEncoding, Visitor};
use residue_testing::noise;
use std::mem::MaybeUninit;

/// Copies between all kinds of offsets, with bytes before and after the destination that must not
/// change.
fn check(code: &Code, from: &[u8], offset: usize) {
    const GUARD: u8 = 0xa5;
    let n = from.len();
    let mut memory = vec![GUARD; n + 128];
    let value = copy::code(code, from, &mut memory[offset..offset + n]);
    assert_eq!(value, code.value(from), "{code} of {n} bytes to offset {offset}");
    assert!(memory[offset..offset + n] == *from, "{code}: {n} bytes to offset {offset}");
    let around = memory[..offset].iter().chain(&memory[offset + n..]);
    assert!(around.copied().all(|byte| byte == GUARD), "{code}: {n} bytes to offset {offset}");
}

fn codes() -> Vec<Code> {
    common::sums_and(&[
        "crc-32/iscsi",
        "crc-32/iso-hdlc",
        "crc-64/nvme",
        "crc-16/arc",
        "crc-32/bzip2",
        "crc-64/xz",
        "crc-82/darc",
    ])
}

#[test]
fn every_length_arrives() {
    let data = noise(3000);
    for code in codes() {
        let step = if common::emulated() { 13 } else { 3 };
        for n in (0..=80).chain((81..2300).step_by(step)) {
            check(&code, &data[n % 64..n % 64 + n], n % 61);
        }
    }
}

#[test]
fn every_alignment_and_block_boundary_arrives() {
    const BLOCK: usize = 128 << 10;
    let data = noise(2 * BLOCK + 64);
    for code in codes() {
        for offset in common::thinned(0..64, 9) {
            check(&code, &data[63 - offset..][..1500], offset);
            check(&code, &data[offset..][..1024], 7);
        }
        for n in [4096, 8193, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 1] {
            check(&code, &data[1..=n], 3);
        }
    }
}

#[test]
fn typed_functions_agree() {
    let data = noise(2049);
    macro_rules! check {
        ($($copy:ident: $value:expr;)*) => {$(
            assert_eq!(copy::$copy(&data, &mut [0; 2049]), $value(&data), stringify!($copy));
        )*};
    }
    check! {
        crc32c: residue::crc32c;
        crc32: residue::crc32;
        crc64_nvme: residue::crc64_nvme;
        internet: residue::internet::checksum;
        adler32: residue::adler32;
        fletcher16: residue::fletcher16;
        fletcher32: residue::fletcher32;
        xns: residue::xns::checksum;
    }
}

#[test]
fn uninitialised_memory_is_a_destination() {
    fn takes(_: &(impl Destination + ?Sized)) {}
    let data = noise(5000);
    let mut memory = vec![MaybeUninit::uninit(); data.len()];
    takes(memory.as_slice());
    assert_eq!(copy::crc32c(&data, memory.as_mut_slice()), residue::crc32c(&data));
}

#[test]
#[should_panic(expected = "5 bytes are copied to 4")]
fn lengths_must_be_equal() {
    copy::crc32c(b"12345", &mut [0; 4]);
}

/// Runs the copying body of every kernel of the codes it visits, and counts the copies.
struct Copies<'a> {
    data: &'a [u8],
    count: usize,
}

impl Visitor for Copies<'_> {
    fn table<F: Family<Value: Into<u128>>>(
        &mut self,
        kernels: &'static [Kernel<F>],
        context: impl FnOnce() -> F::Context,
        _: ValueEncoding,
    ) {
        let context = context();
        let plain = kernels.last().and_then(Kernel::force).expect("it runs on any CPU");
        let from = F::COPIES_FROM;
        let lengths = (from..from + 300).chain([1023, 1024, 2047, 4095, 9001, 16_411, 70_000]);
        for (name, forced) in common::forced(kernels) {
            // Too few bytes, and too few places.
            for (given, places) in [(from - 1, from - 1), (from + 1, from)] {
                let (state, data) = (F::start(&context), &self.data[..given]);
                assert!(
                    forced.copy(&context, state, data, &mut vec![0; places]).is_none(),
                    "{name}"
                );
            }
            for (i, length) in lengths.clone().enumerate() {
                let from = &self.data[i * 5 % 64..][..length];
                let state = plain.run(&context, F::start(&context), &self.data[..i % 40]);
                // No byte is right before it is copied, but for those that no kernel has to copy.
                let at = 1 + i * 11 % 64;
                let mut memory = vec![0xa5; at];
                memory.extend(from[..length - 8].iter().map(|byte| !byte));
                memory.extend(&from[length - 8..]);
                memory.extend([0x5a; 64]);
                let to = &mut memory[at..at + length];
                let Some(copied) = forced.copy(&context, state, from, to) else {
                    break;
                };
                self.count += 1;
                // States of sums may differ where the values are equal.
                let value = |state| F::finish(&context, state);
                let expected = value(plain.run(&context, state, from));
                assert_eq!(value(copied), expected, "{name}, {length}");
                assert!(memory[at..at + length] == *from, "{name}, {length} from {i}");
                let (before, after) = (&memory[..at], &memory[at + length..]);
                assert!(before.iter().all(|&byte| byte == 0xa5), "{name}, {length}");
                assert!(after.iter().all(|&byte| byte == 0x5a), "{name}, {length}");
            }
        }
    }
}

#[test]
fn every_kernel_copies_all_bytes_and_no_others() {
    let data = noise(70_100);
    let mut copies = Copies { data: &data, count: 0 };
    codes().iter().for_each(|code| internals::visit(code, &mut copies));
    // Not every code has a kernel that copies on every tier.
    assert!(copies.count > 0 || cpu::features() == Features::NONE);
}
