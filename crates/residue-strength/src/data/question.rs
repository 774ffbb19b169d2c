//! What is tried: the options of a run, and the kinds of damage.

use super::source::Source;
use crate::codes::additive::Additive;

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The codes, of at most 32 bits.
    pub codes: Vec<Additive>,
    /// The data.
    pub sources: Vec<Source>,
    /// Splices of cells to try for each source, if it has data for them.
    pub splices: u64,
    /// Damaged packets to try for each source and kind of damage.
    pub trials: u64,
    /// Bits of a burst, 2 to 64.
    pub burst: u32,
    /// The seed of all random choices.
    pub seed: u64,
}

/// A kind of damage to data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Cells of two packets become one; the check value is in the header, as TCP's.
    CellsHeader,
    /// Cells of two packets become one; the check value is after the data, as AAL5's.
    CellsTrailer,
    /// Fragments of two datagrams become one (RFC 4963).
    Fragments,
    /// A block of a disk holds a sector of its previous content.
    Stale,
    /// Two words change places.
    Words,
    /// Two neighbouring bytes change places.
    Bytes,
    /// A block is left out, and what follows moves up.
    Lost,
    /// A byte is left out, and what follows moves up.
    Slipped,
    /// A block comes twice, and what follows moves down.
    Repeated,
    /// A block became zero.
    Zeroed,
    /// Bits flip within a stretch.
    Burst,
}

impl Test {
    /// All kinds, in the order of the report.
    pub const ALL: [Test; 11] = [
        Test::CellsHeader,
        Test::CellsTrailer,
        Test::Fragments,
        Test::Stale,
        Test::Words,
        Test::Bytes,
        Test::Lost,
        Test::Slipped,
        Test::Repeated,
        Test::Zeroed,
        Test::Burst,
    ];

    /// Returns its name: one word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Test::CellsHeader => "splice-header",
            Test::CellsTrailer => "splice-trailer",
            Test::Fragments => "fragments",
            Test::Stale => "stale-sector",
            Test::Words => "word-swap",
            Test::Bytes => "byte-swap",
            Test::Lost => "lost-block",
            Test::Slipped => "lost-byte",
            Test::Repeated => "repeated-block",
            Test::Zeroed => "zero-fill",
            Test::Burst => "burst",
        }
    }

    /// Describes the damage in a sentence.
    #[must_use]
    pub fn about(self, burst: u32) -> String {
        let text = match self {
            Test::CellsHeader => {
                "Splices of two neighbouring packets of 40 + 256 bytes in cells of 48 bytes; check \
                 value in the header."
            }
            Test::CellsTrailer => "The same splices; check value behind the data.",
            Test::Fragments => {
                "Any of 7 fragments of 256 bytes are the next datagram's, the first and the check \
                 value are not."
            }
            Test::Stale => "One sector of 512 bytes in a block of 4096 is the previous block's.",
            Test::Words => "Two 16-bit words of a packet of 1500 bytes have changed places.",
            Test::Bytes => "Two neighbouring bytes of a packet of 1500 bytes have changed places.",
            Test::Lost => "64 bytes of a packet of 1500 are left out; what follows moves up.",
            Test::Slipped => "One byte of a packet of 1500 is left out; what follows moves up.",
            Test::Repeated => "64 bytes of a packet of 1500 come twice; what follows moves down.",
            Test::Zeroed => "64 bytes of a packet of 1500 are zero.",
            Test::Burst => {
                return format!(
                    "The first and the last of {burst} bits of a packet of 1500 bytes flip, those \
                     between with probability 1/2."
                );
            }
        };
        text.into()
    }
}
