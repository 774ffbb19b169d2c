//! Undetected errors of sums, computed exactly: a table and sentences.

use crate::codes::Undetected;
use crate::sums::{Share, Sum};
use residue_report::number::significant;
use residue_report::{Row, Table};

/// Returns a table with a row for each code.
#[must_use]
pub fn table(sums: &[Sum]) -> Table {
    let share =
        |share: Option<&Share>| share.map_or("-".into(), |share| significant(share.share, 4));
    let row = |sum: &Sum| {
        let distance = match &sum.distance {
            None => "-".into(),
            Some(distance) if distance.three_to == 0 => "never".into(),
            Some(distance) => distance.three_to.to_string(),
        };
        let mut values = vec![
            distance,
            share(Some(&sum.two_bits)),
            share(Some(&sum.two_bits_of_zeros)),
            share(sum.swapped.as_ref()),
            share(sum.inserted.as_ref()),
        ];
        values.extend(sum.bursts.iter().map(|burst| significant(burst.mean, 4)));
        Row::Values(sum.code.clone(), values)
    };
    let bytes = sums.first().map_or(0, |sum| sum.bytes);
    let mut heads: Vec<String> =
        ["HD 3 to, bytes", "2 bits", "of zeros", "swap", "insert"].map(String::from).to_vec();
    let bursts = sums.first().map_or(&[][..], |sum| &sum.bursts);
    heads.extend(bursts.iter().map(|burst| format!("{}-bit burst", burst.bits)));
    Table {
        id: "sums",
        title: format!("Shares of undetected errors in {bytes} bytes of data"),
        note: "Exact. HD 3 to: the longest data in which all pairs of wrong bits are detected \
            (those of the check value among them). 2 bits: pairs of wrong data bits, uniform data; \
            of zeros: data that are all zero. swap: two unequal units of uniform data change \
            places; insert: a zero unit comes in before any unit. Bursts: the first and the last \
            bit are wrong, uniform data, mean over where in a unit they begin. -: not computed \
            (CRCs: `residue strength CODE`)."
            .into(),
        stub: "code",
        heads,
        together: 1,
        rows: sums.iter().map(row).collect(),
    }
}

/// Lists the errors that prove a code's limits, a line each.
#[must_use]
pub fn witnesses(sum: &Sum) -> Vec<String> {
    let Some(distance) = &sum.distance else { return Vec::new() };
    let two = format!("{}: 2 wrong bits, undetected: {}", sum.code, witness(&distance.two));
    let three = distance.three.iter();
    let three =
        three.map(|three| format!("{}: 3 wrong bits, undetected: {}", sum.code, witness(three)));
    [two].into_iter().chain(three).collect()
}

/// Describes an error in words.
#[must_use]
pub fn witness(error: &Undetected) -> String {
    let nonzero: Vec<String> =
        error.nonzero().iter().map(|(place, byte)| format!("byte {place} {byte:02x}")).collect();
    let nonzero =
        if nonzero.is_empty() { "zero".into() } else { format!("zero but {}", nonzero.join(", ")) };
    let bytes = error.bits() / 8;
    let plural = if bytes == 1 { "" } else { "s" };
    format!("{bytes} byte{plural}, {nonzero}; {}", error.text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::additive::Additive;
    use crate::sums::sum;

    #[test]
    #[ignore = "long"]
    fn sums_are_reported() {
        let sums = ["xor-8", "internet", "fletcher-16", "adler-32", "crc-16/arc"]
            .map(|name| sum(&Additive::named(name).unwrap(), 40).unwrap());
        let text = table(&sums).text();
        assert!(text.contains("never") && text.contains("65520"), "{text}");
        let lines: Vec<String> = sums.iter().flat_map(witnesses).collect();
        assert!(
            lines.contains(
                &"adler-32: 2 wrong bits, undetected: 65521 bytes, zero; data 0, check 00000080"
                    .to_string()
            )
        );
    }
}
