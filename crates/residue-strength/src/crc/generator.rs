//! A generator polynomial, read in any [`Notation`].
//!
//! Digits alone are different polynomials in different notations. `normal`'s last bit is the
//! constant term, without which a code would ignore its last bits; the top bit of `reversed` is
//! that term as well, and that of `koopman` the top term. Digits without a notation can often be
//! read in one way only; else a catalogue decides, and else the user must.

use crate::error::{Error, polynomial::Fault};
use crate::field::factor;
use crate::field::gf2::WIDEST;
use crate::field::notation::Notation;
use residue::crc::{Crc, Params, catalog};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// A generator of degree 3 to [`WIDEST`] with a constant term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generator {
    params: Params,
}

/// Koopman's best polynomials of 3 to 32 bits, and how far each keeps its distance, by P. Koopman,
/// *Best CRC Polynomials*, <https://users.ece.cmu.edu/~koopman/crc/>. A test computes each limit.
const BEST: &str = include_str!("best.csv");

/// Other polynomials that the literature names in Koopman's notation: 32K2 and a sparse one of P.
/// Koopman, *32-Bit Cyclic Redundancy Codes for Internet Applications*, 2002, and AUTOSAR's P4.
const OTHERS: [u128; 3] = [0x992c_1a4c, 0x9002_2004, 0xfa56_7d89];

/// Returns the polynomials without a name in the catalogue, in Koopman's notation.
fn unnamed() -> &'static [u128] {
    static ALL: LazyLock<Vec<u128>> = LazyLock::new(|| {
        let digits = BEST.lines().skip(1).filter_map(|line| line.rsplit(',').next());
        let best = digits.filter_map(|digits| u128::from_str_radix(digits, 16).ok());
        best.chain(OTHERS).collect()
    });
    &ALL
}

impl Generator {
    /// Creates a generator from the polynomial with its top term: bit i is the coefficient of x^i.
    ///
    /// # Errors
    ///
    /// Returns an error if the degree is not 3 to [`WIDEST`], the constant term is missing, or the
    /// order does not fit 64 bits.
    pub fn new(explicit: u128) -> Result<Generator, Fault> {
        let width = explicit.checked_ilog2().unwrap_or(0);
        if !(3..=WIDEST).contains(&width) {
            return Err(Fault::Degree(width));
        }
        let poly = explicit ^ 1 << width;
        if width > 64 && poly & 1 == 1 && !factor::is_bounded(explicit) {
            return Err(Fault::Order(width));
        }
        match Params::new("", width as u8, poly, 0, (false, false), 0) {
            Ok(params) => Ok(Generator { params }),
            Err(_) => Err(Fault::Even),
        }
    }

    /// Parses a polynomial or the name of a CRC, and returns the notation it was read in.
    ///
    /// The text is a CRC's name or alias, its parameters (`width=16,poly=1021`), or a polynomial: a
    /// sum of powers (`x^16+x^12+x^5+1`), or hexadecimal digits after a notation (`koopman:8810`),
    /// or without one, if only one is possible or known. `width` is needed where it is not a
    /// multiple of four and the notation does not imply it.
    ///
    /// # Errors
    /// Returns [`Error::Polynomial`].
    pub fn parse(text: &str, width: Option<u32>) -> Result<(Generator, Notation), Error> {
        Generator::read(text.trim(), width)
            .map_err(|fault| Error::Polynomial { text: text.escape_debug().to_string(), fault })
    }

