//! The compiled programs: an ELF file of a compiler for BPF, taken apart for the kernel.
//!
//! Only what `bpf/guard.bpf.c` uses is understood: maps defined by types (BTF), functions with
//! calls, functions of the kernel, and no global variables. A library would do the same, but
//! compiles longer than this crate.

mod numbers;
mod types;

use numbers::{number16, number32, number64, put32, text};
use std::io;
use std::ops::Range;
use types::{DATA_SECTION, EXTERNAL, FUNCTION, TYPEDEF, Types};
pub(super) use types::{function, module_function};

/// Number of bytes of an instruction.
const INSTRUCTION: usize = 8;
/// Kinds of relocations: an address of 64 bits, and a call.
const RELOCATES_MAP: u32 = 1;
const RELOCATES_CALL: u32 = 10;
/// Source registers that mark the descriptor of a map, and a call of a function, of the program's
/// own or of the kernel.
const MAP_DESCRIPTOR: u8 = 1;
const CALL: u8 = 1;
const KERNEL_CALL: u8 = 2;
/// The section of symbols that another file defines.
const UNDEFINED: usize = 0;
/// Instructions: the first half of a number of 64 bits, and a call.
const NUMBER: u8 = 0x18;
const CALLS: u8 = 0x85;

/// A map to create.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MapDefinition {
    pub name: String,
    pub kind: u32,
    pub key_size: u32,
    pub value_size: u32,
    pub max_entries: u32,
    pub flags: u32,
    /// Types of keys and values.
    pub key_type: u32,
    pub value_type: u32,
}

/// A program: a function of its own section, and those that it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Program {
    pub instructions: Vec<u8>,
    /// Offsets of the instructions that get the descriptor of a map, by the index of the map.
    pub maps: Vec<(usize, usize)>,
    /// Types of the functions: `struct bpf_func_info`.
    pub functions: Vec<u8>,
    /// Offsets of the instructions that use a function of the kernel: its address, or a call.
    pub kernel: Vec<(usize, String)>,
}

impl Program {
    /// Calls a function of the kernel, by the number of its type and the place of the descriptor of
    /// these types; or never, if there is none: the verifier does not follow a branch that asks for
    /// its address, which is 0 then.
    pub fn use_kernel(&mut self, name: &str, function: Option<(u32, u16)>) {
        for (at, _) in self.kernel.iter().filter(|(_, each)| each == name) {
            let instruction = &mut self.instructions[*at..at + INSTRUCTION];
            let (source, offset, number) = match (instruction[0], function) {
                (NUMBER, function) => (0, 0, u32::from(function.is_some())),
                (_, Some((number, place))) => (KERNEL_CALL, place, number),
                (_, None) => (0, 0, 0),
            };
            instruction[1] = instruction[1] & 0x0f | source << 4;
            instruction[2..4].copy_from_slice(&offset.to_ne_bytes());
            instruction[4..].copy_from_slice(&number.to_ne_bytes());
        }
    }
}

/// An object file.
#[derive(Debug)]
pub(super) struct Object<'a> {
    file: &'a [u8],
    sections: Vec<Section<'a>>,
    symbols: Vec<Symbol<'a>>,
    types: Types<'a>,
    /// Section, offset and type of each function.
    functions: Vec<(usize, usize, u32)>,
    pub maps: Vec<MapDefinition>,
}

#[derive(Clone, Debug)]
struct Section<'a> {
    name: &'a str,
    kind: u32,
    place: Range<usize>,
    link: usize,
    info: usize,
}

#[derive(Clone, Debug)]
struct Symbol<'a> {
    name: &'a str,
    is_function: bool,
    section: usize,
    offset: usize,
    length: usize,
}

