//! The width of the sources: 100 columns, in code, comments and strings alike. `cargo fmt` breaks
//! neither comments nor strings.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The most characters in a line.
const WIDTH: usize = 100;

/// The folders of the sources, from the root of the repository.
const FOLDERS: [&str; 6] = ["benches", "bindings", "crates", "fuzz", "web", "xtask"];

/// The extensions of the sources.
const EXTENSIONS: [&str; 7] = ["rs", "c", "h", "py", "pyi", "js", "mjs"];

/// Folders that hold no sources of the project.
const SKIPPED: [&str; 4] = ["target", "corpus", "artifacts", "node_modules"];

/// Returns the lines that are too wide, as `file:line: width`.
///
/// # Errors
/// Returns an error if a file cannot be read or is not UTF-8.
pub fn too_wide() -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        folder_too_wide(Path::new(folder), &mut found)?;
    }
    Ok(found)
}

fn folder_too_wide(folder: &Path, found: &mut Vec<String>) -> io::Result<()> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_symlink() || name.starts_with('.') || SKIPPED.contains(&&*name) {
            continue;
        }
        if path.is_dir() {
            folder_too_wide(&path, found)?;
        } else if path.extension().is_some_and(|it| EXTENSIONS.iter().any(|&known| it == known)) {
            let lines = wide_lines(&fs::read_to_string(&path)?);
            let shown = |(line, width)| format!("{}:{line}: {width}", path.display());
            found.extend(lines.into_iter().map(shown));
        }
    }
    Ok(())
}

/// Returns the number, from 1, and the width of each line that is too wide.
fn wide_lines(text: &str) -> Vec<(usize, usize)> {
    let widths = text.lines().map(|line| line.chars().count());
    (1..).zip(widths).filter(|&(_, width)| width > WIDTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_above_the_width_are_found_by_characters() {
        let text = ["x".repeat(100), "é".repeat(100), "x".repeat(101), String::new()].join("\n");
        assert_eq!(wide_lines(&text), [(3, 101)]);
    }
}
