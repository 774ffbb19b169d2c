//! Tests the documents: every command of README.md and of the guides succeeds, commands of docs/
//! with output print it, docs/README.md links to every document, and a document to its subpages.
#![cfg(unix)]

use crate::common::search_path;
use residue_testing::noise;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Returns the pages in a folder and in the folders below it.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<PathBuf> = Vec::new();
    for path in entries {
        if path.is_dir() {
            all.extend(pages(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            all.push(path);
        }
    }
    all
}

/// Commands that cannot be run here, by their start, and why. Only their arguments are checked.
const NOT_RUN: [(&str, &str); 11] = [
    ("residue bench", "takes a minute, on a quiet machine; tests/bench.rs runs it shortened"),
    (
        "residue strength weights crc-32",
        "takes minutes unless optimised; tests/strength.rs counts shorter ones",
    ),
    (
        "residue strength compare",
        "takes a minute unless optimised; tests/strength_compare.rs has shorter ones",
    ),
    (
        "residue strength advise",
        "takes seconds unless optimised; tests/strength_compare.rs runs it",
    ),
    ("residue strength data", "reads /usr/lib, which is large; tests/strength_data.rs reads less"),
    ("residue strength claims", "takes seconds unless optimised; tests/strength.rs has it"),
    ("residue guard check", "needs an interface of this name; tests/guard.rs makes some"),
    ("residue guard on", "needs root and two hosts; tests/guard.rs makes them"),
    ("residue guard status", "needs a guard that runs; tests/guard.rs has one"),
    (
        "residue guard simulate",
        "takes many seconds unless optimised; tests/guard_simulate.rs runs it shortened",
    ),
    ("residue guard demo", "needs root; .ci/run runs it"),
];

/// Commands with an exit code other than 0.
const ENDS: [(&str, i32); 1] = [("residue pcap verify captures/nat-tcp.bad.pcap", 1)];

/// A command of a page, and the output below it.
#[derive(Debug)]
struct Shown {
    command: String,
    lines: Vec<String>,
}

/// The pages that a reader follows step by step: each command depends on those before it.
fn is_guide(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("guide-") || name == "change-over.md"
}

/// Returns the commands of this program in the code blocks of a page, or `every` one in the blocks
/// of a console.
fn shown(page: &str, every: bool) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut block = None;
    for line in page.lines() {
        if let Some(language) = line.strip_prefix("```") {
            block = if block.is_none() { Some(language) } else { None };
            continue;
        }
        let Some(language) = block else { continue };
        let line = line
            .replace("cargo run --release -- ", "residue ")
            .replace("cargo run -- ", "residue ");
        let prompt = line.strip_prefix("$ ");
        let command = prompt.or((language.is_empty()).then_some(line.as_str()));
        let every = every && prompt.is_some() && language == "console";
        match command.filter(|command| every || command.starts_with("residue ")) {
            Some(command) => {
                let command = command.split(" # ").next().unwrap_or_default().trim().to_string();
                all.push(Shown { command, lines: Vec::new() });
            }
            None if language == "console" && prompt.is_none() => {
                if let Some(last) = all.last_mut() {
                    last.lines.push(line);
                }
            }
            None => {}
        }
    }
    all
}

/// Creates a folder with the files that the page mentions.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    for name in ["disk.img", "part-1", "src/one", "src/two"] {
        fs::create_dir_all(path(name).parent().unwrap()).unwrap();
        fs::write(path(name), noise(100_000)).unwrap();
    }
    symlink(root().join("captures"), path("captures")).unwrap();
    fs::write(path("mycrc"), "#!/bin/sh\nexec residue sum -a crc-32c\n").unwrap();
    fs::set_permissions(path("mycrc"), fs::Permissions::from_mode(0o755)).unwrap();
    dir
}

