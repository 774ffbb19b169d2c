//! The kernels that the library chooses, timed.

use crate::Error;
use crate::clock::Clock;
use crate::measure::{Mode, Options, measure, plain};
use crate::model::cell;
use residue::Code;

/// Times the kernel that the library chooses for each code, by turns, so that all meet the same
/// disturbances. Returns nanoseconds a call and core cycles per byte, medians, of each code in
/// order.
///
/// # Errors
/// If a code is unknown, or a kernel gives a wrong answer.
pub fn chosen(codes: &[String], bytes: usize) -> Result<Vec<Option<(f64, f64)>>, Error> {
    let mut kernels = Vec::new();
    for name in codes {
        let code: Code = name.parse().map_err(|error| Error::Code(name.clone(), error))?;
        kernels.push(code.chosen().name);
    }
    let options = Options {
        codes: codes.to_vec(),
        kernels: Some(kernels.iter().map(|&kernel| kernel.into()).collect()),
        sizes: plain(&[bytes]),
        samples: 31,
        mode: Mode::Throughput,
        ..Options::default()
    };
    let run = measure(&options, &Clock::calibrate(), &mut |_, _| {})?;
    let time = |(name, kernel): (&String, &str)| {
        cell(&run.cells, name, kernel, bytes).map(|cell| (cell.ns, cell.median))
    };
    Ok(codes.iter().zip(kernels).map(time).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_time() {
        let custom = "width=32,poly=1edc6f41,refin=true,refout=true";
        let codes = ["crc-32/iscsi", "internet", custom].map(String::from);
        let times = chosen(&codes, 64).expect("times");
        let positive = |time: &Option<(f64, f64)>| time.is_some_and(|(ns, _)| ns > 0.0);
        assert!(times.len() == 3 && times.iter().all(positive), "{times:?}");
        assert!(matches!(chosen(&["crc-33".into()], 64), Err(Error::Code(..))));
    }
}
