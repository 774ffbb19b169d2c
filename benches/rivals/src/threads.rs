//! Large data on all CPUs: `residue::parallel` beside `residue` on one thread.

use crate::contender::{Contender, ONE_THREAD, OURS};
use crate::model::Mode;
use crate::race::{Race, Runner};
use residue::Code;
use residue_bench::harness::{Calls, Timed};

/// Races all threads and one, of one code and size.
///
/// # Errors
/// Returns an error if the value of all threads is not that of one.
pub fn race<'a>(group: &[Contender], size: usize, data: &'a [u8]) -> Result<Race<'a>, String> {
    let (data, mut runners) = (&data[..size], Vec::new());
    let name = group.first().map_or("", |contender| contender.code);
    if let Some(ours) = group.iter().find(|contender| contender.name == OURS) {
        let code: Code = name.parse().map_err(|error: residue::Error| error.to_string())?;
        let all = move |data: &[u8]| residue::parallel::value(&code, data) as u64;
        let (answer, expected) = (all(data), (ours.call)(data));
        if answer != expected {
            return Err(format!(
                "{size} bytes of {name} give {answer:x} in parts, not {expected:x}"
            ));
        }
        runners.push(Runner::new(ours, OURS, timed(all, data)));
        runners.push(Runner::new(ours, ONE_THREAD, timed(ours.call, data)));
    }
    Ok(Race::new(group, Mode::Threads, size, runners))
}

fn timed<'a>(value: impl Fn(&[u8]) -> u64 + 'a, data: &'a [u8]) -> Timed<'a> {
    Box::new(move |count, first| {
        let lengths = &[data.len()];
        Calls { data, lengths, misaligned: false, latency: false }.time(&value, count, first)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contender::SUBJECTS;
    use residue_bench::clock::Clock;

    #[test]
    fn all_threads_are_compared_with_one() {
        let data = vec![7; 20 << 20];
        for subject in &SUBJECTS {
            let ours = Contender::ours(subject);
            let rival = Contender { name: "rival", ..ours };
            let race = race(&[ours, rival], data.len(), &data).expect("equal values");
            assert!(race.is_race());
            assert_eq!(race.cells(&Clock::NANOSECONDS).len(), 2);
            let wrong = Contender { call: |_| 1, ..ours };
            assert!(super::race(&[wrong], data.len(), &data).is_err());
        }
    }
}
