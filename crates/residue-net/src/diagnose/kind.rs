//! Kinds of causes, with their names.

use super::Cause;
use std::str::FromStr;

/// A kind of cause, without details, or an unknown cause. Reports count them, and options select
/// them.
///
/// Kinds are ordered by name, as reports list them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CauseKind {
    /// [`Cause::ByteSwapped`].
    ByteSwapped,
    /// [`Cause::FlippedBit`].
    FlippedBit,
    /// [`Cause::NegativeZero`].
    NegativeZero,
    /// [`Cause::Offload`].
    Offload,
    /// [`Cause::OtherDestination`].
    OtherDestination,
    /// [`Cause::OtherLength`].
    OtherLength,
    /// [`Cause::Rewritten`].
    Rewritten,
    /// No cause was found.
    Unknown,
    /// [`Cause::Zeroed`].
    Zeroed,
}

impl CauseKind {
    /// All kinds, those that need no decision first, [`CauseKind::Unknown`] last.
    pub const ALL: [CauseKind; 9] = [
        CauseKind::Offload,
        CauseKind::Rewritten,
        CauseKind::Zeroed,
        CauseKind::ByteSwapped,
        CauseKind::NegativeZero,
        CauseKind::OtherLength,
        CauseKind::OtherDestination,
        CauseKind::FlippedBit,
        CauseKind::Unknown,
    ];

    /// Returns its name in reports and options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            CauseKind::ByteSwapped => "byte-swapped",
            CauseKind::FlippedBit => "flipped-bit",
            CauseKind::NegativeZero => "negative-zero",
            CauseKind::Offload => "offload",
            CauseKind::OtherDestination => "other-destination",
            CauseKind::OtherLength => "other-length",
            CauseKind::Rewritten => "rewritten",
            CauseKind::Unknown => "unknown",
            CauseKind::Zeroed => "zeroed",
        }
    }
}

impl From<Option<Cause>> for CauseKind {
    fn from(cause: Option<Cause>) -> CauseKind {
        match cause {
            Some(Cause::ByteSwapped) => CauseKind::ByteSwapped,
            Some(Cause::FlippedBit(_)) => CauseKind::FlippedBit,
            Some(Cause::NegativeZero) => CauseKind::NegativeZero,
            Some(Cause::Offload) => CauseKind::Offload,
            Some(Cause::OtherDestination) => CauseKind::OtherDestination,
            Some(Cause::OtherLength(_)) => CauseKind::OtherLength,
            Some(Cause::Rewritten) => CauseKind::Rewritten,
            Some(Cause::Zeroed) => CauseKind::Zeroed,
            None => CauseKind::Unknown,
        }
    }
}

impl FromStr for CauseKind {
    type Err = String;

    fn from_str(name: &str) -> Result<CauseKind, String> {
        CauseKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
            let names = CauseKind::ALL.map(CauseKind::name).join(", ");
            format!("expected one of {names}, got \"{}\"", name.escape_debug())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_sorted() {
        let mut kinds = CauseKind::ALL;
        for kind in kinds {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert!("nothing".parse::<CauseKind>().unwrap_err().contains("zeroed"));
        kinds.sort();
        assert!(kinds.map(CauseKind::name).is_sorted());
    }
}
