//! Micro-architectures: what a CPU does fast, which its features do not show.
//!
//! A profile is a preference. Every kernel whose features the CPU has can be forced, whatever the
//! profile says.

/// A way to prefetch data that may come from memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadAhead {
    /// 2 KiB ahead, past the second- and third-level cache, so that nothing is evicted there.
    NonTemporal,
    /// 4 KiB ahead, into all caches.
    Cached,
}

impl ReadAhead {
    /// Returns the length in bytes from which loops read ahead.
    ///
    /// Past the caches: the size of the second-level cache of the CPU on which it was measured, a
    /// Zen 3. Into all caches: it costs little where data are in a cache, and shorter data have
    /// nothing to fetch before their end.
    #[must_use]
    pub const fn least_length(self) -> usize {
        match self {
            ReadAhead::NonTemporal => 512 << 10,
            ReadAhead::Cached => 6 << 10,
        }
    }

    /// Returns how far ahead of what is read the prefetched bytes lie, at most: in short data a
    /// quarter of the length, so that most is prefetched.
    #[must_use]
    pub(crate) const fn distance(self) -> usize {
        match self {
            ReadAhead::NonTemporal => 2 << 10,
            ReadAhead::Cached => 4 << 10,
        }
    }
}

/// What the choice of kernels, and the kernels themselves, need to know of a micro-architecture
/// beside its features.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Profile {
    /// The name, as the environment variable `RESIDUE_PROFILE` takes it.
    pub name: &'static str,
    /// The CPUs that it describes.
    pub cpus: &'static str,
    /// The width in bits up to which CRCs remove vectors of 64 bytes faster by products of bytes
    /// with bit matrices (GFNI) than by carry-less products (VPCLMULQDQ); 0 for none.
    pub matrices_to: u32,
    /// Whether CRC-32 of long data is faster if, beside products, byte matrices remove one vector
    /// of eight.
    pub eighth_by_matrices: bool,
    /// The prefetches that make loops over data from memory faster.
    pub reads_ahead: Option<ReadAhead>,
    /// Whether data that come from memory are read faster in two streams.
    pub two_streams: bool,
    /// Whether data that come from memory are read faster by loads of 32 bytes than by those of 64,
    /// at little cost in caches.
    pub narrow_loads: bool,
    /// Whether long data fold faster if each vector of 64 bytes lies in one cache line, which
    /// leaves bytes before the first line and behind the last.
    pub aligns: bool,
    /// The length up to which a batch of CRC-32C runs four packets of more than 71 bytes in
    /// lockstep; 71 for none.
    pub lockstep_to: usize,
    /// Where the figures come from: a CPU and a date, or `estimate`.
    pub source: &'static str,
}

/// The profiles. No two choose alike.
pub const PROFILES: &[Profile] = &[
    Profile {
        name: "zen3",
        cpus: "AMD Zen 3",
        // At 64 MiB it brought CRC-32C from 0.63 to 0.99 of ISA-L's speed and CRC-32 from 0.98 to
        // 1.22 of libdeflate's; at 1 MiB it changes nothing.
        reads_ahead: Some(ReadAhead::NonTemporal),
        lockstep_to: 1023,
        source: "an EPYC, 2026-11-21 and 2026-11-22",
        ..OTHER
    },
    Profile {
        name: "zen4",
        cpus: "AMD Zen 4",
        // On an idle core products lead by up to a tenth for CRC-32C and CRC-32; where the other
        // thread of the core is busy, as on most virtual machines, matrices by up to two fifths.
        // For CRC-64/NVME, whose matrices are twice as many, products lead in both.
        matrices_to: 32,
        two_streams: true,
        // The Internet checksum of a buffer of 256 MiB, by pieces of 4 KiB to 1 MiB: 22 to 24 GB/s
        // by vectors of 32 bytes, 17 to 20 by those of 64. In caches they lose a thirteenth
        // (16 KiB, docs/kernels.md): the core takes a vector of 64 bytes in two halves.
        narrow_loads: true,
        lockstep_to: 71,
        source: "an EPYC, 2026-11-23 to 2026-11-27",
        ..OTHER
    },
    Profile {
        name: "zen5",
        cpus: "AMD Zen 5",
        matrices_to: 64,
        lockstep_to: 71,
        source: "an EPYC, 2026-11-21",
        ..OTHER
    },
    Profile {
        name: "intel_avx512",
        cpus: "Intel with AVX-512: Ice Lake to Granite Rapids",
        matrices_to: 0,
        // One port has all carry-less products, the other all products with byte matrices; measured
        // on Emerald Rapids, 2026-11-30 (docs/speed/peers.md).
        eighth_by_matrices: true,
        // With the memory as fast as it gets, 64 MiB of folding take 2.38 ms with it, 2.70 without
        // and 2.47 in a loop that only reads; non-temporal prefetches take 8 ms (2026-11-23, 8 KiB
        // ahead). From 16 KiB on, data from memory are read 1.1 to 1.2 times as fast, and data in a
        // cache at 0.97 to 1.03 of the speed (docs/speed/peers.md, 2026-11-29).
        reads_ahead: Some(ReadAhead::Cached),
        // Folding 64 MiB in two or four streams takes 2.58 or 2.54 ms (2026-11-23), longer than
        // with prefetches.
        two_streams: false,
        narrow_loads: false,
        aligns: true,
        // Emerald Rapids, 2026-11-24, beside one by one: batches of 72 bytes have 1.18 times the
        // speed in lockstep, of 80 bytes 1.20, of 96 bytes 1.09, of 112 bytes 0.89.
        lockstep_to: 103,
        source: "Xeons (Sapphire Rapids to Granite Rapids), 2026-11-22 and 2026-11-23",
    },
    OTHER,
];

/// The profile of CPUs that no other one describes, Intel's without AVX-512 and those of Arm among
/// them.
///
/// They fold: a carry-less product costs little wherever it works on 64-byte vectors.
const OTHER: Profile = Profile {
    name: "unknown",
    cpus: "any other",
    matrices_to: 0,
    eighth_by_matrices: false,
    reads_ahead: None,
    two_streams: false,
    narrow_loads: false,
    aligns: false,
    lockstep_to: 215,
    source: "estimate",
};

impl Profile {
    /// Returns the profile of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Profile> {
        PROFILES.iter().find(|profile| profile.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_differ_in_name_and_choice() {
        let choice = |profile: &Profile| Profile { name: "", cpus: "", source: "", ..*profile };
        for (i, profile) in PROFILES.iter().enumerate() {
            assert_eq!(Profile::named(profile.name), Some(profile));
            assert!(PROFILES[..i].iter().all(|other| choice(other) != choice(profile)));
        }
        assert_eq!(Profile::named("pentium"), None);
    }
}
