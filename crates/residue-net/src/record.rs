//! The record of a check value, as reports of all formats show it.

use crate::address::Address;
use crate::buffer::Finding;
use crate::check::Verdict;
use crate::diagnose::{Cause, CauseKind};
use crate::time::rfc3339;

/// The report on a [`Finding`], beyond its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Why the value cannot be judged.
    pub reason: Option<&'static str>,
    /// Name of the kind of cause, if the value is not right.
    pub cause: Option<&'static str>,
    /// Details of the cause.
    pub detail: Option<String>,
    /// Source address of the packet.
    pub source: Option<String>,
    /// Destination address of the packet.
    pub destination: Option<String>,
    /// Offset of the field in the (decompressed) file.
    pub offset: Option<u64>,
    /// Time of capture of the packet, as RFC 3339 writes it.
    pub time: Option<String>,
    /// Link type of the packet: its name, or its number.
    pub link: String,
}

impl Record {
    /// Returns the record of a check, with the cause from
    /// [`Diagnosis::cause`](crate::diagnose::Diagnosis::cause).
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
            time: finding.buffer.time.map(rfc3339),
            link: finding.buffer.link.to_string(),
        }
    }
}
