//! What the files of a crate use of each other, for tests of its layers.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the paths of all Rust files in a folder and its folders, relative to it, and their text.
///
/// # Panics
/// If a folder or file cannot be read.
#[must_use]
pub fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(inside) = folders.pop() {
        for entry in fs::read_dir(folder.join(&inside)).expect("a folder") {
            let entry = entry.expect("an entry");
            let path = inside.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(entry.path()).expect("text");
                found.push((path, text));
            }
        }
    }
    found
}

/// Returns the names in the crate's root that a file uses, by `crate::` or by `super::` up to the
/// root, in code other than its module of tests.
///
/// `path` is relative to the folder of the sources.
#[must_use]
pub fn used(path: &Path, text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = code.collect::<Vec<_>>().join("\n");
    let mut names = after(&code, "crate::");
    // A file uses `super::` as often as it is deep to reach the root. In modules inside it, it takes
    // more.
    names.extend(after(&code, &"super::".repeat(path.iter().count())));
    names
}

/// Returns the names that follow `root` in code, alone or in braces.
fn after(code: &str, root: &str) -> Vec<String> {
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
