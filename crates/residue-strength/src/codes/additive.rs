//! Codes as group codes: a check value is a constant for the length plus what each piece adds.
//!
//! Every code here maps data into a finite abelian group, and what a piece adds depends on its
//! bytes and on how many bytes follow it. Two messages of one length have equal check values
//! exactly if their sums over the pieces are equal, and the values of a million mixtures of pieces
//! follow from the sums of a few pieces, without reading a byte again.
//!
//! | code | group | so many more bytes after it |
//! |---|---|---|
//! | CRC of width r | r bits, exclusive or | multiply by x^(8 bytes) modulo the generator |
//! | Internet | residues modulo 65535 | an odd number: multiply by 256 |
//! | XNS | residues modulo 65535 | multiply by 2 for each word |
//! | Fletcher, Adler, dual sums | pairs (A, B) modulo M | add A to B for each unit |
//! | Koopman | residues modulo M | multiply by 256 for each byte |
//! | two's-complement sums, exclusive or | residues, bits | nothing |
//!
//! Two values are equal if a receiver that sums the whole accepts both: 0 and FFFF of one's
//! complement are one residue.

mod group;

use residue::code::Sum;
use residue::{Code, Partial};

pub use group::{Bits, Group, Pairs, Residues, Work};

/// The group of a code, with the map that following bytes apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Bits under exclusive or.
    Bits,
    /// The modulus, and the factor for each word of two bytes that follows.
    Residues(u64, u32),
    /// The modulus, the bytes of a unit, and the bits of each half of the code's value.
    Pairs(u32, u32, u32),
}

/// A group code of at most 32 bits.
#[derive(Clone, Debug)]
pub struct Additive {
    code: Code,
    /// The code of the same group whose value is an element, without octets or complements.
    plain: Code,
    name: String,
    pub(crate) kind: Kind,
}

impl Additive {
    /// Returns the code of this name (see [`Code`]).
    ///
    /// # Errors
    /// Returns an error if there is none, or its value is wider than 32 bits.
    pub fn named(name: &str) -> Result<Additive, crate::Error> {
        let code: Code = name
            .parse()
            .map_err(|error| crate::Error::Code(name.escape_debug().to_string(), error))?;
        let label = if code.name() == "custom" { name } else { code.name() };
        Additive::of(&code, label)
            .ok_or_else(|| crate::Error::TooWide(label.escape_debug().to_string()))
    }

    /// Wraps the code as `name`; `None` if its value is wider than 32 bits.
    #[must_use]
    pub fn of(code: &Code, name: &str) -> Option<Additive> {
        let (plain, kind) = match code {
            Code::Crc(crc) if crc.params().width > 32 => return None,
            Code::Crc(_) => (code.clone(), Kind::Bits),
            Code::Sum(sum) => {
                let (sum, kind) = as_sum(*sum);
                (Code::Sum(sum), kind)
            }
        };
        Some(Additive { code: code.clone(), plain, name: name.into(), kind })
    }

    /// Returns the library's code.
    #[must_use]
    pub fn code(&self) -> &Code {
        &self.code
    }

    /// Returns whether the value is carried as check octets that make the sum zero.
    #[must_use]
    pub fn octets(&self) -> bool {
        matches!(self.code, Code::Sum(Sum::Iso8473 | Sum::FourOctets))
    }

    /// Returns the name of the code that has the same group, and elements for values: what bits add
    /// is equal for all codes that share it.
    pub(crate) fn plain(&self) -> &str {
        self.plain.name()
    }

    /// Returns its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether it is a CRC.
    #[must_use]
    pub fn crc(&self) -> bool {
        matches!(self.code, Code::Crc(_))
    }

    /// Returns whether data is a number to the base 256, modulo the modulus.
    #[must_use]
    pub fn scaled(&self) -> bool {
        matches!(self.code, Code::Sum(Sum::Koopman8 | Sum::Koopman16 | Sum::Koopman32))
    }

    /// Returns whether it takes each byte's lowest bit first.
    #[must_use]
    pub fn reflected(&self) -> bool {
        self.code.params().is_some_and(|params| params.refin)
    }

    /// Returns the period of the code in bits: those of a unit, or of a byte for CRCs.
    #[must_use]
    pub fn unit_bits(&self) -> usize {
        match self.kind {
            Kind::Bits | Kind::Residues(..) if self.crc() || self.scaled() => 8,
            Kind::Bits | Kind::Residues(..) => self.width() as usize,
            Kind::Pairs(_, unit, _) => 8 * unit as usize,
        }
    }

