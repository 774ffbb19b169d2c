//! The program of the target `verify`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::verify(input));
