//! One check value as reports show it, whatever their format.

use crate::address::Address;
use crate::buffer::Finding;
use crate::check::Verdict;
use crate::diagnose::{Cause, CauseKind};

/// What reports say of a [`Finding`] beyond its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Why it cannot be judged.
    pub reason: Option<&'static str>,
    /// Why it is not right: the name of the cause's kind.
    pub cause: Option<&'static str>,
    /// What is known of the cause beyond its name.
    pub detail: Option<String>,
    /// Where the packet comes from.
    pub source: Option<String>,
    /// Where it goes.
    pub destination: Option<String>,
    /// Of the field's first byte, in the file (decompressed).
    pub offset: Option<u64>,
}

impl Record {
    /// Returns the record of a check with the cause that
    /// [`Diagnosis::cause`](crate::diagnose::Diagnosis::cause) gives.
    #[must_use]
    pub fn of(finding: &Finding<'_>, cause: Option<Cause>) -> Record {
        let places = finding.buffer.places;
        let [source, destination] = finding.addresses().map(|bytes| Address::new(bytes).shown());
        let wrong = matches!(finding.verdict, Verdict::Bad | Verdict::Offloaded);
        Record {
            reason: match finding.verdict {
                Verdict::Unverifiable(reason) => Some(reason.text()),
                _ => None,
            },
            cause: wrong.then(|| CauseKind::from(cause).name()),
            detail: cause.and_then(|cause| cause.detail(places)),
            source,
            destination,
            offset: places.offset(finding.check.field[0].start),
        }
    }
}
