//! The sides of the documents' comparisons: codes, each with a kernel.

use residue::Code;

/// A code and a kernel of it; `today` stands for the kernel that is dispatched.
pub type Side = (&'static str, &'static str);

/// The kernel name that stands for the dispatched kernel.
pub(super) const TODAY: &str = "today";

pub(super) const CRC: &str = "crc-32/iscsi";
pub(super) const SUM: &str = "internet";

/// CRC-32C in thirds of the data (thesis, section 4.4.7); it has no counterpart for ARM.
pub(super) const THIRDS: Side = (CRC, "sse42_pclmul_sahu2019");
pub(super) const SEGMENTS: Side = (CRC, "sse42_tables_sahu2019");
/// One chain of the CPU's CRC instruction (sections 4.4.6 and 6.2).
pub(super) const SERIAL: Side = (CRC, if cfg!(target_arch = "aarch64") { "crc" } else { "sse42" });
pub(super) const BITWISE: Side = (CRC, "bitwise_sahu2019");
pub(super) const BYTEWISE: Side = (CRC, "bytewise");
pub(super) const SLICING4: Side = (CRC, "slicing4");
pub(super) const SLICING8: Side = (CRC, "slicing8");
/// 64-bit words in assembly (section 4.1.3), which is the article's listing.
pub(super) const ADC: Side = (SUM, "adc_pino2018");
pub(super) const WORD16: Side = (SUM, "word16");
pub(super) const WORD32: Side = (SUM, "word32");
/// What GCC makes of the loops at -O1, and the article's first version.
pub(super) const WORD16_O1: Side = (SUM, "word16_scalar");
pub(super) const WORD32_O1: Side = (SUM, "word32_scalar");
pub(super) const ADC_BY_ONE: Side = (SUM, "adc1_pino2018");
pub(super) const ADLER: Side = ("adler-32", "deferred");
pub(super) const FLETCHER: Side = ("fletcher-32", "deferred");
/// The article takes these from Snabb and prints no listing; here they are this library's.
pub(super) const SSE2: Side = (SUM, "sse2");
pub(super) const AVX2: Side = (SUM, "avx2");
pub(super) const SIMPLE: Side = ("fletcher-16", "simple");
pub(super) const PAIRS: Side = ("fletcher-16", "pairs");
pub(super) const PAIRS_COUNTED: Side = ("fletcher-16", "pairs_counted");
pub(super) const F16: Side = ("fletcher-32", "f16");
pub(super) const XNS: Side = ("xns", "words");

pub(super) const CRC_TODAY: Side = (CRC, TODAY);
pub(super) const SUM_TODAY: Side = (SUM, TODAY);

pub(super) const FOLDING: &str = if cfg!(target_arch = "aarch64") { "pmull" } else { "pclmul" };

/// The sides whose time is compared over contents, and over extra bytes.
pub(super) const BY_DATA: [Side; 4] = [THIRDS, SLICING8, ADC, WORD16];

/// Returns the name of a side's kernel.
pub(super) fn kernel((code, kernel): Side) -> &'static str {
    match kernel {
        TODAY => code.parse().map_or(TODAY, |code: Code| code.chosen().name),
        named => named,
    }
}
