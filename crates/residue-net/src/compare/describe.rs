//! The description of an alteration.

use super::judge::{Difference, View};
use super::layer::Field;
use super::pattern::{Altered, BLOCK, Example, MOST_FIELDS, Toward, common_bit, moved};
use crate::survey::Damage;

/// Returns the captured bytes of a network layer.
pub fn captured<'a>(view: View<'a>) -> &'a [u8] {
    view.layer.captured(&view.packet.bytes)
}

/// Describes an alteration.
pub fn describe(
    views: &[View<'_>; 2],
    packets: [u64; 2],
    toward: Toward,
    translated: bool,
    difference: &Difference,
) -> Altered {
    let Difference { expected, arrived, places, grown, outcome, checks } = difference;
    let [from, to] = [views[toward as usize], views[1 - toward as usize]];
    let length = expected.len().min(arrived.len());
    let damage = Damage::between(&expected[..length], &arrived[..length]);
    let mut fields: Vec<Field> = Vec::new();
    for &at in places {
        let field = to.layer.field(&to.packet.bytes, at);
        if !fields.contains(&field) && fields.len() < MOST_FIELDS {
            fields.push(field);
        }
    }
    let data = to.layer.data(&to.packet.bytes);
    let modulo = |at: usize, origin: usize| ((at + BLOCK - origin % BLOCK) % BLOCK) as u8;
    let first = places.first().copied().unwrap_or(0);
    let lane = [modulo(first, 0), modulo(first, data)];
    let same = places.iter().all(|&at| modulo(at, 0) == lane[0]);
    let bits = places.iter().map(|&at| (expected[at] ^ arrived[at]).count_ones()).sum();
    Altered {
        packets,
        flow: from.layer.flow,
        toward,
        fields,
        damage,
        bytes: places.len(),
        bits,
        grown: *grown,
        bit: common_bit(expected, arrived, places),
        lane: same.then_some(lane),
        moved: moved(damage, expected, arrived, places),
        outcome: *outcome,
        checks: checks.clone(),
        translated,
        hops: from.layer.ttl.saturating_sub(to.layer.ttl),
        example: Example::of(expected, arrived, first),
    }
}
