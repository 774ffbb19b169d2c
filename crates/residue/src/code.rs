//! A code chosen by name at run time: what the command line and other languages use.

mod families;
mod listed;
mod stream;
mod sum;

use crate::crc::tables::{Tabled, Tables, Word};
use crate::crc::{self, Crc, Params, catalog, of_family};
use crate::kernel::{self, Family, Kernel, KernelInfo};
use crate::{Error, Partial, cpu};
use core::fmt;
use core::str::FromStr;

pub(crate) use families::{Kind, of_sum};
use listed::listed;
pub use stream::Stream;
use sum::SUM_ALIASES;
pub use sum::Sum;

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

/// Looks at the tables of kernels of a [`Code`], each with the types of its family.
pub trait Visitor {
    /// One table. `with` makes what its kernels work with, which for tables takes some
    /// microseconds; `spelling` turns the family's value into the code's.
    fn table<F: Family<Value: Into<u128>, With: Clone>>(
        &mut self,
        kernels: &'static [Kernel<F>],
        with: impl FnOnce() -> F::With,
        spelling: Spelling,
    );
}

/// How a code writes the value of its family: most as it is, some with bytes swapped or as check
/// octets.
#[derive(Clone, Copy, Debug)]
pub struct Spelling(Option<Sum>);

impl Spelling {
    /// How a sum writes its family's value.
    pub(crate) const fn of_sum(sum: Sum) -> Spelling {
        Spelling(Some(sum))
    }

    /// The code's value, from the family's value of `data`.
    #[must_use]
    pub fn of(self, value: u128, data: &[u8]) -> u128 {
        let nonzero = || data.iter().any(|&byte| byte != 0);
        self.0.map_or(value, |sum| sum.spell(value as u32, data.len() as u64, nonzero).into())
    }
}

impl Code {
    /// Every named code: the sums, then the catalogue of CRCs.
    pub fn all() -> impl Iterator<Item = Code> {
        let sums = Sum::ALL.iter().map(|&sum| Code::Sum(sum));
        sums.chain(catalog::ALL.iter().map(|params| Code::Crc(Crc::new(params))))
    }

