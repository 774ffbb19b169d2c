//! Cyclic redundancy checks: the remainder of a division of polynomials over GF(2), any width up to 128 bits.
//!
//! A code is named by the parameters of the Rocksoft model, as the RevEng catalogue lists them ([`catalog`]): with the
//! message's bits as the polynomial M of n bits (each byte's lowest bit first if `refin`, else its highest), and P the
//! generator of degree w,
//!
//! ```text
//! register = init x^n + M x^w  mod P        value = (register, its bits reversed if refout) xor xorout
//! ```
//!
//! Example: CRC-32/ISO-HDLC of `123456789` is CBF43926.
//!
//! Appending the value in the code's own order ([`Crc::append`]) makes the register of the whole a constant, the
//! residue, whatever the message ([`Crc::verify`]).
//!
//! **Trap.** Reflection is part of the code: one that reflects its bytes but not its value is another code, and a program
//! can agree with itself and with nobody else. And the bytes of a reflected CRC go on the wire lowest first: appended
//! highest first, the residue does not appear.
//!
//! Up to 64 bits a CRC runs on any kernel, in one 64-bit embedding (see [`gf2`]); wider ones run bit by bit, or on
//! [`tables::Tables`].

pub mod catalog;
pub mod crc32c;
pub(crate) mod fold;
pub(crate) mod gf2;
pub mod tables;

use crate::Error;
use crate::arch::{Portable, Tier};
use crate::kernel::{Body, Dispatch, Family, Kernel};
use fold::Fold;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use crate::arch::Pclmul;
#[cfg(target_arch = "aarch64")]
use crate::arch::Pmull;

/// The parameters that define a CRC.
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
    /// Parameters of a CRC that is not in the catalogue; the check value and the residue are computed.
    ///
    /// # Errors
    /// If the width is not 1 to 128, a parameter has bits above it, or the polynomial lacks its constant term.
    pub fn new(
        name: &'static str,
        width: u8,
        poly: u128,
        init: u128,
        (refin, refout): (bool, bool),
        xorout: u128,
    ) -> Result<Params, Error> {
        if !(1..=128).contains(&width) {
            return Err(Error::Width(u32::from(width)));
        }
        let mask = u128::MAX >> (128 - width);
        for (name, value) in [("poly", poly), ("init", init), ("xorout", xorout)] {
            if value & !mask != 0 {
                return Err(Error::TooWide(name));
            }
        }
        if poly & 1 == 0 {
            return Err(Error::EvenPolynomial);
        }
        let mut params = Params {
            name,
            width,
            poly,
            init,
            refin,
            refout,
            xorout,
            check: 0,
            residue: 0,
        };
        params.check = params.reference(b"123456789");
        params.residue = params.computed_residue();
        Ok(params)
    }

    /// The largest value of the width.
    #[must_use]
    pub const fn mask(&self) -> u128 {
        u128::MAX >> (128 - self.width)
    }

    /// The lowest `width` bits of `value`, reversed.
    #[must_use]
    pub const fn reflect(&self, value: u128) -> u128 {
        value.reverse_bits() >> (128 - self.width)
    }

    /// The polynomial in reversed notation: bit i is the coefficient of x^(width-1-i) (0xedb88320 for CRC-32).
    #[must_use]
    pub const fn reversed(&self) -> u128 {
        self.reflect(self.poly)
    }

    /// The reciprocal polynomial, x^width P(1/x), in normal notation.
    #[must_use]
    pub const fn reciprocal(&self) -> u128 {
        (self.reflect(self.poly) << 1 | 1) & self.mask()
    }

    /// The polynomial in Koopman's notation ("reversed reciprocal"): the top term written, the constant term not.
    #[must_use]
    pub const fn koopman(&self) -> u128 {
        self.poly >> 1 | 1 << (self.width - 1)
    }

    /// The register after `bits` more bits, highest first, of `value`.
    const fn feed(&self, mut register: u128, value: u128, bits: u32) -> u128 {
        let (top, mut bit) = (self.width - 1, bits);
        while bit > 0 {
            bit -= 1;
            let carry = (register >> top ^ value >> bit) & 1;
            register = register << 1 & self.mask();
            if carry == 1 {
                register ^= self.poly;
            }
        }
        register
    }

    /// The definition, one message bit at a time: the value of `data`.
    #[must_use]
    pub const fn reference(&self, data: &[u8]) -> u128 {
        let (mut register, mut i) = (self.init, 0);
        while i < data.len() {
            let byte = if self.refin {
                data[i].reverse_bits()
            } else {
                data[i]
            };
            register = self.feed(register, byte as u128, 8);
            i += 1;
        }
        (if self.refout {
            self.reflect(register)
        } else {
            register
        }) ^ self.xorout
    }

    /// The residue: a codeword's last w bits are register xor xorout, so the register after it is xorout x^w mod P.
    #[must_use]
    pub const fn computed_residue(&self) -> u128 {
        let last = if self.refout {
            self.reflect(self.xorout)
        } else {
            self.xorout
        };
        let register = self.feed(0, last, self.width as u32);
        if self.refout {
            self.reflect(register)
        } else {
            register
        }
    }
}

