//! Names that a misspelt one may mean.

use crate::error::{Error, UnknownName};

/// The letters of a name that are compared. A name of kilobytes is no typing error.
const MOST: usize = 40;

/// The letters of a name that matter, at most [`MOST`].
struct Letters([char; MOST], usize);

impl Letters {
    fn of(name: &str) -> Letters {
        let mut letters = Letters(['\0'; MOST], 0);
        let all = name.chars().filter(|c| !matches!(c, '-' | '_' | '/'));
        for (letter, to) in all.zip(&mut letters.0) {
            // The names are of ASCII.
            *to = letter.to_ascii_lowercase();
            letters.1 += 1;
        }
        letters
    }

    fn get(&self) -> &[char] {
        &self.0[..self.1]
    }
}

/// Returns the cost of making one name of the other by letters that are put in, left out or changed
/// (Levenshtein). Another digit is another code, so digits cost twice as much.
#[cold]
#[inline(never)]
fn distance(a: &[char], b: &[char]) -> usize {
    let cost = |letter: char| if letter.is_ascii_digit() { 2 } else { 1 };
    let mut row = [0; MOST + 1];
    for (i, &letter) in b.iter().enumerate() {
        row[i + 1] = row[i] + cost(letter);
    }
    for &x in a {
        let mut diagonal = row[0];
        row[0] += cost(x);
        for (j, &y) in b.iter().enumerate() {
            let changed = diagonal + if x == y { 0 } else { cost(x).max(cost(y)) };
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + cost(x)).min(row[j] + cost(y));
        }
    }
    row[b.len()]
}

/// Returns the error for a name that no code has, with the known names that may have been meant,
/// nearest first.
#[cold]
pub(super) fn unknown(name: &str, known: impl Iterator<Item = &'static str>) -> Error {
    let wanted = Letters::of(name);
    let wanted = wanted.get();
    let mut near: [Option<(usize, &'static str)>; UnknownName::NEAR] = Default::default();
    for known in known.filter(|_| !wanted.is_empty()) {
        let letters = Letters::of(known);
        let letters = letters.get();
        // A part of a name is near, and nearer at its start.
        let most = match letters.windows(wanted.len()).position(|part| part == wanted) {
            Some(0) => 1,
            Some(_) => 2,
            None => usize::MAX,
        };
        let distance = distance(wanted, letters).min(most);
        let nearer = |other: &Option<(usize, &str)>| other.is_none_or(|(it, _)| distance < it);
        let place = near.iter().position(nearer);
        let is_near = distance < wanted.len() && distance <= 2.max(wanted.len() / 4);
        if let Some(place) = place.filter(|_| is_near) {
            near[place..].rotate_right(1);
            near[place] = Some((distance, known));
        }
    }
    Error::UnknownCode(UnknownName::new(name, near.map(|it| it.map(|(_, name)| name))))
}

#[cfg(test)]
mod tests {
    use crate::{Code, Error};
    use std::string::ToString;

    fn near(name: &str) -> std::vec::Vec<&'static str> {
        match name.parse::<Code>() {
            Err(Error::UnknownCode(unknown)) => unknown.near().collect(),
            other => panic!("{name}: {other:?}"),
        }
    }

    #[test]
    fn names_nearby() {
        assert_eq!(near("crc-32/iscis")[0], "crc-32/iscsi");
        assert_eq!(near("crc-32k")[0], "crc-32");
        assert_eq!(near("adler")[0], "adler-32");
        assert!(near("fletcher").contains(&"fletcher-16"));
        assert!(near("crc-33").contains(&"crc-32"));
        for nothing in ["crc-99", "sha256", "", "-", &"crc".repeat(100_000)] {
            assert!(near(nothing).is_empty(), "{nothing:.20}: {:?}", near(nothing));
        }
    }

    #[test]
    fn the_error_names_what_was_given() {
        let message = |name: &str| name.parse::<Code>().unwrap_err().to_string();
        assert!(
            message("crc-32k").starts_with("no code has the name `crc-32k`; did you mean crc-32")
        );
        assert_eq!(message("sha256"), "no code has the name `sha256`; see the list of codes");
        assert_eq!(message("\n"), "no code has the name `\\n`; see the list of codes");
        let long = "é".repeat(1000);
        let start = "é".repeat(16);
        assert_eq!(
            message(&long),
            std::format!("no code has the name `{start}...`; see the list of codes")
        );
    }
}
