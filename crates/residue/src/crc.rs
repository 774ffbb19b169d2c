//! Cyclic redundancy checks (CRCs) of up to 128 bits: the remainder of a division of polynomials
//! over GF(2).
//!
//! A CRC is defined by the parameters of the Rocksoft model, as the RevEng catalogue lists them
//! ([`catalog`]): with the message's bits as the polynomial M of n bits (each byte's lowest bit
//! first if `refin`, else its highest), and P the generator of degree w,
//!
//! ```text
//! register = init x^n + M x^w  mod P
//! value = (register, its bits reversed if refout) xor xorout
//! ```
//!
//! Example: CRC-32/ISO-HDLC of `123456789` is CBF43926.
//!
//! Appending the value in the code's own order ([`Crc::append`]) makes the register after message
//! and value a constant, the residue, for every message ([`Crc::verify`]).
//!
//! **Trap.** Reflection is part of the code: a CRC that reflects its bytes but not its value is
//! another code, and a program that confuses the two agrees only with itself. The bytes of a
//! reflected CRC go on the wire lowest first: appended highest first, the residue does not appear.
//!
//! Up to 64 bits a CRC runs on any kernel, in one 64-bit embedding (see [`Constants`]); wider ones
//! run bit by bit, or on [`tables::Tables`].

mod advance;
pub mod catalog;
mod chains;
pub mod compiled;
pub mod crc32c;
mod embedded;
pub(crate) mod fold;
pub(crate) mod gf2;
mod params;
pub(crate) mod steps;
pub mod tables;
pub(crate) mod taps;
mod terms;
mod wide;

use crate::Error;
use crate::kernel::{Dispatch, Family};
pub(crate) use embedded::BEST;
use tables::Word;
pub(crate) use wide::BEST_WIDE;

pub use compiled::{CRC_32, CRC_64_NVME, Compiled};
pub use crc32c::CRC_32C;
pub use embedded::{Constants, Embedded, KERNELS};
pub use params::Params;
pub use terms::terms;
pub use wide::{KERNELS_WIDE, Wide, WideFamily};

/// A family of CRCs, whose values determine their registers.
pub(crate) trait Register: Family<State: Word, Value: Into<u128>> {
    /// Returns the register for `value`, which must be no wider than the CRC.
    fn register(with: &Self::With, value: u128) -> Self::State;
}

/// Evaluates an expression for the family that computes a CRC, with the dispatch of its kernels and
/// their parameters.
macro_rules! of_family {
    ($crc:expr, |$best:ident, $with:ident| $body:expr) => {{
        use $crate::crc::compiled::{CompiledIn, Crc32, Crc64Nvme};
        use $crate::crc::{BEST, BEST_WIDE, Compiled, Engine, crc32c::Crc32c};
        match ($crc.compiled(), $crc.engine()) {
            (Some(Compiled::Crc32c), _) => {
                let ($best, $with) = (Crc32c::BEST, &());
                $body
            }
            (Some(Compiled::Crc32), _) => {
                let ($best, $with) = (Crc32::BEST, &());
                $body
            }
            (Some(Compiled::Crc64Nvme), _) => {
                let ($best, $with) = (Crc64Nvme::BEST, &());
                $body
            }
            (None, Engine::Embedded(constants)) => {
                let ($best, $with) = (&BEST, constants);
                $body
            }
            (None, Engine::Wide(wide)) => {
                let ($best, $with) = (&BEST_WIDE, wide);
                $body
            }
        }
    }};
}
pub(crate) use of_family;

/// A CRC ready to run: its parameters and the constants for its kernels.
///
/// Its size is about 3 KiB: store it in a `static`, because a `const` would be copied at each use.
///
/// ```
/// use residue::crc::{Crc, catalog};
/// static X25: Crc = Crc::new(&catalog::CRC_16_IBM_SDLC);
/// assert_eq!(X25.checksum(b"123456789"), 0x906e);
/// ```
#[derive(Clone, Debug)]
pub struct Crc {
    params: Params,
    compiled: Option<Compiled>,
    engine: Engine,
}

#[derive(Clone, Debug)]
// Without allocation there is nowhere else to put the constants.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Engine {
    Embedded(Constants),
    Wide(Wide),
}

