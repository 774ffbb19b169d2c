//! Shows the arithmetic of a code on a short input, step by step, as on paper.
//!
//! A CRC is shown as the long division it is, if that fits a line, or else byte by byte; a sum as a
//! table of its running sums. Nothing here calls the library for a value, so that the two can be
//! compared.
//!
//! ```
//! let code: residue::Code = "crc-8/smbus".parse()?;
//! let shown = residue_identify::explain::explain(&code, b"a")?;
//! assert_eq!(shown.value, code.value(b"a"));
//! shown.lines.iter().for_each(|line| println!("{line}"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod division;
mod shown;
mod sums;

use crate::Error;
pub use crate::error::LONGEST_EXPLAINED as LONGEST;
use residue::Code;
pub use shown::Shown;

/// Shows how `code` computes its value of `data`.
///
/// # Errors
/// Returns an error if `data` is longer than [`LONGEST`].
pub fn explain(code: &Code, data: &[u8]) -> Result<Shown, Error> {
    if data.len() > LONGEST {
        return Err(Error::TooLong(data.len()));
    }
    Ok(match code {
        Code::Crc(crc) => division::shown(crc.params(), data),
        Code::Sum(sum) => sums::shown(*sum, data),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_the_librarys_value() {
        let noise: Vec<u8> = (0..LONGEST).map(|i| (i * i * 7 + i * 31 + 200) as u8).collect();
        let ones = [0xff; LONGEST];
        for code in Code::all() {
            for data in [&noise, &ones[..], &[0; LONGEST], b"123456789"] {
                for length in 0..=data.len() {
                    let data = &data[..length];
                    let shown = explain(&code, data).unwrap();
                    assert_eq!(shown.value, code.value(data), "{code} of {data:02x?}");
                    let digits = code.width().div_ceil(4) as usize;
                    let last = shown.lines.last().unwrap();
                    assert!(last.contains(&format!("{:0digits$x}", shown.value)), "{code}: {last}");
                }
            }
        }
    }

    #[test]
    fn any_width_and_any_reflection() {
        for width in 1..=128 {
            for (refin, refout) in [(false, false), (true, true), (false, true), (true, false)] {
                let mask = u128::MAX >> (128 - width);
                let (init, xorout) = (0xc3a5_5a3c & mask, mask >> 1);
                let text = format!(
                    "width={width},poly={:x},init={init:x},refin={refin},refout={refout},\
                     xorout={xorout:x}",
                    (0x1edc_6f41_u128 << 60 | 0x1021) & mask | 1
                );
                let code: Code = text.parse().unwrap();
                for data in [&b""[..], b"1", b"123456789", &[0xa7; 33]] {
                    assert_eq!(explain(&code, data).unwrap().value, code.value(data), "{text}");
                }
            }
        }
    }

    #[test]
    fn lines_stay_in_bounds() {
        for code in Code::all() {
            for length in 0..=LONGEST {
                let shown = explain(&code, &vec![0xb7; length]).unwrap();
                for line in shown.lines {
                    assert!(line.is_ascii() && line.len() <= 230, "{code} {length}: {line}");
                }
            }
        }
    }

    #[test]
    fn a_long_input_is_refused() {
        let code: Code = "xns".parse().unwrap();
        assert_eq!(explain(&code, &[0; 65]), Err(Error::TooLong(65)));
    }
}
