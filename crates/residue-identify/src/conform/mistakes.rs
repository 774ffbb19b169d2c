//! Wrong implementations of the codes, as they occur in programs and papers.
//!
//! Each entry computes a check value with a mistake that has occurred in practice, and describes
//! it. The table has two users: a test that the test vectors detect each mistake, and `residue
//! conform`, which names the mistake that the answers of another program match. docs/traps.md
//! describes the mistakes.
//!
//! Nothing here may call the library: a mistake must stay when the library changes.

/// One wrong implementation.
pub struct Mistake {
    /// A short name, unique within its code.
    pub name: &'static str,
    /// The code it was meant to be, by its name in `vectors/`.
    pub code: &'static str,
    /// The value it gives.
    pub wrong: fn(&[u8]) -> u64,
    /// A description of the mistake in one sentence.
    pub why: &'static str,
}

/// Returns a shorter way to write one row of the table.
const fn row(
    code: &'static str,
    name: &'static str,
    wrong: fn(&[u8]) -> u64,
    why: &'static str,
) -> Mistake {
    Mistake { name, code, wrong, why }
}

/// Every planted mistake, grouped by code.
#[rustfmt::skip]
pub static MISTAKES: &[Mistake] = &[
    row("internet", "no-carry",
        |d| complement(words(d).iter().fold(0u16, |s, &w| s.wrapping_add(w)).into()),
        "The carry out of bit 15 is dropped instead of added at bit 0."),
    row("internet", "carry-once",
        |d| { let s = plain_sum(d); complement((s & 0xFFFF) + (s >> 16)) },
        "The sum is folded once, and the carry of that fold is dropped."),
    row("internet", "sum-overflows-32-bits",
        |d| complement(fold16(words(d).iter().fold(0u32, |s, &w| s.wrapping_add(w.into())).into())),
        "A 32-bit sum of 16-bit words overflows after 65,537 words."),
    row("internet", "32-bit-words-without-carry", |d| complement(fold16(wide_sum_without_carry(d))),
        "32-bit words are added in a 32-bit register and their carries are lost."),
    row("internet", "odd-byte-low", |d| complement(end_around(&odd_byte_low(d))),
        "The last odd byte is added as the low half of a word; the zero belongs after it."),
    row("internet", "odd-byte-dropped", |d| complement(end_around(&words(whole_words(d)))),
        "The last odd byte is not added."),
    row("internet", "pieces-padded-apart", |d| complement(end_around(&pieces(d))),
        "Each piece of a scattered buffer is padded on its own, so bytes after an odd piece land \
         in the wrong half."),
    row("internet", "not-complemented", |d| end_around(&words(d)),
        "The sum is stored without its complement."),
    row("internet", "byte-swapped", |d| swap16(complement(end_around(&words(d)))),
        "The value of a little-endian machine is not turned into network order."),
    row("internet", "zero-becomes-ffff",
        |d| match complement(end_around(&words(d))) { 0 => 0xFFFF, v => v },
        "0000 is turned into FFFF, by UDP's rule applied everywhere or by a remainder modulo \
         65535."),
    row("internet", "article-c", |d| article_c(d, true, true, true),
        "The article's C routine reads its 2-byte tail at [i * 4], its odd byte at [len - 1] after \
         len shrank, and takes a 16-bit length."),
    row("internet", "article-c-word-tail", |d| article_c(d, true, false, false),
        "The 2-byte tail is read at [i * 4] of 16-bit words, where [i * 2] is meant."),
    row("internet", "article-c-odd-byte", |d| article_c(d, false, true, false),
        "The odd byte is read at data[len - 1] after len has been counted down, so it is always \
         the first byte."),
    row("internet", "article-c-16-bit-length", |d| article_c(d, false, false, true),
        "The length is 16 bits wide, so 65,536 bytes count as none."),
    row("internet", "article-assembly", article_assembly,
        "The tails of 4, 2 and 1 bytes are added to a full 64-bit sum without end-around carry."),

    row("xns", "no-rotation", |d| nonnegative(end_around(&words(d))),
        "The sum is not rotated, which makes it an Internet sum."),
    row("xns", "rotate-first", |d| nonnegative(cycle(d, |s, w| carry16(s.rotate_left(1), w))),
        "The sum is rotated before the addition instead of after it."),
    row("xns", "no-carry", |d| nonnegative(cycle(d, |s, w| s.wrapping_add(w).rotate_left(1))),
        "The addition drops its carry."),
    row("xns", "shift", |d| nonnegative(cycle(d, |s, w| carry16(s, w) << 1)),
        "The sum is shifted left, so its top bit is lost."),
    row("xns", "rotate-right", |d| nonnegative(cycle(d, |s, w| carry16(s, w).rotate_right(1))),
        "The sum is rotated to the right."),
    row("xns", "complemented", |d| complement(xns(d)),
        "The value is complemented as if it were an Internet checksum."),
    row("xns", "little-endian",
        |d| nonnegative(fold_words(&words_le(d), |s, w| carry16(s, w).rotate_left(1))),
        "Words are read low byte first; rotation makes the sum depend on byte order."),
    row("xns", "ffff-kept", |d| cycle(d, |s, w| carry16(s, w).rotate_left(1)),
        "A sum of FFFF is kept, although FFFF in the field means that there is no checksum."),
    row("xns", "odd-byte-dropped", |d| xns(whole_words(d)),
        "The garbage byte of an odd length is left out; it is summed."),
    row("xns", "odd-byte-low",
        |d| nonnegative(fold_words(&odd_byte_low(d), |s, w| carry16(s, w).rotate_left(1))),
        "The last odd byte is added as the low half of a word."),

    row("fletcher-16", "modulo-256", |d| fletcher(&bytes(d), 256, 8, 0),
        "8-bit sums that wrap compute modulo 256, not 255."),
    row("fletcher-16", "halves-swapped", |d| swap16(fletcher(&bytes(d), 255, 8, 0)),
        "The first sum is put in the upper half."),
    row("fletcher-16", "seed-ff", |d| fletcher_end_around(&bytes(d), 8, 0xFF),
        "Both sums start at FF and keep it, so a zero sum reads FF."),
    row("fletcher-16", "end-around", |d| fletcher_end_around(&bytes(d), 8, 0),
        "End-around carry leaves FF where modulo 255 leaves 00."),
    row("fletcher-16", "second-sum-first", |d| second_sum_first(&bytes(d), 255, 8),
        "The second sum is updated before the first, so each weight is one too small."),
    row("fletcher-16", "never-reduced", |d| fletcher_blocks(&bytes(d), usize::MAX, 255, 8, 0),
        "32-bit sums are reduced only at the end and overflow after 5,803 bytes."),
    row("fletcher-16", "block-5803", |d| fletcher_folded(&bytes(d), 5803, 8),
        "5,803 bytes between reductions are safe from zero, not from a reduced sum of FF."),
    row("fletcher-16", "signed-block-5802", fletcher16_signed,
        "The block length that fits unsigned 32-bit sums overflows signed ones, which hold 4,102 \
         bytes."),
    row("fletcher-16", "pairs-256", |d| pairs(d, 256, 256, false),
        "Two bytes a step: 255 steps fit 32 bits, 256 do not."),
    row("fletcher-16", "pairs-signed", |d| pairs(d, 255, 253, true),
        "The step counts for unsigned sums are used with signed ints, as in Sklower's appendix; \
         they overflow at the 182nd pair."),

    row("fletcher-32", "halves-swapped", |d| swap_halves(fletcher(&words_le(d), 65535, 16, 0)),
        "The first sum is put in the upper half."),
    row("fletcher-32", "odd-byte-high", |d| fletcher(&odd_byte_high_le(d), 65535, 16, 0),
        "The zero is put before the last odd byte instead of after it."),
    row("fletcher-32", "odd-byte-dropped", |d| fletcher(&words_le(whole_words(d)), 65535, 16, 0),
        "The last odd byte is not added."),
    row("fletcher-32", "seed-ffff", |d| fletcher_end_around(&words_le(d), 16, 0xFFFF),
        "Both sums start at FFFF, as in much copied C code, so a zero sum reads FFFF."),
    row("fletcher-32", "big-endian", |d| fletcher(&words(d), 65535, 16, 0),
        "Words are read high byte first: that is the other Fletcher-32."),
    row("fletcher-32", "modulo-65536", |d| fletcher(&words_le(d), 65536, 16, 0),
        "16-bit sums that wrap compute modulo 65536, not 65535."),
    row("fletcher-32", "bytes-as-units", |d| fletcher(&bytes(d), 65535, 16, 0),
        "Bytes are added where 16-bit words are meant."),
    row("fletcher-32", "never-reduced", |d| fletcher_blocks(&words_le(d), usize::MAX, 65535, 16, 0),
        "32-bit sums are reduced only at the end and overflow after 361 words."),
    row("fletcher-32", "block-361", |d| fletcher_folded(&words_le(d), 361, 16),
        "361 words between reductions are safe from zero, not from a folded sum of FFFF."),

    row("fletcher-32/be", "little-endian", |d| fletcher(&words_le(d), 65535, 16, 0),
        "Words are read low byte first: that is the other Fletcher-32."),
    row("fletcher-32/be", "odd-byte-low", |d| fletcher(&odd_byte_low(d), 65535, 16, 0),
        "The zero is put before the last odd byte instead of after it."),
    row("fletcher-32/be", "seed-ffff", |d| fletcher_end_around(&words(d), 16, 0xFFFF),
        "Both sums start at FFFF, so a zero sum reads FFFF."),

    row("rfc1146-8", "modulo-256", |d| swap16(fletcher(&bytes(d), 256, 8, 0)),
        "8-bit sums that wrap compute modulo 256; RFC 1146 wants end-around carry."),
    row("rfc1146-8", "second-sum-first", |d| fletcher_end_around(&bytes(d), 8, 0),
        "The second sum is put in the first octet."),
    row("rfc1146-16", "second-sum-first", |d| fletcher_end_around(&words(d), 16, 0),
        "The second sum is put in the checksum field and the first in the option."),
    row("rfc1146-16", "little-endian", |d| swap_halves(fletcher_end_around(&words_le(d), 16, 0)),
        "Words are read low byte first."),

    row("adler-32", "starts-at-0", |d| fletcher(&bytes(d), 65521, 16, 0),
        "The first sum starts at 0 instead of 1."),
    row("adler-32", "halves-swapped", |d| swap_halves(fletcher(&bytes(d), 65521, 16, 1)),
        "The first sum is put in the upper half."),
    row("adler-32", "modulo-65535", |d| fletcher(&bytes(d), 65535, 16, 1),
        "The modulus is 65521, the largest prime below 65536."),
    row("adler-32", "modulo-65536", |d| fletcher(&bytes(d), 65536, 16, 1),
        "16-bit sums that wrap compute modulo 65536."),
    row("adler-32", "words", |d| fletcher(&words_le(d), 65521, 16, 1),
        "16-bit words are added where bytes are meant."),
    row("adler-32", "never-reduced", |d| fletcher_blocks(&bytes(d), usize::MAX, 65521, 16, 1),
        "32-bit sums are reduced only at the end and overflow."),
    row("adler-32", "block-5553", |d| fletcher_blocks(&bytes(d), 5553, 65521, 16, 1),
        "5,552 bytes between reductions are safe from every state, 5,553 are not."),

    row("crc-32/iscsi", "not-reflected", |d| crc(d, 32, 0x1EDC_6F41, ONES, false, false, ONES),
        "Bits are taken high bit first; CRC-32C takes the low bit of each byte first."),
    row("crc-32/iscsi", "init-and-xorout-zero", |d| crc(d, 32, 0x1EDC_6F41, 0, true, true, 0),
        "The bare remainder: no initial ones, no final inversion."),
    row("crc-32/iscsi", "init-zero", |d| crc(d, 32, 0x1EDC_6F41, 0, true, true, ONES),
        "With an initial zero, leading zero bytes are invisible."),
    row("crc-32/iscsi", "xorout-forgotten", |d| crc(d, 32, 0x1EDC_6F41, ONES, true, true, 0),
        "The final inversion is missing."),
    row("crc-32/iscsi", "bit-reversed", |d| crc(d, 32, 0x1EDC_6F41, ONES, true, false, ONES),
        "The input is reflected and the result is not."),
    row("crc-32/iscsi", "byte-swapped", |d| swap32(crc(d, 32, 0x1EDC_6F41, ONES, true, true, ONES)),
        "The value is read in the opposite byte order."),
    row("crc-32/iscsi", "crc-32-polynomial", |d| crc(d, 32, 0x04C1_1DB7, ONES, true, true, ONES),
        "The polynomial is that of Ethernet's CRC-32."),
    row("crc-32/iscsi", "reflected-twice", |d| crc(d, 32, 0x1EDC_6F41, ONES, false, true, ONES),
        "Bytes are reflected before an engine that already takes the low bit first: it agrees with \
         itself and with no peer."),
    row("crc-32/iscsi", "polynomial-not-reversed",
        |d| crc(d, 32, 0x82F6_3B78, ONES, true, true, ONES),
        "The low-bit-first engine is given the polynomial as written high bit first."),

    row("crc-32/iso-hdlc", "crc32-instruction", |d| crc(d, 32, 0x1EDC_6F41, ONES, true, true, ONES),
        "The x86 crc32 instruction computes CRC-32C, never CRC-32."),
    row("crc-32/iso-hdlc", "not-reflected", |d| crc(d, 32, 0x04C1_1DB7, ONES, false, false, ONES),
        "Bits are taken high bit first: that is CRC-32/BZIP2."),
    row("crc-32/iso-hdlc", "xorout-forgotten", |d| crc(d, 32, 0x04C1_1DB7, ONES, true, true, 0),
        "The final inversion is missing: that is CRC-32/JAMCRC."),
    row("crc-32/iso-hdlc", "init-and-xorout-zero", |d| crc(d, 32, 0x04C1_1DB7, 0, true, true, 0),
        "The bare remainder: no initial ones, no final inversion."),
    row("crc-32/iso-hdlc", "byte-swapped",
        |d| swap32(crc(d, 32, 0x04C1_1DB7, ONES, true, true, ONES)),
        "The value is read in the opposite byte order."),

    row("crc-16/ibm-3740", "init-zero", |d| crc(d, 16, 0x1021, 0, false, false, 0),
        "The register starts at zero: that is CRC-16/XMODEM."),
    row("crc-16/ibm-3740", "augmented", |d| crc(d, 16, 0x1021, 0x1D0F, false, false, 0),
        "FFFF is loaded into an engine that feeds 16 zero bits after the message, which amounts to \
         a start at 1D0F: that is CRC-16/SPI-FUJITSU."),
    row("crc-16/ibm-3740", "reflected", |d| crc(d, 16, 0x1021, 0xFFFF, true, true, 0),
        "Bits are taken low bit first: that is CRC-16/MCRF4XX."),
    row("crc-16/ibm-sdlc", "xorout-forgotten", |d| crc(d, 16, 0x1021, 0xFFFF, true, true, 0),
        "The final inversion is missing."),
    row("crc-16/ibm-sdlc", "byte-swapped",
        |d| swap16(crc(d, 16, 0x1021, 0xFFFF, true, true, 0xFFFF)),
        "The value is read in the opposite byte order; X.25 sends the low byte first."),
    row("crc-16/arc", "init-ffff", |d| crc(d, 16, 0x8005, 0xFFFF, true, true, 0),
        "The register starts at FFFF: that is CRC-16/MODBUS."),
];

