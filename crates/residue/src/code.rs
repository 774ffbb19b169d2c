//! A code chosen by name at run time: what the command line and other languages use.

mod stream;

use crate::crc::tables::{Tabled, Tables, Word};
use crate::crc::{self, Crc, Params, catalog, crc32c};
use crate::fletcher::{self, Fletcher16, Fletcher32, Sums, Variant, swap_halves};
use crate::foil::{self, Foil, Foiled};
use crate::kernel::{self, Family, Kernel, KernelInfo, Sort};
use crate::{Error, adler, cpu, internet, xns};
use core::fmt;
use core::str::FromStr;
use stream::State;

pub use stream::Stream;

/// An error-detection code.
///
/// ```
/// use residue::Code;
/// let code: Code = "crc32c".parse()?;
/// assert_eq!((code.name(), code.value(b"123456789")), ("crc-32/iscsi", 0xe306_9283));
/// # Ok::<(), residue::Error>(())
/// ```
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // Without allocation a CRC's constants have nowhere else to be.
pub enum Code {
    /// A code whose constants are all compiled in.
    Sum(Sum),
    /// A CRC.
    Crc(Crc),
}

macro_rules! sums {
    ($($variant:ident $name:literal $bits:literal $about:literal;)*) => {
        /// The codes that are not CRCs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Sum {
            $(#[doc = $about] $variant),*
        }

        impl Sum {
            const ALL: &[Sum] = &[$(Sum::$variant),*];

            const fn facts(self) -> (&'static str, u32, &'static str) {
                match self {
                    $(Sum::$variant => ($name, $bits, $about)),*
                }
            }
        }
    };
}

sums! {
    Internet "internet" 16 "The Internet checksum (RFC 1071): one's-complement sum of big-endian words, complemented.";
    Xns "xns" 16 "XNS IDP: one's-complement sum of big-endian words, rotated left after each.";
    Fletcher16 "fletcher-16" 16 "Fletcher's sums of bytes modulo 255, B:A.";
    Fletcher32 "fletcher-32" 32 "Fletcher's sums of little-endian words modulo 65535, B:A.";
    Fletcher32Be "fletcher-32/be" 32 "Fletcher's sums of big-endian words modulo 65535, B:A.";
    Fletcher16Mod256 "fletcher-16/mod256" 16 "A common mistake: Fletcher's sums of bytes modulo 256, B:A.";
    Fletcher32Mod65536 "fletcher-32/mod65536" 32 "A common mistake: Fletcher's sums of little-endian words modulo 65536, B:A.";
    Rfc1146B8 "rfc1146-8" 16 "TCP alternate checksum 1 (RFC 1146): one's-complement Fletcher sums of bytes, A:B.";
    Rfc1146B16 "rfc1146-16" 32 "TCP alternate checksum 2 (RFC 1146): one's-complement Fletcher sums of big-endian words, A:B.";
    Adler32 "adler-32" 32 "Adler-32 (RFC 1950): sums of bytes modulo 65521, B:A.";
    Xor8 "xor-8" 8 "Exclusive or of bytes (longitudinal redundancy check).";
    Xor16 "xor-16" 16 "Exclusive or of big-endian 16-bit words.";
    Xor32 "xor-32" 32 "Exclusive or of big-endian 32-bit words.";
    Sum8 "sum-8" 8 "Two's-complement sum of bytes.";
    Sum16 "sum-16" 16 "Two's-complement sum of big-endian 16-bit words.";
    Sum32 "sum-32" 32 "Two's-complement sum of big-endian 32-bit words.";
}

/// Other names in use for the sums.
const SUM_ALIASES: &[(&str, Sum)] = &[
    ("rfc1071", Sum::Internet),
    ("ip", Sum::Internet),
    ("tcp", Sum::Internet),
    ("udp", Sum::Internet),
    ("idp", Sum::Xns),
    ("ipx", Sum::Xns),
    ("lrc", Sum::Xor8),
];

/// Looks at the tables of kernels of a [`Code`], each with the types of its family.
pub trait Visitor {
    /// One table. `with` is what its kernels work with; `spell` turns the family's value, and the data it came from,
    /// into the code's value.
    fn table<F: Family<Value: Into<u128>, With: Clone>>(
        &mut self,
        kernels: &'static [Kernel<F>],
        with: &F::With,
        spell: fn(u128, &[u8]) -> u128,
    );
}

