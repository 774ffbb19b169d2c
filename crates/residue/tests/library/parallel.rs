//! Data spread over threads has the value of one thread.

use crate::common;
use proptest::prelude::*;
use residue::parallel::{self, PART};
use residue::{Code, Stream};
use residue_testing::noise;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const MOST: usize = 5 * PART as usize + 77;
const SPLIT: usize = 2 * PART as usize;

/// Random bytes shared by the tests.
static NOISE: LazyLock<Vec<u8>> = LazyLock::new(|| noise(MOST));

/// Returns a pool with several threads, even on a machine with one core.
fn pool() -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("threads")
}

/// Returns codes that are fast enough for megabytes, with every way to combine.
fn codes() -> Vec<Code> {
    Code::all().filter(|code| code.width() <= 64).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_data_from_anywhere(
        code in prop::sample::select(codes()),
        from in 0usize..200,
        length in prop_oneof![
            0..MOST - 200,
            (1usize..5).prop_map(|n| n * PART as usize),
            SPLIT - 20..SPLIT + 20
        ],
        before in 0usize..200,
        after in 0usize..100,
    ) {
        let noise = &NOISE[..];
        let data = &noise[from..from + length];
        pool().install(|| {
            prop_assert_eq!(parallel::value(&code, data), code.value(data));
            // A stream that already has data, and continues.
            let (mut stream, mut expected) = (code.stream(), code.stream());
            stream.update(&noise[..before]);
            parallel::update(&mut stream, data);
            stream.update(&noise[..after]);
            expected.update_scattered(&[&noise[..before], data, &noise[..after]]);
            prop_assert_eq!(stream.value(), expected.value());
            prop_assert_eq!(stream.bytes(), (before + length + after) as u64);
            Ok(())
        })?;
    }
}

#[test]
fn every_code() {
    // Wide CRCs run bit by bit, so this is the least data that is split.
    let data = &NOISE[..SPLIT + 1];
    pool().install(|| {
        for code in Code::all() {
            assert_eq!(parallel::value(&code, data), code.value(data), "{code}");
        }
    });
}

#[test]
fn data_without_bits() {
    // On all-zero and all-one data, one's-complement sums have two zeros.
    pool().install(|| {
        for fill in [0, 0xff] {
            let data = vec![fill; 3 * PART as usize];
            for code in codes() {
                assert_eq!(parallel::value(&code, &data), code.value(&data), "{code} {fill}");
            }
        }
    });
}

#[test]
fn streams_that_are_out_of_step() {
    let data = &NOISE[..2 * SPLIT + 5];
    let code = common::code("fletcher-32");
    let mut streams = [code.stream(), code.stream()];
    streams[1].update(b"1");
    let asked = AtomicUsize::new(0);
    let done = pool().install(|| {
        parallel::ranges(
            &mut streams,
            0..data.len() as u64,
            &|streams: &mut [Stream<'_>], range| {
                asked.fetch_add((range.end - range.start) as usize, Relaxed);
                let part = &data[range.start as usize..range.end as usize];
                streams.iter_mut().for_each(|stream| stream.update(part));
                Ok::<_, ()>(())
            },
        )
    });
    assert_eq!(done, Ok(()));
    assert!(asked.into_inner() > data.len());
    assert_eq!(streams[0].value(), code.value(data));
    assert_eq!(streams[1].value(), code.value(&[b"1", data].concat()));
}

#[test]
fn the_first_error_is_told() {
    let code = common::code("crc32c");
    let mut streams = [code.stream()];
    let end = 64 * PART;
    let done = pool().install(|| {
        parallel::ranges(&mut streams, 0..end, &|_: &mut [Stream<'_>], range| {
            if range.start < end / 2 { Ok(()) } else { Err(range.start) }
        })
    });
    // The middle, as near to it as parts start.
    assert_eq!(done, Err(end / 2));
}
