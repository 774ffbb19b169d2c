//! The systemd units of `examples/`: systemd accepts them, and the program their commands.

#![cfg(target_os = "linux")]

mod common;

use common::{RESIDUE, typed};
use std::process::Command;

const UNITS: [(&str, &str); 2] = [
    ("residue-guard", include_str!("../../../examples/residue-guard.service")),
    ("residue-guard-queue", include_str!("../../../examples/residue-guard-queue.service")),
];
/// The program in the units.
const INSTALLED: &str = "/usr/local/bin/residue";

#[test]
fn systemd_accepts_the_units() {
    if !residue_testing::installed("systemd-analyze") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in UNITS {
        let file = folder.path().join(format!("{name}@.service"));
        let verified = |text: &str| {
            std::fs::write(&file, text.replace(INSTALLED, RESIDUE)).expect("a unit");
            let unit = folder.path().join(format!("{name}@eth0.service"));
            let mut command = Command::new("systemd-analyze");
            let output = command.args(["verify", "--man=no"]).arg(unit).output().expect("it runs");
            // It may complain about other units, and succeeds with unknown settings.
            let words = String::from_utf8_lossy(&output.stderr).into_owned();
            words.lines().filter(|line| line.contains(name)).map(String::from).collect::<Vec<_>>()
        };
        assert_eq!(verified(text), [""; 0], "{name}");
        // The check sees errors.
        assert_eq!(verified(&text.replace("NoNewPrivileges", "NoNewPrivilege")).len(), 1);
        assert!(!verified(&text.replace("ExecStart=/", "ExecStart=/nowhere/")).is_empty());
    }
}

#[test]
fn commands_of_the_units() {
    for (name, text) in UNITS {
        let commands = text.lines().filter_map(|line| {
            let (key, command) = line.split_once('=')?;
            key.starts_with("Exec").then_some(command)
        });
        let mut count = 0;
        for command in commands {
            let words = command.strip_prefix(INSTALLED).expect("the program").trim();
            let words = words.replace("%i", "eth0") + " --help";
            typed(&words).run().ends(0);
            count += 1;
        }
        assert!(count >= 2, "{name}");
    }
}
