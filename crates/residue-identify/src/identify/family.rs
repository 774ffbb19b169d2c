//! All pairs of initial value and final xor with which a generator fits the samples.
//!
//! A message M of n bits, as a polynomial, leaves the register I x^n + M x^w mod P, I being the
//! initial value; the final xor X makes it the value V. Hence I x^n + X = M x^w + V mod P for each
//! sample, which is linear in I and X: the difference of two samples is (x^n + x^m) I = D mod P,
//! without X. Its solutions are one I and the span of all K with (x^n + x^m) K = 0 mod P. K is not
//! zero where P and x^(n-m) + 1 have a common factor, as for whole bytes every P that x + 1
//! divides: those pairs are one code under two names.

use residue::crc::Params;

/// A generator with the arithmetic modulo it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Modulus {
    /// Its degree, 1 to 128.
    pub width: u32,
    /// Its other terms: bit i is the coefficient of x^i.
    pub poly: u128,
}

impl Modulus {
    fn mask(self) -> u128 {
        u128::MAX >> (128 - self.width)
    }

    fn times_x(self, a: u128) -> u128 {
        let carry = a >> (self.width - 1) & 1;
        (a << 1 & self.mask()) ^ (self.poly & carry.wrapping_neg())
    }

    pub fn times(self, mut a: u128, b: u128) -> u128 {
        let mut product = 0;
        for bit in 0..128 - b.leading_zeros() {
            product ^= a & (b >> bit & 1).wrapping_neg();
            a = self.times_x(a);
        }
        product
    }

    /// Returns x^n.
    pub fn power_of_x(self, n: u64) -> u128 {
        // The highest bits of n, up to a power that is its own remainder.
        let mut left = 0;
        while n >> left >= u64::from(self.width) {
            left += 1;
        }
        (0..left).rev().fold(1 << (n >> left), |power, bit| {
            let square = self.times(power, power);
            if n >> bit & 1 == 1 { self.times_x(square) } else { square }
        })
    }
}

/// Returns the lowest `width` bits, reversed.
pub(super) fn reflect(value: u128, width: u32) -> u128 {
    value.reverse_bits() >> (128 - width)
}

/// A sample, modulo the generator: I x^`bits` + X = `rest`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Equation {
    pub bits: u64,
    pub rest: u128,
}

/// The CRCs that differ in `init` and `xorout` only and that the samples cannot distinguish.
#[derive(Clone, Debug)]
pub struct Family {
    /// A member: the one that people would most likely have written down.
    pub params: Params,
    /// The linearly independent differences of initial values.
    ///
    /// The initial value may differ by any sum of these; the final xor follows from it.
    pub kernel: Vec<u128>,
    /// The number of dimensions that no message of whole bytes can take away: the CRCs are equal on
    /// all of them.
    pub inherent: usize,
    /// The names of the catalogue's members.
    pub names: Vec<&'static str>,
    /// Bits of the shortest sample.
    bits: u64,
}

impl Family {
    /// Solves all `equations` (one at least); `None` if nothing fits.
    pub(super) fn fit(
        modulus: Modulus,
        (refin, refout): (bool, bool),
        equations: &[Equation],
    ) -> Option<Family> {
        let first = equations.iter().min_by_key(|equation| equation.bits)?;
        // Samples of one length leave I and X out of it: most wrong generators fail here.
        if equations.iter().any(|it| it.bits == first.bits && it.rest != first.rest) {
            return None;
        }
        let power = modulus.power_of_x(first.bits);
        let mut init = 0;
        let mut kernel: Vec<u128> = (0..modulus.width).map(|i| 1 << i).collect();
        for equation in equations.iter().filter(|it| it.bits != first.bits) {
            let factor = modulus.power_of_x(equation.bits) ^ power;
            let target = equation.rest ^ first.rest ^ modulus.times(init, factor);
            let (step, left) = preimage(&kernel, target, |k| modulus.times(factor, k))?;
            (init, kernel) = (init ^ step, left);
        }
        let byte = modulus.power_of_x(8) ^ 1;
        let units: Vec<u128> = (0..modulus.width).map(|i| 1 << i).collect();
        let (_, inherent) = preimage(&units, 0, |k| modulus.times(byte, k))?;
        let xorout = modulus.times(init, power) ^ first.rest;
        let xorout = if refout { reflect(xorout, modulus.width) } else { xorout };
        let width = u8::try_from(modulus.width).ok()?;
        let params =
            Params::new("custom", width, modulus.poly, init, (refin, refout), xorout).ok()?;
        let mut family = Family {
            params,
            kernel,
            inherent: inherent.len(),
            names: Vec::new(),
            bits: first.bits,
        };
        family.choose();
        Some(family)
    }

