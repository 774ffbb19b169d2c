//! Every command of `published/fidelity.csv` runs, and shows what the file says that it shows.

use crate::common::{residue, search_path};
use residue_papers::fidelity::{Point, points};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The options that make commands short, by how they begin; the first that fits counts.
const SHORT: [(&str, &[&str]); 6] = [
    ("residue bench iso", &["--rounds", "1"]),
    ("residue bench iscsi", &["--rounds", "1"]),
    ("residue bench claims", &["--samples", "1"]),
    ("residue bench --thesis", &["--samples", "2", "--with-counter"]),
    ("residue bench", &["--samples", "2"]),
    ("residue guard simulate", &["--segments", "100"]),
];

/// What commands that take long say, which no other test runs.
const SAYS: [(&str, &[&str]); 3] = [
    ("residue strength claims", &["2147483615", "conditional"]),
    (
        "residue bench --thesis",
        &["(included)", "Table 6.3", "Table A.2", "The thesis's conclusion"],
    ),
    (
        "residue bench claims",
        &[
            "Sahu 2019",
            "Pino García 2018",
            "Intel 2006",
            "Sklower 1989",
            "does not hold",
            "published",
        ],
    ),
];

/// The files of the report beside its pages' figures.
const FILES: [&str; 7] = [
    "index.html",
    "article.html",
    "intel.html",
    "sklower.html",
    "fidelity.html",
    "report.pdf",
    "claims.json",
];

/// Returns the words of the first line of a list whose beginning the command has; none without one.
fn of(list: &[(&str, &'static [&'static str])], command: &str) -> &'static [&'static str] {
    list.iter().find(|(start, _)| command.starts_with(start)).map_or(&[], |(_, words)| words)
}

/// Runs a command of the program, shortened, at the root of the repository; returns its output.
fn run(command: &str, report: &Path) -> String {
    let words = command.split(' ').skip(1);
    let words =
        words.map(|word| if word == "DIR" { report.to_str().expect("UTF-8") } else { word });
    // `residue conform` starts the program by its name.
    let ran = residue(words.chain(of(&SHORT, command).iter().copied()))
        .within(&root())
        .with("PATH", &search_path())
        .run();
    // A bad capture gives 1, and so does a host on which the guard cannot run.
    let may_fail = command.contains(".bad.") || command.starts_with("residue guard check");
    assert!(ran.code == 0 || may_fail && ran.code == 1, "{command}: {ran:?}");
    assert!(!ran.out.is_empty(), "{command}");
    String::from_utf8(ran.out).expect("text")
}

/// Returns whether a test with this name is in the sources of a crate.
fn is_test(folder: &Path, name: &str) -> bool {
    let files = walkdir::WalkDir::new(folder).into_iter().flatten();
    let mut sources = files.filter(|file| file.path().extension().is_some_and(|e| e == "rs"));
    sources.any(|file| {
        let text = std::fs::read_to_string(file.path()).unwrap_or_default();
        text.contains(&format!("fn {name}("))
    })
}

/// Returns whether the report's page on a point's document has a figure or table.
fn is_made(point: &Point, part: &str, report: &Path) -> bool {
    let page = match point.document.as_str() {
        "Pino García 2018" => "article.html",
        "Intel 2006" => "intel.html",
        "Sklower 1989" => "sklower.html",
        _ => "index.html",
    };
    let page = std::fs::read_to_string(report.join(page)).expect("a page");
    match part.strip_prefix("table ") {
        Some(name) => page.contains(&format!("id=\"table-{name}\"")),
        // No longer number.
        None => page.match_indices(part).any(|(at, _)| {
            let next = page[at + part.len()..].chars().next();
            next.is_none_or(|next| !next.is_ascii_digit() && next != '.')
        }),
    }
}

#[test]
#[ignore = "long"]
fn every_command_runs_and_the_report_has_every_figure_and_table() {
    let (points, dir) = (points(), crate::common::folder());
    let report = dir.path().join("report");
    let commands: BTreeSet<&str> = points.iter().map(|point| &*point.command).collect();
    for command in commands {
        match command.split(' ').collect::<Vec<_>>()[..] {
            ["residue", ..] => {
                let text = run(command, &report);
                for word in of(&SAYS, command) {
                    assert!(text.contains(word), "{command}: {word}:\n{text}");
                }
            }
            ["cargo", "test", "-p", name, test] => {
                assert!(is_test(&root().join("crates").join(name), test), "{command}");
            }
            ["cargo", "xtask", name] => {
                let list = std::fs::read_to_string(root().join("xtask/src/main.rs"));
                assert!(list.expect("a file").contains(&format!("[\"{name}\"]")), "{command}");
            }
            [""] => {}
            _ => panic!("an unknown command: {command}"),
        }
    }
    for file in FILES {
        assert!(report.join(file).is_file(), "{file}");
    }
    let claims = residue(["bench", "claims", "--samples", "1", "--json"]).run().json();
    let claims = claims["claims"].as_array().expect("a list");
    assert!(claims.len() >= 45 && claims.iter().all(|claim| claim["verdict"].is_string()));
    for point in &points {
        for part in point.places_here() {
            if ["Figure ", "Table ", "table "].iter().any(|start| part.starts_with(start)) {
                assert!(is_made(point, part, &report), "{part} of {point:?}");
            }
        }
    }
}

#[test]
#[ignore = "long"]
fn instructions_are_counted() {
    if !cfg!(target_arch = "x86_64") {
        return residue_testing::skip("instructions are counted for x86-64 only");
    }
    if !residue_testing::installed("objdump") {
        return;
    }
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "--package", "xtask", "--", "instructions"]);
    let output = command.current_dir(root()).output().expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let line = |kernel: &str| text.lines().find(|line| line.trim_start().starts_with(kernel));
    let count = |kernel: &str| -> Option<f64> {
        line(kernel)?.split(' ').find_map(|word| word.parse().ok())
    };
    let both = count("bytewise:").zip(count("slicing8:"));
    // The white paper's are 35 and 13, of another instruction set.
    assert!(both.is_some_and(|(one, eight)| one > eight && eight > 8.0), "{output:?}");
}

#[test]
fn statements_about_strength_stand_there_with_their_verdict() {
    let json = residue(["strength", "claims", "--json"]).run().json();
    let judged = json.as_array().expect("a list");
    let points = points();
    let own = |point: &&Point| {
        point.command == "residue strength claims" && !point.document.contains("abstract")
    };
    let lines: Vec<&Point> = points.iter().filter(own).collect();
    assert_eq!(lines.len(), judged.len());
    for point in lines {
        let found = judged.iter().find(|claim| claim["statement"] == *point.point);
        let verdict = found.map(|claim| claim["verdict"].as_str().expect("a verdict"));
        let state = match verdict {
            Some("holds") => "reproduced",
            Some("conditional") => "differs because it is right under a condition",
            Some("does-not-hold") => "differs because it is wrong",
            Some("not-here") => "needs ",
            _ => panic!("not judged: {point:?}"),
        };
        assert!(point.state.starts_with(state), "{point:?}");
    }
}
