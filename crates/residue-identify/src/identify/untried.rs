//! The parts of a search that could not be carried out on some samples.

use std::fmt;

/// Something that the search usually tries, and that it did not try on these samples.
///
/// Nothing of it is ruled out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Untried {
    /// Named codes, hash functions and known generators, which the options leave out.
    Named,
    /// Hash functions, of long messages in readings other than the plain one.
    LongHashes,
    /// Sums with other settings, for which one sample is too few.
    Sums,
    /// Sums with other settings in fields of this many bits: only whole bytes up to 64 bits are
    /// tried.
    SumFields(u32),
    /// Sums with unnamed moduli, of which these samples leave too many open.
    Moduli,
    /// Sums and hash functions that rotate or multiply, of long messages.
    LongIterated,
    /// Hash functions with a multiplier that has no name, of which these samples leave too many
    /// possible.
    Multipliers,
    /// Koopman's checksums with every modulus in every reading: a message is empty, or too long.
    Remainders,
}

impl fmt::Display for Untried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Untried::Named => f.write_str("named codes, hash functions and known generators"),
            Untried::LongHashes => f.write_str(
                "hash functions of messages that are swapped, padded or cut, as these are long",
            ),
            Untried::Sums => {
                f.write_str("sums with other settings, for which one sample is too few")
            }
            Untried::SumFields(bits) => write!(
                f,
                "sums with other settings in fields of {bits} bits (8, 16, ... 64 bits are tried)"
            ),
            Untried::Moduli => f.write_str(
                "sums with unusual moduli, of which these samples leave too many possible",
            ),
            Untried::LongIterated => f.write_str(
                "sums and hash functions that rotate or multiply, as the messages are long",
            ),
            Untried::Multipliers => f.write_str(
                "hash functions with an unusual multiplier, for which these samples are too few",
            ),
            Untried::Remainders => f.write_str(
                "Koopman's checksums with every modulus in every reading, as a message is empty or \
                 long",
            ),
        }
    }
}
