//! Other forms of the right value: its bytes or bits in another order, inverted, in a wider type.

use residue::Code;

/// Another form of the right value.
pub(super) struct Form {
    pub(super) name: &'static str,
    pub(super) why: &'static str,
    pub(super) turn: fn(u128, &Code) -> u128,
}

/// All forms that are tried.
pub(super) const FORMS: &[Form] = &[
    Form {
        name: "byte-swapped",
        why: "The value's bytes are in the opposite order.",
        turn: byte_swapped,
    },
    Form {
        name: "bit-reversed",
        why: "The value's bits are in the opposite order: of a CRC, refout.",
        turn: |value, code| value.reverse_bits() >> (128 - code.width()),
    },
    Form {
        name: "inverted",
        why: "Every bit is the opposite: the final inversion is missing, or made twice.",
        turn: |value, code| value ^ mask(code),
    },
    Form {
        name: "xorout-forgotten",
        why: "The final exclusive or is missing.",
        turn: |value, code| value ^ code.params().map_or(0, |params| params.xorout),
    },
    Form {
        name: "inverted, byte-swapped",
        why: "Every bit is the opposite, and the bytes are in the opposite order.",
        turn: |value, code| byte_swapped(value ^ mask(code), code),
    },
    Form {
        name: "inverted, bit-reversed",
        why: "Every bit is the opposite, and the bits are in the opposite order.",
        turn: |value, code| (value ^ mask(code)).reverse_bits() >> (128 - code.width()),
    },
    Form {
        name: "halves-swapped",
        why: "The value's upper and lower halves have changed places.",
        turn: |value, code| {
            let half = code.width() / 2;
            (value >> half | value << half) & mask(code)
        },
    },
    Form {
        name: "sign-extended",
        why: "The value went through a signed type: its top bit is repeated up to 64 bits.",
        turn: |value, code| {
            let negative = value >> (code.width() - 1) & 1 == 1;
            if negative && code.width() < 64 {
                value | u128::from(u64::MAX) & !mask(code)
            } else {
                value
            }
        },
    },
    Form {
        name: "lower half",
        why: "Only the lower half of the value is there.",
        turn: |value, code| value & (mask(code) >> code.width().div_ceil(2)),
    },
    Form {
        name: "upper half",
        why: "Only the upper half of the value is there.",
        turn: |value, code| value >> (code.width() / 2),
    },
    Form {
        name: "decimal digits",
        why: "The value is printed in decimal and was read as hexadecimal: test with --decimal.",
        turn: |value, _| read_again(&value.to_string()),
    },
    Form {
        name: "octal digits",
        why: "The value is printed in octal and was read as hexadecimal.",
        turn: |value, _| read_again(&format!("{value:o}")),
    },
];

/// Returns the number whose hexadecimal digits these are; of too many, the lowest.
fn read_again(digits: &str) -> u128 {
    let digits = digits.bytes().filter_map(|digit| char::from(digit).to_digit(16));
    digits.fold(0, |number, digit| number << 4 | u128::from(digit))
}

/// Returns all ones, in the code's width.
fn mask(code: &Code) -> u128 {
    u128::MAX >> (128 - code.width())
}

fn byte_swapped(value: u128, code: &Code) -> u128 {
    value.swap_bytes() >> (128 - 8 * code.width().div_ceil(8))
}
