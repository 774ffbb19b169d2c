//! A code chosen by name at run time, for the command line and for other languages.

pub(crate) mod families;
mod listed;
mod near;
pub mod partial;
pub(crate) mod stream;
mod sum;
pub(crate) mod visitor;

use crate::body::Family;
use crate::crc::tables::{Tabled, Tables, Word};
use crate::crc::{self, Crc, Params, Width, catalog, of_family};
use crate::kernel::{self, Kernel, KernelInfo};
use crate::{Error, cpu};
use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;

pub(crate) use families::of_sum;
use listed::listed;
pub use stream::Stream;
use sum::SUM_ALIASES;
pub use sum::Sum;
pub(crate) use visitor::{ValueEncoding, Visitor};

/// An error-detection code.
///
/// ```
/// use residue::Code;
/// let code: Code = "crc32c".parse()?;
/// assert_eq!((code.name(), code.value(b"123456789")), ("crc-32/iscsi", 0xe306_9283));
/// # Ok::<(), residue::Error>(())
/// ```
#[derive(Clone, Debug)]
// Without allocation there is nowhere else to put the constants of a CRC.
#[allow(clippy::large_enum_variant)]
pub enum Code {
    /// A code other than a CRC, with compiled-in constants.
    Sum(Sum),
    /// A CRC.
    Crc(Crc),
}

impl<W: Width> From<Crc<W>> for Code {
    fn from(crc: Crc<W>) -> Code {
        Code::Crc(crc.with_width())
    }
}

impl Code {
    /// Lists every named code: the sums, then the catalogue of CRCs.
    pub fn all() -> impl Iterator<Item = Code> {
        let sums = Sum::ALL.iter().map(|&sum| Code::Sum(sum));
        sums.chain(catalog::ALL.iter().map(|params| Code::Crc(Crc::new(params))))
    }

