//! Places the names of curves one below the other, each as near to the end of its curve as there is
//! room.

/// Returns places for labels that would like to stand at `wanted`, ascending: at least `gap` apart
/// and inside `low..=high` as far as they fit. Labels that push each other move as one group around
/// their mean, which is the arrangement with the least sum of squared moves.
#[must_use]
pub fn spread(wanted: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    // A group starts at its mean of `wanted - gap * place in the group`; neighbours that overlap
    // are joined.
    struct Group {
        sum: f64,
        count: usize,
    }
    impl Group {
        fn start(&self, gap: f64, low: f64, high: f64) -> f64 {
            let last = (high - gap * (self.count as f64 - 1.0)).max(low);
            (self.sum / self.count as f64).clamp(low, last)
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    for &place in wanted {
        let mut group = Group { sum: place, count: 1 };
        while let Some(above) = groups.pop() {
            let end = above.start(gap, low, high) + gap * above.count as f64;
            if end <= group.start(gap, low, high) {
                groups.push(above);
                break;
            }
            // Seen from the start of the group above, this one begins `above.count` gaps lower.
            let moved = gap * (above.count * group.count) as f64;
            group = Group { sum: above.sum + group.sum - moved, count: above.count + group.count };
        }
        groups.push(group);
    }
    let each = |group: &Group| {
        let start = group.start(gap, low, high);
        (0..group.count).map(move |place| start + gap * place as f64).collect::<Vec<_>>()
    };
    groups.iter().flat_map(each).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_order_and_their_distance() {
        assert_eq!(spread(&[10.0, 50.0], 15.0, 0.0, 100.0), [10.0, 50.0]);
        assert_eq!(spread(&[50.0, 50.0], 10.0, 0.0, 100.0), [45.0, 55.0]);
        assert_eq!(spread(&[99.0, 100.0], 10.0, 0.0, 100.0), [90.0, 100.0]);
        assert_eq!(spread(&[0.0, 1.0, 2.0], 10.0, 0.0, 100.0), [0.0, 10.0, 20.0]);
        let many = spread(&[5.0, 6.0, 30.0, 31.0, 31.0, 80.0, 99.0, 99.5], 12.0, 0.0, 100.0);
        assert!(many.windows(2).all(|pair| pair[1] - pair[0] >= 12.0 - 1e-9), "{many:?}");
        assert!(many[0] >= 0.0 && *many.last().unwrap() <= 100.0, "{many:?}");
        assert!(spread(&[], 10.0, 0.0, 1.0).is_empty());
    }
}