const ONES: u64 = 0xFFFF_FFFF;

// ---- units

fn bytes(data: &[u8]) -> Vec<u16> {
    data.iter().map(|&b| b.into()).collect()
}

/// Big-endian words, the last odd byte padded after it.
fn words(data: &[u8]) -> Vec<u16> {
    data.chunks(2).map(|c| u16::from_be_bytes([c[0], c.get(1).copied().unwrap_or(0)])).collect()
}

/// Little-endian words, the last odd byte padded after it.
fn words_le(data: &[u8]) -> Vec<u16> {
    words(data).into_iter().map(u16::swap_bytes).collect()
}

/// Mistake: big-endian words, the last odd byte padded before it.
fn odd_byte_low(data: &[u8]) -> Vec<u16> {
    data.chunks(2)
        .map(|c| if let [a, b] = *c { u16::from_be_bytes([a, b]) } else { c[0].into() })
        .collect()
}

/// Mistake: little-endian words, the last odd byte padded before it.
fn odd_byte_high_le(data: &[u8]) -> Vec<u16> {
    odd_byte_low(data).into_iter().map(u16::swap_bytes).collect()
}

/// Mistake: without the last odd byte.
fn whole_words(data: &[u8]) -> &[u8] {
    &data[..data.len() / 2 * 2]
}