/// Runs commands in the folder, and compares their output with the page.
fn try_out(all: &[Shown], dir: &Path) {
    for Shown { command, lines } in all {
        let skipped = NOT_RUN.iter().any(|(start, _)| command.starts_with(start));
        let words = if skipped { format!("{command} --help") } else { command.clone() };
        let ran = Command::new("sh")
            .args(["-c", &words])
            .current_dir(dir)
            .env("PATH", search_path())
            .env_remove("RESIDUE_CPU")
            .env_remove("RESIDUE_PROFILE")
            .output()
            .unwrap();
        let ends = ENDS.iter().find(|(known, _)| known == command).map_or(0, |(_, code)| *code);
        assert_eq!(ran.status.code(), Some(ends), "{words}: {ran:?}");
        if skipped {
            continue;
        }
        let text = String::from_utf8(ran.stdout).unwrap();
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        if lines.contains(&"...") {
            for line in lines.iter().filter(|line| **line != "...") {
                assert!(
                    text.lines().any(|one| one.trim_end() == *line),
                    "{command}: {line}\n{text}"
                );
            }
        } else if !lines.is_empty() {
            let text: Vec<&str> = text.lines().map(str::trim_end).collect();
            assert_eq!(lines, text, "{command}");
        }
    }
}

#[test]
fn commands_of_the_page() {
    let all = shown(&fs::read_to_string(root().join("README.md")).unwrap(), false);
    assert!(all.len() > 15, "{all:#?}");
    try_out(&all, folder().path());
    for (start, why) in NOT_RUN {
        assert!(all.iter().any(|one| one.command.starts_with(start)), "{start} ({why}) is gone");
    }
    for (command, _) in ENDS {
        assert!(all.iter().any(|one| one.command == command), "{command} is gone");
    }
}

#[test]
fn commands_in_the_documents_print_what_is_shown_below_them() {
    let dir = folder();
    let (mut tried, mut guides) = (0, 0);
    for path in pages(&root().join("docs")) {
        let guide = is_guide(&path);
        let mut all = shown(&fs::read_to_string(path).unwrap(), guide);
        if guide {
            guides += 1;
            try_out(&all, folder().path());
        } else {
            all.retain(|one| !one.lines.is_empty());
            try_out(&all, dir.path());
        }
        tried += all.len();
    }
    assert!(tried >= 40 && guides >= 5, "{tried}, {guides} guides");
}

/// Returns the targets of links to files, relative to the page.
fn links(page: &str) -> Vec<String> {
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let targets = targets.map(|target| target.split('#').next().unwrap_or_default().to_string());
    targets.filter(|target| !target.is_empty() && !target.contains("://")).collect()
}

#[test]
fn every_document_is_listed_and_every_link_leads_somewhere() {
    let docs = root().join("docs");
    let index = docs.join("README.md");
    let listed = |by: &Path, page: &Path| {
        let name = page.strip_prefix(&docs).unwrap().to_str().unwrap();
        links(&fs::read_to_string(by).unwrap()).iter().any(|link| link == name)
    };
    let pages = pages(&docs);
    for page in pages.iter().filter(|page| **page != index) {
        // The page of docs/guard.md lists those of docs/guard/.
        let folder = page.parent().unwrap();
        let by = if folder == docs { index.clone() } else { folder.with_extension("md") };
        assert!(listed(&by, page), "{} does not link to {}", by.display(), page.display());
    }
    let tops = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"];
    for path in pages.into_iter().chain(tops.map(|name| root().join(name))) {
        for target in links(&fs::read_to_string(&path).unwrap()) {
            assert!(path.parent().unwrap().join(&target).exists(), "{}: {target}", path.display());
        }
    }
}

/// The tests and fuzz targets that SECURITY.md names are in the files that it names.
#[test]
fn tests_of_hostile_inputs_exist() {
    let text = fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let table = text.split_once("| input | tests |").unwrap().1.split_once("\n\n").unwrap().0;
    let mut count = 0;
    for sentence in table.split(['|', ';', ':']).filter(|sentence| sentence.contains('`')) {
        let names: Vec<&str> = sentence.split('`').skip(1).step_by(2).collect();
        let file = sentence.split_whitespace().find(|word| word.contains('/'));
        for name in names.iter().filter(|name| !name.contains(' ')) {
            let path = match file {
                Some(file) => root().join(file.trim_end_matches(',')),
                None => root().join(format!("fuzz/fuzz_targets/{name}.rs")),
            };
            let source = fs::read_to_string(&path).unwrap_or_default();
            let is_there = match file {
                Some(_) => ["fn ", "def ", "const ", "void "]
                    .iter()
                    .any(|kind| source.contains(&format!("{kind}{name}"))),
                None => !source.is_empty(),
            };
            assert!(is_there, "{name} in {}", path.display());
            count += 1;
        }
    }
    assert!(count > 30, "{count}");
}
