//! Shows a CRC as the long division of polynomials over GF(2) that defines it.

use super::shown::{Shown, input};
use residue::crc::Params;

/// The widest dividend that is divided on paper, in bits: a CRC-32 of ten bytes, a CRC-64 of six.
/// Beyond it the register is shown after each byte instead.
const COLUMNS: usize = 112;

pub(super) fn shown(params: &Params, data: &[u8]) -> Shown {
    let mut lines = vec![format!("message    {}", input(data)), polynomial(params)];
    let bits = message(params, data);
    lines.push(String::new());
    if params.refin {
        lines.push(
            "refin: each byte is taken lowest bit first, so its bits are written in reverse:"
                .into(),
        );
        lines.extend(reversals(data));
    } else {
        lines.push("Each byte is taken highest bit first.".into());
    }
    lines.push(String::new());
    let remainder = if bits.len() + usize::from(params.width) <= COLUMNS {
        divide(params, &bits, &mut lines)
    } else {
        step(params, data, &mut lines)
    };
    let value = finish(params, remainder, &mut lines);
    Shown { lines, value }
}

/// Returns the message's bits in the order they are divided, 0 or 1 each.
fn message(params: &Params, data: &[u8]) -> Vec<u8> {
    let bits = data
        .iter()
        .flat_map(|&byte| (0..8).map(move |i| byte >> if params.refin { i } else { 7 - i } & 1));
    bits.collect()
}

/// `width` bits of a value, highest first.
fn bits(value: u128, width: u8) -> Vec<u8> {
    (0..width).rev().map(|i| (value >> i & 1) as u8).collect()
}

fn number(bits: &[u8]) -> u128 {
    bits.iter().fold(0, |value, &bit| value << 1 | u128::from(bit))
}

fn text(bits: &[u8]) -> String {
    bits.iter().map(|&bit| if bit == 0 { '0' } else { '1' }).collect()
}

fn hex(params: &Params, value: u128) -> String {
    format!("{value:0digits$x}", digits = usize::from(params.width).div_ceil(4))
}

/// Returns the generator with its top term, as bits.
fn generator(params: &Params) -> Vec<u8> {
    [vec![1], bits(params.poly, params.width)].concat()
}

fn polynomial(params: &Params) -> String {
    let &Params { width, poly, .. } = params;
    let powers =
        (1..width).rev().filter(|&power| poly >> power & 1 == 1).map(|power| match power {
            1 => "x".to_string(),
            power => format!("x^{power}"),
        });
    let mut terms = vec![if width == 1 { "x".to_string() } else { format!("x^{width}") }];
    terms.extend(powers);
    terms.push("1".into());
    // Random polynomials of 64 bits have 30 terms and more.
    let shown =
        if terms.len() > 24 { "a polynomial of many terms".into() } else { terms.join(" + ") };
    format!("generator  {} = {shown}", text(&generator(params)))
}

/// Returns a line for each four bytes.
fn reversals(data: &[u8]) -> Vec<String> {
    let one = |byte: &u8| format!("{byte:02x}: {byte:08b} -> {:08b}", byte.reverse_bits());
    data.chunks(4)
        .map(|bytes| format!("  {}", bytes.iter().map(one).collect::<Vec<_>>().join("   ")))
        .collect()
}

/// Returns the long division, written out; returns the remainder.
fn divide(params: &Params, message: &[u8], lines: &mut Vec<String>) -> u128 {
    let (width, generator) = (usize::from(params.width), generator(params));
    let mut dividend = [message, &vec![0; width]].concat();
    lines.push(format!(
        "The dividend is the message and {width} zeros, where the remainder will stand:"
    ));
    lines.push(format!("  {}", text(&dividend)));
    if params.init != 0 {
        lines.push(format!(
            "init = {}: a register that starts so amounts to adding it to the first {width} bits:",
            hex(params, params.init)
        ));
        let init = bits(params.init, params.width);
        lines.push(format!("  {}", text(&init)));
        dividend.iter_mut().zip(&init).for_each(|(bit, start)| *bit ^= start);
        lines.push(format!("  {}", text(&dividend)));
    }
    lines.push(String::new());
    lines.push(
        "The division. Addition and subtraction are exclusive or; there are no carries.".into(),
    );
    let mut first = true;
    for place in 0..message.len() {
        if dividend[place] == 0 {
            continue;
        }
        if first {
            lines.push(format!("  {}{}", " ".repeat(place), text(&dividend[place..])));
            first = false;
        }
        dividend[place..].iter_mut().zip(&generator).for_each(|(bit, term)| *bit ^= term);
        lines.push(format!("  {}{}", " ".repeat(place), text(&generator)));
        lines.push(format!("  {}{}", " ".repeat(place), "-".repeat(generator.len())));
        let next = (place..message.len()).find(|&p| dividend[p] == 1).unwrap_or(message.len());
        lines.push(format!("  {}{}", " ".repeat(next), text(&dividend[next..])));
    }
    if first {
        lines.push("  Nothing is left to divide.".into());
    }
    number(&dividend[message.len()..])
}

/// Returns the register after each byte, for dividends too wide to write out; returns the
/// remainder.
fn step(params: &Params, data: &[u8], lines: &mut Vec<String>) -> u128 {
    let width = params.width;
    lines.push(format!(
        "The dividend has {} bits, too many to write the division out. The same, a byte at a time: \
         each bit meets",
        8 * data.len() + usize::from(width)
    ));
    lines.push(
        "the register's top bit; the register moves up by one; if the two differed, the generator \
         is added."
            .into(),
    );
    lines.push(String::new());
    let mut register = params.init;
    let digits = hex(params, 0).len().max(8);
    lines.push(format!("  byte  bits      {:>digits$}  (start: init)", hex(params, register)));
    for &byte in data {
        let order = if params.refin { byte.reverse_bits() } else { byte };
        let mut added = String::new();
        for bit in (0..8).rev().map(|i| u128::from(order) >> i & 1) {
            let top = register >> (width - 1) & 1;
            register = register << 1 & params.mask();
            if top != bit {
                register ^= params.poly;
            }
            added.push(if top == bit { '.' } else { '+' });
        }
        let after = hex(params, register);
        lines.push(format!(
            "  {byte:02x}    {order:08b}  {after:>digits$}  generator added: {added}"
        ));
    }
    register
}

/// From the remainder to the value.
fn finish(params: &Params, remainder: u128, lines: &mut Vec<String>) -> u128 {
    lines.push(String::new());
    let shown =
        |value: u128| format!("{} = {}", text(&bits(value, params.width)), hex(params, value));
    lines.push(format!("remainder  {}", shown(remainder)));
    let mut value = remainder;
    if params.refout {
        value = number(&bits(value, params.width).into_iter().rev().collect::<Vec<_>>());
        lines.push(format!("refout     {}  (bits in reverse)", shown(value)));
    }
    if params.xorout != 0 {
        value ^= params.xorout;
        lines.push(format!("xorout     {}  (added at the end)", shown(params.xorout)));
    }
    lines.push(format!("value      {}", shown(value)));
    value
}