/// Mistake: two pieces, the first three bytes long, each padded on its own.
fn pieces(data: &[u8]) -> Vec<u16> {
    let (first, second) = data.split_at(data.len().min(3));
    [words(first), words(second)].concat()
}

// ---- one's complement

fn carry16(a: u16, b: u16) -> u16 {
    let (sum, carry) = a.overflowing_add(b);
    sum + u16::from(carry)
}

fn fold_words(words: &[u16], step: fn(u16, u16) -> u16) -> u64 {
    words.iter().fold(0, |sum, &word| step(sum, word)).into()
}

fn end_around(words: &[u16]) -> u64 {
    fold_words(words, carry16)
}

fn plain_sum(data: &[u8]) -> u64 {
    words(data).iter().map(|&w| u64::from(w)).sum()
}

fn fold16(mut sum: u64) -> u64 {
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    sum
}

fn complement(sum: u64) -> u64 {
    !sum & 0xFFFF
}

fn wide_sum_without_carry(data: &[u8]) -> u64 {
    let words = words(data);
    let wide = words.chunks(2).map(|c| (u32::from(c[0]) << 16) + c.get(1).map_or(0, |&w| w.into()));
    wide.fold(0u32, u32::wrapping_add).into()
}

/// Returns the article's C routine on a little-endian machine, each of its three faults on demand.
/// What it reads past the buffer counts as zero.
fn article_c(data: &[u8], word_tail: bool, odd_byte: bool, short_length: bool) -> u64 {
    let mut len = if short_length { usize::from(data.len() as u16) } else { data.len() };
    let at = |i: usize| u64::from(data.get(i).copied().unwrap_or(0));
    let (mut sum, mut place) = (0u64, 0);
    while len >= 4 {
        sum += at(place) + (at(place + 1) << 8) + (at(place + 2) << 16) + (at(place + 3) << 24);
        place += 4;
        len -= 4;
    }
    if len >= 2 {
        // `place` is 4 * i; the faulty index 4 * i counts 16-bit words
        let tail = if word_tail { 2 * place } else { place };
        sum += at(tail) + (at(tail + 1) << 8);
        place += 2;
        len -= 2;
    }
    if len == 1 {
        sum += at(if odd_byte { len - 1 } else { place });
    }
    swap16(complement(fold16(sum)))
}

