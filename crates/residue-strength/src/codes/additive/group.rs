//! The groups of codes.

/// The group of a code, as additions on elements packed into 32 bits.
///
/// Pairs have A in the lower half.
pub trait Group: Copy + Sync {
    /// Returns the sum of two elements.
    fn add(self, a: u32, b: u32) -> u32;
    /// Returns the element that added to `b` gives `a`.
    fn sub(self, a: u32, b: u32) -> u32;
    /// Returns the class of an element: that of a sum depends on the classes of its parts alone.
    ///
    /// Unless the group has its own, all elements are of one class.
    fn class(self, _: u32) -> u32 {
        0
    }
}

/// Bits under exclusive or.
#[derive(Clone, Copy, Debug)]
pub struct Bits;

/// Residues modulo a number of at most 2^32.
#[derive(Clone, Copy, Debug)]
pub struct Residues(pub u64);

/// Pairs of residues modulo a number of at most 2^16.
#[derive(Clone, Copy, Debug)]
pub struct Pairs(pub u32);

impl Group for Bits {
    #[inline(always)]
    fn add(self, a: u32, b: u32) -> u32 {
        a ^ b
    }

    #[inline(always)]
    fn sub(self, a: u32, b: u32) -> u32 {
        a ^ b
    }
}

impl Group for Residues {
    #[inline(always)]
    fn add(self, a: u32, b: u32) -> u32 {
        let sum = u64::from(a) + u64::from(b);
        (if sum >= self.0 { sum - self.0 } else { sum }) as u32
    }

    #[inline(always)]
    fn sub(self, a: u32, b: u32) -> u32 {
        let (a, b) = (u64::from(a), u64::from(b));
        (if a >= b { a - b } else { a + self.0 - b }) as u32
    }
}

impl Group for Pairs {
    #[inline(always)]
    fn add(self, a: u32, b: u32) -> u32 {
        let half = |a: u32, b: u32| if a + b >= self.0 { a + b - self.0 } else { a + b };
        half(a & 0xffff, b & 0xffff) | half(a >> 16, b >> 16) << 16
    }

    /// Returns A.
    fn class(self, a: u32) -> u32 {
        a & 0xffff
    }

    #[inline(always)]
    fn sub(self, a: u32, b: u32) -> u32 {
        let half = |a: u32, b: u32| if a >= b { a - b } else { a + self.0 - b };
        half(a & 0xffff, b & 0xffff) | half(a >> 16, b >> 16) << 16
    }
}

/// An operation that is generic over the group.
pub trait Work {
    /// Its result.
    type Output;
    /// Runs the operation in `group`.
    fn run<G: Group>(self, group: G) -> Self::Output;
}
