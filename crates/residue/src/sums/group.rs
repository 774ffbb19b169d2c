//! The states of sums as elements of a group, by which all of them are combined, split and updated.
//!
//! A sum's state is one number, or two of which A is in the lower half and B in the upper. States
//! are added number by number, and a unit of zeros behind the data changes them linearly:
//!
//! ```text
//! s(XY) = T^n (s(X) - s(empty)) + s(Y)          for Y of n units
//! ```
//!
//! The modulus and T, the [`Step`], are all that differs between families.

/// The arithmetic of a family's states.
#[derive(Clone, Copy)]
pub struct Group {
    /// The modulus of both numbers; 0 stands for exclusive or.
    pub(crate) modulus: u64,
    pub(crate) step: Step,
}

/// The effect of a zero unit on a state.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    /// No change.
    None,
    /// Rotates a 16-bit sum modulo 65535 left by so many bits, which multiplies it by a power of
    /// two.
    Rotate(u32),
    /// Adds A to B.
    Sum,
    /// Multiplies by 256.
    Scale,
}

/// A mask for the lower half of a state.
const LOW: u64 = 0xffff_ffff;

impl Group {
    /// Returns the sum of two states.
    pub(crate) const fn plus(self, x: u64, y: u64) -> u64 {
        match self.modulus {
            0 => x ^ y,
            m => {
                let a = ((x & LOW) + (y & LOW)) % m;
                (((x >> 32) + (y >> 32)) % m) << 32 | a
            }
        }
    }

    /// Returns the difference of two states; the second must be reduced.
    pub(crate) const fn minus(self, x: u64, y: u64) -> u64 {
        match self.modulus {
            0 => x ^ y,
            m => {
                let a = ((x & LOW) + m - (y & LOW)) % m;
                (((x >> 32) + m - (y >> 32)) % m) << 32 | a
            }
        }
    }

    /// Returns what a unit adds to a state if it has the number `x` in place of `y`, for
    /// [`Group::push`].
    #[inline(always)]
    pub(crate) const fn difference(self, x: u32, y: u32) -> u64 {
        match self.modulus {
            0 => (x ^ y) as u64,
            m => x as u64 + ((1 << 32) / m + 1) * m - y as u64,
        }
    }

    /// Returns the state after one more unit, whose number may be as large as a
    /// [`Group::difference`].
    #[inline(always)]
    pub(crate) const fn push(self, state: u64, unit: u64) -> u64 {
        let modulus = self.modulus;
        match self.step {
            Step::None => self.plus(state, unit),
            Step::Rotate(_) => self.advance((state + unit) % modulus, 1),
            Step::Sum => {
                let a = ((state & LOW) + unit) % modulus;
                let b = ((state >> 32) + a) % modulus;
                b << 32 | a
            }
            Step::Scale => (256 * state + unit) % modulus,
        }
    }

    /// Returns the state after `units` units of zero.
    pub(crate) const fn advance(self, state: u64, units: u64) -> u64 {
        let modulus = self.modulus;
        match self.step {
            Step::None => state,
            Step::Rotate(bits) => (state as u16).rotate_left((units % 16) as u32 * bits) as u64,
            Step::Sum => {
                let a = state & LOW;
                let b = ((state >> 32) + units % modulus * a) % modulus;
                b << 32 | a
            }
            Step::Scale => state % modulus * shift(units, modulus) % modulus,
        }
    }

    /// Returns the state before `units` units of zero: the inverse of [`Group::advance`].
    pub(crate) const fn retreat(self, state: u64, units: u64) -> u64 {
        let modulus = self.modulus;
        match self.step {
            // Advances by the remainder of a full turn.
            Step::None | Step::Rotate(_) => self.advance(state, 16 - units % 16),
            Step::Sum => self.advance(state, modulus - units % modulus),
            Step::Scale => {
                let inverse = power(halved(1, 8, modulus), units, modulus);
                state % modulus * inverse % modulus
            }
        }
    }

    /// Returns the state of two pieces of data from those of each, where `start` is the state of
    /// no data and the second piece has `units` units.
    pub(crate) const fn concat(self, start: u64, first: u64, second: u64, units: u64) -> u64 {
        self.plus(self.advance(self.minus(first, start), units), second)
    }
}

/// A family's state as an element of a [`Group`].
pub trait Element: Copy + PartialEq {
    fn pack(self) -> u64;
    fn unpack(packed: u64) -> Self;
}

macro_rules! single {
    ($($number:ident)*) => {$(
        impl Element for $number {
            #[inline(always)]
            fn pack(self) -> u64 {
                self.into()
            }

            #[inline(always)]
            fn unpack(packed: u64) -> Self {
                packed as $number
            }
        }
    )*};
}
single!(u16 u32 u64);

impl Element for [u32; 2] {
    #[inline(always)]
    fn pack(self) -> u64 {
        pack(self)
    }

    #[inline(always)]
    fn unpack(packed: u64) -> [u32; 2] {
        unpack(packed)
    }
}

/// Returns A and B as one number.
#[inline(always)]
pub(crate) const fn pack([a, b]: [u32; 2]) -> u64 {
    (b as u64) << 32 | a as u64
}

/// Returns A and B of a number.
#[inline(always)]
pub(crate) const fn unpack(packed: u64) -> [u32; 2] {
    [packed as u32, (packed >> 32) as u32]
}

/// Returns `value` divided `times` times by 2 modulo `modulus`, an odd number: half of an odd
/// number is that of the number and the modulus together.
pub(crate) const fn halved(mut value: u64, times: u32, modulus: u64) -> u64 {
    let mut done = 0;
    while done < times {
        value = (value + if value.is_multiple_of(2) { 0 } else { modulus }) / 2;
        done += 1;
    }
    value
}

/// Returns `base`^`exponent` modulo `modulus`; `base` and `modulus` are less than 2^32.
const fn power(mut base: u64, mut exponent: u64, modulus: u64) -> u64 {
    let mut power = 1;
    while exponent > 0 {
        if exponent % 2 == 1 {
            power = power * base % modulus;
        }
        base = base * base % modulus;
        exponent /= 2;
    }
    power
}

/// Returns 256^`exponent` modulo `modulus`, which is less than 2^32.
pub(crate) const fn shift(exponent: u64, modulus: u64) -> u64 {
    power(256 % modulus, exponent, modulus)
}