    /// The names of [`Code::all`], in lower case.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let sums = Sum::ALL.iter().map(|sum| sum.spec().name);
        sums.chain(catalog::ALL.iter().map(|params| params.name))
    }

    /// Other names that are understood, each with the name of its code.
    pub fn aliases() -> impl Iterator<Item = (&'static str, &'static str)> {
        let sums = SUM_ALIASES.iter().map(|(alias, sum)| (*alias, sum.spec().name));
        sums.chain(catalog::ALIASES.iter().map(|(alias, params)| (*alias, params.name)))
    }

    /// The name, in lower case; `custom` for a CRC outside the catalogue.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Code::Sum(sum) => sum.spec().name,
            Code::Crc(crc) => crc.params().name,
        }
    }

    /// Bits of the value.
    #[must_use]
    pub fn width(&self) -> u32 {
        match self {
            Code::Sum(sum) => sum.spec().width,
            Code::Crc(crc) => u32::from(crc.params().width),
        }
    }

    /// One sentence, for sums; what a CRC is, its parameters say.
    #[must_use]
    pub fn about(&self) -> Option<&'static str> {
        match self {
            Code::Sum(sum) => Some(sum.spec().about),
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
        match self {
            Code::Sum(sum) => {
                let value = of_sum!(sum.family(), |best| best.oneshot(&(), data).into());
                Spelling::of_sum(*sum).of(value, data)
            }
            Code::Crc(crc) => crc.checksum(data),
        }
    }

    /// The value of `data` by the code's definition, one unit at a time: what every kernel is
    /// tested against.
    #[must_use]
    pub fn reference(&self, data: &[u8]) -> u128 {
        match self {
            Code::Sum(sum) => Spelling::of_sum(*sum).of(sum.reference(data).into(), data),
            Code::Crc(crc) => crc.params().reference(data),
        }
    }

    /// The value of `data` by the kernel of this name.
    ///
    /// A table-driven kernel makes its tables first, which takes some microseconds: use
    /// [`Code::visit`] to keep them.
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
                with: impl FnOnce() -> F::With,
                spelling: Spelling,
            ) {
                let Some(kernel) = kernels.iter().find(|k| k.info().name == self.kernel) else {
                    return;
                };
                self.result = match kernel.force() {
                    Some(forced) => {
                        Ok(spelling.of(forced.value(&with(), self.data).into(), self.data))
                    }
                    None => Err(Error::UnsupportedKernel(kernel.info().name)),
                };
            }
        }
        let mut visitor = Value { kernel, data, result: Err(Error::UnknownKernel) };
        self.visit(&mut visitor);
        visitor.result
    }

    /// Returns its kernels, best first. Those of other architectures are among them, and not
    /// supported here.
    pub fn kernels(&self) -> impl Iterator<Item = KernelInfo> {
        listed(|nth| self.visit(nth))
    }

    /// The kernel the library uses on this CPU.
    #[must_use]
    pub fn chosen(&self) -> KernelInfo {
        struct Chosen(Option<KernelInfo>);
        impl Visitor for Chosen {
            fn table<F: Family<Value: Into<u128>>>(
                &mut self,
                kernels: &'static [Kernel<F>],
                _: impl FnOnce() -> F::With,
                _: Spelling,
            ) {
                self.0 = self.0.or(kernel::best(kernels, cpu::features()).map(Kernel::info));
            }
        }
        let mut chosen = Chosen(None);
        self.visit(&mut chosen);
        chosen.0.unwrap_or(KernelInfo::PORTABLE)
    }

    /// Shows the code's tables of kernels to a visitor, the dispatched one first.
    pub fn visit(&self, visitor: &mut impl Visitor) {
        match self {
            Code::Sum(sum) => {
                let spelling = Spelling::of_sum(*sum);
                of_sum!(sum.family(), |best| visitor.table(best.kernels(), || (), spelling));
            }
            Code::Crc(crc) => {
                let (params, spelling) = (*crc.params(), Spelling(None));
                of_family!(crc, |best, with| {
                    visitor.table(best.kernels(), || Clone::clone(with), spelling);
                });
                if crc.compiled().is_some() {
                    return;
                }
                match params.width {
                    0..=32 => tabled::<u32>(visitor, || Tables::<u32>::new(&params)),
                    33..=64 => tabled::<u64>(visitor, || Tables::<u64>::new(&params)),
                    _ => tabled::<u128>(visitor, || Tables::<u128>::new(&params)),
                }
            }
        }
    }

    /// The value of data that comes in pieces.
    #[must_use]
    pub fn stream(&self) -> Stream<'_> {
        Stream::new(self)
    }

    /// The value and the length of `data`, to be put together with those of other data.
    #[must_use]
    pub fn partial(&self, data: &[u8]) -> Partial<'_> {
        let mut stream = self.stream();
        stream.update(data);
        stream.partial()
    }

    /// The value after the bytes `old`, at `offset` of `length` bytes of data, became `new`.
    /// Nothing else is read.
    ///
    /// `None` if the lengths of `old` and `new` differ, the change reaches past `length`, or no
    /// data of that length has this value ([`Partial::new`]). For one's-complement codes
    /// (`internet`, `rfc1146-8`, `rfc1146-16`) new data that is zero throughout cannot be told from
    /// other multiples of the modulus, and the value is that of the others.
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
        let whole = Partial::new(self, value, length).ok()?;
        // From the beginning of a word: zeros in front of both change nothing.
        let before = match self {
            Code::Crc(_) => 0,
            Code::Sum(sum) => (offset % sum.word()) as usize,
        };
        let part = |data| {
            let mut stream = self.stream();
            stream.update_scattered(&[&[0; 4][..before], data]);
            stream.partial()
        };
        Some(whole.exchange(end, &part(old), &part(new)).value())
    }
}

/// Codes are equal that give all data the same value by their definition, whatever a CRC's name.
impl PartialEq for Code {
    fn eq(&self, other: &Code) -> bool {
        match (self, other) {
            (Code::Sum(a), Code::Sum(b)) => a == b,
            (Code::Crc(a), Code::Crc(b)) => a.params().same_code(b.params()),
            _ => false,
        }
    }
}

impl Eq for Code {}

