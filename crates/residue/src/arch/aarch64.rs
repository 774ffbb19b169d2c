//! aarch64: markers and their operations.

// The lint sees marker methods, which have no features of their own; they are inlined into the entries, which have.
#![allow(inline_always_mismatching_target_features)]

use super::{needs, tier};

mod neon;
mod pmull;

tier!(
    /// 16-byte vectors, the baseline.
    Neon, needs::Neon, "neon"
);
tier!(
    /// The instructions for CRC-32C and CRC-32.
    Crc, needs::Crc, "crc"
);
tier!(
    /// Carry-less products.
    Pmull, needs::Pmull, "neon,aes"
);
tier!(
    /// The CRC instructions beside carry-less products.
    CrcPmull, needs::CrcPmull, "neon,aes,crc"
);

tier!(
    /// Carry-less products beside an exclusive or of three.
    PmullEor3, needs::PmullEor3, "neon,aes,sha3"
);
tier!(
    /// The CRC instructions beside both.
    CrcPmullEor3, needs::CrcPmullEor3, "neon,aes,sha3,crc"
);

/// Methods whose body is one `unsafe` expression of intrinsics the marker proves.
macro_rules! ops {
    ($(fn $name:ident($this:ident $(, $arg:ident: $ty:ty)*) -> $ret:ty { $($body:tt)* })*) => {
        $(#[inline(always)]
        fn $name($this $(, $arg: $ty)*) -> $ret {
            // SAFETY: the marker exists, so the CPU has the features of its tier, which the intrinsics below need; memory
            // is read only through the reference given, which covers what the load reads.
            unsafe { $($body)* }
        })*
    };
}
use ops;
