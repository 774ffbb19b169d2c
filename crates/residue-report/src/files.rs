//! Folders of reports: every file in them is whole.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::page::{self, Figure};
use residue_net::replace::replace;

/// Writes a report into a folder, which is made if it is missing: `figure-ID.svg` for each figure,
/// the files with their names, and the page as `index.html`. Returns the paths, the page first.
///
/// Files of others are not replaced: what is there must be of an earlier report, with its page.
///
/// A reader finds the old file or the new one, never half of one. The page comes last, when all it
/// refers to is there. Nothing is deleted: figures of an earlier report stay in the folder.
///
/// # Errors
/// Returns an error if a file cannot be written, or is there and not of a report; the error names
/// the path.
pub fn write_report(
    dir: &Path,
    figures: &[Figure],
    data: &[(&str, String)],
    page: &str,
) -> io::Result<Vec<PathBuf>> {
    fs::create_dir_all(dir)?;
    let names = figures.iter().map(|figure| format!("figure-{}.svg", figure.id));
    let names = names.chain(data.iter().map(|(name, _)| (*name).to_string()));
    may_replace(dir, names.chain(["index.html".to_string()]))?;
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

/// Refuses to replace files in a folder without the page of an earlier report.
fn may_replace(dir: &Path, mut names: impl Iterator<Item = String>) -> io::Result<()> {
    let page = fs::read(dir.join("index.html")).unwrap_or_default();
    let mark = page::GENERATOR.as_bytes();
    if page.windows(mark.len()).take(4096).any(|window| window == mark) {
        return Ok(());
    }
    match names.find(|name| dir.join(name).symlink_metadata().is_ok()) {
        None => Ok(()),
        Some(name) => {
            let path = dir.join(name);
            let path = path.display();
            let why = format!("{path} is there and not of a report; choose another folder");
            Err(io::Error::new(io::ErrorKind::AlreadyExists, why))
        }
    }
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
        for page in ["old", "new"].map(|text| format!("{}{text}", page::head("t", "a"))) {
            let data = [("cells.csv", text("a,b\r\n"))];
            let paths = write_report(&dir, std::slice::from_ref(&figure), &data, &page).unwrap();
            let names = ["index.html", "figure-1.svg", "cells.csv"];
            assert_eq!(paths, names.map(|name| dir.join(name)));
            assert_eq!(fs::read_to_string(&paths[0]).unwrap(), page);
        }
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 3);
    }

    #[test]
    fn files_of_others_stay() {
        let figure = Figure { id: "1".into(), ..Figure::default() };
        for name in ["index.html", "figure-1.svg", "cells.csv"] {
            let place = tempfile::tempdir().unwrap();
            let path = place.path().join(name);
            fs::write(&path, "mine").unwrap();
            let data = [("cells.csv", String::new())];
            let error = write_report(place.path(), std::slice::from_ref(&figure), &data, "page");
            let error = error.unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("choose another folder"), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
            assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
        }
    }
}
