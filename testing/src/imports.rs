//! What the files of a crate use of each other, for the tests of layers and circles.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

mod tokens;

use tokens::{Module, modules};

/// The modules of a crate, and which of its files use which.
pub struct Imports {
    files: Vec<PathBuf>,
    modules: BTreeMap<Vec<String>, Module>,
    /// For each file: the files that it uses, with one name for which.
    uses: Vec<BTreeMap<usize, String>>,
}

/// How deep a chain of re-exports is followed.
const DEEPEST: usize = 20;

/// Returns path and text of all Rust files in a folder and its folders, but those of tests.
///
/// # Panics
/// If a folder or file cannot be read.
#[must_use]
pub fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut texts = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(inside) = folders.pop() {
        for entry in fs::read_dir(folder.join(&inside)).expect("a folder") {
            let entry = entry.expect("an entry");
            let path = inside.join(entry.file_name());
            if path.file_stem().is_some_and(|stem| stem == "tests") {
                continue;
            } else if entry.path().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                texts.push((path, fs::read_to_string(entry.path()).expect("text")));
            }
        }
    }
    texts.sort();
    texts
}

impl Imports {
    /// Reads all Rust files in a folder and its folders, but those of tests.
    ///
    /// # Panics
    /// If a folder or file cannot be read.
    #[must_use]
    pub fn read(source: &Path) -> Self {
        Self::new(&sources(source))
    }

    /// Takes paths, relative to the crate's sources, and the files' text.
    #[must_use]
    pub fn new<P: AsRef<Path>, T: AsRef<str>>(texts: &[(P, T)]) -> Self {
        let files: Vec<PathBuf> = texts.iter().map(|(path, _)| path.as_ref().into()).collect();
        let mut all = BTreeMap::new();
        for (file, (path, text)) in texts.iter().enumerate() {
            let path = path.as_ref().with_extension("");
            let mut module: Vec<String> =
                path.iter().map(|name| name.to_string_lossy().into_owned()).collect();
            if module.last().is_some_and(|last| ["lib", "main", "mod"].contains(&last.as_str())) {
                module.pop();
            }
            modules(file, module, text.as_ref(), &mut all);
        }
        let mut imports = Self { uses: vec![BTreeMap::new(); files.len()], files, modules: all };
        for (name, module) in &imports.modules {
            for path in &module.paths {
                let used = imports.file_of(name, path);
                if let Some(other) = used.filter(|&other| other != module.file) {
                    imports.uses[module.file].entry(other).or_insert_with(|| path.join("::"));
                }
            }
        }
        imports
    }

    /// Returns the uses of one file by another: both, and a name for which.
    pub fn uses(&self) -> impl Iterator<Item = (&Path, &Path, &str)> {
        let pairs = self.uses.iter().enumerate();
        let pairs =
            pairs.flat_map(|(from, uses)| uses.iter().map(move |(to, name)| (from, to, name)));
        pairs.map(|(from, &to, name)| (&*self.files[from], &*self.files[to], name.as_str()))
    }

    /// Returns the circles: the largest groups of files that all use each other, by way of others
    /// of the group.
    #[must_use]
    pub fn circles(&self) -> Vec<Circle> {
        let reached: Vec<BTreeSet<usize>> = (0..self.files.len())
            .map(|from| {
                let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
                while let Some(file) = next.pop() {
                    next.extend(self.uses[file].keys().filter(|&&other| reached.insert(other)));
                }
                reached
            })
            .collect();
        let mut circles = Vec::new();
        for file in 0..self.files.len() {
            let group: Vec<usize> = (0..self.files.len())
                .filter(|&other| reached[file].contains(&other) && reached[other].contains(&file))
                .collect();
            if group.first() == Some(&file) {
                circles.push(self.circle(&group));
            }
        }
        circles
    }

    fn circle(&self, group: &[usize]) -> Circle {
        let inside = |file: &Path| group.iter().any(|&one| self.files[one] == file);
        let uses = self.uses().filter(|(from, to, _)| inside(from) && inside(to));
        Circle {
            folders: group.iter().map(|&file| self.folder(&self.files[file])).collect(),
            uses: uses
                .map(|(from, to, name)| format!("{} -> {} ({name})", from.display(), to.display()))
                .collect(),
        }
    }

    /// Returns the folder that a file belongs to: `x/` for `x.rs` if there is one.
    fn folder(&self, file: &Path) -> PathBuf {
        let own = file.with_extension("");
        if self.files.iter().any(|other| other.starts_with(&own)) {
            return own;
        }
        file.parent().unwrap_or(Path::new("")).into()
    }

    /// Returns the file that defines what a path names in a module, or `None` for modules
    /// themselves and for other crates.
    fn file_of(&self, module: &[String], path: &[String]) -> Option<usize> {
        match self.resolve(module, path, 0)? {
            Named::Item(file) => Some(file),
            Named::Module(_) => None,
        }
    }

    /// Returns what a path names in a module, behind all re-exports.
    fn resolve(&self, module: &[String], path: &[String], depth: usize) -> Option<Named> {
        let mut at = module.to_vec();
        for (place, name) in path.iter().enumerate() {
            match name.as_str() {
                "crate" => at.clear(),
                "super" => drop(at.pop()),
                "self" => {}
                _ => {
                    let here = self.modules.get(&at)?;
                    let rest = &path[place + 1..];
                    let child = [&at[..], &path[place..=place]].concat();
                    // A module and a function may share a name: the last of a path is the function.
                    let is_module = self.modules.contains_key(&child)
                        && !(rest.is_empty() && here.names.contains_key(name));
                    if is_module {
                        at = child;
                        continue;
                    }
                    return self.item(&at, &path[place..], place == 0, depth);
                }
            }
        }
        Some(Named::Module(at))
    }

    /// Returns what a path names whose first name is no module in `at`; `is_free` if it may come
    /// from another crate.
    fn item(&self, at: &[String], path: &[String], is_free: bool, depth: usize) -> Option<Named> {
        let here = &self.modules[at];
        let (name, rest) = (&path[0], &path[1..]);
        if here.items.contains(name) {
            return Some(Named::Item(here.file));
        }
        if depth == DEEPEST {
            return None;
        }
        if let Some(target) = here.names.get(name) {
            return self.resolve(at, &[target, rest].concat(), depth + 1);
        }
        for glob in &here.globs {
            if let Some(Named::Module(module)) = self.resolve(at, glob, depth + 1)
                && let Some(found) = self.resolve(&module, path, depth + 1)
            {
                return Some(found);
            }
        }
        if is_free {
            return None;
        }
        let exporter = self.modules.values().find(|module| module.macros.contains(name));
        Some(Named::Item(exporter.filter(|_| at.is_empty()).unwrap_or(here).file))
    }
}

enum Named {
    Module(Vec<String>),
    /// An item, by its file.
    Item(usize),
}

/// Files that use each other.
pub struct Circle {
    /// Their folders; that of `x.rs` is `x/` if there is one.
    pub folders: BTreeSet<PathBuf>,
    /// Which uses which, and for what, as text.
    pub uses: Vec<String>,
}

#[cfg(test)]
mod tests;
