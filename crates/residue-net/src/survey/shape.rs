//! Differences of a damaged copy from a good one.

/// A shape of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// The data is equal: the damage is in the header or the checksum, or the checksum was computed
    /// wrongly.
    Header,
    /// One bit is flipped.
    Bit,
    /// Several bits are flipped, in different bytes, at one position in the byte.
    BitColumn,
    /// One byte differs.
    Byte,
    /// Two bytes, or two 16-bit words, are swapped.
    Swap,
    /// A run of bytes is zero.
    Zeroed,
    /// A run of bytes is FF.
    Ones,
    /// From some byte on, the data of a later offset: bytes are missing.
    Missing,
    /// From some byte on, the data of an earlier offset: bytes were inserted or repeated.
    Inserted,
    /// A run of bytes also occurs elsewhere in the data: an old block in place of a new one.
    Stale,
    /// One run of bytes differs.
    Run,
    /// Scattered bytes differ.
    Scattered,
}

impl Shape {
    /// Returns the name of the shape for reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Shape::Header => "header",
            Shape::Bit => "bit",
            Shape::BitColumn => "bit column",
            Shape::Byte => "byte",
            Shape::Swap => "swap",
            Shape::Zeroed => "zeroed",
            Shape::Ones => "ones",
            Shape::Missing => "missing",
            Shape::Inserted => "inserted",
            Shape::Stale => "stale",
            Shape::Run => "run",
            Shape::Scattered => "scattered",
        }
    }

    /// Returns a clause of explanation.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Shape::Header => "same data: header or checksum",
            Shape::Bit => "one bit flipped",
            Shape::BitColumn => "the same bit of several bytes flipped",
            Shape::Byte => "one byte another",
            Shape::Swap => "two bytes or words interchanged",
            Shape::Zeroed => "a run of zeros",
            Shape::Ones => "a run of FF",
            Shape::Missing => "bytes missing, the rest moved forward",
            Shape::Inserted => "bytes put in, the rest moved back",
            Shape::Stale => "a block from elsewhere in the data",
            Shape::Run => "a run of other bytes",
            Shape::Scattered => "other bytes here and there",
        }
    }
}

/// A difference of two copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Shape of the damage.
    pub shape: Shape,
    /// Offset of the first byte that differs.
    pub offset: u32,
    /// Length from the first to the last differing byte; 0 if all are equal.
    pub length: u32,
}

/// Number of equal bytes after a shift that rule out chance.
const SHIFT_AGREES: usize = 16;
/// Largest distance of a shift to test.
const LARGEST_SHIFT: usize = 2048;
/// Length of the shortest stale block: shorter ones occur elsewhere by chance.
const SMALLEST_STALE: usize = 8;
/// In a run, one byte in this many may be right by chance.
const MOST_RIGHT: usize = 8;

impl Damage {
    /// Returns the difference of two copies of equal length.
    #[must_use]
    pub fn between(good: &[u8], bad: &[u8]) -> Damage {
        let differs: Vec<usize> = good
            .iter()
            .zip(bad)
            .enumerate()
            .filter(|(_, (a, b))| a != b)
            .map(|(at, _)| at)
            .collect();
        let (Some(&first), Some(&last)) = (differs.first(), differs.last()) else {
            return Damage { shape: Shape::Header, offset: 0, length: 0 };
        };
        Damage {
            shape: shape(good, bad, &differs, first, last),
            offset: first as u32,
            length: (last + 1 - first) as u32,
        }
    }
}

fn shape(good: &[u8], bad: &[u8], differs: &[usize], first: usize, last: usize) -> Shape {
    let flipped = |at: usize| good[at] ^ bad[at];
    let run = &bad[first..=last];
    if differs.len() == 1 {
        return if flipped(first).is_power_of_two() { Shape::Bit } else { Shape::Byte };
    }
    if flipped(first).is_power_of_two() && differs.iter().all(|&at| flipped(at) == flipped(first)) {
        return Shape::BitColumn;
    }
    if is_swap(good, bad, differs) {
        return Shape::Swap;
    }
    if run.iter().all(|&byte| byte == 0) {
        return Shape::Zeroed;
    }
    if run.iter().all(|&byte| byte == 0xff) {
        return Shape::Ones;
    }
    for distance in 1..LARGEST_SHIFT.min(run.len()) {
        // The current bytes are `distance` later in the good copy, to its end.
        let now = &bad[first..bad.len() - distance];
        if now.len() >= SHIFT_AGREES && now == &good[first + distance..] {
            return Shape::Missing;
        }
        let now = &bad[first + distance..];
        if now.len() >= SHIFT_AGREES && now == &good[first..good.len() - distance] {
            return Shape::Inserted;
        }
    }
    if run.len() >= SMALLEST_STALE && good.windows(run.len()).any(|window| window == run) {
        return Shape::Stale;
    }
    let right = run.len() - differs.len();
    if right * MOST_RIGHT <= run.len() { Shape::Run } else { Shape::Scattered }
}

/// Returns whether two bytes or two 16-bit words, at any distance, are swapped.
fn is_swap(good: &[u8], bad: &[u8], differs: &[usize]) -> bool {
    let exchanged = |one: usize, other: usize| good[one] == bad[other] && good[other] == bad[one];
    match *differs {
        [one, other] => exchanged(one, other),
        // In words that share a byte, only the other bytes differ, which is the case above.
        [a, b, c, d] => b == a + 1 && d == c + 1 && exchanged(a, c) && exchanged(b, d),
        _ => false,
    }
}