    /// Returns bits of its value.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.code.width()
    }

    /// Returns the number of elements: the values a check can have, equally likely for uniform
    /// data.
    #[must_use]
    pub fn elements(&self) -> f64 {
        match self.kind {
            Kind::Bits => f64::from(self.code.width()).exp2(),
            Kind::Residues(modulus, _) => modulus as f64,
            Kind::Pairs(modulus, ..) => f64::from(modulus) * f64::from(modulus),
        }
    }

    /// Runs an operation in the code's group.
    pub fn within<W: Work>(&self, work: W) -> W::Output {
        match self.kind {
            Kind::Bits => work.run(Bits),
            Kind::Residues(modulus, _) => work.run(Residues(modulus)),
            Kind::Pairs(modulus, ..) => work.run(Pairs(modulus)),
        }
    }

    /// Returns the check value of `data`, as the code writes it.
    #[must_use]
    pub fn value(&self, data: &[u8]) -> u32 {
        self.code.value(data) as u32
    }

    /// Returns the element of `data`.
    ///
    /// It is equal for two messages of one length exactly if a receiver does not distinguish them.
    #[must_use]
    pub fn element(&self, data: &[u8]) -> u32 {
        let value = self.plain.value(data) as u32;
        match self.kind {
            Kind::Bits => value,
            // The Internet checksum is written in complement.
            Kind::Residues(65535, 1) => (!value & 0xffff) % 65535,
            Kind::Residues(..) => value,
            Kind::Pairs(_, _, bits) => value & ((1 << bits) - 1) | value >> bits << 16,
        }
    }

    /// Writes an element in hexadecimal with as many digits as the code's value; pairs as B:A.
    #[must_use]
    pub fn hex(&self, element: u32) -> String {
        let value = match self.kind {
            Kind::Pairs(_, _, bits) => element & 0xffff | element >> 16 << bits,
            _ => element,
        };
        format!("{value:0digits$x}", digits = self.width().div_ceil(4) as usize)
    }

    /// Returns the map from pieces of `bytes` bytes to what they add.
    ///
    /// Pieces must start and end between words of four bytes.
    #[must_use]
    pub fn piece(&self, bytes: usize) -> Piece<'_> {
        Piece { additive: self, zeros: self.element(&vec![0; bytes]) }
    }

    /// Returns the map from what a piece adds at the end of the data to what it adds with `bytes`
    /// bytes after it, a multiple of four.
    #[must_use]
    pub fn shift(&self, bytes: usize) -> Shift {
        match self.kind {
            Kind::Bits => {
                let moved = |value: u32| {
                    let moved = Partial::new(&self.code, value.into(), 4)
                        .and_then(|four| four.extend_by_zeroes(bytes as u64));
                    // Any value of the width is one of a CRC or an exclusive or.
                    moved.map_or(0, |moved| moved.value() as u32)
                };
                let origin = moved(0);
                let width = self.code.width();
                let column = |bit: u32| if bit < width { moved(1 << bit) ^ origin } else { 0 };
                let columns: [u32; 32] = std::array::from_fn(|bit| column(bit as u32));
                let mut tables = Box::new([[0; 256]; 4]);
                for (byte, table) in tables.iter_mut().enumerate() {
                    for value in 1..256usize {
                        let lowest = value.trailing_zeros() as usize;
                        table[value] = table[value & (value - 1)] ^ columns[8 * byte + lowest];
                    }
                }
                Shift::Tables(tables)
            }
            Kind::Residues(modulus, factor) => {
                let words = bytes as u64 / 2;
                let factor = (0..words).fold(1, |power, _| power * u64::from(factor) % modulus);
                Shift::Factor(factor, modulus)
            }
            Kind::Pairs(modulus, unit, _) => Shift::Units(bytes as u32 / unit % modulus, modulus),
        }
    }
}

/// Returns the group of a sum, and the sum whose value is an element of it.
///
/// The code itself may write the residues in another way.
fn as_sum(sum: Sum) -> (Sum, Kind) {
    match sum {
        Sum::Internet => (sum, Kind::Residues(65535, 1)),
        Sum::Xns => (sum, Kind::Residues(65535, 2)),
        Sum::Fletcher16 | Sum::Rfc1146B8 | Sum::Iso8473 => {
            (Sum::Fletcher16, Kind::Pairs(255, 1, 8))
        }
        Sum::Fletcher32 => (sum, Kind::Pairs(65535, 2, 16)),
        Sum::Fletcher32Be | Sum::Rfc1146B16 | Sum::FourOctets => {
            (Sum::Fletcher32Be, Kind::Pairs(65535, 2, 16))
        }
        Sum::Fletcher16Mod256 => (sum, Kind::Pairs(256, 1, 8)),
        Sum::Fletcher32Mod65536 => (sum, Kind::Pairs(65536, 2, 16)),
        Sum::Adler32 => (sum, Kind::Pairs(65521, 1, 16)),
        Sum::Xor8 | Sum::Xor16 | Sum::Xor32 => (sum, Kind::Bits),
        Sum::Sum8 => (sum, Kind::Residues(1 << 8, 1)),
        Sum::Sum16 => (sum, Kind::Residues(1 << 16, 1)),
        Sum::Sum32 => (sum, Kind::Residues(1 << 32, 1)),
        Sum::Koopman8 => (sum, Kind::Residues(253, (1 << 16) % 253)),
        Sum::Koopman16 => (sum, Kind::Residues(65519, (1 << 16) % 65519)),
        Sum::Koopman32 => (sum, Kind::Residues(4_294_967_291, 1 << 16)),
        Sum::Dual16 => (sum, Kind::Pairs(253, 4, 8)),
        Sum::Dual32 => (sum, Kind::Pairs(65525, 4, 16)),
    }
}

