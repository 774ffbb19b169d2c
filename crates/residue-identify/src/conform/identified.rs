//! Hands the answers of a program to the search for the code behind values.

use super::answers::{Answers, Candidate, Kind};
use super::differences::between;
use crate::identify::{CONVINCING, Family, Found, Hit, Options, Sample, Samples, identify};
use residue::Code;
use residue::crc::Params;

/// The longest message that is handed over, in bytes: longer ones take the search much longer, and
/// say no more. All are compared with the result.
const LONGEST: usize = 64;
/// The most bytes that the search leaves out at an end of a message.
const LONGEST_OFFSET: usize = 8;
/// The dimensions of a family of equal CRCs whose members are all compared with the wanted one.
const MOST_DIMENSIONS: usize = 8;
/// The number of results that are reported.
const MOST: usize = 3;

/// Returns what the search finds for the answers, if chance does not explain it.
pub(super) fn identified(code: &Code, answers: &Answers) -> Vec<Candidate> {
    // No code covers a part of each message that the shortest do not have.
    let found = searched(code, answers, 0);
    if found.is_empty() { searched(code, answers, LONGEST_OFFSET) } else { found }
}

/// Searches with the messages of this many bytes and more.
fn searched(code: &Code, answers: &Answers, shortest: usize) -> Vec<Candidate> {
    let mut list: Vec<Sample> = Vec::new();
    for (case, answer) in &answers.list {
        let fits = (shortest..=LONGEST).contains(&case.data.len());
        if fits && list.iter().all(|sample| sample.message != case.data) {
            list.push(Sample { message: case.data.clone(), value: *answer });
        }
    }
    let needed = list.iter().map(|sample| 128 - sample.value.leading_zeros()).max().unwrap_or(0);
    let fields = [8, 16, 32, 64, code.width(), 128];
    // Narrower fields than the code's hold a part of its value.
    let bits = fields.into_iter().filter(|&bits| bits >= needed).min().unwrap_or(128);
    let report = match Samples::new(list, bits, false) {
        Ok(samples) => identify(&samples, &Options::default()),
        Err(_) => return Vec::new(),
    };
    let hits = report.map(|report| report.hits).unwrap_or_default();
    let convincing = hits.iter().filter(|hit| hit.chance <= CONVINCING);
    convincing.filter_map(|hit| candidate(code, hit, bits, answers)).take(MOST).collect()
}

fn candidate(code: &Code, hit: &Hit, bits: u32, answers: &Answers) -> Option<Candidate> {
    let given = answers.given(|case, answer| hit.field(&case.data, bits) == Some(answer))?;
    let mut name = match &hit.found {
        Found::Code(code) => code.name().to_string(),
        Found::Sum(model) => model.to_string(),
        Found::Hash(hash) => hash.to_string(),
    };
    let mut why = format!("These are values of {}; {}.", hit.reading, hit.written());
    if let Found::Code(found) = &hit.found
        && let Some(params) = found.params()
    {
        let wanted = code.params().filter(|wanted| wanted.width == params.width);
        let nearest = wanted.zip(hit.family.as_ref()).and_then(|(p, all)| nearest(p, all));
        let count = |params: &Params| wanted.map_or(0, |wanted| between(wanted, params).len());
        let params = nearest.filter(|it| count(it) < count(params)).unwrap_or(*params);
        if params.name == "custom" {
            name = params.to_string();
        }
        let clauses = wanted.map(|wanted| between(wanted, &params)).unwrap_or_default();
        let clauses: Vec<String> = clauses.into_iter().map(|(_, clause)| clause).collect();
        if !clauses.is_empty() {
            why += &format!(" Compared with {code}: {}.", clauses.join("; "));
        }
    }
    if let Some(family) = hit.family.as_ref().filter(|family| family.dimension() > 0) {
        let pairs = family.dimension();
        why += &format!(" 2^{pairs} pairs of init and xorout give equal values here.");
    }
    // The search has found it convincing.
    Some(Candidate { kind: Kind::Identified, name, why, given, tried: 0.0 })
}

/// Returns the member of a family with the fewest differences from the wanted CRC, if there are not
/// too many.
fn nearest(wanted: &Params, family: &Family) -> Option<Params> {
    let kernel = family.kernel.get(..family.dimension().min(MOST_DIMENSIONS))?;
    let members = (0..1_u32 << kernel.len()).filter_map(|choice| {
        let chosen = kernel.iter().enumerate().filter(|(i, _)| choice >> i & 1 == 1);
        let change = chosen.fold(0, |change, (_, difference)| change ^ difference);
        family.member(family.params.init ^ change)
    });
    members.chain(family.member(wanted.init)).min_by_key(|params| between(wanted, params).len())
}