/// A CRC, ready to run: its parameters and the constants its kernels need.
///
/// About 2.8 KiB: put it in a `static`, not a `const`, which would be copied at each use.
///
/// ```
/// use residue::crc::{Crc, catalog};
/// static X25: Crc = Crc::new(&catalog::CRC_16_IBM_SDLC);
/// assert_eq!(X25.checksum(b"123456789"), 0x906e);
/// ```
#[derive(Clone, Debug)]
pub struct Crc {
    params: Params,
    engine: Engine,
}

#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // Without allocation there is nowhere else to put the constants.
enum Engine {
    Embedded(Constants),
    Wide(Wide),
}

impl Crc {
    /// Prepares a CRC. At run time this takes a few microseconds.
    ///
    /// # Panics
    /// If the width is not 1 to 128 bits (in a `static`: does not compile). [`Params::new`] checks parameters that are
    /// not known to be right.
    #[must_use]
    pub const fn new(params: &Params) -> Crc {
        assert!(
            params.width >= 1 && params.width <= 128,
            "a CRC's width is 1 to 128 bits"
        );
        let engine = if params.width <= 64 {
            Engine::Embedded(Constants::new(params))
        } else {
            Engine::Wide(Wide { params: *params })
        };
        Crc {
            params: *params,
            engine,
        }
    }

    /// The parameters.
    #[must_use]
    pub const fn params(&self) -> &Params {
        &self.params
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
    pub fn checksum(&self, data: &[u8]) -> u128 {
        match &self.engine {
            Engine::Embedded(constants) => u128::from(BEST.whole(constants, data)),
            Engine::Wide(wide) => BEST_WIDE.whole(wide, data),
        }
    }

    /// The check value of data that comes in pieces.
    #[must_use]
    pub fn digest(&self) -> Digest<'_> {
        Digest {
            crc: self,
            state: self.start(),
            bytes: 0,
        }
    }

    /// The check value of two pieces of data from the values of each; `length` is that of the second, in bytes.
    ///
    /// Takes about log2(`length`) multiplications modulo P.
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
    /// Nothing else of the data is read: the code is linear. `None` if the lengths of `old` and `new` differ or the
    /// change reaches past `length`.
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

    /// The bytes that append `value` to its message in the code's own order (lowest byte first if reflected), and how
    /// many of them count. `None` for a width that is no whole number of bytes, and for crossed reflection.
    #[must_use]
    pub const fn append(&self, value: u128) -> Option<([u8; 16], usize)> {
        let Params {
            width,
            refin,
            refout,
            ..
        } = self.params;
        if width % 8 != 0 || refin != refout {
            return None;
        }
        let bytes = if refin {
            value.to_le_bytes()
        } else {
            (value << (128 - width)).to_be_bytes()
        };
        Some((bytes, width as usize / 8))
    }

