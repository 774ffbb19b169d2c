//! `cargo xtask package`: everything that is published, made in one folder, and each package tested
//! where nothing else of the project is.
//!
//! The packages are made by their own tools: cargo, debhelper, maturin, npm and tar; what is here
//! calls them and tests the result as a user would, which none of them does. Bills of materials are
//! written here, because `cargo-cyclonedx` reads the graph of the workspace, in which each crate
//! has the features that all members want together, and so lists crates that a package lacks.
//! Python is built for musl here, because Debian has none, and a wheel that no Python has loaded is
//! not tested.

mod crates;
mod debian;
mod materials;
mod musl;
mod npm;
mod program;
mod promises;
mod provenance;
mod repeatable;
mod wheels;

use crate::outcome::{Outcome, Problem, code, ended, is_good};
use crate::shell::{done, emptied, entries, output, target, written};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

pub const HELP: &str = "\
Make the packages in target/packages, and test each where nothing else of the project is.

  cargo xtask package [--baseline REV] [--builder URI] [--again] [PART ...]

  crates    The crates as the registry gets them; each is built from its package alone. The
            library's interface is compared with that of the last release, or of the git revision
            REV, by cargo-semver-checks; cargo-deny checks the dependencies by deny.toml
  program   The program as one static file for x86-64 Linux, with man pages and completions
  debian    Debian packages of the program, of the C library and of the kernel module
  wheels    Python wheels for glibc and musl on x86-64 and aarch64, and a source distribution
  npm       The JavaScript package

With --builder, also writes where the packages come from (SLSA 1.0, as a statement of in-toto): who
builds, by an URI, from which commit, and the SHA-256 of each file. With --again, makes the packages
a second time, from a clone of the last commit in another folder, and compares the bytes.

Without PART, makes all. Beside each package that contains compiled code is its bill of materials,
PACKAGE.cdx.json (CycloneDX 1.5). A file CHECK-VALUES lists the CRC-32C of each file; verify it by
`residue sum --check CHECK-VALUES`. SHA256SUMS lists the SHA-256, to be signed. Needs Rust and
Python; on Debian, root installs the rest.";

/// Names of the lists of check values, against accidents, and of digests, against everybody.
const LIST: &str = "CHECK-VALUES";
const DIGESTS: &str = "SHA256SUMS";

/// One kind of package: makes it in a folder, tests it there, and returns what could not be tested
/// here, and why.
struct Part {
    name: &'static str,
    make: fn(&Path) -> Result<Vec<String>, String>,
}

const PARTS: [Part; 5] = [
    Part { name: "crates", make: crates::make },
    Part { name: "program", make: program::make },
    Part { name: "debian", make: debian::make },
    Part { name: "wheels", make: wheels::make },
    Part { name: "npm", make: npm::make },
];

/// Runs `cargo xtask package`.
pub fn run(words: &[&str]) -> ExitCode {
    if words.iter().any(|word| ["help", "--help", "-h"].contains(word)) {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let order = match order(words) {
        Ok(order) => order,
        Err(why) => {
            eprintln!("xtask: package: {why}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    if order.builder.is_some()
        && let Err(why) = repeatable::committed()
    {
        return ended(Err(format!("--builder: {why}")));
    }
    if !repeatable::is_set() {
        return ended(repeatable::run(words));
    }
    let made = is_good("packages", packages(&order));
    if !made || !order.again {
        return code(made);
    }
    let first: Vec<&str> = words.iter().copied().filter(|word| *word != "--again").collect();
    let again = repeatable::again(&first, &[&order.parts[..], &[provenance::FILE]].concat());
    code(is_good("made again, the same bytes", again))
}

/// What to make, and how.
struct Order<'a> {
    /// The revision with whose interface the library's is compared.
    baseline: Option<&'a str>,
    builder: Option<&'a str>,
    again: bool,
    parts: Vec<&'a str>,
}

/// Reads the command's words.
fn order<'a>(words: &[&'a str]) -> Result<Order<'a>, String> {
    let mut order = Order { baseline: None, builder: None, again: false, parts: Vec::new() };
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word {
            "--baseline" => order.baseline = Some(value()?),
            "--builder" => order.builder = Some(value()?),
            "--again" => order.again = true,
            part if PARTS.iter().any(|known| known.name == part) => order.parts.push(part),
            other => return Err(format!("unknown part `{other}`")),
        }
    }
    if order.parts.is_empty() {
        order.parts = PARTS.iter().map(|part| part.name).collect();
    }
    match order.builder {
        Some(builder) if !builder.contains(':') => {
            Err(format!("--builder: `{builder}` is no URI, such as https://example.org/ci"))
        }
        _ => Ok(order),
    }
}

