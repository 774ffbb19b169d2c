//! The parts of an object file for BPF (ELF, 64 bits, little-endian) that the guard loads.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

const EXECUTABLE: u64 = 4;
/// Types of sections.
const SYMBOLS: u64 = 2;
const RELOCATIONS: u64 = 9;

/// Returns the parts of an object by their names: executable sections, their relocations with the
/// names of the symbols, the section of maps, the types (BTF) of these, and the licence. Numbers of
/// types and symbols, and types of the system's headers, are in none of them.
pub fn parts(file: &[u8]) -> Option<BTreeMap<String, Vec<u8>>> {
    let sections = sections(file)?;
    let mut parts = BTreeMap::new();
    for section in &sections {
        let is_code = section.flags & EXECUTABLE != 0;
        if is_code || [".maps", "license"].contains(&&*section.name) {
            parts.insert(section.name.clone(), section.bytes.to_vec());
        }
        let of = sections.get(section.info as usize).filter(|_| section.kind == RELOCATIONS);
        if of.is_some_and(|of| of.flags & EXECUTABLE != 0) {
            parts.insert(section.name.clone(), relocations(section, &sections)?.into_bytes());
        }
        if section.name == ".BTF" {
            parts.insert(
                "BTF of .maps".to_string(),
                Types::new(section.bytes)?.maps()?.into_bytes(),
            );
        }
    }
    ["license", ".maps", "BTF of .maps"]
        .iter()
        .all(|part| parts.contains_key(*part))
        .then_some(parts)
}

/// Returns the names of the parts that differ between two objects; `None`: one is no object.
pub fn differences(one: &[u8], other: &[u8]) -> Option<Vec<String>> {
    let (one, other) = (parts(one)?, parts(other)?);
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    Some(names.into_iter().filter(|name| one.get(*name) != other.get(*name)).cloned().collect())
}

struct Section<'a> {
    name: String,
    kind: u64,
    flags: u64,
    bytes: &'a [u8],
    link: u64,
    info: u64,
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let mut number = [0; 8];
    number[..length].copy_from_slice(bytes.get(at..at.checked_add(length)?)?);
    Some(u64::from_le_bytes(number))
}

fn text(bytes: &[u8], at: u64) -> Option<String> {
    let rest = bytes.get(usize::try_from(at).ok()?..)?;
    let text = rest.split(|&byte| byte == 0).next()?;
    String::from_utf8(text.to_vec()).ok()
}

fn sections(file: &[u8]) -> Option<Vec<Section<'_>>> {
    let (table, count) = (number(file, 40, 8)? as usize, number(file, 60, 2)? as usize);
    file.get(table..table.checked_add(count * 64)?)?;
    let header = |at: usize| {
        let at = table.checked_add(at * 64)?;
        let (start, length) =
            (number(file, at + 24, 8)? as usize, number(file, at + 32, 8)? as usize);
        // One without bytes in the file has an offset all the same.
        Some((at, file.get(start..start.checked_add(length)?)?))
    };
    let (_, names) = header(number(file, 62, 2)? as usize)?;
    let section = |at| {
        let (at, bytes) = header(at)?;
        Some(Section {
            name: text(names, number(file, at, 4)?)?,
            kind: number(file, at + 4, 4)?,
            flags: number(file, at + 8, 8)?,
            bytes,
            link: number(file, at + 40, 4)?,
            info: number(file, at + 44, 4)?,
        })
    };
    (0..count).map(section).collect()
}

/// Returns a line for each relocation: offset, kind, and the symbol with its section and place.
fn relocations(section: &Section, sections: &[Section]) -> Option<String> {
    let symbols = sections.get(section.link as usize).filter(|symbols| symbols.kind == SYMBOLS)?;
    let names = sections.get(symbols.link as usize)?;
    let mut lines = String::new();
    for each in section.bytes.chunks_exact(16) {
        let (offset, kind, symbol) =
            (number(each, 0, 8)?, number(each, 8, 4)?, number(each, 12, 4)?);
        let symbol = symbols.bytes.get(symbol as usize * 24..)?;
        let name = text(names.bytes, number(symbol, 0, 4)?)?;
        let (of, value) = (number(symbol, 6, 2)?, number(symbol, 8, 8)?);
        let of = sections.get(of as usize).map_or("", |of| &of.name);
        writeln!(lines, "{offset} {kind} {name} {of} {value}").ok()?;
    }
    Some(lines)
}

