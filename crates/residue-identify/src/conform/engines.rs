//! Mistakes in the loop or in the table of a CRC, and in the loop of a sum of bytes.

use super::readings::{BLOCKS, ONE};
use residue::Code;
use residue::crc::Params;

/// A wrong way to compute a code, in one or several sizes.
pub(super) struct Engine {
    /// A short name. With several sizes, the size follows.
    pub(super) name: &'static str,
    /// A description in one sentence; `{bytes}` is the size as a number of bytes.
    pub(super) why: &'static str,
    /// The sizes that are tried.
    pub(super) sizes: &'static [usize],
    /// Returns the value, for a size; `None` if the mistake cannot be made with this code.
    pub(super) value: fn(&Code, &[u8], usize) -> Option<u128>,
}

/// Returns a row whose mistake is one of a CRC.
macro_rules! crc {
    ($name:literal, $value:expr, $why:literal) => {
        Engine {
            name: $name,
            why: $why,
            sizes: ONE,
            value: |code, data, _| {
                let value: fn(&Params, &[u8]) -> Option<u128> = $value;
                value(code.params()?, data)
            },
        }
    };
}

/// All mistakes that are tried.
pub(super) const ENGINES: &[Engine] = &[
    crc!(
        "table-one-entry-early",
        |p, d| tabled(p, d, 8, |table| table.rotate_left(1)),
        "The table is shifted by one entry: entry i holds what belongs to i + 1."
    ),
    crc!(
        "table-one-entry-late",
        |p, d| tabled(p, d, 8, |table| table.rotate_right(1)),
        "The table is shifted by one entry: entry i holds what belongs to i - 1."
    ),
    crc!(
        "table-without-last-entry",
        |p, d| tabled(p, d, 8, |table| table[255] = 0),
        "The loop that fills the table ends one entry early: entry 255 is 0."
    ),
    crc!(
        "table-of-7-steps",
        |p, d| tabled(p, d, 7, |_| {}),
        "The table is made with 7 steps for each byte, one too few."
    ),
    crc!(
        "table-of-9-steps",
        |p, d| tabled(p, d, 9, |_| {}),
        "The table is made with 9 steps for each byte, one too many."
    ),
    crc!(
        "table-shifted-sign",
        |p, d| arithmetic_table(p, d),
        "The register is signed: shifting it right by 8 copies its sign into the upper bits."
    ),
    crc!(
        "shifted-sign",
        |p, d| reflected(p, d, |p, register| {
            let sign = register & top(p);
            register >> 1 | sign
        }),
        "The register is signed: shifting it right by 1 copies its sign into the upper bit."
    ),
    crc!(
        "sign-extended-bytes",
        sign_extended,
        "Bytes are kept in a signed type: one from 80 on inverts the upper bits of the register."
    ),
    crc!(
        "bit-tested-after-shift",
        tested_late,
        "The register is shifted before its outermost bit is tested, so that the wrong bit decides \
         about the polynomial."
    ),
    crc!(
        "zero-bits-not-fed",
        not_augmented,
        "The register takes the bits at its low end, and the zero bits that must follow the \
         message are not fed."
    ),
    Engine {
        name: "continued-with-final-value",
        why: "After each {bytes}, the computation continues with the value as returned: the final \
              exclusive or is not undone.",
        sizes: BLOCKS,
        value: |code, data, size| continued(code.params()?, data, size),
    },
    Engine {
        name: "sign-extended-bytes",
        why: "Bytes are kept in a signed type: 256 is missing from the sum for each from 80 on.",
        sizes: ONE,
        value: |code, data, _| signed_sum(code, data),
    },
];

fn top(p: &Params) -> u128 {
    p.mask() ^ p.mask() >> 1
}

/// One step without input: the register of the CRC moves by one bit.
fn step(p: &Params, register: u128) -> u128 {
    let carry = register & top(p) != 0;
    (register << 1 & p.mask()) ^ if carry { p.poly } else { 0 }
}

/// Returns the value of a register that is not reflected.
fn finished(p: &Params, register: u128) -> u128 {
    (if p.refout { p.reflect(register) } else { register }) ^ p.xorout
}

