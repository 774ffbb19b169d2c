//! The codes that the lines of a list name.

use crate::codes::{Chosen, DEFAULT};
use residue::Error;
use std::collections::HashMap;
use std::rc::Rc;

/// Most codes kept: several times as many as have names. A list may name any number of CRCs by
/// their parameters, each of which has tables of some kilobytes.
const MOST: usize = 512;

/// Longest label kept.
const LONGEST: usize = 256;

/// The codes of a list: that of untagged lines, and the last ones that lines named. Lines mostly
/// name one code over and over.
#[derive(Clone, Debug, Default)]
pub struct Codes {
    given: Option<Rc<Chosen>>,
    /// Whether untagged lines were taken to be of the default code.
    pub assumed: bool,
    known: HashMap<String, Rc<Chosen>>,
}

impl Codes {
    /// Creates an empty collection, with the code that the user named for untagged lines.
    pub fn new(given: Option<&Chosen>) -> Codes {
        Codes { given: given.cloned().map(Rc::new), ..Default::default() }
    }

    /// Returns the code that the user named for untagged lines.
    pub fn given(&self) -> Option<Rc<Chosen>> {
        self.given.clone()
    }

    /// Returns the code of untagged lines, if the user named none.
    pub fn default(&mut self) -> Option<Rc<Chosen>> {
        self.named(DEFAULT).ok()
    }

    /// Returns the code with a name or parameters, as [`Chosen::new`] does.
    pub fn named(&mut self, label: &str) -> Result<Rc<Chosen>, Error> {
        if let Some(known) = self.known.get(label) {
            return Ok(Rc::clone(known));
        }
        let code = Rc::new(Chosen::new(label)?);
        if label.len() <= LONGEST {
            if self.known.len() >= MOST {
                self.known.clear();
            }
            self.known.insert(label.to_string(), Rc::clone(&code));
        }
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_kept_up_to_a_number() {
        let mut codes = Codes::new(None);
        let first = codes.named("CRC-32C").unwrap();
        assert!(Rc::ptr_eq(&first, &codes.named("CRC-32C").unwrap()));
        assert!(codes.named("nonsense").is_err());
        for poly in 0..3 * MOST {
            let label = format!("width=32,poly={:x}", 2 * poly + 1);
            let code = codes.named(&label).unwrap();
            assert_eq!(code.code.params().unwrap().poly, 2 * poly as u128 + 1);
            assert!(Rc::ptr_eq(&code, &codes.named(&label).unwrap()));
            assert!(codes.known.len() <= MOST);
        }
        let long = format!("width=32,poly={}7", "0".repeat(LONGEST));
        let code = codes.named(&long).map(|code| code.label.clone());
        assert!(code.is_err() || !codes.known.contains_key(&long));
    }
}