/// Types of an object (linux/btf.h).
struct Types<'a> {
    strings: &'a [u8],
    /// From number 1 on.
    types: Vec<&'a [u8]>,
}

const ARRAY: u64 = 3;
const VARIABLE: u64 = 14;
const SECTION: u64 = 15;

impl<'a> Types<'a> {
    fn new(bytes: &'a [u8]) -> Option<Types<'a>> {
        let word = |at| number(bytes, at, 4).map(|word| word as usize);
        let rest = bytes.get(word(4)?..)?;
        let strings = rest.get(word(16)?..word(16)?.checked_add(word(20)?)?)?;
        let mut rest = rest.get(word(8)?..word(8)?.checked_add(word(12)?)?)?;
        let mut types = Vec::new();
        while !rest.is_empty() {
            let info = number(rest, 4, 4)?;
            let (count, kind) = ((info & 0xffff) as usize, info >> 24 & 0x1f);
            let more = match kind {
                // Integers, variables, tags.
                1 | VARIABLE | 17 => 4,
                ARRAY => 12,
                // Structures, unions, sections, enumerations of 64 bits.
                4 | 5 | SECTION | 19 => count * 12,
                // Enumerations, prototypes.
                6 | 13 => count * 8,
                _ => 0,
            };
            let (this, next) = rest.split_at_checked(12 + more)?;
            types.push(this);
            rest = next;
        }
        Some(Types { strings, types })
    }

    /// Describes the variables of the section `.maps`.
    fn maps(&self) -> Option<String> {
        let is_maps = |each: &&&[u8]| {
            number(each, 4, 4).is_some_and(|info| info >> 24 & 0x1f == SECTION)
                && number(each, 0, 4).and_then(|name| text(self.strings, name)).as_deref()
                    == Some(".maps")
        };
        let section = self.types.iter().find(is_maps)?;
        let mut maps = BTreeSet::new();
        for variable in section[12..].chunks_exact(12) {
            let mut words = String::new();
            self.describe(number(variable, 0, 4)?, &mut Vec::new(), &mut words)?;
            maps.insert(words);
        }
        Some(maps.into_iter().collect::<Vec<_>>().join("\n"))
    }

    /// Describes a type with all that it refers to. Names, sizes and counts, no numbers of types.
    fn describe(&self, number_of: u64, outer: &mut Vec<u64>, words: &mut String) -> Option<()> {
        let Some(at) = (number_of as usize).checked_sub(1) else {
            *words += "void ";
            return Some(());
        };
        let each = *self.types.get(at)?;
        let (info, last) = (number(each, 4, 4)?, number(each, 8, 4)?);
        let kind = info >> 24 & 0x1f;
        write!(words, "({kind} {} ", text(self.strings, number(each, 0, 4)?)?).ok()?;
        if outer.contains(&number_of) {
            *words += "again)";
            return Some(());
        }
        outer.push(number_of);
        match kind {
            ARRAY => {
                self.describe(number(each, 12, 4)?, outer, words)?;
                write!(words, "* {} ", number(each, 20, 4)?).ok()?;
            }
            4 | 5 => {
                write!(words, "{last} bytes ").ok()?;
                for member in each[12..].chunks_exact(12) {
                    let name = text(self.strings, number(member, 0, 4)?)?;
                    write!(words, "{name} at {} ", number(member, 8, 4)?).ok()?;
                    self.describe(number(member, 4, 4)?, outer, words)?;
                }
            }
            // Integers: size and encoding. Enumerations: size.
            1 => write!(words, "{last} {} ", number(each, 12, 4)?).ok()?,
            6 | 19 => write!(words, "{last} ").ok()?,
            // Prototypes are only pointed to.
            13 => {}
            // Pointers, names, qualifiers, variables, functions.
            _ => self.describe(last, outer, words)?,
        }
        outer.pop();
        *words += ")";
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One place in memory: a constant may have another at each use.
    static KEPT: &[u8] = include_bytes!("../../../crates/residue-guard/bpf/guard.bpf.o");

    /// Returns the place of a section in the file, and its length.
    fn place(name: &str) -> (usize, usize) {
        let sections = sections(KEPT).expect("an object");
        let section = sections.iter().find(|section| section.name == name).expect(name);
        (section.bytes.as_ptr() as usize - KEPT.as_ptr() as usize, section.bytes.len())
    }

    fn changed(at: usize) -> Vec<u8> {
        let mut file = KEPT.to_vec();
        file[at] ^= 1;
        file
    }

    fn differs(file: &[u8]) -> Vec<String> {
        differences(KEPT, file).expect("an object")
    }

    #[test]
    fn each_part_is_compared() {
        assert_eq!(differs(KEPT), [""; 0]);
        let sections = sections(KEPT).expect("an object");
        let code: Vec<&Section> =
            sections.iter().filter(|section| section.flags & EXECUTABLE != 0).collect();
        assert!(code.len() >= 4);
        for section in code {
            let (start, length) = place(&section.name);
            for at in [start, start + length - 1] {
                assert_eq!(differs(&changed(at)), [section.name.as_str()]);
            }
        }
        for name in [".maps", "license"] {
            assert_eq!(differs(&changed(place(name).0)), [name]);
        }
    }

    #[test]
    fn relocations_are_compared() {
        for name in [".rel.text", ".relsockops", ".relclassifier", ".relxdp.frags"] {
            let (start, length) = place(name);
            assert!(length >= 16, "{name}");
            // The place of the instruction, the kind, and the symbol.
            for at in [start, start + 8, start + 12] {
                assert_eq!(differs(&changed(at)), [name], "{at}");
            }
        }
    }

    /// Kind, number of entries, flags, and sizes of keys and values of each map.
    #[test]
    fn types_of_maps_are_compared() {
        let (start, length) = place(".BTF");
        let types = Types::new(&KEPT[start..start + length]).expect("types");
        let maps = types.maps().expect("maps");
        for name in ["connections", "destinations", "counters", "config", "crc_tables", "cgroups"] {
            assert!(maps.contains(&format!("({VARIABLE} {name} ")), "{name}: {maps}");
        }
        let offset = |part: &[u8]| part.as_ptr() as usize - KEPT.as_ptr() as usize;
        let word = |each: &[u8], at: usize| number(each, at, 4).expect("a word");
        let mut arrays = 0;
        for each in &types.types {
            // A structure of a map has pointers to arrays as members.
            let kind = word(each, 4) >> 24 & 0x1f;
            if kind == 4 && text(types.strings, word(each, 0)).as_deref() == Some("") {
                for member in each[12..].chunks_exact(12) {
                    let name = text(types.strings, word(member, 0)).expect("a name");
                    if !["type", "max_entries", "map_flags", "key_size"].contains(&&*name) {
                        continue;
                    }
                    let pointer = types.types[word(member, 4) as usize - 1];
                    let array = types.types[word(pointer, 8) as usize - 1];
                    assert_eq!(word(array, 4) >> 24 & 0x1f, ARRAY);
                    let file = changed(offset(array) + 20);
                    assert_eq!(differs(&file), ["BTF of .maps"], "{name}");
                    arrays += 1;
                }
            }
        }
        assert!(arrays >= 12, "{arrays}");
    }

    #[test]
    fn bytes_of_any_kind_are_no_object() {
        for cut in [0, 1, 63, 64, 1000, KEPT.len() - 1] {
            assert!(differences(KEPT, &KEPT[..cut]).is_none(), "{cut}");
        }
    }
}
