//! The layers of the library: no file uses a layer above its own.

use residue_testing::imports;
use std::fs;
use std::path::Path;

/// Returns the layers, lowest first: the folders and files that each line of the list in
/// `ARCHITECTURE.md` names.
fn layers(architecture: &str) -> Vec<Vec<String>> {
    let list = architecture.split_once("<!-- layers -->\n```\n").expect("the list").1;
    let list = list.split_once("\n```").expect("its end").0;
    let names = |line: &str| {
        let names = line.split_once("  ").map_or(line, |(names, _)| names);
        names.split(' ').map(|name| name.trim_end_matches(['/', ',']).to_string()).collect()
    };
    list.lines().map(names).collect()
}

/// Returns the faults: names of a layer above the file's, and names that no layer has.
fn faults(file: &Path, text: &str, layers: &[Vec<String>]) -> Vec<String> {
    let rank = |name: &str| layers.iter().position(|layer| layer.iter().any(|one| one == name));
    let own = file.components().next().expect("a name").as_os_str().to_string_lossy();
    let own = own.trim_end_matches(".rs");
    let Some(place) = rank(own) else {
        return vec![format!("{own} is in no layer")];
    };
    let names = imports::used(file, text)
        .into_iter()
        .map(|name| if name == "Error" { "error".into() } else { name });
    let bad = names.filter(|name| rank(name).is_none_or(|other| other > place));
    bad.map(|name| format!("{} names {name}", file.display())).collect()
}

#[test]
fn no_file_uses_a_layer_above_its_own() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Ok(architecture) = fs::read_to_string(root.join("../../ARCHITECTURE.md")) else {
        return residue_testing::skip("the package has no ARCHITECTURE.md");
    };
    let layers = layers(&architecture);
    let mut found = imports::sources(&root.join("src"));
    // The root declares the modules. Tests of a folder may use what is above it.
    found.retain(|(path, _)| !path.ends_with("lib.rs") && !path.ends_with("tests.rs"));
    assert!(found.len() > 60 && layers.len() > 8, "{} files, {layers:?}", found.len());
    let bad: Vec<String> =
        found.iter().flat_map(|(path, text)| faults(path, text, &layers)).collect();
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn an_import_that_runs_up_is_found() {
    let list = "<!-- layers -->\n```\nerror words  base\narch/  instructions\ncrc/  CRCs\n```\n";
    let layers = layers(list);
    let file = Path::new("arch/x86_64.rs");
    for good in [
        "use crate::words::short_word;",
        "use crate::{Error, arch};",
        "// crate::crc is above",
        "#[cfg(test)]\nmod tests {\n    use crate::crc::fold;\n}",
    ] {
        assert_eq!(faults(file, good, &layers), [""; 0], "{good}");
    }
    for bad in [
        "use crate::crc::fold;",
        "use crate::{Error, crc::fold};",
        "use super::super::crc::fold;",
        "$crate::crc::fold()",
    ] {
        assert_eq!(faults(file, bad, &layers), ["arch/x86_64.rs names crc"], "{bad}");
    }
    assert_eq!(faults(file, "use crate::crc32c;", &layers), ["arch/x86_64.rs names crc32c"]);
    assert_eq!(faults(Path::new("new.rs"), "", &layers), ["new is in no layer"]);
}
