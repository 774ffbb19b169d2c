//! Why a code meets the requirements, or does not, in a few words each.

use super::{Candidate, Target, Wanted};
use crate::Kind;
use residue_report::number::{grouped, significant};

impl Candidate {
    /// Returns the first requirement that the code is not known to meet.
    pub(super) fn shortfall(&self, wanted: &Wanted) -> Option<String> {
        if let Some(limit) = self.holds_to.filter(|limit| limit.value < wanted.data_bits) {
            let known = if limit.kind == Kind::Exact.name() { "" } else { "known " };
            return Some(match limit.value {
                0 => format!("HD {} at no length", wanted.distance),
                _ => format!("HD {} {known}only to {} bits", wanted.distance, grouped(limit.value)),
            });
        }
        if self.burst < wanted.burst {
            return Some(format!("detects all bursts of up to {} bits only", self.burst));
        }
        let target = wanted.target?;
        let over = self.chances.iter().find(|at| {
            at.undetected.value > target.for_a_message(wanted.per_second(at.data_bits))
        })?;
        let (found, unit) = match target {
            Target::Message(_) => (over.undetected.value, "a message"),
            Target::Hour(_) => (over.per_hour, "an hour"),
            Target::Year(_) => (over.per_year, "a year"),
        };
        let length = grouped(over.data_bits);
        let mut why =
            format!("{} undetected errors {unit} at {length} bits", significant(found, 2));
        if wanted.damaged > 0.0 {
            why += &self.weakness(over.data_bits);
        }
        Some(why)
    }

    /// Says which damage beyond single bits counts as not detected, behind a semicolon.
    fn weakness(&self, data_bits: u64) -> String {
        let periodic = |period: u64| period.saturating_mul(8) < data_bits;
        match (self.unseen_swaps, &self.measured) {
            (Some(_), _) if !self.crc => "; swapped blocks are never detected".into(),
            (None, _) => "; nothing is proved of a sum for lost, swapped or foreign blocks".into(),
            (Some(period), _) if periodic(period) => {
                "; blocks swapped at the polynomial's period are never detected".into()
            }
            (_, Some(measured)) if measured.share >= self.damage(data_bits) => {
                format!("; measured: {} on {} data", measured.damage, measured.data)
            }
            _ if self.damage(data_bits) > 20.0 * self.random => {
                "; blocks swapped at the period of a factor are compared by fewer bits".into()
            }
            _ => String::new(),
        }
    }

    /// Lists how the code meets the requirements.
    pub(super) fn merits(&self, wanted: &Wanted) -> Vec<String> {
        let mut merits = Vec::new();
        if let Some(limit) = self.holds_to {
            let (distance, to) = (wanted.distance, grouped(limit.value));
            merits.push(format!("HD {distance} to {to} bits"));
        }
        if wanted.burst > 1 {
            merits.push(match self.crc {
                true => format!("all bursts of up to {} bits", self.burst),
                false => format!("all bursts of {} bits", wanted.burst),
            });
        }
        if let Some(worst) =
            self.chances.iter().max_by(|a, b| a.undetected.value.total_cmp(&b.undetected.value))
        {
            let kind = match worst.undetected.kind {
                "exact" => "",
                _ => "about ",
            };
            let value = significant(worst.undetected.value, 2);
            let mut text = format!("{kind}{value} undetected errors a message");
            match wanted.target {
                Some(Target::Hour(_)) => {
                    text += &format!(", {} an hour", significant(worst.per_hour, 2));
                }
                _ => text += &format!(", {} a year", significant(worst.per_year, 2)),
            }
            merits.push(text);
        }
        if let Some(speed) = &self.speed {
            let rate = significant(speed.bytes as f64 / speed.ns.max(1e-9), 2);
            merits.push(format!("{rate} GB/s by {}", speed.kernel));
        }
        if !self.own_instruction().is_empty() {
            merits.push(format!("an instruction of its own on {}", self.own_instruction()));
        }
        if !self.crc {
            merits.push("a sum: what it misses depends on the data".into());
        }
        merits
    }

    /// Returns the architectures with instructions for this code alone.
    #[must_use]
    pub fn own_instruction(&self) -> &'static str {
        match self.code.as_str() {
            "crc-32/iscsi" => "x86-64 and AArch64",
            "crc-32/iso-hdlc" => "AArch64",
            _ => "",
        }
    }
}
