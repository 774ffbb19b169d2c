//! The program of the target `identify`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::identify(input));
