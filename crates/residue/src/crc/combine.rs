//! Combination of values with those of second pieces of one length.

use super::advance;
use super::any::{Crc, Engine};
use super::width::Width;

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

impl<W: Width> Crc<W> {
    /// Returns the check value of two concatenated pieces of data from their values.
    ///
    /// The second piece has `length` bytes.
    ///
    /// It takes one multiplication modulo P for each bit set in `length`. Up to 64 bits, where the
    /// CPU has carry-less products, each multiplication takes three of them. For many pieces of one
    /// length, use [`Crc::combine_with_length`].
    ///
    /// ```
    /// use residue::crc::CRC_32C;
    /// assert_eq!(CRC_32C.combine(0x18d1_2335, 0xc27e_5db2, 4), 0xe306_9283); // 12345, 6789
    /// ```
    #[must_use]
    pub fn combine(&self, first: W, second: W, length: u64) -> W {
        let difference = self.advance(self.difference(first), length);
        self.joined(difference, second)
    }

    /// Prepares the combination of values with those of second pieces of `length` bytes, like
    /// zlib's `crc32_combine_gen`.
    ///
    /// ```
    /// use residue::crc::CRC_32C;
    /// let four_bytes = CRC_32C.combine_with_length(4);
    /// assert_eq!(four_bytes.combine(0x18d1_2335, 0xc27e_5db2), 0xe306_9283); // 12345, 6789
    /// ```
    #[must_use]
    pub fn combine_with_length(&self, length: u64) -> Combine<'_, W> {
        Combine::new(self, length)
    }

    /// Returns the difference between the register of `first` and the start, which the data that
    /// follow then advance.
    ///
    /// The second register began at init, but the first piece leaves another one.
    fn difference(&self, first: W) -> u128 {
        self.register(first.into()) ^ self.start()
    }

    /// Returns the value of two pieces from the advanced difference of the first and the value of
    /// the second.
    fn joined(&self, advanced: u128, second: W) -> W {
        W::of_low(self.finish(advanced ^ self.register(second.into())))
    }

    /// Returns the check value after the bytes `old`, at `offset` in data of `length` bytes, became
    /// `new`.
    ///
    /// The rest of the data is not needed, because the code is linear. Returns `None` if the
    /// lengths of `old` and `new` differ or the change reaches past `length`.
    #[must_use]
    pub fn update(&self, value: W, length: u64, offset: u64, old: &[u8], new: &[u8]) -> Option<W> {
        let end = offset.checked_add(old.len() as u64)?;
        if old.len() != new.len() || end > length {
            return None;
        }
        let mut change = 0;
        for (old, new) in old.chunks(64).zip(new.chunks(64)) {
            let mut block = [0; 64];
            for (byte, (old, new)) in block.iter_mut().zip(old.iter().zip(new)) {
                *byte = old ^ new;
            }
            change = self.run(change, &block[..old.len()]);
        }
        let register = self.register(value.into()) ^ self.advance(change, length - end);
        Some(W::of_low(self.finish(register)))
    }
}
