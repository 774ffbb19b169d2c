//! The program of the target `walk`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::walk(input));