fn packages(order: &Order<'_>) -> Outcome {
    let folder = target()?.join("packages");
    let mut good = true;
    for part in PARTS.iter().filter(|part| order.parts.contains(&part.name)) {
        let place = emptied(&folder.join(part.name))?;
        good &= settled(part.name, (part.make)(&place));
    }
    if order.parts.contains(&"crates") {
        good &= settled("interface and dependencies", promises::checked(order.baseline));
    }
    let places: Vec<PathBuf> = PARTS.iter().map(|part| folder.join(part.name)).collect();
    good &= settled("bills of materials", materials::validated(&places));
    good &= settled("lists", list(&folder, order));
    if good { Ok(()) } else { Err(Problem::Bad("not all are good".to_string())) }
}

/// Prints how a step ended, and what it skipped; returns whether that is good.
fn settled(name: &str, result: Result<Vec<String>, String>) -> bool {
    let skipped = result.as_ref().map_or(Vec::new(), Vec::clone).into_iter();
    let good = is_good(name, result.map(drop).map_err(Problem::Bad));
    skipped.fold(good, |good, why| is_good(name, Err(Problem::Skipped(why))) && good)
}

/// Writes the lists of check values, by the program itself, and of digests, by coreutils, and
/// verifies both; and where the packages come from, if a builder is named.
fn list(folder: &Path, order: &Order<'_>) -> Result<Vec<String>, String> {
    let program = program::built()?;
    let mut files = Vec::new();
    for part in &PARTS {
        let place = folder.join(part.name);
        if place.is_dir() {
            files.extend(entries(&place)?.into_iter().filter(|path| path.is_file()));
        }
    }
    let mut names: Vec<_> =
        files.iter().filter_map(|path| path.strip_prefix(folder).ok()).collect();
    let digests = |names: &[&Path]| {
        output(Command::new("sha256sum").arg("--").args(names).current_dir(folder))
    };
    let _ = std::fs::remove_file(folder.join(provenance::FILE));
    let mut skipped = Vec::new();
    if let Some(builder) = order.builder {
        // Of other parts, which lie there from an earlier time, the commit is not known.
        let is_of = |name: &&Path| order.parts.iter().any(|part| name.starts_with(part));
        let made: Vec<&Path> = names.iter().copied().filter(is_of).collect();
        skipped = provenance::write(folder, builder, &order.parts, &digests(&made)?)?;
        names.push(Path::new(provenance::FILE));
    }
    let mut sum = Command::new(&program);
    sum.args(["sum", "--code", "crc-32c"]).args(&names).current_dir(folder);
    let text = output(&mut sum)?;
    print!("{text}");
    written(&folder.join(LIST), text)?;
    done(Command::new(&program).args(["sum", "--check", LIST]).current_dir(folder))?;
    written(&folder.join(DIGESTS), digests(&names)?)?;
    done(Command::new("sha256sum").args(["--check", "--quiet", DIGESTS]).current_dir(folder))?;
    Ok(skipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_in_any_order() {
        let read = order(&["npm", "--builder", "urn:x", "--again", "crates"]).unwrap();
        assert_eq!((read.parts, read.again), (vec!["npm", "crates"], true));
        assert_eq!((read.builder, read.baseline), (Some("urn:x"), None));
        assert_eq!(order(&[]).unwrap().parts.len(), PARTS.len());
        for (words, why) in [
            (&["--builder"][..], "--builder needs a value"),
            (&["--builder", "me"], "is no URI"),
            (&["npms"], "unknown part `npms`"),
        ] {
            assert!(order(words).err().unwrap().contains(why), "{words:?}");
        }
    }
}
