//! Mistakes in reading a message, for any code: other bytes than those of the message are covered.

/// A mistake in reading, in one or several sizes.
pub(super) struct Reading {
    /// A short name. With several sizes, the size follows.
    pub(super) name: &'static str,
    /// A description in one sentence; `{bytes}` is the size as a number of bytes.
    pub(super) why: &'static str,
    /// The sizes that are tried.
    pub(super) sizes: &'static [usize],
    /// Returns the bytes that are covered, for a size.
    pub(super) turn: fn(&[u8], usize) -> Vec<u8>,
}

const fn row(
    name: &'static str,
    sizes: &'static [usize],
    turn: fn(&[u8], usize) -> Vec<u8>,
    why: &'static str,
) -> Reading {
    Reading { name, why, sizes, turn }
}

/// A mistake that has no size.
pub(super) const ONE: &[usize] = &[0];
/// Sizes of blocks, words and buffers.
pub(super) const BLOCKS: &[usize] =
    &[2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];

/// All mistakes that are tried.
#[rustfmt::skip]
const READINGS: &[Reading] = &[
    row("ends-early", &[1, 2, 3, 4, 8], |d, n| d[..d.len().saturating_sub(n)].to_vec(),
        "The end of the message is not covered: {bytes}."),
    row("begins-late", &[1, 2, 3, 4, 8], |d, n| d.get(n..).unwrap_or_default().to_vec(),
        "The start of the message is not covered: {bytes}."),
    row("stops-at-nul", ONE, |d, _| before(d, |b| b == 0),
        "Reading stops at the first byte 00, as at the end of a C string."),
    row("stops-at-newline", ONE, |d, _| before(d, |b| b == b'\n'),
        "Reading stops before the first byte 0a: one line is read."),
    row("stops-after-newline", ONE, |d, _| {
            let line = before(d, |b| b == b'\n').len();
            d[..d.len().min(line + 1)].to_vec()
        },
        "Reading stops after the first byte 0a: one line is read, with its end."),
    row("stops-at-ctrl-z", ONE, |d, _| before(d, |b| b == 0x1a),
        "Reading stops at the first byte 1a, the end of a text file of DOS."),
    row("stops-at-ff", ONE, |d, _| before(d, |b| b == 0xff),
        "Reading stops at the first byte ff: the result of getc is kept in a char, where that byte \
         equals EOF."),
    row("nul-appended", ONE, |d, _| [d, &[0]].concat(),
        "A byte 00 at the end is covered as well, as the end of a C string is."),
    row("newline-appended", ONE, |d, _| [d, b"\n"].concat(),
        "A byte 0a at the end is covered as well."),
    row("newlines-as-crlf", ONE,
        |d, _| each(d, |b| if b == b'\n' { vec![b'\r', b] } else { vec![b] }),
        "Each byte 0a is read as 0d 0a, as in text files of Windows."),
    row("without-cr", ONE, |d, _| each(d, |b| if b == b'\r' { vec![] } else { vec![b] }),
        "The bytes 0d are left out, as by input in text mode."),
    row("as-utf-8", ONE, |d, _| d.iter().map(|&b| char::from(b)).collect::<String>().into_bytes(),
        "The bytes are taken for characters and encoded in UTF-8: those from 80 on become two \
         bytes."),
    row("as-hex-digits", ONE, |d, _| digits(d, b"0123456789abcdef"),
        "The hexadecimal digits of the message are covered as text, and not its bytes."),
    row("as-capital-hex-digits", ONE, |d, _| digits(d, b"0123456789ABCDEF"),
        "The hexadecimal digits of the message, in capitals, are covered as text, and not its \
         bytes."),
    row("8-bit-length", ONE, |d, _| d[..d.len() & 0xff].to_vec(),
        "The length is kept in 8 bits: of 256 bytes and more, only the length modulo 256 is \
         covered."),
    row("signed-8-bit-length", ONE, |d, _| {
            d[..usize::try_from(d.len() as i8).unwrap_or(0)].to_vec()
        },
        "The length is kept in 8 bits with a sign: from 128 bytes on, it is wrong."),
    row("16-bit-length", ONE, |d, _| d[..d.len() & 0xffff].to_vec(),
        "The length is kept in 16 bits: of 65,536 bytes and more, only the length modulo 65,536 is \
         covered."),
    row("signed-16-bit-length", ONE, |d, _| {
            d[..usize::try_from(d.len() as i16).unwrap_or(0)].to_vec()
        },
        "The length is kept in 16 bits with a sign: from 32,768 bytes on, it is wrong."),
    row("first-block-only", BLOCKS, |d, n| d[..d.len().min(n)].to_vec(),
        "Only the first {bytes} are covered, as if the message were read once into a buffer."),
    row("restarts-each", BLOCKS, |d, n| d.chunks(n).next_back().unwrap_or_default().to_vec(),
        "The computation starts anew after each {bytes}, so that only the rest behind the last \
         start is covered."),
    row("last-part-dropped", BLOCKS, |d, n| d[..d.len() / n * n].to_vec(),
        "Only whole blocks of {bytes} are covered; the rest at the end is not."),
    row("padded-with-zeros", &[2, 4, 8, 16, 64], padded,
        "Zero bytes are appended, up to a multiple of {bytes}, and covered as well."),
    row("bytes-swapped-in-words", &[2, 4, 8], |d, n| reversed_words(d.to_vec(), n),
        "The bytes of each word of {bytes} are read in the opposite order."),
    row("bytes-swapped-in-padded-words", &[2, 4, 8], |d, n| reversed_words(padded(d, n), n),
        "The bytes of each word of {bytes} are read in the opposite order; the last word is padded \
         with zeros."),
    row("last-byte-first", ONE, |d, _| d.iter().rev().copied().collect(),
        "The message is read from its last byte to its first."),
    row("7-bit-bytes", ONE, |d, _| d.iter().map(|b| b & 0x7f).collect(),
        "The highest bit of each byte is cleared."),
    row("digits-swapped", ONE, |d, _| d.iter().map(|b| b.rotate_left(4)).collect(),
        "The two halves (hexadecimal digits) of each byte are read in the opposite order."),
    row("zeros-skipped", ONE, |d, _| each(d, |b| if b == 0 { vec![] } else { vec![b] }),
        "The bytes 00 are left out."),
];

