//! Detection on x86-64, by CPUID.

#[allow(unsafe_code)]
mod cpuid;

use super::features::Features;
use core::arch::x86_64::CpuidResult;
use cpuid::{cpuid, saved_state};

/// The bits of the features of this architecture.
pub(super) const POSSIBLE: u32 = if cfg!(feature = "avx512") { 0xffff } else { 0x00ff };

/// Returns the features of the CPU that runs this program.
pub(super) fn features() -> Features {
    let bit = |word: u32, bit: u32| word >> bit & 1 == 1;
    let leaf1 = cpuid(1, 0);
    let (leaf7, more) = if cpuid(0, 0).eax >= 7 {
        let leaf7 = cpuid(7, 0);
        (leaf7, if leaf7.eax >= 1 { cpuid(7, 1).eax } else { 0 })
    } else {
        (CpuidResult { eax: 0, ebx: 0, ecx: 0, edx: 0 }, 0)
    };

    // A CPU may have AVX while the operating system does not save its registers.
    let saved = saved_state();
    let ymm = saved & 0b110 == 0b110;
    let zmm = saved & 0b1110_0110 == 0b1110_0110;

    // Each feature requires the ones it builds on, as the compiler assumes: a hypervisor may hide
    // single bits.
    let ssse3 = bit(leaf1.ecx, 0) && bit(leaf1.ecx, 9);
    let sse42 = ssse3 && bit(leaf1.ecx, 19) && bit(leaf1.ecx, 20);
    let pclmul = bit(leaf1.ecx, 1);
    let avx2 = sse42 && ymm && bit(leaf1.ecx, 28) && bit(leaf7.ebx, 5) && bit(leaf7.ebx, 8);
    let avx512 = avx2 && zmm && [16, 17, 30, 31].iter().all(|&feature| bit(leaf7.ebx, feature));
    let features = [
        (true, Features::SSE2),
        (ssse3, Features::SSSE3),
        (sse42, Features::SSE42),
        (pclmul, Features::PCLMUL),
        (avx2, Features::AVX2),
        (avx2 && pclmul && bit(leaf7.ecx, 10), Features::VPCLMUL),
        (bit(leaf7.ecx, 8), Features::GFNI),
        (avx2 && bit(more, 4), Features::AVX_VNNI),
        (avx512, Features::AVX512),
        (avx512 && bit(leaf7.ecx, 1) && bit(leaf7.ecx, 6), Features::AVX512_VBMI2),
        (avx512 && bit(leaf7.ecx, 11), Features::AVX512_VNNI),
    ];
    let found = features.iter().filter(|(has, _)| *has);
    found.fold(Features::NONE, |all, (_, feature)| all.union(*feature))
}

/// Returns the name of the profile of the CPU that runs this program.
pub(super) fn profile() -> &'static str {
    let name = cpuid(0, 0);
    let mut vendor = [0; 12];
    for (part, register) in vendor.chunks_mut(4).zip([name.ebx, name.edx, name.ecx]) {
        part.copy_from_slice(&register.to_le_bytes());
    }
    profile_of(&vendor, cpuid(1, 0).eax, features().contains(Features::AVX512))
}

/// Returns the profile of an x86-64 CPU, of its vendor, its signature (CPUID leaf 1, register eax)
/// and whether it has AVX-512.
fn profile_of(vendor: &[u8; 12], signature: u32, avx512: bool) -> &'static str {
    let family = match signature >> 8 & 0xf {
        0xf => 0xf + (signature >> 20 & 0xff),
        family => family,
    };
    match (vendor, family, avx512) {
        (b"AuthenticAMD", 0x19, false) => "zen3",
        (b"AuthenticAMD", 0x19, true) => "zen4",
        (b"AuthenticAMD", 0x1a.., _) => "zen5",
        (b"GenuineIntel", _, true) => "intel_avx512",
        _ => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Profile;

    #[test]
    fn every_detected_name_is_a_profile() {
        let amd = |signature, avx512| profile_of(b"AuthenticAMD", signature, avx512);
        let intel = |signature, avx512| profile_of(b"GenuineIntel", signature, avx512);
        let found = [
            (amd(0x00a0_0f11, false), "zen3"),          // Milan
            (amd(0x00a1_0f11, true), "zen4"),           // Genoa
            (amd(0x00b0_0f21, true), "zen5"),           // Turin
            (amd(0x0083_0f10, false), "unknown"),       // Rome
            (intel(0x000c_06f2, true), "intel_avx512"), // Emerald Rapids
            (intel(0x0009_0672, false), "unknown"),     // Alder Lake
            (profile_of(b"  Shanghai  ", 0x0001_07b0, false), "unknown"),
        ];
        for (name, expected) in found {
            assert_eq!(name, expected);
            assert!(Profile::named(name).is_some(), "{name}");
        }
        assert!(Profile::named(profile()).is_some());
    }
}
