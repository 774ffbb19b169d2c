//! Computes all codes of one message at once.
//!
//! Sums, and the three CRCs that have a kernel without tables here, take the message one after the
//! other. The other CRCs share their work.
//!
//! M mod P is (M mod P Q) mod P: one division by the product of several generators replaces a
//! division by each. Many CRCs share a generator and an order of bits: 110 of them take 24
//! divisions by products of degree 64 or less, on tables, and each takes its own remainder once at
//! the end.
//!
//! If the product has degree W, the result is M x^W mod P. The register of a CRC of width w is
//! M x^w mod P, so W - w factors x are divided out, which is possible because P has a constant
//! term. The term init x^n, for n bits of data, comes from the code's own combination: from the
//! advanced value of the empty message, and from the value whose register is zero.

use crate::Page;
use residue::Code;
use residue::code::Stream;
use residue::crc::tables::{Tables, Word};
use residue::crc::{Crc, Params};
use residue::internals::{Family as _, Forced, Tabled};

/// Number of bytes read at a time.
const PIECE: usize = 4 << 20;
/// Number of bytes that all codes take before the next: few enough for a cache.
const BLOCK: usize = 64 << 10;

/// The CRCs with sparse multiples, by which they are twice as fast as on tables (docs/web.md).
const SPARSE: [&str; 3] = ["crc-32/iso-hdlc", "crc-32/iscsi", "crc-64/nvme"];

/// Returns the CRC if it shares divisions.
fn dividing(code: &Code) -> Option<&Crc> {
    match code {
        Code::Crc(crc) if !SPARSE.contains(&code.name()) => Some(crc),
        _ => None,
    }
}

/// A division by the product of the generators of several CRCs.
struct Pass {
    refin: bool,
    /// Degree of the product.
    width: u8,
    /// Product of the generators without its top term.
    product: u128,
    register: Box<dyn Register>,
}

/// The register of a division, for any word of its tables.
trait Register {
    fn update(&mut self, data: &[u8]);
    fn value(&self) -> u128;
}

struct OnTables<W: Word> {
    kernel: Forced<Tabled<W>>,
    tables: Tables<W>,
    state: W,
}

impl<W: Word + Into<u128>> OnTables<W> {
    fn boxed(tables: Tables<W>) -> Option<Box<dyn Register>> {
        // The first kernel is the best; kernels on tables run on every CPU.
        let kernel = W::KERNELS.first()?.force()?;
        let state = Tabled::start(&tables);
        Some(Box::new(OnTables { kernel, tables, state }))
    }
}

impl<W: Word + Into<u128>> Register for OnTables<W> {
    fn update(&mut self, data: &[u8]) {
        self.state = self.kernel.run(&self.tables, self.state, data);
    }

    fn value(&self) -> u128 {
        Tabled::finish(&self.tables, self.state).into()
    }
}

/// Multiplies two polynomials whose degrees add up to less than 128.
fn product(a: u128, b: u128) -> u128 {
    (0..128).filter(|i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ a << i)
}

/// Reduces a polynomial modulo another, given with its top term.
fn remainder(mut a: u128, modulus: u128) -> u128 {
    let degree = modulus.ilog2();
    while let Some(top) = a.checked_ilog2().filter(|&top| top >= degree) {
        a ^= modulus << (top - degree);
    }
    a
}

/// Groups the CRCs among `codes` into divisions.
fn passes(codes: &[Code]) -> Result<Vec<Pass>, String> {
    let mut generators: Vec<(bool, u8, u128)> = codes
        .iter()
        .filter_map(dividing)
        .map(Crc::params)
        .map(|params| (params.refin, params.width, params.poly))
        .collect();
    generators.sort_unstable_by_key(|&(refin, width, poly)| (refin, u8::MAX - width, poly));
    generators.dedup();
    // First fit, wide ones first.
    let mut products: Vec<(bool, u8, u128)> = Vec::new();
    for (refin, width, poly) in generators {
        match products.iter_mut().find(|product| product.0 == refin && product.1 + width <= 64) {
            Some((_, degree, low)) => {
                let whole = product(1 << *degree | *low, 1 << width | poly);
                *degree += width;
                *low = whole ^ 1 << *degree;
            }
            None => products.push((refin, width, poly)),
        }
    }
    let pass = |(refin, width, product)| {
        let params = Params::new("", width, product, 0, (refin, refin), 0);
        let params = params.map_err(|error| error.to_string())?;
        let register = match width {
            0..=32 => OnTables::boxed(Tables::<u32>::new(&params)),
            33..=64 => OnTables::boxed(Tables::<u64>::new(&params)),
            _ => OnTables::boxed(Tables::<u128>::new(&params)),
        };
        let register = register.ok_or("no kernel runs here")?;
        Ok(Pass { refin, width, product, register })
    };
    products.into_iter().map(pass).collect()
}

