//! What the crates promise: their versions, and the rules for what they depend on.

use crate::debian::has;
use crate::shell::{cargo, done, output};
use std::process::Command;

/// Checks both; returns what could not be checked here, and why.
///
/// `baseline` is the git revision that the library is compared with; without one, the last release.
pub fn checked(baseline: Option<&str>) -> Result<Vec<String>, String> {
    let mut skipped = Vec::new();
    skipped.extend(versions(baseline)?);
    skipped.extend(dependencies()?);
    Ok(skipped)
}

/// Compares the library's interface with that of a release: a difference that may break a program
/// needs another version.
fn versions(baseline: Option<&str>) -> Result<Option<String>, String> {
    let Some(baseline) = baseline.map(str::to_string).or_else(release) else {
        return Ok(Some(
            "no release is tagged (v...), so there is no interface to compare with; --baseline REV \
             compares with another revision"
                .to_string(),
        ));
    };
    if !has("cargo-semver-checks") {
        return Ok(Some(missing("cargo-semver-checks")));
    }
    let words = ["semver-checks", "--package", "residue", "--baseline-rev"];
    done(cargo().args(words).arg(&baseline))?;
    println!("the library's interface is compatible with that of {baseline}");
    Ok(None)
}

/// Returns the tag of the last release.
fn release() -> Option<String> {
    let words = ["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"];
    Some(output(Command::new("git").args(words)).ok()?.trim().to_string())
}

/// Checks licences, sources and versions by deny.toml, and asks whether advisories are known.
fn dependencies() -> Result<Option<String>, String> {
    if !has("cargo-deny") {
        return Ok(Some(missing("cargo-deny")));
    }
    let deny = |words: &[&str]| done(cargo().arg("deny").args(words));
    deny(&["check", "licenses", "bans", "sources"])?;
    println!("licences, sources and versions of the dependencies are as deny.toml wants them");
    if deny(&["fetch", "db"]).is_err() {
        return Ok(Some("the database of advisories cannot be fetched".to_string()));
    }
    deny(&["check", "advisories"]).map(|()| None)
}

fn missing(tool: &str) -> String {
    format!("`{tool}` is not installed (cargo install --locked {tool})")
}
