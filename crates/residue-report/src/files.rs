//! Folders of reports: every file in them is whole.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::page::Figure;
use residue_net::replace::replace;

/// Writes a report into a folder, which is made if it is missing: `figure-ID.svg` for each figure,
/// the files with their names, and the page as `index.html`. Returns the paths, the page first.
///
/// A reader finds the old file or the new one, never half of one. The page comes last, when all it
/// refers to is there. Nothing is deleted: figures of an earlier report stay in the folder.
///
/// # Errors
/// Returns an error if a file cannot be written; the error names the path.
pub fn write_report(
    dir: &Path,
    figures: &[Figure],
    data: &[(&str, String)],
    page: &str,
) -> io::Result<Vec<PathBuf>> {
    fs::create_dir_all(dir)?;
    let mut paths = Vec::new();
    for figure in figures {
        paths.push(write_whole(dir, &format!("figure-{}.svg", figure.id), &figure.svg)?);
    }
    for (name, content) in data {
        paths.push(write_whole(dir, name, content)?);
    }
    paths.insert(0, write_whole(dir, "index.html", page)?);
    Ok(paths)
}

/// Writes a file into a folder so that it is there either whole or not at all, as [`replace`] does
/// it. Returns its path.
///
/// # Errors
/// Returns an error if it cannot be written; the error names the path.
pub fn write_whole(dir: &Path, name: &str, content: &str) -> io::Result<PathBuf> {
    let path = dir.join(name);
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    replace(&path, None, |file| file.write_all(content.as_bytes())).map_err(named)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_written_whole() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("new/folder");
        let text = String::from;
        let figure =
            Figure { id: text("1"), title: text("t"), caption: text("c"), svg: text("<svg/>") };
        for page in ["old", "new"] {
            let data = [("cells.csv", text("a,b\r\n"))];
            let paths = write_report(&dir, std::slice::from_ref(&figure), &data, page).unwrap();
            let names = ["index.html", "figure-1.svg", "cells.csv"];
            assert_eq!(paths, names.map(|name| dir.join(name)));
            assert_eq!(fs::read_to_string(&paths[0]).unwrap(), page);
        }
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 3);
    }
}
