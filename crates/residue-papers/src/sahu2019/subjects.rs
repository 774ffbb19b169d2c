//! The kernels that each figure of the thesis shows.

use super::published::{Cpu, Level};

/// One colour of a figure: a code, and its kernels, of which the first one that was measured, or
/// published for the figure's CPU, is drawn.
pub(super) struct Hue {
    pub(super) code: &'static str,
    pub(super) kernels: &'static [&'static str],
}

/// Returns a hue of one kernel, which our run and print name alike.
const fn same(code: &'static str, kernels: &'static [&'static str]) -> Hue {
    Hue { code, kernels }
}

/// The contents of one figure.
pub(super) struct Subject {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    /// The CPU the thesis drew it for.
    pub(super) cpu: Cpu,
    pub(super) level: Level,
    pub(super) hues: &'static [Hue],
}

/// The CRC of the thesis.
pub(super) const CRC32C: &str = "crc-32/iscsi";

/// The crc32 instruction on thirds of the data; the thesis had none for ARM.
const THREE_WAY: &[&str] = &["sse42_pclmul_sahu2019"];
/// The crc32 instruction on one stream.
const SERIAL: &[&str] = &["sse42", "crc"];

const HARDWARE: &str = "CRC-32C with the crc32 instruction in thirds of the data, joined by \
    carry-less multiplication, the Internet (TCP) checksum with 64-bit and with 16-bit words, \
    Adler-32 and Fletcher-32.";
const AGAINST_SUMS: &[Hue] = &[
    same(CRC32C, THREE_WAY),
    same("internet", &["adc_pino2018", "word64"]),
    same("internet", &["word16"]),
    same("adler-32", &["deferred"]),
    same("fletcher-32", &["deferred"]),
];

/// The figures, in the order of the thesis.
pub(super) const SUBJECTS: [Subject; 11] = [
    Subject {
        id: "5.3",
        title: "Certainty: CRC-32C and the Internet checksum",
        about: "Error bars show the 95 % confidence interval.",
        cpu: Cpu::Xeon,
        level: Level::O3,
        hues: &[same(CRC32C, THREE_WAY), same("internet", &["adc_pino2018", "word64"])],
    },
    Subject {
        id: "6.1",
        title: "Hardware CRC-32C against the checksums",
        about: HARDWARE,
        cpu: Cpu::I3,
        level: Level::O3,
        hues: AGAINST_SUMS,
    },
    Subject {
        id: "6.2",
        title: "Hardware CRC-32C against the checksums",
        about: HARDWARE,
        cpu: Cpu::Xeon,
        level: Level::O3,
        hues: AGAINST_SUMS,
    },
    Subject {
        id: "6.3",
        title: "Internet checksum by word size, vectorised by the compiler",
        about: "16-bit and 32-bit words in plain code that the compiler vectorises, against 64-bit \
            words with add-with-carry.",
        cpu: Cpu::I3,
        level: Level::O3,
        hues: &[
            same("internet", &["word16"]),
            same("internet", &["word32"]),
            same("internet", &["adc_pino2018", "word64"]),
        ],
    },
    Subject {
        id: "6.4",
        title: "Internet checksum by word size, scalar",
        about: "The same sums without vector instructions, which is what GCC -O1 made of them.",
        cpu: Cpu::I3,
        level: Level::O1,
        hues: &[
            same("internet", &["word16_scalar"]),
            same("internet", &["word32_scalar"]),
            same("internet", &["adc_pino2018"]),
        ],
    },
    Subject {
        id: "6.5",
        title: "CRC-32C with the crc32 instruction: one stream and three",
        about: "The instruction waits for its own result, so three streams are faster than one; \
            they are joined by carry-less multiplication or by tables.",
        cpu: Cpu::Xeon,
        level: Level::O3,
        hues: &[
            same(CRC32C, SERIAL),
            same(CRC32C, THREE_WAY),
            same(CRC32C, &["sse42_tables_sahu2019"]),
        ],
    },
    Subject {
        id: "6.6",
        title: "CRC-32C: tables against hardware",
        about: "One byte, four bytes and eight bytes a step by table look-up, against the crc32 \
            instruction.",
        cpu: Cpu::I3,
        level: Level::O3,
        hues: &[
            same(CRC32C, &["bytewise"]),
            same(CRC32C, &["slicing4"]),
            same(CRC32C, &["slicing8"]),
            same(CRC32C, SERIAL),
            same(CRC32C, THREE_WAY),
        ],
    },
    Subject {
        id: "6.7",
        title: "CRC-32C in software: bit by bit against tables",
        about: "From one bit a step to eight bytes a step.",
        cpu: Cpu::I3,
        level: Level::O3,
        hues: &[
            same(CRC32C, &["bitwise_sahu2019"]),
            same(CRC32C, &["nibble"]),
            same(CRC32C, &["bytewise"]),
            same(CRC32C, &["slicing4"]),
            same(CRC32C, &["slicing8"]),
        ],
    },
    Subject {
        id: "6.8",
        title: "CRC-32C: tables against the CRC instruction",
        about: "One byte, four bytes and eight bytes a step by table look-up, against one chain of \
            the CRC instruction.",
        cpu: Cpu::A53,
        level: Level::O3,
        hues: &[
            same(CRC32C, &["bytewise"]),
            same(CRC32C, &["slicing4"]),
            same(CRC32C, &["slicing8"]),
            same(CRC32C, SERIAL),
        ],
    },
    Subject {
        id: "6.9",
        title: "One chain of the CRC instruction against the checksums",
        about: "CRC-32C by one chain of the CPU's instruction, the Internet (TCP) checksum with \
            16-bit words, Adler-32 and Fletcher-32.",
        cpu: Cpu::A53,
        level: Level::O3,
        hues: &[
            same(CRC32C, SERIAL),
            same("internet", &["word16"]),
            same("adler-32", &["deferred"]),
            same("fletcher-32", &["deferred"]),
        ],
    },
    Subject {
        id: "6.10",
        title: "Slicing-by-8 against the checksums",
        about: "CRC-32C in software, the Internet (TCP) checksum with 16-bit words, Adler-32 and \
            Fletcher-32.",
        cpu: Cpu::Power7,
        level: Level::O3,
        hues: &[
            same(CRC32C, &["slicing8"]),
            same("internet", &["word16"]),
            same("adler-32", &["deferred"]),
            same("fletcher-32", &["deferred"]),
        ],
    },
];