impl Crc {
    /// Prepares a CRC.
    ///
    /// At run time this takes a few microseconds.
    ///
    /// # Panics
    /// If the width is not 1 to 128 bits; in a `static` this is a compile error. [`Params::new`]
    /// checks untrusted parameters.
    #[must_use]
    pub const fn new(params: &Params) -> Crc {
        assert!(params.width >= 1 && params.width <= 128, "a CRC's width is 1 to 128 bits");
        let mut params = *params;
        params.residue = params.computed_residue();
        let compiled = if params.same_code(&catalog::CRC_32_ISCSI) {
            Some(Compiled::Crc32c)
        } else if params.same_code(&catalog::CRC_32_ISO_HDLC) {
            Some(Compiled::Crc32)
        } else if params.same_code(&catalog::CRC_64_NVME) {
            Some(Compiled::Crc64Nvme)
        } else {
            None
        };
        let engine = if params.width <= 64 {
            Engine::Embedded(Constants::new(&params))
        } else {
            Engine::Wide(Wide::new(&params))
        };
        Crc { params, compiled, engine }
    }

    /// Returns the parameters.
    #[must_use]
    pub const fn params(&self) -> &Params {
        &self.params
    }

    /// Returns the matching CRC with compiled-in constants and kernels of its own, if any.
    #[must_use]
    pub const fn compiled(&self) -> Option<Compiled> {
        self.compiled
    }

    pub(crate) const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the constants for the kernels of [`KERNELS`]; `None` above 64 bits.
    #[must_use]
    pub const fn constants(&self) -> Option<&Constants> {
        match &self.engine {
            Engine::Embedded(constants) => Some(constants),
            Engine::Wide(_) => None,
        }
    }

    /// Returns the constants for the kernels of [`KERNELS_WIDE`]; `None` up to 64 bits.
    #[must_use]
    pub const fn wide(&self) -> Option<&Wide> {
        match &self.engine {
            Engine::Embedded(_) => None,
            Engine::Wide(wide) => Some(wide),
        }
    }

    /// Returns the check value of `data`, of any length.
    #[inline]
    #[must_use]
    #[allow(clippy::useless_conversion)] // It is one for one family only.
    pub fn checksum(&self, data: &[u8]) -> u128 {
        of_family!(self, |best, with| best.oneshot(with, data).into())
    }

    /// Returns the check value of data with the value `value`, followed by `data`, like zlib's
    /// `crc32(crc, data)`.
    ///
    /// To start, pass the CRC of the empty message.
    ///
    /// ```
    /// use residue::crc::{Crc, catalog};
    /// static CRC_32C: Crc = Crc::new(&catalog::CRC_32_ISCSI);
    /// assert_eq!(CRC_32C.extend(0x18d1_2335, b"6789"), 0xe306_9283); // after 12345
    /// ```
    #[inline]
    #[must_use]
    pub fn extend(&self, value: u128, data: &[u8]) -> u128 {
        fn extend<F: Register>(
            best: &Dispatch<F>,
            with: &F::With,
            value: u128,
            data: &[u8],
        ) -> u128 {
            F::finish(with, best.run(with, F::register(with, value), data)).into()
        }
        let value = value & self.params.mask();
        of_family!(self, |best, with| extend(best, with, value, data))
    }

