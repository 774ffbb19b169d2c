//! Commands, and folders for their results.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the only entry of a folder.
pub fn only(folder: &Path) -> Result<PathBuf, String> {
    let named = |why: &dyn std::fmt::Display| format!("{}: {why}", folder.display());
    let entries = std::fs::read_dir(folder).map_err(|error| named(&error))?;
    let paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    match paths.as_slice() {
        [path] => Ok(path.clone()),
        others => Err(named(&format!("expected one entry, got {}", others.len()))),
    }
}

/// Runs a command; on failure, its output is the error.
pub fn done(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    Err(format!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&text)))
}

/// Returns cargo's target directory.
pub fn target() -> Result<PathBuf, String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    std::path::absolute(target).map_err(|error| error.to_string())
}

/// Creates a folder, or empties it.
pub fn emptied(folder: &Path) -> Result<PathBuf, String> {
    let named = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(named)?;
    }
    std::fs::create_dir_all(folder).map_err(named)?;
    Ok(folder.to_path_buf())
}

/// Copies a file.
pub fn copied(from: &Path, to: &Path) -> Result<(), String> {
    let named = |error| format!("cannot copy {} to {}: {error}", from.display(), to.display());
    std::fs::copy(from, to).map(drop).map_err(named)
}

/// Copies a folder, without what cargo builds in it, into one that need not exist.
pub fn copied_tree(from: &Path, to: &Path) -> Result<(), String> {
    std::fs::create_dir_all(to).map_err(|error| format!("{}: {error}", to.display()))?;
    for entry in std::fs::read_dir(from).map_err(|error| format!("{}: {error}", from.display()))? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let to = to.join(path.file_name().unwrap_or_default());
        match path.is_dir() {
            true if path.ends_with("target") => {}
            true => copied_tree(&path, &to)?,
            false => copied(&path, &to)?,
        }
    }
    Ok(())
}

/// Writes a file.
pub fn written(path: &Path, text: &[u8]) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
