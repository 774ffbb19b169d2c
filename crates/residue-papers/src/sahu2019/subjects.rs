//! The kernels that each figure of the thesis shows.

use super::published::{Cpu, Level};

/// One colour of a figure: a code, and its kernels, of which the first one that was measured, or
/// published for the figure's CPU, is drawn.
pub(super) struct Hue {
    pub(super) code: &'static str,
    pub(super) kernels: &'static [&'static str],
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

const fn crc(kernels: &'static [&'static str]) -> Hue {
    Hue { code: CRC32C, kernels }
}

const fn sum(kernels: &'static [&'static str]) -> Hue {
    Hue { code: "internet", kernels }
}

// The curves that the figures choose from.
const BITWISE: Hue = crc(&["bitwise_sahu2019"]);
const NIBBLE: Hue = crc(&["nibble"]);
const BYTEWISE: Hue = crc(&["bytewise"]);
const SLICING4: Hue = crc(&["slicing4"]);
const SLICING8: Hue = crc(&["slicing8"]);
/// The CRC instruction on one stream.
const SERIAL: Hue = crc(&["sse42", "crc"]);
/// The crc32 instruction on thirds of the data; the thesis had none for ARM.
const THIRDS: Hue = crc(&["sse42_pclmul_sahu2019"]);
const SEGMENTS: Hue = crc(&["sse42_tables_sahu2019"]);
const WORD16: Hue = sum(&["word16"]);
const WORD32: Hue = sum(&["word32"]);
/// Only ARM and POWER have this loop in C.
const WORD64: Hue = sum(&["adc_pino2018", "word64"]);
const WORD16_O1: Hue = sum(&["word16_scalar"]);
const WORD32_O1: Hue = sum(&["word32_scalar"]);
const ADC: Hue = sum(&["adc_pino2018"]);
const ADLER: Hue = Hue { code: "adler-32", kernels: &["deferred"] };
const FLETCHER: Hue = Hue { code: "fletcher-32", kernels: &["deferred"] };

const HARDWARE: &str = "CRC-32C with the crc32 instruction in thirds of the data, joined by \
    carry-less multiplication, the Internet (TCP) checksum with 64-bit and with 16-bit words, \
    Adler-32 and Fletcher-32.";
const AGAINST_SUMS: &[Hue] = &[THIRDS, WORD64, WORD16, ADLER, FLETCHER];

/// The figures, in the order of the thesis.
pub(super) const SUBJECTS: [Subject; 11] = [
    Subject {
        id: "5.3",
        title: "Certainty: CRC-32C and the Internet checksum",
        about: "Error bars show the 95 % confidence interval.",
        cpu: Cpu::Xeon,
        level: Level::O3,
        hues: &[THIRDS, WORD64],
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
        hues: &[WORD16, WORD32, WORD64],
    },
    Subject {
        id: "6.4",
        title: "Internet checksum by word size, scalar",
        about: "The same sums without vector instructions, which is what GCC -O1 made of them.",
        cpu: Cpu::I3,
        level: Level::O1,
        hues: &[WORD16_O1, WORD32_O1, ADC],
    },
    Subject {
        id: "6.5",
        title: "CRC-32C with the crc32 instruction: one stream and three",
        about: "The instruction waits for its own result, so three streams are faster than one; \
            they are joined by carry-less multiplication or by tables.",
        cpu: Cpu::Xeon,
        level: Level::O3,
        hues: &[SERIAL, THIRDS, SEGMENTS],
    },
    Subject {
        id: "6.6",
        title: "CRC-32C: tables against hardware",
        about: "One byte, four bytes and eight bytes a step by table look-up, against the crc32 \
            instruction.",
        cpu: Cpu::I3,
        level: Level::O3,
        hues: &[BYTEWISE, SLICING4, SLICING8, SERIAL, THIRDS],
    },
    Subject {
        id: "6.7",
        title: "CRC-32C in software: bit by bit against tables",
        about: "From one bit a step to eight bytes a step.",
        cpu: Cpu::I3,
        level: Level::O3,
        hues: &[BITWISE, NIBBLE, BYTEWISE, SLICING4, SLICING8],
    },
    Subject {
        id: "6.8",
        title: "CRC-32C: tables against the CRC instruction",
        about: "One byte, four bytes and eight bytes a step by table look-up, against one chain of \
            the CRC instruction.",
        cpu: Cpu::A53,
        level: Level::O3,
        hues: &[BYTEWISE, SLICING4, SLICING8, SERIAL],
    },
    Subject {
        id: "6.9",
        title: "One chain of the CRC instruction against the checksums",
        about: "CRC-32C by one chain of the CPU's instruction, the Internet (TCP) checksum with \
            16-bit words, Adler-32 and Fletcher-32.",
        cpu: Cpu::A53,
        level: Level::O3,
        hues: &[SERIAL, WORD16, ADLER, FLETCHER],
    },
    Subject {
        id: "6.10",
        title: "Slicing-by-8 against the checksums",
        about: "CRC-32C in software, the Internet (TCP) checksum with 16-bit words, Adler-32 and \
            Fletcher-32.",
        cpu: Cpu::Power7,
        level: Level::O3,
        hues: &[SLICING8, WORD16, ADLER, FLETCHER],
    },
];
