//! Display filters of Wireshark and tshark.

use std::fmt::Write as _;

/// Returns the filter that shows these packets, whose numbers ascend.
pub fn frames(numbers: impl IntoIterator<Item = u64>) -> String {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if number <= *last + 1 => *last = number.max(*last),
            _ => ranges.push((number, number)),
        }
    }
    let mut filter = String::from("frame.number in {");
    for (at, (first, last)) in ranges.iter().enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        let _ = match last - first {
            0 => write!(filter, "{comma}{first}"),
            _ => write!(filter, "{comma}{first}..{last}"),
        };
    }
    filter + "}"
}

#[cfg(test)]
mod tests {
    use super::frames;

    #[test]
    fn ranges_are_shortened() {
        for (numbers, filter) in [
            (vec![7], "frame.number in {7}"),
            (vec![1, 2, 3, 9, 9, 11, 12], "frame.number in {1..3, 9, 11..12}"),
        ] {
            assert_eq!(frames(numbers), filter);
        }
    }
}
