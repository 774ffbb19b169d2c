//! The differences between the parameters of two CRCs, in words.

use residue::crc::Params;

/// Returns the differences of `found` from `wanted`, which has the same width: the parameter, and
/// a clause about it.
pub(super) fn between(wanted: &Params, found: &Params) -> Vec<(&'static str, String)> {
    let hex = |value: u128| format!("{value:0digits$x}", digits = digits(wanted));
    let mut list = Vec::new();
    if found.poly != wanted.poly {
        let relation = polynomial(wanted, found.poly);
        let (is, not) = (hex(found.poly), hex(wanted.poly));
        list.push(("poly", format!("the polynomial is {is}, not {not}: {relation}")));
    }
    if found.init != wanted.init {
        let (is, not) = (hex(found.init), hex(wanted.init));
        list.push(("init", format!("init is {is}, not {not}")));
    }
    for (name, is, not, what) in [
        ("refin", found.refin, wanted.refin, "each byte's"),
        ("refout", found.refout, wanted.refout, "the register's"),
    ] {
        if is != not {
            let order = match (name, is) {
                ("refin", true) => "lowest bit comes first",
                ("refin", false) => "highest bit comes first",
                (_, true) => "bits are reversed at the end",
                (_, false) => "bits are not reversed at the end",
            };
            list.push((name, format!("{name} is {is}, not {not}: {what} {order}")));
        }
    }
    if found.xorout != wanted.xorout {
        let (is, not) = (hex(found.xorout), hex(wanted.xorout));
        list.push(("xorout", format!("xorout is {is}, not {not}")));
    }
    list
}

/// Returns the number of hexadecimal digits of the parameters.
pub(super) fn digits(params: &Params) -> usize {
    usize::from(params.width).div_ceil(4)
}

/// Returns how a polynomial came from the wanted one.
fn polynomial(wanted: &Params, found: u128) -> String {
    let changed = wanted.poly ^ found;
    if found == wanted.reversed() {
        "its bits are reversed".to_string()
    } else if found == wanted.reciprocal() {
        "it is the reciprocal".to_string()
    } else if found == wanted.koopman() {
        "it is in Koopman's notation, with the top term and without the constant one".to_string()
    } else if changed.count_ones() == 1 {
        let bit = changed.ilog2();
        let what = if found & changed == 0 { "missing" } else { "too many" };
        format!("one bit differs, x^{bit} is {what}")
    } else if let Some(typo) = typo(wanted, found) {
        typo
    } else if found == wanted.poly << 1 & wanted.mask() {
        "it is shifted left by one bit".to_string()
    } else if found == wanted.poly >> 1 {
        "it is shifted right by one bit".to_string()
    } else {
        format!("{} bits differ", changed.count_ones())
    }
}

/// Returns what happened to the hexadecimal digits, if it is one thing.
fn typo(wanted: &Params, found: u128) -> Option<String> {
    let list = mistyped(wanted);
    list.into_iter().find(|(poly, _)| *poly == found).map(|(_, what)| what)
}

/// Returns the polynomials with one hexadecimal digit wrong, missing or typed twice, or two
/// neighbours swapped.
pub(super) fn mistyped(wanted: &Params) -> Vec<(u128, String)> {
    let count = digits(wanted);
    let digit = |place: usize| wanted.poly >> (4 * place) & 15;
    let mut list = Vec::new();
    for place in 0..count {
        let nth = count - place;
        for other in (0..16).filter(|&other| other != digit(place)) {
            let poly = wanted.poly ^ (digit(place) ^ other) << (4 * place);
            list.push((
                poly,
                format!("hexadecimal digit {nth} is {other:x}, not {:x}", digit(place)),
            ));
        }
        let above = |from: usize| (wanted.poly.checked_shr(4 * from as u32)).unwrap_or(0);
        let below = wanted.poly & ((1 << (4 * place)) - 1);
        let missing = above(place + 1) << (4 * place) | below;
        list.push((missing, format!("hexadecimal digit {nth} is missing")));
        let twice = (above(place) << 4 | digit(place)) << (4 * place) | below;
        list.push((twice, format!("hexadecimal digit {nth} is written twice")));
        if place + 1 < count {
            let turned = ((digit(place) ^ digit(place + 1)) * 0x11) << (4 * place);
            let (a, b) = (nth - 1, nth);
            list.push((
                wanted.poly ^ turned,
                format!("hexadecimal digits {a} and {b} are swapped"),
            ));
        }
    }
    list.retain(|(poly, _)| *poly <= wanted.mask() && *poly != wanted.poly);
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue::crc::catalog;

    #[test]
    fn differences_in_words() {
        let crc = catalog::CRC_32_ISO_HDLC;
        let say = |found: Params| {
            let list = between(&crc, &found);
            list.into_iter().map(|(_, clause)| clause).collect::<Vec<_>>().join("; ")
        };
        let with = |poly| say(Params { poly, ..crc });
        assert_eq!(say(crc), "");
        for (poly, relation) in [
            (0x04c1_1db6, "one bit differs, x^0 is missing"),
            (0x04c1_1dbf, "one bit differs, x^3 is too many"),
            (0xedb8_8320, "its bits are reversed"),
            (0xdb71_0641, "it is the reciprocal"),
            (
                0x8260_8edb,
                "it is in Koopman's notation, with the top term and without the constant one",
            ),
            (0x04c1_1d7b, "hexadecimal digits 7 and 8 are swapped"),
            (0x04c1_1d57, "hexadecimal digit 7 is 5, not b"),
            (0x004c_11b7, "hexadecimal digit 6 is missing"),
            (0x1edc_6f41, "17 bits differ"),
        ] {
            let text = with(poly);
            assert_eq!(text, format!("the polynomial is {poly:08x}, not 04c11db7: {relation}"));
        }
        assert_eq!(
            say(Params { refin: false, init: 0, ..crc }),
            "init is 00000000, not ffffffff; refin is false, not true: each byte's highest bit \
             comes first"
        );
        // No shift by the whole width, at either end.
        let wide = Params { width: 128, poly: u128::MAX >> 1, ..crc };
        assert!(mistyped(&wide).iter().all(|(poly, _)| *poly != wide.poly));
        let narrow = Params { width: 3, poly: 3, ..crc };
        assert!(mistyped(&narrow).iter().all(|(poly, _)| *poly <= 7));
    }
}
