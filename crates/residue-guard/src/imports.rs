//! The order of the folders for Linux: `sys/`, which uses nothing else of the crate, is below
//! `host/`, and both are below the engines, `queue/` and `kernel/`, which do not use each other.
//! All other modules do no input or output, and use none of these folders.

use residue_testing::imports;
use std::path::Path;

/// Each folder, and the folders that it may use beside itself.
const ORDER: [(&str, &[&str]); 4] =
    [("sys", &[]), ("host", &["sys"]), ("queue", &["host", "sys"]), ("kernel", &["host", "sys"])];

/// Returns the name of the topmost folder or module of a file.
fn top(path: &Path) -> &str {
    let top = path.iter().next().unwrap().to_str().unwrap();
    top.strip_suffix(".rs").unwrap_or(top)
}

/// Returns the uses in a file against the order.
fn against(path: &Path, text: &str) -> Vec<String> {
    let folder = top(path);
    let lower = ORDER.iter().find(|(name, _)| *name == folder);
    let lower = lower.map(|(_, lower)| *lower).unwrap_or_default();
    let is_folder = |name: &str| ORDER.iter().any(|(other, _)| *other == name);
    let is_wrong = |name: &str| name != folder && is_folder(name) && !lower.contains(&name);
    let mut wrong = imports::used(path, text);
    wrong.retain(|name| is_wrong(name) || folder == "sys" && name != folder);
    wrong
}

#[test]
fn folders_use_only_those_below() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut wrong, mut counts) = (Vec::new(), [0; ORDER.len()]);
    for (path, text) in imports::sources(&source) {
        let top = top(&path);
        // The root declares the modules; this file has bad examples.
        if ["lib", "imports"].contains(&top) {
            continue;
        }
        for (count, (name, _)) in counts.iter_mut().zip(ORDER) {
            *count += usize::from(name == top);
        }
        wrong
            .extend(against(&path, &text).iter().map(|name| format!("{}: {name}", path.display())));
    }
    assert!(counts.iter().all(|&count| count > 1), "the folders of ORDER: {counts:?} files");
    assert!(wrong.is_empty(), "uses against the order of the folders: {wrong:#?}");
}

#[test]
fn every_form_of_use_is_read() {
    for (path, code, expected) in [
        ("sys.rs", "use crate::host::Ports;", &["host"][..]),
        ("sys/local.rs", "use crate::Config;", &["Config"]),
        ("sys/local.rs", "use super::checked;\nuse crate::sys::wait;", &[]),
        ("host.rs", "use crate::{config::{Config, Policy}, kernel::layout, sys};", &["kernel"]),
        ("host/need.rs", "use crate::{\n    queue,\n    Config as Defaults,\n};", &["queue"]),
        ("queue/run.rs", "    crate::kernel::forget(None)?;", &["kernel"]),
        ("queue/run.rs", "use crate::sys::{self, kernel};\nuse crate::host::Need;", &[]),
        ("queue.rs", "use super::kernel;", &["kernel"]),
        ("kernel/load.rs", "use super::super::queue::Status;", &["queue"]),
        ("kernel/load.rs", "    use super::super::super::queue::Status;", &["queue"]),
        ("kernel/load.rs", "/// See crate::queue.\nuse super::sockets::Socket;", &[]),
        ("engine.rs", "use crate::sys::wait;", &["sys"]),
        ("simulate/link.rs", "use super::host::Host;", &[]),
    ] {
        assert_eq!(against(Path::new(path), code), expected, "{path}: {code}");
    }
}
