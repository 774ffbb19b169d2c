//! Something that a value is combined with by exclusive or, and that depends on the message.

use super::locate::Anchor;
use std::fmt;

/// The part of a byte that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The whole byte.
    Both,
    /// The lowest four bits.
    Low,
    /// The highest four bits.
    High,
}

impl Half {
    pub(super) const ALL: [Half; 3] = [Half::Both, Half::Low, Half::High];

    /// Returns the number in it.
    pub(super) fn of(self, byte: u8) -> u8 {
        match self {
            Half::Both => byte,
            Half::Low => byte & 15,
            Half::High => byte >> 4,
        }
    }
}

/// Something that a value is combined with by exclusive or.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    /// The byte of the message that it depends on.
    pub at: Anchor,
    /// The part of that byte.
    pub half: Half,
    /// The constants for each number in it, as far as samples show them; `None` if the number
    /// itself is combined.
    pub constants: Option<Vec<Option<u128>>>,
}

impl Mask {
    /// Returns what the value of a message is combined with; `None` if the message is too short, or
    /// no sample shows the constant.
    pub(super) fn of(&self, message: &[u8]) -> Option<u128> {
        let number = self.half.of(*message.get(self.at.at(message.len())?)?);
        match &self.constants {
            None => Some(number.into()),
            Some(constants) => *constants.get(usize::from(number))?,
        }
    }
}

impl fmt::Display for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = match self.half {
            Half::Both => "the byte",
            Half::Low => "the low half of the byte",
            Half::High => "the high half of the byte",
        };
        match &self.constants {
            None => write!(f, "exclusive or {part} at {}", self.at),
            Some(constants) => {
                let shown = constants.iter().flatten().count();
                let all = constants.len();
                write!(
                    f,
                    "exclusive or a constant for each number in {part} at {} ({shown} of {all} \
                     shown)",
                    self.at
                )
            }
        }
    }
}
