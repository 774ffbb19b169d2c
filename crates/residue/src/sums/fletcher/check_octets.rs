//! Check octets: bytes placed inside the data so that Fletcher's sums over all of it become zero.
//!
//! **Two octets** (ISO 8473, ISO 8073 = RFC 905 annex B, IS-IS, OSPF), for sums modulo 255. With L
//! bytes of data, the octets X, Y at 0-based offset o set to zero, and A, B computed:
//!
//! ```text
//! X = (L - o - 1) A - B mod 255        Y = B - (L - o) A mod 255
//! ```
//!
//! An octet that comes out 0 is stored as 255, the same residue: the field 0000 is reserved for "no
//! checksum". Example: `abcdefgh` followed by the two octets D2 06 sums to zero.
//!
//! **Four octets** (Sklower 1989, section 3), for sums of big-endian words modulo 65535, at an even
//! or an odd offset. Example: `abcd` 4947 2523 `efgh`, and `abc` A5 48C5 25 `defgh`.
//!
//! **Trap.** Verify by A = B = 0 over all data including the octets, never by recomputing the
//! octets and comparing: 00 and FF are one residue, and another implementation may choose the other
//! form.

use super::{Fletcher16, Fletcher32, Mod255, Mod65535, Sums, Variant, swap_halves, update_at};
use crate::sums::running::Summed;

/// Returns the two check octets for `data`, taking its two bytes at `offset` as zero.
///
/// Returns `None` if the octets do not fit in the data.
///
/// ```
/// use residue::fletcher::check_octets::octets;
/// assert_eq!(octets(b"abcdefgh\0\0", 8), Some([0xd2, 0x06]));
/// ```
#[must_use]
pub fn octets(data: &[u8], offset: usize) -> Option<[u8; 2]> {
    let sums = sums_without::<Mod255, 2>(data, offset)?;
    octets_from(&sums, offset as u64)
}

/// Returns the two check octets at `offset` for data that was summed in pieces with zeros in their
/// place.
///
/// Returns `None` if the octets do not fit in the data.
///
/// ```
/// use residue::fletcher::{Fletcher16, check_octets::octets_from};
/// let mut sums = Fletcher16::new();
/// sums.update_scattered(&[&b"abc"[..], b"defgh\0", b"\0"]);
/// assert_eq!(octets_from(&sums, 8), Some([0xd2, 0x06]));
/// ```
#[must_use]
pub fn octets_from(sums: &Fletcher16, offset: u64) -> Option<[u8; 2]> {
    let after = sums.bytes().checked_sub(offset).filter(|&after| after >= 2)? % 255;
    let [a, b] = sums.sums().map(u64::from);
    let x = ((after + 254) * a + 255 - b) % 255;
    let y = (b + (255 - after) * a) % 255;
    Some([x, y].map(|octet| if octet == 0 { 255 } else { octet as u8 }))
}

/// Writes the two check octets into `data` at `offset` and returns them.
///
/// Returns `None`, and writes nothing, if they do not fit.
pub fn place(data: &mut [u8], offset: usize) -> Option<[u8; 2]> {
    let found = octets(data, offset)?;
    data[offset..offset + 2].copy_from_slice(&found);
    Some(found)
}

/// Returns whether both sums of bytes over `data`, including its check octets, are zero modulo 255.
#[must_use]
pub fn verify(data: &[u8]) -> bool {
    Mod255::DISPATCH.run(&(), Mod255::START, data) == [0, 0]
}

/// Returns the check octets at `offset` after the byte at `place` (outside the octets) changed from
/// `old` to `new`.
///
/// With this, RFC 1008 counts down a lifetime without reading the rest. It does not depend on the
/// data's length. Returns `None` if `place` is inside the octets.
///
/// ```
/// use residue::fletcher::check_octets::update;
/// // A CLNP header whose octets are at offset 7; the lifetime, at offset 3, goes from 40 to 3f.
/// assert_eq!(update([0xe1, 0x6e], 7, 3, 0x40, 0x3f), Some([0xe6, 0x6a]));
/// ```
#[must_use]
pub fn update(octets: [u8; 2], offset: usize, place: usize, old: u8, new: u8) -> Option<[u8; 2]> {
    if (offset..=offset.checked_add(1)?).contains(&place) {
        return None;
    }
    let change = i128::from(new) - i128::from(old);
    let distance = place as i128 - offset as i128;
    let x = i128::from(octets[0]) + (distance - 1) * change;
    let y = i128::from(octets[1]) - distance * change;
    Some([x, y].map(|octet| match octet.rem_euclid(255) as u8 {
        0 => 255,
        octet => octet,
    }))
}