    /// Starts the CRC of data that arrives in pieces.
    #[must_use]
    pub fn digest(&self) -> Digest<'_> {
        Digest { crc: self, state: self.start(), bytes: 0 }
    }

    /// Returns the check value of two concatenated pieces of data from their values.
    ///
    /// The second piece has `length` bytes.
    ///
    /// It takes one multiplication modulo P for each bit set in `length`. Up to 64 bits, where the
    /// CPU has carry-less products, each multiplication takes three of them.
    ///
    /// ```
    /// use residue::crc::{Crc, catalog};
    /// static CRC_32C: Crc = Crc::new(&catalog::CRC_32_ISCSI);
    /// assert_eq!(CRC_32C.combine(0x18d1_2335, 0xc27e_5db2, 4), 0xe306_9283); // 12345, 6789
    /// ```
    #[must_use]
    pub fn combine(&self, first: u128, second: u128, length: u64) -> u128 {
        // The second register began at init, but the first piece leaves another one; add the
        // difference.
        let difference = self.register(first) ^ self.start();
        self.finish(self.advance(difference, length) ^ self.register(second))
    }

    /// Returns the check value after the bytes `old`, at `offset` in data of `length` bytes, became
    /// `new`.
    ///
    /// The rest of the data is not needed, because the code is linear. Returns `None` if the
    /// lengths of `old` and `new` differ or the change reaches past `length`.
    #[must_use]
    pub fn update(
        &self,
        value: u128,
        length: u64,
        offset: u64,
        old: &[u8],
        new: &[u8],
    ) -> Option<u128> {
        let end = offset.checked_add(old.len() as u64)?;
        if old.len() != new.len() || end > length {
            return None;
        }
        let mut change = 0;
        for (old, new) in old.chunks(64).zip(new.chunks(64)) {
            let mut block = [0; 64];
            for (byte, (old, new)) in block.iter_mut().zip(old.iter().zip(new)) {
                *byte = old ^ new;
            }
            change = self.run(change, &block[..old.len()]);
        }
        Some(self.finish(self.register(value) ^ self.advance(change, length - end)))
    }

    /// Returns the bytes that append `value` to its message in the code's own order (lowest byte
    /// first if reflected), and their number.
    ///
    /// Returns `None` for a width that is not a whole number of bytes, and for crossed reflection.
    #[must_use]
    pub const fn append(&self, value: u128) -> Option<([u8; 16], usize)> {
        let Params { width, refin, refout, .. } = self.params;
        if width % 8 != 0 || refin != refout {
            return None;
        }
        let bytes =
            if refin { value.to_le_bytes() } else { (value << (128 - width)).to_be_bytes() };
        Some((bytes, width as usize / 8))
    }

    /// Checks in one pass, by the residue, whether `data` ends with its own check value.
    ///
    /// Returns `None` when [`Crc::append`] would.
    #[must_use]
    pub fn verify(&self, data: &[u8]) -> Option<bool> {
        let (_, bytes) = self.append(0)?;
        let good = self.checksum(data) ^ self.params.xorout == self.params.residue;
        Some(good && data.len() >= bytes)
    }

    /// Returns the register before the first byte.
    pub(crate) fn start(&self) -> u128 {
        match &self.engine {
            Engine::Embedded(constants) => u128::from(Embedded::start(constants)),
            Engine::Wide(wide) => WideFamily::start(wide),
        }
    }

    #[allow(clippy::useless_conversion)] // It is one for one family only.
    fn run(&self, state: u128, data: &[u8]) -> u128 {
        of_family!(self, |best, with| best.run(with, Word::of_low(state), data).into())
    }

    pub(crate) fn finish(&self, state: u128) -> u128 {
        match &self.engine {
            Engine::Embedded(constants) => u128::from(Embedded::finish(constants, state as u64)),
            Engine::Wide(wide) => WideFamily::finish(wide, state),
        }
    }

    /// Returns the register whose value is `value`.
    pub(crate) fn register(&self, value: u128) -> u128 {
        let value = value & self.params.mask();
        match &self.engine {
            Engine::Embedded(constants) => u128::from(Embedded::register(constants, value)),
            Engine::Wide(wide) => WideFamily::register(wide, value),
        }
    }

    /// Returns the register after `bytes` zero bytes.
    pub(crate) fn advance(&self, state: u128, bytes: u64) -> u128 {
        match &self.engine {
            Engine::Embedded(constants) => {
                u128::from(advance::advance(constants, state as u64, bytes))
            }
            Engine::Wide(wide) => wide.advance(state, bytes),
        }
    }

    /// Returns the register before `bytes` zero bytes, or `None` if the polynomial lacks its
    /// constant term, so that the step cannot be undone.
    ///
    /// It goes bit by bit and takes some microseconds; only
    /// [`Partial::remove_suffix`](crate::Partial::remove_suffix) needs it.
    pub(crate) fn retreat(&self, state: u128, bytes: u64) -> Option<u128> {
        if self.params.poly & 1 == 0 {
            return None;
        }
        let turned = |value| if self.params.refout { self.params.reflect(value) } else { value };
        let register = turned(self.finish(state) ^ self.params.xorout);
        let register = self.params.multiply(register, self.params.inverse_power(bytes));
        Some(self.register(turned(register) ^ self.params.xorout))
    }
}

/// The CRC of data that arrives in pieces, made by [`Crc::digest`].
#[derive(Clone, Debug)]
pub struct Digest<'a> {
    crc: &'a Crc,
    state: u128,
    bytes: u64,
}

impl Digest<'_> {
    /// Adds the next bytes.
    pub fn update(&mut self, data: &[u8]) {
        self.state = self.crc.run(self.state, data);
        self.bytes += data.len() as u64;
    }

    /// Adds the pieces in order, as [`Digest::update`] would their concatenation.
    pub fn update_scattered<D: core::ops::Deref<Target = [u8]>>(&mut self, pieces: &[D]) {
        pieces.iter().for_each(|piece| self.update(piece));
    }

    /// Returns the value of the data added up to now.
    #[must_use]
    pub fn value(&self) -> u128 {
        self.crc.finish(self.state)
    }

    /// Appends data that was digested separately.
    ///
    /// # Errors
    /// [`Error::DifferentCodes`] if the CRCs' parameters differ.
    pub fn combine(&mut self, next: &Digest<'_>) -> Result<(), Error> {
        if !self.crc.params.same_code(&next.crc.params) {
            return Err(Error::DifferentCodes);
        }
        let difference = self.state ^ self.crc.start();
        self.state = self.crc.advance(difference, next.bytes) ^ next.state;
        self.bytes += next.bytes;
        Ok(())
    }
}
