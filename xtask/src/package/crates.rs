//! The crates, as the registry gets them.

use crate::shell::{
    VERSION, cargo, copied, done, emptied, entries, name, only, outside, read, target, unpacked,
    written,
};
use std::path::{Path, PathBuf};

/// A user's program: the README's first example.
const PROGRAM: &str = "\
fn main() {
    assert_eq!(residue::crc32c(b\"123456789\"), 0xe306_9283);
    let code: residue::Code = \"crc-16/arc\".parse().expect(\"a code\");
    assert_eq!(code.value(b\"123456789\"), 0xbb3d);
}
";

/// Packs all crates and builds each from its package, as before publication; then builds a program
/// on the library's package.
pub fn make(folder: &Path) -> Result<Vec<String>, String> {
    done(cargo().args(["publish", "--workspace", "--dry-run", "--allow-dirty", "--quiet"]))?;
    let words = ["package", "--workspace", "--no-verify", "--allow-dirty", "--quiet"];
    done(cargo().args(words))?;
    for path in entries(Path::new("crates"))? {
        let package = format!("{}-{VERSION}.crate", name(&path));
        copied(&target()?.join("package").join(&package), &folder.join(&package))?;
    }
    let packages = entries(folder)?;
    println!("{} crates packed, and built from their packages", packages.len());
    for package in packages {
        outside("user", |place| complete(&package, place))?;
    }
    outside("user", |place| used(&folder.join(format!("residue-{VERSION}.crate")), place))?;
    Ok(Vec::new())
}

/// Unpacks a package; returns its folder, if it has all that the registry shows.
fn complete(package: &Path, place: &Path) -> Result<PathBuf, String> {
    unpacked(package, place)?;
    let folder = only(place)?;
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        if !folder.join(file).is_file() {
            return Err(format!("{file} is missing in {}", package.display()));
        }
    }
    match documented(&read(folder.join("Cargo.toml"))?) {
        true => Ok(folder),
        false => Err(format!("{} has no settings for docs.rs", package.display())),
    }
}

/// Returns whether docs.rs will document a crate with all its features.
fn documented(manifest: &str) -> bool {
    manifest.contains("[package.metadata.docs.rs]\nall-features = true\n")
}

/// Builds and runs a user's program on the library's package alone.
fn used(package: &Path, place: &Path) -> Result<(), String> {
    let library = complete(package, place)?;
    let user = emptied(&place.join("user"))?;
    emptied(&user.join("src"))?;
    let manifest = format!(
        "[package]\nname = \"user\"\nversion = \"1.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nresidue = {{ path = {library:?} }}\n\n[workspace]\n"
    );
    written(&user.join("Cargo.toml"), manifest)?;
    written(&user.join("src/main.rs"), PROGRAM)?;
    let mut run = cargo();
    run.args(["run", "--quiet"]).current_dir(&user).env("CARGO_TARGET_DIR", user.join("target"));
    done(&mut run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crate_has_settings_for_its_documentation() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
        let crates = entries(&root).expect("the crates");
        assert!(crates.len() > 5);
        for path in crates {
            let manifest = std::fs::read_to_string(path.join("Cargo.toml")).expect("a manifest");
            assert!(documented(&manifest), "{}", path.display());
        }
    }
}
