//! x86-64: markers and their operations.

use super::{needs, tier};
#[cfg(not(miri))]
use core::arch::asm;
#[cfg(not(miri))]
use core::arch::x86_64::__cpuid;

mod avx2;
mod avx512;
mod clmul;
mod packets;
mod sse2;
mod ssse3;

tier!(
    /// The x86-64 baseline.
    Sse2, needs::Sse2, "sse2"
);
tier!(
    /// Byte shuffles, and multiply-adds of bytes.
    Ssse3, needs::Ssse3, "sse2,ssse3"
);
tier!(
    /// The CRC-32C instruction.
    Sse42, needs::Sse42, "sse4.2"
);
tier!(
    /// Carry-less products, with the byte shuffles of SSSE3.
    Pclmul, needs::Pclmul, "sse2,ssse3,pclmulqdq"
);
tier!(
    /// The CRC-32C instruction beside carry-less products.
    Sse42Pclmul,
    needs::Sse42Pclmul,
    "sse2,ssse3,sse4.2,pclmulqdq"
);
tier!(
    /// 32-byte integer vectors.
    Avx2, needs::Avx2, "avx2,bmi2"
);

tier!(
    /// Carry-less products of two lanes at once.
    Avx2Vpclmul,
    needs::Avx2Vpclmul,
    "avx2,bmi2,ssse3,sse4.2,pclmulqdq,vpclmulqdq"
);
tier!(
    /// Carry-less products of four lanes at once, bit-matrix products, and moves of bytes by a mask.
    Avx512Vpclmul,
    needs::Avx512Vpclmul,
    "avx2,bmi2,ssse3,sse4.2,pclmulqdq,vpclmulqdq,gfni,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2"
);
tier!(
    /// Dot products in 64-byte vectors.
    Avx512Vnni,
    needs::Avx512Vnni,
    "avx2,bmi2,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni"
);

/// XCR0: which registers the operating system saves. Bits 1 and 2: ymm; 5, 6 and 7: zmm. Zero without XGETBV.
#[cfg(not(miri))]
pub(crate) fn saved_state() -> u64 {
    let osxsave = __cpuid(1).ecx >> 27 & 1 == 1;
    if !osxsave {
        return 0;
    }
    let (low, high): (u32, u32);
    // SAFETY: OSXSAVE says that the CPU has XGETBV and the operating system has switched it on; register 0 always exists.
    // It reads ecx and writes the two outputs, nothing else.
    unsafe {
        asm!(
            "xgetbv",
            in("ecx") 0, out("eax") low, out("edx") high,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    u64::from(high) << 32 | u64::from(low)
}

/// Methods whose body is one `unsafe` expression of intrinsics the marker proves.
macro_rules! ops {
    ($($(#[$attr:meta])* fn $name:ident($this:ident $(: $proof:ty)? $(, $arg:ident: $ty:ty)*) -> $ret:ty { $($body:tt)* })*) => {
        $($(#[$attr])* #[inline(always)]
        fn $name($this $(: $proof)? $(, $arg: $ty)*) -> $ret {
            // SAFETY: the marker exists, so the CPU has the features of its tier, which the intrinsics below need; memory
            // is read only through the reference given, which covers what the load reads.
            unsafe { $($body)* }
        })*
    };
}
use ops;
