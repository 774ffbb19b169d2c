//! Libraries that use `crc32fast`: their tests, with ours in its place.

use super::results::{Ran, Row, ran};
use super::source::files;
use crate::shell::{copied_tree, created, read, written};
use std::path::Path;

/// A library, and the arguments of its tests.
pub struct User {
    pub name: &'static str,
    pub version: &'static str,
    words: &'static [&'static str],
}

pub const USERS: [User; 3] = [
    User { name: "flate2", version: "1.1.11", words: &["test", "--lib", "--tests"] },
    User { name: "png", version: "0.18.1", words: &["test", "--lib"] },
    User { name: "zip", version: "9.8.1", words: &["test", "--lib"] },
];

impl User {
    /// Runs the tests twice, with `crc32fast` and with ours. A test that fails with both is not
    /// counted: packages of the registry may lack files that their tests read.
    pub fn tested(&self, source: &Path, place: &Path, faces: &Path) -> Result<Row, String> {
        let folder = place.join(self.name);
        copied_tree(source, &folder)?;
        included(&folder.join("src"))?;
        let _ = std::fs::remove_file(folder.join("Cargo.lock"));
        let manifest = folder.join("Cargo.toml");
        let text = read(&manifest)? + "\n[workspace]\n";
        written(&manifest, &text)?;
        let original = ran(self.words, &folder)?;
        let face = faces.join("crc32fast");
        let patch = format!("\n[patch.crates-io]\ncrc32fast = {{ path = {face:?} }}\n");
        written(&manifest, text + &patch)?;
        Ok(self.compared(&original, &ran(self.words, &folder)?))
    }

    fn compared(&self, original: &Ran, ours: &Ran) -> Row {
        let is_new = |name: &&String| !original.failed.contains(name);
        let failed = ours.failed.iter().filter(is_new).count();
        if failed > 0 || ours.passed == 0 {
            print!("{}", ours.output);
        }
        let both = ours.failed.len() - failed;
        let mut remarks = "with our `crc32fast`".to_string();
        if both > 0 {
            remarks +=
                &format!("; {both} fail with the original too: the package lacks their files");
        }
        let name = format!("{} {}", self.name, self.version);
        Row { name, passed: ours.passed, failed: failed as u64, remarks }
    }
}

/// Creates the files that sources include and the package lacks, empty, so that they compile.
fn included(folder: &Path) -> Result<(), String> {
    for path in files(folder)? {
        let text = read(&path)?;
        for rest in text.split("include_bytes!(").skip(1) {
            let Some(name) = rest.split('"').nth(1) else { continue };
            let file = path.parent().unwrap_or(folder).join(name);
            if !file.exists() {
                created(file.parent().unwrap_or(folder))?;
                written(&file, "")?;
            }
        }
    }
    Ok(())
}
