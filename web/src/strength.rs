//! Answers questions about the strength of a CRC's polynomial.

use crate::Page;
use residue_strength::{Effort, Factor, Generator, Kind, Limit, Profile, Undetected, named, notes};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

/// Time limit of a profile, in seconds on one core of a browser; a figure that would take longer
/// stays a bound.
const TIME_LIMIT: u32 = 15;
/// Memory for tables, in bytes.
const MEMORY: u64 = 96 << 20;

/// Returns the limits of each Hamming distance of the code called `name`, and the distance for
/// `bits` of data.
///
/// # Errors
/// If the code is not a CRC of 3 to 100 bits.
pub fn strength(name: &str, bits: u64, page: &impl Page) -> Result<Value, String> {
    let (generator, _) = Generator::parse(name, None).map_err(|error| error.to_string())?;
    let tell = |done, of| page.progress(done, of);
    let effort = Effort { threads: 1, memory: MEMORY, ..Effort::new() }.within(TIME_LIMIT);
    // WebAssembly has no clock of its own: sums are counted.
    let made = AtomicU64::new(0);
    let spend = |sums| made.fetch_add(sums, Ordering::Relaxed) < effort.sums;
    let effort = Effort { tell: &tell, spend: &spend, ..effort };
    let profile = Profile::new(&generator, &effort);
    let (distance, kind) = profile.distance(bits.max(1));
    let factor = |factor: &Factor| {
        json!({
            "polynomial": format!("{:x}", factor.poly),
            "degree": factor.degree(),
            "times": factor.times,
            "primitive": factor.is_primitive(),
        })
    };
    let (label, code) = named(name, &generator);
    let limit = |limit: &Limit| -> Result<Value, String> {
        let error =
            Undetected::of_limit(limit, (&label, &code)).map_err(|error| error.to_string())?;
        Ok(json!({
            "distance": limit.distance,
            // A JavaScript number holds 53 bits.
            "data_bits": limit.data.to_string(),
            "kind": limit.kind.name(),
            "undetected": error.map(|error| json!({
                "data": error.data().iter().map(u64::to_string).collect::<Vec<_>>(),
                "check": error.check(),
            })),
        }))
    };
    Ok(json!({
        "bits": bits,
        "distance": distance,
        "exact": kind == Kind::Exact,
        "order": profile.order.to_string(),
        "factors": profile.factors.iter().map(factor).collect::<Vec<_>>(),
        "limits": profile.limits.iter().map(limit).collect::<Result<Vec<_>, _>>()?,
        "note": notes(&generator),
    }))
}