/// Mistakes in reading for codes that are no CRC; the reflections of a CRC cover the first.
#[rustfmt::skip]
const OF_SUMS: &[Reading] = &[
    row("bits-reversed-in-bytes", ONE, |d, _| d.iter().map(|b| b.reverse_bits()).collect(),
        "The bits of each byte are read in the opposite order."),
    row("sign-extended-second-bytes", ONE, |d, _| extended(d, 0),
        "Bytes are kept in a signed type: in each 16-bit word, a second byte from 80 on turns the \
         first into ff."),
    row("sign-extended-first-bytes", ONE, |d, _| extended(d, 1),
        "Bytes are kept in a signed type: in each 16-bit word, a first byte from 80 on turns the \
         second into ff."),
];

/// Returns the mistakes in reading that are tried for a CRC, or for another code.
pub(super) fn all(is_crc: bool) -> impl Iterator<Item = &'static Reading> {
    let of_sums: &[Reading] = if is_crc { &[] } else { OF_SUMS };
    READINGS.iter().chain(of_sums)
}

fn before(data: &[u8], end: impl Fn(u8) -> bool) -> Vec<u8> {
    data.iter().copied().take_while(|&byte| !end(byte)).collect()
}

fn each(data: &[u8], turn: impl Fn(u8) -> Vec<u8>) -> Vec<u8> {
    data.iter().flat_map(|&byte| turn(byte)).collect()
}

fn digits(data: &[u8], digits: &[u8; 16]) -> Vec<u8> {
    each(data, |byte| [byte >> 4, byte & 15].map(|half| digits[usize::from(half)]).to_vec())
}

fn padded(data: &[u8], block: usize) -> Vec<u8> {
    let mut bytes = data.to_vec();
    bytes.resize(data.len().next_multiple_of(block), 0);
    bytes
}

fn reversed_words(mut data: Vec<u8>, size: usize) -> Vec<u8> {
    data.chunks_mut(size).for_each(<[u8]>::reverse);
    data
}

/// Turns one byte of each pair into ff where the other, the lower one, is negative.
fn extended(data: &[u8], upper: usize) -> Vec<u8> {
    let mut bytes = padded(data, 2);
    for pair in bytes.chunks_mut(2) {
        if pair[1 - upper] >= 0x80 {
            pair[upper] = 0xff;
        }
    }
    bytes
}
