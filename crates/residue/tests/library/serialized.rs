//! Codes in serialized data, as keys, and on other threads.

use residue::crc::{Crc, Digest};
use residue::{Code, Partial, Stream};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};

#[test]
fn every_code_comes_back() {
    for name in Code::names() {
        let code: Code = name.parse().unwrap();
        let text = serde_json::to_string(&code).unwrap();
        assert_eq!(text, format!("\"{name}\""));
        let again: Code = serde_json::from_str(&text).unwrap();
        assert_eq!((again.name(), &again), (name, &code));
    }
}

#[test]
fn a_crc_without_a_name_comes_back() {
    let text = "width=24,poly=5d6dcb,init=fedcba,refin=true,refout=false,xorout=1";
    let code: Code = text.parse().unwrap();
    let written = serde_json::to_string(&code).unwrap();
    assert_eq!(written, format!("\"{text}\""));
    assert_eq!(serde_json::from_str::<Code>(&written).unwrap(), code);
}

#[test]
fn what_is_no_code_is_refused_with_the_reason() {
    let refused = |text: &str| serde_json::from_str::<Code>(text).unwrap_err().to_string();
    assert!(refused("\"crc-32k\"").contains("crc-32"), "{}", refused("\"crc-32k\""));
    assert!(
        refused("\"width=8,poly=107\"").contains("poly"),
        "{}",
        refused("\"width=8,poly=107\"")
    );
    assert!(refused("7").contains("the name of a code, or the parameters of a CRC"));
}

#[test]
fn equal_codes_are_one_key() {
    let mut counts: HashMap<Code, u32> = HashMap::new();
    // The last two are one code by a name and by its parameters.
    let crc = "width=16,poly=8005,refin=true,refout=true";
    for name in ["crc-32", "crc32", "adler-32", "fletcher-16", "crc-16/arc", crc] {
        *counts.entry(name.parse().unwrap()).or_default() += 1;
    }
    let mut counts: Vec<u32> = counts.into_values().collect();
    counts.sort_unstable();
    assert_eq!(counts, [1, 1, 2, 2]);

    // No two of the catalogue's codes share a hash: a table of codes is no list.
    let hashes = BuildHasherDefault::<DefaultHasher>::default();
    let hashes: HashSet<u64> = Code::all().map(|code| hashes.hash_one(&code)).collect();
    assert_eq!(hashes.len(), Code::all().count());
}

#[test]
fn threads_can_share_them() {
    fn shared<T: Send + Sync>() {}
    shared::<Code>();
    shared::<Crc<u32>>();
    shared::<Digest<u64, Crc<u64>>>();
    shared::<Stream<'_>>();
    shared::<Partial<'_>>();
}
