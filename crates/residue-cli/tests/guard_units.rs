//! The files of `examples/`: systemd accepts the units, and the program their commands; the
//! dashboard and the alerts are complete.

#![cfg(target_os = "linux")]

use crate::common::metrics::{ALERTS, DASHBOARD};
use crate::common::{RESIDUE, typed};
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

/// `guard_kernel` and `watch` compare their metrics with those that the program prints.
#[test]
fn the_dashboard_and_the_alerts_are_complete() {
    let dashboard: serde_json::Value = serde_json::from_str(DASHBOARD).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    for (number, panel) in (1..).zip(panels) {
        assert_eq!(panel["id"], number, "{panel}");
        let targets = panel["targets"].as_array().expect("targets");
        let is_query = |target: &serde_json::Value| {
            target["expr"].as_str().is_some_and(|query| query.contains("residue_"))
        };
        assert!(!targets.is_empty() && targets.iter().all(is_query), "{panel}");
    }
    assert!(panels.len() > 5);
    let count = |word: &str| ALERTS.lines().filter(|line| line.trim().starts_with(word)).count();
    let alerts = count("- alert: ");
    assert!(alerts > 5 && count("expr: ") == alerts && count("summary: \"") == alerts);
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
