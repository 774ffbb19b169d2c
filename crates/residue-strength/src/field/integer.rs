//! Prime factors of 64-bit integers, for the orders of polynomials.
//!
//! Small primes by division; what is left by Pollard's rho: the sequence y -> y^2 + c repeats
//! modulo an unknown prime p after about sqrt(p) steps, and a common divisor of n and a difference
//! of two of its values shows p. Numbers are known to be prime by the test of Miller and Rabin with
//! the first twelve primes as bases, which is exact to 2^64 (Sorenson and Webster 2015).

const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

/// Returns the greatest common divisor.
pub(crate) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn multiply(a: u64, b: u64, n: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(n)) as u64
}

pub(crate) fn power(mut a: u64, mut exponent: u64, n: u64) -> u64 {
    let mut result = 1 % n;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, a, n);
        }
        a = multiply(a, a, n);
        exponent >>= 1;
    }
    result
}

fn is_prime(n: u64) -> bool {
    if n < 2 || BASES.contains(&n) || n.is_multiple_of(2) {
        return BASES.contains(&n);
    }
    let twos = (n - 1).trailing_zeros();
    BASES.iter().all(|&base| {
        let mut y = power(base, (n - 1) >> twos, n);
        y == 1
            || (0..twos).any(|_| {
                let found = y == n - 1;
                y = multiply(y, y, n);
                found
            })
    })
}

/// Returns the prime factors in rising order, each as often as it divides; none of 0 and 1.
pub(crate) fn prime_factors(mut n: u64) -> Vec<u64> {
    let mut found = Vec::new();
    for p in 2..1000 {
        while n > 1 && n.is_multiple_of(p) {
            found.push(p);
            n /= p;
        }
    }
    let mut open = vec![n];
    while let Some(n) = open.pop() {
        match n {
            0 | 1 => {}
            n if is_prime(n) => found.push(n),
            n => {
                let divisor = (1..).find_map(|c| rho(n, c)).unwrap_or(n);
                open.extend([divisor, n / divisor]);
            }
        }
    }
    found.sort_unstable();
    found
}

/// Returns a proper divisor of a composite number, if this sequence shows one.
fn rho(n: u64, c: u64) -> Option<u64> {
    let step = |y| (u128::from(multiply(y, y, n)) + u128::from(c)) % u128::from(n);
    let (mut slow, mut fast) = (2, 2);
    loop {
        slow = step(slow) as u64;
        fast = step(step(fast) as u64) as u64;
        match gcd(slow.abs_diff(fast).into(), n.into()) as u64 {
            1 => {}
            divisor => return (divisor != n).then_some(divisor),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mersenne_numbers() {
        for (d, primes) in [
            (64, &[3, 5, 17, 257, 641, 65537, 6_700_417][..]),
            (63, &[7, 7, 73, 127, 337, 92737, 649_657]),
            (61, &[(1 << 61) - 1]),
            (59, &[179_951, 3_203_431_780_337]),
            (41, &[13_367, 164_511_353]),
            (31, &[(1 << 31) - 1]),
            (1, &[]),
        ] {
            assert_eq!(prime_factors(u64::MAX >> (64 - d)), primes);
        }
    }

    #[test]
    fn factors_multiply_to_the_number() {
        for n in (1..5000).chain((1..50).map(|i| u64::MAX / i)) {
            let factors = prime_factors(n);
            assert_eq!(factors.iter().product::<u64>(), n);
            assert!(factors.iter().all(|&p| is_prime(p)));
        }
        assert!(!is_prime(3_215_031_751)); // to the bases 2, 3, 5 and 7 it looks prime
    }
}