/// Returns a CRC's value of `length` bytes, from the remainder of a division.
fn value(crc: &Crc, pass: &Pass, length: u64) -> u128 {
    let params = crc.params();
    let mut left = pass.register.value();
    if pass.refin {
        left = left.reverse_bits() >> (128 - pass.width);
    }
    // Above 64 bits a division is of one generator, whose top term a word may not hold.
    if pass.width > params.width {
        let generator = 1 << params.width | params.poly;
        left = remainder(left, generator);
        for _ in params.width..pass.width {
            left = (if left & 1 == 1 { left ^ generator } else { left }) >> 1;
        }
    }
    let left = if params.refout { params.reflect(left) } else { left };
    let advanced = |first| crc.combine(first, 0, length);
    let start = advanced(crc.checksum(&[])) ^ advanced(params.xorout);
    left ^ start ^ params.xorout
}

/// Returns the values of the first `size` bytes of the page's file.
///
/// # Errors
/// If they cannot be read.
pub fn values(codes: &[Code], size: u64, page: &mut impl Page) -> Result<Vec<u128>, String> {
    let mut passes = passes(codes)?;
    let is_alone = |code: &&Code| dividing(code).is_none();
    let mut alone: Vec<Stream<'_>> = codes.iter().filter(is_alone).map(Code::stream).collect();
    let mut piece = vec![0; PIECE.min(usize::try_from(size).unwrap_or(PIECE))];
    let mut offset = 0;
    while offset < size {
        let most = piece.len().min(usize::try_from(size - offset).unwrap_or(PIECE));
        let count = page.read(offset, &mut piece[..most])?;
        if count == 0 {
            return Err(format!("the file ended after {offset} of {size} bytes"));
        }
        for block in piece[..count].chunks(BLOCK) {
            passes.iter_mut().for_each(|pass| pass.register.update(block));
            alone.iter_mut().for_each(|stream| stream.update(block));
        }
        offset += count as u64;
        page.progress(offset, size);
    }
    let mut alone = alone.iter();
    let divides = |pass: &Pass, params: &Params| {
        let generator = 1u128.checked_shl(params.width.into()).unwrap_or(0) | params.poly;
        pass.refin == params.refin
            && if pass.width == params.width {
                pass.product == params.poly
            } else {
                pass.width > params.width
                    && pass.width <= 64
                    && remainder(1 << pass.width | pass.product, generator) == 0
            }
    };
    let one = |code: &Code| match dividing(code) {
        None => alone.next().map(Stream::value).ok_or("a stream is missing"),
        Some(crc) => {
            let pass = passes.iter().find(|pass| divides(pass, crc.params()));
            pass.map(|pass| value(crc, pass, size)).ok_or("a division is missing")
        }
    };
    codes.iter().map(one).collect::<Result<_, _>>().map_err(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Ramp(u64);

    impl Page for Ramp {
        fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<usize, String> {
            let count = (into.len() as u64).min(self.0 - offset).min(100_003) as usize;
            for (i, byte) in into[..count].iter_mut().enumerate() {
                *byte = ((offset + i as u64) % 251) as u8;
            }
            Ok(count)
        }

        fn progress(&self, _: u64, _: u64) {}
    }

    fn equal_to_each(codes: &[Code], lengths: &[u64]) {
        for &length in lengths {
            let mut data = vec![0; length as usize];
            let mut offset = 0;
            while offset < data.len() {
                offset += Ramp(length).read(offset as u64, &mut data[offset..]).unwrap();
            }
            let values = values(codes, length, &mut Ramp(length)).unwrap();
            for (code, value) in codes.iter().zip(values) {
                assert_eq!(value, code.value(&data), "{code} of {length} bytes");
            }
        }
    }

    #[test]
    fn every_code_at_once_is_each_alone() {
        let codes: Vec<Code> = Code::all().collect();
        equal_to_each(&codes, &[0, 1, 2, 9, 16, 1500, 65_537, 4_300_000]);
    }

    #[test]
    fn few_divisions() {
        let codes: Vec<Code> = Code::all().collect();
        let passes = passes(&codes).unwrap();
        assert!(passes.len() <= 24, "{}", passes.len());
        let degrees: u32 = passes.iter().map(|pass| u32::from(pass.width)).sum();
        assert!(degrees > 1000);
    }

    #[test]
    fn own_parameters_of_every_width() {
        let poly = 0xad93_d235_94c9_3659_7f4a_7c15_f39c_c061_u128;
        let codes: Vec<Code> = (1..=128)
            .map(|width| {
                let mask = u128::MAX >> (128 - width);
                let [poly, init, xorout] = [poly | 1, poly >> 3, poly << 5].map(|it| it & mask);
                let (refin, refout) = (width % 2 == 0, width % 3 == 0);
                format!(
                    "width={width},poly={poly:x},init={init:x},refin={refin},refout={refout},\
                     xorout={xorout:x}"
                )
                .parse()
                .unwrap()
            })
            .collect();
        equal_to_each(&codes, &[0, 1, 100]);
        // Alone, on tables of its own word.
        codes.iter().for_each(|code| equal_to_each(std::slice::from_ref(code), &[77]));
    }
}