    fn read(text: &str, width: Option<u32>) -> Result<(Generator, Notation), Fault> {
        match text.parse::<residue::Code>() {
            Ok(code) => {
                let params = code.params().ok_or_else(|| Fault::NoCrc(code.name().to_string()))?;
                return Generator::of(params).map(|generator| (generator, Notation::Normal));
            }
            Err(residue::Error::EvenPolynomial) => return Err(Fault::Even),
            Err(_) => {}
        }
        if let Some((degree, rest)) = residue::crc::terms(text) {
            let is = u32::from(degree);
            if let Some(given) = width.filter(|&given| given != is) {
                return Err(Fault::OtherWidth { is, given });
            }
            if !(3..=WIDEST).contains(&is) {
                return Err(Fault::Degree(is));
            }
            let explicit = Notation::Explicit;
            return Generator::new(1 << is | rest).map(|generator| (generator, explicit));
        }
        let (notation, digits) = match text.split_once(':') {
            Some((name, digits)) => {
                let named = |n: &&Notation| n.name().eq_ignore_ascii_case(name.trim());
                let notation = Notation::ALL.iter().find(named).ok_or(Fault::NotHexadecimal)?;
                (Some(*notation), digits.trim())
            }
            None => (None, text),
        };
        let digits = digits.trim_start_matches("0x").trim_start_matches("0X").replace('_', "");
        let hexadecimal = !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_hexdigit());
        let value = match u128::from_str_radix(&digits, 16) {
            Ok(value) if hexadecimal => value,
            _ => return Err(Fault::NotHexadecimal),
        };
        match notation {
            Some(notation) => {
                let implied = width.unwrap_or(4 * digits.len() as u32);
                Generator::written(value, implied, width, notation).map(|found| (found, notation))
            }
            None => Generator::guess(value, 4 * digits.len() as u32, width),
        }
    }

    /// Reads a value in a notation, of the width `given`, or else `implied` by its digits.
    fn written(
        value: u128,
        implied: u32,
        given: Option<u32>,
        notation: Notation,
    ) -> Result<Generator, Fault> {
        let bits = value.checked_ilog2().map_or(0, |top| top + 1);
        let own = match notation {
            Notation::Koopman => Some(bits),
            Notation::Explicit => Some(bits.saturating_sub(1)),
            _ => None,
        };
        if let (Some(is), Some(given)) = (own, given)
            && is != given
        {
            return Err(Fault::OtherWidth { is, given });
        }
        let width = own.unwrap_or(implied);
        if !(3..=WIDEST).contains(&width) {
            return Err(Fault::Degree(width));
        }
        if own.is_none() && bits > width {
            return Err(Fault::TooWide { bits, width });
        }
        let top = 1 << width;
        let mirror = |explicit: u128| explicit.reverse_bits() >> (127 - width);
        Generator::new(match notation {
            Notation::Normal => top | value,
            Notation::Reversed => mirror(value << 1 | 1),
            Notation::Reciprocal => mirror(top | value),
            Notation::Koopman => value << 1 | 1,
            Notation::Explicit => value,
        })
        .map_err(|fault| match fault {
            // Mirrored, it is the top term that is missing.
            Fault::Degree(_) => Fault::Even,
            fault => fault,
        })
    }

    /// Reads a value without its notation.
    fn guess(value: u128, digits: u32, given: Option<u32>) -> Result<(Generator, Notation), Fault> {
        let width = given.unwrap_or(digits);
        let bits = value.checked_ilog2().map_or(0, |top| top + 1);
        // An odd number of digits, the first of them 1, is a whole number of bytes and the top
        // term.
        let whole = match given {
            Some(width) => bits == width + 1,
            None => digits % 8 == 4 && bits == digits - 3,
        };
        if whole {
            let explicit = Notation::Explicit;
            return Generator::written(value, width, None, explicit).map(|found| (found, explicit));
        }
        if bits > width {
            return Err(Fault::TooWide { bits, width });
        }
        let read = |notation| Generator::written(value, width, Some(width), notation);
        let normal = read(Notation::Normal);
        // Read as koopman and as reversed it is a polynomial and its mirror image, which are
        // equally strong.
        let mirrored = match (read(Notation::Koopman), read(Notation::Reversed)) {
            (Ok(koopman), Ok(reversed)) if koopman.is_known() || !reversed.is_known() => {
                Some((koopman, Notation::Koopman))
            }
            (_, Ok(reversed)) => Some((reversed, Notation::Reversed)),
            (_, Err(_)) => None,
        };
        match (normal, mirrored) {
            (Err(fault), None) => Err(fault),
            (Err(_), Some(mirrored)) => Ok(mirrored),
            (Ok(normal), None) => Ok((normal, Notation::Normal)),
            (Ok(normal), Some(mirrored)) => match (normal.is_known(), mirrored.0.is_known()) {
                (true, false) => Ok((normal, Notation::Normal)),
                (false, true) => Ok(mirrored),
                _ => Err(Fault::Ambiguous(vec![
                    (Notation::Normal, normal.explicit()),
                    (mirrored.1, mirrored.0.explicit()),
                ])),
            },
        }
    }

    /// Returns the generator of a CRC.
    fn of(params: &Params) -> Result<Generator, Fault> {
        let width = u32::from(params.width);
        if !(3..=WIDEST).contains(&width) {
            return Err(Fault::Degree(width));
        }
        Generator::new(1 << width | params.poly)
    }

    /// Returns every polynomial of the catalogue, and others that the literature names, narrow ones
    /// first.
    #[must_use]
    pub fn known() -> Vec<Generator> {
        let named = catalog::ALL.iter().filter_map(|params| Generator::of(params).ok());
        let others = unnamed().iter().map(|&koopman| Generator::new(koopman << 1 | 1));
        let mut all: Vec<Generator> = named.chain(others.flatten()).collect();
        all.sort_by_key(Generator::explicit);
        all.dedup();
        all
    }

    fn is_known(&self) -> bool {
        unnamed().iter().any(|&koopman| self.koopman() == koopman) || self.names().next().is_some()
    }

    /// Returns the names in the catalogue of the CRCs made from it.
    ///
    /// They share its strength, whatever their other parameters are.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let Params { width, poly, .. } = self.params;
        let same = move |other: &&Params| (other.width, other.poly) == (width, poly);
        catalog::ALL.iter().filter(same).map(|params| params.name)
    }

    /// Returns the degree, which is the width of a check value in bits.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.params.width.into()
    }

    /// Returns the whole polynomial: bit i is the coefficient of x^i.
    #[must_use]
    pub fn explicit(&self) -> u128 {
        1 << self.width() | self.params.poly
    }

    /// Returns the polynomial in normal notation.
    #[must_use]
    pub fn normal(&self) -> u128 {
        self.params.poly
    }

    /// Returns the polynomial in Koopman's notation.
    #[must_use]
    pub fn koopman(&self) -> u128 {
        self.params.koopman()
    }

    /// Returns the mirrored polynomial x^width P(1/x), which is equally strong.
    #[must_use]
    pub fn reciprocal(&self) -> Generator {
        let explicit = self.explicit().reverse_bits() >> (127 - self.width());
        // Both of its ends are set, as those of this one are.
        Generator::new(explicit).unwrap_or(*self)
    }

    /// Returns the library's CRC by this polynomial: initial value and final exclusive or are 0,
    /// nothing is reflected.
    #[must_use]
    pub fn crc(&self) -> Crc {
        Crc::new(&self.params)
    }

    /// Returns whether x + 1 divides it, and all errors of an odd number of bits are detected.
    #[must_use]
    pub fn has_parity(&self) -> bool {
        self.explicit().count_ones().is_multiple_of(2)
    }

    /// Returns the polynomial in a notation.
    #[must_use]
    pub fn write(&self, notation: Notation) -> u128 {
        match notation {
            Notation::Normal => self.params.poly,
            Notation::Reversed => self.params.reversed(),
            Notation::Reciprocal => self.params.reciprocal(),
            Notation::Koopman => self.params.koopman(),
            Notation::Explicit => self.explicit(),
        }
    }

    /// Returns the hexadecimal digits of the polynomial in a notation, as many as its width has.
    #[must_use]
    pub fn digits(&self, notation: Notation) -> String {
        let digits = self.width().div_ceil(4) as usize;
        format!("{:0digits$x}", self.write(notation))
    }

    /// Returns its width, the codes that have it, and all notations, as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let notations: serde_json::Map<String, Value> = Notation::ALL
            .iter()
            .map(|&notation| (notation.name().to_string(), json!(self.digits(notation))))
            .collect();
        json!({
            "width": self.width(),
            "names": self.names().collect::<Vec<_>>(),
            "notations": notations,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(u128, Notation), Fault> {
        Generator::read(text, None).map(|(g, notation)| (g.explicit(), notation))
    }

    #[test]
    fn notations_of_crc_32c() {
        use Notation::{Explicit, Koopman, Normal, Reversed};
        for (text, notation) in [
            ("crc-32c", Normal),
            ("width=32,poly=1edc6f41", Normal),
            ("1edc6f41", Normal),
            ("0x1EDC6F41", Normal),
            ("reversed:82f63b78", Reversed),
            ("82F63B78", Reversed),
            ("reciprocal:0x05EC76F1", Notation::Reciprocal),
            ("8f6e37a0", Koopman),
            ("Koopman: 8F6E_37A0", Koopman),
            ("11edc6f41", Explicit),
            ("explicit:11edc6f41", Explicit),
        ] {
            assert_eq!(read(text), Ok((0x1_1edc_6f41, notation)), "{text}");
        }
        // Without its notation this is a polynomial of its own, and a known one only if mirrored,
        // which is not guessed.
        assert_eq!(read("05ec76f1"), Ok((0x1_05ec_76f1, Normal)));
        assert_eq!(read("ba0dc66b"), Ok((0x1_741b_8cd7, Koopman)));
        assert_eq!(read("992C1A4C"), Ok((0x1_3258_3499, Koopman)));
        let both = vec![(Normal, 0x1_8000_0001), (Koopman, 0x1_0000_0003)];
        assert_eq!(read("80000001"), Err(Fault::Ambiguous(both)));
    }

    #[test]
    fn every_notation_is_read_as_it_is_written() {
        for params in catalog::ALL.iter().filter(|p| (3..=WIDEST).contains(&p.width.into())) {
            let generator = Generator::of(params).unwrap();
            for notation in Notation::ALL {
                let digits = params.width.div_ceil(4) as usize;
                let text = format!("{}:{:0digits$x}", notation.name(), generator.write(notation));
                let width = Some(generator.width());
                assert_eq!(Generator::parse(&text, width).unwrap(), (generator, notation));
            }
            assert!(generator.names().any(|name| name == params.name));
            assert_eq!(generator.reciprocal().reciprocal(), generator);
        }
    }

    #[test]
    fn known_polynomials_come_once() {
        let known = Generator::known();
        let count = |koopman| known.iter().filter(|g| g.koopman() == koopman).count();
        // Koopman's 32K has a CRC of the catalogue, and 32K2 has none.
        assert_eq!([0xba0d_c66b, 0x992c_1a4c, 0x8f6e_37a0, 0x8810].map(count), [1; 4]);
        assert!(known.is_sorted_by_key(Generator::width));
    }

    #[test]
    fn faults() {
        assert_eq!(read("crc-99"), Err(Fault::NotHexadecimal));
        assert_eq!(read("x^2+1"), Err(Fault::Degree(2)));
        assert_eq!(read("x^101+1"), Err(Fault::Degree(101)));
        assert_eq!(read("x^89+x^38+1"), Err(Fault::Order(89)));
        assert_eq!(read("x^16+x"), Err(Fault::Even));
        for text in ["x^16+x^12+x^5+1", "X16 + X12 + X5 + 1", "1 + x**5 + x**12 + x**16"] {
            let (generator, notation) = Generator::parse(text, None).unwrap();
            assert_eq!((generator.explicit(), notation), (0x1_1021, Notation::Explicit), "{text}");
            assert!(
                Generator::parse(text, Some(16)).is_ok()
                    && Generator::parse(text, Some(15)).is_err()
            );
        }
        assert_eq!(read(""), Err(Fault::NotHexadecimal));
        assert_eq!(read("normal:"), Err(Fault::NotHexadecimal));
        assert_eq!(read("octal:17"), Err(Fault::NotHexadecimal));
        assert_eq!(read("normal:+7"), Err(Fault::NotHexadecimal));
        assert_eq!(read(&"f".repeat(40)), Err(Fault::NotHexadecimal));
        assert_eq!(read("adler-32"), Err(Fault::NoCrc("adler-32".into())));
        let darc = (1 << 82 | 0x308c_0111_0114_0144_0411, Notation::Normal);
        assert_eq!(read("crc-82/darc"), Ok(darc));
        assert_eq!(read("explicit:3"), Err(Fault::Degree(1)));
        assert_eq!(read("explicit:0"), Err(Fault::Degree(0)));
        assert_eq!(read("normal:1020"), Err(Fault::Even));
        assert_eq!(read("1020"), Err(Fault::Even));
        assert_eq!(read("reversed:0408"), Err(Fault::Even));
        assert_eq!(read("explicit:11020"), Err(Fault::Even));
        assert_eq!(read("width=16,poly=1020"), Err(Fault::Even));
        let read = |text, width| Generator::read(text, Some(width)).map(|(g, _)| g.explicit());
        assert_eq!(read("normal:1021", 12), Err(Fault::TooWide { bits: 13, width: 12 }));
        assert_eq!(read("koopman:8810", 15), Err(Fault::OtherWidth { is: 16, given: 15 }));
        assert_eq!(read("308c0111011401440411", 82).map_err(|_| ()), Ok(darc.0));
        assert_eq!(read("4599", 15), Ok(0xc599));
        assert_eq!(read("c599", 15), Ok(0xc599));
    }
}
