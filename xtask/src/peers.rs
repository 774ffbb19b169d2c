//! `cargo xtask peers`: the tests of other libraries, run against `residue` through the faces in
//! `compat/`.

mod python;
mod results;
mod source;
mod users;

use crate::outcome::{Problem, code, is_good};
use crate::shell::{absolute, cargo, copied_tree, done, emptied, output, read, target, written};
use results::{Row, ran};
use source::Source;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A crate whose tests are run, and what of them is not.
struct Peer {
    name: &'static str,
    version: &'static str,
    /// Files of the sources, or functions in them, that test private functions, and the reason.
    private: &'static [(&'static str, &'static str)],
    /// Prepares the face for the tests, from the sources.
    prepare: fn(&Path, &Path) -> Result<(), String>,
}

const PEERS: [Peer; 6] = [
    Peer { name: "adler2", version: "2.0.1", private: &[], prepare: as_it_is },
    Peer { name: "crc", version: "3.4.0", private: &[], prepare: as_it_is },
    Peer {
        name: "crc-fast",
        version: "1.10.0",
        private: &[
            ("algorithm.rs", "its kernels and what they need"),
            ("arch/mod.rs", "its kernels and what they need"),
            ("arch/software.rs", "its kernels and what they need"),
            ("bin/checksum.rs", "its command"),
            ("cache.rs", "its folding constants"),
            ("crc32/fusion/aarch64/mod.rs", "its kernels and what they need"),
            ("crc32/fusion/x86/mod.rs", "its kernels and what they need"),
            ("feature_detection.rs", "its kernels and what they need"),
            ("generate.rs", "its folding constants"),
            ("test/future_proof_tests.rs", "its folding constants"),
            ("test_crc_keys_storage_fold_256", "its folding constants"),
            ("test_crc_keys_storage_future_test", "its folding constants"),
            ("test_crc_params_safe_accessors", "its folding constants"),
            ("test_crc_keys_storage_const_constructors", "its folding constants"),
            ("test_crc_keys_storage_bounds_safety", "its folding constants"),
            ("test_ffi_header", "its C header"),
            (
                "test_checksum_file_with_custom_params",
                "expects of a file of zeros the CRC of `123456789`, and is skipped in its own \
                 sources",
            ),
            ("../tests/checksum_integration_tests.rs", "its command"),
        ],
        prepare: source::for_crc_fast,
    },
    Peer { name: "crc32c", version: "0.6.9", private: &[], prepare: as_it_is },
    Peer {
        name: "crc32fast",
        version: "1.5.5",
        private: &[
            ("baseline.rs", "the portable kernel"),
            ("specialized/pclmulqdq.rs", "the kernel for PCLMULQDQ"),
            ("specialized/aarch64.rs", "the kernel for aarch64"),
        ],
        prepare: as_it_is,
    },
    Peer {
        name: "internet-checksum",
        version: "0.2.1",
        private: &[("test_add_bytes_small_prop_test", "compares two private functions")],
        prepare: as_it_is,
    },
];

fn as_it_is(_: &Path, _: &Path) -> Result<(), String> {
    Ok(())
}

/// Runs `cargo xtask peers`.
pub fn run() -> ExitCode {
    let skipped = |why| is_good("the tests of other crates", Err(Problem::Skipped(why)));
    code(tests().unwrap_or_else(skipped))
}

/// Runs all tests and prints the table; returns whether all passed.
fn tests() -> Result<bool, String> {
    let place = emptied(&target()?.join("peers"))?;
    let sources = fetched(&place)?;
    let faces = place.join("compat");
    copied_tree(Path::new("compat"), &faces)?;
    let library = absolute("crates/residue")?;
    let manifest = faces.join("Cargo.toml");
    let text = read(&manifest)?.replace("\"../crates/residue\"", &format!("{library:?}"));
    written(&manifest, text)?;
    let mut rows = Vec::new();
    for (peer, source) in PEERS.iter().zip(&sources) {
        rows.push(peer_tested(peer, source, &faces.join(peer.name))?);
    }
    for (user, source) in users::USERS.iter().zip(&sources[PEERS.len()..]) {
        rows.push(user.tested(source, &place, &faces)?);
    }
    let mut good = true;
    match python::tests(&place) {
        Ok(python) => rows.extend(python),
        Err(why) => {
            good = is_good("the tests of Python packages", Err(Problem::Skipped(why)));
        }
    }
    println!("| package | passed | failed | not run, or remarks |\n|---|---|---|---|");
    for Row { name, passed, failed, remarks } in &rows {
        println!("| {name} | {passed} | {failed} | {remarks} |");
    }
    Ok(good && rows.iter().all(|row| row.passed > 0 && row.failed == 0))
}

/// Runs the tests of a crate on its face.
fn peer_tested(peer: &Peer, source: &Path, face: &Path) -> Result<Row, String> {
    let taken = Source::of(&source.join("src"), peer.private)?;
    let library = face.join("src/lib.rs");
    written(&library, read(&library)? + &taken.modules)?;
    taken.files(&source.join("tests"), &face.join("tests"))?;
    (peer.prepare)(source, face)?;
    let ran = ran(&["test", "--lib", "--tests"], face)?;
    ran.show_failures();
    Ok(Row {
        name: format!("{} {}", peer.name, peer.version),
        passed: ran.passed,
        failed: ran.failed.len() as u64,
        remarks: taken.remarks(),
    })
}

/// Fetches the sources from the registry; returns the folder of each peer, and of each user.
fn fetched(place: &Path) -> Result<Vec<PathBuf>, String> {
    let folder = emptied(&place.join("fetch"))?;
    let peers = PEERS.iter().map(|peer| (peer.name, peer.version));
    let wanted: Vec<(&str, &str)> =
        peers.chain(users::USERS.iter().map(|user| (user.name, user.version))).collect();
    let needs: String =
        wanted.iter().map(|(name, version)| format!("{name} = \"={version}\"\n")).collect();
    let manifest = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
         [lib]\npath = \"lib.rs\"\n[workspace]\n[dependencies]\n{needs}"
    );
    written(&folder.join("Cargo.toml"), manifest)?;
    written(&folder.join("lib.rs"), "")?;
    let mut fetch = cargo();
    done(fetch.args(["fetch", "--quiet"]).current_dir(&folder))?;
    let mut metadata = cargo();
    metadata.args(["metadata", "--format-version=1", "--offline"]).current_dir(&folder);
    let text = output(&mut metadata)?;
    let found = |(name, version): &(&str, &str)| {
        let end = format!("/{name}-{version}/Cargo.toml\"");
        let before = &text[..text.find(&end)?];
        let start = before.rfind('"')? + 1;
        Some(PathBuf::from(format!("{}/{name}-{version}", &before[start..])))
    };
    let missing = |(name, version)| format!("{name} {version} was not fetched");
    wanted.iter().map(|wanted| found(wanted).ok_or_else(|| missing(*wanted))).collect()
}