/// Computes by a table of `steps` steps for each byte, which `spoil` changes.
fn tabled(p: &Params, data: &[u8], steps: u32, spoil: fn(&mut [u128; 256])) -> Option<u128> {
    let shift = u32::from(p.width).checked_sub(8)?;
    let mut table = [0; 256];
    for (i, entry) in table.iter_mut().enumerate() {
        // A table of a reflected CRC is addressed by the reversed byte.
        let byte = if p.refin { (i as u8).reverse_bits() } else { i as u8 };
        *entry = (0..steps).fold(u128::from(byte) << shift, |register, _| step(p, register));
    }
    spoil(&mut table);
    let register = data.iter().fold(p.init, |register, &byte| {
        let index = (register >> shift) as u8;
        let index = if p.refin { index.reverse_bits() } else { index } ^ byte;
        (register << 8 & p.mask()) ^ table[usize::from(index)]
    });
    Some(finished(p, register))
}

/// Computes by a table, with a register whose sign is copied when it is shifted right.
fn arithmetic_table(p: &Params, data: &[u8]) -> Option<u128> {
    let upper = p.mask() ^ p.mask() >> 8;
    if !p.refin || p.width < 16 {
        return None;
    }
    let poly = p.reversed();
    let entry = |index: u8| {
        (0..8)
            .fold(u128::from(index), |entry, _| entry >> 1 ^ if entry & 1 == 1 { poly } else { 0 })
    };
    let register = data.iter().fold(p.reflect(p.init), |register, &byte| {
        let sign = if register & top(p) == 0 { 0 } else { upper };
        (register >> 8 | sign) ^ entry(register as u8 ^ byte)
    });
    Some(finished(p, p.reflect(register)))
}

/// Computes bit by bit, lowest bit first, with another way to shift right.
fn reflected(p: &Params, data: &[u8], shift: fn(&Params, u128) -> u128) -> Option<u128> {
    if !p.refin || p.width < 8 {
        return None;
    }
    let poly = p.reversed();
    let mut register = p.reflect(p.init);
    for &byte in data {
        register ^= u128::from(byte);
        for _ in 0..8 {
            register = shift(p, register) ^ if register & 1 == 1 { poly } else { 0 };
        }
    }
    Some(finished(p, p.reflect(register)))
}

fn sign_extended(p: &Params, data: &[u8]) -> Option<u128> {
    if !p.refin || p.width <= 8 {
        return None;
    }
    let poly = p.reversed();
    let mut register = p.reflect(p.init);
    for &byte in data {
        register ^= (i128::from(byte as i8) as u128) & p.mask();
        for _ in 0..8 {
            register = register >> 1 ^ if register & 1 == 1 { poly } else { 0 };
        }
    }
    Some(finished(p, p.reflect(register)))
}

fn tested_late(p: &Params, data: &[u8]) -> Option<u128> {
    let shift = u32::from(p.width).checked_sub(8)?;
    let register = data.iter().fold(p.init, |register, &byte| {
        let byte = if p.refin { byte.reverse_bits() } else { byte };
        (0..8).fold(register ^ u128::from(byte) << shift, |register, _| {
            let register = register << 1 & p.mask();
            register ^ if register & top(p) == 0 { 0 } else { p.poly }
        })
    });
    Some(finished(p, register))
}

fn not_augmented(p: &Params, data: &[u8]) -> Option<u128> {
    let register = data.iter().fold(p.init, |register, &byte| {
        let byte = if p.refin { byte.reverse_bits() } else { byte };
        (0..8).rev().fold(register, |register, bit| step(p, register) ^ u128::from(byte >> bit & 1))
    });
    Some(finished(p, register))
}

/// Computes piece by piece, with a register that is loaded with the value of the pieces before.
fn continued(p: &Params, data: &[u8], size: usize) -> Option<u128> {
    // Without a final exclusive or this is right; with one reflection, no program would do it.
    if p.xorout == 0 || p.refin != p.refout {
        return None;
    }
    let loaded = |value: u128| if p.refout { p.reflect(value) } else { value };
    let value = data.chunks(size).fold(None, |value: Option<u128>, piece| {
        let init = value.map_or(p.init, loaded);
        Some(Params { init, ..*p }.reference(piece))
    });
    Some(value.unwrap_or_else(|| p.reference(data)))
}

/// Sums of bytes, with the signs of their bytes, in 32-bit arithmetic that wraps.
fn signed_sum(code: &Code, data: &[u8]) -> Option<u128> {
    let (modulus, shift, start): (u32, u32, u32) = match code.name() {
        "adler-32" => (65521, 16, 1),
        "fletcher-16" => (255, 8, 0),
        _ => return None,
    };
    let (mut a, mut b) = (start, 0_u32);
    for &byte in data {
        a = a.wrapping_add(i32::from(byte as i8) as u32) % modulus;
        b = b.wrapping_add(a) % modulus;
    }
    Some(u128::from(b << shift | a))
}
