//! Shows the codes that are sums as tables of their running sums.

use super::shown::{Shown, input};
use residue::code::Sum;

/// The treatment of carries in a sum of words.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    /// The carry out of the top is added at the bottom.
    EndAround,
    /// The carry is added at the bottom, and the sum is then rotated to the left.
    Rotated,
    /// The carry is lost.
    Wrapping,
    /// No carries at all.
    ExclusiveOr,
}

/// The reduction of Fletcher's sums modulo M.
#[derive(Clone, Copy)]
enum Reduction {
    /// A remainder: 0 to M - 1.
    Remainder,
    /// End-around carry: M itself may stand.
    EndAround,
}

/// The parameters of a kind of Fletcher's sums.
struct Pair {
    /// Bytes to a unit, and whether the first is the lowest.
    unit: usize,
    little_endian: bool,
    modulus: u64,
    reduction: Reduction,
    /// The start of A.
    start: u64,
    /// Bits of each sum, and whether A goes above B.
    bits: u32,
    a_first: bool,
}

pub(super) fn shown(sum: Sum, data: &[u8]) -> Shown {
    let fletcher = Pair {
        unit: 1,
        little_endian: false,
        modulus: 255,
        reduction: Reduction::Remainder,
        start: 0,
        bits: 8,
        a_first: false,
    };
    let words = Pair { unit: 2, modulus: 65535, bits: 16, ..fletcher };
    let end_around = Reduction::EndAround;
    let pair = match sum {
        Sum::Internet => return sum_of(data, 2, Step::EndAround, true),
        Sum::Xns => return sum_of(data, 2, Step::Rotated, false),
        Sum::Xor8 => return sum_of(data, 1, Step::ExclusiveOr, false),
        Sum::Xor16 => return sum_of(data, 2, Step::ExclusiveOr, false),
        Sum::Xor32 => return sum_of(data, 4, Step::ExclusiveOr, false),
        Sum::Sum8 => return sum_of(data, 1, Step::Wrapping, false),
        Sum::Sum16 => return sum_of(data, 2, Step::Wrapping, false),
        Sum::Sum32 => return sum_of(data, 4, Step::Wrapping, false),
        Sum::Koopman8 => return scaled(data, 8, 253),
        Sum::Koopman16 => return scaled(data, 16, 65519),
        Sum::Koopman32 => return scaled(data, 32, 4_294_967_291),
        Sum::Iso8473 => return two_octets(fletcher.shown(data)),
        Sum::FourOctets => return four_octets(words.shown(data), data.len()),
        Sum::Fletcher16 => fletcher,
        Sum::Fletcher16Mod256 => Pair { modulus: 256, ..fletcher },
        Sum::Fletcher32 => Pair { little_endian: true, ..words },
        Sum::Fletcher32Mod65536 => Pair { little_endian: true, modulus: 65536, ..words },
        Sum::Fletcher32Be => words,
        Sum::Rfc1146B8 => Pair { reduction: end_around, a_first: true, ..fletcher },
        Sum::Rfc1146B16 => Pair { reduction: end_around, a_first: true, ..words },
        Sum::Adler32 => Pair { modulus: 65521, start: 1, bits: 16, ..fletcher },
        Sum::Dual16 => Pair { unit: 4, modulus: 253, ..fletcher },
        Sum::Dual32 => Pair { unit: 4, modulus: 65525, ..words },
    };
    pair.shown(data)
}

/// Shows the check octets for bytes: A + k and B + 2 k' of the appended octets must be zero, for
/// sums B:A of the data alone.
fn two_octets(sums: Shown) -> Shown {
    let (a, b) = (sums.value as u32 & 0xff, sums.value as u32 >> 8);
    let written = |octet: u32| if octet == 0 { 255 } else { octet };
    let (x, y) = (written((510 - a - b) % 255), written(b));
    let described = [
        "Two octets X, Y after the data make both sums zero: A + X + Y = 0 and B + 2A + 2X + Y = \
         0, so"
            .to_string(),
        format!(
            "X = -(A + B) = {x} = {x:02x} and Y = B = {y} = {y:02x} modulo 255; a zero is \
            written ff"
        ),
    ];
    octets(sums, described, u128::from(x << 8 | y), 4)
}

