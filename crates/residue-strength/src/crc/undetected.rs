//! The undetected errors of CRCs, as they are printed: a witness, confirmed by the CRC itself.

use super::{Generator, Limit, Witness};
use crate::Error;
use crate::codes::Undetected;
use residue::Code;

impl Undetected {
    /// Confirms the error of `witness` at the end of `bits` bits of data.
    ///
    /// # Errors
    /// Returns [`Error::Unconfirmed`] if `code`, which is called `name`, detects it, or the data
    /// are too short for it.
    pub fn of(
        witness: &Witness,
        (name, code): (&str, &Code),
        bits: u64,
    ) -> Result<Undetected, Error> {
        let unconfirmed = || Error::Unconfirmed(name.into());
        let width = u64::from(code.width());
        let reflected = code.params().is_some_and(|params| params.refout);
        let (mut data, mut check) = (Vec::new(), 0);
        for &place in witness.places().iter().rev() {
            match place.checked_sub(width) {
                Some(from_end) => {
                    data.push(bits.checked_sub(from_end + 1).ok_or_else(unconfirmed)?)
                }
                None if reflected => check |= 1 << (width - 1 - place),
                None => check |= 1 << place,
            }
        }
        Undetected::new((name, code), bits, Vec::new(), data, check)
    }

    /// Confirms the error that proves a limit, in data one bit longer; `None` for a bound.
    ///
    /// # Errors
    /// Returns [`Error::Unconfirmed`] if `code`, which is called `name`, detects it, or it has too
    /// many bits to prove the limit.
    pub fn of_limit(
        limit: &Limit,
        (name, code): (&str, &Code),
    ) -> Result<Option<Undetected>, Error> {
        let Some(witness) = &limit.witness else { return Ok(None) };
        if witness.weight() >= limit.distance {
            return Err(Error::Unconfirmed(name.into()));
        }
        Undetected::of(witness, (name, code), limit.data.saturating_add(1)).map(Some)
    }
}

/// Returns the CRC that `text` names, and its name; of a polynomial alone the CRC that takes the
/// highest bit first, with zeros for its other parameters.
#[must_use]
pub fn named(text: &str, generator: &Generator) -> (String, Code) {
    let text = text.trim();
    match text.parse() {
        Ok(code @ Code::Crc(_)) => {
            let name = if code.name() == "custom" { text } else { code.name() };
            (name.escape_debug().to_string(), code)
        }
        _ => {
            let name = format!("width={},poly={:x}", generator.width(), generator.normal());
            (name, Code::Crc(generator.crc()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_many_gigabytes_is_confirmed_without_laying_them_out() {
        let (generator, _) = Generator::parse("crc-32c", None).unwrap();
        let order = u64::from(u32::MAX >> 1);
        let witness = Witness::new(&generator, &[0, order]).unwrap();
        let (name, code) = named("crc-32c", &generator);
        let error = Undetected::of(&witness, (&name, &code), order + 1 - 32).unwrap();
        assert_eq!((error.data(), error.check()), (&[0][..], "80000000"));
        assert!(Undetected::of(&witness, (&name, &code), order - 32).is_err());
        let other: Code = "crc-32".parse().unwrap();
        assert!(Undetected::of(&witness, ("crc-32", &other), order + 1 - 32).is_err());
    }
}
