//! The face of the crate `internet-checksum` 0.2, on residue.

/// Returns the Internet checksum of the data, in network byte order.
#[inline]
#[must_use]
pub fn checksum(bytes: &[u8]) -> [u8; 2] {
    residue::internet::checksum(bytes).to_be_bytes()
}

/// Returns the checksum after `old`, which began at an even offset, was replaced by `new`.
///
/// # Panics
/// Panics if `old` and `new` differ in length.
#[inline]
#[must_use]
pub fn update(checksum: [u8; 2], old: &[u8], new: &[u8]) -> [u8; 2] {
    let checksum = u16::from_be_bytes(checksum);
    let updated = residue::internet::update_at(checksum, 0, old, new);
    updated.expect("old and new have one length").to_be_bytes()
}

/// An Internet checksum of data that may come in pieces.
#[derive(Default)]
pub struct Checksum(residue::internet::Checksum);

impl Checksum {
    /// Creates the checksum of no data.
    #[inline]
    #[must_use]
    pub const fn new() -> Self {
        Checksum(residue::internet::Checksum::new())
    }

    /// Appends data.
    #[inline]
    pub fn add_bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the checksum, in network byte order.
    #[inline]
    #[must_use]
    pub fn checksum(&self) -> [u8; 2] {
        self.0.value().to_be_bytes()
    }
}