/// Shows the check octets for 16-bit units.
///
/// After an odd length the octets p, q, r, s straddle the words.
fn four_octets(sums: Shown, length: usize) -> Shown {
    let (a, b) = (sums.value as i64 & 0xffff, sums.value as i64 >> 16);
    let modulo = |sum: i64| sum.rem_euclid(65535) as u32;
    let (described, value) = if length.is_multiple_of(2) {
        let (x, y) = (modulo(-a - b), modulo(b));
        let described = [
            "Two words X, Y after the data make both sums zero: A + X + Y = 0 and B + 2A + 2X + Y \
             = 0, so"
                .to_string(),
            format!("X = -(A + B) = {x} = {x:04x} and Y = B = {y} = {y:04x} modulo 65535"),
        ];
        (described, u128::from(x) << 16 | u128::from(y))
    } else {
        let u = modulo(-b - 255);
        let (p, s) = (u & 0xff, 255 - (u >> 8));
        let middle = modulo(-a - i64::from(p) - 256 * i64::from(s));
        let described = [
            format!(
                "The octets p | q r | s straddle the words: p - 256 s = -B, so with U = -B - 255 = \
                 {u:04x}"
            ),
            format!(
                "p = U mod 256 = {p:02x}, s = 255 - U div 256 = {s:02x}, and q r = -A - p - 256 s \
                 = {middle:04x}"
            ),
        ];
        (described, u128::from(p) << 24 | u128::from(middle) << 8 | u128::from(s))
    };
    octets(sums, described, value, 8)
}

fn octets(sums: Shown, described: [String; 2], value: u128, digits: usize) -> Shown {
    let mut lines = sums.lines;
    // The value of the sums themselves is not this code's.
    lines.pop();
    lines.extend(described);
    lines.push(format!("value    {value:0digits$x}  (the octets as sent)"));
    Shown { lines, value }
}

/// Returns the units of `data`, the last padded with zeros after its bytes.
fn units(data: &[u8], bytes: usize, little_endian: bool) -> Vec<u32> {
    let unit = |chunk: &[u8]| {
        let at = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        (0..bytes).fold(0, |unit, i| {
            let i = if little_endian { bytes - 1 - i } else { i };
            unit << 8 | at(i)
        })
    };
    data.chunks(bytes).map(unit).collect()
}

fn head(data: &[u8], bytes: usize, little_endian: bool) -> Vec<String> {
    let order = match (bytes, little_endian) {
        (1, _) => "Each byte is a unit.".to_string(),
        (_, true) => format!("Units are words of {bytes} bytes, the first byte lowest."),
        (_, false) => format!("Units are words of {bytes} bytes, the first byte highest."),
    };
    let mut lines = vec![format!("message  {}", input(data)), order];
    if !data.len().is_multiple_of(bytes) {
        let missing = bytes - data.len() % bytes;
        let bytes = match missing {
            1 => "a zero byte".to_string(),
            _ => format!("{missing} zero bytes"),
        };
        lines.push(format!("The last word is filled up with {bytes} after its own."));
    }
    lines.push(String::new());
    lines
}

fn sum_of(data: &[u8], bytes: usize, step: Step, complement: bool) -> Shown {
    let (bits, digits) = (8 * bytes, 2 * bytes);
    let mask = u32::MAX >> (32 - bits);
    let mut lines = head(data, bytes, false);
    let column = digits.max(4);
    lines.push(match step {
        Step::EndAround => {
            format!("  {:>column$}  {:>5}  carry  {:>column$}", "word", "added", "sum")
        }
        Step::Rotated => {
            format!(
                "  {:>column$}  {:>5}  carry  {:>column$}  rotated left",
                "word", "added", "sum"
            )
        }
        Step::Wrapping => format!("  {:>column$}  {:>column$}  carry, lost", "word", "sum"),
        Step::ExclusiveOr => format!("  {:>column$}  {:>column$}", "word", "xor"),
    });
    let mut total = 0u32;
    for word in units(data, bytes, false) {
        let added = u64::from(total) + u64::from(word);
        let (low, carry) = (added as u32 & mask, (added >> bits) as u32);
        let shown = format!("{word:0digits$x}");
        lines.push(match step {
            Step::EndAround => {
                total = low + carry;
                format!("  {shown:>column$}  {added:>5x}  {carry:>5}  {total:0digits$x}")
            }
            Step::Rotated => {
                let folded = low + carry;
                total = (folded << 1 | folded >> (bits - 1)) & mask;
                format!(
                    "  {shown:>column$}  {added:>5x}  {carry:>5}  {folded:0digits$x}  \
                    {total:0digits$x}"
                )
            }
            Step::Wrapping => {
                total = low;
                format!("  {shown:>column$}  {:>column$}  {carry}", format!("{total:0digits$x}"))
            }
            Step::ExclusiveOr => {
                total ^= word;
                format!("  {shown:>column$}  {:>column$}", format!("{total:0digits$x}"))
            }
        });
    }
    lines.push(String::new());
    if complement {
        lines.push(format!("sum         {total:0digits$x}"));
        total = !total & mask;
        lines.push("complement  every bit is inverted".into());
    }
    if step == Step::Rotated && total == mask {
        lines.push(format!(
            "{total:0digits$x} means that there is no checksum; the same number is written 0000"
        ));
        total = 0;
    }
    lines.push(format!("value       {total:0digits$x}"));
    Shown { lines, value: total.into() }
}

