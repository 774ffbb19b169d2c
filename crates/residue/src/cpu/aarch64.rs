//! Detection on aarch64: by the operating system, or, without `std`, by the compiler's target.

use super::features::Features;

/// The bits of the features of this architecture.
pub(super) const POSSIBLE: u32 = 0x00ff_0000;

/// Returns the features of the CPU that runs this program.
pub(super) fn features() -> Features {
    #[cfg(feature = "std")]
    macro_rules! has {
        ($name:tt) => {
            std::arch::is_aarch64_feature_detected!($name)
        };
    }
    #[cfg(not(feature = "std"))]
    macro_rules! has {
        ($name:tt) => {
            cfg!(target_feature = $name)
        };
    }
    let features = [
        (has!("crc"), Features::CRC),
        (has!("aes"), Features::PMULL),
        (has!("sha3"), Features::SHA3),
    ];
    let found = features.iter().filter(|(has, _)| *has);
    found.fold(Features::NEON, |all, (_, feature)| all.union(*feature))
}

/// Returns the name of the profile of the CPU that runs this program: no CPU was measured.
pub(super) fn profile() -> &'static str {
    "unknown"
}
