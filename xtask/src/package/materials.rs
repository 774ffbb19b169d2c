//! Bills of materials: which crates are inside a package, and which made it, in CycloneDX 1.5.
//!
//! `cargo tree` selects the features of one crate for one target, as its build does. A graph of the
//! whole workspace would unite the features of all members, and so list crates that are not there.

use crate::python::Tools;
use crate::shell::{cargo, done, entries, output, read, written};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The end of the name of a bill of materials, after the package's.
const END: &str = ".cdx.json";

/// Validates files by the schema of CycloneDX, without additions to it.
const VALIDATE: &str = "\
import pathlib, sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
validator = JsonStrictValidator(SchemaVersion.V1_5)
for name in sys.argv[1:]:
    error = validator.validate_str(pathlib.Path(name).read_text())
    if error is not None:
        sys.exit(f'{name}: {error}')
";

/// A crate that is compiled for a package.
#[derive(Debug, Default, PartialEq, Eq)]
struct Material {
    /// Whether the package contains its code; else it is a build dependency or a procedural macro,
    /// or one of theirs.
    inside: bool,
    licence: String,
    repository: String,
    /// The crates that it needs.
    needs: BTreeSet<Id>,
}

/// The name and the version of a crate.
type Id = (String, String);

/// The crates of a package, and the one that it is built from.
struct Materials {
    root: Id,
    all: BTreeMap<Id, Material>,
}

impl Materials {
    /// Returns what cargo compiles into `name` for a target.
    fn of(name: &str, target: &str) -> Result<Materials, String> {
        let tree = |edges: &str| {
            let mut tree = cargo();
            tree.args(["tree", "--locked", "--prefix", "depth", "--format", "{p}|{l}|{r}"]);
            output(tree.args(["--package", name, "--target", target, "--edges", edges]))
        };
        Materials::read(&tree("normal,build")?, &tree("normal,no-proc-macro")?)
            .ok_or_else(|| format!("`cargo tree --package {name}` printed something unexpected"))
    }

    /// Reads two trees: of everything that is compiled, and of the crates inside the package.
    fn read(compiled: &str, inside: &str) -> Option<Materials> {
        let inside: BTreeSet<Id> =
            inside.lines().map(|line| node(line).map(|node| node.id)).collect::<Option<_>>()?;
        let mut all: BTreeMap<Id, Material> = BTreeMap::new();
        let mut path: Vec<Id> = Vec::new();
        for line in compiled.lines() {
            let Node { depth, id, licence, repository } = node(line)?;
            path.truncate(depth);
            if let Some(parent) = path.last() {
                all.get_mut(parent)?.needs.insert(id.clone());
            }
            let material = all.entry(id.clone()).or_default();
            material.inside = inside.contains(&id);
            // Cargo once separated alternatives by a slash.
            material.licence = licence.replace('/', " OR ");
            material.repository = repository.to_string();
            path.push(id);
        }
        Some(Materials { root: path.into_iter().next()?, all })
    }

    /// Returns the bill of materials of a package, with the checksums of a Cargo.lock.
    fn bill(&self, package: &str, target: &str, lock: &str) -> Value {
        let hashes = checksums(lock);
        let component = |(id, material): (&Id, &Material)| {
            let mut component = json!({
                "type": "library",
                "bom-ref": purl(id),
                "name": id.0,
                "version": id.1,
                "scope": if material.inside { "required" } else { "excluded" },
                "purl": purl(id),
            });
            if !material.licence.is_empty() {
                component["licenses"] = json!([{ "expression": material.licence }]);
            }
            if let Some(hash) = hashes.get(id) {
                component["hashes"] = json!([{ "alg": "SHA-256", "content": hash }]);
            }
            if !material.repository.is_empty() {
                let reference = json!({ "type": "vcs", "url": material.repository });
                component["externalReferences"] = json!([reference]);
            }
            component
        };
        let others = || self.all.iter().filter(|(id, _)| **id != self.root);
        let dependencies = |(id, material): (&Id, &Material)| {
            let needs: Vec<String> = material.needs.iter().map(purl).collect();
            json!({ "ref": purl(id), "dependsOn": needs })
        };
        let mut product = component((&self.root, &self.all[&self.root]));
        product["type"] = json!("application");
        product["properties"] = json!([
            { "name": "residue:package", "value": package },
            { "name": "residue:target", "value": target },
        ]);
        let rustc = output(Command::new("rustc").arg("--version")).unwrap_or_default();
        let rustc = rustc.split(' ').nth(1).unwrap_or_default().to_string();
        json!({
            "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "version": 1,
            "metadata": {
                "tools": { "components": [
                    { "type": "application", "name": "rustc", "version": rustc },
                ] },
                "component": product,
            },
            "components": others().map(component).collect::<Vec<_>>(),
            "dependencies": self.all.iter().map(dependencies).collect::<Vec<_>>(),
        })
    }
}

