//! The order of the files of all crates: few circles, none between folders, and the layers; what
//! each crate needs to be published, and what the library hides.

use residue_testing::imports::{Imports, sources};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates with circles between folders, and how many.
const WIDE: [(&str, usize); 0] = [];

/// The most circles in all crates together.
const CIRCLES: usize = 4;

/// The crates and folders in layers, and where their list is: each line uses only those above it,
/// and itself.
const LAYERED: [(&str, &str, &str); 3] = [
    ("crates/residue", "", "ARCHITECTURE.md"),
    ("crates/residue", "crc", "crates/residue/src/crc.rs"),
    ("crates/residue-strength", "", "crates/residue-strength/src/lib.rs"),
];

/// The guard's folders for Linux, and those that each may use: the engines, `queue/` and `kernel/`,
/// do not use each other. `sys/` uses nothing else of the crate. All other modules do no input or
/// output, and use none of these folders.
const GUARD: [(&str, &[&str]); 4] =
    [("sys", &[]), ("host", &["sys"]), ("queue", &["host", "sys"]), ("kernel", &["host", "sys"])];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the folders of the crates of the workspace.
fn crates() -> Vec<String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the workspace");
    let members = manifest.split_once("members = [").expect("a list").1;
    let members = members.split_once(']').expect("its end").0.split('"').skip(1).step_by(2);
    let mut found = Vec::new();
    for member in members {
        let Some(folder) = member.strip_suffix("/*") else {
            found.push(member.into());
            continue;
        };
        for entry in fs::read_dir(root().join(folder)).expect("a folder") {
            let name = entry.expect("an entry").file_name();
            found.push(format!("{folder}/{}", name.to_string_lossy()));
        }
    }
    found.sort();
    found
}

/// Each crate of `crates/` is published alone: its package has what the registry shows.
#[test]
fn crates_have_what_the_registry_shows() {
    for name in crates().iter().filter(|name| name.starts_with("crates/")) {
        let folder = root().join(name);
        for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(
                folder.join(file).is_file(),
                "{name}/{file} is missing: a link to ../../{file}"
            );
        }
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        for line in ["description = ", "readme.workspace = true", "all-features = true"] {
            assert!(manifest.contains(line), "{name}/Cargo.toml lacks `{line}`");
        }
    }
}

/// The library's feature `internals` promises nothing to the next version.
#[test]
fn what_uses_internals_takes_the_library_of_its_own_version() {
    let exactly = concat!("version = \"=", env!("CARGO_PKG_VERSION"), "\"");
    let mut users = 0;
    for name in crates().iter().filter(|name| name.starts_with("crates/residue-")) {
        let manifest = fs::read_to_string(root().join(name).join("Cargo.toml")).expect("a file");
        for line in manifest.lines() {
            if line.starts_with("residue = ") && line.contains("\"internals\"") {
                users += 1;
                assert!(line.contains(exactly), "{name}: {line} lacks {exactly}");
            }
        }
    }
    assert!(users > 0, "none uses the feature");
}

/// Items of the library that anybody can reach and no page shows: types that aliases name, and the
/// module for this project alone.
const HIDDEN: [&str; 5] = [
    "pub mod internals;",
    "pub struct Adler;",
    "pub struct Tabled<W>(core::marker::PhantomData<W>);",
    "pub struct Xns;",
    "pub use family::Internet;",
];

/// Hidden items are promised to nobody, but programs would use them: what is not a part of a trait
/// that only the library implements is in `internals`.
#[test]
fn the_library_hides_little() {
    let mut hidden = Vec::new();
    for (_, text) in sources(&root().join("crates/residue/src")) {
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.trim() == "#[doc(hidden)]" {
                let item = lines.find(|line| !line.trim_start().starts_with(['#', '/']));
                hidden.push(item.expect("an item").to_string());
            }
        }
    }
    // Parts of traits have no visibility of their own.
    hidden.retain(|item| item.trim_start().starts_with("pub"));
    hidden.sort();
    assert_eq!(hidden, HIDDEN);
}

fn imports(name: &str) -> Imports {
    Imports::read(&root().join(name).join("src"))
}

#[test]
fn no_circle_spans_folders() {
    let (mut count, mut bad) = (0, Vec::new());
    for name in crates() {
        let circles = imports(&name).circles();
        count += circles.len();
        for circle in &circles {
            println!("{name} {:?}\n    {}", circle.folders, circle.uses.join("\n    "));
        }
        let wide = circles.iter().filter(|circle| circle.folders.len() > 1).count();
        let known = WIDE.iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| *count);
        if wide > known {
            bad.push(format!("{name}: {wide} circles span folders, {known} are known"));
        }
    }
    assert!(bad.is_empty() && count <= CIRCLES, "{count} of {CIRCLES} circles; {bad:?}");
}

