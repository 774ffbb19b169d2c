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
//! run bit by bit, or on [`tables::Tables`]. The types of [`small`](crate::small) take less memory.
//!
//! # Inside
//!
//! Each line of this folder uses only those above it, and itself. The CRCs whose constants
//! are compiled in are made of [`Crc`], which chooses them.
//!
//! ```text
//! catalog gf2 params small terms width     definitions, arithmetic, integers, small tables
//! keys matrices tables                     the constants of each method
//! constants                                all of one CRC, and the family of the kernels on them
//! family                                   CRCs that the compiler knows
//! fold                                     folding
//! advance chains steps taps wide           zeros, table chains, CRC instructions, byte matrices
//! embedded                                 the kernels of any CRC
//! compiled crc32c lockstep sahu2019 crc    those of some, and the choice
//! combine common digest                    what users call beside it
//! ```

// In the order of their layers, below.
pub mod catalog;
pub(crate) mod gf2;
mod params;
pub(crate) mod small;
mod terms;
mod width;

mod keys;
mod matrices;
pub mod tables;

mod constants;

mod family;

pub(crate) mod fold;

mod advance;
mod chains;
pub(crate) mod steps;
pub(crate) mod taps;
mod wide;

mod embedded;

mod combine;
mod common;
#[doc(hidden)]
pub mod compiled;
pub mod crc32c;
mod digest;
pub(crate) mod lockstep;
mod sahu2019;

use crate::Error;
use crate::body::Family;
use crate::kernel::Dispatch;
use core::marker::PhantomData;
pub(crate) use embedded::DISPATCH;
use family::Register;
pub(crate) use wide::DISPATCH_WIDE;

pub use combine::Combine;
pub use common::*;
#[doc(hidden)]
pub use compiled::Compiled;
pub use compiled::{CRC_32, CRC_64_NVME};
#[doc(hidden)]
pub use constants::{Constants, Embedded};
pub use crc32c::CRC_32C;
pub use digest::Digest;
#[doc(hidden)]
pub use embedded::KERNELS;
pub use params::Params;
pub use terms::terms;
#[doc(hidden)]
pub use wide::{KERNELS_WIDE, Wide, WideFamily};
pub use width::Width;

/// Evaluates an expression for the family that computes a CRC, with the dispatch of its kernels and
/// their parameters.
macro_rules! of_family {
    ($crc:expr, |$best:ident, $with:ident| $body:expr) => {{
        use $crate::crc::compiled::{CompiledIn, Crc32, Crc64Nvme};
        use $crate::crc::{Compiled, DISPATCH, DISPATCH_WIDE, Engine, crc32c::Crc32c};
        match ($crc.compiled(), $crc.engine()) {
            (Some(Compiled::Crc32c), _) => {
                let ($best, $with) = (Crc32c::DISPATCH, &());
                $body
            }
            (Some(Compiled::Crc32), _) => {
                let ($best, $with) = (Crc32::DISPATCH, &());
                $body
            }
            (Some(Compiled::Crc64Nvme), _) => {
                let ($best, $with) = (Crc64Nvme::DISPATCH, &());
                $body
            }
            (None, Engine::Embedded(constants)) => {
                let ($best, $with) = (&DISPATCH, constants);
                $body
            }
            (None, Engine::Wide(wide)) => {
                let ($best, $with) = (&DISPATCH_WIDE, wide);
                $body
            }
        }
    }};
}
pub(crate) use of_family;

/// A CRC ready to run: its parameters and the constants for its kernels.
///
/// `W` is the integer of its values: `u16` for CRCs of up to 16 bits, and so on. `Crc` alone is
/// `Crc<u128>`, which holds any CRC; a [`Code`](crate::Code) has one. [`CRC_32C`], [`CRC_32`],
/// [`CRC_64_NVME`] and other common ones are statics of this module.
///
/// Its size is about 3 KiB: store it in a `static`, because a `const` would be copied at each use.
///
/// ```
/// use residue::crc::{Crc, Params, catalog};
/// static DNP: Crc<u16> = Crc::new(&catalog::CRC_16_DNP);
/// let value: u16 = DNP.checksum(b"123456789");
/// assert_eq!(value, 0xea82);
///
/// // A CRC that is not in the catalogue.
/// static OWN: Crc<u8> = Crc::new(&Params { width: 5, poly: 0x15, ..Params::CUSTOM });
/// assert_eq!(OWN.checksum(b"123456789"), 0x1c);
/// ```
#[derive(Clone, Debug)]
pub struct Crc<W: Width = u128> {
    params: Params,
    compiled: Option<Compiled>,
    engine: Engine,
    value: PhantomData<W>,
}

