//! The claims.

use super::claim::{Basis, Claim, Document};
use super::ratio::{Band, Compared, Ratio};
use super::sides::*;
use Basis::{All, Any, Ratios};
use Document::{Article, Intel, Sklower, Thesis};

const fn ratio(slower: Side, faster: Side, sizes: &'static [usize], band: Band) -> Ratio {
    Ratio { slower, faster, sizes, band }
}

const fn claim(
    document: Document,
    place: &'static str,
    text: &'static str,
    published: &'static str,
    basis: Basis,
) -> Claim {
    Claim { document, place, text, published, basis, today: &[] }
}

impl Claim {
    const fn today(self, today: &'static [Ratio]) -> Claim {
        Claim { today, ..self }
    }
}

const FASTER: Band = Band::FASTER;
/// Ratios of the slowest to the fastest of several conditions.
const LITTLE: Band = Band::from(0.0, 1.1);
const INDEPENDENT: Band = Band::from(0.0, 1.2);
const DEPENDENT: Band = Band { low: 1.2, high: None };

/// The number of claims at the head of [`CLAIMS`] that are the thesis's conclusion.
pub const CONCLUSION: usize = 3;

/// The claims, by document. Each ratio is time over time: above 1 the second side is faster.
pub const CLAIMS: &[Claim] = &[
    claim(
        Thesis,
        "6.1",
        "The 64-bit TCP checksum is faster than CRC-32C at 64 bytes",
        "11 % (i3), 28 % (Xeon)",
        Ratios(&[ratio(THIRDS, ADC, &[64], FASTER)]),
    )
    .today(&[ratio(CRC_TODAY, SUM_TODAY, &[64], FASTER)]),
    claim(
        Thesis,
        "6.1",
        "CRC-32C is faster than the 64-bit TCP checksum at 1500 bytes",
        "38 % (i3), 48 % (Xeon)",
        Ratios(&[ratio(ADC, THIRDS, &[1500], FASTER)]),
    )
    .today(&[ratio(SUM_TODAY, CRC_TODAY, &[1500], FASTER)]),
    claim(
        Thesis,
        "6.1",
        "... and at 9000 bytes",
        "72 % (i3), 73 % (Xeon)",
        Ratios(&[ratio(ADC, THIRDS, &[9000], FASTER)]),
    )
    .today(&[ratio(SUM_TODAY, CRC_TODAY, &[9000], FASTER)]),
    claim(
        Thesis,
        "6.1",
        "CRC-32C is ahead of the 64-bit TCP checksum from 256 bytes on",
        "from 256",
        Ratios(&[ratio(ADC, THIRDS, &[256, 512, 1024, 1500, 9000, 65536], FASTER)]),
    )
    .today(&[ratio(SUM_TODAY, CRC_TODAY, &[256, 512, 1024, 1500, 9000, 65536], FASTER)]),
    claim(
        Thesis,
        "table 6.1",
        "CRC-32C is faster than the TCP checksum by 16-bit words, too, at 1500 bytes",
        "30 % (i3), 35 % (Xeon), from the table",
        Ratios(&[ratio(WORD16, THIRDS, &[1500], FASTER)]),
    ),
    claim(
        Thesis,
        "6.1",
        "CRC-32C in thirds is about 2.5 times as fast as in one chain at 1500 bytes",
        "2.5 times",
        Ratios(&[ratio(SERIAL, THIRDS, &[1500], Band::about(2.5))]),
    ),
    claim(
        Thesis,
        "6.1, after Gueron",
        "... and almost 3 times for large buffers",
        "almost 3 times",
        Ratios(&[ratio(SERIAL, THIRDS, &[9000, 65536], Band::about(3.0))]),
    ),
    claim(
        Thesis,
        "6.1",
        "Joining by tables beats joining by products at 64 and 128 bytes",
        "1.15 against 1.25 cycles at 64",
        Ratios(&[ratio(THIRDS, SEGMENTS, &[64, 128], FASTER)]),
    ),
    claim(
        Thesis,
        "6.1",
        "... and loses from 256 bytes on",
        "0.37 against 0.211 cycles at 1500",
        Ratios(&[ratio(SEGMENTS, THIRDS, &[256, 512, 1024, 1500, 9000], FASTER)]),
    ),
    claim(
        Thesis,
        "figure 6.7",
        "Byte by byte is far faster than bit by bit",
        "12.8 times (i3), 14.4 times (Xeon) at 1500",
        Ratios(&[ratio(BITWISE, BYTEWISE, &[1500], Band { low: 5.0, high: None })]),
    ),
    claim(
        Thesis,
        "figure 6.6",
        "Slicing-by-4 is about 2.7 times as fast as byte by byte",
        "2.7 times",
        Ratios(&[ratio(BYTEWISE, SLICING4, &[9000], Band::about(2.7))]),
    ),
    claim(
        Thesis,
        "figure 6.6",
        "Slicing-by-8 is about 4.3 times as fast as byte by byte",
        "4.3 times",
        Ratios(&[ratio(BYTEWISE, SLICING8, &[9000], Band::about(4.3))]),
    ),
    claim(
        Thesis,
        "2.3, after Kounavis and Berry",
        "Slicing-by-4 is about twice as fast as Sarwate's algorithm, slicing-by-8 three times",
        "2 and 3 times",
        Ratios(&[
            ratio(BYTEWISE, SLICING4, &[9000], Band::about(2.0)),
            ratio(BYTEWISE, SLICING8, &[9000], Band::about(3.0)),
        ]),
    ),
    claim(
        Thesis,
        "6.1, figure 6.3",
        "16- and 32-bit words beat 64-bit words from 1024 bytes on, optimised by -O3",
        "0.275 and 0.285 against 0.292 cycles at 1500",
        Ratios(&[
            ratio(ADC, WORD16, &[1024, 1500, 9000], FASTER),
            ratio(ADC, WORD32, &[1024, 1500, 9000], FASTER),
        ]),
    ),
    claim(
        Thesis,
        "6.1",
        "16- and 32-bit words take almost the same time from 1024 bytes on",
        "0.275 and 0.285 cycles at 1500",
        Ratios(&[ratio(WORD32, WORD16, &[1024, 1500, 9000], Band::EQUAL)]),
    ),
    claim(
        Thesis,
        "6.1, figure 6.4",
        "At -O1, 64-bit words are about 2.5 times as fast as 16-bit words from 1024 bytes on",
        "2.5 times",
        Ratios(&[ratio(WORD16_O1, ADC, &[1024, 1500, 9000], Band::about(2.5))]),
    ),
    claim(
        Thesis,
        "6.1, figure 6.4",
        "... and about 1.3 times as fast as 32-bit words",
        "1.3 times",
        Ratios(&[ratio(WORD32_O1, ADC, &[1024, 1500, 9000], Band::about(1.3))]),
    ),
    claim(
        Thesis,
        "6.1",
        "Adler-32 is slower than CRC-32C and the TCP checksum",
        "1.31 against 0.211 and 0.292 cycles at 1500",
        Ratios(&[
            ratio(ADLER, THIRDS, &[64, 1500, 9000], FASTER),
            ratio(ADLER, ADC, &[64, 1500, 9000], FASTER),
        ]),
    ),
    claim(
        Thesis,
        "6.1",
        "Fletcher-32 is slower than CRC-32C and the TCP checksum",
        "1.18 against 0.211 and 0.292 cycles at 1500",
        Ratios(&[
            ratio(FLETCHER, THIRDS, &[64, 1500, 9000], FASTER),
            ratio(FLETCHER, ADC, &[64, 1500, 9000], FASTER),
        ]),
    ),
    claim(
        Thesis,
        "5",
        "The time of a one's-complement sum depends on the data",
        "no figure",
        Any(|m| [ADC, WORD16].map(|side| m.by_data(side, DEPENDENT)).into_iter().collect()),
    ),
    claim(
        Thesis,
        "5",
        "The time of a CRC does not",
        "no figure",
        All(|m| [THIRDS, SLICING8].map(|side| m.by_data(side, INDEPENDENT)).into_iter().collect()),
    ),
    claim(
        Thesis,
        "tables A.5 and A.6",
        "At 1500 and 9000 bytes the time of a byte varies little with 1 to 7 extra bytes",
        "at 1500: 3 % (i3), 20 % (Xeon); 16-bit words 41 %, 7 %; at 9000: to 4 %",
        All(|m| {
            let pair = |side| [1500, 9000].map(|bytes| m.by_extra(side, bytes, LITTLE));
            [pair(THIRDS), pair(WORD16)].into_iter().flatten().collect::<Option<Vec<Compared>>>()
        }),
    ),
    claim(
        Thesis,
        "3.2",
        "A CRC by Koopman's polynomial costs more than one by CRC-32's",
        "expected, not measured",
        Ratios(&[ratio(
            ("crc-32/mef", FOLDING),
            ("crc-32/iso-hdlc", FOLDING),
            &[9000],
            Band { low: 1.1, high: None },
        )]),
    ),
    claim(
        Thesis,
        "6.2 and abstract (ARM)",
        "The CRC instruction in one chain is faster than 16-bit words at 64 bytes",
        "20 % (A53)",
        Ratios(&[ratio(WORD16, SERIAL, &[64], FASTER)]),
    ),
    claim(
        Thesis,
        "6.2 (ARM)",
        "... and up to 256 bytes",
        "up to 256 bytes (A53)",
        Ratios(&[ratio(WORD16, SERIAL, &[128, 256], FASTER)]),
    ),
    claim(
        Thesis,
        "6.2 and abstract (ARM)",
        "... and slower at 1500 bytes",
        "13 % (A53)",
        Ratios(&[ratio(SERIAL, WORD16, &[1500], FASTER)]),
    ),
    claim(
        Thesis,
        "6.2 (ARM)",
        "... and 16-bit words are about 1.3 times as fast above 256 bytes",
        "1.3 times (A53)",
        Ratios(&[ratio(SERIAL, WORD16, &[512, 1024, 1500, 9000], Band::about(1.3))]),
    ),
    claim(
        Thesis,
        "6.2 (ARM)",
        "The CRC instruction in one chain is about 7.4 times as fast as slicing-by-4",
        "7.4 times (A53)",
        Ratios(&[ratio(SLICING4, SERIAL, &[9000], Band::about(7.4))]),
    ),
    claim(
        Thesis,
        "6.2 (ARM)",
        "... and 5 times as fast as slicing-by-8",
        "5 times (A53)",
        Ratios(&[ratio(SLICING8, SERIAL, &[9000], Band::about(5.0))]),
    ),
    claim(
        Thesis,
        "6.3",
        "16-bit words are about 7.4 times as fast as slicing-by-8 (POWER7)",
        "7.4 times (POWER7)",
        Ratios(&[ratio(SLICING8, WORD16, &[9000], Band::about(7.4))]),
    ),
    claim(
        Thesis,
        "6.3",
        "... and about 9.8 times (Xeon)",
        "9.8 times (Xeon)",
        Ratios(&[ratio(SLICING8, WORD16, &[9000], Band::about(9.8))]),
    ),
    claim(
        Article,
        "results",
        "Add with carry beats SSE2 at 44, 550 and 1500 bytes",
        "86.1 to 52.1, 510 to 271, 991 to 744 ns",
        Ratios(&[ratio(SSE2, ADC, &[44, 550, 1500], FASTER)]),
    ),
    claim(
        Article,
        "results",
        "... beats AVX2 at 44 and 550 bytes",
        "83.2 to 52.1, 318 to 271 ns",
        Ratios(&[ratio(AVX2, ADC, &[44, 550], FASTER)]),
    ),
    claim(
        Article,
        "results",
        "... and loses to AVX2 at 1500",
        "744 to 665 ns",
        Ratios(&[ratio(ADC, AVX2, &[1500], FASTER)]),
    ),
    claim(
        Article,
        "results",
        "AVX2 beats SSE2 at every size",
        "86.1 to 83.2, 510 to 318, 991 to 665 ns",
        Ratios(&[ratio(SSE2, AVX2, &[44, 550, 1500], FASTER)]),
    ),
    claim(
        Article,
        "results",
        "The generic loop takes about four times AVX2's time at 1500 bytes",
        "4.4 times",
        Ratios(&[ratio(WORD16_O1, AVX2, &[1500], Band::about(4.4))]),
    ),
    claim(
        Article,
        "fast checksum computation",
        "32-bit words improve on 16-bit words, and 64-bit words with carry on these",
        "no figure",
        Ratios(&[
            ratio(WORD16_O1, WORD32_O1, &[44, 550, 1500], FASTER),
            ratio(WORD32_O1, ADC_BY_ONE, &[44, 550, 1500], FASTER),
        ]),
    ),
    claim(
        Article,
        "fast checksum computation",
        "A loop of four words is faster than one of a single word",
        "no figure",
        Ratios(&[ratio(ADC_BY_ONE, ADC, &[44, 550, 1500], FASTER)]),
    ),
    claim(
        Intel,
        "figure 2",
        "Slicing-by-8 is three times as fast as Sarwate's algorithm at 8 KiB",
        "6.55 to 2.15 cycles a byte",
        Ratios(&[ratio(BYTEWISE, SLICING8, &[8192], Band::about(3.0))]),
    ),
    claim(
        Intel,
        "tripling CRC performance",
        "... and keeps the advantage with empty caches, though its tables take 8 KiB",
        "no figure",
        All(|m| Some(vec![m.cold(BYTEWISE, SLICING8, FASTER)?])),
    ),
    claim(
        Intel,
        "figure 3",
        "Slicing-by-8 makes the whole processing of a PDU of 8 KiB twice as fast",
        "73,761 to 37,579 cycles",
        All(|m| Some(vec![m.pdu("bytewise", "slicing8", Band::about(2.0))?])),
    ),
    claim(
        Intel,
        "conclusion",
        "iSCSI scales nearly linearly with the number of cores",
        "expected, not measured",
        All(|m| Some(vec![m.cores(Band::from(0.9, 1.1))?])),
    ),
    claim(
        Sklower,
        "abstract",
        "Two bytes at a time are faster than one on the ISO checksum",
        "5 to 10 %",
        Ratios(&[ratio(SIMPLE, PAIRS, &[1500, 65536], FASTER)]),
    ),
    claim(
        Sklower,
        "abstract",
        "... by 5 to 10 per cent",
        "5 to 10 %",
        Ratios(&[ratio(SIMPLE, PAIRS, &[1500, 65536], Band::from(1.03, 1.15))]),
    ),
    claim(
        Sklower,
        "2",
        "Folding where two bits of the count are zero is 2 % faster than counting passes",
        "2 %",
        Ratios(&[ratio(PAIRS_COUNTED, PAIRS, &[1500, 65536], FASTER)]),
    ),
    claim(
        Sklower,
        "5",
        "16-bit units are up to twice as fast as the ISO checksum",
        "up to 2 times",
        Ratios(&[ratio(PAIRS, F16, &[65536], Band::about(2.0))]),
    ),
    claim(
        Sklower,
        "4",
        "16-bit Fletcher is faster than XNS",
        "4.8 against 5.7 s (VAX 8800)",
        Ratios(&[ratio(XNS, F16, &[65536], FASTER)]),
    ),
    claim(
        Sklower,
        "4",
        "The ISO checksum takes at least 4.5 times IP's time on very large packets",
        "4.5 times",
        Ratios(&[ratio(PAIRS, ADC, &[65536], Band { low: 4.5, high: None })]),
    ),
    claim(
        Sklower,
        "4",
        "... but only about 2.5 times for a mix of packets",
        "2.5 times",
        All(|m| Some(vec![m.mix("pairs", "ip", Band::about(2.5))?])),
    ),
];
