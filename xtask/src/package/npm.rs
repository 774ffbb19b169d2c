//! The JavaScript package: the C library compiled to WebAssembly, and its face in `bindings/js`.

use super::materials;
use crate::debian::install;
use crate::shell::{
    VERSION, absolute, add_target, bytes, cargo, copied, done, emptied, output, outside, target,
    written,
};
use crate::web::VECTORS;
use base64::prelude::*;
use std::path::Path;
use std::process::Command;

const SOURCES: &str = "bindings/js";
const FILES: [&str; 10] = [
    "package.json",
    "index.js",
    "index.d.ts",
    "start.js",
    "async.js",
    "functions.js",
    "arguments.js",
    "library.js",
    "memory.js",
    "README.md",
];
const TESTS: [&str; 5] = [
    "package.test.mjs",
    "arguments.test.mjs",
    "streams.test.mjs",
    "require.test.cjs",
    "vectors.mjs",
];
/// What users build with, from the registry.
const TOOLS: [&str; 3] = ["esbuild@0.25.12", "typescript@5.9.3", "@types/node@20"];
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
    // TypeScript has a name of its own for the types of what `require` returns.
    copied(&Path::new(SOURCES).join("index.d.ts"), &sources.join("index.d.cts"))?;
    for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
        copied(Path::new(file), &sources.join(file))?;
    }
    let mut pack = Command::new("npm");
    done(pack.args(["pack", "--silent", "--pack-destination"]).arg(folder).current_dir(&sources))?;
    let package = folder.join(format!("residue-codes-{VERSION}.tgz"));
    materials::beside(&package, "residue-c", TARGET)?;
    materials::compare("residue-c", TARGET, &words)?;
    outside("npm", |place| {
        tested(&package, place)?;
        taken(place)
    })
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

/// Bundles a program that uses the package into scripts that wait for nothing, and runs them; and
/// compiles programs against its types as TypeScript resolves packages. Returns what was not
/// tested.
fn taken(place: &Path) -> Result<Vec<String>, String> {
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--no-audit", "--no-fund"]).args(TOOLS);
    if let Err(why) = done(install.current_dir(place)) {
        return Ok(vec![format!("bundles and types of the npm package: {why}")]);
    }
    for file in ["bundled.js", "types.mts", "types.cts"] {
        copied(&Path::new(SOURCES).join("tests").join(file), &place.join(file))?;
    }
    let tool = |name: &str, words: &[&str]| {
        let path = place.join("node_modules/.bin").join(name);
        done(Command::new(path).args(words).current_dir(place))
    };
    for (format, platform) in [("iife", "browser"), ("cjs", "node"), ("esm", "browser")] {
        let to = format!("bundle-{format}.{}", if format == "esm" { "mjs" } else { "cjs" });
        let options = [format!("--format={format}"), format!("--platform={platform}")];
        let out = format!("--outfile={to}");
        let words = ["bundled.js", "--bundle", "--minify", &options[0], &options[1], &out];
        tool("esbuild", &words)?;
        let printed = output(Command::new("node").arg(&to).current_dir(place))?;
        if printed.trim() != "cbf43926" {
            return Err(format!("{to} printed {printed}"));
        }
    }
    let strict = ["--strict", "--noEmit", "--target", "es2022", "--types", "node"];
    for (file, ways) in [
        ("types.mts", &["node16", "nodenext"][..]),
        ("types.cts", &["node16", "nodenext"]),
        ("types.mts", &["bundler"]),
    ] {
        for &way in ways {
            let module = if way == "bundler" { "preserve" } else { way };
            let words = ["--module", module, "--moduleResolution", way, file];
            tool("tsc", &[&strict[..], &words].concat())?;
        }
    }
    Ok(Vec::new())
}