impl Code {
    /// Every named code: the sums, then the catalogue of CRCs.
    pub fn all() -> impl Iterator<Item = Code> {
        let sums = Sum::ALL.iter().map(|&sum| Code::Sum(sum));
        sums.chain(
            catalog::ALL
                .iter()
                .map(|params| Code::Crc(Crc::new(params))),
        )
    }

    /// The names of [`Code::all`], in lower case.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let sums = Sum::ALL.iter().map(|sum| sum.facts().0);
        sums.chain(catalog::ALL.iter().map(|params| params.name))
    }

    /// Other names that are understood, each with the name of its code.
    pub fn aliases() -> impl Iterator<Item = (&'static str, &'static str)> {
        let sums = SUM_ALIASES
            .iter()
            .map(|(alias, sum)| (*alias, sum.facts().0));
        sums.chain(
            catalog::ALIASES
                .iter()
                .map(|(alias, params)| (*alias, params.name)),
        )
    }

    /// The name, in lower case; `custom` for a CRC outside the catalogue.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Code::Sum(sum) => sum.facts().0,
            Code::Crc(crc) => crc.params().name,
        }
    }

    /// Bits of the value.
    #[must_use]
    pub fn width(&self) -> u32 {
        match self {
            Code::Sum(sum) => sum.facts().1,
            Code::Crc(crc) => u32::from(crc.params().width),
        }
    }

    /// One sentence, for sums; a CRC is told by its parameters.
    #[must_use]
    pub fn about(&self) -> Option<&'static str> {
        match self {
            Code::Sum(sum) => Some(sum.facts().2),
            Code::Crc(_) => None,
        }
    }

    /// The parameters, for CRCs.
    #[must_use]
    pub fn params(&self) -> Option<&Params> {
        match self {
            Code::Sum(_) => None,
            Code::Crc(crc) => Some(crc.params()),
        }
    }

    /// Whether the value's bytes go on the wire lowest first (reflected CRCs).
    #[must_use]
    pub fn little_endian(&self) -> bool {
        self.params().is_some_and(|params| params.refout)
    }

    /// The value of `data`, of any length, by the kernel the library chooses.
    #[must_use]
    pub fn value(&self, data: &[u8]) -> u128 {
        let mut stream = self.stream();
        stream.update(data);
        stream.value()
    }

    /// The value of `data` by the code's definition, one unit at a time: what every kernel is tested against.
    #[must_use]
    pub fn reference(&self, data: &[u8]) -> u128 {
        let nonzero = data.iter().any(|&byte| byte != 0);
        let fletcher16 = |modulus| {
            let [a, b] = fletcher::reference(data, 1, modulus);
            u128::from(b << 8 | a)
        };
        let fletcher32 = |modulus| {
            let [a, b] = fletcher::reference(data, 2, modulus);
            u128::from(b << 16 | a)
        };
        match self {
            Code::Crc(crc) => crc.params().reference(data),
            Code::Sum(sum) => match sum {
                Sum::Internet => internet::reference(data).into(),
                Sum::Xns => xns::reference(data).into(),
                Sum::Fletcher16 => fletcher16(255),
                Sum::Fletcher32 => fletcher32(65535),
                Sum::Fletcher32Be => big_endian(fletcher32(65535)),
                Sum::Fletcher16Mod256 => fletcher16(256),
                Sum::Fletcher32Mod65536 => fletcher32(65536),
                Sum::Rfc1146B8 => rfc1146_8(fletcher::reference(data, 1, 255), nonzero),
                Sum::Rfc1146B16 => rfc1146_16(fletcher::reference(data, 2, 65535), nonzero),
                Sum::Adler32 => adler::reference(data).into(),
                Sum::Xor8 => foil::reference(data, true, 1).into(),
                Sum::Xor16 => foil::reference(data, true, 2).into(),
                Sum::Xor32 => foil::reference(data, true, 4).into(),
                Sum::Sum8 => foil::reference(data, false, 1).into(),
                Sum::Sum16 => foil::reference(data, false, 2).into(),
                Sum::Sum32 => foil::reference(data, false, 4).into(),
            },
        }
    }

    /// The value of `data` by the kernel of this name.
    ///
    /// A table-driven kernel makes its tables first, which takes some microseconds: use [`Code::visit`] to keep them.
    ///
    /// # Errors
    /// If the code has no such kernel, or this CPU cannot run it.
    pub fn value_with(&self, kernel: &str, data: &[u8]) -> Result<u128, Error> {
        struct Value<'a> {
            kernel: &'a str,
            data: &'a [u8],
            result: Result<u128, Error>,
        }
        impl Visitor for Value<'_> {
            fn table<F: Family<Value: Into<u128>>>(
                &mut self,
                kernels: &'static [Kernel<F>],
                with: &F::With,
                spell: fn(u128, &[u8]) -> u128,
            ) {
                let Some(kernel) = kernels.iter().find(|k| k.info().name == self.kernel) else {
                    return;
                };
                self.result = match kernel.force() {
                    Some(forced) => Ok(spell(forced.value(with, self.data).into(), self.data)),
                    None => Err(Error::UnsupportedKernel(kernel.info().name)),
                };
            }
        }
        let mut visitor = Value {
            kernel,
            data,
            result: Err(Error::UnknownKernel),
        };
        self.visit(&mut visitor);
        visitor.result
    }

    /// Its kernels, best first.
    pub fn kernels(&self) -> impl Iterator<Item = KernelInfo> + use<> {
        struct List([Option<KernelInfo>; 32], usize);
        impl Visitor for List {
            fn table<F: Family<Value: Into<u128>>>(
                &mut self,
                kernels: &'static [Kernel<F>],
                _: &F::With,
                _: fn(u128, &[u8]) -> u128,
            ) {
                for (slot, kernel) in self.0[self.1..].iter_mut().zip(kernels) {
                    *slot = Some(kernel.info());
                    self.1 += 1;
                }
            }
        }
        let mut list = List([None; 32], 0);
        self.visit(&mut list);
        list.0.into_iter().flatten()
    }

    /// The kernel the library uses on this CPU.
    #[must_use]
    pub fn chosen(&self) -> KernelInfo {
        struct Chosen(Option<KernelInfo>);
        impl Visitor for Chosen {
            fn table<F: Family<Value: Into<u128>>>(
                &mut self,
                kernels: &'static [Kernel<F>],
                _: &F::With,
                _: fn(u128, &[u8]) -> u128,
            ) {
                // The first table is the dispatched one.
                self.0
                    .get_or_insert(kernel::best(kernels, cpu::features()).info());
            }
        }
        let mut chosen = Chosen(None);
        self.visit(&mut chosen);
        let nothing = KernelInfo {
            name: "portable",
            needs: cpu::Features::NONE,
            sort: Sort::Dispatched,
        };
        chosen.0.unwrap_or(nothing)
    }

    /// Shows the code's tables of kernels to a visitor, the dispatched one first.
    pub fn visit(&self, visitor: &mut impl Visitor) {
        let plain = |value: u128, _: &[u8]| value;
        match self {
            Code::Sum(sum) => match sum {
                Sum::Internet => visitor.table(internet::KERNELS, &(), plain),
                Sum::Xns => visitor.table(xns::KERNELS, &(), plain),
                Sum::Fletcher16 => visitor.table(fletcher::KERNELS_16, &(), plain),
                Sum::Fletcher32 => visitor.table(fletcher::KERNELS_32, &(), plain),
                Sum::Fletcher32Be => {
                    visitor.table(fletcher::KERNELS_32, &(), |value, _| big_endian(value))
                }
                Sum::Fletcher16Mod256 => visitor.table(fletcher::KERNELS_16_MOD256, &(), plain),
                Sum::Fletcher32Mod65536 => visitor.table(fletcher::KERNELS_32_MOD65536, &(), plain),
                Sum::Rfc1146B8 => visitor.table(fletcher::KERNELS_16, &(), |value, data| {
                    let nonzero = data.iter().any(|&byte| byte != 0);
                    rfc1146_8([value & 0xff, value >> 8].map(|sum| sum as u32), nonzero)
                }),
                Sum::Rfc1146B16 => visitor.table(fletcher::KERNELS_32, &(), |value, data| {
                    let nonzero = data.iter().any(|&byte| byte != 0);
                    rfc1146_16([value & 0xffff, value >> 16].map(|sum| sum as u32), nonzero)
                }),
                Sum::Adler32 => visitor.table(adler::KERNELS, &(), plain),
                Sum::Xor8 => visitor.table(Foil::<true, 1>::KERNELS, &(), plain),
                Sum::Xor16 => visitor.table(Foil::<true, 2>::KERNELS, &(), plain),
                Sum::Xor32 => visitor.table(Foil::<true, 4>::KERNELS, &(), plain),
                Sum::Sum8 => visitor.table(Foil::<false, 1>::KERNELS, &(), plain),
                Sum::Sum16 => visitor.table(Foil::<false, 2>::KERNELS, &(), plain),
                Sum::Sum32 => visitor.table(Foil::<false, 4>::KERNELS, &(), plain),
            },
            Code::Crc(crc) if crc.params() == crc32c::CRC_32C.params() => {
                visitor.table(crc32c::KERNELS, &(), plain);
            }
            Code::Crc(crc) => {
                if let Some(constants) = crc.constants() {
                    visitor.table(crc::KERNELS, constants, plain);
                }
                if let Some(wide) = crc.wide() {
                    visitor.table(crc::KERNELS_WIDE, wide, plain);
                }
                let params = crc.params();
                match params.width {
                    0..=32 => tabled(visitor, &Tables::<u32>::new(params)),
                    33..=64 => tabled(visitor, &Tables::<u64>::new(params)),
                    _ => tabled(visitor, &Tables::<u128>::new(params)),
                }
            }
        }
    }

    /// The value of data that comes in pieces.
    #[must_use]
    pub fn stream(&self) -> Stream<'_> {
        Stream::new(match self {
            Code::Sum(sum) => match sum {
                Sum::Internet => State::Internet(internet::Checksum::new()),
                Sum::Xns => State::Xns(xns::Checksum::new()),
                Sum::Fletcher16 => State::Fletcher16(Fletcher16::new(), |s| s.value().into()),
                Sum::Rfc1146B8 => {
                    State::Fletcher16(Fletcher16::new(), |s| rfc1146_8(s.end_around(), false))
                }
                Sum::Fletcher32 => State::Fletcher32(Fletcher32::new(), |s| s.value().into()),
                Sum::Fletcher32Be => {
                    State::Fletcher32(Fletcher32::new(), |s| big_endian(s.value().into()))
                }
                Sum::Rfc1146B16 => {
                    State::Fletcher32(Fletcher32::new(), |s| rfc1146_16(s.end_around(), false))
                }
                Sum::Fletcher16Mod256 => State::Mod256(Sums::new()),
                Sum::Fletcher32Mod65536 => State::Mod65536(Sums::new()),
                Sum::Adler32 => State::Adler32(adler::Adler32::new()),
                Sum::Xor8 => State::Xor8(Foiled::new()),
                Sum::Xor16 => State::Xor16(Foiled::new()),
                Sum::Xor32 => State::Xor32(Foiled::new()),
                Sum::Sum8 => State::Sum8(Foiled::new()),
                Sum::Sum16 => State::Sum16(Foiled::new()),
                Sum::Sum32 => State::Sum32(Foiled::new()),
            },
            Code::Crc(crc) => State::Crc(crc.digest(), crc),
        })
    }

    /// The value after the bytes `old`, at `offset` of `length` bytes of data, became `new`. Nothing else is read.
    ///
    /// `None` if the lengths of `old` and `new` differ or the change reaches past `length`. For one's-complement codes
    /// (`internet`, `rfc1146-8`, `rfc1146-16`) new data that is zero throughout cannot be told from other multiples of the
    /// modulus, and the value is that of the others.
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
        if end > length || old.len() != new.len() {
            return None;
        }
        let v = value as u32;
        let sums16 = |ab| fletcher::update_at::<fletcher::Bytes255>(ab, length, offset, old, new);
        let sums32 = |ab| fletcher::update_at::<fletcher::Words65535>(ab, length, offset, old, new);
        let joined = |[a, b]: [u32; 2], bits: u32| u128::from(b) << bits | u128::from(a);
        Some(match self {
            Code::Crc(crc) => crc.update(value, length, offset, old, new)?,
            Code::Sum(sum) => match sum {
                Sum::Internet => internet::update_at(v as u16, offset, old, new)?.into(),
                Sum::Xns => xns::update_at(v as u16, length, offset, old, new)?.into(),
                Sum::Fletcher16 => joined(sums16([v & 0xff, v >> 8])?, 8),
                Sum::Fletcher32 => joined(sums32([v & 0xffff, v >> 16])?, 16),
                Sum::Fletcher32Be => {
                    let v = swap_halves(v);
                    big_endian(joined(sums32([v & 0xffff, v >> 16])?, 16))
                }
                Sum::Rfc1146B8 => rfc1146_8(sums16([v >> 8, v & 0xff].map(|sum| sum % 255))?, true),
                Sum::Rfc1146B16 => {
                    let v = swap_halves(v);
                    rfc1146_16(sums32([v >> 16, v & 0xffff].map(|sum| sum % 65535))?, true)
                }
                Sum::Fletcher16Mod256 => {
                    let ab = [v & 0xff, v >> 8];
                    joined(
                        fletcher::update_at::<fletcher::Bytes256>(ab, length, offset, old, new)?,
                        8,
                    )
                }
                Sum::Fletcher32Mod65536 => {
                    let ab = [v & 0xffff, v >> 16];
                    joined(
                        fletcher::update_at::<fletcher::Words65536>(ab, length, offset, old, new)?,
                        16,
                    )
                }
                Sum::Adler32 => adler::update_at(v, length, offset, old, new)?.into(),
                Sum::Xor8 => Foil::<true, 1>::update_at(v, offset, old, new)?.into(),
                Sum::Xor16 => Foil::<true, 2>::update_at(v, offset, old, new)?.into(),
                Sum::Xor32 => Foil::<true, 4>::update_at(v, offset, old, new)?.into(),
                Sum::Sum8 => Foil::<false, 1>::update_at(v, offset, old, new)?.into(),
                Sum::Sum16 => Foil::<false, 2>::update_at(v, offset, old, new)?.into(),
                Sum::Sum32 => Foil::<false, 4>::update_at(v, offset, old, new)?.into(),
            },
        })
    }
}