#[derive(Clone, Debug)]
// Without allocation there is nowhere else to put the constants.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Engine {
    Embedded(Constants),
    Wide(Wide),
}

impl<W: Width> Crc<W> {
    /// Prepares a CRC.
    ///
    /// At run time this takes two to five microseconds, more for wider CRCs. The name, check value
    /// and residue of `params` may be missing or wrong; the last two are computed.
    ///
    /// # Panics
    /// If `W` is narrower than the CRC, or [`Params::validate`] fails; in a `static` this is a
    /// compile error. [`Crc::try_new`] returns an error instead.
    #[must_use]
    pub const fn new(params: &Params) -> Crc<W> {
        match Crc::try_new(params) {
            Ok(crc) => crc,
            Err(Error::Width(_)) => panic!("a CRC's width is 1 to 128 bits"),
            Err(Error::EvenPolynomial) => panic!("the CRC's polynomial has no constant term"),
            Err(_) => panic!("a parameter is wider than the CRC, or the CRC than its values"),
        }
    }

    /// Prepares a CRC with parameters that may be invalid.
    ///
    /// # Errors
    /// [`Error::TooWide`] if `W` is narrower than the CRC, and the errors of [`Params::validate`].
    pub const fn try_new(params: &Params) -> Result<Crc<W>, Error> {
        if let Err(error) = params.validate() {
            return Err(error);
        }
        if params.width as usize > W::BITS {
            return Err(Error::TooWide("width"));
        }
        let params = params.completed();
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
        Ok(Crc { params, compiled, engine, value: PhantomData })
    }

    /// Returns the parameters.
    #[must_use]
    pub const fn params(&self) -> &Params {
        &self.params
    }

    /// Returns the matching CRC with compiled-in constants and kernels of its own, if any.
    #[doc(hidden)]
    #[must_use]
    pub const fn compiled(&self) -> Option<Compiled> {
        // The types of narrower values exclude them, and their kernels from the program.
        match self.compiled {
            Some(_) if W::BITS < 32 => None,
            Some(Compiled::Crc64Nvme) if W::BITS < 64 => None,
            compiled => compiled,
        }
    }

    pub(crate) const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the constants for the kernels of [`KERNELS`]; `None` above 64 bits.
    #[doc(hidden)]
    #[must_use]
    pub const fn constants(&self) -> Option<&Constants> {
        match &self.engine {
            Engine::Embedded(constants) => Some(constants),
            Engine::Wide(_) => None,
        }
    }

    /// Returns the constants for the kernels of [`KERNELS_WIDE`]; `None` up to 64 bits.
    #[doc(hidden)]
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
    pub fn checksum(&self, data: &[u8]) -> W {
        of_family!(self, |best, with| W::of_low(best.oneshot(with, data).into()))
    }

    /// Computes the check value of `data` a byte at a time.
    const fn const_value(&self, data: &[u8]) -> u128 {
        match &self.engine {
            Engine::Embedded(constants) => constants.const_value(data) as u128,
            Engine::Wide(_) => self.params.reference(data),
        }
    }

    /// Returns the check value of data with the value `value`, followed by `data`, like zlib's
    /// `crc32(crc, data)`.
    ///
    /// To start, pass the CRC of the empty message. Bits of `value` above the width are ignored.
    ///
    /// ```
    /// use residue::crc::CRC_32C;
    /// assert_eq!(CRC_32C.extend(0x18d1_2335, b"6789"), 0xe306_9283); // after 12345
    /// ```
    #[inline]
    #[must_use]
    pub fn extend(&self, value: W, data: &[u8]) -> W {
        fn extend<F: Register, W: Width>(
            best: &Dispatch<F>,
            with: &F::With,
            value: u128,
            data: &[u8],
        ) -> W {
            W::of_low(F::finish(with, best.run(with, F::register(with, value), data)).into())
        }
        let value = value.into() & self.params.mask();
        of_family!(self, |best, with| extend(best, with, value, data))
    }