/// Returns the layers, lowest first: the folders and files that each line of the list names.
fn layers(text: &str) -> Vec<Vec<String>> {
    let (_, list) = text.split_once("uses only those above it").expect("the rule");
    let (_, list) = list.split_once("```").expect("the list");
    let (list, _) = list.split_once("```").expect("its end");
    // Behind the fence's line; in code, comments.
    let lines = list.lines().skip(1).map(|line| line.trim_start_matches("//!").trim());
    let names = |line: &str| {
        let names = line.split_once("  ").map_or(line, |(names, _)| names);
        names.split(' ').map(|name| name.trim_end_matches('/').to_string()).collect()
    };
    lines.filter(|line| !line.is_empty()).map(names).collect()
}

/// Returns the uses of files by others, both in a folder, that are `bad` by both topmost names.
///
/// The file that declares the modules may use all of them.
fn faults(imports: &Imports, folder: &str, bad: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let root = if folder.is_empty() { "lib.rs".into() } else { format!("{folder}.rs") };
    let top = |file: &Path| {
        let inside = if *file == *root { file } else { file.strip_prefix(folder).ok()? };
        let top = inside.iter().next().expect("a name").to_string_lossy();
        Some(top.trim_end_matches(".rs").to_string())
    };
    let uses = imports.uses().filter(|(from, to, _)| {
        **from != *root && top(from).zip(top(to)).is_some_and(|(from, to)| bad(&from, &to))
    });
    uses.map(|(from, to, name)| format!("{} -> {} ({name})", from.display(), to.display()))
        .collect()
}

/// Returns whether a name is of a layer above another's, or of none.
fn is_upward(layers: &[Vec<String>], from: &str, to: &str) -> bool {
    let rank = |top: &str| layers.iter().position(|layer| layer.iter().any(|name| name == top));
    rank(from).zip(rank(to)).is_none_or(|(from, to)| to > from)
}

/// Returns whether a use is against the order of the guard's folders.
fn is_against(from: &str, to: &str) -> bool {
    let below =
        |folder: &str| GUARD.iter().find(|(name, _)| *name == folder).map(|(_, lower)| *lower);
    from != to
        && (from == "sys" || below(to).is_some() && !below(from).unwrap_or_default().contains(&to))
}

#[test]
fn the_guards_folders_use_only_those_below() {
    let imports = imports("crates/residue-guard");
    for (folder, _) in GUARD {
        assert!(imports.uses().any(|(from, ..)| from.starts_with(folder)), "{folder}");
    }
    assert_eq!(faults(&imports, "", is_against), [""; 0]);
    for (from, to, is_bad) in [
        ("sys", "host", true),
        ("sys", "lib", true),
        ("sys", "sys", false),
        ("host", "config", false),
        ("host", "kernel", true),
        ("host", "sys", false),
        ("queue", "kernel", true),
        ("queue", "host", false),
        ("engine", "sys", true),
    ] {
        assert_eq!(is_against(from, to), is_bad, "{from} {to}");
    }
}

#[test]
fn no_file_uses_a_layer_above_its_own() {
    for (name, folder, list) in LAYERED {
        let text = fs::read_to_string(root().join(list)).expect(list);
        let (layers, imports) = (layers(&text), imports(name));
        assert!(imports.uses().count() > 50 && layers.len() > 7, "{name}: {layers:?}");
        assert_eq!(
            faults(&imports, folder, |from, to| is_upward(&layers, from, to)),
            [""; 0],
            "{name}"
        );
    }
}

#[test]
fn an_import_that_runs_up_is_found() {
    let list = "//! Each uses only those above it:\n//!\n//! ```text\n//! error words  base\n//! \
                arch/  instructions\n//! crc/  CRCs\n//! ```\n";
    let layers = layers(list);
    assert_eq!(layers, [vec!["error", "words"], vec!["arch"], vec!["crc"]]);
    for (code, expected) in [
        ("use crate::words::short_word;", None),
        ("use crate::{Error, arch};", None),
        ("use crate::crc::fold;", Some("crc/fold.rs (crate::crc::fold::run)")),
        ("", Some("new.rs (crate::new::run)")),
    ] {
        let last = expected.and_then(|text| text.split_once('(')).map_or("", |(_, name)| name);
        let code = format!("{code}\nfn f() {{ {} }}", last.trim_end_matches(')'));
        let made = Imports::new(&[
            ("lib.rs", "pub use error::Error;"),
            ("error.rs", "pub struct Error;"),
            ("words.rs", ""),
            ("arch.rs", "mod x86_64;"),
            ("arch/x86_64.rs", &code),
            ("crc.rs", ""),
            ("crc/fold.rs", ""),
            ("new.rs", ""),
        ]);
        let expected: Vec<_> =
            expected.iter().map(|to| format!("arch/x86_64.rs -> {to}")).collect();
        assert_eq!(faults(&made, "", |from, to| is_upward(&layers, from, to)), expected);
    }
}
