//! Every code of the library has what the recipe in ARCHITECTURE.md says: the error names the file
//! in which it is missing.

use residue::Code;
use residue_identify::conform::vectors;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the names between back quotes in a page.
fn quoted(page: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join(page)).expect(page);
    text.split('`').skip(1).step_by(2).map(str::to_string).collect()
}

/// Returns the lack of codes among names, in words.
fn lack<'a>(
    file: &str,
    names: BTreeSet<String>,
    codes: impl Iterator<Item = &'a Code>,
) -> Option<String> {
    let missing: Vec<&str> = codes.map(Code::name).filter(|&it| !names.contains(it)).collect();
    (!missing.is_empty()).then(|| format!("{file} lacks {}", missing.join(", ")))
}

#[test]
fn every_code_is_where_the_recipe_says() {
    let codes: Vec<Code> = Code::all().collect();
    let sums = || codes.iter().filter(|code| code.params().is_none());
    let crcs = || codes.iter().filter(|code| code.params().is_some());
    let vectors = vectors::all().expect("the vectors");
    let with_vectors = vectors.iter().map(|vector| vector.code.clone()).collect();
    let models = fs::read_to_string(root().join("vectors/crc_models.txt")).expect("the models");
    let models = models.lines().filter_map(|line| Some(line.split_once(" | ")?.0.to_string()));
    let lacks = [
        lack("vectors/values/", with_vectors, codes.iter()),
        lack("vectors/crc_models.txt", models.collect(), crcs()),
        lack("vectors/README.md", quoted("vectors/README.md"), sums()),
        lack("docs/codes.md", quoted("docs/codes.md"), sums()),
    ];
    assert!(lacks.iter().all(Option::is_none), "{lacks:#?}");
}

#[test]
fn every_file_of_values_is_compiled_in() {
    let folder = fs::read_dir(root().join("vectors/values")).expect("the vectors");
    let files: BTreeSet<String> =
        folder.map(|file| file.expect("a file").file_name().display().to_string()).collect();
    let compiled = vectors::FILES.iter().map(|(name, _)| (*name).to_string()).collect();
    assert_eq!(files, compiled, "residue-identify/src/conform/vectors.rs lists them");
}
