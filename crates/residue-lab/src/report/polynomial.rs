//! A polynomial, in every notation.

use crate::strength::{Generator, Notation};
use serde_json::{Value, json};

/// The polynomial in a notation, of as many digits as its width has.
#[must_use]
pub fn written(generator: &Generator, notation: Notation) -> String {
    let digits = generator.width().div_ceil(4) as usize;
    format!("{:0digits$x}", generator.write(notation))
}

/// Its width, the codes that have it, and all notations.
#[must_use]
pub fn json(generator: &Generator) -> Value {
    let notations: serde_json::Map<String, Value> = Notation::ALL
        .iter()
        .map(|&notation| (notation.name().to_string(), json!(written(generator, notation))))
        .collect();
    json!({
        "width": generator.width(),
        "names": generator.names().collect::<Vec<_>>(),
        "notations": notations,
    })
}