    /// Whether `data` ends with the check value of what is before it, told by the residue in one pass. `None` where
    /// [`Crc::append`] is.
    #[must_use]
    pub fn verify(&self, data: &[u8]) -> Option<bool> {
        let (_, bytes) = self.append(0)?;
        let good = self.checksum(data) ^ self.params.xorout == self.params.residue;
        Some(good && data.len() >= bytes)
    }

    /// The register of an engine before the first byte.
    fn start(&self) -> u128 {
        match &self.engine {
            Engine::Embedded(constants) => u128::from(constants.init),
            Engine::Wide(wide) => WideFamily::start(wide),
        }
    }

    fn run(&self, state: u128, data: &[u8]) -> u128 {
        match &self.engine {
            Engine::Embedded(constants) => u128::from(BEST.run(constants, state as u64, data)),
            Engine::Wide(wide) => BEST_WIDE.run(wide, state, data),
        }
    }

    fn finish(&self, state: u128) -> u128 {
        match &self.engine {
            Engine::Embedded(constants) => u128::from(constants.finish(state as u64)),
            Engine::Wide(wide) => WideFamily::finish(wide, state),
        }
    }

    /// The register whose value is `value`.
    fn register(&self, value: u128) -> u128 {
        let value = (value ^ self.params.xorout) & self.params.mask();
        match &self.engine {
            Engine::Embedded(constants) => u128::from(constants.register(value as u64)),
            Engine::Wide(wide) => wide.register(value),
        }
    }

    /// The register after `bytes` zero bytes.
    fn advance(&self, state: u128, bytes: u64) -> u128 {
        match &self.engine {
            Engine::Embedded(constants) => u128::from(constants.advance(state as u64, bytes)),
            Engine::Wide(wide) => wide.advance(state, bytes),
        }
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

    /// Appends data that was digested apart by the same CRC, as if it had followed.
    pub fn combine(&mut self, next: &Digest<'_>) {
        debug_assert_eq!(
            self.crc.params, next.crc.params,
            "digests of two different CRCs"
        );
        let difference = self.state ^ self.crc.start();
        self.state = self.crc.advance(difference, next.bytes) ^ next.state;
        self.bytes += next.bytes;
    }
}

/// What the kernels need of a CRC of up to 64 bits, in its 64-bit embedding: the register is right-aligned if the code
/// reads the lowest bit first, with bit i the coefficient of x^(w-1-i); left-aligned otherwise.
#[derive(Clone, Debug)]
pub struct Constants {
    pub(crate) width: u8,
    pub(crate) reflected: bool,
    /// Whether the register's bits are reversed between the end of the data and the value.
    crossed: bool,
    /// The embedded register before the first byte.
    init: u64,
    xorout: u64,
    /// The embedded polynomial without its top term, bit i the coefficient of x^i.
    pub(crate) poly: u64,
    pub(crate) fold: fold::Keys,
    /// The register after each byte, from zero.
    bytes: [u64; 256],
    /// x^(8 2^k) modulo the embedded polynomial.
    powers: [u64; 64],
}

impl Constants {
    const fn new(params: &Params) -> Constants {
        let poly = (params.poly as u64) << (64 - params.width);
        let reflected = params.refin;
        let mut bytes = [0; 256];
        let mut i = 0;
        while i < 256 {
            let byte = if reflected {
                (i as u8).reverse_bits()
            } else {
                i as u8
            };
            let (mut register, mut bit) = ((byte as u64) << 56, 0);
            while bit < 8 {
                register = gf2::mulx(register, poly);
                bit += 1;
            }
            bytes[i] = if reflected {
                register.reverse_bits()
            } else {
                register
            };
            i += 1;
        }
        let mut powers = [gf2::xpow(8, poly); 64];
        let mut k = 1;
        while k < 64 {
            powers[k] = gf2::mul(powers[k - 1], powers[k - 1], poly);
            k += 1;
        }
        let mut constants = Constants {
            width: params.width,
            reflected,
            crossed: params.refin != params.refout,
            init: 0,
            xorout: params.xorout as u64,
            poly,
            fold: fold::Keys::new(poly, reflected),
            bytes,
            powers,
        };
        let init = if reflected {
            params.reflect(params.init)
        } else {
            params.init
        } as u64;
        constants.init = constants.embed(init);
        constants
    }

