//! Compares codes: the errors that CRCs and sums do not detect in data of one length.
//!
//! Two things differ between the two kinds of code. A CRC's figures hold for all data; a sum's are
//! means over uniform data. And a CRC's wrong bits are in the data and the check value, a sum's in
//! the data alone: its check value arrives as it was sent. (With 12,000 bits of data and 16 of
//! check value that is a difference of some tenths of a percent.)

mod question;
mod rows;

use serde::Serialize;

use crate::crc::{Profile, probability};
use crate::{Effort, Error};
pub use question::{Question, Subject, Traffic};
pub use rows::{FEW, Few, Known, Probability, Row, YEAR};
use std::sync::atomic::{AtomicU64, Ordering};

/// The codes of the thesis's argument: CRC-32C against what it is to replace, and against two other
/// CRCs.
pub const CODES: [&str; 7] = [
    "crc-32/iscsi",
    "internet",
    "fletcher-16",
    "fletcher-32",
    "adler-32",
    "crc-32/iso-hdlc",
    "koopman:ba0dc66b",
];

/// A comparison of codes.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Version of `residue`.
    pub residue: String,
    /// Bits of data.
    pub data_bits: u64,
    /// Frames that are sent in a second.
    pub frames_per_second: f64,
    /// The speed of the link that these fill, in bits a second; `None` if their number was given.
    pub link_bits_per_second: Option<f64>,
    /// The codes.
    pub codes: Vec<Row>,
}

