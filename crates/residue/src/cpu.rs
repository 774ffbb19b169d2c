//! The CPU: its features, detected once and maskable with `RESIDUE_CPU`, and its [`Profile`].

// `detect.rs` is for targets without vector tiers, and for Miri.
#[cfg_attr(all(target_arch = "x86_64", target_feature = "sse2", not(miri)), path = "cpu/x86_64.rs")]
#[cfg_attr(
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little", not(miri)),
    path = "cpu/aarch64.rs"
)]
mod detect;
mod profile;

use core::fmt;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
pub use profile::{PROFILES, Product, Profile, ReadAhead};

/// A set of CPU features, as kernels need them or as the CPU has them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Features(u32);

macro_rules! features {
    ($($bit:literal $constant:ident $name:literal $doc:literal;)*) => {
        impl Features {
            $(#[doc = $doc] pub const $constant: Features = Features(1 << $bit);)*
            const NAMES: &[(Features, &'static str)] = &[$((Features::$constant, $name)),*];
        }
    };
}

features! {
    0 SSE2 "sse2" "SSE2, the x86-64 baseline.";
    1 SSSE3 "ssse3" "SSSE3: byte shuffles.";
    2 SSE42 "sse4.2" "SSE4.1 and SSE4.2: the CRC-32C instruction.";
    3 PCLMUL "pclmulqdq" "Carry-less multiplication of 64-bit words.";
    4 AVX2 "avx2" "AVX2 and BMI2: 32-byte integer vectors.";
    5 VPCLMUL "vpclmulqdq" "Carry-less multiplication in ymm and zmm vectors.";
    6 GFNI "gfni" "Bit-matrix products of bytes.";
    7 AVX_VNNI "avxvnni" "Dot products of small integers in ymm vectors.";
    8 AVX512 "avx512" "AVX-512 F, BW, VL, DQ.";
    9 AVX512_VBMI2 "avx512vbmi2" "Byte permutations, expansion and compression (VBMI, VBMI2).";
    10 AVX512_VNNI "avx512vnni" "Dot products of small integers in zmm vectors.";
    16 NEON "neon" "NEON, the aarch64 baseline.";
    17 CRC "crc" "The Arm CRC-32 and CRC-32C instructions.";
    18 PMULL "pmull" "Carry-less multiplication (part of the `aes` feature).";
    19 SHA3 "sha3" "Three-way exclusive or (EOR3).";
}

/// The values of `RESIDUE_CPU`, each with the features it leaves enabled. A tier includes those
/// listed before it.
const TIERS: &[(&str, Features)] = {
    const SSE2: Features = Features::SSE2;
    const SSSE3: Features = SSE2.union(Features::SSSE3);
    const SSE42: Features = SSSE3.union(Features::SSE42);
    const SSE42_PCLMUL: Features = SSE42.union(Features::PCLMUL);
    const AVX2: Features = SSE42_PCLMUL.union(Features::AVX2);
    const AVX2_VPCLMUL: Features =
        AVX2.union(Features::VPCLMUL).union(Features::GFNI).union(Features::AVX_VNNI);
    const AVX512: Features = AVX2_VPCLMUL
        .union(Features::AVX512)
        .union(Features::AVX512_VBMI2)
        .union(Features::AVX512_VNNI);
    const NEON: Features = Features::NEON;
    const CRC: Features = NEON.union(Features::CRC);
    const PMULL: Features = CRC.union(Features::PMULL);
    const PMULL_EOR3: Features = PMULL.union(Features::SHA3);
    &[
        ("portable", Features::NONE),
        ("sse2", SSE2),
        ("ssse3", SSSE3),
        ("sse42", SSE42),
        ("sse42_pclmul", SSE42_PCLMUL),
        ("avx2", AVX2),
        ("avx2_vpclmul", AVX2_VPCLMUL),
        ("avx512", AVX512),
        ("neon", NEON),
        ("crc", CRC),
        ("crc_pmull", PMULL),
        ("pmull_eor3", PMULL_EOR3),
    ]
};

/// The compiler's names of CPU features, each with the feature set that includes it.
const TARGET_FEATURES: &[(&str, Features)] = &[
    ("sse2", Features::SSE2),
    ("ssse3", Features::SSSE3),
    ("sse4.2", Features::SSE42),
    ("pclmulqdq", Features::PCLMUL),
    ("avx2", Features::AVX2),
    ("bmi2", Features::AVX2),
    ("vpclmulqdq", Features::VPCLMUL),
    ("gfni", Features::GFNI),
    ("avx512f", Features::AVX512),
    ("avx512bw", Features::AVX512),
    ("avx512dq", Features::AVX512),
    ("avx512vl", Features::AVX512),
    ("avx512vbmi", Features::AVX512_VBMI2),
    ("avx512vbmi2", Features::AVX512_VBMI2),
    ("avx512vnni", Features::AVX512_VNNI),
    ("neon", Features::NEON),
    ("crc", Features::CRC),
    ("aes", Features::PMULL),
    ("sha3", Features::SHA3),
];

impl Features {
    /// Returns the features that include those with these compiler names.
    ///
    /// An unknown name does not compile.
    pub(crate) const fn of(target_features: &[&str]) -> Features {
        let (mut all, mut i) = (Features::NONE, 0);
        while i < target_features.len() {
            let mut known = 0;
            while !same(TARGET_FEATURES[known].0, target_features[i]) {
                known += 1;
            }
            all = all.union(TARGET_FEATURES[known].1);
            i += 1;
        }
        all
    }

    /// The empty set, for portable kernels.
    pub const NONE: Features = Features(0);
    const ALL: Features = Features(u32::MAX);

    /// The features that kernels may use: those of this architecture, without AVX-512 unless the
    /// crate was built with it.
    pub(crate) const POSSIBLE: Features = Features(detect::POSSIBLE);

    /// Returns the union of two sets.
    #[must_use]
    pub const fn union(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }

    /// Returns the intersection of two sets.
    #[must_use]
    pub const fn intersection(self, other: Features) -> Features {
        Features(self.0 & other.0)
    }

    /// Returns whether all of `other` is in `self`.
    #[must_use]
    pub const fn contains(self, other: Features) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns whether the set is empty.
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Lists the names of the features in the set, lowest tier first.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Features::NAMES.iter().filter(move |(f, _)| self.contains(*f)).map(|(_, name)| *name)
    }

    /// Returns the features that the mask `name` (a tier, see [`tier_names`]) leaves enabled;
    /// `None` for an unknown name.
    #[must_use]
    pub fn tier(name: &str) -> Option<Features> {
        TIERS.iter().find(|(n, _)| *n == name).map(|(_, f)| *f)
    }
}

impl fmt::Debug for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// Lists the values of the environment variable `RESIDUE_CPU`: upper limits on the features used,
/// lowest first.
pub fn tier_names() -> impl Iterator<Item = &'static str> {
    TIERS.iter().map(|(name, _)| *name)
}

/// A value for "not detected yet", which is not a possible set: bit 31 names no feature.
const UNKNOWN: u32 = u32::MAX;
static FEATURES: AtomicU32 = AtomicU32::new(UNKNOWN);

/// Returns the features kernels may use: those of the CPU, without those that `RESIDUE_CPU` masks
/// (with the feature `std`).
///
/// They are read once per process, before the first check value is computed. An unknown mask name
/// is ignored; `mask_error` reports it.
pub fn features() -> Features {
    match FEATURES.load(Relaxed) {
        UNKNOWN => detect_once(),
        bits => Features(bits),
    }
}

static PROFILE: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Returns the profile by which kernels are chosen: that of the CPU, or the one that
/// `RESIDUE_PROFILE` names (with the feature `std`).
///
/// It is found once per process. An unknown name is ignored; `mask_error` reports it.
#[inline]
pub fn profile() -> &'static Profile {
    // Kernels ask for long data: one load, and no call.
    PROFILES.get(PROFILE.load(Relaxed)).unwrap_or_else(find_profile)
}

