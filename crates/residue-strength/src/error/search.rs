//! Faults of a search.

use std::fmt;

/// The fault of a search, or of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The width is outside 3 to 64.
    Width(u32),
    /// The survey has more polynomials than can be kept.
    Surveyed {
        /// The width.
        width: u32,
        /// The largest width.
        most: u32,
    },
    /// Every polynomial has this Hamming distance.
    Distance(u32),
    /// The Hamming distance is above the weight of every polynomial of the width.
    Weight {
        /// The width.
        width: u32,
        /// The Hamming distance.
        distance: u32,
    },
    /// No code of this many check bits has this Hamming distance at this length (Hamming's bound).
    TooGood {
        /// The width.
        width: u32,
        /// The Hamming distance.
        distance: u32,
        /// Bits of data.
        data: u64,
    },
    /// There are no data bits.
    Empty,
    /// The data are too long to be searched.
    Long {
        /// Bits of data.
        data: u64,
        /// The largest number of bits.
        most: u64,
    },
    /// This text is not a part of the candidates.
    Range(String),
    /// More polynomials were found than are kept.
    Many(usize),
    /// The filter and the proof give different limits, which is a bug of this program.
    Disagreement {
        /// The polynomial with its top term.
        explicit: u128,
        /// The Hamming distance.
        distance: u32,
        /// Bits of data, by the filter and by the proof.
        limits: [u64; 2],
    },
    /// The file is no checkpoint, or a damaged one.
    Damaged {
        /// The file.
        path: String,
        /// The fault in words.
        why: String,
    },
    /// The checkpoint is of another search.
    Foreign {
        /// The file.
        path: String,
        /// The search in the file.
        holds: String,
        /// The search that was asked for.
        asked: String,
    },
    /// Two checkpoints hold the same candidates.
    Overlap {
        /// The files.
        paths: [String; 2],
    },
    /// There is no checkpoint to merge.
    Nothing,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Width(width) => {
                write!(f, "a generator's width has to be 3 to 64 here, not {width}")
            }
            Fault::Surveyed { width, most } => write!(
                f,
                "there are too many polynomials of width {width} to survey all; up to width {most} \
                 they are kept; give a Hamming distance to search for"
            ),
            Fault::Distance(distance) => write!(
                f,
                "a Hamming distance of {distance} is no search: every polynomial with a constant \
                 term has 2 at every length; give 3 or more"
            ),
            Fault::Weight { width, distance } => write!(
                f,
                "no polynomial of width {width} has a Hamming distance of {distance}: one wrong \
                 bit of data and the check value's are {} bits; give a distance of at most that, \
                 or a larger width",
                width + 1
            ),
            Fault::TooGood { width, distance, data } => write!(
                f,
                "no code of {width} check bits has a Hamming distance of {distance} at {data} bits \
                 of data: there are more errors to distinguish than check values (Hamming's \
                 bound, exact); give a lesser distance, shorter data or a larger width"
            ),
            Fault::Empty => {
                f.write_str("data of length 0 have nothing to protect; give at least one bit")
            }
            Fault::Long { data, most } => write!(
                f,
                "{data} bits of data are too long to search; at Hamming distances above 3 give at \
                 most {most}"
            ),
            Fault::Range(text) => write!(
                f,
                "`{text}` is no range; write i/n with i from 1 to n, as 3/8, and n of at most a \
                 million"
            ),
            Fault::Many(most) => write!(
                f,
                "more than {most} polynomials are good enough; ask for a larger distance or longer \
                 data, or search in ranges"
            ),
            Fault::Disagreement { explicit, distance, limits: [filter, proof] } => write!(
                f,
                "{explicit:x}: HD {distance} holds to {filter} bits by the filter and to {proof} \
                 by the proof; nothing of this search can be trusted; please report it"
            ),
            Fault::Damaged { path, why } => write!(
                f,
                "`{path}` is no checkpoint of a search, or a damaged one: {why}; give another \
                 file, or delete it to begin anew"
            ),
            Fault::Foreign { path, holds, asked } => write!(
                f,
                "`{path}` is the checkpoint of another search ({holds}), not of this one \
                 ({asked}); give another file"
            ),
            Fault::Overlap { paths: [one, other] } => write!(
                f,
                "`{one}` and `{other}` hold the same candidates; give files of ranges that do not \
                 overlap"
            ),
            Fault::Nothing => f.write_str("no checkpoint to merge; name the files of the ranges"),
        }
    }
}
