//! The program of the target `kernels`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::kernels(input));