fn tabled<W: Word + Into<u128>>(visitor: &mut impl Visitor, tables: impl FnOnce() -> Tables<W>) {
    visitor.table::<Tabled<W>>(W::KERNELS, tables, Spelling(None));
}

impl FromStr for Code {
    type Err = Error;

    /// A name of [`Code::names`] or an alias (case, `-` and `_` do not matter), or a CRC's
    /// parameters as `width=16,poly=1021,init=ffff,refin=true,refout=true,xorout=0` (hexadecimal
    /// but for the width; `init`, `xorout` default to 0, the reflections to false). The polynomial
    /// may be written as `x^16+x^12+x^5+1`, which tells the width, too.
    fn from_str(name: &str) -> Result<Code, Error> {
        if name.contains('=') {
            return custom(name).map(|params| Code::Crc(Crc::new(&params)));
        }
        let sum = |name: &str| {
            let found = Sum::ALL.iter().find(|sum| catalog::same_name(sum.spec().name, name));
            found.map(|&sum| Code::Sum(sum))
        };
        let alias = SUM_ALIASES.iter().find(|(alias, _)| catalog::same_name(alias, name));
        sum(alias.map_or(name, |(_, sum)| sum.spec().name))
            .or_else(|| catalog::find(name).map(|params| Code::Crc(Crc::new(params))))
            .ok_or(Error::UnknownCode)
    }
}

/// The parameters of a CRC as RevEng prints them. What follows from the others is compared with
/// them.
const KEYS: [&str; 9] =
    ["width", "poly", "init", "refin", "refout", "xorout", "check", "residue", "name"];

/// The parameters that `text` spells.
fn custom(text: &str) -> Result<Params, Error> {
    let hex = |value: &str| {
        let digits = value.strip_prefix("0x").or(value.strip_prefix("0X")).unwrap_or(value);
        if digits.starts_with('+') {
            return Err(Error::BadParameter);
        }
        u128::from_str_radix(digits, 16).map_err(|_| Error::BadParameter)
    };
    let truth = |value: &str| value.parse::<bool>().map_err(|_| Error::BadParameter);
    let (mut width, mut poly) = (None, None);
    let (mut init, mut xorout, mut refin, mut refout) = (0, 0, false, false);
    let (mut check, mut residue) = (None, None);
    let mut seen = 0;
    let terms = text.contains(['^', '*', '+']);
    // Spaces stand between parameters, or between the terms of a polynomial.
    let between: &[char] = if terms { &[',', ';'] } else { &[',', ' ', ';'] };
    for part in text.split(between).map(str::trim).filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').ok_or(Error::BadParameter)?;
        let place = KEYS.iter().position(|known| *known == key).ok_or(Error::BadParameter)?;
        if seen >> place & 1 == 1 {
            return Err(Error::BadParameter);
        }
        seen |= 1 << place;
        match key {
            "width" => width = Some(value.parse::<u32>().map_err(|_| Error::BadParameter)?),
            "poly" if terms => poly = Some(crc::terms(value).ok_or(Error::BadParameter)?),
            "poly" => poly = Some((0, hex(value)?)),
            "init" => init = hex(value)?,
            "xorout" => xorout = hex(value)?,
            "refin" => refin = truth(value)?,
            "refout" => refout = truth(value)?,
            "check" => check = Some(hex(value)?),
            "residue" => residue = Some(hex(value)?),
            _ => {}
        }
    }
    // A sum of powers tells the width.
    let degree = poly.filter(|_| terms).map(|(degree, _)| u32::from(degree));
    let width = width.or(degree).ok_or(Error::MissingParameter("width"))?;
    let width = u8::try_from(width).map_err(|_| Error::Width(width))?;
    let (_, poly) = poly.ok_or(Error::MissingParameter("poly"))?;
    if degree.is_some_and(|degree| degree != u32::from(width)) {
        return Err(Error::BadParameter);
    }
    let params = Params::new("custom", width, poly, init, (refin, refout), xorout)?;
    let good = check.is_none_or(|check| check == params.check)
        && residue.is_none_or(|residue| residue == params.residue);
    if good { Ok(params) } else { Err(Error::WrongCheck) }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
