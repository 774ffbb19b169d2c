//! Sklower's two tests (*Improving the Efficiency of the ISO Checksum Calculation*, 1989, section
//! 4): one huge packet, and a mix of small and large ones, both handed over in segments as 4.3BSD's
//! mbufs are.
//!
//! His packets came from a trace that is lost. The mix here follows its description: three of four
//! packets are single terminal characters and acknowledgements, the fourth is file transfer or
//! mail; a mail gateway has as many large as small. Segments are of mbuf sizes, and may start at
//! odd addresses and end at odd offsets.

mod report;

use residue::Code;
use residue::internals::{self, Family, Forced, Internet, Kernel};
use residue_bench::Error;
use residue_bench::clock::now;
use serde::Serialize;
use std::hint::black_box;

pub use report::{Published, published, table, tables_of_paper};

/// Computes the code of the first `length` bytes of a packet's segments.
type Routine = Box<dyn Fn(&[&[u8]], usize) -> Result<u64, Error>>;

/// One row of his tables, or one of ours.
struct Contestant {
    name: &'static str,
    about: &'static str,
    /// The code whose value it must give; `null` gives none.
    code: Option<Code>,
    routine: Routine,
}

/// The times of one row.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// His name for it, in small letters, or ours.
    pub name: &'static str,
    /// A description.
    pub about: &'static str,
    /// Seconds for a packet of 16 MiB.
    pub single: f64,
    /// Seconds for 250,000 packets, a quarter of them large.
    pub mix: f64,
    /// Seconds for 250,000 packets, half of them large.
    pub gateway: f64,
}

/// The number of packets in a mix.
pub const PACKETS: usize = 250_000;
/// Bytes of the single packet.
pub const SINGLE: usize = 16 << 20;

/// Runs both tests: each row `rounds` times, in turns; the fastest round counts.
///
/// # Errors
/// Returns an error if a routine gives a wrong value.
pub fn measure(
    rounds: usize,
    ns_per_tick: f64,
    progress: residue_bench::Progress<'_>,
) -> Result<Vec<Row>, Error> {
    timed(&contestants(), rounds, ns_per_tick, progress)
}

/// Runs both tests once with the rows of these names.
pub(crate) fn measure_only(names: &[&str], ns_per_tick: f64) -> Result<Vec<Row>, Error> {
    let mut contestants = contestants();
    contestants.retain(|contestant| names.contains(&contestant.name));
    timed(&contestants, 1, ns_per_tick, &mut |_, _| ())
}

fn timed(
    contestants: &[Contestant],
    rounds: usize,
    ns_per_tick: f64,
    progress: residue_bench::Progress<'_>,
) -> Result<Vec<Row>, Error> {
    let mut random = fastrand::Rng::with_seed(1989);
    let mut pool = vec![0; 1 << 16];
    random.fill(&mut pool);

    // Segments of 64 KiB, the same bytes again and again: 16 MiB that stay in the second-level
    // cache, as nothing but the inner loop is meant to count.
    let single = vec![(vec![&pool[..]; SINGLE >> 16], SINGLE)];
    let mixes = [4, 2].map(|one_in| packets(&pool, one_in, &mut random));
    check(contestants, &mixes[0])?;

    let tests = [&single, &mixes[0], &mixes[1]];
    let mut best = vec![[f64::INFINITY; 3]; contestants.len()];
    let steps = (rounds * contestants.len()) as u64;
    let mut done = 0;
    for _ in 0..rounds {
        for (contestant, best) in contestants.iter().zip(&mut best) {
            for (packets, best) in tests.into_iter().zip(best.iter_mut()) {
                let start = now();
                for (segments, length) in packets {
                    let _ = black_box((contestant.routine)(segments, *length));
                }
                let ticks = now() - start;
                *best = best.min(ticks as f64 * ns_per_tick * 1e-9);
            }
            done += 1;
            progress(done, steps);
        }
    }
    let rows = contestants.iter().zip(best).map(|(c, [single, mix, gateway])| {
        let (name, about) = (c.name, c.about);
        Row { name, about, single, mix, gateway }
    });
    Ok(rows.collect())
}

