//! The program of the target `text`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::text(input));
