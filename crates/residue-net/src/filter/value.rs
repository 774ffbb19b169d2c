//! The values in filters: numbers, ports, addresses.

use super::names::port;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Reads a decimal number, or a hexadecimal one after `0x`.
pub fn number(word: &str) -> Option<u32> {
    match word.strip_prefix("0x") {
        Some(digits) if !digits.starts_with('+') => u32::from_str_radix(digits, 16).ok(),
        Some(_) => None,
        None if word.starts_with(|c: char| c.is_ascii_digit()) => word.parse().ok(),
        None => None,
    }
}

/// Reads a port: a number, or a name.
pub fn port_number(word: &str) -> Option<u16> {
    number(word).map_or_else(|| port(word), |number| number.try_into().ok())
}

/// Reads an address of IPv4 or IPv6.
pub fn address(word: &str) -> Option<Vec<u8>> {
    let four = word.parse::<Ipv4Addr>().map(|it| it.octets().to_vec());
    four.or_else(|_| word.parse::<Ipv6Addr>().map(|it| it.octets().to_vec())).ok()
}

/// Reads the first one to three bytes of an IPv4 address, and returns their number of bits.
pub fn abbreviated(word: &str) -> Option<([u8; 4], u32)> {
    let mut address = [0; 4];
    let mut count = 0;
    for part in word.split('.') {
        *address.get_mut(count)? = number(part)?.try_into().ok()?;
        count += 1;
    }
    (count < 4).then_some((address, 8 * count as u32))
}

/// Returns a mask of a number of bits, of this length in bytes.
pub fn mask(bits: u32, length: usize) -> Vec<u8> {
    let byte = |at: usize| !(0xff_u32 >> bits.saturating_sub(8 * at as u32).min(8)) as u8;
    (0..length).map(byte).collect()
}

/// Reads an Ethernet address: six bytes separated by colons or hyphens.
pub fn mac(word: &str) -> Option<[u8; 6]> {
    let separator = if word.contains(':') { ':' } else { '-' };
    let parts: Option<Vec<u8>> = word
        .split(separator)
        .map(|part| match part.len() {
            1 | 2 if part.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                u8::from_str_radix(part, 16).ok()
            }
            _ => None,
        })
        .collect();
    parts?.try_into().ok()
}
