//! A claim of a document, and what judges it.

use super::ratio::{Compared, Ratio};
use super::rounds::Measured;
use residue_bench::Mode;
use serde::Serialize;

/// A document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Document {
    /// The thesis (Sahu 2019).
    #[serde(rename = "Sahu 2019")]
    Thesis,
    /// The article (Pino García 2018).
    #[serde(rename = "Pino García 2018")]
    Article,
    /// The white paper (Intel 2006).
    #[serde(rename = "Intel 2006")]
    Intel,
    /// The paper on the ISO checksum (Sklower 1989).
    #[serde(rename = "Sklower 1989")]
    Sklower,
}

impl Document {
    /// Returns the author and year.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Document::Thesis => "Sahu 2019",
            Document::Article => "Pino García 2018",
            Document::Intel => "Intel 2006",
            Document::Sklower => "Sklower 1989",
        }
    }

    /// Returns how the document timed calls.
    #[must_use]
    pub fn mode(self) -> Mode {
        if self == Document::Thesis { Mode::Thesis } else { Mode::Throughput }
    }
}

/// What judges a claim.
#[derive(Debug)]
pub(super) enum Basis {
    /// Each of these ratios at each of their sizes.
    Ratios(&'static [Ratio]),
    /// Each ratio that the function makes of the measurement; `None` where kernels are missing.
    All(fn(&Measured) -> Option<Vec<Compared>>),
    /// At least one of them.
    Any(fn(&Measured) -> Option<Vec<Compared>>),
}

/// A claim of a document.
#[derive(Debug)]
pub struct Claim {
    /// The document.
    pub document: Document,
    /// The page or section.
    pub place: &'static str,
    /// The claim, in our words.
    pub text: &'static str,
    /// The figure printed there.
    pub published: &'static str,
    pub(super) basis: Basis,
    /// The comparison between the kernels of today.
    pub(super) today: &'static [Ratio],
}