/// The map from pieces of one length to what they add, made by [`Additive::piece`].
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    additive: &'a Additive,
    zeros: u32,
}

impl Piece<'_> {
    /// Returns what the piece adds at the end of the data.
    #[inline]
    pub fn sum<G: Group>(&self, group: G, bytes: &[u8]) -> u32 {
        group.sub(self.additive.element(bytes), self.zeros)
    }
}

/// A linear map of a code's group, made by [`Additive::shift`].
#[derive(Clone, Debug)]
pub enum Shift {
    /// One table for each byte of an element.
    Tables(Box<[[u32; 256]; 4]>),
    /// Multiplication by the first modulo the second.
    Factor(u64, u64),
    /// B grows by the first times A, modulo the second.
    Units(u32, u32),
}

impl Shift {
    /// Returns the image of an element.
    #[inline]
    #[must_use]
    pub fn apply(&self, element: u32) -> u32 {
        match self {
            Shift::Tables(tables) => {
                let [a, b, c, d] = element.to_le_bytes().map(usize::from);
                tables[0][a] ^ tables[1][b] ^ tables[2][c] ^ tables[3][d]
            }
            Shift::Factor(factor, modulus) => (u64::from(element) * factor % modulus) as u32,
            Shift::Units(units, modulus) => {
                let (a, b) = (element & 0xffff, element >> 16);
                let b = (u64::from(b) + u64::from(a) * u64::from(*units)) % u64::from(*modulus);
                a | (b as u32) << 16
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the element of whole data from pieces and compares it with the library's value.
    struct Joined<'a>(&'a Additive, &'a [u8], usize);
    impl Work for Joined<'_> {
        type Output = (u32, u32);
        fn run<G: Group>(self, group: G) -> (u32, u32) {
            let Joined(code, data, cell) = self;
            let mut sum = code.element(&vec![0; data.len()]);
            for (place, bytes) in data.chunks(cell).enumerate() {
                let after = data.len() - (place * cell + bytes.len());
                let added = code.piece(bytes.len()).sum(group, bytes);
                sum = group.add(sum, code.shift(after).apply(added));
            }
            (sum, code.element(data))
        }
    }

    #[test]
    fn pieces_add_up_to_the_whole_for_every_code() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut seen = 0;
        for code in Code::all() {
            let Some(code) = Additive::of(&code, code.name()) else { continue };
            seen += 1;
            for length in [4, 48, 296, 1024] {
                for kind in 0..3 {
                    let mut data = vec![if kind == 0 { 0xff } else { 0 }; length];
                    if kind == 2 {
                        random.fill(&mut data);
                    }
                    let (sum, element) = code.within(Joined(&code, &data, 48));
                    assert_eq!(sum, element, "{} of {length}", code.name());
                }
            }
        }
        assert!(seen > 100, "{seen}");
    }

    struct Laws(u64);
    impl Work for Laws {
        type Output = ();
        fn run<G: Group>(self, group: G) {
            let mut random = fastrand::Rng::with_seed(self.0);
            let code = Additive::named("fletcher-32").unwrap();
            for _ in 0..1000 {
                // Elements of every group here: both halves below 255.
                let [a, b] = [(); 2]
                    .map(|()| u32::from(random.u8(..255)) | u32::from(random.u8(..255)) << 16);
                assert_eq!(group.sub(group.add(a, b), b), a);
                assert_eq!(group.add(a, b), group.add(b, a));
            }
            assert_eq!(code.shift(0).apply(0x1234_5678), 0x1234_5678);
        }
    }

    #[test]
    fn groups_are_groups() {
        for name in ["crc-32/iscsi", "sum-32", "fletcher-16", "fletcher-16/mod256", "adler-32"] {
            Additive::named(name).unwrap().within(Laws(7));
        }
        let internet = Residues(65535);
        assert_eq!(internet.add(65534, 1), 0);
        assert_eq!(internet.sub(0, 1), 65534);
        assert_eq!(Residues(1 << 32).add(u32::MAX, 2), 1);
    }

    #[test]
    fn what_cannot_be_a_sum_is_an_error() {
        assert!(Additive::named("crc-64/nvme").is_err());
        assert!(Additive::named("nonsense").is_err());
    }

    #[test]
    fn zero_and_ffff_are_one_residue() {
        let internet = Additive::named("internet").unwrap();
        assert_eq!(internet.element(&[0, 0, 0, 0]), internet.element(&[0xff, 0xff, 0, 0]));
    }
}
