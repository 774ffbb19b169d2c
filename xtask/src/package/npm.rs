//! The JavaScript package: the C library compiled to WebAssembly, and its face in `bindings/js`.

use super::materials;
use crate::debian::install;
use crate::shell::{
    VERSION, absolute, add_target, bytes, cargo, copied, done, emptied, outside, target, written,
};
use crate::web::VECTORS;
use base64::prelude::*;
use std::path::Path;
use std::process::Command;

const SOURCES: &str = "bindings/js";
const FILES: [&str; 7] = [
    "package.json",
    "index.js",
    "index.d.ts",
    "arguments.js",
    "library.js",
    "memory.js",
    "README.md",
];
const TESTS: [&str; 3] = ["package.test.mjs", "arguments.test.mjs", "vectors.mjs"];
const TARGET: &str = "wasm32-unknown-unknown";

/// Packs the package, installs it in an empty folder, and runs its tests there.
pub fn make(folder: &Path) -> Result<Vec<String>, String> {
    install(&[("node", "nodejs"), ("npm", "npm")])?;
    add_target(TARGET)?;
    let words = ["build", "--quiet", "--profile", "page", "-p", "residue-c", "--target", TARGET];
    let sources = emptied(&target()?.join("npm"))?;
    for (name, flags) in [("words.js", &[][..]), ("vectors.js", &["--config", VECTORS])] {
        done(cargo().args(words).args(flags))?;
        let wasm = bytes(&target()?.join(TARGET).join("page/residue_c.wasm"))?;
        let module = format!("export const wasm =\n  \"{}\";\n", BASE64_STANDARD.encode(wasm));
        written(&sources.join(name), module)?;
    }
    for file in FILES {
        copied(&Path::new(SOURCES).join(file), &sources.join(file))?;
    }
    for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
        copied(Path::new(file), &sources.join(file))?;
    }
    let mut pack = Command::new("npm");
    done(pack.args(["pack", "--silent", "--pack-destination"]).arg(folder).current_dir(&sources))?;
    let package = folder.join(format!("residue-codes-{VERSION}.tgz"));
    materials::beside(&package, "residue-c", TARGET)?;
    materials::compare("residue-c", TARGET, &words)?;
    outside("npm", |place| tested(&package, place))?;
    Ok(Vec::new())
}

fn tested(package: &Path, place: &Path) -> Result<(), String> {
    written(&place.join("package.json"), b"{\"type\": \"module\"}\n")?;
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--offline", "--no-audit", "--no-fund"]);
    done(install.arg(package).current_dir(place))?;
    for file in TESTS {
        copied(&Path::new(SOURCES).join("tests").join(file), &place.join(file))?;
    }
    let tests = || {
        let mut test = Command::new("node");
        test.args(["--test", "--test-reporter=spec"]).current_dir(place);
        done(test.env("RESIDUE_VECTORS", absolute("vectors")?))
    };
    tests()?;
    // As in an engine without vectors.
    let installed = place.join("node_modules/residue-codes");
    copied(&installed.join("words.js"), &installed.join("vectors.js"))?;
    tests()
}