    /// A right-aligned register in the embedding.
    const fn embed(&self, register: u64) -> u64 {
        if self.reflected {
            register
        } else {
            register << (64 - self.width)
        }
    }

    /// The embedded register whose value, before xorout, is `value`.
    const fn register(&self, value: u64) -> u64 {
        let register = if self.crossed {
            value.reverse_bits() >> (64 - self.width)
        } else {
            value
        };
        self.embed(register)
    }

    #[inline(always)]
    const fn finish(&self, state: u64) -> u64 {
        let register = if self.reflected {
            state
        } else {
            state >> (64 - self.width)
        };
        let register = if self.crossed {
            register.reverse_bits() >> (64 - self.width)
        } else {
            register
        };
        register ^ self.xorout
    }

    /// The embedded register after `bytes` zero bytes.
    pub(crate) const fn advance(&self, state: u64, bytes: u64) -> u64 {
        let mut register = if self.reflected {
            state.reverse_bits()
        } else {
            state
        };
        let mut left = bytes;
        while left != 0 {
            register = gf2::mul(
                register,
                self.powers[left.trailing_zeros() as usize],
                self.poly,
            );
            left &= left - 1;
        }
        if self.reflected {
            register.reverse_bits()
        } else {
            register
        }
    }
}

/// The family of the CRCs of up to 64 bits. Its state is the embedded register (see [`Constants`]).
#[derive(Debug)]
pub struct Embedded;

impl Family for Embedded {
    type With = Constants;
    type State = u64;
    type Value = u64;

    #[inline(always)]
    fn start(with: &Constants) -> u64 {
        with.init
    }

