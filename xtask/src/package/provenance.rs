//! Where packages come from: a statement of in-toto, with the provenance of SLSA 1.0.
//!
//! It says which builder made which files from which commit. Whoever builds writes it, so it is
//! level 1 of SLSA: it proves something only where its digest is signed.

use super::repeatable::revision;
use crate::python::Tools;
use crate::shell::{done, output, written};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// Name of the file.
pub const FILE: &str = "PROVENANCE.intoto.json";

/// How the build works: docs/packages.md.
const BUILD: &str = "urn:residue:cargo-xtask-package:1";

/// Reads the statement and its predicate by their definitions, without additions to them.
const VALIDATE: &str = "\
import json, pathlib, sys
from google.protobuf.json_format import Parse
from in_toto_attestation.predicates.provenance.v1 import provenance_pb2
from in_toto_attestation.v1 import statement, statement_pb2
text = pathlib.Path(sys.argv[1]).read_text()
statement.Statement.copy_from_pb(Parse(text, statement_pb2.Statement())).validate()
Parse(json.dumps(json.loads(text)['predicate']), provenance_pb2.Provenance())
";

/// Writes the provenance of the files in a list of `sha256sum`, made by the builder of this URI;
/// returns what could not be done, and why.
pub fn write(
    folder: &Path,
    builder: &str,
    parts: &[&str],
    digests: &str,
) -> Result<Vec<String>, String> {
    let lock = output(Command::new("sha256sum").arg("Cargo.lock"))?;
    let compiler = output(Command::new("rustc").arg("--version"))?;
    let statement = statement(builder, parts, digests, [&revision()?, &lock, compiler.trim()])
        .ok_or("sha256sum printed something unexpected")?;
    let file = folder.join(FILE);
    written(&file, format!("{statement:#}\n"))?;
    let tools = Tools::ready()
        .and_then(|tools| tools.also("in-toto-attestation", "in_toto_attestation").map(|()| tools));
    match tools {
        Err(why) => Ok(vec![format!("{FILE} is not validated: {why}")]),
        Ok(tools) => {
            done(tools.program("python").args(["-c", VALIDATE]).arg(file)).map(|()| Vec::new())
        }
    }
}

/// Returns the statement on the files of `digests`, from the revision, the digest of Cargo.lock and
/// the version of the compiler.
fn statement(
    builder: &str,
    parts: &[&str],
    digests: &str,
    [revision, lock, compiler]: [&str; 3],
) -> Option<Value> {
    let described = |line: &str| {
        let (digest, name) = line.split_once("  ")?;
        Some(json!({ "name": name, "digest": { "sha256": digest } }))
    };
    let subjects: Vec<Value> = digests.lines().map(described).collect::<Option<_>>()?;
    Some(json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD,
                "externalParameters": { "parts": parts, "revision": revision },
                "resolvedDependencies": [
                    { "name": "sources", "digest": { "gitCommit": revision } },
                    described(lock.trim())?,
                ],
            },
            "runDetails": { "builder": { "id": builder, "version": { "rustc": compiler } } },
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_a_subject() {
        let facts = ["c0ffee", "ab12  Cargo.lock\n", "rustc 1.91.0"];
        let digests = "0a  npm/one.tgz\n0b  wheels/two words.whl\n";
        let found = statement("https://example.org/ci", &["npm"], digests, facts).unwrap();
        let named = |index: usize| &found["subject"][index];
        assert_eq!(*named(0), json!({ "name": "npm/one.tgz", "digest": { "sha256": "0a" } }));
        assert_eq!(named(1)["name"], "wheels/two words.whl");
        let definition = &found["predicate"]["buildDefinition"];
        assert_eq!(definition["resolvedDependencies"][0]["digest"]["gitCommit"], "c0ffee");
        assert_eq!(definition["resolvedDependencies"][1]["digest"]["sha256"], "ab12");
        assert_eq!(statement("urn:x", &[], "no digest", facts), None);
    }
}