    fn modulus(&self) -> Modulus {
        Modulus { width: self.params.width.into(), poly: self.params.poly }
    }

    /// Returns the member with this initial value.
    pub fn member(&self, init: u128) -> Option<Params> {
        let p = &self.params;
        preimage(&self.kernel, init ^ p.init, |k| k)?;
        let modulus = self.modulus();
        let change = modulus.times(init ^ p.init, modulus.power_of_x(self.bits));
        let change = if p.refout { reflect(change, modulus.width) } else { change };
        let reflections = (p.refin, p.refout);
        Params::new("custom", p.width, p.poly, init, reflections, p.xorout ^ change).ok()
    }

    /// Returns the base-2 logarithm of the number of pairs that fit.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.kernel.len()
    }

    /// Returns whether both the initial value and the final xor are zero or all ones.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        plain(&self.params)
    }

    /// Chooses a member of the catalogue for `params`, or else one of zeros and ones.
    fn choose(&mut self) {
        let p = self.params;
        let known = residue::crc::catalog::ALL.iter().filter(|known| {
            (known.width, known.poly, known.refin, known.refout)
                == (p.width, p.poly, p.refin, p.refout)
                && self.member(known.init).is_some_and(|member| member.xorout == known.xorout)
        });
        let known: Vec<Params> = known.copied().collect();
        self.names = known.iter().map(|known| known.name).collect();
        let usual = [0, p.mask()].into_iter().filter_map(|init| self.member(init)).find(plain);
        let none = [0, p.mask()].into_iter().find_map(|init| self.member(init));
        if let Some(better) = known.first().copied().or(usual).or(none) {
            self.params = better;
        }
    }

    /// Returns two members that differ on whole bytes, if there are two.
    pub(super) fn two(&self) -> Option<[Params; 2]> {
        let modulus = self.modulus();
        let byte = modulus.power_of_x(8) ^ 1;
        let other = self.kernel.iter().find(|&&k| modulus.times(k, byte) != 0)?;
        Some([self.params, self.member(self.params.init ^ other)?])
    }
}

fn plain(params: &Params) -> bool {
    [params.init, params.xorout].iter().all(|&value| value == 0 || value == params.mask())
}

