//! Any CRC, ready to run: its parameters, and the constants that its kernels need.

use super::constants::{Constants, Embedded};
use super::family::Register;
use super::params::Params;
use super::wide::{Wide, WideFamily};
use super::width::Width;
use super::{advance, catalog};
use crate::Error;
use crate::body::Family;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;

/// The CRCs with compiled-in constants, by the function that computes them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compiled {
    /// [`crc32c`](crate::crc32c).
    Crc32c,
    /// [`crc32`](crate::crc32).
    Crc32,
    /// [`crc64_nvme`](crate::crc64_nvme).
    Crc64Nvme,
}

/// A CRC ready to run: its parameters and the constants for its kernels.
///
/// `W` is the integer of its values: `u16` for CRCs of up to 16 bits, and so on. `Crc` alone is
/// `Crc<u128>`, which holds any CRC; a [`Code`](crate::Code) has one. [`CRC_32C`](super::CRC_32C),
/// [`CRC_32`](super::CRC_32), [`CRC_64_NVME`](super::CRC_64_NVME) and other common ones are statics
/// of this module.
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
#[derive(Clone)]
pub struct Crc<W: Width = u128> {
    params: Params,
    compiled: Option<Compiled>,
    pub(super) engine: Engine,
    value: PhantomData<W>,
}

#[derive(Clone)]
// Without allocation there is nowhere else to put the constants.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Engine {
    Embedded(Constants),
    Wide(Wide),
}

/// Writes the name, or the parameters of a CRC without one, not its tables.
impl<W: Width> fmt::Debug for Crc<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.params.name {
            "custom" => write!(f, "Crc({})", self.params),
            name => write!(f, "Crc({name})"),
        }
    }
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
    pub(crate) const fn compiled(&self) -> Option<Compiled> {
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

    /// Returns the constants for the kernels of `embedded`; `None` above 64 bits.
    pub(crate) const fn constants(&self) -> Option<&Constants> {
        match &self.engine {
            Engine::Embedded(constants) => Some(constants),
            Engine::Wide(_) => None,
        }
    }

    /// Computes the check value of `data` a byte at a time.
    const fn const_value(&self, data: &[u8]) -> u128 {
        match &self.engine {
            Engine::Embedded(constants) => constants.const_value(data) as u128,
            Engine::Wide(_) => self.params.reference(data),
        }
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

impl<W: Width> Hash for Crc<W> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.params.definition().hash(hasher);
    }
}