fn tabled<W: Word + Into<u128>>(visitor: &mut impl Visitor, tables: &Tables<W>) {
    visitor.table::<Tabled<W>>(W::KERNELS, tables, |value, _| value);
}

fn big_endian(value: u128) -> u128 {
    swap_halves(value as u32).into()
}

/// RFC 1146's form of sums modulo 255: M for 0 where the data are not zero throughout, A before B.
fn rfc1146_8(sums: [u32; 2], nonzero: bool) -> u128 {
    let [a, b] = end_around::<fletcher::Bytes255>(sums, nonzero);
    u128::from(a << 8 | b)
}

/// RFC 1146's form of sums of little-endian words modulo 65535.
fn rfc1146_16(sums: [u32; 2], nonzero: bool) -> u128 {
    let [a, b] = end_around::<fletcher::Words65535>(sums, nonzero);
    big_endian(u128::from(a << 16 | b))
}

fn end_around<V: Variant>(sums: [u32; 2], nonzero: bool) -> [u32; 2] {
    sums.map(|sum| if sum == 0 && nonzero { V::MODULUS } else { sum })
}

impl FromStr for Code {
    type Err = Error;

    /// A name of [`Code::names`] or an alias (case, `-` and `_` do not matter), or a CRC's parameters as
    /// `width=16,poly=1021,init=ffff,refin=true,refout=true,xorout=0` (hexadecimal but for the width; `init`, `xorout`
    /// default to 0, the reflections to false).
    fn from_str(name: &str) -> Result<Code, Error> {
        if name.contains('=') {
            return custom(name).map(|params| Code::Crc(Crc::new(&params)));
        }
        let sum = |name: &str| {
            let found = Sum::ALL
                .iter()
                .find(|sum| catalog::same_name(sum.facts().0, name));
            found.map(|&sum| Code::Sum(sum))
        };
        let alias = SUM_ALIASES
            .iter()
            .find(|(alias, _)| catalog::same_name(alias, name));
        sum(alias.map_or(name, |(_, sum)| sum.facts().0))
            .or_else(|| catalog::find(name).map(|params| Code::Crc(Crc::new(params))))
            .ok_or(Error::UnknownCode)
    }
}

