//! The order of the folders for Linux: `sys/`, which uses nothing else of the crate, is below
//! `host/`, and both are below the engines, `queue/` and `kernel/`, which do not use each other.
//! All other modules do no input or output, and use none of these folders.

use std::fs;
use std::path::Path;

/// Each folder, and the folders that it may use beside itself.
const ORDER: [(&str, &[&str]); 4] =
    [("sys", &[]), ("host", &["sys"]), ("queue", &["host", "sys"]), ("kernel", &["host", "sys"])];

/// Returns the names that follow `root` in code, alone or in braces.
fn used(code: &str, root: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in code.match_indices(root) {
        let path = code[at + root.len()..].trim_start_matches("super::");
        let Some(list) = path.strip_prefix('{') else {
            names.push(first_name(path));
            continue;
        };
        // Names after an opening brace or a comma of this list, not of the lists in it.
        let mut depth = 0;
        names.push(first_name(list));
        for (at, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => names.push(first_name(&list[at + 1..])),
                _ => {}
            }
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn first_name(path: &str) -> String {
    path.trim_start().chars().take_while(|&c| c.is_alphanumeric() || c == '_').collect()
}

/// Returns the name of the topmost folder or module of a file.
fn top(path: &Path) -> &str {
    let top = path.iter().next().unwrap().to_str().unwrap();
    top.strip_suffix(".rs").unwrap_or(top)
}

/// Returns the uses in a file against the order.
fn against(path: &Path, text: &str) -> Vec<String> {
    let code: Vec<&str> =
        text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let (code, folder) = (code.join("\n"), top(path));
    let lower = ORDER.iter().find(|(name, _)| *name == folder);
    let lower = lower.map(|(_, lower)| *lower).unwrap_or_default();
    let is_folder = |name: &str| ORDER.iter().any(|(other, _)| *other == name);
    let is_wrong = |name: &str| name != folder && is_folder(name) && !lower.contains(&name);
    let mut wrong = used(&code, "crate::");
    wrong.retain(|name| is_wrong(name) || folder == "sys" && name != folder);
    // As many steps up as the file is deep lead to the root.
    let mut climbing = used(&code, &"super::".repeat(path.iter().count()));
    climbing.retain(|name| is_wrong(name));
    wrong.append(&mut climbing);
    wrong
}

/// Calls `visit` with each file of Rust in a folder and its folders.
fn visit_files(folder: &Path, visit: &mut impl FnMut(&Path, &str)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            visit_files(&path, visit);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            visit(&path, &fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn folders_use_only_those_below() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut wrong, mut counts) = (Vec::new(), [0; ORDER.len()]);
    visit_files(&source, &mut |path, text| {
        let path = path.strip_prefix(&source).unwrap();
        let top = top(path);
        // The root declares the modules; this file has bad examples.
        if ["lib", "imports"].contains(&top) {
            return;
        }
        for (count, (name, _)) in counts.iter_mut().zip(ORDER) {
            *count += usize::from(name == top);
        }
        wrong.extend(against(path, text).iter().map(|name| format!("{}: {name}", path.display())));
    });
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
