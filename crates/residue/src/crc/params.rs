//! The parameters that define a CRC, and the definition itself.

use crate::Error;
use core::fmt;

/// The parameters of a CRC in the Rocksoft model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The name in the RevEng catalogue, in lower case: `crc-32/iso-hdlc`.
    pub name: &'static str,
    /// Bits of the value, 1 to 128.
    pub width: u8,
    /// The generator without its top term: bit i is the coefficient of x^i ("normal" notation).
    pub poly: u128,
    /// The register before the first bit, as if not reflected.
    pub init: u128,
    /// Whether each byte's lowest bit comes first.
    pub refin: bool,
    /// Whether the register's bits are reversed at the end.
    pub refout: bool,
    /// Xored into the value at the end.
    pub xorout: u128,
    /// The value of `123456789`.
    pub check: u128,
    /// The register, reversed if `refout`, after a message and its value.
    pub residue: u128,
}

impl Params {
    /// The parameters that most CRCs share, to write down others: no reflection, `init` and
    /// `xorout` 0.
    ///
    /// The width and the polynomial must be given. The check value and the residue need not:
    /// [`Crc::new`](super::Crc::new) computes them.
    ///
    /// ```
    /// use residue::crc::{Crc, Params};
    /// static OWN: Crc<u16> =
    ///     Crc::new(&Params { width: 16, poly: 0x1021, init: 0xffff, ..Params::CUSTOM });
    /// assert_eq!(OWN.params().check, 0x29b1);
    /// ```
    pub const CUSTOM: Params = Params {
        name: "custom",
        width: 0,
        poly: 0,
        init: 0,
        refin: false,
        refout: false,
        xorout: 0,
        check: 0,
        residue: 0,
    };

    /// Makes parameters of a CRC that is not in the catalogue; the check value and the residue are
    /// computed.
    ///
    /// # Errors
    /// Those of [`Params::validate`].
    pub const fn new(
        name: &'static str,
        width: u8,
        poly: u128,
        init: u128,
        (refin, refout): (bool, bool),
        xorout: u128,
    ) -> Result<Params, Error> {
        let params =
            Params { name, width, poly, init, refin, refout, xorout, check: 0, residue: 0 };
        match params.validate() {
            Ok(()) => Ok(params.completed()),
            Err(error) => Err(error),
        }
    }

    /// Checks that the parameters define a CRC.
    ///
    /// # Errors
    /// [`Error::Width`] if the width is not 1 to 128 bits, [`Error::TooWide`] if `poly`, `init` or
    /// `xorout` has bits above it, [`Error::EvenPolynomial`] if the polynomial lacks its constant
    /// term.
    pub const fn validate(&self) -> Result<(), Error> {
        if self.width < 1 || self.width > 128 {
            return Err(Error::Width(self.width as u32));
        }
        let above = !self.mask();
        if self.poly & above != 0 {
            return Err(Error::TooWide("poly"));
        }
        if self.init & above != 0 {
            return Err(Error::TooWide("init"));
        }
        if self.xorout & above != 0 {
            return Err(Error::TooWide("xorout"));
        }
        if self.poly & 1 == 0 {
            return Err(Error::EvenPolynomial);
        }
        Ok(())
    }

    /// Returns the parameters with their check value and residue computed.
    pub(super) const fn completed(mut self) -> Params {
        self.check = self.reference(b"123456789");
        self.residue = self.computed_residue();
        self
    }

    /// Returns the largest value of the width.
    #[must_use]
    pub const fn mask(&self) -> u128 {
        match u128::MAX.checked_shr(self.spare()) {
            Some(mask) => mask,
            None => 0,
        }
    }

    /// Returns the number of bits of a `u128` above the width, without assuming that the width is
    /// valid.
    const fn spare(&self) -> u32 {
        128u32.saturating_sub(self.width as u32)
    }

    /// Returns whether both define one code, whatever their names.
    pub(crate) const fn same_code(&self, other: &Params) -> bool {
        self.width == other.width
            && self.poly == other.poly
            && self.init == other.init
            && self.xorout == other.xorout
            && self.refin == other.refin
            && self.refout == other.refout
    }

    /// Returns what [`same_code`](Params::same_code) compares.
    pub(crate) const fn definition(&self) -> (u8, [u128; 3], [bool; 2]) {
        (self.width, [self.poly, self.init, self.xorout], [self.refin, self.refout])
    }

