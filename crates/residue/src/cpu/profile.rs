//! Micro-architectures: what a CPU does fast, which its features do not tell.
//!
//! A profile is a preference. Every kernel whose features the CPU has can be forced, whatever the
//! profile says.

/// A way to remove vectors of a CRC's data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Product {
    /// Carry-less products (VPCLMULQDQ, PMULL): folding.
    CarryLess,
    /// Products of bytes with bit matrices (GFNI).
    ByteMatrix,
}

impl Product {
    /// Returns `carry-less` or `byte-matrix`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Product::CarryLess => "carry-less",
            Product::ByteMatrix => "byte-matrix",
        }
    }
}

/// A way to prefetch data that are read once, from beyond the second-level cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadAhead {
    /// 2 KiB ahead, past the second- and third-level cache, so that nothing is evicted there.
    NonTemporal,
    /// 8 KiB ahead, into all caches.
    Cached,
}

/// What the kernels' choice needs to know of a micro-architecture beside its features.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Profile {
    /// The name, as the environment variable `RESIDUE_PROFILE` takes it.
    pub name: &'static str,
    /// The CPUs that it describes.
    pub cpus: &'static str,
    /// The faster product in vectors of 64 bytes.
    pub product: Product,
    /// The length in bytes from which such vectors fold faster than single lanes of 16 bytes.
    pub vectors_from: usize,
    /// The length from which folding is faster than one chain of CRC-32C instructions.
    pub fold_from: usize,
    /// The length from which CRC-32C uses its instruction beside those vectors.
    pub both_from: usize,
    /// The length from which byte matrices remove a few of those vectors.
    pub few_from: usize,
    /// The prefetches that make folding of data beyond the second-level cache faster.
    pub reads_ahead: Option<ReadAhead>,
    /// The length from which loops read ahead: about the size of that cache.
    pub reads_ahead_from: usize,
    /// Whether data that come from memory are read faster in two streams.
    pub two_streams: bool,
    /// Whether long data fold faster if each vector of 64 bytes lies in one cache line, which
    /// leaves bytes before the first line and behind the last.
    pub aligns: bool,
    /// The length up to which a batch of CRC-32C runs four packets of more than 71 bytes in
    /// lockstep; 71 for none.
    pub lockstep_to: usize,
    /// Where the figures come from: a CPU and a date, or `estimate`.
    pub source: &'static str,
}

/// The profile of CPUs that no other one describes.
///
/// They fold: a carry-less product costs little wherever it works on 64-byte vectors.
const UNKNOWN: Profile = Profile {
    name: "unknown",
    cpus: "any other",
    product: Product::CarryLess,
    vectors_from: 64,
    fold_from: 80,
    both_from: 5120,
    few_from: 16 << 10,
    reads_ahead: None,
    reads_ahead_from: 512 << 10,
    two_streams: false,
    aligns: false,
    lockstep_to: 215,
    source: "estimate",
};

/// Intel's cores with AVX-512. The kernels of all CPUs that fold with vectors of 64 bytes use its
/// lengths.
// Reading ahead takes 64 MiB of vectors of 16 to 64 bytes from 8 to 3 bytes a cycle.
pub(crate) const INTEL_AVX512: Profile = Profile {
    name: "intel_avx512",
    cpus: "Intel with AVX-512: Ice Lake to Granite Rapids",
    product: Product::CarryLess,
    // A whole vector needs no head: by the static model of Ice Lake 64 bytes take port 5 for ten
    // cycles in it, for fifteen in lanes, and equal latency.
    vectors_from: 64,
    fold_from: 80,
    both_from: 5120,
    few_from: 16 << 10,
    // With the memory as fast as it gets, 64 MiB of folding take 2.38 ms with it, 2.70 without and
    // 2.47 in a loop that only reads; non-temporal prefetches take 8 ms (2026-11-23).
    reads_ahead: Some(ReadAhead::Cached),
    reads_ahead_from: 2 << 20,
    // Folding 64 MiB in two or four streams takes 2.58 or 2.54 ms (2026-11-23), longer than with
    // prefetches.
    two_streams: false,
    aligns: true,
    // Emerald Rapids, 2026-11-24, beside one by one: batches of 72 bytes have 1.18 times the speed
    // in lockstep, of 80 bytes 1.20, of 96 bytes 1.09, of 112 bytes 0.89.
    lockstep_to: 103,
    source: "Xeons (Sapphire Rapids to Granite Rapids), 2026-11-22 and 2026-11-23",
};

/// The profiles.
pub const PROFILES: &[Profile] = &[
    Profile {
        name: "zen3",
        cpus: "AMD Zen 3",
        // At 64 MiB it brought CRC-32C from 0.63 to 0.99 of ISA-L's speed and CRC-32 from 0.98 to
        // 1.22 of libdeflate's; at 1 MiB it changes nothing.
        reads_ahead: Some(ReadAhead::NonTemporal),
        lockstep_to: 1023,
        source: "an EPYC, 2026-11-21 and 2026-11-22",
        ..UNKNOWN
    },
    Profile {
        name: "zen4",
        cpus: "AMD Zen 4",
        // Products and matrices are equally fast for CRC-32C and CRC-32, products by a quarter for
        // CRC-64/NVME; with a few matrices, or with `crc32` beside them, they win everywhere.
        product: Product::CarryLess,
        two_streams: true,
        lockstep_to: 71,
        source: "an EPYC, 2026-11-23 and 2026-11-24",
        ..UNKNOWN
    },
    Profile {
        name: "zen5",
        cpus: "AMD Zen 5",
        product: Product::ByteMatrix,
        lockstep_to: 71,
        source: "an EPYC, 2026-11-21",
        ..UNKNOWN
    },
    INTEL_AVX512,
    Profile { name: "intel_client", cpus: "Intel from Alder Lake on, without AVX-512", ..UNKNOWN },
    Profile { name: "apple", cpus: "Apple M", ..UNKNOWN },
    Profile { name: "neoverse", cpus: "Arm Neoverse", ..UNKNOWN },
    UNKNOWN,
];