impl<'a> Object<'a> {
    pub fn parse(file: &'a [u8]) -> io::Result<Object<'a>> {
        Object::read(file).ok_or_else(|| io::Error::other("the object file is malformed"))
    }

    fn read(file: &'a [u8]) -> Option<Object<'a>> {
        // 64 bits, in this machine's byte order, for BPF (247).
        let order = if cfg!(target_endian = "little") { 1 } else { 2 };
        if file.get(..6)? != [0x7f, b'E', b'L', b'F', 2, order] || number16(file, 18)? != 247 {
            return None;
        }
        let table = number64(file, 40)?;
        let count = usize::from(number16(file, 60)?);
        let names = usize::from(number16(file, 62)?);
        let header = |at: usize| {
            let header = file.get(table..)?.get(at * 64..(at + 1) * 64)?;
            let start = number64(header, 24)?;
            let place = start..start.checked_add(number64(header, 32)?)?;
            Some((number32(header, 0)? as usize, header, place))
        };
        let names = file.get(header(names)?.2)?;
        let mut sections = Vec::new();
        for at in 0..count {
            let (name, header, place) = header(at)?;
            let section = Section {
                name: text(names, name)?,
                kind: number32(header, 4)?,
                place,
                link: number32(header, 40)? as usize,
                info: number32(header, 44)? as usize,
            };
            sections.push(section);
        }
        let symbols = symbols(file, &sections)?;
        let types = section(file, &sections, ".BTF")?;
        let types = Types::parse(types)?;
        let functions = functions(file, &sections, &types)?;
        let mut object = Object { file, sections, symbols, types, functions, maps: Vec::new() };
        object.maps = object.map_definitions()?;
        Some(object)
    }

    /// Returns the types for the kernel, with the places of variables, which compilers leave open,
    /// and names of types in place of the kernel's functions, which it does not take from others.
    pub fn types(&self) -> io::Result<Vec<u8>> {
        self.completed_types().ok_or_else(|| io::Error::other("the object's types are malformed"))
    }

    fn completed_types(&self) -> Option<Vec<u8>> {
        let mut bytes = self.types.bytes.to_vec();
        let base = self.types.start;
        for (at, each) in self.types.all.iter().enumerate() {
            if each.kind == FUNCTION && each.count == EXTERNAL {
                put32(&mut bytes, base + each.at + 4, TYPEDEF << 24)?;
            }
            if each.kind != DATA_SECTION || at == 0 {
                continue;
            }
            let name = self.types.name(each)?;
            let index = self.sections.iter().position(|section| section.name == name)?;
            let length = self.sections[index].place.len() as u32;
            put32(&mut bytes, base + each.at + 8, length)?;
            for variable in 0..each.count {
                let entry = each.at + 12 + variable * 12;
                let of = self.types.all.get(number32(self.types.body()?, entry)? as usize)?;
                let name = self.types.name(of)?;
                let is_it = |each: &&Symbol| each.section == index && each.name == name;
                let symbol = self.symbols.iter().find(is_it)?;
                put32(&mut bytes, base + entry + 4, symbol.offset as u32)?;
            }
        }
        Some(bytes)
    }

    /// Returns a program by the name of its function.
    pub fn program(&self, name: &str) -> io::Result<Program> {
        let linked = || {
            let main = self.symbols.iter().find(|each| each.is_function && each.name == name)?;
            self.link(main)
        };
        linked().ok_or_else(|| io::Error::other(format!("the object has no usable `{name}`")))
    }

    /// Puts a function and all that it calls behind one another.
    fn link(&self, main: &Symbol<'a>) -> Option<Program> {
        let mut program = Program::default();
        let mut placed: Vec<(&Symbol<'a>, usize)> = vec![(main, 0)];
        let mut calls = Vec::new();
        let mut next = 0;
        while next < placed.len() {
            let (function, start) = placed[next];
            next += 1;
            let section = &self.sections[function.section];
            let range = function.offset..function.offset.checked_add(function.length)?;
            let start_of_type = (function.section, function.offset);
            let kind = self.functions.iter().find(|each| (each.0, each.1) == start_of_type)?.2;
            program.functions.extend(((start / INSTRUCTION) as u32).to_ne_bytes());
            program.functions.extend(kind.to_ne_bytes());
            let code = self.file.get(section.place.clone())?.get(range.clone())?;
            program.instructions.extend(code);
            for (offset, kind, symbol) in self.relocations(function.section)? {
                if !range.contains(&offset) {
                    continue;
                }
                let at = start + offset - range.start;
                let symbol = self.symbols.get(symbol)?;
                match kind {
                    _ if symbol.section == UNDEFINED => {
                        let instruction = program.instructions.get(at..at + INSTRUCTION)?;
                        if ![NUMBER, CALLS].contains(&instruction[0]) {
                            return None;
                        }
                        program.kernel.push((at, symbol.name.to_string()));
                    }
                    RELOCATES_MAP => {
                        let map = self.maps.iter().position(|map| map.name == symbol.name)?;
                        let registers = program.instructions.get_mut(at + 1)?;
                        *registers = *registers & 0x0f | MAP_DESCRIPTOR << 4;
                        program.maps.push((at, map));
                    }
                    RELOCATES_CALL if symbol.is_function => {
                        if !placed.iter().any(|(each, _)| each.name == symbol.name) {
                            placed.push((symbol, 0));
                        }
                        calls.push((at, symbol.name));
                    }
                    _ => return None,
                }
            }
            // The next function starts where this one ends.
            if let Some((_, start)) = placed.get_mut(next) {
                *start = program.instructions.len();
            }
        }
        for (at, name) in calls {
            let start = placed.iter().find(|(each, _)| each.name == name)?.1;
            let distance = (start as i64 - at as i64) / INSTRUCTION as i64 - 1;
            let registers = program.instructions.get_mut(at + 1)?;
            *registers = *registers & 0x0f | CALL << 4;
            put32(&mut program.instructions, at + 4, distance as i32 as u32)?;
        }
        Some(program)
    }

    /// Returns offset, kind and symbol of the relocations of a section.
    fn relocations(&self, section: usize) -> Option<Vec<(usize, u32, usize)>> {
        const RELOCATIONS: u32 = 9;
        let mut all = Vec::new();
        let of = |each: &&Section| each.kind == RELOCATIONS && each.info == section;
        for table in self.sections.iter().filter(of) {
            for entry in self.file.get(table.place.clone())?.chunks_exact(16) {
                let kind = number32(entry, 8)?;
                all.push((number64(entry, 0)?, kind, number32(entry, 12)? as usize));
            }
        }
        Some(all)
    }

    /// Reads the definitions of maps: variables whose type describes the map.
    fn map_definitions(&self) -> Option<Vec<MapDefinition>> {
        let types = &self.types;
        let body = types.body()?;
        let section = types
            .all
            .iter()
            .skip(1)
            .find(|each| each.kind == DATA_SECTION && types.name(each) == Some(".maps"))?;
        let mut maps = Vec::new();
        for at in 0..section.count {
            let variable = types.get(number32(body, section.at + 12 + at * 12)?)?;
            let description = types.get(variable.size_or_type)?;
            let mut map = MapDefinition {
                name: types.name(variable)?.to_string(),
                ..MapDefinition::default()
            };
            for member in 0..description.count {
                let at = description.at + 12 + member * 12;
                let name = text(types.names()?, number32(body, at)? as usize)?;
                // Each member is a pointer: to an array whose length is the number, or to a type.
                let target = types.get(number32(body, at + 4)?)?.size_or_type;
                let length = || number32(body, types.get(target)?.at + 12 + 8);
                match name {
                    "type" => map.kind = length()?,
                    "max_entries" => map.max_entries = length()?,
                    "map_flags" => map.flags = length()?,
                    "key" => (map.key_type, map.key_size) = (target, types.size(target)?),
                    "value" => (map.value_type, map.value_size) = (target, types.size(target)?),
                    _ => return None,
                }
            }
            maps.push(map);
        }
        Some(maps)
    }
}

fn section<'a>(file: &'a [u8], sections: &[Section], name: &str) -> Option<&'a [u8]> {
    file.get(sections.iter().find(|section| section.name == name)?.place.clone())
}

fn symbols<'a>(file: &'a [u8], sections: &[Section]) -> Option<Vec<Symbol<'a>>> {
    const SYMBOLS: u32 = 2;
    const FUNCTION: u8 = 2;
    let table = sections.iter().find(|section| section.kind == SYMBOLS)?;
    let names = file.get(sections.get(table.link)?.place.clone())?;
    let entries = file.get(table.place.clone())?.chunks_exact(24);
    let read = |entry: &[u8]| {
        Some(Symbol {
            name: text(names, number32(entry, 0)? as usize)?,
            is_function: entry[4] & 15 == FUNCTION,
            section: usize::from(number16(entry, 6)?),
            offset: number64(entry, 8)?,
            length: number64(entry, 16)?,
        })
    };
    let symbols = entries.map(read).collect::<Option<Vec<_>>>()?;
    // Indices above are reserved.
    let is_known = |symbol: &Symbol| !symbol.is_function || symbol.section < sections.len();
    symbols.iter().all(is_known).then_some(symbols)
}

