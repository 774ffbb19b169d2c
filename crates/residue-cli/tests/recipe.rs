//! The recipe "a command" of ARCHITECTURE.md: each command has all that belongs to it.

use std::fs;
use std::path::{Path, PathBuf};

/// Subcommands that share a file: those that switch the guard.
const SHARED: [&str; 4] = ["guard on", "guard off", "guard forget", "guard clean"];

/// Returns the texts of a folder's files with an ending, with their names.
fn texts(folder: &Path, end: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("one").path());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    let files = files.iter().filter(|path| path.extension().is_some_and(|it| it == end));
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    let read = |path: &PathBuf| (name(path), fs::read_to_string(path).expect("text"));
    let inner = folders.iter().flat_map(|folder| texts(folder, end));
    files.map(read).chain(inner).collect()
}

/// Returns the commands that a help lists, with the words before them.
fn listed(help: &str, words: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(|name| format!("{words} {name}")).collect()
}

#[test]
fn each_command_has_a_file_examples_a_test_and_a_document() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tests = texts(&own.join("tests"), "rs");
    let docs = texts(&own.join("../../docs"), "md");
    let (mut missing, mut count) = (Vec::new(), 0);
    let mut waiting = vec![String::new()];
    while let Some(words) = waiting.pop() {
        let ran = crate::common::typed(&format!("{words} --help")).run();
        let help = ran.ends(0);
        waiting.extend(listed(help, &words));
        let words = words.trim();
        let Some(last) = words.split(' ').next_back().filter(|last| !last.is_empty()) else {
            continue;
        };
        count += 1;
        let file = format!("src/commands/{}.rs", words.replace(' ', "/"));
        if !own.join(&file).is_file() && !SHARED.contains(&words) {
            missing.push(format!("{words}: the file {file}"));
        }
        if !help.contains("\nExamples:\n") {
            missing.push(format!("{words}: `Examples:` in the `after_help` of {file}"));
        }
        let is_run = |(name, text): &(String, String)| {
            let has = |part: &str| text.contains(part);
            let is_own = name.starts_with(words.split(' ').next().unwrap_or_default());
            has(&format!("\"{}\"", words.replace(' ', "\", \"")))
                || has(&format!("\"{words}"))
                || is_own && (has(&format!("\"{last} ")) || has(&format!("\"{last}\"")))
        };
        if !tests.iter().any(is_run) {
            let name = words.replace(' ', "_");
            missing.push(format!("{words}: a test that runs it, as tests/{name}.rs"));
        }
        if !docs.iter().any(|(_, text)| text.contains(&format!("residue {words}"))) {
            missing.push(format!("{words}: a mention of `residue {words}` in a page of docs/"));
        }
    }
    assert!(missing.is_empty(), "missing:\n{}", missing.join("\n"));
    assert!(count > 35, "{count}");
}

/// Folders whose files of tests are one program.
const ONE_PROGRAM: [&str; 4] =
    ["residue-cli/tests", "residue-identify/tests", "residue-net/tests", "residue/tests/library"];

#[test]
fn every_file_of_tests_is_a_module() {
    for name in ONE_PROGRAM {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
        let main = fs::read_to_string(folder.join("main.rs")).expect("text");
        let files = fs::read_dir(&folder).expect("a folder").map(|it| it.expect("one").path());
        let sources = files.filter(|path| path.extension().is_some_and(|it| it == "rs"));
        let names: Vec<String> = sources
            .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
            .collect();
        let is_there = |name: &str| main.lines().any(|line| line == format!("mod {name};"));
        let missing: Vec<&String> =
            names.iter().filter(|name| *name != "main" && !is_there(name)).collect();
        assert!(missing.is_empty(), "not in main.rs of {name}: {missing:?}");
        assert!(names.len() > 10, "{name}: {names:?}");
    }
}
