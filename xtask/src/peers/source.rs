//! Takes the tests out of a crate's sources.

use crate::shell::{copied_tree, created, entries, read, written};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What the modules of tests expect around them, besides the crate's own names.
const AROUND: &str = "#[allow(unused_imports)] use crate::*; \
                      #[allow(unused_imports)] use std::{hash::Hasher as _, io::{Read, Write}};";

/// The tests of a crate.
pub struct Source {
    /// The test modules of all files, as text to append to a `lib.rs`.
    pub modules: String,
    /// Names of what was left out, with the reason.
    left: Vec<(String, String)>,
}

impl Source {
    /// Takes the test modules of the sources in a folder, without those of private functions:
    /// files and functions with a reason.
    pub fn of(folder: &Path, private: &[(&str, &str)]) -> Result<Source, String> {
        let mut source = Source { modules: String::new(), left: Vec::new() };
        for (name, why) in private {
            if folder.join(name).is_file() {
                let name = name.trim_start_matches("../");
                source.left.push((format!("`{name}`"), why.to_string()));
            }
        }
        for path in files(folder)? {
            let text = read(&path)?;
            let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
            let Some(module) = module(&text) else { continue };
            if private.iter().any(|(file, _)| *file == name) {
                continue;
            }
            let mut module = module.to_string();
            for (function, why) in private {
                if let Some(rest) = without(&module, function) {
                    module = rest;
                    source.left.push((format!("`{function}`"), why.to_string()));
                }
            }
            let around = name.trim_end_matches(".rs").replace(['/', '-'], "_");
            // Names at the root of their crate are at the root of ours.
            let _ =
                write!(source.modules, "\n#[cfg(test)] mod of_{around} {{ {AROUND}\n{module}}}\n");
        }
        Ok(source)
    }

    /// Returns what was left out, by reason.
    pub fn remarks(&self) -> String {
        let mut reasons: Vec<&str> = Vec::new();
        for (_, why) in &self.left {
            if !reasons.contains(&why.as_str()) {
                reasons.push(why);
            }
        }
        let remark = |why: &&str| {
            let names = self.left.iter().filter(|(_, reason)| reason == why);
            let names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
            format!("{}: {why}", names.join(", "))
        };
        reasons.iter().map(remark).collect::<Vec<String>>().join("; ")
    }

    /// Copies a folder of test programs, if there is one.
    pub fn files(&self, from: &Path, to: &Path) -> Result<(), String> {
        if from.is_dir() { copied_tree(from, to) } else { Ok(()) }
    }
}

/// Returns the sources in a folder and below it, sorted.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    for path in entries(folder)? {
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// The modules that crc-fast's tests take from their crate: there is no cache here to clear, and
/// the codes' parameters are at the root.
const CRC_FAST: &str = "
#[cfg(test)] mod test;
#[cfg(test)] mod cache { pub fn clear_cache() {} }
#[cfg(test)] mod crc16 { pub mod consts { pub use crate::*; } }
#[cfg(test)] mod crc32 { pub mod consts { pub use crate::*; } }
#[cfg(test)] mod crc64 { pub mod consts { pub use crate::*; } }
";

/// Adds what the tests of crc-fast share, without its folding constants and its C header.
pub fn for_crc_fast(source: &Path, face: &Path) -> Result<(), String> {
    let library = face.join("src/lib.rs");
    let text = read(&library)?.replace("    use cbindgen::Language::C;\n", "");
    let text = text.replace("    use cbindgen::Style::Both;\n", "");
    written(&library, text + CRC_FAST)?;
    let shared = face.join("src/test");
    copied_tree(&source.join("src/test"), &shared)?;
    let names = shared.join("mod.rs");
    let text = read(&names)?.replace("mod future_proof_tests;\n", "");
    written(&names, text)?;
    let codes = shared.join("enums.rs");
    let text = read(&codes)?;
    let keys = text.find("    pub fn get_keys(").ok_or("crc-fast: no `get_keys`")?;
    let end = keys + text[keys..].find("\n    }\n").ok_or("crc-fast: no end of `get_keys`")? + 7;
    written(&codes, format!("{}{}", &text[..keys], &text[end..]))?;
    // Its tests write files there, and are skipped without the folder.
    created(&face.join("test")).map(drop)
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