/// Returns the article's assembly on x86-64, with its result in network order.
fn article_assembly(data: &[u8]) -> u64 {
    let (eights, rest) = data.as_chunks::<8>();
    let mut sum = 0u64;
    for &eight in eights {
        let (added, carry) = sum.overflowing_add(u64::from_le_bytes(eight));
        sum = added + u64::from(carry);
    }
    let tail = |at: usize, len: usize| {
        (0..len).fold(0u64, |v, i| v | (u64::from(rest[at + i]) << (8 * i)))
    };
    let mut at = 0;
    for len in [4, 2, 1] {
        if rest.len() - at >= len {
            sum = sum.wrapping_add(tail(at, len)); // here the carry is lost
            at += len;
        }
    }
    swap16(complement(fold16((sum & ONES) + (sum >> 32))))
}

// ---- XNS

fn xns(data: &[u8]) -> u64 {
    nonnegative(cycle(data, |s, w| carry16(s, w).rotate_left(1)))
}

fn cycle(data: &[u8], step: fn(u16, u16) -> u16) -> u64 {
    fold_words(&words(data), step)
}

fn nonnegative(sum: u64) -> u64 {
    if sum == 0xFFFF { 0 } else { sum }
}

// ---- Fletcher and Adler; the second sum above the first

fn fletcher(units: &[u16], modulus: u64, shift: u32, start: u64) -> u64 {
    let (mut a, mut b) = (start, 0);
    for &unit in units {
        a = (a + u64::from(unit)) % modulus;
        b = (b + a) % modulus;
    }
    (b << shift) | a
}

