//! Names of codes: those that a misspelt one may mean, and short ones for figures.

use residue::Code;

/// Says that no code has this name, and which names are near it.
#[must_use]
pub fn unknown(name: &str) -> String {
    let near = near(name);
    if near.is_empty() {
        "no code has this name; `residue list` names them".to_string()
    } else {
        format!("no code has this name; did you mean {}?", near.join(", "))
    }
}

/// Returns the names and aliases that may have been meant, nearest first.
#[must_use]
pub fn near(name: &str) -> Vec<&'static str> {
    let plain = |text: &str| -> Vec<char> {
        // A name of kilobytes is no typing error, and the distance takes quadratic time.
        let letters = text.chars().filter(|c| !matches!(c, '-' | '_')).take(40);
        letters.flat_map(char::to_lowercase).collect()
    };
    let wanted = plain(name);
    if wanted.is_empty() {
        return Vec::new();
    }
    let known = Code::names().chain(Code::aliases().map(|(alias, _)| alias));
    let mut near: Vec<(usize, &str)> = known
        .map(|known| {
            let letters = plain(known);
            let part = letters.windows(wanted.len()).position(|part| part == wanted);
            let most = match part {
                Some(0) => 1,
                Some(_) => 2,
                None => usize::MAX,
            };
            (distance(&wanted, &letters).min(most), known)
        })
        .filter(|(distance, _)| *distance <= 2.max(wanted.len() / 4))
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    near.into_iter().map(|(_, name)| name).take(5).collect()
}

/// Returns the short name of a code, for figures: `CRC-32C` for `crc-32/iscsi`.
#[must_use]
pub fn short(code: &str) -> &str {
    match code {
        "crc-32/iscsi" => "CRC-32C",
        "internet" => "Internet",
        "adler-32" => "Adler-32",
        "fletcher-32" => "Fletcher-32",
        other => other,
    }
}

/// Returns how many letters must be put in, left out or changed to make one word of the other
/// (Levenshtein).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_nearby() {
        assert_eq!(near("crc-32/iscis")[0], "crc-32/iscsi");
        assert_eq!(near("adler")[0], "adler-32");
        assert!(near("fletcher").contains(&"fletcher-16"));
        assert!(near("sha256").is_empty());
        assert!(near("").is_empty() && near("-").is_empty());
        assert!(near(&"crc".repeat(100_000)).is_empty());
    }
}