/// Returns the four check octets for `data`, taking its four bytes at `offset` (even or odd) as
/// zero.
///
/// Returns `None` if the octets do not fit in the data.
///
/// ```
/// use residue::fletcher::check_octets::four_octets;
/// assert_eq!(four_octets(b"abcd\0\0\0\0efgh", 4), Some([0x49, 0x47, 0x25, 0x23]));
/// assert_eq!(four_octets(b"abc\0\0\0\0defgh", 3), Some([0xa5, 0x48, 0xc5, 0x25]));
/// ```
#[must_use]
pub fn four_octets(data: &[u8], offset: usize) -> Option<[u8; 4]> {
    let sums = sums_without::<Mod65535, 4>(data, offset)?;
    four_octets_from(&sums, offset as u64)
}

/// Returns the four check octets at `offset` for data that was summed in pieces with zeros in their
/// place.
///
/// Returns `None` if the octets do not fit in the data.
#[must_use]
pub fn four_octets_from(sums: &Fletcher32, offset: u64) -> Option<[u8; 4]> {
    sums.bytes().checked_sub(offset).filter(|&after| after >= 4)?;
    let [a, b] = sums.sums();
    // Big-endian words have these sums with their bytes swapped.
    let swapped = swap_halves(b << 16 | a);
    let (a, b) = (i64::from(swapped & 0xffff), i64::from(swapped >> 16));
    // Word k, which holds the first octet, has the weight w = N - k.
    let weight = ((sums.bytes().div_ceil(2) - offset / 2) % 65535) as i64;
    let modulo = |sum: i64| sum.rem_euclid(65535) as u16;
    if offset.is_multiple_of(2) {
        let x = modulo((weight - 1) * a - b).to_be_bytes();
        let y = modulo(b - weight * a).to_be_bytes();
        Some([x[0], x[1], y[0], y[1]])
    } else {
        // Octets p | q r | s over three words of weights w, w-1, w-2. From A = 0 and B = 0: p - 256
        // s = (w-1) A - B. With t = 255 - s that is p + 256 t = (w-1) A - B + 255 * 256 = (w-1) A -
        // B - 255 modulo 65535, and p, t are its bytes.
        let [t, p] = modulo((weight - 1) * a - b - 255).to_be_bytes();
        let s = 255 - t;
        let [q, r] = modulo(-a - i64::from(p) - 256 * i64::from(s)).to_be_bytes();
        Some([p, q, r, s])
    }
}

/// Returns the four check octets at `offset` after the bytes `old`, at `place` in data of `length`
/// bytes, became `new`.
///
/// The rest of the data is not needed. Returns `None` if the lengths of `old` and `new` differ, the
/// change reaches past `length` or touches the octets, or the octets do not fit.
#[must_use]
pub fn update_four(
    octets: [u8; 4],
    length: u64,
    offset: u64,
    place: u64,
    old: &[u8],
    new: &[u8],
) -> Option<[u8; 4]> {
    let (end, octets_end) = (place.checked_add(old.len() as u64)?, offset.checked_add(4)?);
    if place < octets_end && offset < end && !old.is_empty() {
        return None;
    }
    // With its octets the data sum to zero: remove them, add the change, and compute the octets
    // that are missing.
    let sums = update_at::<Mod65535>([0, 0], length, offset, &octets, &[0; 4])?;
    let sums = update_at::<Mod65535>(sums, length, place, old, new)?;
    four_octets_from(&Sums::of(sums, length), offset)
}

/// Writes the four check octets into `data` at `offset` and returns them.
///
/// Returns `None`, and writes nothing, if they do not fit.
pub fn place_four(data: &mut [u8], offset: usize) -> Option<[u8; 4]> {
    let found = four_octets(data, offset)?;
    data[offset..offset + 4].copy_from_slice(&found);
    Some(found)
}

/// Returns whether both sums of words over `data`, including the four check octets, are zero modulo
/// 65535.
///
/// The result does not depend on the byte order: swapping the bytes of zero gives zero.
#[must_use]
pub fn verify_four(data: &[u8]) -> bool {
    Mod65535::DISPATCH.run(&(), Mod65535::START, data) == [0, 0]
}

/// Returns A and B of `data` with the `N` bytes at `offset` taken as zero, or `None` if they reach
/// past the end.
///
/// It sums all bytes at once and subtracts the part of those `N`, because each piece would cost a
/// call.
fn sums_without<V: Variant, const N: usize>(data: &[u8], offset: usize) -> Option<Sums<V>> {
    let octets: &[u8; N] = data.get(offset..)?.first_chunk()?;
    let sums = V::DISPATCH.run(&(), V::START, data);
    let length = data.len() as u64;
    let sums = update_at::<V>(sums, length, offset as u64, octets, &[0; N])?;
    Some(Sums::of(sums, length))
}