/// Compares the codes.
///
/// # Errors
/// Returns [`Error::BitErrorRate`].
pub fn compare(
    subjects: &[Subject],
    question: &Question,
    effort: &Effort<'_>,
) -> Result<Comparison, Error> {
    let rates: Result<Vec<f64>, Error> =
        question.rates.iter().map(|rate| probability::rate(rate)).collect();
    let rates = rates?;
    let mut waiting = subjects.iter().filter(|it| matches!(it, Subject::Crc(..))).count() as u64;
    let mut left = effort.sums;
    let mut codes = Vec::new();
    for subject in subjects {
        codes.push(match subject {
            Subject::Crc(name, generator) => {
                // A wide one does not take the time of those after it.
                let (share, made) = (left / waiting, AtomicU64::new(0));
                let spend = |more| {
                    made.fetch_add(more, Ordering::Relaxed) + more <= share && (effort.spend)(more)
                };
                let profile = Profile::new(generator, &Effort { spend: &spend, ..*effort });
                left -= made.into_inner().min(share);
                waiting -= 1;
                rows::crc(name, generator, profile, question, &rates, effort)
            }
            Subject::Sum(code) => rows::sum(code, question, &rates),
        }?);
    }
    Ok(Comparison {
        residue: env!("CARGO_PKG_VERSION").into(),
        data_bits: question.data,
        frames_per_second: question.traffic.frames(question.data),
        link_bits_per_second: question.traffic.link(),
        codes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    fn row(text: &str, data: u64, rate: &str, exact: bool) -> Row {
        let traffic = Traffic::Frames(1e6);
        let question = Question { data, rates: vec![rate.into()], traffic, exact };
        let subject = Subject::parse(text).unwrap();
        compare(&[subject], &question, &Effort::new().within(5)).unwrap().codes.remove(0)
    }

    #[test]
    fn a_full_link_sends_fewer_long_frames_than_short_ones() {
        let link = Traffic::Link(10e9);
        assert_eq!(link.frames(12_000).floor(), 812_743.0);
        assert_eq!(link.frames(9000 * 8).floor(), 138_304.0);
        // The rate at which links of 10 Gb/s carry the shortest frames.
        assert_eq!(link.frames(8).floor(), 14_880_952.0);
        assert_eq!(Traffic::Link(1e9).frames(12_000).floor(), 81_274.0);
        assert_eq!(Traffic::Frames(5.0).frames(12_000), 5.0);
    }

    /// Checks that a wide CRC, which alone would use the whole budget, leaves time for those after
    /// it.
    #[test]
    #[ignore = "long"]
    fn a_wide_crc_leaves_time_for_those_behind_it() {
        let made = AtomicU64::new(0);
        let sums = 1 << 28;
        let spend = |more| made.fetch_add(more, Ordering::Relaxed) + more <= sums;
        let effort = Effort { sums, spend: &spend, ..Effort::new() };
        let (rates, traffic) = (vec!["1e-6".into()], Traffic::Frames(1e6));
        let question = Question { data: 12_000, rates, traffic, exact: false };
        let subjects =
            ["crc-64/nvme", "crc-32c", "crc-32"].map(|name| Subject::parse(name).unwrap());
        let [wide, others @ ..] = &compare(&subjects, &question, &effort).unwrap().codes[..] else {
            panic!("three codes");
        };
        assert!(wide.limits.iter().any(|limit| limit.1.kind == Kind::AtLeast.name()));
        for code in others {
            assert!(
                code.limits.iter().all(|limit| limit.1.kind == Kind::Exact.name()),
                "{}",
                code.code
            );
        }
    }

    #[test]
    fn leading_terms_at_the_length_of_ethernet() {
        for (code, count, expected) in
            [("crc-32", "223059", 2.2037e-19), ("crc-32c", "312496", 3.0873e-19)]
        {
            let row = row(code, 12_112, "1e-6", false);
            assert_eq!(row.distance, Known::new(4, Kind::Exact));
            assert_eq!(row.few[2].undetected.as_deref(), Some(count));
            let known = row.probabilities[0].undetected.unwrap();
            assert_eq!(known.kind, "bound");
            assert!((known.value / expected - 1.0).abs() < 3e-5, "{code} {}", known.value);
            let year = row.probabilities[0].per_year.unwrap().value;
            assert!((year / (known.value * 1e6 * 31_536_000.0) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn short_crcs_are_exact() {
        let row = row("crc-16/xmodem", 64, "1e-6", false);
        let known = row.probabilities[0].undetected.unwrap();
        assert_eq!(known.kind, "exact");
        assert!((known.value / 1.619_876_884_715e-22 - 1.0).abs() < 1e-9);
        assert_eq!(row.few.len(), 5);
        assert_eq!((row.holds_to.unwrap().value, row.burst), (32_751, 16));
    }

    #[test]
    fn sums_beside_them() {
        let internet = row("internet", 12_000, "1e-6", false);
        assert_eq!(internet.distance, Known::new(2, Kind::Exact));
        assert!((internet.few[0].share - 0.031_208).abs() < 1e-5);
        assert_eq!((internet.burst, internet.holds_to), (15, None));
        let known = internet.probabilities[0].undetected.unwrap();
        // Two bits of 12,000, once in 32.
        assert!((known.value / (0.5 * 12_000.0 * 11_999.0 * 1e-12 * 0.0312) - 1.0).abs() < 0.02);
        assert_eq!(known.kind, "exact");
        let adler = row("adler-32", 12_000, "1e-6", false);
        assert_eq!(adler.distance, Known::new(3, Kind::Exact));
        assert_eq!(adler.holds_to.unwrap().value, 8 * 65_520);
        assert_eq!(adler.probabilities[0].undetected.unwrap().kind, "bound");
        assert_eq!(row("fletcher-16", 8, "1e-6", false).distance, Known::new(3, Kind::Exact));
        for (data, distance) in [(253 * 8, 3), (254 * 8, 2)] {
            let iso = row("iso-8473", data, "1e-6", false);
            assert_eq!(iso.distance, Known::new(distance, Kind::Exact), "{data}");
            assert_eq!(iso.limits, [(3, Known::new(253 * 8, Kind::Exact))]);
        }
    }

    #[test]
    fn names() {
        assert_eq!(Subject::parse("crc32c").unwrap().name(), "crc-32/iscsi");
        assert_eq!(Subject::parse("koopman:ba0dc66b").unwrap().width(), 32);
        assert_eq!(Subject::parse(" adler32").unwrap().name(), "adler-32");
        assert_eq!(Subject::parse("crc-82/darc").unwrap().width(), 82);
        for wrong in ["crc-99", ""] {
            assert!(Subject::parse(wrong).is_err());
        }
    }
}
