//! Tests pipes, environment variables and usage.
#![cfg(unix)]

use crate::common::{RESIDUE, folder, residue, typed};
use residue::{Code, cpu};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

#[test]
fn every_tier_gives_the_same_values() {
    let dir = folder();
    let names: Vec<&str> = Code::names().collect();
    let names = names.join(",");
    let run = |tier: &str| {
        let run = residue(["sum", "-a", &names, "noise", "nine", "empty"]).within(dir.path());
        run.with("RESIDUE_CPU", tier).run().ends(0).to_string()
    };
    let expected = run("");
    for tier in cpu::tier_names() {
        assert_eq!(run(tier), expected, "{tier}");
        let list = typed("list --json crc-32c").with("RESIDUE_CPU", tier).run().json();
        assert_eq!(list["cpu"]["mask"], tier);
        let allowed: Vec<&str> = cpu::Features::tier(tier).unwrap().names().collect();
        let chosen =
            list["codes"][0]["kernels"].as_array().unwrap().iter().find(|k| k["chosen"] == true);
        for need in chosen.unwrap()["needs"].as_array().unwrap() {
            assert!(allowed.contains(&need.as_str().unwrap()), "{tier}: {need}");
        }
    }
}

#[test]
fn every_profile_gives_the_same_values() {
    let dir = folder();
    let codes = "crc-32c,crc-32,crc-64/nvme,crc-16/arc,crc-32/bzip2";
    let run = |profile: &str| {
        let run = residue(["sum", "-a", codes, "noise", "nine", "empty"]).within(dir.path());
        run.with("RESIDUE_PROFILE", profile).run().ends(0).to_string()
    };
    let expected = run("");
    for profile in cpu::PROFILES {
        assert_eq!(run(profile.name), expected, "{}", profile.name);
    }
}

#[test]
fn the_profile_and_its_choice_are_listed() {
    for profile in cpu::PROFILES {
        let name = profile.name;
        let listed = typed("list --json crc-32").with("RESIDUE_PROFILE", name).run();
        let list = listed.json();
        assert_eq!(list["cpu"]["profile"]["name"], name);
        assert_eq!(list["cpu"]["profile"]["cpus"], profile.cpus);
        assert_eq!(list["cpu"]["profile"]["source"], profile.source);
        assert_eq!(list["cpu"]["profile"]["matrices_to"], profile.matrices_to);
        assert_eq!(list["cpu"]["profile_mask"], name);
        assert_eq!(list["cpu"]["detected_profile"]["name"], cpu::detected_profile().name);
        let kernels = list["codes"][0]["kernels"].as_array().unwrap();
        let chosen = kernels.iter().find(|kernel| kernel["chosen"] == true).unwrap();
        let by_matrices = |kernel: &&serde_json::Value| {
            kernel["supported"] == true && kernel["matrices"].is_number()
        };
        let reason = list["codes"][0]["reason"].as_str().unwrap();
        assert!(reason.contains("whose features this CPU has"), "{reason}");
        // Only CPUs that can run such a kernel have a choice.
        if let Some(preferring) = kernels.iter().find(by_matrices) {
            assert!(reason.contains(&format!("profile {name} prefers")), "{reason}");
            let preferred = preferring["matrices"].as_u64() <= Some(profile.matrices_to.into());
            assert_eq!(chosen["name"] == preferring["name"], preferred, "{reason}");
        }
        let text = typed("list crc-32").with("RESIDUE_PROFILE", name).run();
        let line = format!("chosen: {}, the first", chosen["name"].as_str().unwrap());
        assert!(text.ends(0).contains(&line), "{}", text.text());
        let text = typed("list").with("RESIDUE_PROFILE", name).run();
        assert!(text.ends(0).contains(&format!("profile by RESIDUE_PROFILE={name}: {name} (")));
    }
    let text = typed("list").run();
    let line = format!("profile of this CPU: {} (", cpu::detected_profile().name);
    assert!(text.ends(0).contains(&line) && !text.text().contains("RESIDUE_PROFILE="));
}

#[test]
fn unknown_profiles_are_refused() {
    for name in ["zen", "Zen3", "zen3 ", "\u{1b}[31m"] {
        let ran = typed("list").with("RESIDUE_PROFILE", name).run();
        ran.ends(2);
        for profile in cpu::PROFILES {
            assert!(ran.err.contains(profile.name), "{}", ran.err);
        }
        assert!(ran.err.contains("RESIDUE_PROFILE=") && !ran.err.contains('\x1b'));
    }
}

