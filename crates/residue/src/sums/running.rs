//! The streaming type of all sums, written once from the arithmetic of a family's states.

use crate::Error;
use crate::body::Family;
use crate::kernel::Dispatch;
use crate::kernel::copy::{self, Destination};
use crate::length::Length;
use crate::streaming::streaming;
use crate::sums::group::{Element, Group};
use core::fmt::Debug;

/// A family of sums: the arithmetic of its states.
pub trait Summed: Copy + Debug + 'static {
    /// The state between pieces of data, reduced.
    type State: Element + Debug;
    /// The value.
    type Value: Copy + PartialEq + Debug + Into<u128>;
    /// Bytes in a word, the unit of [`Summed::GROUP`]. A state of data that end inside a word has
    /// the whole word, with zeros for the missing bytes, and only the last of several combined
    /// parts may end so.
    const WORD: usize;
    /// Whether a value determines the state of data that end inside a word.
    const RESUMES_INSIDE: bool = true;
    /// Whether [`Running::nonzero`] is kept.
    const MARKS_NONZERO: bool = false;
    /// The state of the empty message.
    const START: Self::State;
    /// The arithmetic of the states, from which combination and update follow.
    const GROUP: Group;
    /// The choice among the kernels.
    #[allow(private_interfaces)] // A part of the sealed trait that only this crate reads.
    const DISPATCH: &'static Dispatch<Self>;

    /// Returns the value of a state.
    fn value_of(state: Self::State) -> Self::Value;

    /// Returns the state that has `value`, reduced: the inverse of [`Summed::value_of`] for the
    /// values that data have.
    fn state_of(value: Self::Value) -> Self::State;

    /// Returns the word that begins with `bytes`, of which those behind [`Summed::WORD`] are zero,
    /// as a number.
    fn word(bytes: [u8; 4]) -> u32;

    /// Returns the state of `bytes` bytes of data as an element of the group.
    fn pack(state: Self::State, _bytes: u64) -> u64 {
        state.pack()
    }

    /// Returns the state of `bytes` bytes of data, not all zero if `nonzero`, from an element of
    /// the group.
    fn unpack(packed: u64, _bytes: u64, _nonzero: bool) -> Self::State {
        Self::State::unpack(packed)
    }

    /// Returns the state after `run`, which follows `bytes` bytes.
    #[inline(always)]
    fn after(
        state: Self::State,
        _bytes: u64,
        run: impl FnOnce(Self::State) -> Self::State,
    ) -> Self::State {
        run(state)
    }

    /// Returns the state of two parts, of `bytes` bytes each, one behind the other.
    fn concat(first: Self::State, second: Self::State, [_, bytes]: [u64; 2]) -> Self::State {
        let units = bytes.div_ceil(Self::WORD as u64);
        let [start, first, second] = [Self::START, first, second].map(Element::pack);
        Element::unpack(Self::GROUP.concat(start, first, second, units))
    }
}

impl<F: Summed> Family for F {
    type Context = ();
    type State = F::State;
    type Value = F::Value;

    #[inline(always)]
    fn start((): &()) -> F::State {
        F::START
    }

    #[inline(always)]
    fn finish((): &(), state: F::State) -> F::Value {
        F::value_of(state)
    }
}

/// Returns the state after the bytes `old`, at `offset` in data of `length` bytes with this state,
/// became `new`.
///
/// Returns `None` if the lengths of `old` and `new` differ or the change reaches past `length`.
pub(crate) fn update_at<F: Summed>(
    state: F::State,
    length: u64,
    offset: u64,
    old: &[u8],
    new: &[u8],
) -> Option<F::State> {
    let end = offset.checked_add(old.len() as u64)?;
    if old.len() != new.len() || end > length {
        return None;
    }
    let (mut change, mut words) = (0, [0; 2]);
    for (place, (&old, &new)) in (offset..end).zip(old.iter().zip(new)) {
        let at = place % F::WORD as u64;
        words[0] |= u32::from(old) << (8 * at);
        words[1] |= u32::from(new) << (8 * at);
        if at == F::WORD as u64 - 1 || place + 1 == end {
            let [old, new] = words.map(|word| F::word(word.to_le_bytes()));
            change = F::GROUP.push(change, F::GROUP.difference(new, old));
            words = [0; 2];
        }
    }
    let units = |bytes: u64| bytes.div_ceil(F::WORD as u64);
    let change = F::GROUP.advance(change, units(length) - units(end));
    Some(Element::unpack(F::GROUP.plus(state.pack(), change)))
}

/// A sum of data that arrives in pieces of any length: the streaming type of all sums, under names
/// such as [`internet::Checksum`](crate::internet::Checksum) and
/// [`adler::Adler32`](crate::adler::Adler32).
#[derive(Clone, Copy, Debug)]
pub struct Running<F: Summed> {
    state: F::State,
    bytes: Length,
    /// Whether any byte was not zero, if the family needs to know.
    nonzero: bool,
}

impl<F: Summed> Running<F> {
    /// Starts with the value of the empty message.
    #[must_use]
    pub const fn new() -> Self {
        Running { state: F::START, bytes: Length::new(0), nonzero: false }
    }

    /// Resumes after `bytes` bytes of data that have this state.
    pub(crate) const fn of(state: F::State, bytes: u64) -> Self {
        Running { state, bytes: Length::new(bytes), nonzero: true }
    }

