//! Kernels of several codes, timed side by side.

use crate::Error;
use crate::clock::Clock;
use crate::measure::{Mode, Options, measure, plain};
use crate::model::cell;
use residue::Code;

/// Times one kernel of each code, by turns, so that all meet the same disturbances. Returns
/// nanoseconds a call and core cycles per byte, medians, of each code in order.
///
/// # Errors
/// If a code is unknown, or a kernel gives a wrong answer.
pub fn timed(
    codes: &[(String, &'static str)],
    bytes: usize,
) -> Result<Vec<Option<(f64, f64)>>, Error> {
    for (name, _) in codes {
        let _: Code = name.parse().map_err(|error| Error::Code(name.clone(), error))?;
    }
    let options = Options {
        codes: codes.iter().map(|(name, _)| name.clone()).collect(),
        kernels: Some(codes.iter().map(|&(_, kernel)| kernel.into()).collect()),
        sizes: plain(&[bytes]),
        samples: 31,
        mode: Mode::Throughput,
        ..Options::default()
    };
    let run = measure(&options, &Clock::calibrate(), &mut |_, _| {})?;
    let time = |(name, kernel): &(String, &str)| {
        cell(&run.cells, name, kernel, bytes).map(|cell| (cell.ns, cell.median))
    };
    Ok(codes.iter().map(time).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_time() {
        let custom = "width=32,poly=1edc6f41,refin=true,refout=true";
        let pair = |name: &str| {
            let code: Code = name.parse().unwrap();
            (name.to_string(), code.chosen().name)
        };
        let codes = ["crc-32/iscsi", "internet", custom].map(pair);
        let times = timed(&codes, 64).expect("times");
        let positive = |time: &Option<(f64, f64)>| time.is_some_and(|(ns, _)| ns > 0.0);
        assert!(times.len() == 3 && times.iter().all(positive), "{times:?}");
        assert!(matches!(timed(&[("crc-33".into(), "portable")], 64), Err(Error::Code(..))));
    }
}