#[test]
fn an_unknown_tier_is_refused() {
    for name in ["mmx", "AVX2", "avx2 ", "\u{1b}[31m"] {
        let ran = typed("list").with("RESIDUE_CPU", name).run();
        ran.ends(2);
        for tier in cpu::tier_names() {
            assert!(ran.err.contains(tier), "{}", ran.err);
        }
        assert!(!ran.err.contains('\x1b'));
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let dir = folder();
    let many: Vec<&str> = std::iter::repeat_n("nine", 20_000).collect();
    let text = "x".repeat(64);
    let runs: [&[&str]; 7] = [
        &["list"],
        &["list", "--json"],
        &["sum", "--self-test"],
        &[&["sum"][..], &many].concat(),
        &["sum", "--explain", "-a", "crc-32c", "--text", &text],
        &["--help"],
        &["bench", "--sizes", "64", "-a", "xns", "--samples", "1"],
    ];
    for args in runs {
        for read in [0, 10] {
            let output = left_after(read, args, dir.path());
            let err = String::from_utf8_lossy(&output.stderr);
            assert_eq!(
                (output.status.code(), &*err),
                (Some(0), ""),
                "{:?}",
                &args[..args.len().min(4)]
            );
        }
    }
}

/// Runs the program with a reader that closes the pipe after some bytes.
fn left_after(read: usize, args: &[&str], dir: &Path) -> Output {
    let mut child = Command::new(RESIDUE)
        .args(args)
        .current_dir(dir)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut vec![0; read]).unwrap();
    drop(stdout);
    child.wait_with_output().unwrap()
}

#[test]
fn what_was_found_outlives_the_reader() {
    let dir = folder();
    let good = "e3069283  nine\n".repeat(20_000);
    let (bad, short) = ("e3069284  nine\n", "e3069283  nine\n");
    for (name, list) in [
        ("good", good.clone()),
        ("bad-first", format!("{bad}{good}")),
        ("bad-last", format!("{good}{bad}")),
        ("missing-last", format!("{good}00000000  nosuch\n")),
        ("malformed-last", format!("{good}nonsense\n")),
        ("short", format!("{short}{bad}")),
    ] {
        std::fs::write(dir.path().join(name), list).unwrap();
    }
    let check = ["sum", "-a", "crc32c", "--check"];
    let runs: [(&[&str], i32); 10] = [
        (&[&check[..], &["good"]].concat(), 0),
        (&[&check[..], &["bad-first"]].concat(), 1),
        (&[&check[..], &["bad-last"]].concat(), 1),
        (&[&check[..], &["bad-last", "--json"]].concat(), 1),
        (&[&check[..], &["missing-last"]].concat(), 1),
        (&[&check[..], &["malformed-last", "--strict"]].concat(), 2),
        (&[&check[..], &["short"]].concat(), 1),
        (&[&check[..], &["good", "nosuch"]].concat(), 2),
        (&["sum", "nosuch", "nine"], 2),
        (&["conform", "-a", "xns", "--", "echo", "0"], 1),
    ];
    for (args, code) in runs {
        for read in [0, 10] {
            let output = left_after(read, args, dir.path());
            let err = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(code), "{args:?} {read}: {err}");
            assert!(!err.contains("roken pipe"), "{args:?}: {err}");
        }
    }
}

#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        return residue_testing::skip("there is no /dev/full");
    };
    let output = Command::new(RESIDUE).arg("list").stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("residue: "));
}

#[test]
fn closed_standard_streams_are_survived() {
    for redirections in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
        let script = format!(
            "\"$0\" sum nosuch {redirections}; \"$0\" sum {redirections}; \"$0\" list \
                {redirections}"
        );
        let output = Command::new("sh").args(["-c", &script, RESIDUE]).output().unwrap();
        assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
        assert!(matches!(output.status.code(), Some(0 | 2)), "{redirections}: {:?}", output.status);
    }
}

#[test]
fn colour_only_if_wanted() {
    let coloured =
        |key: &str, value: &str| typed("list").with(key, value).run().text().contains('\x1b');
    assert!(!coloured("TERM", "xterm-256color"));
    assert!(coloured("CLICOLOR_FORCE", "1"));
    assert!(!coloured("NO_COLOR", "1"));
}

#[test]
fn usage() {
    for args in [
        &["--help"][..],
        &["--version"],
        &["sum", "--help"],
        &["list", "-h"],
        &["conform", "--help"],
        &["bench", "--help"],
    ] {
        let ran = residue(args).run();
        assert!(!ran.ends(0).is_empty());
        assert_eq!(ran.err, "");
    }
}
