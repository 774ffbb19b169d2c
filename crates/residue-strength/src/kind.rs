//! The certainty of a figure.

/// The certainty of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Proved, to the last digit.
    Exact,
    /// Proved as a bound: the true figure may be larger.
    AtLeast,
    /// Found by trying points: values between them may differ.
    Sampled,
}

impl Kind {
    /// Returns its name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Exact => "exact",
            Kind::AtLeast => "bound",
            Kind::Sampled => "sampled",
        }
    }
}