    pub(crate) const fn state(&self) -> F::State {
        self.state
    }

    /// Returns whether any byte was not zero.
    pub(crate) const fn nonzero(&self) -> bool {
        self.nonzero
    }

    /// Sets whether any byte was not zero.
    pub(crate) const fn set_nonzero(&mut self, nonzero: bool) {
        self.nonzero = nonzero;
    }

    /// Continues after `bytes` bytes of data that have the value `value`.
    ///
    /// # Errors
    /// [`Error::ImpossibleValue`] if the value is not reduced, or `bytes` is 0 and `value` is not
    /// that of the empty message. [`Error::OddSplit`] if data of Fletcher's sums or of XNS end
    /// inside a word.
    ///
    /// ```
    /// use residue::{adler::Adler32, fletcher::Fletcher32, internet};
    /// let mut sums = Adler32::resume(residue::adler32(b"Wiki"), 4)?;
    /// sums.update(b"pedia");
    /// assert_eq!(sums.value(), 0x11e6_0398);
    /// let mut sums = Fletcher32::resume(residue::fletcher32(b"abcd"), 4)?;
    /// sums.update(b"ef");
    /// assert_eq!(sums.value(), residue::fletcher32(b"abcdef"));
    /// let mut sum = internet::Checksum::resume(internet::checksum(b"123"), 3)?;
    /// sum.update(b"456789");
    /// assert_eq!(sum.value(), internet::checksum(b"123456789"));
    /// # Ok::<(), residue::Error>(())
    /// ```
    pub fn resume(value: F::Value, bytes: u64) -> Result<Self, Error> {
        if !F::RESUMES_INSIDE && !bytes.is_multiple_of(F::WORD as u64) {
            return Err(Error::OddSplit { bytes });
        }
        let state = F::state_of(value);
        let empty = F::value_of(F::START);
        if F::value_of(state) != value || bytes == 0 && value != empty {
            return Err(Error::ImpossibleValue { bytes });
        }
        // Data whose sums are zero count as zero throughout.
        Ok(Running { nonzero: state != F::START, ..Running::of(state, bytes) })
    }

    /// Adds the next bytes.
    pub fn update(&mut self, data: &[u8]) {
        let phase = (self.bytes() % F::WORD as u64) as usize;
        let (head, rest) = data.split_at(((F::WORD - phase) % F::WORD).min(data.len()));
        if !head.is_empty() {
            let mut word = [0; 4];
            word[phase..phase + head.len()].copy_from_slice(head);
            // A word that is zero where the data before it are not.
            let word = F::GROUP.push(0, F::word(word).into());
            self.state = Element::unpack(F::GROUP.plus(self.state.pack(), word));
        }
        self.state = F::after(self.state, self.bytes(), |state| F::DISPATCH.run(&(), state, rest));
        self.added(data);
    }

    /// Adds the next bytes and copies them to `to`, in one pass.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn update_copying(&mut self, from: &[u8], to: &mut (impl Destination + ?Sized)) {
        if self.bytes().is_multiple_of(F::WORD as u64) {
            let copy = |state| copy::run(F::DISPATCH, &(), state, from, to);
            self.state = F::after(self.state, self.bytes(), copy);
            self.added(from);
        } else {
            copy::in_blocks::<F>(from, to, |block| self.update(block));
        }
    }

    /// Returns the value of the data added up to now.
    #[must_use]
    pub fn value(&self) -> F::Value {
        F::value_of(self.state)
    }

    /// Returns the number of bytes added.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// Starts again with the value of the empty message.
    pub const fn reset(&mut self) {
        *self = Running::new();
    }

    /// Appends data that was summed separately.
    ///
    /// # Errors
    /// [`Error::OddSplit`] if this data ends inside a word, for codes other than the Internet
    /// checksum: the words of `next` would straddle. [`Error::TooLong`] for 2^64 bytes and more.
    pub fn combine(&mut self, next: &Self) -> Result<(), Error> {
        if !self.bytes().is_multiple_of(F::WORD as u64) {
            return Err(Error::OddSplit { bytes: self.bytes() });
        }
        let bytes = self.bytes.followed_by(next.bytes)?;
        self.state = F::concat(self.state, next.state, [self.bytes(), next.bytes()]);
        self.bytes = bytes;
        self.nonzero |= next.nonzero;
        Ok(())
    }

    /// Counts bytes of which the state has been taken.
    fn added(&mut self, data: &[u8]) {
        self.bytes.add(data.len());
        if F::MARKS_NONZERO {
            // Non-zero sums prove it; only the rare zero sums need a look at the bytes.
            let state = self.state != F::START;
            self.nonzero = self.nonzero || state || data.iter().any(|&byte| byte != 0);
        }
    }
}

impl<F: Summed> Default for Running<F> {
    fn default() -> Self {
        Running::new()
    }
}

/// Two are equal if their values and the numbers of bytes are.
impl<F: Summed> PartialEq for Running<F> {
    fn eq(&self, other: &Self) -> bool {
        (self.value(), self.bytes) == (other.value(), other.bytes)
    }
}

impl<F: Summed> Eq for Running<F> {}

streaming!([F: Summed] Running<F>);
