//! `RESIDUE_CPU` and `RESIDUE_PROFILE`, end to end: they are read once per process, so each tier
//! and each profile runs in a process of its own.

mod common;

use residue::cpu::{self, Features, PROFILES};
use residue::internals;

/// The codes whose choices are compared.
const CODES: [&str; 8] = [
    "internet",
    "fletcher-16",
    "fletcher-32",
    "adler-32",
    "crc-32/iscsi",
    "crc-32/iso-hdlc",
    "crc-64/nvme",
    "crc-16/arc",
];

/// The codes whose kernels differ by profile, each with its kernels, and the width of CRCs up to
/// which matrices must be faster for each: 0 for carry-less products.
const BY_PROFILE: [(&str, &[(u32, &str)]); 4] = [
    ("crc-32/iscsi", &[(0, "sse42_avx512_vpclmul"), (32, "sse42_avx512_gfni")]),
    ("crc-32/iso-hdlc", &[(0, "avx512_vpclmul"), (32, "avx512_gfni")]),
    ("crc-64/nvme", &[(0, "avx512_vpclmul"), (32, "avx512_gfni_few"), (64, "avx512_gfni")]),
    ("crc-16/arc", &[(0, "avx512_vpclmul"), (64, "avx512_gfni")]),
];

/// Prints the choices of a child process; not a test of its own.
#[test]
fn child_prints_what_it_chose() {
    let data = residue_testing::noise(10_000);
    for name in CODES {
        let code = common::code(name);
        println!("chose {name} {} {:x}", code.chosen().name, code.value(b"123456789"));
        println!("value {name} {:x}", code.value(&data));
    }
    // A profile is a preference: every kernel that the CPU can run is still there.
    for (name, kernels) in BY_PROFILE {
        let code = common::code(name);
        for (_, kernel) in kernels {
            if let Ok(value) = code.value_with(kernel, &data) {
                println!("forced {name} {kernel} {value:x}");
            }
        }
    }
    println!("profile {}", cpu::profile().name);
    println!("features {}", cpu::features().names().collect::<Vec<_>>().join(","));
}

/// Computes a value by the kernel, of the code and on as many bytes as an emulator that counts
/// instructions names (`cargo xtask cross TARGET --instructions`); not a test of its own.
#[test]
fn child_computes_one_value() {
    let Ok(words) = std::env::var("RESIDUE_COUNTED") else { return };
    let words: Vec<&str> = words.split(' ').collect();
    let [name, kernel, bytes] = words[..] else { panic!("{words:?} are not three words") };
    let data = vec![0x5a; bytes.parse().expect("a length")];
    let value = common::code(name).value_with(kernel, &data).expect("a kernel");
    assert_eq!(value, common::code(name).value(&data));
}

/// Returns data of lengths that profiles may ask to read in two streams: from 16 MiB on, by pairs
/// of 1 MiB. The bytes are any, or the largest.
fn long_data() -> impl Iterator<Item = Vec<u8>> {
    const MIB: usize = 1 << 20;
    let lengths = [16 * MIB - 1, 16 * MIB, 18 * MIB, 18 * MIB + 320, 19 * MIB + 1001];
    lengths.into_iter().map(residue_testing::noise).chain([vec![0xff; 18 * MIB + 7]])
}

/// Prints the values of long data of a child process; not a test of its own.
#[test]
fn child_prints_the_values_of_long_data() {
    if common::emulated() || std::env::var_os("RESIDUE_PROFILE").is_none() {
        return;
    }
    // Ends the line with the test's name, which the runner begins.
    println!();
    for data in long_data() {
        for name in CODES {
            let code = common::code(name);
            println!("value {name} {} {:x}", data.len(), code.value(&data));
        }
    }
}

/// Returns the lines of a child in an environment with these variables.
fn child(variables: &[(&str, &str)]) -> Vec<String> {
    child_of("child_prints_what_it_chose", variables)
}

/// Returns the lines of this child.
fn child_of(test: &str, variables: &[(&str, &str)]) -> Vec<String> {
    let text = common::child(test, variables);
    let starts = ["chose ", "value ", "forced ", "profile ", "features "];
    let reported = |line: &&str| starts.iter().any(|start| line.starts_with(start));
    text.lines().filter(reported).map(String::from).collect()
}

/// Returns the words of the lines that begin with `start`.
fn words<'a>(lines: &'a [String], start: &'a str) -> impl Iterator<Item = Vec<&'a str>> {
    lines.iter().map(|line| line.split(' ').collect::<Vec<_>>()).filter(move |w| w[0] == start)
}

