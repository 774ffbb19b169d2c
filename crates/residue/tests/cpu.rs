//! `RESIDUE_CPU`, end to end: it is read once per process, so each tier runs in a process of its
//! own.

mod common;

use residue::{Code, cpu};
use std::process::Command;

/// Prints the choices of a child process for [`each_tier_masks_what_is_above_it`]; not a test of
/// its own.
#[test]
fn child_prints_what_it_chose() {
    for name in
        ["internet", "fletcher-16", "fletcher-32", "adler-32", "crc-32/iscsi", "crc-64/nvme"]
    {
        let code: Code = name.parse().expect("a code");
        println!("chose {name} {} {:x}", code.chosen().name, code.value(b"123456789"));
    }
    println!("features {}", cpu::features().names().collect::<Vec<_>>().join(","));
}

fn child(tier: Option<&str>) -> Vec<String> {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command
        .args(["--exact", "child_prints_what_it_chose", "--nocapture"])
        .env_remove("RESIDUE_CPU");
    if let Some(tier) = tier {
        command.env("RESIDUE_CPU", tier);
    }
    let output = command.output().expect("the child runs");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("text");
    let reported = |line: &&str| line.starts_with("chose ") || line.starts_with("features ");
    text.lines().filter(reported).map(String::from).collect()
}

#[test]
fn each_tier_masks_what_is_above_it() {
    if common::emulated() {
        println!("skipped: an emulated program cannot start itself");
        return;
    }
    let unmasked = child(None);
    for tier in cpu::tier_names() {
        let allowed = cpu::Features::tier(tier).expect("a tier").intersection(cpu::detected());
        let lines = child(Some(tier));
        let features = allowed.names().collect::<Vec<_>>().join(",");
        assert_eq!(lines.last(), Some(&format!("features {features}")));
        for (line, full) in
            lines.iter().zip(&unmasked).filter(|(line, _)| line.starts_with("chose "))
        {
            let words: Vec<&str> = line.split(' ').collect();
            // The value is equal for every kernel.
            assert_eq!(words.last(), full.split(' ').collect::<Vec<_>>().last());
            let code: Code = words[1].parse().expect("a code");
            let kernel = code.kernels().find(|kernel| kernel.name == words[2]).expect("a kernel");
            assert!(allowed.contains(kernel.needs), "{tier}: {line}");
            if tier == "portable" {
                assert_eq!(words[2], "portable");
            }
        }
    }
}

#[test]
fn an_unknown_tier_is_ignored_by_the_library() {
    if common::emulated() {
        println!("skipped: an emulated program cannot start itself");
        return;
    }
    assert_eq!(child(Some("mmx")), child(None));
}