/// A line of `cargo tree`.
struct Node<'a> {
    depth: usize,
    id: Id,
    licence: &'a str,
    repository: &'a str,
}

/// Reads a line such as `2serde v1.0.0 (proc-macro)|MIT|https://... (*)`.
fn node(line: &str) -> Option<Node<'_>> {
    let name = line.find(|c: char| !c.is_ascii_digit())?;
    let mut fields = line[name..].trim_end_matches(" (*)").split('|');
    let mut words = fields.next()?.split(' ');
    let id = (words.next()?.to_string(), words.next()?.strip_prefix('v')?.to_string());
    let depth = line[..name].parse().ok()?;
    Some(Node { depth, id, licence: fields.next()?, repository: fields.next()? })
}

/// Returns the name of a crate that is unique among all package managers.
fn purl((name, version): &Id) -> String {
    // A version's build number begins with a plus, which is a space in addresses.
    format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"))
}

/// Returns the checksums of a Cargo.lock.
fn checksums(lock: &str) -> BTreeMap<Id, String> {
    let checksum = |package: &str| {
        let field = |name: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(name))?;
            Some(line.strip_prefix(" = ")?.trim_matches('"').to_string())
        };
        Some(((field("name")?, field("version")?), field("checksum")?))
    };
    lock.split("[[package]]").filter_map(checksum).collect()
}

/// Writes the bill of materials of a package beside it, and returns its path. `name` is the crate
/// that the package is built from.
pub fn beside(package: &Path, name: &str, target: &str) -> Result<PathBuf, String> {
    let file = crate::shell::name(package);
    let bill = Materials::of(name, target)?.bill(&file, target, &read("Cargo.lock")?);
    let text = serde_json::to_string_pretty(&bill).map_err(|error| error.to_string())?;
    let path = package.with_file_name(file + END);
    written(&path, text + "\n")?;
    Ok(path)
}

/// Compares the list of `name` with the crates that cargo says to have compiled for the target in a
/// build that `words` describe.
pub fn compare(name: &str, target: &str, words: &[&str]) -> Result<(), String> {
    let materials = Materials::of(name, target)?;
    let inside = materials.all.iter().filter(|(_, material)| material.inside);
    let listed: BTreeSet<Id> = inside.map(|(id, _)| id.clone()).collect();
    let built = compiled(&output(cargo().args(words).arg("--message-format=json"))?, target);
    match listed == built {
        true => Ok(()),
        false => Err(format!(
            "bill of materials of {name}: {:?} are listed or compiled, not both",
            listed.symmetric_difference(&built).collect::<Vec<_>>()
        )),
    }
}

/// Reads cargo's messages: the crates compiled for the target, without those for its build.
fn compiled(messages: &str, target: &str) -> BTreeSet<Id> {
    let folder = format!("/{target}/");
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let artefact = |message: Value| {
        let file = message["filenames"][0].as_str()?;
        let kind = message["target"]["kind"][0].as_str()?;
        if !file.contains(&folder) || kind == "custom-build" {
            return None;
        }
        // `registry+https://...#NAME@VERSION`, or `path+file:///.../NAME#VERSION`.
        let (place, id) = message["package_id"].as_str()?.rsplit_once('#')?;
        let (name, version) =
            id.split_once('@').or_else(|| Some((place.rsplit_once('/')?.1, id)))?;
        Some((name.to_string(), version.to_string()))
    };
    messages.filter_map(artefact).collect()
}

