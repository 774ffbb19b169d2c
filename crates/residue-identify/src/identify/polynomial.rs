//! Polynomials over GF(2) of any degree: messages, and their combinations without the unknown.

use std::cmp::Ordering;

/// A polynomial over GF(2).
///
/// Bit i of word j is the coefficient of x^(64 j + i); the highest word is not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Polynomial(Vec<u64>);

impl Polynomial {
    /// Returns zero.
    pub fn zero() -> Polynomial {
        Polynomial::default()
    }

    /// Creates a polynomial from the coefficients of x^0 to x^127.
    pub fn of(low: u128) -> Polynomial {
        Polynomial(vec![low as u64, (low >> 64) as u64]).trimmed()
    }

    /// Creates a message's polynomial: the first bit is the highest coefficient.
    ///
    /// `refin` sends each byte's lowest bit first.
    pub fn of_message(bytes: &[u8], refin: bool) -> Polynomial {
        let word = |chunk: &[u8]| {
            let octet = |byte: u8| if refin { byte.reverse_bits() } else { byte };
            chunk.iter().fold(0, |word, &byte| word << 8 | u64::from(octet(byte)))
        };
        Polynomial(bytes.rchunks(8).map(word).collect()).trimmed()
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    fn trimmed(mut self) -> Polynomial {
        self.trim();
        self
    }

    /// Returns the degree; `None` for zero, which has none.
    pub fn degree(&self) -> Option<usize> {
        let top = self.0.last()?;
        Some(64 * (self.0.len() - 1) + top.ilog2() as usize)
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn is_one(&self) -> bool {
        self.0 == [1]
    }

    /// Returns the coefficients, without those of x^128 and above.
    pub fn low(&self) -> u128 {
        let word = |i: usize| u128::from(self.0.get(i).copied().unwrap_or(0));
        word(1) << 64 | word(0)
    }

    fn bit(&self, i: usize) -> bool {
        self.0.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1)
    }

    /// Adds `other` x^`shift`. The highest words may become zero.
    fn add_untrimmed(&mut self, other: &Polynomial, shift: usize) {
        let needed = other.0.len() + shift / 64 + 1;
        if self.0.len() < needed {
            self.0.resize(needed, 0);
        }
        self.add_below(other, shift);
    }

    /// Adds the terms of `other` x^`shift` that the words have room for.
    fn add_below(&mut self, other: &Polynomial, shift: usize) {
        let (words, bits) = (shift / 64, shift % 64);
        let mut high = 0;
        let both = self.0[words..].iter_mut().zip(other.0.iter().chain([&0]));
        for (own, &word) in both {
            *own ^= word << bits | high;
            high = if bits == 0 { 0 } else { word >> (64 - bits) };
        }
    }

    /// Returns the sum with `other` x^`shift`.
    #[must_use]
    pub fn plus(mut self, other: &Polynomial, shift: usize) -> Polynomial {
        self.add_untrimmed(other, shift);
        self.trimmed()
    }

    /// Returns the product with x^`shift`.
    #[must_use]
    pub fn shifted(&self, shift: usize) -> Polynomial {
        Polynomial::zero().plus(self, shift)
    }

    /// Returns the product with 1 + x^`step` + x^(2 `step`) + ..., of `terms` terms.
    #[must_use]
    pub fn times_series(&self, step: usize, terms: usize) -> Polynomial {
        let mut product = Polynomial::zero();
        for i in 0..terms {
            product.add_untrimmed(self, i * step);
        }
        product.trimmed()
    }

    #[must_use]
    pub fn times(&self, other: &Polynomial) -> Polynomial {
        let mut product = Polynomial::zero();
        for i in 0..64 * other.0.len() {
            if other.bit(i) {
                product.add_untrimmed(self, i);
            }
        }
        product.trimmed()
    }

    /// Returns the quotient and the remainder.
    ///
    /// Division by zero returns the dividend.
    pub fn divided(mut self, divisor: &Polynomial) -> (Polynomial, Polynomial) {
        let mut quotient = Polynomial::zero();
        let Some(low) = divisor.degree() else { return (quotient, self) };
        while let Some(high) = self.degree().filter(|&high| high >= low) {
            let shift = high - low;
            if quotient.0.len() <= shift / 64 {
                quotient.0.resize(shift / 64 + 1, 0);
            }
            quotient.0[shift / 64] |= 1 << (shift % 64);
            self = self.plus(divisor, shift);
        }
        (quotient, self)
    }

    /// Takes the remainder.
    fn reduce(&mut self, divisor: &Polynomial) {
        let Some(low) = divisor.degree() else { return };
        while let Some(high) = self.degree().filter(|&high| high >= low) {
            self.add_below(divisor, high - low);
            self.trim();
        }
    }

    #[must_use]
    pub fn modulo(mut self, divisor: &Polynomial) -> Polynomial {
        self.reduce(divisor);
        self
    }

    /// Returns the greatest common divisor (Euclid).
    #[must_use]
    pub fn gcd(self, other: Polynomial) -> Polynomial {
        let (mut a, mut b) = (self, other);
        while !b.is_zero() {
            a.reduce(&b);
            std::mem::swap(&mut a, &mut b);
        }
        a
    }

    /// Returns it without its factors x, which divide no generator of a CRC.
    #[must_use]
    pub fn without_x(self) -> Polynomial {
        let Some(zeros) = self.0.iter().position(|&word| word != 0) else { return self };
        let shift = 64 * zeros + self.0[zeros].trailing_zeros() as usize;
        let (words, bits) = (shift / 64, shift % 64);
        let word = |i: usize| self.0.get(i).copied().unwrap_or(0);
        let moved = (words..self.0.len()).map(|i| {
            if bits == 0 { word(i) } else { word(i) >> bits | word(i + 1) << (64 - bits) }
        });
        Polynomial(moved.collect()).trimmed()
    }

    fn squared(&self) -> Polynomial {
        let spread = |half: u64| {
            (0..32).filter(|i| half >> i & 1 == 1).fold(0_u64, |word, i| word | 1 << (2 * i))
        };
        Polynomial(
            self.0.iter().flat_map(|&w| [spread(w & 0xffff_ffff), spread(w >> 32)]).collect(),
        )
        .trimmed()
    }

    /// Returns the irreducible factors of degree `most` and less, each with its multiplicity.
    ///
    /// `self` has a constant term. They are found by distinct degrees, then by traces.
    pub fn factors(&self, most: usize) -> Vec<(Polynomial, usize)> {
        let x = Polynomial::of(2);
        let (mut left, mut found) = (self.clone(), Vec::new());
        let mut frobenius = x.clone().modulo(&left);
        for d in 1..=most {
            let Some(degree) = left.degree().filter(|&degree| degree > 0) else { break };
            if 2 * d > degree {
                // Nothing shorter divides it.
                if degree <= most {
                    found.push((left.clone(), 1));
                }
                break;
            }
            frobenius = frobenius.squared().modulo(&left);
            let product = frobenius.clone().plus(&x, 0).gcd(left.clone());
            for factor in equal_degrees(product, d) {
                let mut times = 0;
                loop {
                    let (quotient, rest) = left.clone().divided(&factor);
                    if !rest.is_zero() {
                        break;
                    }
                    (left, times) = (quotient, times + 1);
                }
                found.push((factor, times));
            }
            frobenius = frobenius.modulo(&left);
        }
        found
    }

    /// Returns the divisors of degree `wanted`, no more than `most` of them.
    pub fn divisors(&self, wanted: usize, most: usize) -> Vec<Polynomial> {
        match self.degree().map_or(Ordering::Less, |degree| degree.cmp(&wanted)) {
            Ordering::Less => return Vec::new(),
            Ordering::Equal => return vec![self.clone()],
            Ordering::Greater => {}
        }
        let factors = self.factors(wanted);
        let mut found = Vec::new();
        choose(&factors, wanted, Polynomial::of(1), most, &mut found);
        found
    }
}

/// Multiplies `product` by factors whose degrees sum to `wanted`, in all ways.
fn choose(
    factors: &[(Polynomial, usize)],
    wanted: usize,
    product: Polynomial,
    most: usize,
    found: &mut Vec<Polynomial>,
) {
    if found.len() >= most {
        return;
    }
    if wanted == 0 {
        found.push(product);
        return;
    }
    let Some(((factor, times), rest)) = factors.split_first() else { return };
    let room: usize = factors.iter().map(|(f, times)| f.degree().unwrap_or(0) * times).sum();
    if room < wanted {
        return;
    }
    let (degree, mut product) = (factor.degree().unwrap_or(0), product);
    for taken in 0..=*times {
        if taken * degree > wanted {
            break;
        }
        choose(rest, wanted - taken * degree, product.clone(), most, found);
        product = product.times(factor);
    }
}

/// Returns the factors of a product of different irreducible polynomials of degree `d`.
fn equal_degrees(product: Polynomial, d: usize) -> Vec<Polynomial> {
    let mut parts = vec![product];
    parts.retain(|part| !part.is_one() && !part.is_zero());
    let mut exponent = 1;
    // Some odd power of x below the product's degree has different traces modulo different factors.
    while parts.iter().any(|part| part.degree().is_some_and(|degree| degree > d)) {
        let mut finer = Vec::new();
        for part in parts {
            if part.degree() <= Some(d) {
                finer.push(part);
                continue;
            }
            let mut conjugate = Polynomial::of(1).shifted(exponent).modulo(&part);
            let mut trace = Polynomial::zero();
            for _ in 0..d {
                trace = trace.plus(&conjugate, 0);
                conjugate = conjugate.squared().modulo(&part);
            }
            let common = trace.gcd(part.clone());
            if common.is_one() || common.degree() == part.degree() {
                finer.push(part);
            } else {
                finer.push(part.divided(&common).0);
                finer.push(common);
            }
        }
        parts = finer;
        exponent += 2;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(words: usize, seed: u64) -> Polynomial {
        let mut random = residue_testing::Random(seed);
        Polynomial((0..words).map(|_| random.next()).collect()).trimmed()
    }

    #[test]
    fn division_undoes_multiplication() {
        for (words, other) in [(1, 1), (3, 1), (5, 2), (9, 9)] {
            let (a, b, rest) = (noise(words, 1), noise(other, 2), Polynomial::of(0b1011));
            let (quotient, remainder) = a.times(&b).plus(&rest, 0).divided(&b);
            assert_eq!((quotient, remainder), (a.clone(), rest));
            assert_eq!(a.squared(), a.times(&a));
            assert_eq!(a.shifted(67).without_x(), a.clone().without_x());
            assert_eq!(a.times_series(8, 3), a.times(&Polynomial::of(0x1_0101)));
        }
        assert_eq!(noise(2, 3).divided(&Polynomial::zero()).1, noise(2, 3));
    }

    #[test]
    fn messages() {
        assert_eq!(Polynomial::of_message(&[0x80, 1, 0], false), Polynomial::of(0x80_0100));
        assert_eq!(Polynomial::of_message(&[0x80, 1, 0], true), Polynomial::of(0x01_8000));
        assert_eq!(Polynomial::of_message(&[1; 17], false).degree(), Some(128));
        assert!(Polynomial::of_message(&[], false).is_zero());
    }

    #[test]
    fn common_divisors_and_factors() {
        // CRC-32C is (x + 1) p_31, CRC-32 irreducible.
        let (crc32c, crc32) = (Polynomial::of(0x1_1edc_6f41), Polynomial::of(0x1_04c1_1db7));
        let a = crc32.times(&crc32c).times(&Polynomial::of(0b111));
        let b = crc32.times(&Polynomial::of(0b1011)).times(&crc32);
        assert_eq!(a.clone().gcd(b), crc32);
        let degrees: Vec<_> =
            a.factors(32).iter().map(|(f, n)| (f.degree().unwrap(), *n)).collect();
        assert_eq!(degrees, [(1, 1), (2, 1), (31, 1), (32, 1)]);
        // x + 1 times p_31, or CRC-32 itself; nothing else has degree 32.
        let mut divisors: Vec<u128> = a.divisors(32, 99).iter().map(Polynomial::low).collect();
        divisors.sort_unstable();
        assert_eq!(divisors, [0x1_04c1_1db7, 0x1_1edc_6f41]);
        assert_eq!(a.divisors(32, 1).len(), 1);
    }

    #[test]
    fn divisors_of_all_short_polynomials() {
        for whole in (3..1_u128 << 9).step_by(2) {
            let whole = Polynomial::of(whole);
            for wanted in 1..9 {
                let mut found: Vec<u128> =
                    whole.divisors(wanted, 999).iter().map(Polynomial::low).collect();
                found.sort_unstable();
                let divides = |&a: &u128| whole.clone().modulo(&Polynomial::of(a)).is_zero();
                let all: Vec<u128> = (1 << wanted..2 << wanted).filter(divides).collect();
                assert_eq!(found, all, "{whole:?} {wanted}");
            }
        }
    }
}
