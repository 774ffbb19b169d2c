//! The crates, as the registry gets them.

use super::VERSION;
use crate::cargo;
use crate::shell::{copied, done, emptied, only, target, written};
use std::path::Path;
use std::process::Command;

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
    let mut count = 0;
    for path in super::entries(Path::new("crates"))? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let package = format!("{name}-{VERSION}.crate");
        copied(&target()?.join("package").join(&package), &folder.join(&package))?;
        count += 1;
    }
    println!("{count} crates packed, and built from their packages");
    let place =
        emptied(&std::env::temp_dir().join(format!("residue-user-{}", std::process::id())))?;
    let result = used(&folder.join(format!("residue-{VERSION}.crate")), &place);
    let _ = std::fs::remove_dir_all(&place);
    result.map(|()| Vec::new())
}

/// Builds and runs a user's program on the library's package alone.
fn used(package: &Path, place: &Path) -> Result<(), String> {
    done(Command::new("tar").arg("-xzf").arg(package).arg("-C").arg(place))?;
    let library = only(place)?;
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        if !library.join(file).is_file() {
            return Err(format!("{file} is missing in {}", package.display()));
        }
    }
    let user = emptied(&place.join("user"))?;
    emptied(&user.join("src"))?;
    let manifest = format!(
        "[package]\nname = \"user\"\nversion = \"1.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nresidue = {{ path = {library:?} }}\n\n[workspace]\n"
    );
    written(&user.join("Cargo.toml"), manifest.as_bytes())?;
    written(&user.join("src/main.rs"), PROGRAM.as_bytes())?;
    let mut run = cargo();
    run.args(["run", "--quiet"]).current_dir(&user).env("CARGO_TARGET_DIR", user.join("target"));
    done(&mut run)
}
