//! Checks answers first: no contender is timed where it gives a wrong one.

use crate::contender::{Contender, Subject, Takes};
use residue_bench::data::{Buffer, Data};

/// The length up to which every length is checked.
const SHORT: usize = 600;
/// Longer lengths, odd ones too.
const LONG: [usize; 7] =
    [1500, 4096 + 3, 9000, 16384 + 1, 65536 + 7, (256 << 10) + 2, (1 << 20) + 13];
/// The offsets of buffers behind a multiple of 64.
const OFFSETS: [usize; 4] = [0, 1, 6, 61];

/// The result of the check.
pub struct Checked {
    /// The contenders, each with the lengths it may be timed at.
    pub contenders: Vec<Contender>,
    /// A sentence on each wrong answer, and on each that is right but written otherwise.
    pub remarks: Vec<String>,
}

/// Compares the contenders of one code with its definition.
///
/// The data are random bytes, and bytes FF, whose sums are largest; at every short length, at some
/// longer ones, and random bytes at the `sizes` that are longer still.
///
/// A contender is left out from the shortest length on that it gave a wrong answer for.
#[must_use]
pub fn check(subject: &Subject, contenders: Vec<Contender>, sizes: &[usize]) -> Checked {
    let longest = LONG[LONG.len() - 1];
    let beyond: Vec<usize> = sizes.iter().copied().filter(|&size| size > longest).collect();
    let most = beyond.iter().copied().max().unwrap_or(longest);

    let code = subject.code();
    let (mut random, mut buffer) = (fastrand::Rng::with_seed(1), Buffer::new(most + 64));
    let mut all: Vec<(Contender, Option<String>)> =
        contenders.into_iter().map(|contender| (contender, None)).collect();
    for (data, beyond) in [(Data::Random, beyond), (Data::Ones, Vec::new())] {
        let mut bytes = vec![0; beyond.iter().copied().max().unwrap_or(longest)];
        data.fill(&mut random, &mut bytes);
        for length in (0..SHORT).chain(LONG).chain(beyond) {
            let expected = code.reference(&bytes[..length]) as u64;
            for offset in OFFSETS {
                let place = buffer.slice(offset, length);
                place.copy_from_slice(&bytes[..length]);
                for (contender, remark) in &mut all {
                    compare(subject, contender, remark, place, offset, expected);
                }
            }
        }
    }
    let remarks = all.iter().filter_map(|(_, remark)| remark.clone()).collect();
    Checked { contenders: all.into_iter().map(|(contender, _)| contender).collect(), remarks }
}

fn compare(
    subject: &Subject,
    contender: &mut Contender,
    remark: &mut Option<String>,
    data: &[u8],
    offset: usize,
    expected: u64,
) {
    let odd = offset % 2 == 1 || data.len() % 2 == 1;
    if data.len() >= contender.below || contender.takes == Takes::Words && odd {
        return;
    }
    let answer = (contender.call)(data);
    if answer == expected {
        return;
    }
    let (name, length) = (contender.name, data.len());
    let said = format!("{name} gives {answer:x} for {length} bytes, not {expected:x}");
    if !subject.same(answer, expected) {
        contender.below = length;
        *remark = Some(format!("{said}: left out from {length} bytes on"));
    } else if remark.is_none() {
        *remark = Some(format!("{said}: the same residue, written otherwise"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contender::{OURS, SUBJECTS};
    use crate::rivals::RIVALS;

    #[test]
    fn everyone_is_right_for_packets() {
        for subject in &SUBJECTS {
            let of = RIVALS.iter().filter(|rival| rival.code == subject.code).copied();
            let checked = check(subject, of.chain([Contender::ours(subject)]).collect(), &[]);
            let right = |contender: &Contender| contender.below > 1 << 16;
            assert!(checked.contenders.iter().all(right), "{:?}", checked.remarks);
            assert!(checked.contenders.iter().any(|c| c.name == OURS && c.below == usize::MAX));
        }
    }

    #[test]
    fn a_wrong_answer_is_reported_and_not_timed() {
        let call = |data: &[u8]| u64::from(residue::crc32c(&data[..data.len().min(1500)]));
        let wrong = Contender { call, ..Contender::ours(&SUBJECTS[0]) };
        let sizes = [2 << 20];
        let checked = check(&SUBJECTS[0], vec![wrong, Contender::ours(&SUBJECTS[0])], &sizes);
        assert_eq!(checked.contenders[0].below, 4099);
        assert_eq!((checked.contenders[1].below, checked.remarks.len()), (usize::MAX, 1));
        assert!(checked.remarks[0].contains("left out from 4099"), "{:?}", checked.remarks);
    }
}
