//! `cargo xtask peers`: the tests of other crates, run against `residue` through the faces in
//! `compat/`.

mod source;

use crate::cargo;
use crate::shell::{copied_tree, done, emptied, target, written};
use source::Source;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A crate whose tests are run, and what of them is not.
struct Peer {
    name: &'static str,
    version: &'static str,
    /// Files of the sources, or functions in them, that test private functions, and the reason.
    private: &'static [(&'static str, &'static str)],
}

const PEERS: [Peer; 5] = [
    Peer { name: "adler2", version: "2.0.1", private: &[] },
    Peer { name: "crc", version: "3.4.0", private: &[] },
    Peer { name: "crc32c", version: "0.6.9", private: &[] },
    Peer {
        name: "crc32fast",
        version: "1.5.5",
        private: &[
            ("baseline.rs", "the portable kernel"),
            ("specialized/pclmulqdq.rs", "the kernel for PCLMULQDQ"),
            ("specialized/aarch64.rs", "the kernel for aarch64"),
        ],
    },
    Peer {
        name: "internet-checksum",
        version: "0.2.1",
        private: &[("test_add_bytes_small_prop_test", "compares two private functions")],
    },
];

/// A library that uses `crc32fast`, for its tests with ours in its place.
const USER: (&str, &str) = ("flate2", "1.1.11");

/// Runs `cargo xtask peers`.
pub fn run() -> ExitCode {
    match tests() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            println!("skipped: the tests of other crates: {why}");
            if crate::require_all() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
        }
    }
}

/// Runs all tests and prints the table; returns whether all passed.
fn tests() -> Result<bool, String> {
    let place = emptied(&target()?.join("peers"))?;
    let sources = fetched(&place)?;
    let faces = place.join("compat");
    copied_tree(Path::new("compat"), &faces)?;
    let library = std::path::absolute("crates/residue").map_err(|error| error.to_string())?;
    let manifest = faces.join("Cargo.toml");
    let text = read(&manifest)?.replace("\"../crates/residue\"", &format!("{library:?}"));
    written(&manifest, text.as_bytes())?;
    let mut rows = Vec::new();
    for (peer, source) in PEERS.iter().zip(&sources) {
        let mut taken = Source::of(&source.join("src"), peer.private)?;
        let face = faces.join(peer.name);
        let library = face.join("src/lib.rs");
        written(&library, (read(&library)? + &taken.modules).as_bytes())?;
        taken.files(&source.join("tests"), &face.join("tests"))?;
        let counts = counted(&["test", "--lib", "--tests", "-p", peer.name], &faces, &target()?)?;
        rows.push((format!("{} {}", peer.name, peer.version), counts, taken.left.join("; ")));
    }
    let user = place.join(USER.0);
    copied_tree(&sources[PEERS.len()], &user)?;
    let manifest = user.join("Cargo.toml");
    let patch = format!(
        "\n[workspace]\n\n[patch.crates-io]\ncrc32fast = {{ path = {:?} }}\n",
        faces.join("crc32fast")
    );
    written(&manifest, (read(&manifest)? + &patch).as_bytes())?;
    let _ = std::fs::remove_file(user.join("Cargo.lock"));
    let counts = counted(&["test", "--lib", "--tests"], &user, &target()?)?;
    rows.push((format!("{} {}", USER.0, USER.1), counts, "with our `crc32fast`".into()));
    println!("| crate | passed | failed | not run, or remarks |\n|---|---|---|---|");
    for (name, (passed, failed), remarks) in &rows {
        println!("| {name} | {passed} | {failed} | {remarks} |");
    }
    Ok(rows.iter().all(|(_, (passed, failed), _)| *passed > 0 && *failed == 0))
}

/// Fetches the sources from the registry; returns the folder of each peer, and of [`USER`].
fn fetched(place: &Path) -> Result<Vec<PathBuf>, String> {
    let folder = emptied(&place.join("fetch"))?;
    let wanted: Vec<(&str, &str)> =
        PEERS.iter().map(|peer| (peer.name, peer.version)).chain([USER]).collect();
    let needs: String =
        wanted.iter().map(|(name, version)| format!("{name} = \"={version}\"\n")).collect();
    let manifest = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
         [lib]\npath = \"lib.rs\"\n[workspace]\n[dependencies]\n{needs}"
    );
    written(&folder.join("Cargo.toml"), manifest.as_bytes())?;
    written(&folder.join("lib.rs"), b"")?;
    let mut fetch = cargo();
    done(fetch.args(["fetch", "--quiet"]).current_dir(&folder))?;
    let mut metadata = cargo();
    metadata.args(["metadata", "--format-version=1", "--offline"]).current_dir(&folder);
    let output = metadata.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let found = |(name, version): &(&str, &str)| {
        let end = format!("/{name}-{version}/Cargo.toml\"");
        let before = &text[..text.find(&end)?];
        let start = before.rfind('"')? + 1;
        Some(PathBuf::from(format!("{}/{name}-{version}", &before[start..])))
    };
    let missing = |(name, version)| format!("{name} {version} was not fetched");
    wanted.iter().map(|wanted| found(wanted).ok_or_else(|| missing(*wanted))).collect()
}

/// Runs tests; returns how many passed and failed.
fn counted(words: &[&str], folder: &Path, target: &Path) -> Result<(u64, u64), String> {
    let mut test = cargo();
    test.args(words).arg("--no-fail-fast").current_dir(folder);
    test.env("CARGO_TARGET_DIR", target.join("peers/target"));
    let output = test.output().map_err(|error| error.to_string())?;
    let mut counts = crate::test::Counts::default();
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().for_each(|line| crate::test::count(line, &mut counts));
    if !output.status.success() {
        print!("{text}{}", String::from_utf8_lossy(&output.stderr));
        counts.failed = counts.failed.max(1);
    }
    Ok((counts.passed, counts.failed))
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
