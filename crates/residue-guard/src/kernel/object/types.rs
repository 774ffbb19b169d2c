//! The types of an object: the BPF Type Format (BTF), Documentation/bpf/btf.rst of Linux.

use super::numbers::{number16, number32, text};
use std::ops::Range;

/// Number of entries that a function's type has if another file defines it.
pub(super) const EXTERNAL: usize = 2;

/// Kinds of types.
const INTEGER: u32 = 1;
const ARRAY: u32 = 3;
const STRUCTURE: u32 = 4;
const UNION: u32 = 5;
const ENUMERATION: u32 = 6;
pub(super) const TYPEDEF: u32 = 8;
const CONST: u32 = 10;
pub(super) const FUNCTION: u32 = 12;
const FUNCTION_PROTOTYPE: u32 = 13;
const VARIABLE: u32 = 14;
pub(super) const DATA_SECTION: u32 = 15;
const DECLARATION_TAG: u32 = 17;
const ENUMERATION_64: u32 = 19;

/// The types of an object, by number.
#[derive(Debug)]
pub(super) struct Types<'a> {
    pub bytes: &'a [u8],
    /// Offset of the types, and places of types and names.
    pub start: usize,
    places: [Range<usize>; 2],
    /// By number; 0 is `void`.
    pub all: Vec<Type>,
}

/// A type: its offset, and its header.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Type {
    pub at: usize,
    name: usize,
    pub kind: u32,
    /// Number of entries that follow.
    pub count: usize,
    pub size_or_type: u32,
}

impl<'a> Types<'a> {
    pub fn parse(bytes: &'a [u8]) -> Option<Types<'a>> {
        if number16(bytes, 0)? != 0xeb9f {
            return None;
        }
        let header = number32(bytes, 4)? as usize;
        let place = |at: usize| {
            let start = header.checked_add(number32(bytes, at)? as usize)?;
            let end = start.checked_add(number32(bytes, at + 4)? as usize)?;
            (end <= bytes.len()).then_some(start..end)
        };
        let places = [place(8)?, place(16)?];
        let mut types = Types { bytes, start: places[0].start, places, all: vec![Type::default()] };
        let body = types.body()?;
        let mut at = 0;
        while at < body.len() {
            let info = number32(body, at + 4)?;
            let each = Type {
                at,
                name: number32(body, at)? as usize,
                kind: info >> 24 & 31,
                count: (info & 0xffff) as usize,
                size_or_type: number32(body, at + 8)?,
            };
            at += 12
                + match each.kind {
                    INTEGER | VARIABLE | DECLARATION_TAG => 4,
                    ARRAY => 12,
                    STRUCTURE | UNION | DATA_SECTION | ENUMERATION_64 => 12 * each.count,
                    ENUMERATION | FUNCTION_PROTOTYPE => 8 * each.count,
                    _ => 0,
                };
            types.all.push(each);
        }
        Some(types)
    }

    pub fn body(&self) -> Option<&'a [u8]> {
        self.bytes.get(self.places[0].clone())
    }

    pub fn names(&self) -> Option<&'a [u8]> {
        self.bytes.get(self.places[1].clone())
    }

    pub fn get(&self, number: u32) -> Option<&Type> {
        self.all.get(number as usize)
    }

    pub fn name(&self, of: &Type) -> Option<&'a str> {
        text(self.names()?, of.name)
    }

    /// Returns the size of a type in bytes.
    pub fn size(&self, mut number: u32) -> Option<u32> {
        let mut times = 1_u32;
        // As deep as any type is.
        for _ in 0..32 {
            let each = self.get(number)?;
            match each.kind {
                INTEGER | STRUCTURE | UNION | ENUMERATION => {
                    return times.checked_mul(each.size_or_type);
                }
                ARRAY => {
                    times = times.checked_mul(number32(self.body()?, each.at + 20)?)?;
                    number = number32(self.body()?, each.at + 12)?;
                }
                TYPEDEF..=CONST => number = each.size_or_type,
                _ => return None,
            }
        }
        None
    }
}

/// Returns the number of a function's type among `types` (BTF), such as those of the kernel.
pub(in crate::kernel) fn function(types: &[u8], name: &str) -> Option<u32> {
    let types = Types::parse(types)?;
    let is_it = |each: &Type| each.kind == FUNCTION && types.name(each) == Some(name);
    types.all.iter().position(is_it).map(|number| number as u32)
}

/// As [`function`], among the types of a module, whose numbers and names go on behind those of the
/// kernel.
pub(in crate::kernel) fn module_function(kernel: &[u8], module: &[u8], name: &str) -> Option<u32> {
    let (kernel, module) = (Types::parse(kernel)?, Types::parse(module)?);
    let before = kernel.names()?.len();
    let is_it = |each: &Type| {
        let own = each.name.checked_sub(before).and_then(|at| text(module.names()?, at));
        each.kind == FUNCTION && own == Some(name)
    };
    // Both count `void`.
    let place = module.all.iter().position(is_it)?;
    Some((kernel.all.len() - 1 + place) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module's types count on from those of the kernel, and so do their names.
    #[test]
    fn functions_of_modules_have_numbers_behind_the_kernels() {
        let types = |names: &str, functions: &[u32]| {
            let body: Vec<u32> =
                functions.iter().flat_map(|&name| [name, FUNCTION << 24 | 1, 0]).collect();
            let length = 4 * body.len() as u32;
            let words = [24, 0, length, length, names.len() as u32];
            let mut bytes = [0xeb9f_u16.to_ne_bytes(), [1, 0]].concat();
            bytes.extend(words.iter().chain(&body).flat_map(|word| word.to_ne_bytes()));
            bytes.extend(names.bytes());
            bytes
        };
        let kernel = types("\0one\0two\0", &[1, 5]);
        let module = types("\0three\0", &[1, 9 + 1]);
        assert_eq!(function(&kernel, "two"), Some(2));
        assert_eq!(module_function(&kernel, &module, "three"), Some(4));
        // The kernel's names are no functions of the module by themselves.
        assert_eq!(module_function(&kernel, &module, "one"), None);
        assert_eq!(module_function(&kernel, &module, "two"), None);
        assert_eq!(module_function(&kernel, b"", "three"), None);
    }
}