/// Shows Koopman's checksum: the digits to the base 256 come down one by one.
fn scaled(data: &[u8], width: u32, modulus: u64) -> Shown {
    let mut lines = head(data, 1, false);
    lines.push(format!("The sum times 256, plus the byte, modulo {modulus}; then zero bytes."));
    lines.push(String::new());
    lines.push(format!("  {:>4}  {:>24}  {:>10}", "byte", "sum x 256 + byte", "remainder"));
    let mut total = 0_u64;
    let zeros = vec![0; width as usize / 8];
    for (place, &byte) in data.iter().chain(&zeros).enumerate() {
        let plain = total << 8 | u64::from(byte);
        let shown = if place < data.len() { format!("{byte:02x}") } else { "zero".into() };
        total = plain % modulus;
        lines.push(format!("  {shown:>4}  {plain:>24}  {total:>10}"));
    }
    lines.push(String::new());
    lines.push(format!("value       {total:0digits$x}", digits = width as usize / 4));
    Shown { lines, value: total.into() }
}

impl Pair {
    fn reduce(&self, sum: u64) -> u64 {
        match self.reduction {
            Reduction::Remainder => sum % self.modulus,
            // Both addends are at most M, so one M is all there can be too much.
            Reduction::EndAround if sum > self.modulus => sum - self.modulus,
            Reduction::EndAround => sum,
        }
    }

    fn shown(&self, data: &[u8]) -> Shown {
        let mut lines = head(data, self.unit, self.little_endian);
        let modulus = self.modulus;
        lines.push(match self.reduction {
            Reduction::Remainder => format!(
                "A adds the units, B adds the As, both modulo \
                {modulus}."
            ),
            Reduction::EndAround => format!(
                "A adds the units, B adds the As; above {modulus}, {modulus} is taken off \
                 (end-around carry)."
            ),
        });
        lines.push(String::new());
        let (mut a, mut b) = (self.start, 0);
        // As wide as the largest numbers, two of which are added up.
        let (first, second) = if self.unit == 4 { (10, 27) } else { (6, 22) };
        lines.push(format!("  {:>first$}  {:>second$}  {:>22}", "unit", "A", "B"));
        lines.push(format!("  {:>first$}  {a:>second$}  {b:>22}", "start"));
        for unit in units(data, self.unit, self.little_endian).into_iter().map(u64::from) {
            let (plain_a, next_a) = (a + unit, self.reduce(a + unit));
            let (plain_b, next_b) = (b + next_a, self.reduce(b + next_a));
            let described = |before: u64, added: u64, plain: u64, reduced: u64| {
                if plain == reduced {
                    format!("{before} + {added} = {reduced}")
                } else {
                    format!("{before} + {added} -> {reduced}")
                }
            };
            let (text_a, text_b) =
                (described(a, unit, plain_a, next_a), described(b, next_a, plain_b, next_b));
            lines.push(format!("  {unit:>first$}  {text_a:>second$}  {text_b:>22}"));
            (a, b) = (next_a, next_b);
        }
        let (upper, lower) = if self.a_first { (a, b) } else { (b, a) };
        let digits = self.bits as usize / 4;
        let names = if self.a_first { ("A", "B") } else { ("B", "A") };
        lines.push(String::new());
        lines.push(format!(
            "A = {a} = {a:0digits$x}, B = {b} = {b:0digits$x}; `->` marks where the \
            modulus was taken off"
        ));
        lines.push(format!(
            "value    {upper:0digits$x}{lower:0digits$x}  ({}, then {})",
            names.0, names.1
        ));
        Shown { lines, value: u128::from(upper) << self.bits | u128::from(lower) }
    }
}