    /// Returns the lowest `width` bits of `value`, reversed.
    #[must_use]
    pub const fn reflect(&self, value: u128) -> u128 {
        match value.reverse_bits().checked_shr(self.spare()) {
            Some(value) => value,
            None => 0,
        }
    }

    /// Returns the polynomial in reversed notation: bit i is the coefficient of x^(width-1-i)
    /// (0xedb88320 for CRC-32).
    #[must_use]
    pub const fn reversed(&self) -> u128 {
        self.reflect(self.poly)
    }

    /// Returns the reciprocal polynomial, x^width P(1/x), in normal notation.
    #[must_use]
    pub const fn reciprocal(&self) -> u128 {
        (self.reflect(self.poly) << 1 | 1) & self.mask()
    }

    /// Returns the polynomial in Koopman's notation ("reversed reciprocal"): the top term written,
    /// the constant term not.
    #[must_use]
    pub const fn koopman(&self) -> u128 {
        // The top bit of the mask.
        self.poly >> 1 | (self.mask() ^ self.mask() >> 1)
    }

    /// Returns the register after `bits` more bits, highest first, of `value`.
    pub(super) const fn feed(&self, mut register: u128, value: u128, bits: u32) -> u128 {
        let (top, mut bit) = (self.mask() ^ self.mask() >> 1, bits);
        while bit > 0 {
            bit -= 1;
            let carry = (register & top != 0) as u128 ^ value >> bit & 1;
            register = register << 1 & self.mask();
            if carry == 1 {
                register ^= self.poly;
            }
        }
        register
    }

    /// Returns a b mod P.
    pub(super) const fn multiply(&self, a: u128, b: u128) -> u128 {
        let (mut product, mut bit) = (0, self.width);
        while bit > 0 {
            bit -= 1;
            product = self.feed(product, 0, 1) ^ (a & (b >> bit & 1).wrapping_neg());
        }
        product
    }

    /// Returns x^(-8 bytes) mod P, for a P with a constant term.
    pub(super) const fn inverse_power(&self, bytes: u64) -> u128 {
        let top = self.mask() ^ self.mask() >> 1;
        let (mut power, mut bit) = (1, 0);
        while bit < 8 {
            // A bit shifted out at the bottom requires adding P, whose x^width becomes the top bit.
            power = if power & 1 == 1 { (power ^ self.poly) >> 1 | top } else { power >> 1 };
            bit += 1;
        }
        let (mut product, mut left) = (1, bytes);
        while left != 0 {
            if left & 1 == 1 {
                product = self.multiply(product, power);
            }
            power = self.multiply(power, power);
            left >>= 1;
        }
        product
    }

    /// Computes the value of `data` by the CRC's definition, one message bit at a time.
    #[must_use]
    pub const fn reference(&self, data: &[u8]) -> u128 {
        let (mut register, mut i) = (self.init, 0);
        while i < data.len() {
            let byte = if self.refin { data[i].reverse_bits() } else { data[i] };
            register = self.feed(register, byte as u128, 8);
            i += 1;
        }
        (if self.refout { self.reflect(register) } else { register }) ^ self.xorout
    }

    /// Computes the residue.
    ///
    /// A codeword's last w bits are register xor xorout, so the register after it is xorout x^w mod
    /// P.
    #[must_use]
    pub const fn computed_residue(&self) -> u128 {
        let last = if self.refout { self.reflect(self.xorout) } else { self.xorout };
        let register = self.feed(0, last, self.width as u32);
        if self.refout { self.reflect(register) } else { register }
    }
}

/// Writes the parameters that define the CRC as [`Code`](crate::Code) reads them:
/// `width=16,poly=1021,init=ffff,refin=false,refout=false,xorout=0`.
///
/// ```
/// use residue::{Code, crc::catalog};
/// let text = catalog::CRC_16_ARC.to_string();
/// assert_eq!(text.parse::<Code>().unwrap().value(b"123456789"), 0xbb3d);
/// ```
impl fmt::Display for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Params { width, poly, init, refin, refout, xorout, .. } = self;
        write!(
            f,
            "width={width},poly={poly:x},init={init:x},refin={refin},refout={refout},\
             xorout={xorout:x}"
        )
    }
}
