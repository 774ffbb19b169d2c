//! The value of any code by its definition, one byte or word at a time: the yardstick where no vector is at hand.

use residue::{Code, adler, fletcher, foil, internet, xns};

/// The value of `data` by the definition of `code`.
#[must_use]
pub fn value(code: &Code, data: &[u8]) -> u128 {
    if let Some(params) = code.params() {
        return params.reference(data);
    }
    let sums = |unit: usize, modulus: u32| fletcher::reference(data, unit, modulus);
    let joined = |[low, high]: [u32; 2], bits: u32| u128::from(high) << bits | u128::from(low);
    let exchanged = |value: u128| u128::from(fletcher::swap_halves(value as u32));
    let foil = |xor: bool, bytes: usize| u128::from(foil::reference(data, xor, bytes));
    // End-around sums stay at the modulus once they have left zero.
    let end_around = |[a, b]: [u32; 2], modulus: u32| {
        let some = data.iter().any(|&byte| byte != 0);
        [b, a].map(|sum| if sum == 0 && some { modulus } else { sum })
    };
    match code.name() {
        "internet" => internet::reference(data).into(),
        "xns" => xns::reference(data).into(),
        "fletcher-16" => joined(sums(1, 255), 8),
        "fletcher-32" => joined(sums(2, 65535), 16),
        "fletcher-32/be" => exchanged(joined(sums(2, 65535), 16)),
        "fletcher-16/mod256" => joined(sums(1, 256), 8),
        "fletcher-32/mod65536" => joined(sums(2, 65536), 16),
        "rfc1146-8" => joined(end_around(sums(1, 255), 255), 8),
        "rfc1146-16" => exchanged(joined(end_around(sums(2, 65535), 65535), 16)),
        "adler-32" => adler::reference(data).into(),
        "xor-8" => foil(true, 1),
        "xor-16" => foil(true, 2),
        "xor-32" => foil(true, 4),
        "sum-8" => foil(false, 1),
        "sum-16" => foil(false, 2),
        "sum-32" => foil(false, 4),
        // A code younger than this list: its own kernels are compared with one another, which is better than nothing.
        _ => code.value(data),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conform::vectors;

    #[test]
    fn definitions_give_the_vectors() {
        for vector in vectors::all().unwrap() {
            let code: Code = vector.code.parse().unwrap();
            let value = value(&code, &vector.input.bytes());
            assert_eq!(value, vector.value, "{} of {}", vector.code, vector.input);
        }
    }

    #[test]
    fn every_code_has_one() {
        let data: Vec<u8> = (0..99).map(|i: u32| (i * i + 7) as u8).collect();
        for code in Code::all() {
            assert_eq!(value(&code, &data), code.value(&data), "{code}");
        }
    }
}