/// Returns a sum of `basis` that the linear `map` takes to `target`, if there is one, and a basis
/// of those it takes to zero.
fn preimage(basis: &[u128], target: u128, map: impl Fn(u128) -> u128) -> Option<(u128, Vec<u128>)> {
    let mut echelon: Vec<(u128, u128)> = Vec::with_capacity(basis.len());
    let mut kernel = Vec::new();
    let reduce = |echelon: &[(u128, u128)], mut image: u128, mut from: u128| {
        for &(row, source) in echelon {
            // Rows have different highest bits: it is cleared if the sum is less.
            if image ^ row < image {
                (image, from) = (image ^ row, from ^ source);
            }
        }
        (image, from)
    };
    for &vector in basis {
        let (image, from) = reduce(&echelon, map(vector), vector);
        if image == 0 {
            kernel.push(from);
        } else {
            // Highest first, or a later row would set again what an earlier one has cleared.
            let place = echelon.partition_point(|&(row, _)| row > image);
            echelon.insert(place, (image, from));
        }
    }
    let (rest, from) = reduce(&echelon, target, 0);
    (rest == 0).then_some((from, kernel))
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue::crc::catalog;

    #[test]
    fn powers_are_those_of_single_steps() {
        for width in 1..=128 {
            let poly = 0x1357_9bdf_0246_8ace_8421_c0de_5eed_f00d & u128::MAX >> (128 - width) | 1;
            let modulus = Modulus { width, poly };
            let mut power = 1;
            for n in 0..300 {
                assert_eq!(modulus.power_of_x(n), power, "x^{n}, {width} bits");
                power = modulus.times_x(power);
            }
        }
    }

    fn equations(params: &Params, messages: &[&[u8]]) -> Vec<Equation> {
        let zero = Params { init: 0, xorout: 0, ..*params };
        let register = |params: &Params, message: &[u8]| {
            let value = params.reference(message);
            if params.refout { params.reflect(value) } else { value }
        };
        messages
            .iter()
            .map(|message| Equation {
                bits: 8 * message.len() as u64,
                rest: register(params, message) ^ register(&zero, message),
            })
            .collect()
    }

    fn fit(params: &Params, messages: &[&[u8]]) -> Family {
        let modulus = Modulus { width: params.width.into(), poly: params.poly };
        Family::fit(modulus, (params.refin, params.refout), &equations(params, messages))
            .expect("the CRC itself fits")
    }

    #[test]
    fn every_catalogue_entry_is_among_its_solutions() {
        for params in catalog::ALL {
            let family = fit(params, &[b"a", b"123", b"12345678"]);
            assert!(family.names.contains(&params.name), "{params:?}");
            assert_eq!(family.params.name, family.names[0]);
            let one = fit(params, &[b"abc", b"123"]);
            assert_eq!(
                one.dimension(),
                usize::from(params.width),
                "one length shows nothing of init"
            );
        }
    }

    #[test]
    fn what_whole_bytes_cannot_tell() {
        // x + 1 divides CRC-32C's generator once, and CRC-32's not.
        let messages: [&[u8]; 3] = [b"", b"1", b"12345678"];
        for (params, dimension) in
            [(&catalog::CRC_32_ISCSI, 1), (&catalog::CRC_32_ISO_HDLC, 0), (&catalog::CRC_16_ARC, 1)]
        {
            let family = fit(params, &messages);
            assert_eq!((family.dimension(), family.inherent), (dimension, dimension));
            for k in family.kernel.iter().copied().chain([0]) {
                let member = family.member(params.init ^ k).unwrap();
                for message in [&b""[..], b"xy", b"123456789"] {
                    assert_eq!(member.reference(message), params.reference(message));
                }
            }
            assert!(family.two().is_none());
        }
        let [a, b] = fit(&catalog::CRC_16_ARC, &[b"ab", b"cd"]).two().unwrap();
        assert_eq!(a.reference(b"xy"), b.reference(b"xy"));
        assert_ne!(a.reference(b"xyz"), b.reference(b"xyz"));
    }

    #[test]
    fn what_does_not_fit() {
        let params = &catalog::CRC_16_ARC;
        let mut wrong = equations(params, &[b"a", b"123", b"12345678"]);
        wrong[1].rest ^= 2;
        let modulus = Modulus { width: 16, poly: params.poly };
        assert!(Family::fit(modulus, (true, true), &wrong).is_none());
        let mut same = equations(params, &[b"a", b"b"]);
        assert!(Family::fit(modulus, (true, true), &same).is_some());
        same[1].rest ^= 1;
        assert!(Family::fit(modulus, (true, true), &same).is_none());
        assert!(Family::fit(modulus, (true, true), &[]).is_none());
    }
}