/// A packet's segments and its length.
type Packet<'a> = (Vec<&'a [u8]>, usize);

/// Makes `PACKETS` packets, one in `one_in` large, in segments of the pool.
fn packets<'a>(pool: &'a [u8], one_in: usize, random: &mut fastrand::Rng) -> Vec<Packet<'a>> {
    let segment = |length: usize, random: &mut fastrand::Rng| {
        let from = random.usize(0..pool.len() - length);
        &pool[from..from + length]
    };
    let packet = |i: usize| {
        let length = if i.is_multiple_of(one_in) {
            // File transfer and mail.
            [552, 576, 1064, 1078, 1500][random.usize(0..5)]
        } else {
            // A header, and at most a few characters.
            random.usize(40..=64)
        };
        // A header of its own, of even or odd length, then small mbufs or clusters.
        let header = random.usize(20..=40);
        let mut segments = vec![segment(header, random)];
        let mut left = length - header;
        while left > 0 {
            let size = left.min(if left > 208 { 1024 } else { 112 });
            segments.push(segment(size, random));
            left -= size;
        }
        (segments, length)
    };
    (0..PACKETS).map(packet).collect()
}

/// Compares every routine with its code's value of the joined bytes, and on a packet that ends too
/// early.
fn check(contestants: &[Contestant], packets: &[Packet<'_>]) -> Result<(), Error> {
    for contestant in contestants {
        let Some(code) = &contestant.code else {
            continue;
        };
        let wrong = |bytes| Error::WrongAnswer {
            code: code.name().to_string(),
            kernel: contestant.name.to_string(),
            bytes,
        };
        for (segments, length) in packets.iter().take(200) {
            let value = (contestant.routine)(segments, *length)?;
            if u128::from(value) != code.reference(&segments.concat()[..*length]) {
                return Err(wrong(*length));
            }
            let early = (contestant.routine)(segments, length + 1);
            if early != Err(Error::TooFewBytes { have: *length, want: length + 1 }) {
                return Err(wrong(length + 1));
            }
        }
    }
    Ok(())
}

/// Passes the first `length` bytes of the segments to `take`.
#[inline(always)]
fn walk<'a>(
    segments: &[&'a [u8]],
    length: usize,
    mut take: impl FnMut(&'a [u8]),
) -> Result<(), Error> {
    let mut left = length;
    for segment in segments {
        if left == 0 {
            break;
        }
        let used = segment.len().min(left);
        take(&segment[..used]);
        left -= used;
    }
    if left > 0 { Err(Error::TooFewBytes { have: length - left, want: length }) } else { Ok(()) }
}

/// Returns a routine for a code of bytes: the state goes from segment to segment.
fn bytes<F: Family<Context = (), Value: Into<u64>>>(kernel: Forced<F>) -> Routine {
    Box::new(move |segments, length| {
        let mut state = F::start(&());
        walk(segments, length, |segment| state = kernel.run(&(), state, segment))?;
        Ok(F::finish(&(), state).into())
    })
}

/// Returns a routine for a code of words: the first byte of a word that straddles waits for the
/// second.
fn words<F: Family<Context = (), Value: Into<u64>>>(kernel: Forced<F>) -> Routine {
    Box::new(move |segments, length| {
        let (mut state, mut pending) = (F::start(&()), None);
        walk(segments, length, |mut segment| {
            if let (Some(first), Some((&second, rest))) = (pending, segment.split_first()) {
                state = kernel.run(&(), state, &[first, second]);
                (pending, segment) = (None, rest);
            }
            let (pairs, last) = segment.as_chunks::<2>();
            state = kernel.run(&(), state, pairs.as_flattened());
            if let [last] = last {
                pending = Some(*last);
            }
        })?;
        if let Some(last) = pending {
            state = kernel.run(&(), state, &[last]);
        }
        Ok(F::finish(&(), state).into())
    })
}

/// Returns the Internet checksum: a segment at an odd offset is summed by itself and swapped.
fn swapped(kernel: Forced<Internet>) -> Routine {
    Box::new(move |segments, length| {
        let (mut sum, mut odd) = (0u64, false);
        walk(segments, length, |segment| {
            let part = kernel.run(&(), 0, segment);
            let part = if odd { part.rotate_left(8) } else { part };
            let (total, carry) = sum.overflowing_add(part);
            sum = total + u64::from(carry);
            odd ^= segment.len() % 2 == 1;
        })?;
        Ok(Internet::finish(&(), sum).into())
    })
}

fn contestants() -> Vec<Contestant> {
    let mut list = vec![Contestant {
        name: "null",
        about: "returns 0: the overhead",
        code: None,
        routine: Box::new(|segments, length| {
            // As Sklower's, it is called and looks at nothing.
            black_box((segments.len(), length));
            Ok(0)
        }),
    }];
    fn push<F: Family>(
        list: &mut Vec<Contestant>,
        (name, about, code): (&'static str, &'static str, &str),
        (kernels, kernel): (&'static [Kernel<F>], &str),
        routine: fn(Forced<F>) -> Routine,
    ) {
        let found = match kernel {
            "" => internals::best(kernels, residue::cpu::features(), residue::cpu::profile()),
            _ => kernels.iter().find(|k| k.info().name == kernel),
        };
        if let (Some(forced), Ok(code)) = (found.and_then(Kernel::force), code.parse()) {
            list.push(Contestant { name, about, code: Some(code), routine: routine(forced) });
        }
    }
    let list_ = &mut list;
    let (ip, ns) = (internals::INTERNET, internals::XNS);
    let (f8, f16) = (internals::FLETCHER_16, internals::FLETCHER_32);
    push(
        list_,
        ("ip", "Internet checksum, the machine's own: add with carry", "internet"),
        (ip, "adc_pino2018"),
        swapped,
    );
    push(
        list_,
        ("pip", "portable Internet checksum, 16 bits at a time", "internet"),
        (ip, "word16_scalar"),
        swapped,
    );
    push(list_, ("xns", "XNS, one word at a time", "xns"), (ns, "words"), words);
    push(list_, ("simple", "ISO, byte by byte, unrolled", "fletcher-16"), (f8, "simple"), bytes);
    push(
        list_,
        ("pairs", "ISO, two bytes at a time (NoMagic)", "fletcher-16"),
        (f8, "pairs"),
        bytes,
    );
    push(
        list_,
        ("pairs_double", "the same by T += 2 S - b (Magic)", "fletcher-16"),
        (f8, "pairs_double"),
        bytes,
    );
    push(
        list_,
        ("rfc1008", "ISO as in RFC 1008, a division each byte (Ediv)", "fletcher-16"),
        (f8, "rfc1008"),
        bytes,
    );
    push(list_, ("f16", "16-bit Fletcher", "fletcher-32"), (f16, "f16"), words);
    push(
        list_,
        ("f16_indexed", "16-bit Fletcher, indexed (F16-NOAI)", "fletcher-32"),
        (f16, "f16_indexed"),
        words,
    );
    push(
        list_,
        ("quads", "ISO, four bytes at a time in 64 bits", "fletcher-16"),
        (f8, "quads"),
        bytes,
    );
    push(
        list_,
        ("float53", "ISO, two bytes at a time in floating point", "fletcher-16"),
        (f8, "float53"),
        bytes,
    );
    push(list_, ("internet", "Internet checksum, best here", "internet"), (ip, ""), swapped);
    push(list_, ("xns-best", "XNS, best here", "xns"), (ns, ""), words);
    push(list_, ("fletcher-16", "ISO, best here", "fletcher-16"), (f8, ""), bytes);
    push(list_, ("fletcher-32", "16-bit Fletcher, best here", "fletcher-32"), (f16, ""), words);
    push(list_, ("adler-32", "Adler-32, best here", "adler-32"), (internals::ADLER_32, ""), bytes);
    push(list_, ("crc-32c", "CRC-32C, best here", "crc-32/iscsi"), (internals::CRC_32C, ""), bytes);
    list
}

/// Compares his findings with the rows.
#[must_use]
pub fn findings(rows: &[Row]) -> Vec<String> {
    let row = |name: &str| rows.iter().find(|row| row.name == name);
    let ratio = |a: &str, b: &str, of: fn(&Row) -> f64| {
        let (a, b) = (of(row(a)?), of(row(b)?));
        (b > 0.0).then(|| a / b)
    };
    let single = |row: &Row| row.single;
    let mix = |row: &Row| row.mix;
    let mut sentences = Vec::new();
    let mut tell = |his: &str, ours: Option<String>| {
        if let Some(ours) = ours {
            sentences.push(format!("{his}; here {ours}."));
        }
    };
    let percent = |ratio: f64| format!("{:+.0} %", (ratio - 1.0) * 100.0);
    let times = |ratio: f64| format!("{ratio:.1} times");
    tell(
        "Two bytes at a time gain 5 to 10 per cent over one",
        ratio("simple", "pairs", single).map(percent),
    );
    tell(
        "16-bit units are up to twice as fast as the ISO checksum",
        ratio("pairs", "f16", single).map(times),
    );
    tell(
        "The ISO checksum takes at least 4.5 times IP's time for one packet",
        ratio("pairs", "ip", single).map(times),
    );
    tell(
        "and can be made to take only 2.5 times for the mix",
        ratio("pairs", "ip", mix).map(times),
    );
    tell("16-bit Fletcher takes at best twice IP's time", ratio("f16", "ip", single).map(times));
    tell("It is nearly everywhere faster than XNS", ratio("xns", "f16", single).map(times));
    tell(
        "Whether four bytes at a time would pay was left open",
        ratio("simple", "quads", single).map(|r| times(r) + " as fast as byte by byte"),
    );
    tell(
        "So was floating point",
        ratio("simple", "float53", single).map(|r| times(r) + " as fast as byte by byte"),
    );
    tell(
        "With vectors, which nobody had then, the ISO checksum takes, best against best, a \
         multiple of IP's time",
        ratio("fletcher-16", "internet", single).map(times),
    );
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_gives_its_code_s_value_whatever_the_segments() {
        let pool: Vec<u8> = (0..2048u32).map(|i| ((i * 7919) >> 3) as u8).collect();
        let cuts = [
            vec![&pool[1..2], &[], &pool[2..5], &pool[5..800]],
            vec![&pool[..]],
            vec![&pool[3..36], &pool[700..701]],
        ];
        for contestant in contestants() {
            let Some(code) = &contestant.code else {
                continue;
            };
            for segments in &cuts {
                let joined = segments.concat();
                for length in [0, 1, 2, 3, 4, 33, joined.len() - 1, joined.len()]
                    .into_iter()
                    .filter(|n| *n <= joined.len())
                {
                    let value = (contestant.routine)(segments, length).expect("enough bytes");
                    assert_eq!(
                        u128::from(value),
                        code.reference(&joined[..length]),
                        "{} of {length}",
                        contestant.name
                    );
                }
                let early = (contestant.routine)(segments, joined.len() + 9);
                assert_eq!(
                    early,
                    Err(Error::TooFewBytes { have: joined.len(), want: joined.len() + 9 })
                );
            }
        }
    }

    #[test]
    fn the_mix_is_as_described() {
        let pool = vec![0; 1 << 12];
        let mut random = fastrand::Rng::with_seed(7);
        for (one_in, share) in [(4, 0.25), (2, 0.5)] {
            let packets = packets(&pool, one_in, &mut random);
            let large = packets.iter().filter(|(_, length)| *length > 100).count() as f64;
            assert!((large / PACKETS as f64 - share).abs() < 0.01);
            assert!(packets.iter().all(|(segments, length)| segments.concat().len() == *length));
        }
    }
}