fn fletcher_end_around(units: &[u16], bits: u32, start: u64) -> u64 {
    let ones = (1u64 << bits) - 1;
    let carry = |sum: u64| if sum > ones { sum - ones } else { sum };
    let (mut a, mut b) = (start, start);
    for &unit in units {
        a = carry(a + u64::from(unit));
        b = carry(b + a);
    }
    (b << bits) | a
}

fn second_sum_first(units: &[u16], modulus: u64, shift: u32) -> u64 {
    let (mut a, mut b) = (0, 0);
    for &unit in units {
        b = (b + a) % modulus;
        a = (a + u64::from(unit)) % modulus;
    }
    (b << shift) | a
}

/// 32-bit sums, a remainder after each block.
fn fletcher_blocks(units: &[u16], block: usize, modulus: u32, shift: u32, start: u32) -> u64 {
    let (mut a, mut b) = (start, 0u32);
    for block in units.chunks(block) {
        for &unit in block {
            a = a.wrapping_add(unit.into());
            b = b.wrapping_add(a);
        }
        a %= modulus;
        b %= modulus;
    }
    (u64::from(b) << shift) | u64::from(a)
}

/// 32-bit sums, folded after each block so that all ones remain all ones; a zero at the end is
/// written as zero.
fn fletcher_folded(units: &[u16], block: usize, bits: u32) -> u64 {
    let ones = (1u32 << bits) - 1;
    let fold = |mut sum: u32| {
        while sum > ones {
            sum = (sum & ones) + (sum >> bits);
        }
        sum
    };
    let (mut a, mut b) = (0u32, 0u32);
    for block in units.chunks(block) {
        for &unit in block {
            a = a.wrapping_add(unit.into());
            b = b.wrapping_add(a);
        }
        (a, b) = (fold(a), fold(b));
    }
    (u64::from(b % ones) << bits) | u64::from(a % ones)
}

