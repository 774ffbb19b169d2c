//! Any file: packets lie where they say, an error is the last thing, and how the file is read makes no difference.

#![no_main]

use libfuzzer_sys::fuzz_target;
use residue_net::Error;
use residue_net::pcap::Reader;
use residue_net::pcap::compressed::Compression;
use std::io::{self, Read};

/// Small compressed files can hold endless packets.
const MOST: u64 = 10_000;

/// Gives a few bytes at once.
struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(7);
        self.0.read(&mut buffer[..length])
    }
}

fuzz_target!(|file: &[u8]| {
    let plain = Compression::of_start(file).is_none();
    let (mut whole, mut slow) = match (Reader::new(file), Reader::new(Slow(file))) {
        (Ok(whole), Ok(slow)) => (whole, slow),
        (one, other) => return assert_eq!(error(one), error(other)),
    };
    for number in 1..MOST {
        match (whole.next(), slow.next()) {
            (Ok(Some(one)), Ok(Some(other))) => {
                assert_eq!(one.number, number);
                assert_eq!(format!("{one:?}"), format!("{other:?}"));
                if plain {
                    let offset = one.offset as usize;
                    assert_eq!(&file[offset..offset + one.bytes.len()], one.bytes);
                }
            }
            (Ok(None), Ok(None)) => return,
            (one, other) => {
                assert_eq!(error(one), error(other));
                return assert!(matches!(whole.next(), Ok(None)));
            }
        }
    }
});

fn error<T>(result: Result<T, Error>) -> Option<String> {
    result.err().map(|error| error.to_string())
}
