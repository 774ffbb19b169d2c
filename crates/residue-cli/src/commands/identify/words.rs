//! Numbers in words.

/// Returns a probability in words: `1 in 2^40`.
pub(super) fn odds(chance: f64) -> String {
    if chance > -3.5 {
        format!("{:.2}", chance.exp2())
    } else if chance > -20.0 {
        format!("1 in {:.0}", (-chance).exp2())
    } else {
        format!("1 in 2^{:.0}", -chance)
    }
}

/// Returns a number of things.
pub(super) fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Returns two to this power, as a number if it is short.
pub(super) fn power(exponent: f64) -> String {
    if exponent < 16.5 { format!("{:.0}", exponent.exp2()) } else { format!("2^{exponent:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_in_words() {
        assert_eq!(odds(-1.0), "0.50");
        assert_eq!(odds(-10.0), "1 in 1024");
        assert_eq!(odds(-40.2), "1 in 2^40");
    }
}
