//! CRCs of data that arrives in pieces.

use super::any::Crc;
use super::choice::of_family;
use super::width::Width;
use crate::Error;
use crate::kernel::copy::{self, Destination};
use crate::length::Length;
use crate::streaming::streaming;
use core::borrow::Borrow;
use core::marker::PhantomData;

/// The CRC of data that arrives in pieces.
///
/// `C` is how the digest holds its CRC: `&Crc<W>` (from [`Crc::digest`]), `Crc<W>` itself, or
/// `Arc<Crc<W>>`. `Digest<u32>` is the digest of a static.
///
/// ```
/// use residue::crc::{CRC_32C, Crc, Digest, catalog};
/// struct Connection {
///     sent: Digest<u32>,
/// }
/// let mut connection = Connection { sent: CRC_32C.digest() };
/// connection.sent.update(b"12345");
/// connection.sent.update(b"6789");
/// assert_eq!(connection.sent.value(), 0xe306_9283);
///
/// /// Returns a digest of a CRC that is chosen at run time.
/// fn digest(name: &str) -> Option<Digest<u16, Crc<u16>>> {
///     Some(Digest::new(Crc::try_new(catalog::find(name)?).ok()?))
/// }
/// let mut digest = digest("crc-16/modbus").unwrap();
/// digest.update(b"123456789");
/// assert_eq!(digest.value(), 0x4b37);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Digest<W: Width = u128, C = &'static Crc<W>> {
    crc: C,
    state: u128,
    bytes: Length,
    value: PhantomData<W>,
}

impl<W: Width> Crc<W> {
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
}

impl<W: Width, C> Digest<W, C> {
    /// Starts with the register `state`.
    const fn at_start(crc: C, state: u128) -> Self {
        Digest { crc, state, bytes: Length::new(0), value: PhantomData }
    }

    /// Returns the number of bytes added.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes.get()
    }
}

impl<W: Width, C: Borrow<Crc<W>>> Digest<W, C> {
    /// Starts with the CRC of the empty message.
    #[must_use]
    pub fn new(crc: C) -> Self {
        let state = crc.borrow().start();
        Digest::at_start(crc, state)
    }

    /// Starts with another initial register than the CRC's own, written as [`Params::init`] is:
    /// not reflected.
    ///
    /// ```
    /// use residue::crc::{CRC_16_MODBUS, CRC_16_ARC, Digest};
    /// // They differ only in the initial register.
    /// let mut digest = Digest::with_init(&CRC_16_ARC, 0xffff);
    /// digest.update(b"123456789");
    /// assert_eq!(digest.value(), CRC_16_MODBUS.checksum(b"123456789"));
    /// ```
    ///
    /// [`Params::init`]: super::Params::init
    #[must_use]
    pub fn with_init(crc: C, init: W) -> Self {
        let params = crc.borrow().params();
        let init = init.into() & params.mask();
        let value = (if params.refout { params.reflect(init) } else { init }) ^ params.xorout;
        let state = crc.borrow().register(value);
        Digest::at_start(crc, state)
    }

    /// Continues after `bytes` bytes of data that have the value `value`.
    ///
    /// Bits of `value` above the width are ignored.
    #[must_use]
    pub fn resume(crc: C, value: W, bytes: u64) -> Self {
        let state = crc.borrow().register(value.into());
        Digest { bytes: Length::new(bytes), ..Digest::at_start(crc, state) }
    }

    /// Returns the CRC.
    #[must_use]
    pub fn crc(&self) -> &Crc<W> {
        self.crc.borrow()
    }

    /// Adds the next bytes.
    pub fn update(&mut self, data: &[u8]) {
        self.state = self.crc.borrow().run(self.state, data);
        self.bytes.add(data.len());
    }

    /// Adds the next bytes and copies them to `to`, in one pass.
    ///
    /// # Panics
    /// If the lengths differ.
    #[allow(clippy::useless_conversion)] // It is one for one family only.
    pub fn update_copying(&mut self, from: &[u8], to: &mut (impl Destination + ?Sized)) {
        let state = self.state;
        self.state = of_family!(self.crc(), |best, context| {
            copy::run(best, context, Width::of_low(state), from, to).into()
        });
        self.bytes.add(from.len());
    }

    /// Returns the value of the data added up to now.
    #[must_use]
    pub fn value(&self) -> W {
        W::of_low(self.crc.borrow().finish(self.state))
    }

    /// Starts again with the CRC of the empty message.
    pub fn reset(&mut self) {
        self.state = self.crc.borrow().start();
        self.bytes = Length::new(0);
    }

    /// Appends data that was digested separately.
    ///
    /// # Errors
    /// [`Error::DifferentCodes`] if the CRCs' parameters differ; [`Error::TooLong`] for 2^64 bytes
    /// and more.
    pub fn combine<D: Borrow<Crc<W>>>(&mut self, next: &Digest<W, D>) -> Result<(), Error> {
        let crc = self.crc.borrow();
        if crc != next.crc.borrow() {
            return Err(Error::DifferentCodes);
        }
        let bytes = self.bytes.followed_by(next.bytes)?;
        self.state = crc.advance(self.state ^ crc.start(), next.bytes()) ^ next.state;
        self.bytes = bytes;
        Ok(())
    }
}

/// Two digests are equal if their CRCs, their values and the numbers of bytes are.
impl<W: Width, C: Borrow<Crc<W>>, D: Borrow<Crc<W>>> PartialEq<Digest<W, D>> for Digest<W, C> {
    fn eq(&self, other: &Digest<W, D>) -> bool {
        (self.state, self.bytes) == (other.state, other.bytes) && self.crc() == other.crc()
    }
}

impl<W: Width, C: Borrow<Crc<W>>> Eq for Digest<W, C> {}

streaming!([W: Width, C: Borrow<Crc<W>>] Digest<W, C>);
