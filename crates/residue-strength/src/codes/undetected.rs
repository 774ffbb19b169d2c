//! Undetected errors as they are printed, each confirmed by the code it is printed for.
//!
//! The bits of the data are numbered as they are sent, from 0, the first. Bit i is in byte i / 8;
//! within a byte the highest bit is the first (80, 40, 20, ...), but for CRCs that are reflected
//! (`refin`) the lowest (01, 02, 04, ...). The check value's wrong bits are given as the difference
//! (exclusive or) of two values, in hexadecimal as `residue sum` prints values.
//!
//! Limits of CRCs are in bits. Data of another length than whole bytes stand for whole bytes with
//! as many zero bits in front as are missing; bit 0 is the first one after them.

use residue::code::Sum;
use residue::fletcher::check_octets;
use residue::{Code, Partial};
use serde::Serialize;

use crate::Error;

/// An error that a code does not detect, and the data it happens to.
///
/// Values exist only if the code itself confirms the error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Undetected {
    /// Bits of the data.
    bits: u64,
    /// The bytes of the data that are not zero, by place. Empty for CRCs: they detect an error in
    /// all data or in none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nonzero: Vec<(u64, u8)>,
    /// Wrong bits of the data: 0 is the first that is sent.
    data: Vec<u64>,
    /// The change of the check value, in hexadecimal.
    check: String,
}

/// The longest data, in bytes, that are laid out in memory.
const LAID_OUT: u64 = 1 << 20;

impl Undetected {
    /// Confirms an error: the wrong bits `data` in `bits` bits of data, whose bytes are zero but
    /// for `nonzero`, and the change `check` of the check value.
    ///
    /// # Errors
    /// Returns [`Error::Unconfirmed`] if `code`, which is called `name`, detects it.
    pub fn new(
        (name, code): (&str, &Code),
        bits: u64,
        nonzero: Vec<(u64, u8)>,
        data: Vec<u64>,
        check: u128,
    ) -> Result<Undetected, Error> {
        let digits = code.width().div_ceil(4) as usize;
        let error = Undetected { bits, nonzero, data, check: format!("{check:0digits$x}") };
        match error.is_undetected(code, check) {
            Some(true) => Ok(error),
            _ => Err(Error::Unconfirmed(name.into())),
        }
    }

    /// Returns the length of the data in bits.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// Returns the bytes of the data that are not zero, by place.
    #[must_use]
    pub fn nonzero(&self) -> &[(u64, u8)] {
        &self.nonzero
    }

    /// Returns the wrong bits of the data: 0 is the first that is sent.
    #[must_use]
    pub fn data(&self) -> &[u64] {
        &self.data
    }

    /// Returns the change of the check value, in hexadecimal.
    #[must_use]
    pub fn check(&self) -> &str {
        &self.check
    }

    /// Writes the error as `data 0 2215 2866, check 80000000`.
    #[must_use]
    pub fn text(&self) -> String {
        format!("data {}, check {}", self.data_text(), self.check)
    }

    /// Writes the wrong bits of the data with spaces between them.
    #[must_use]
    pub fn data_text(&self) -> String {
        self.data.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
    }

    /// Returns the cells of an error in a row of CSV: the wrong bits of the data, and the change of
    /// the check value; both empty if there is none.
    #[must_use]
    pub fn cells(error: Option<&Undetected>) -> [String; 2] {
        error.map_or_else(Default::default, |error| [error.data_text(), error.check.clone()])
    }

    /// Returns whether `code` gives the wrong data the wrong value; `None` if the bits are not in
    /// the data.
    ///
    /// Of codes that are verified by the sum of data and check octets, that sum must be right for
    /// both, too.
    fn is_undetected(&self, code: &Code, check: u128) -> Option<bool> {
        let bytes = self.bits.div_ceil(8);
        let pad = bytes * 8 - self.bits;
        let reflected = code.params().is_some_and(|params| params.refin);
        let right = self.nonzero.clone();
        let mut wrong = right.clone();
        for &bit in &self.data {
            let bit = bit.checked_add(pad).filter(|&bit| bit / 8 < bytes)?;
            let mask = if reflected { 1 << (bit % 8) } else { 0x80 >> (bit % 8) };
            match wrong.iter_mut().find(|(place, _)| *place == bit / 8) {
                Some((_, byte)) => *byte ^= mask,
                None => wrong.push((bit / 8, mask)),
            }
        }
        let value = value(code, bytes, &right)?;
        let changed = value ^ check;
        let is_error = !self.data.is_empty() || check != 0;
        Some(
            is_error
                && self::value(code, bytes, &wrong)? == changed
                && octets_fit(code, bytes, &right, value)?
                && octets_fit(code, bytes, &wrong, changed)?,
        )
    }
}

/// Returns bytes of data that are zero but for those named.
fn laid_out(bytes: u64, nonzero: &[(u64, u8)]) -> Option<Vec<u8>> {
    let mut data = vec![0; usize::try_from(bytes).ok()?];
    for &(place, byte) in nonzero {
        *data.get_mut(usize::try_from(place).ok()?)? = byte;
    }
    Some(data)
}

/// Returns the value of data that are zero but for some bytes; `None` if a byte is outside.
fn value(code: &Code, bytes: u64, nonzero: &[(u64, u8)]) -> Option<u128> {
    if bytes <= LAID_OUT {
        return Some(code.value(&laid_out(bytes, nonzero)?));
    }
    let zeros = Partial::empty(code).extend_by_zeroes(bytes).ok()?.value();
    nonzero
        .iter()
        .try_fold(zeros, |value, &(place, byte)| code.update(value, bytes, place, &[0], &[byte]))
}

/// Returns whether data with the check octets `value` after them verify, where a code has check
/// octets; `true` for all others.
fn octets_fit(code: &Code, bytes: u64, nonzero: &[(u64, u8)], value: u128) -> Option<bool> {
    let with = |octets: &[u8]| {
        let mut data = laid_out(bytes, nonzero)?;
        data.extend(octets);
        Some(data)
    };
    Some(match code {
        Code::Sum(Sum::Iso8473) => check_octets::verify(&with(&(value as u16).to_be_bytes())?),
        Code::Sum(Sum::FourOctets) => {
            check_octets::verify_four(&with(&(value as u32).to_be_bytes())?)
        }
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_detected_error_is_refused() {
        let code: Code = "iso-8473".parse().unwrap();
        let named = ("iso-8473", &code);
        // The value goes from ffff to feff, not to fffe: this error is detected.
        assert!(Undetected::new(named, 255 * 8, vec![], vec![7], 0x0001).is_err());
        assert!(Undetected::new(named, 255 * 8, vec![], vec![7], 0x0100).is_ok());
        assert!(Undetected::new(named, 255 * 8, vec![], vec![], 0).is_err());
        assert!(Undetected::new(named, 8, vec![], vec![8], 1).is_err());
        assert!(Undetected::new(named, 8, vec![(1, 1)], vec![0], 1).is_err());
    }
}
