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