    #[inline(always)]
    fn finish(with: &Constants, state: u64) -> u64 {
        with.finish(state)
    }
}

/// The polynomial as a value the compiler knows nothing of: with a constant one it recognises the loop below and
/// replaces it by table look-ups, and the benchmark would measure `bytewise` under another name.
#[inline(always)]
fn opaque(poly: u64) -> u64 {
    core::hint::black_box(poly)
}

/// One message bit at a time, in the code's own bit order.
pub(crate) struct Bitwise;

impl<T: Tier> Body<T> for Bitwise {
    type Family = Embedded;
    #[inline(always)]
    fn run(tier: T, with: &Constants, mut state: u64, data: &[u8]) -> u64 {
        if !with.reflected {
            return <BitwiseMsb as Body<T>>::run(tier, with, state, data);
        }
        let poly = opaque(with.poly.reverse_bits());
        for &byte in data {
            state ^= u64::from(byte);
            for _ in 0..8 {
                state = (state >> 1) ^ (poly & (state & 1).wrapping_neg());
            }
        }
        state
    }
}

/// One message bit at a time, highest first: for a reflected code each byte is reversed on its way in, and the register
/// at the end (the form of the thesis, section 4.4.1).
pub(crate) struct BitwiseMsb;

impl<T: Tier> Body<T> for BitwiseMsb {
    type Family = Embedded;
    #[inline(always)]
    fn run(_: T, with: &Constants, state: u64, data: &[u8]) -> u64 {
        let poly = opaque(with.poly);
        let mut register = if with.reflected {
            state.reverse_bits()
        } else {
            state
        };
        for &byte in data {
            let byte = if with.reflected {
                byte.reverse_bits()
            } else {
                byte
            };
            register ^= u64::from(byte) << 56;
            for _ in 0..8 {
                register = gf2::mulx(register, poly);
            }
        }
        if with.reflected {
            register.reverse_bits()
        } else {
            register
        }
    }
}

/// One byte at a time, from the table inside [`Constants`].
struct Bytewise;

impl<T: Tier> Body<T> for Bytewise {
    type Family = Embedded;
    #[inline(always)]
    fn run(_: T, with: &Constants, mut state: u64, data: &[u8]) -> u64 {
        if with.reflected {
            for &byte in data {
                state = (state >> 8) ^ with.bytes[(state as u8 ^ byte) as usize];
            }
        } else {
            for &byte in data {
                state = (state << 8) ^ with.bytes[((state >> 56) as u8 ^ byte) as usize];
            }
        }
        state
    }
}

/// The kernels of the CRCs of up to 64 bits that need no tables, best first. [`tables::Tables`] has the others.
pub static KERNELS: &[Kernel<Embedded>] = &[
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Kernel::on::<Pclmul, Fold>("pclmul"),
    #[cfg(target_arch = "aarch64")]
    Kernel::on::<Pmull, Fold>("pmull"),
    Kernel::on::<Portable, Fold>("generic").method(),
    Kernel::on::<Portable, Bitwise>("bitwise").historical(),
    Kernel::on::<Portable, BitwiseMsb>("bitwise_msb").historical(),
    Kernel::on::<Portable, Bytewise>("portable"),
];

static BEST: Dispatch<Embedded> = Dispatch::new(KERNELS);

/// What the kernels need of a CRC of more than 64 bits. The register is right-aligned, highest power first.
#[derive(Clone, Debug)]
pub struct Wide {
    params: Params,
}

impl Wide {
    const fn register(&self, value: u128) -> u128 {
        if self.params.refout {
            self.params.reflect(value)
        } else {
            value
        }
    }

    /// a b mod P.
    const fn mul(&self, a: u128, b: u128) -> u128 {
        let (mut product, mut bit) = (0, self.params.width);
        while bit > 0 {
            bit -= 1;
            product = self.params.feed(product, 0, 1) ^ (a & (b >> bit & 1).wrapping_neg());
        }
        product
    }

    const fn advance(&self, state: u128, bytes: u64) -> u128 {
        // x^8 has degree below the width.
        let (mut register, mut power, mut left) = (state, 1 << 8, bytes);
        while left != 0 {
            if left & 1 == 1 {
                register = self.mul(register, power);
            }
            power = self.mul(power, power);
            left >>= 1;
        }
        register
    }
}

/// The family of the CRCs of 65 to 128 bits.
#[derive(Debug)]
pub struct WideFamily;

impl Family for WideFamily {
    type With = Wide;
    type State = u128;
    type Value = u128;

    #[inline(always)]
    fn start(with: &Wide) -> u128 {
        with.params.init
    }

    #[inline(always)]
    fn finish(with: &Wide, state: u128) -> u128 {
        with.register(state) ^ with.params.xorout
    }
}

/// One message bit at a time.
struct WideBitwise;

impl<T: Tier> Body<T> for WideBitwise {
    type Family = WideFamily;
    #[inline(always)]
    fn run(_: T, with: &Wide, mut state: u128, data: &[u8]) -> u128 {
        for &byte in data {
            let byte = if with.params.refin {
                byte.reverse_bits()
            } else {
                byte
            };
            state = with.params.feed(state, u128::from(byte), 8);
        }
        state
    }
}

/// The kernels of the CRCs above 64 bits that need no tables.
pub static KERNELS_WIDE: &[Kernel<WideFamily>] = &[
    Kernel::on::<Portable, WideBitwise>("bitwise_msb").historical(),
    Kernel::on::<Portable, WideBitwise>("portable"),
];

static BEST_WIDE: Dispatch<WideFamily> = Dispatch::new(KERNELS_WIDE);