    /// Starts the CRC of data that arrives in pieces.
    ///
    /// The digest borrows the CRC. [`Digest::new`] makes one that owns or shares it.
    #[must_use]
    pub const fn digest(&self) -> Digest<W, &Crc<W>> {
        Digest::at_start(self, self.start())
    }

    /// Continues after `bytes` bytes of data that have the value `value`.
    ///
    /// Bits of `value` above the width are ignored.
    ///
    /// ```
    /// use residue::crc::CRC_32C;
    /// let mut digest = CRC_32C.resume(residue::crc32c(b"12345"), 5);
    /// digest.update(b"6789");
    /// assert_eq!((digest.value(), digest.bytes()), (0xe306_9283, 9));
    /// ```
    #[must_use]
    pub fn resume(&self, value: W, bytes: u64) -> Digest<W, &Crc<W>> {
        Digest::resume(self, value, bytes)
    }

    /// Returns the bytes that append `value` to its message in the code's own order (lowest byte
    /// first if reflected), and their number.
    ///
    /// Returns `None` for a width that is not a whole number of bytes, and for crossed reflection.
    #[must_use]
    pub fn append(&self, value: W) -> Option<([u8; 16], usize)> {
        let Params { width, refin, refout, .. } = self.params;
        if width % 8 != 0 || refin != refout {
            return None;
        }
        let value = value.into();
        let bytes =
            if refin { value.to_le_bytes() } else { (value << (128 - width)).to_be_bytes() };
        Some((bytes, width as usize / 8))
    }

    /// Checks in one pass, by the residue, whether `data` ends with its own check value.
    ///
    /// Returns `None` when [`Crc::append`] would.
    #[must_use]
    pub fn verify(&self, data: &[u8]) -> Option<bool> {
        let (_, bytes) = self.append(W::default())?;
        let good = self.checksum(data).into() ^ self.params.xorout == self.params.residue;
        Some(good && data.len() >= bytes)
    }

    /// Returns the CRC with values of another width, which must hold them.
    pub(crate) fn with_width<V: Width>(self) -> Crc<V> {
        let Crc { params, compiled, engine, value: PhantomData } = self;
        Crc { params, compiled, engine, value: PhantomData }
    }

    /// Returns the register before the first byte.
    pub(crate) const fn start(&self) -> u128 {
        match &self.engine {
            Engine::Embedded(constants) => constants.start() as u128,
            Engine::Wide(_) => self.params.init,
        }
    }

    #[allow(clippy::useless_conversion)] // It is one for one family only.
    fn run(&self, state: u128, data: &[u8]) -> u128 {
        of_family!(self, |best, with| best.run(with, Width::of_low(state), data).into())
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

    /// Returns the register before `bytes` zero bytes.
    ///
    /// It goes bit by bit and takes some microseconds; only
    /// [`Partial::remove_suffix`](crate::Partial::remove_suffix) needs it.
    pub(crate) fn retreat(&self, state: u128, bytes: u64) -> u128 {
        let turned = |value| if self.params.refout { self.params.reflect(value) } else { value };
        let register = turned(self.finish(state) ^ self.params.xorout);
        let register = self.params.multiply(register, self.params.inverse_power(bytes));
        self.register(turned(register) ^ self.params.xorout)
    }
}

/// Adds a constant function for each integer: traits have none.
macro_rules! checksum_const {
    ($($integer:ident)*) => {$(
        impl Crc<$integer> {
            /// Computes the check value of `data` at compile time, by tables, a byte at a time.
            ///
            /// At run time [`Crc::checksum`] is faster.
            ///
            /// ```
            /// use residue::crc::CRC_32C;
            /// const GREETING: u32 = CRC_32C.checksum_const(b"123456789");
            /// assert_eq!(GREETING, 0xe306_9283);
            /// ```
            #[must_use]
            pub const fn checksum_const(&self, data: &[u8]) -> $integer {
                self.const_value(data) as $integer
            }
        }
    )*};
}
checksum_const!(u8 u16 u32 u64 u128);

/// Two CRCs are equal if their definitions give all data the same value, even if their names
/// differ.
impl<W: Width> PartialEq for Crc<W> {
    fn eq(&self, other: &Crc<W>) -> bool {
        self.params.same_code(&other.params)
    }
}

impl<W: Width> Eq for Crc<W> {}
