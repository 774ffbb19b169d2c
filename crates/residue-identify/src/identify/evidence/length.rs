//! The lengths in bits of descriptions of values, of which the shortest bounds the information in
//! them.

/// Returns the bits of a number, small ones by few (Elias's gamma code, with a sign), of `bits`
/// bits and two's complement.
pub(super) fn number(value: u128, bits: u32) -> f64 {
    let size = 128 - magnitude(value, bits).leading_zeros();
    f64::from((2 * size + 1).min(bits + 4))
}

/// Returns a number of two's complement without its sign.
pub(super) fn magnitude(value: u128, bits: u32) -> u128 {
    let mask = u128::MAX >> (128 - bits);
    (value & mask).min(value.wrapping_neg() & mask)
}

/// Returns the bits of the shortest description of values one after the other, without anything
/// else known.
pub(super) fn alone(values: &[u128], bits: u32) -> f64 {
    let raw = f64::from(bits) * values.len() as f64;
    // Which of these it is.
    let kinds = 2.0;
    [repeated(values, bits), steps(values, bits), spanned(values, bits)]
        .into_iter()
        .fold(raw, |least, length| least.min(length + kinds))
}

/// Returns the bits of the different values, and which of them stands where.
fn repeated(values: &[u128], bits: u32) -> f64 {
    let counts = counts(values);
    // Then they are all the values, and their order.
    if counts.len() == values.len() {
        return f64::INFINITY;
    }
    let place = (values.len().max(1) as f64).log2();
    (f64::from(bits) + place) * counts.len() as f64 + orders(&counts)
}

/// Returns the base-2 logarithm of the number of orders in which these values can stand.
pub(super) fn arrangements(values: &[u128]) -> f64 {
    orders(&counts(values))
}

/// Returns how often each of the values occurs.
fn counts(values: &[u128]) -> Vec<usize> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).map(<[u128]>::len).collect()
}

/// Returns the base-2 logarithm of the number of orders of things that occur so often.
fn orders(counts: &[usize]) -> f64 {
    let factorial = |n: usize| (2..=n).map(|i| (i as f64).log2()).sum::<f64>();
    let alike = counts.iter().filter(|&&count| count > 1).map(|&count| factorial(count));
    factorial(counts.iter().sum()) - alike.sum::<f64>()
}

/// Returns the bits of the first value, and of the steps from each to the next.
fn steps(values: &[u128], bits: u32) -> f64 {
    let each = values.windows(2).map(|pair| number(pair[1].wrapping_sub(pair[0]), bits));
    f64::from(bits) + each.sum::<f64>()
}

/// Returns the bits of the values if they are in few dimensions over GF(2): those that open a new
/// dimension, and the coordinates of the others.
fn spanned(values: &[u128], bits: u32) -> f64 {
    let Some(&first) = values.first() else { return 0.0 };
    let mut basis: Vec<u128> = Vec::new();
    for value in &values[1..] {
        let rest = basis.iter().fold(value ^ first, |rest, &row| rest.min(rest ^ row));
        if rest != 0 {
            basis.push(rest);
            basis.sort_unstable_by(|a, b| b.cmp(a));
        }
    }
    let dimension = basis.len() as f64;
    let others = values.len() as f64 - 1.0 - dimension;
    // Which of the values open a dimension is as much again as a coordinate of each.
    f64::from(bits) * (dimension + 1.0) + others * dimension + values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_testing::Random;

    #[test]
    fn random_values_have_no_short_description() {
        let mut random = Random(4);
        for bits in [4, 8, 13, 16, 32, 64] {
            for count in [1, 2, 5, 20, 100] {
                let values: Vec<u128> =
                    (0..count).map(|_| u128::from(random.next() >> (64 - bits))).collect();
                let raw = f64::from(bits) * count as f64;
                let least = alone(&values, bits);
                assert!(least > raw - 12.0, "{bits} {count}: {least}");
                assert!(least <= raw);
            }
        }
    }

    #[test]
    fn values_in_order_have_one() {
        let counter: Vec<u128> = (250..300).map(|i| i & 0xffff).collect();
        assert_eq!(alone(&counter, 16), 2.0 + 16.0 + 49.0 * 3.0);
        assert!(alone(&[77; 40], 32) < 60.0);
        let flags: Vec<u128> = (0..40).map(|i| (i * i) % 3).collect();
        assert!(alone(&flags, 32) < 150.0);
        let text: Vec<u128> = (0..40).map(|i| 0x3030 + (i * 7919) % 10 + ((i % 7) << 8)).collect();
        assert!(alone(&text, 16) < 450.0);
        assert_eq!(alone(&[5], 8), 8.0);
        assert_eq!(alone(&[], 8), 0.0);
    }

    #[test]
    fn numbers() {
        assert_eq!([0, 1, 255, 2, 128].map(|value| number(value, 8)), [1.0, 3.0, 3.0, 5.0, 12.0]);
        // Codewords of all numbers nearly fit into one code.
        let sum: f64 = (0..256).map(|value| (-number(value, 8)).exp2()).sum();
        assert!(sum <= 1.05, "{sum}");
        assert_eq!(arrangements(&[1, 2, 3, 4]).round(), 5.0);
        assert_eq!(arrangements(&[9, 9, 9]), 0.0);
    }
}
