//! Combination of values with those of second pieces of one length.

use super::{Crc, Engine, Width, advance};

/// The combination of two values, prepared for second pieces of one length.
///
/// Made by [`Crc::combine_with_length`]; zlib calls it an operator (`crc32_combine_op`). Each use
/// takes one multiplication modulo P, whatever the length is.
#[derive(Clone, Copy, Debug)]
pub struct Combine<'a, W: Width = u128> {
    crc: &'a Crc<W>,
    /// The factor that moves a register over the second piece; `None` if that is empty.
    factor: Option<u128>,
}

impl<'a, W: Width> Combine<'a, W> {
    pub(super) fn new(crc: &'a Crc<W>, length: u64) -> Self {
        let factor = (length != 0).then(|| match &crc.engine {
            Engine::Embedded(constants) => advance::factor(constants, length).into(),
            Engine::Wide(wide) => wide.advance(1, length),
        });
        Combine { crc, factor }
    }

    /// Returns the check value of two concatenated pieces of data from their values.
    #[must_use]
    pub fn combine(&self, first: W, second: W) -> W {
        let difference = self.crc.difference(first);
        let advanced = match (self.factor, &self.crc.engine) {
            (None, _) => difference,
            (Some(factor), Engine::Embedded(constants)) => {
                advance::multiply(constants, difference as u64, factor as u64).into()
            }
            (Some(factor), Engine::Wide(wide)) => wide.multiply(difference, factor),
        };
        self.crc.joined(advanced, second)
    }
}
