//! The CPU: its features, detected once and maskable with `RESIDUE_CPU`, and its [`Profile`].

// `detect.rs` is for targets without vector tiers.
#[cfg_attr(all(target_arch = "x86_64", target_feature = "sse2", not(miri)), path = "cpu/x86_64.rs")]
#[cfg_attr(all(target_arch = "x86_64", target_feature = "sse2", miri), path = "cpu/compiled.rs")]
#[cfg_attr(
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little", not(miri)),
    path = "cpu/aarch64.rs"
)]
#[cfg_attr(all(target_arch = "riscv64", not(miri)), path = "cpu/riscv64.rs")]
#[cfg_attr(
    all(target_arch = "s390x", not(target_abi = "softfloat"), not(miri)),
    path = "cpu/s390x.rs"
)]
mod detect;
mod features;
mod profile;

use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
pub use features::Features;
use features::TIERS;
pub use profile::{PROFILES, Profile, ReadAhead};

impl Features {
    /// The features that kernels may use: those of this architecture, without AVX-512 unless the
    /// crate was built with it.
    pub(crate) const POSSIBLE: Features = Features(detect::POSSIBLE);
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
/// Loops ask for it while vectors are in registers, which a call would have to save.
/// Dispatch and [`Kernel::force`](crate::kernel::Kernel::force) find it before any kernel runs.
#[inline(always)]
pub(crate) fn found_profile() -> Option<&'static Profile> {
    PROFILES.get(PROFILE.load(Relaxed))
}

#[cold]
fn find_profile() -> &'static Profile {
    let found = variable("RESIDUE_PROFILE", Profile::named).unwrap_or_else(detected_profile);
    let place = PROFILES.iter().position(|profile| profile.name == found.name);
    PROFILE.store(place.unwrap_or(usize::MAX), Relaxed);
    found
}

/// Returns the profile of this CPU, whatever `RESIDUE_PROFILE` says.
#[must_use]
pub fn detected_profile() -> &'static Profile {
    Profile::named(detect::profile()).unwrap_or(&PROFILES[PROFILES.len() - 1])
}

/// Returns what the environment variable `name` says; `None` without the feature `std`.
#[cfg_attr(not(feature = "std"), allow(unused_variables))]
fn variable<T>(name: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
    #[cfg(feature = "std")]
    return read(&std::env::var(name).ok()?);
    #[cfg(not(feature = "std"))]
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
    let mask = variable("RESIDUE_CPU", Features::tier).unwrap_or(Features::ALL);
    let found = detected().intersection(mask);
    FEATURES.store(found.0, Relaxed);
    found
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
            let first = [Features::NEON, Features::ZBC, Features::VECTOR].contains(&upper);
            assert!(upper.contains(lower) || first);
        }
        assert_eq!(Features::tier("mmx"), None);
    }

    #[test]
    fn masked_set_is_a_subset() {
        assert!(detected().contains(features()));
    }
}
