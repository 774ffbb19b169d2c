//! A claim of a document, and its outcome.

use serde::Serialize;

use crate::Kind;

/// The outcome of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is right as printed.
    Holds,
    /// It is right under a condition that it does not name.
    Conditional,
    /// It is wrong.
    DoesNotHold,
    /// No computation decides it: it is an observation of somebody's network.
    NotHere,
}

impl Verdict {
    /// Returns the outcome in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Conditional => "conditional",
            Verdict::DoesNotHold => "does not hold",
            Verdict::NotHere => "not here",
        }
    }
}

/// A statement, judged.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    /// The document and the place of the claim.
    pub source: &'static str,
    /// The claim.
    pub statement: &'static str,
    /// The outcome.
    pub verdict: Verdict,
    /// The exact statement.
    pub exactly: String,
    /// The computation that decides it.
    pub evidence: String,
    /// The kind of the evidence's figures.
    pub kind: &'static str,
}

impl Claim {
    /// Marks the claim as decided by samples.
    pub(super) fn sampled(self) -> Claim {
        Claim { kind: Kind::Sampled.name(), ..self }
    }
}

pub(super) fn claim(
    source: &'static str,
    statement: &'static str,
    verdict: Verdict,
    exactly: impl Into<String>,
    evidence: impl Into<String>,
) -> Claim {
    let kind = Kind::Exact.name();
    Claim { source, statement, verdict, exactly: exactly.into(), evidence: evidence.into(), kind }
}

/// Returns the verdict on a claim that is right or wrong as printed.
pub(super) fn holds(truth: bool) -> Verdict {
    if truth { Verdict::Holds } else { Verdict::DoesNotHold }
}
