//! Mistakes that can be made with any code: other bytes than those of the message are covered
//! ([`super::readings`]), or the loop or the table is wrong ([`super::engines`]).
//!
//! Unlike the planted mistakes, these change a message or a code; all values of other bytes are
//! those of the library.

use super::{engines, readings};
use residue::Code;

/// Computes the value of a message.
type Compute = dyn Fn(&[u8]) -> Option<u128>;

/// A mistake, for one code.
pub(super) struct General {
    pub(super) name: String,
    pub(super) why: String,
    value: Box<Compute>,
}

impl General {
    /// Returns the value that it gives; `None` if the mistake cannot be made with this code.
    pub(super) fn value(&self, message: &[u8]) -> Option<u128> {
        (self.value)(message)
    }
}

/// Returns all mistakes that can be made with a code.
pub(super) fn all(code: &Code) -> Vec<General> {
    let mut list = Vec::new();
    for reading in readings::all(code.params().is_some()) {
        for &size in reading.sizes {
            let (name, why) = named(reading.name, reading.why, reading.sizes, size);
            let code = code.clone();
            let value = move |message: &[u8]| Some(code.value(&(reading.turn)(message, size)));
            list.push(General { name, why, value: Box::new(value) });
        }
    }
    for engine in engines::ENGINES {
        for &size in engine.sizes {
            let (name, why) = named(engine.name, engine.why, engine.sizes, size);
            let code = code.clone();
            let value = move |message: &[u8]| (engine.value)(&code, message, size);
            list.push(General { name, why, value: Box::new(value) });
        }
    }
    list
}

/// Returns the name and the description of a mistake of one of its sizes.
fn named(name: &str, why: &str, sizes: &[usize], size: usize) -> (String, String) {
    let name = if sizes.len() > 1 { format!("{name}-{size}") } else { name.to_string() };
    let bytes = if size == 1 { "1 byte".to_string() } else { format!("{size} bytes") };
    (name, why.replace("{bytes}", &bytes))
}