/// Validates all bills of materials in these folders; returns what could not be done, and why.
pub fn validated(folders: &[PathBuf]) -> Result<Vec<String>, String> {
    let mut bills = Vec::new();
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        let files = entries(folder)?;
        bills.extend(files.into_iter().filter(|path| path.to_string_lossy().ends_with(END)));
    }
    if bills.is_empty() {
        return Ok(Vec::new());
    }
    let tools = Tools::ready().and_then(|tools| {
        tools.also("cyclonedx-python-lib[json-validation]", "cyclonedx").map(|()| tools)
    });
    match tools {
        Err(why) => Ok(vec![format!("not validated: {why}")]),
        Ok(tools) => {
            done(tools.program("python").args(["-c", VALIDATE]).args(&bills))?;
            println!("{} bills of materials are valid by the schema", bills.len());
            Ok(Vec::new())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::host;

    fn id(name: &str, version: &str) -> Id {
        (name.to_string(), version.to_string())
    }

    /// A macro and a build dependency are not inside; what they share with the package is.
    #[test]
    fn trees_are_read() {
        let compiled = "\
0app v0.1.0 (/src/app)|MIT|
1data v2.0.0+3|MIT/Apache-2.0|https://example.org/data
2shared v1.0.0|Zlib|
1derive v1.2.0 (proc-macro)|MIT|
2shared v1.0.0|Zlib| (*)
1made v3.0.0|MIT|
";
        let inside = "0app v0.1.0 (/src/app)|MIT|\n1data v2.0.0+3|MIT/Apache-2.0|\n\
                      2shared v1.0.0|Zlib|\n";
        let lock = "version = 4\n\n[[package]]\nname = \"data\"\nversion = \"2.0.0+3\"\n\
                    checksum = \"abcd\"\n\n[[package]]\nname = \"app\"\nversion = \"0.1.0\"\n";
        let bill = Materials::read(compiled, inside).unwrap().bill("app.tar.gz", "x86_64", lock);
        assert_eq!(bill["metadata"]["component"]["name"], "app");
        let scopes = bill["components"].as_array().unwrap().iter();
        let scopes: Vec<_> = scopes
            .map(|it| (it["name"].as_str().unwrap(), it["scope"].as_str().unwrap()))
            .collect();
        let [inside, outside] = ["required", "excluded"];
        assert_eq!(
            scopes,
            [("data", inside), ("derive", outside), ("made", outside), ("shared", inside)]
        );
        let data = &bill["components"][0];
        assert_eq!(data["purl"], "pkg:cargo/data@2.0.0%2B3");
        assert_eq!(data["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(data["hashes"][0]["content"], "abcd");
        assert_eq!(data["externalReferences"][0]["url"], "https://example.org/data");
        assert!(bill["components"][3]["hashes"].is_null());
        let needs = bill["dependencies"].as_array().unwrap().iter();
        let needs: Vec<_> = needs.map(|it| it["dependsOn"].as_array().unwrap().len()).collect();
        assert_eq!(needs, [3, 1, 1, 0, 0]);
        assert!(Materials::read("app v0.1.0|MIT|\n", "").is_none());
    }

    #[test]
    fn messages_are_read() {
        let message = |id: &str, kind: &str, file: &str| {
            json!({
                "reason": "compiler-artifact", "package_id": id,
                "target": { "kind": [kind] }, "filenames": [file],
            })
        };
        let messages = [
            message(
                "registry+https://example.org#data@2.0.0",
                "lib",
                "/t/arm/release/libdata.rlib",
            ),
            message("registry+https://example.org#data@2.0.0", "custom-build", "/t/arm/build"),
            message("registry+https://example.org#tool@1.0.0", "lib", "/t/release/libtool.rlib"),
            message("path+file:///src/app#0.1.0", "bin", "/t/arm/release/app"),
            json!({ "reason": "build-finished", "success": true }),
        ];
        let text: String = messages.iter().map(|message| format!("{message}\n")).collect();
        let built = compiled(&text, "arm");
        assert_eq!(built, [id("app", "0.1.0"), id("data", "2.0.0")].into());
    }

    /// The C library contains the library alone, whatever other members of the workspace need.
    #[test]
    fn the_c_library_has_one_crate() {
        let materials = Materials::of("residue-c", &host().unwrap()).unwrap();
        let names: Vec<&str> = materials.all.keys().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["residue", "residue-c"]);
    }
}
