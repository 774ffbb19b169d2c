//! The program of the target `pcap_reader`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::pcap_reader(input));
