//! Namespaces in which the command starts itself again.

use super::hosts::command;
use anyhow::bail;
use std::io::Read as _;
use std::process::{ExitStatus, Stdio};

/// Programs and their Debian packages.
const PROGRAMS: [(&str, &str); 10] = [
    ("unshare", "util-linux"),
    ("nsenter", "util-linux"),
    ("mount", "mount"),
    ("sha256sum", "coreutils"),
    ("ip", "iproute2"),
    ("iptables", "iptables"),
    ("ip6tables", "iptables"),
    ("curl", "curl"),
    ("python3", "python3"),
    ("sh", "dash"),
];

/// Starts this command again with `--inside`, in namespaces of its own, and waits for its end.
///
/// # Errors
///
/// A program or a right is missing.
pub fn again() -> anyhow::Result<ExitStatus> {
    let is_missing = |&(program, _): &(&str, &str)| {
        let found = command("sh", &["-c", "command -v \"$1\"", "sh", program]).output();
        !found.is_ok_and(|output| output.status.success())
    };
    let missing: Vec<String> = PROGRAMS
        .into_iter()
        .filter(is_missing)
        .map(|(program, package)| format!("{program} (Debian package {package})"))
        .collect();
    if !missing.is_empty() {
        bail!("not installed: {}", missing.join(", "));
    }

    let words = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
    let as_root = |user: &[&'static str]| [user, &words].concat();
    let mut why = String::new();
    let mut works = |words: &Vec<&str>| match command("unshare", words).arg("true").output() {
        Ok(ended) if ended.status.success() => true,
        Ok(ended) => {
            why = String::from_utf8_lossy(&ended.stderr).trim().to_string();
            false
        }
        Err(error) => {
            why = error.to_string();
            false
        }
    };
    let words = [as_root(&[]), as_root(&["--user", "--map-root-user"])];
    let Some(words) = words.into_iter().find(&mut works) else {
        bail!("this needs root, or the right to create user namespaces: {why}");
    };

    let own = std::env::current_exe()?;
    let mut again = command("unshare", &words);
    again.arg(own).args(std::env::args_os().skip(1)).arg("--inside").stdin(Stdio::piped());
    let mut child = again.spawn()?;
    // Closing this pipe ends the inner command.
    let held = child.stdin.take();
    let status = child.wait()?;
    drop(held);
    Ok(status)
}

/// Ends this process, which [`again`] has started, when the outer one ends.
pub fn end_with_outer() {
    std::thread::spawn(|| {
        let mut input = std::io::stdin();
        while matches!(input.read(&mut [0]), Ok(1)) {}
        // The outer command has ended.
        std::process::exit(130);
    });
}
