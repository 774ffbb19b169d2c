//! The value of any code by its definition.

/// The value of `data` by the definition of `code`.
#[must_use]
pub fn value(code: &residue::Code, data: &[u8]) -> u128 {
    code.reference(data)
}