fn fletcher16_signed(data: &[u8]) -> u64 {
    let (mut a, mut b) = (0i32, 0i32);
    for block in data.chunks(5802) {
        for &byte in block {
            a = a.wrapping_add(byte.into());
            b = b.wrapping_add(a);
        }
        a %= 255;
        b %= 255;
    }
    (u64::from(b as u8) << 8) | u64::from(a as u8)
}

/// Sklower's two bytes a step, folded after `first` steps and then after each `next`. Unsigned is
/// the text's form for big-endian words, S += 256 a + b, T += 2 S - b. Signed is the appendix's
/// form for little-endian words, S += a + 256 b, T += 2 S - 256 b, folded with an arithmetic shift,
/// which is where an overflow shows.
fn pairs(data: &[u8], first: usize, next: usize, signed: bool) -> u64 {
    let fold = |x: u32| {
        let upper = if signed { ((x as i32) >> 16) as u32 } else { x >> 16 };
        (x & 0xFFFF).wrapping_add(upper)
    };
    let (mut s, mut t, mut left) = (0u32, 0u32, first);
    for pair in data.chunks(2) {
        let [a, b] = [pair[0], pair.get(1).copied().unwrap_or(0)];
        let (word, later) = if signed {
            (u16::from_le_bytes([a, b]), u32::from(b) << 8)
        } else {
            (u16::from_be_bytes([a, b]), u32::from(b))
        };
        s = s.wrapping_add(word.into());
        t = t.wrapping_add(s.wrapping_mul(2)).wrapping_sub(later);
        left -= 1;
        if left == 0 {
            (s, t, left) = (fold(s), fold(t), next);
        }
    }
    // a missing last byte was counted as zero: take its weight out of T
    let (s, t) = (u64::from(fold(fold(s)) % 255), u64::from(fold(fold(t)) % 255));
    let t = if data.len() % 2 == 1 { (t + 255 - s) % 255 } else { t };
    (t << 8) | s
}

// ---- CRC, one bit at a time

fn crc(
    data: &[u8],
    width: u32,
    poly: u64,
    init: u64,
    refin: bool,
    refout: bool,
    xorout: u64,
) -> u64 {
    let mut register = init;
    for &byte in data {
        let byte = if refin { byte.reverse_bits() } else { byte };
        register ^= u64::from(byte) << (width - 8);
        for _ in 0..8 {
            let top = register >> (width - 1);
            register = (register << 1) & (u64::MAX >> (64 - width));
            register ^= poly * top;
        }
    }
    if refout {
        register = register.reverse_bits() >> (64 - width);
    }
    register ^ xorout
}

// ---- orders of a value

fn swap16(value: u64) -> u64 {
    (value as u16).swap_bytes().into()
}

fn swap32(value: u64) -> u64 {
    (value as u32).swap_bytes().into()
}

fn swap_halves(value: u64) -> u64 {
    (value as u32).rotate_left(16).into()
}