/// Reads the types of functions from `.BTF.ext`.
fn functions(file: &[u8], sections: &[Section], types: &Types) -> Option<Vec<(usize, usize, u32)>> {
    let bytes = section(file, sections, ".BTF.ext")?;
    let header = number32(bytes, 4)? as usize;
    let (start, length) = (number32(bytes, 8)? as usize, number32(bytes, 12)? as usize);
    let mut rest = bytes.get(header.checked_add(start)?..)?.get(..length)?;
    let record = number32(rest, 0)? as usize;
    rest = rest.get(4..)?;
    let mut all = Vec::new();
    while !rest.is_empty() {
        let name = text(types.names()?, number32(rest, 0)? as usize)?;
        let index = sections.iter().position(|section| section.name == name)?;
        let length = (number32(rest, 4)? as usize).checked_mul(record)?;
        let records = rest.get(8..)?.get(..length)?;
        for each in records.chunks_exact(record.max(8)) {
            all.push((index, number32(each, 0)? as usize, number32(each, 4)?));
        }
        rest = rest.get(8 + length..)?;
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::super::PROGRAMS;
    use super::*;

    #[test]
    fn maps_and_programs() {
        let object = Object::parse(PROGRAMS).unwrap();
        let config = object.maps.iter().find(|map| map.name == "config").unwrap();
        assert_eq!((config.kind, config.key_size, config.max_entries), (2, 4, 1));
        assert!(object.maps.iter().all(|map| map.key_type > 0 && map.value_type > 0));
        for name in super::super::programs::NAMES {
            let program = object.program(name).unwrap();
            assert!(!program.instructions.is_empty() && !program.functions.is_empty(), "{name}");
            assert!(program.maps.iter().all(|&(at, map)| {
                // A 64-bit load, and a map that exists.
                program.instructions[at] == 0x18 && map < object.maps.len()
            }));
            assert_eq!(program.functions.len() % 8, 0);
        }
        assert!(object.program("nothing").is_err());
        assert_eq!(object.types().unwrap().len(), object.types.bytes.len());
    }

    #[test]
    fn functions_of_the_kernel_are_called_or_left_out() {
        let object = Object::parse(PROGRAMS).unwrap();
        // Other files' functions are none of an object's.
        let loaded = object.types().unwrap();
        let types = Types::parse(&loaded).unwrap();
        let named = types.all.iter().skip(1).find(|it| types.name(it) == Some("bpf_crc32c"));
        assert_eq!(named.unwrap().kind, TYPEDEF);
        assert!(types.all.iter().all(|it| it.kind != FUNCTION || it.count < EXTERNAL));
        for name in ["guard_egress", "guard_ingress", "guard_xdp"] {
            let linked = object.program(name).unwrap();
            let read = |function| {
                let mut program = linked.clone();
                program.use_kernel("bpf_crc32c", function);
                let at = |at: &usize| -> [u8; 8] {
                    program.instructions[*at..at + INSTRUCTION].try_into().unwrap()
                };
                let both: Vec<[u8; 8]> =
                    program.kernel.iter().map(|(place, _)| at(place)).collect();
                assert_eq!(both.iter().filter(|it| it[0] == CALLS).count() * 2, both.len());
                both
            };
            for instruction in read(Some((0x0102_0304, 1))) {
                let [operation, registers, rest @ ..] = instruction;
                let number = u32::from_ne_bytes(rest[2..].try_into().unwrap());
                let (source, place) = (registers >> 4, u16::from_ne_bytes([rest[0], rest[1]]));
                let wanted = if operation == CALLS { (2, 1, 0x0102_0304) } else { (0, 0, 1) };
                assert_eq!((source, place, number), wanted, "{name}");
            }
            for instruction in read(None) {
                assert_eq!((instruction[1] >> 4, &instruction[2..]), (0, &[0; 6][..]), "{name}");
            }
            let mut other = linked.clone();
            other.use_kernel("another", Some((7, 1)));
            assert_eq!(other, linked);
        }
    }

    #[test]
    fn cut_files_are_refused_and_damaged_ones_do_no_harm() {
        // The table of sections is at the end of the file.
        for length in (0..PROGRAMS.len()).step_by(97) {
            assert!(Object::parse(&PROGRAMS[..length]).is_err(), "{length} bytes");
        }
        let mut refused = Vec::new();
        for at in 0..PROGRAMS.len().min(1 << 14) {
            let mut damaged = PROGRAMS.to_vec();
            damaged[at] ^= 0xff;
            match Object::parse(&damaged) {
                Ok(object) => drop((object.types(), object.program("guard_sockops"))),
                Err(_) => refused.push(at),
            }
        }
        // The magic number, the word size, the byte order.
        assert_eq!(refused[..6], [0, 1, 2, 3, 4, 5]);
    }
}