#[test]
fn each_tier_masks_what_is_above_it() {
    if common::emulated() {
        return residue_testing::skip("an emulated program cannot start itself");
    }
    let unmasked = child(&[]);
    for tier in cpu::tier_names() {
        let allowed = Features::tier(tier).expect("a tier").intersection(cpu::detected());
        let lines = child(&[("RESIDUE_CPU", tier)]);
        let features = allowed.names().collect::<Vec<_>>().join(",");
        assert_eq!(lines.last(), Some(&format!("features {features}")));
        // The values are equal for every kernel.
        assert!(words(&lines, "value").eq(words(&unmasked, "value")), "{tier}");
        for (words, full) in words(&lines, "chose").zip(words(&unmasked, "chose")) {
            assert_eq!(words[3], full[3]);
            let code = common::code(words[1]);
            let kernel = code.kernels().find(|kernel| kernel.name == words[2]).expect("a kernel");
            assert!(allowed.contains(kernel.needs), "{tier}: {words:?}");
            if tier == "portable" {
                assert_eq!(words[2], "portable");
            }
        }
    }
}

#[test]
fn each_profile_chooses_by_its_widest_matrices() {
    if common::emulated() {
        return residue_testing::skip("an emulated program cannot start itself");
    }
    let detected = child(&[]);
    assert!(detected.contains(&format!("profile {}", cpu::detected_profile().name)));
    for profile in PROFILES {
        let lines = child(&[("RESIDUE_PROFILE", profile.name)]);
        assert!(lines.contains(&format!("profile {}", profile.name)));
        // The values, the forced kernels and the features do not depend on the profile.
        for start in ["value", "forced", "features"] {
            assert!(words(&lines, start).eq(words(&detected, start)), "{}", profile.name);
        }
        for (words, full) in words(&lines, "chose").zip(words(&detected, "chose")) {
            assert_eq!((words[1], words[3]), (full[1], full[3]), "{}", profile.name);
            let by_profile = BY_PROFILE.iter().find(|(name, _)| *name == words[1]);
            let by_profile = by_profile.filter(|(name, kernels)| {
                let code = common::code(name);
                kernels.iter().all(|(_, known)| {
                    let kernel = code.kernels().find(|kernel| kernel.name == *known);
                    cpu::detected().contains(kernel.expect("a kernel of the code").needs)
                })
            });
            let expected = by_profile.map_or(full[2], |(_, kernels)| {
                let suit = kernels.iter().rev().find(|(width, _)| *width <= profile.matrices_to);
                suit.expect("products suit all").1
            });
            assert_eq!(words[2], expected, "{}: {words:?}", profile.name);
        }
    }
}

/// Pieces that are too short for streams give the expected values, by combination.
#[test]
fn long_data_have_the_same_values_in_two_streams() {
    if common::emulated() {
        return residue_testing::skip("an emulated program cannot start itself");
    }
    let mut expected = Vec::new();
    for data in long_data() {
        for name in CODES {
            let code = common::code(name);
            let whole = data.chunks(5 << 20).fold(code.partial(&[]), |before, piece| {
                before.concat(&code.partial(piece)).expect("pieces of whole words")
            });
            let value = whole.value();
            expected.push(format!("value {name} {} {value:x}", data.len()));
        }
    }
    for streams in [true, false] {
        let profile = PROFILES.iter().find(|profile| profile.two_streams == streams);
        let profile = profile.expect("a profile").name;
        let lines =
            child_of("child_prints_the_values_of_long_data", &[("RESIDUE_PROFILE", profile)]);
        assert_eq!(lines, expected, "{profile}");
    }
}

#[test]
fn unknown_names_are_ignored_by_the_library() {
    if common::emulated() {
        return residue_testing::skip("an emulated program cannot start itself");
    }
    for unknown in [("RESIDUE_CPU", "mmx"), ("RESIDUE_PROFILE", "pentium"), ("RESIDUE_PROFILE", "")]
    {
        assert_eq!(child(&[unknown]), child(&[]), "{unknown:?}");
    }
}

#[test]
fn every_profile_has_a_kernel_on_every_tier() {
    for tier in cpu::tier_names() {
        let features = Features::tier(tier).expect("a tier");
        for profile in PROFILES {
            let kernels = internals::CRC_32C;
            let kernel = internals::best(kernels, features, profile).expect("a kernel").info();
            assert!(kernel.matrices.is_none_or(|width| width <= profile.matrices_to));
            assert!(features.contains(kernel.needs), "{tier} {}", profile.name);
        }
    }
}
