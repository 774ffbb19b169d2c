//! Sets of CPU features, their names, and the tiers that `RESIDUE_CPU` names.

use core::fmt;

/// A set of CPU features, as kernels need them or as the CPU has them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Features(pub(super) u32);

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
    24 ZBC "zbc" "Carry-less multiplication in scalar registers (RISC-V).";
    25 VECTOR "vector" "The vector facility: sums of carry-less products (z/Architecture).";
}

/// The values of `RESIDUE_CPU`, each with the features it leaves enabled. A tier includes those
/// listed before it.
pub(super) const TIERS: &[(&str, Features)] = {
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
        ("zbc", Features::ZBC),
        ("vector", Features::VECTOR),
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
    ("zbc", Features::ZBC),
    ("vector", Features::VECTOR),
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
    pub(super) const ALL: Features = Features(u32::MAX);

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

    /// Returns the features that the mask `name`, one of [`super::tier_names`], leaves enabled;
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