/// Returns [`profile`] if it was found before, without the call that finds it.
///
/// Loops ask for it while vectors are in registers, which a call would have to save. It is found
/// before a kernel runs: its choice, and [`Kernel::force`](crate::kernel::Kernel::force), need it.
#[inline(always)]
pub(crate) fn found_profile() -> Option<&'static Profile> {
    PROFILES.get(PROFILE.load(Relaxed))
}

#[cold]
fn find_profile() -> &'static Profile {
    let found = named_profile().unwrap_or_else(detected_profile);
    let place = PROFILES.iter().position(|profile| profile.name == found.name);
    PROFILE.store(place.unwrap_or(usize::MAX), Relaxed);
    found
}

/// Returns the profile of this CPU, whatever `RESIDUE_PROFILE` says.
#[must_use]
pub fn detected_profile() -> &'static Profile {
    Profile::named(detect::profile()).unwrap_or(&PROFILES[PROFILES.len() - 1])
}

#[cfg(feature = "std")]
fn named_profile() -> Option<&'static Profile> {
    Profile::named(&std::env::var("RESIDUE_PROFILE").ok()?)
}

#[cfg(not(feature = "std"))]
fn named_profile() -> Option<&'static Profile> {
    None
}

/// Returns an error message, as a sentence, if `RESIDUE_CPU` is neither empty nor one of
/// [`tier_names`], or `RESIDUE_PROFILE` neither empty nor the name of one of [`PROFILES`].
///
/// The library ignores such values, so a user would measure or test another kernel than intended.
#[cfg(feature = "std")]
#[must_use]
pub fn mask_error() -> Option<std::string::String> {
    use std::{string::ToString, vec::Vec};
    let error = |variable: &str, what: &str, names: Vec<&str>| {
        let value = std::env::var_os(variable)?;
        let known = |value: &str| value.is_empty() || names.contains(&value);
        if value.to_str().is_some_and(known) {
            return None;
        }
        let (value, names) = (value.to_string_lossy().escape_debug().to_string(), names.join(", "));
        Some(std::format!("{variable}={value}: no such {what}; the {what}s are {names}"))
    };
    error("RESIDUE_CPU", "tier", tier_names().collect()).or_else(|| {
        error("RESIDUE_PROFILE", "profile", PROFILES.iter().map(|profile| profile.name).collect())
    })
}

#[cold]
fn detect_once() -> Features {
    let found = detected().intersection(mask());
    FEATURES.store(found.0, Relaxed);
    found
}

#[cfg(feature = "std")]
fn mask() -> Features {
    let name = std::env::var("RESIDUE_CPU");
    name.ok().and_then(|name| Features::tier(&name)).unwrap_or(Features::ALL)
}

#[cfg(not(feature = "std"))]
fn mask() -> Features {
    Features::ALL
}

/// Returns the features of this CPU that kernels may use, unmasked.
///
/// Without the feature `avx512` of this crate, those of AVX-512 are not among them.
#[must_use]
pub fn detected() -> Features {
    detect::features().intersection(Features::POSSIBLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiers_grow() {
        for window in TIERS.windows(2) {
            let (lower, upper) = (window[0].1, window[1].1);
            assert!(upper.contains(lower) || upper == Features::NEON);
        }
        assert_eq!(Features::tier("mmx"), None);
    }

    #[test]
    fn masked_set_is_a_subset() {
        assert!(detected().contains(features()));
    }
}
