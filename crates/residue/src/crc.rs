//! Cyclic redundancy checks: the remainder of a division of polynomials over GF(2), any width up to
//! 128 bits.
//!
//! A code is named by the parameters of the Rocksoft model, as the RevEng catalogue lists them
//! ([`catalog`]): with the message's bits as the polynomial M of n bits (each byte's lowest bit
//! first if `refin`, else its highest), and P the generator of degree w,
//!
//! ```text
//! register = init x^n + M x^w  mod P        value = (register, its bits reversed if refout) xor xorout
//! ```
//!
//! Example: CRC-32/ISO-HDLC of `123456789` is CBF43926.
//!
//! Appending the value in the code's own order ([`Crc::append`]) makes the register of the whole a
//! constant, the residue, whatever the message ([`Crc::verify`]).
//!
//! **Trap.** Reflection is part of the code: one that reflects its bytes but not its value is another code, and a program
//! can agree with itself and with nobody else. And the bytes of a reflected CRC go on the wire
//! lowest first: appended highest first, the residue does not appear.
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

/// A family of CRCs, in which a value leads back to the register.
pub(crate) trait Register: Family<State: Word, Value: Into<u128>> {
    /// The register whose value is `value`, which is no wider than the CRC.
    fn register(with: &Self::With, value: u128) -> Self::State;
}

/// Evaluates an expression for the family that computes a CRC, on the dispatch of its kernels and
/// what they need.
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

/// A CRC, ready to run: its parameters and the constants its kernels need.
///
/// About 3 KiB: put it in a `static`, not a `const`, which would be copied at each use.
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
#[allow(clippy::large_enum_variant)] // Without allocation there is nowhere else to put the constants.
pub(crate) enum Engine {
    Embedded(Constants),
    Wide(Wide),
}

impl Crc {
    /// Prepares a CRC. At run time this takes a few microseconds.
    ///
    /// # Panics
    /// If the width is not 1 to 128 bits (in a `static`: does not compile). [`Params::new`] checks
    /// parameters that are not known to be right.
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

    /// The parameters.
    #[must_use]
    pub const fn params(&self) -> &Params {
        &self.params
    }

    /// Whether this is a CRC with constants compiled in, which has its own table of kernels.
    #[must_use]
    pub const fn compiled(&self) -> Option<Compiled> {
        self.compiled
    }

    pub(crate) const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// What the kernels of [`KERNELS`] work with; `None` above 64 bits.
    #[must_use]
    pub const fn constants(&self) -> Option<&Constants> {
        match &self.engine {
            Engine::Embedded(constants) => Some(constants),
            Engine::Wide(_) => None,
        }
    }

    /// What the kernels of [`KERNELS_WIDE`] work with; `None` up to 64 bits.
    #[must_use]
    pub const fn wide(&self) -> Option<&Wide> {
        match &self.engine {
            Engine::Embedded(_) => None,
            Engine::Wide(wide) => Some(wide),
        }
    }

    /// The check value of `data`, of any length.
    #[inline]
    #[must_use]
    #[allow(clippy::useless_conversion)] // It is one for one family only.
    pub fn checksum(&self, data: &[u8]) -> u128 {
        of_family!(self, |best, with| best.oneshot(with, data).into())
    }

    /// The check value of data whose beginning has the value `value` and goes on with `data`, as by
    /// zlib's `crc32(crc, data)`. To start, pass the CRC of the empty message.
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

    /// The check value of data that comes in pieces.
    #[must_use]
    pub fn digest(&self) -> Digest<'_> {
        Digest { crc: self, state: self.start(), bytes: 0 }
    }

    /// The check value of two pieces of data from the values of each; `length` is that of the
    /// second, in bytes.
    ///
    /// Takes as many multiplications modulo P as `length` has bits set; of three carry-less
    /// products each, up to 64 bits and where the CPU has them.
    ///
    /// ```
    /// use residue::crc::{Crc, catalog};
    /// static CRC_32C: Crc = Crc::new(&catalog::CRC_32_ISCSI);
    /// assert_eq!(CRC_32C.combine(0x18d1_2335, 0xc27e_5db2, 4), 0xe306_9283); // 12345, 6789
    /// ```
    #[must_use]
    pub fn combine(&self, first: u128, second: u128, length: u64) -> u128 {
        // The second register began at init; what the first leaves there instead is the difference.
        let difference = self.register(first) ^ self.start();
        self.finish(self.advance(difference, length) ^ self.register(second))
    }

    /// The check value after the bytes `old`, at `offset` of `length` bytes of data, became `new`.
    ///
    /// Nothing else of the data is read: the code is linear. `None` if the lengths of `old` and
    /// `new` differ or the change reaches past `length`.
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

    /// The bytes that append `value` to its message in the code's own order (lowest byte first if
    /// reflected), and how many of them count. `None` for a width that is no whole number of bytes,
    /// and for crossed reflection.
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

    /// Whether `data` ends with the check value of what is before it, checked in one pass by the
    /// residue. Returns `None` when [`Crc::append`] would.
    #[must_use]
    pub fn verify(&self, data: &[u8]) -> Option<bool> {
        let (_, bytes) = self.append(0)?;
        let good = self.checksum(data) ^ self.params.xorout == self.params.residue;
        Some(good && data.len() >= bytes)
    }

    /// The register of an engine before the first byte.
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

    /// The register whose value is `value`.
    pub(crate) fn register(&self, value: u128) -> u128 {
        let value = value & self.params.mask();
        match &self.engine {
            Engine::Embedded(constants) => u128::from(Embedded::register(constants, value)),
            Engine::Wide(wide) => WideFamily::register(wide, value),
        }
    }

    /// The register after `bytes` zero bytes.
    pub(crate) fn advance(&self, state: u128, bytes: u64) -> u128 {
        match &self.engine {
            Engine::Embedded(constants) => {
                u128::from(advance::advance(constants, state as u64, bytes))
            }
            Engine::Wide(wide) => wide.advance(state, bytes),
        }
    }

    /// The register before `bytes` zero bytes. `None` if the polynomial lacks its constant term:
    /// nothing undoes it.
    ///
    /// Bit by bit, some microseconds; only
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

/// The CRC of data that comes in pieces. Made by [`Crc::digest`].
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

    /// The value so far.
    #[must_use]
    pub fn value(&self) -> u128 {
        self.crc.finish(self.state)
    }

    /// Appends data that was digested apart, as if it had followed.
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
