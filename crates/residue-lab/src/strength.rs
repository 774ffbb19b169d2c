//! How strong codes are: [`sums`] counts what sums miss, exactly, and
//! [`data`] tries codes on real data.

pub mod additive;
pub mod data;
pub mod sums;

/// Of what kind a figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Proved, to the last digit.
    Exact,
    /// Proved as a bound: the true figure may be larger.
    AtLeast,
    /// Found by trying points: between them it may be otherwise.
    Sampled,
}

impl Kind {
    /// Its name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Exact => "exact",
            Kind::AtLeast => "bound",
            Kind::Sampled => "sampled",
        }
    }
}
