//! CRCs near the wanted one: other reflections, initial values and final xors, polynomials that a
//! slip of the pen or of the notation makes of its own, and parts of the value.

use super::answers::{Answers, Candidate, Kind};
use super::differences::{between, mistyped};
use super::known::capitalised;
use residue::Code;
use residue::crc::Params;

/// The widest CRC for which polynomials with two wrong bits are tried.
const MOST_FOR_TWO_BITS: u32 = 64;
/// The number of equally near CRCs that are reported.
const MOST: usize = 3;

/// A part or an order of a value, as it may be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct View {
    /// Its highest bits are left out, up to this many that remain.
    bits: u32,
    /// Its lowest bits are left out first.
    high: bool,
    /// Its bytes are in the opposite order.
    swapped: bool,
}

impl View {
    fn of(self, value: u128, width: u32) -> u128 {
        let value = if self.high { value >> (width - self.bits) } else { value };
        let value = value & (u128::MAX >> (128 - self.bits));
        if self.swapped { value.swap_bytes() >> (128 - self.bits) } else { value }
    }

    /// Returns the views that the answers allow.
    fn all(width: u32, answers: &Answers) -> Vec<View> {
        let needed = answers.list.iter().map(|(_, answer)| 128 - answer.leading_zeros()).max();
        let needed = needed.unwrap_or(0);
        let narrower = [8, 16, 32, 64].into_iter().filter(|&bits| bits < width);
        let mut views = Vec::new();
        for bits in narrower.chain([width]).filter(|&bits| needed <= bits) {
            let swaps: &[bool] = if bits > 8 && bits % 8 == 0 { &[false, true] } else { &[false] };
            for high in [false, true] {
                if high && bits == width {
                    continue;
                }
                views.extend(swaps.iter().map(|&swapped| View { bits, high, swapped }));
            }
        }
        views
    }

    /// Returns what it does to a value of this width; `None` for the value as it is.
    fn about(self, width: u32) -> Option<String> {
        let order = if self.swapped { ", in the opposite order of bytes" } else { "" };
        let end = if self.high { "highest" } else { "lowest" };
        match (self.bits == width, self.swapped) {
            (true, false) => None,
            (true, true) => Some("the value's bytes are in the opposite order".to_string()),
            (false, _) => Some(format!("only the {end} {} bits are there{order}", self.bits)),
        }
    }
}

