//! The program of the target `nat`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::nat(input));