impl Profile {
    /// Returns the profile of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Profile> {
        PROFILES.iter().find(|profile| profile.name == name)
    }

    /// Returns the name of the profile for the CPU that runs this program.
    pub(super) fn detected() -> &'static str {
        detected()
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
fn detected() -> &'static str {
    use super::Features;
    use super::cpuid::cpuid;

    let name = cpuid(0, 0);
    let mut vendor = [0; 12];
    for (part, register) in vendor.chunks_mut(4).zip([name.ebx, name.edx, name.ecx]) {
        part.copy_from_slice(&register.to_le_bytes());
    }
    of_x86_64(&vendor, cpuid(1, 0).eax, super::arch_detected().contains(Features::AVX512))
}

/// Returns the profile of an x86-64 CPU, of its vendor, its signature (CPUID leaf 1, register eax)
/// and whether it has AVX-512.
#[cfg(any(all(target_arch = "x86_64", target_feature = "sse2", not(miri)), test))]
fn of_x86_64(vendor: &[u8; 12], signature: u32, avx512: bool) -> &'static str {
    let family = match signature >> 8 & 0xf {
        0xf => 0xf + (signature >> 20 & 0xff),
        family => family,
    };
    match (vendor, family, avx512) {
        (b"AuthenticAMD", 0x19, false) => "zen3",
        (b"AuthenticAMD", 0x19, true) => "zen4",
        (b"AuthenticAMD", 0x1a.., _) => "zen5",
        (b"GenuineIntel", _, true) => "intel_avx512",
        (b"GenuineIntel", _, false) => "intel_client",
        _ => "unknown",
    }
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
fn detected() -> &'static str {
    if cfg!(target_vendor = "apple") {
        return "apple";
    }
    // The registers that name the core cannot be read by every program; Linux shows them as a file.
    #[cfg(all(feature = "std", target_os = "linux"))]
    {
        let path = "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1";
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let digits = text.trim().trim_start_matches("0x");
        if let Ok(register) = u64::from_str_radix(digits, 16) {
            return of_aarch64(register);
        }
    }
    "unknown"
}

/// Returns the profile of an aarch64 CPU from its main identification register, MIDR_EL1.
#[cfg(any(all(target_arch = "aarch64", feature = "std", target_os = "linux", not(miri)), test))]
fn of_aarch64(register: u64) -> &'static str {
    let (implementer, part) = (register >> 24 & 0xff, register >> 4 & 0xfff);
    match (implementer, part) {
        (0x61, _) => "apple",
        // N1, V1, N2, V2, V3, N3.
        (0x41, 0xd0c | 0xd40 | 0xd49 | 0xd4f | 0xd84 | 0xd8e) => "neoverse",
        _ => "unknown",
    }
}

#[cfg(any(
    miri,
    not(any(all(target_arch = "x86_64", target_feature = "sse2"), target_arch = "aarch64"))
))]
fn detected() -> &'static str {
    "unknown"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_detected_name_is_a_profile() {
        let amd = |signature, avx512| of_x86_64(b"AuthenticAMD", signature, avx512);
        let intel = |signature, avx512| of_x86_64(b"GenuineIntel", signature, avx512);
        let found = [
            (amd(0x00a0_0f11, false), "zen3"),           // Milan
            (amd(0x00a1_0f11, true), "zen4"),            // Genoa
            (amd(0x00b0_0f21, true), "zen5"),            // Turin
            (amd(0x0083_0f10, false), "unknown"),        // Rome
            (intel(0x000c_06f2, true), "intel_avx512"),  // Emerald Rapids
            (intel(0x0009_0672, false), "intel_client"), // Alder Lake
            (of_x86_64(b"  Shanghai  ", 0x0001_07b0, false), "unknown"),
            (of_aarch64(0x413f_d0c1), "neoverse"), // N1
            (of_aarch64(0x410f_d4f0), "neoverse"), // V2
            (of_aarch64(0x611f_0221), "apple"),
            (of_aarch64(0x410f_d083), "unknown"), // Cortex-A72
        ];
        for (name, expected) in found {
            assert_eq!(name, expected);
            assert!(Profile::named(name).is_some(), "{name}");
        }
        assert!(Profile::named(Profile::detected()).is_some());
    }

    #[test]
    fn names_differ() {
        for (i, profile) in PROFILES.iter().enumerate() {
            assert_eq!(Profile::named(profile.name), Some(&PROFILES[i]));
        }
        assert_eq!(Profile::named("pentium"), None);
    }
}
