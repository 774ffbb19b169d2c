//! The program of the target `guard`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::guard(input));
