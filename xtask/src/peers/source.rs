//! Takes the tests out of a crate's sources.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What the modules of tests expect around them, besides the crate's own names.
const AROUND: &str = "#[allow(unused_imports)] use crate::*; \
                      #[allow(unused_imports)] use std::{hash::Hasher as _, io::{Read, Write}};";

/// The tests of a crate.
pub struct Source {
    /// The test modules of all files, as text to append to a `lib.rs`.
    pub modules: String,
    /// What was left out, and why.
    pub left: Vec<String>,
}

impl Source {
    /// Takes the test modules of the sources in a folder, without those of private functions:
    /// files and functions with a reason.
    pub fn of(folder: &Path, private: &[(&str, &str)]) -> Result<Source, String> {
        let mut source = Source { modules: String::new(), left: Vec::new() };
        let mut files = Vec::new();
        collect(folder, &mut files)?;
        for path in files {
            let text = super::read(&path)?;
            let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
            let Some(module) = module(&text) else { continue };
            if let Some((_, why)) = private.iter().find(|(file, _)| *file == name) {
                source.left.push(format!("`{name}`: {why}"));
                continue;
            }
            let mut module = module.to_string();
            for (function, why) in private {
                if let Some(rest) = without(&module, function) {
                    module = rest;
                    source.left.push(format!("`{function}`: {why}"));
                }
            }
            let around = name.trim_end_matches(".rs").replace(['/', '-'], "_");
            // Names at the root of their crate are at the root of ours.
            let _ =
                write!(source.modules, "\n#[cfg(test)] mod of_{around} {{ {AROUND}\n{module}}}\n");
        }
        Ok(source)
    }

    /// Copies a folder of test programs, if there is one.
    pub fn files(&mut self, from: &Path, to: &Path) -> Result<(), String> {
        if from.is_dir() { crate::shell::copied_tree(from, to) } else { Ok(()) }
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder);
    let entries = entries.map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns the module of tests in a file that is formatted as usual: from its attribute to the
/// first line that closes it.
fn module(text: &str) -> Option<&str> {
    let start = text.find("#[cfg(test)]\nmod ")?;
    let end = text[start..].find("\n}\n")? + 3;
    Some(&text[start..start + end])
}

/// Returns a module without one of its tests, if it has it.
fn without(module: &str, function: &str) -> Option<String> {
    let name = module.find(&format!("    fn {function}("))?;
    let start = module[..name].rfind("    #[test]")?;
    let end = name + module[name..].find("\n    }\n")? + 7;
    Some(format!("{}{}", &module[..start], &module[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "fn a() {}\n\n#[cfg(test)]\nmod t {\n    #[test]\n    fn b() {\n        \
                        a();\n    }\n\n    #[test]\n    fn c() {\n    }\n}\n\nfn d() {}\n";

    #[test]
    fn tests_are_taken_out() {
        let module = module(TEXT).unwrap();
        assert!(module.starts_with("#[cfg(test)]\nmod t {") && module.ends_with("    }\n}\n"));
        let rest = without(module, "b").unwrap();
        assert!(rest.contains("fn c()") && !rest.contains("fn b()"));
        assert_eq!(without(module, "d"), None);
    }
}
