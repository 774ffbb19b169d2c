//! `bpf/layout.h` and `src/kernel/layout.rs` agree.

#![cfg(target_os = "linux")]

use residue_guard::kernel::layout::{CONSTANTS, Plain, STRUCTURES, crc_tables};

const HEADER: &str = include_str!("../bpf/layout.h");

/// The lines of the header without comments, whole statements and definitions.
fn lines() -> impl Iterator<Item = &'static str> {
    let code = HEADER.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
    code.filter(|line| !line.is_empty())
}

fn constant(name: &str) -> Option<u64> {
    let value = lines().find_map(|line| {
        let (found, value) = line.strip_prefix("#define ")?.split_once(' ')?;
        (found == name).then_some(value)
    })?;
    value.parse().ok()
}

/// The size of a C type, and the number of elements in brackets.
fn size(kind: &str, count: Option<&str>) -> usize {
    let one = match kind {
        "__u8" => 1,
        "__u16" | "__be16" => 2,
        "__u32" => 4,
        "__u64" => 8,
        name => fields(name.strip_prefix("struct ").unwrap()).iter().map(|field| field.1).sum(),
    };
    let count =
        count.map_or(1, |count| constant(count).unwrap_or_else(|| count.parse().unwrap()) as usize);
    one * count
}

/// The fields of a structure: names and sizes.
fn fields(name: &str) -> Vec<(String, usize)> {
    let start = format!("struct {name} {{");
    let inside = lines().skip_while(|line| *line != start).skip(1).take_while(|line| *line != "};");
    inside
        .map(|line| {
            let (kind, field) = line.trim_end_matches(';').rsplit_once(' ').unwrap();
            match field.split_once('[') {
                Some((field, rest)) => {
                    (field.to_string(), size(kind, Some(rest.trim_end_matches(']'))))
                }
                None => (field.to_string(), size(kind, None)),
            }
        })
        .collect()
}

#[test]
fn constants_are_equal() {
    for &(name, value) in CONSTANTS {
        assert_eq!(constant(name), Some(value), "{name}");
    }
    let defined = lines().filter(|line| line.starts_with("#define GUARD_")).count();
    assert_eq!(defined, CONSTANTS.len() + 1, "and the header's own guard");
}

#[test]
fn structures_are_equal() {
    for &(name, expected) in STRUCTURES {
        let fields = fields(name);
        let fields: Vec<(&str, usize)> =
            fields.iter().map(|(name, size)| (name.as_str(), *size)).collect();
        assert_eq!(fields, expected, "{name}");
    }
    let defined = lines().filter(|line| line.starts_with("struct guard_") && line.ends_with('{'));
    // The tables are an array in Rust.
    assert_eq!(defined.count(), STRUCTURES.len() + 1);
}

#[test]
fn tables_give_the_crc_of_the_library() {
    let [crc32c, _] = crc_tables();
    let mut register = !0_u32;
    for byte in b"123456789" {
        register = register >> 8 ^ crc32c[0][usize::from(register as u8 ^ byte)];
    }
    assert_eq!(!register, residue::crc32c(b"123456789"));
    assert_eq!(crc_tables()[1].to_bytes().len(), 16 * 256 * 4);
}
