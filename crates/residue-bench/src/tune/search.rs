//! Conclusions from times: the faster product, crossovers, and what a difference costs.

use super::trial::{Comparison, Point};
use residue::cpu::Product;
use residue_report::number::significant;
use serde::Serialize;

/// The difference in time, as a share, up to which two kernels tie.
pub const TIE: f64 = 0.01;

/// The length from which one kernel is ahead of a simpler one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Crossover {
    /// The smallest measured size from which it is ahead at all larger ones.
    From(usize),
    /// It is not ahead at the largest size.
    NotFound,
}

/// Returns whether the second kernel is ahead of the simpler one, by more than a tie.
fn ahead(point: &Point) -> bool {
    point.ratio() > 1.0 + TIE
}

/// Returns the smallest size from which the second kernel is ahead at all larger ones; a tie counts
/// for the simpler kernel.
///
/// `points` are ascending in size.
pub(super) fn crossover(points: &[Point]) -> Crossover {
    let last = points.iter().rev().take_while(|point| ahead(point)).last();
    last.map_or(Crossover::NotFound, |point| Crossover::From(point.bytes))
}

/// Returns the geometric mean of the ratios of all points: how many times as long as the second
/// kernels the simpler ones take.
fn mean_ratio<'a>(points: impl Iterator<Item = &'a Point>) -> f64 {
    let logarithms: Vec<f64> = points.map(|point| point.ratio().ln()).collect();
    (logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp()
}

/// Returns the product that is faster over all codes and sizes; in a tie, the carry-less one.
pub(super) fn faster(products: &[Comparison]) -> Product {
    let ratio = mean_ratio(products.iter().flat_map(|one| &one.points));
    if ratio > 1.0 + TIE { Product::ByteMatrix } else { Product::CarryLess }
}

/// Returns how `share` is said in per cent.
fn percent(share: f64) -> String {
    format!("{} %", significant(share * 100.0, 2))
}

/// Says whether the measured product is the built-in one, and how much faster it is.
pub(super) fn product_finding(built_in: Product, products: &[Comparison]) -> Option<String> {
    if products.is_empty() {
        return None;
    }
    let found = faster(products);
    let relation = if found == built_in { "as built in" } else { "not as built in" };
    let each = products.iter().map(|one| {
        let ratio = mean_ratio(one.points.iter());
        let (name, share) = match ratio > 1.0 {
            true => (Product::ByteMatrix.name(), ratio - 1.0),
            false => (Product::CarryLess.name(), 1.0 / ratio - 1.0),
        };
        format!("{}: {name} by {}", one.code, percent(share))
    });
    let each: Vec<String> = each.collect();
    Some(format!(
        "product: {} products are faster, {relation} ({}).",
        found.name(),
        each.join(", ")
    ))
}

/// Says whether a measured length is the built-in one, and what the built-in one costs where they
/// differ.
pub(super) fn finding(
    field: &str,
    built_in: usize,
    measured: Option<Crossover>,
    points: &[Point],
) -> Option<String> {
    let (first, last) = (points.first()?.bytes, points.last()?.bytes);
    let bytes = match measured? {
        Crossover::From(bytes) if bytes == built_in => {
            return Some(format!("{field}: {built_in}, as built in."));
        }
        Crossover::From(bytes) => bytes,
        Crossover::NotFound => {
            return Some(format!(
                "{field}: not found, the kernel for longer data is not ahead at {last} bytes; \
                 built in are {built_in}."
            ));
        }
    };
    let at_most = if bytes == first { " (the smallest size measured)" } else { "" };
    // Between both lengths the built-in choice is the other kernel.
    let (lower, upper) = (bytes.min(built_in), bytes.max(built_in));
    let between = points.iter().filter(|point| (lower..upper).contains(&point.bytes));
    let slower = |point: &Point| if built_in > bytes { point.ratio() } else { 1.0 / point.ratio() };
    let by = |point: &Point, factor: f64| {
        (factor > 1.0 + TIE).then(|| format!("{} at {} bytes", percent(factor - 1.0), point.bytes))
    };
    let dearest = between.clone().max_by(|a, b| slower(a).total_cmp(&slower(b)));
    let cheapest = between.min_by(|a, b| slower(a).total_cmp(&slower(b)));
    let costs = dearest.and_then(|point| by(point, slower(point)));
    let gains = cheapest.and_then(|point| by(point, 1.0 / slower(point)));
    let effect = match (costs, gains) {
        (Some(costs), Some(gains)) => format!("which costs up to {costs}, and gains {gains}"),
        (Some(costs), None) => format!("which costs up to {costs}"),
        (None, Some(gains)) => format!("which costs nothing, and gains up to {gains}"),
        (None, None) => "which is a tie".to_string(),
    };
    Some(format!("{field}: {bytes}{at_most}; built in are {built_in}, {effect}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the points of sizes 64, 128, 256, ..., by their ratios.
    fn points(ratios: &[f64]) -> Vec<Point> {
        let point =
            |(place, ratio)| Point { bytes: 64_usize << place, ns: [ratio * 8.0, 8.0], rounds: 9 };
        ratios.iter().copied().enumerate().map(point).collect()
    }

    #[test]
    fn a_crossover_is_where_the_lead_begins_for_good() {
        use Crossover::{From, NotFound};
        for (ratios, expected) in [
            // Monotonous.
            (&[0.7, 0.9, 1.0, 1.1, 1.3][..], From(512)),
            // Noisy: ahead once, behind again.
            (&[0.7, 1.2, 0.98, 1.1, 1.3], From(512)),
            (&[0.7, 1.2, 1.3, 1.1, 1.005, 1.4], From(2048)),
            // Never, not even where it ties at the end, or falls behind there.
            (&[0.7, 0.8, 0.9], NotFound),
            (&[0.7, 0.8, 1.009], NotFound),
            (&[1.2, 1.3, 1.3, 0.9], NotFound),
            // Always.
            (&[1.1, 1.2, 1.3], From(64)),
            (&[], NotFound),
            // A time of nothing.
            (&[f64::NAN, 1.2], From(128)),
            (&[1.2, f64::NAN], NotFound),
        ] {
            assert_eq!(crossover(&points(ratios)), expected, "{ratios:?}");
        }
    }

    #[test]
    fn ties_of_products_count_for_the_simpler_one() {
        let comparison = |ratios: &[f64]| Comparison {
            code: "crc-32/iscsi".into(),
            kernels: ["simple", "other"],
            points: points(ratios),
        };
        for (ratios, expected) in [
            (&[1.0, 1.009][..], Product::CarryLess),
            (&[0.7, 0.8], Product::CarryLess),
            (&[0.9, 1.4], Product::ByteMatrix),
            (&[], Product::CarryLess),
        ] {
            assert_eq!(faster(&[comparison(ratios)]), expected, "{ratios:?}");
        }
        let finding = product_finding(Product::ByteMatrix, &[comparison(&[0.8])]);
        let expected = "product: carry-less products are faster, not as built in \
             (crc-32/iscsi: carry-less by 25 %).";
        assert_eq!(finding.as_deref(), Some(expected));
        assert_eq!(product_finding(Product::ByteMatrix, &[]), None);
    }

    #[test]
    fn findings_say_what_a_difference_costs() {
        let ratios = [0.8, 0.9, 1.2, 1.3];
        let finding = |built_in, ratios: &[f64]| {
            let points = points(ratios);
            finding("some_length", built_in, Some(crossover(&points)), &points).expect("a finding")
        };
        assert_eq!(finding(256, &ratios), "some_length: 256, as built in.");
        assert_eq!(
            finding(1024, &ratios),
            "some_length: 256; built in are 1024, which costs up to 30 % at 512 bytes."
        );
        assert_eq!(
            finding(64, &ratios),
            "some_length: 256; built in are 64, which costs up to 25 % at 64 bytes."
        );
        let bump = [0.8, 1.25, 0.5, 1.3];
        assert_eq!(
            finding(128, &bump),
            "some_length: 512; built in are 128, which costs up to 100 % at 256 bytes, and gains \
             25 % at 128 bytes."
        );
        assert!(finding(128, &[0.8, 1.25, 1.0, 1.3]).contains("costs nothing, and gains up to 25"));
        assert!(finding(240, &ratios).contains("which is a tie"));
        assert!(finding(128, &[0.8, 0.995, 1.2]).contains("which is a tie"));
        assert!(finding(128, &[1.8, 1.9]).contains("64 (the smallest size measured); built in"));
        assert!(finding(128, &[0.8, 0.9]).contains("not found"));
        assert_eq!(super::finding("some_length", 1, None, &[]), None);
    }
}
