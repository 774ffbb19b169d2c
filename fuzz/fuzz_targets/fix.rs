//! The program of the target `fix`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::fix(input));