    /// Lists the names of [`Code::all`], in lower case.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let sums = Sum::ALL.iter().map(|sum| sum.spec().name);
        sums.chain(catalog::ALL.iter().map(|params| params.name))
    }

    /// Lists the accepted aliases, each with the name of its code.
    pub fn aliases() -> impl Iterator<Item = (&'static str, &'static str)> {
        let sums = SUM_ALIASES.iter().map(|(alias, sum)| (*alias, sum.spec().name));
        sums.chain(catalog::ALIASES.iter().map(|(alias, params)| (*alias, params.name)))
    }

    /// Returns the name, in lower case; `custom` for a CRC outside the catalogue.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Code::Sum(sum) => sum.spec().name,
            Code::Crc(crc) => crc.params().name,
        }
    }

    /// Returns the width of the value in bits.
    #[must_use]
    pub fn width(&self) -> u32 {
        match self {
            Code::Sum(sum) => sum.spec().width,
            Code::Crc(crc) => u32::from(crc.params().width),
        }
    }

    /// Returns a one-sentence description of a sum; `None` for a CRC, which its parameters
    /// describe.
    #[must_use]
    pub fn about(&self) -> Option<&'static str> {
        match self {
            Code::Sum(sum) => Some(sum.spec().about),
            Code::Crc(_) => None,
        }
    }

    /// Returns the parameters of a CRC; `None` for a sum.
    #[must_use]
    pub fn params(&self) -> Option<&Params> {
        match self {
            Code::Sum(_) => None,
            Code::Crc(crc) => Some(crc.params()),
        }
    }

    /// Returns whether the value's bytes go on the wire lowest first (reflected CRCs).
    #[must_use]
    pub fn little_endian(&self) -> bool {
        self.params().is_some_and(|params| params.refout)
    }

    /// Returns the value of `data`, of any length, using the kernel that the library chooses.
    #[must_use]
    pub fn value(&self, data: &[u8]) -> u128 {
        match self {
            Code::Sum(sum) => {
                let value = of_sum!(sum.family(), |best| best.oneshot(&(), data).into());
                ValueEncoding::of_sum(*sum).of(value, data)
            }
            Code::Crc(crc) => crc.checksum(data),
        }
    }

    /// Computes the value of `data` by the code's definition, one unit at a time.
    ///
    /// Tests compare every kernel with it.
    #[must_use]
    pub fn reference(&self, data: &[u8]) -> u128 {
        match self {
            Code::Sum(sum) => {
                ValueEncoding::of_sum(*sum).of(sum.family().reference(data).into(), data)
            }
            Code::Crc(crc) => crc.params().reference(data),
        }
    }

    /// Returns the value of `data`, computed by the kernel named `kernel`.
    ///
    /// A table-driven kernel first builds its tables, which takes some microseconds.
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
                context: impl FnOnce() -> F::Context,
                encoding: ValueEncoding,
            ) {
                let Some(kernel) = kernels.iter().find(|k| k.info().name == self.kernel) else {
                    return;
                };
                self.result = match kernel.force() {
                    Some(forced) => {
                        Ok(encoding.of(forced.value(&context(), self.data).into(), self.data))
                    }
                    None => Err(Error::UnsupportedKernel(kernel.info().name)),
                };
            }
        }
        let mut visitor = Value { kernel, data, result: Err(Error::UnknownKernel) };
        self.visit(&mut visitor);
        visitor.result
    }

    /// Lists the code's kernels, best first.
    ///
    /// The list includes kernels of other architectures, which are not supported here.
    pub fn kernels(&self) -> impl Iterator<Item = KernelInfo> {
        listed(|nth| self.visit(nth))
    }

    /// Returns the kernel that the library uses on this CPU.
    #[must_use]
    pub fn chosen(&self) -> KernelInfo {
        struct Chosen(Option<KernelInfo>);
        impl Visitor for Chosen {
            fn table<F: Family<Value: Into<u128>>>(
                &mut self,
                kernels: &'static [Kernel<F>],
                _: impl FnOnce() -> F::Context,
                _: ValueEncoding,
            ) {
                let best = kernel::best(kernels, cpu::features(), cpu::profile());
                self.0 = self.0.or(best.map(Kernel::info));
            }
        }
        let mut chosen = Chosen(None);
        self.visit(&mut chosen);
        chosen.0.unwrap_or(KernelInfo::PORTABLE)
    }

    /// Shows the code's kernel tables to `visitor`, the dispatched one first.
    pub(crate) fn visit(&self, visitor: &mut impl Visitor) {
        match self {
            Code::Sum(sum) => {
                let encoding = ValueEncoding::of_sum(*sum);
                of_sum!(sum.family(), |best| visitor.table(best.kernels(), || (), encoding));
            }
            Code::Crc(crc) => {
                let (params, encoding) = (*crc.params(), ValueEncoding::PLAIN);
                of_family!(crc, |best, context| {
                    visitor.table(best.kernels(), || Clone::clone(context), encoding);
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
}

/// Two codes are equal if their definitions give all data the same value, even if the names of two
/// CRCs differ.
impl PartialEq for Code {
    fn eq(&self, other: &Code) -> bool {
        match (self, other) {
            (Code::Sum(a), Code::Sum(b)) => a == b,
            (Code::Crc(a), Code::Crc(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Code {}

impl Hash for Code {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        match self {
            Code::Sum(sum) => sum.hash(hasher),
            Code::Crc(crc) => crc.hash(hasher),
        }
    }
}

fn tabled<W: Word + Into<u128>>(visitor: &mut impl Visitor, tables: impl FnOnce() -> Tables<W>) {
    visitor.table::<Tabled<W>>(W::KERNELS, tables, ValueEncoding::PLAIN);
}

impl FromStr for Code {
    type Err = Error;

    /// Parses a name of [`Code::names`], an alias, or the parameters of a CRC.
    ///
    /// Case, `-` and `_` in names do not matter. Parameters are written as
    /// `width=16,poly=1021,init=ffff,refin=true,refout=true,xorout=0`, hexadecimal but for the
    /// width; `init` and `xorout` default to 0, the reflections to false. The polynomial may be
    /// written as `x^16+x^12+x^5+1`, which also gives the width.
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
            .ok_or_else(|| {
                let aliases = Code::aliases().map(|(alias, _)| alias);
                near::unknown(name, Code::names().chain(aliases))
            })
    }
}

/// The keys of a CRC's parameters as RevEng prints them. Values that follow from the others are
/// compared with them.
const KEYS: [&str; 9] =
    ["width", "poly", "init", "refin", "refout", "xorout", "check", "residue", "name"];

/// Parses the parameters of a CRC.
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
    // Spaces separate parameters, or the terms of a polynomial.
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
    // A sum of powers gives the width.
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
