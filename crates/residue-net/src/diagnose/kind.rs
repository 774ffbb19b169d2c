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
    /// [`Cause::ChangedByte`].
    ChangedByte,
    /// [`Cause::Contradiction`].
    Contradiction,
    /// [`Cause::Copied`].
    Copied,
    /// [`Cause::Decrypted`].
    Decrypted,
    /// [`Cause::Filled`].
    Filled,
    /// [`Cause::FlippedBit`].
    FlippedBit,
    /// [`Cause::NegativeZero`].
    NegativeZero,
    /// [`Cause::NoPseudoHeader`].
    NoPseudoHeader,
    /// [`Cause::NotComplemented`].
    NotComplemented,
    /// [`Cause::Offload`].
    Offload,
    /// [`Cause::OffloadRewritten`].
    OffloadRewritten,
    /// [`Cause::OtherDestination`].
    OtherDestination,
    /// [`Cause::OtherLength`].
    OtherLength,
    /// [`Cause::Repeated`].
    Repeated,
    /// [`Cause::Rewritten`].
    Rewritten,
    /// No cause was found.
    Unknown,
    /// [`Cause::Zeroed`].
    Zeroed,
}

impl CauseKind {
    /// All kinds, those that need no decision first, [`CauseKind::Unknown`] last.
    pub const ALL: [CauseKind; 18] = [
        CauseKind::Offload,
        CauseKind::Rewritten,
        CauseKind::OffloadRewritten,
        CauseKind::Zeroed,
        CauseKind::Filled,
        CauseKind::NotComplemented,
        CauseKind::ByteSwapped,
        CauseKind::NegativeZero,
        CauseKind::NoPseudoHeader,
        CauseKind::OtherLength,
        CauseKind::OtherDestination,
        CauseKind::Decrypted,
        CauseKind::Copied,
        CauseKind::Repeated,
        CauseKind::Contradiction,
        CauseKind::FlippedBit,
        CauseKind::ChangedByte,
        CauseKind::Unknown,
    ];

    /// Returns its name in reports and options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            CauseKind::ByteSwapped => "byte-swapped",
            CauseKind::ChangedByte => "changed-byte",
            CauseKind::Contradiction => "contradiction",
            CauseKind::Copied => "copied",
            CauseKind::Decrypted => "decrypted",
            CauseKind::Filled => "filled",
            CauseKind::FlippedBit => "flipped-bit",
            CauseKind::NegativeZero => "negative-zero",
            CauseKind::NoPseudoHeader => "no-pseudo-header",
            CauseKind::NotComplemented => "not-complemented",
            CauseKind::Offload => "offload",
            CauseKind::OffloadRewritten => "offload-rewritten",
            CauseKind::OtherDestination => "other-destination",
            CauseKind::OtherLength => "other-length",
            CauseKind::Repeated => "repeated",
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
            Some(Cause::ChangedByte { .. }) => CauseKind::ChangedByte,
            Some(Cause::Contradiction) => CauseKind::Contradiction,
            Some(Cause::Copied) => CauseKind::Copied,
            Some(Cause::Decrypted) => CauseKind::Decrypted,
            Some(Cause::Filled) => CauseKind::Filled,
            Some(Cause::FlippedBit(_)) => CauseKind::FlippedBit,
            Some(Cause::NegativeZero) => CauseKind::NegativeZero,
            Some(Cause::NoPseudoHeader) => CauseKind::NoPseudoHeader,
            Some(Cause::NotComplemented) => CauseKind::NotComplemented,
            Some(Cause::Offload) => CauseKind::Offload,
            Some(Cause::OffloadRewritten) => CauseKind::OffloadRewritten,
            Some(Cause::OtherDestination) => CauseKind::OtherDestination,
            Some(Cause::OtherLength(_)) => CauseKind::OtherLength,
            Some(Cause::Repeated) => CauseKind::Repeated,
            Some(Cause::Rewritten) => CauseKind::Rewritten,
            None => CauseKind::Unknown,
            Some(Cause::Zeroed) => CauseKind::Zeroed,
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