/// The parameters that `text` spells.
fn custom(text: &str) -> Result<Params, Error> {
    let hex = |value: &str| {
        let digits = value
            .strip_prefix("0x")
            .or(value.strip_prefix("0X"))
            .unwrap_or(value);
        u128::from_str_radix(digits, 16).map_err(|_| Error::BadParameter)
    };
    let truth = |value: &str| value.parse::<bool>().map_err(|_| Error::BadParameter);
    let (mut width, mut poly) = (None, None);
    let (mut init, mut xorout, mut refin, mut refout) = (0, 0, false, false);
    for part in text.split([',', ' ', ';']).filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').ok_or(Error::BadParameter)?;
        match key {
            "width" => width = Some(value.parse::<u32>().map_err(|_| Error::BadParameter)?),
            "poly" => poly = Some(hex(value)?),
            "init" => init = hex(value)?,
            "xorout" => xorout = hex(value)?,
            "refin" => refin = truth(value)?,
            "refout" => refout = truth(value)?,
            // As RevEng prints them; they follow from the others.
            "check" | "residue" | "name" => {}
            _ => return Err(Error::BadParameter),
        }
    }
    let width = width.ok_or(Error::MissingParameter("width"))?;
    let width = u8::try_from(width).map_err(|_| Error::Width(width))?;
    let poly = poly.ok_or(Error::MissingParameter("poly"))?;
    Params::new("custom", width, poly, init, (refin, refout), xorout)
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