/// A CRC that has some of the answers as its values.
struct Near {
    params: Params,
    view: View,
    /// The names of what differs, and clauses about it.
    differences: Vec<(&'static str, String)>,
    given: Vec<bool>,
}

/// Returns the CRCs near the wanted one that give most of the answers, those with the fewest
/// differences.
pub(super) fn near(code: &Code, answers: &Answers) -> Vec<Candidate> {
    let Some(wanted) = code.params() else { return Vec::new() };
    // The shortest three decide cheaply whether a CRC is worth a look at all answers.
    let [first, second, third, ..] = &answers.list[..] else { return Vec::new() };
    let short = [first, second, third];
    let width = u32::from(wanted.width);
    let mut found: Vec<Near> = Vec::new();
    let (views, polynomials) = (View::all(width, answers), polynomials(wanted));
    let tried = 4 * polynomials.len() * initial_values(wanted).len() * views.len();
    // The final xor is solved for.
    let tried = (tried as f64).log2() + f64::from(width);
    for poly in polynomials {
        for refin in [wanted.refin, !wanted.refin] {
            for init in initial_values(wanted) {
                let bare = Params { poly, refin, refout: false, init, xorout: 0, ..*wanted };
                let registers = short.map(|(case, _)| bare.reference(&case.data));
                for refout in [wanted.refout, !wanted.refout] {
                    let values = registers.map(|it| if refout { wanted.reflect(it) } else { it });
                    for &view in &views {
                        let values = values.map(|value| view.of(value, width));
                        // The final xor is the same for all.
                        let xors: [u128; 3] = std::array::from_fn(|i| values[i] ^ short[i].1);
                        if xors[0] != xors[1] || xors[0] != xors[2] {
                            continue;
                        }
                        let same = xors[0] == view.of(wanted.xorout, width);
                        let xorout =
                            if same { wanted.xorout } else { unseen(view, xors[0], width) };
                        let params = Params { refout, xorout, ..bare };
                        found.extend(examined(wanted, params, view, answers));
                    }
                }
            }
        }
    }
    let matched = |near: &Near| near.given.iter().filter(|&&given| given).count();
    let most = found.iter().map(matched).max().unwrap_or(0);
    found.retain(|near| matched(near) == most);
    let fewest = found.iter().map(|near| near.differences.len()).min().unwrap_or(0);
    found.retain(|near| near.differences.len() == fewest);
    found.truncate(MOST);
    found.into_iter().map(|near| near.candidate(code, tried)).collect()
}

/// Returns a final xor of which this is the view; bits that are not in view are zero.
fn unseen(view: View, seen: u128, width: u32) -> u128 {
    let seen = if view.swapped { seen.swap_bytes() >> (128 - view.bits) } else { seen };
    if view.high { seen << (width - view.bits) } else { seen }
}

/// Compares a CRC with all answers.
fn examined(wanted: &Params, params: Params, view: View, answers: &Answers) -> Option<Near> {
    let width = u32::from(params.width);
    let mut differences = between(wanted, &params);
    differences.extend(view.about(width).map(|clause| ("value", clause)));
    // Without a difference it is the wanted code, whose answers are counted as right.
    if differences.is_empty() {
        return None;
    }
    let given =
        answers.given(|case, answer| view.of(params.reference(&case.data), width) == answer)?;
    Some(Near { params, view, differences, given })
}

impl Near {
    fn candidate(self, code: &Code, tried: f64) -> Candidate {
        let names: Vec<&str> = self.differences.iter().map(|(name, _)| *name).collect();
        let clauses: Vec<&str> = self.differences.iter().map(|(_, what)| what.as_str()).collect();
        let whole = self.view.bits == u32::from(self.params.width);
        let name = residue::crc::catalog::ALL.iter().find(|named| {
            whole
                && Params { name: "", check: 0, residue: 0, ..**named }
                    == Params { name: "", check: 0, residue: 0, ..self.params }
        });
        let named = name.map_or(String::new(), |named| format!(" That is {}.", named.name));
        Candidate {
            kind: Kind::Settings,
            name: names.join(", "),
            why: format!(
                "{}. Everything else is as in {code}.{named}",
                capitalised(&clauses.join("; "))
            ),
            given: self.given,
            tried,
        }
    }
}

/// Returns the wanted polynomial, and those that mistakes in writing it down make of it.
fn polynomials(wanted: &Params) -> Vec<u128> {
    let width = u32::from(wanted.width);
    let mut list = vec![
        wanted.poly,
        wanted.reversed(),
        wanted.reciprocal(),
        wanted.koopman(),
        wanted.poly << 1 & wanted.mask(),
        wanted.poly >> 1,
    ];
    list.extend((0..width).map(|bit| wanted.poly ^ 1 << bit));
    list.extend(mistyped(wanted).into_iter().map(|(poly, _)| poly));
    if width <= MOST_FOR_TWO_BITS {
        let pairs = (0..width).flat_map(|a| (0..a).map(move |b| (a, b)));
        list.extend(pairs.map(|(a, b)| wanted.poly ^ 1 << a ^ 1 << b));
    }
    let mut seen = std::collections::HashSet::new();
    list.retain(|&poly| poly != 0 && seen.insert(poly));
    list
}

/// Returns the wanted initial value, and those that programs have instead.
fn initial_values(wanted: &Params) -> Vec<u128> {
    let reversed = wanted.reflect(wanted.init);
    let swapped = match wanted.width % 8 {
        0 => wanted.init.swap_bytes() >> (128 - u32::from(wanted.width)),
        _ => wanted.init,
    };
    let xored = wanted.init ^ wanted.xorout;
    let mut list = Vec::new();
    for init in [wanted.init, 0, wanted.mask(), 1, reversed, swapped, xored] {
        if !list.contains(&init) {
            list.push(init);
        }
    }
    list
}
