//! Loads of a few bytes.

/// Loads at most seven bytes as one little-endian word, its upper bytes zero.
#[inline(always)]
pub(crate) fn short_word(data: &[u8]) -> u64 {
    // Overlapping loads bring equal bits to equal places.
    let n = data.len();
    if let (Some(first), Some(last)) = (data.first_chunk(), data.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        u64::from(first) | u64::from(last) << (8 * (n & 7) as u32 - 32)
    } else if let (Some(&first), Some(&last)) = (data.first(), data.last()) {
        let middle = data[n / 2];
        u64::from(first) | u64::from(middle) << (8 * (n / 2)) | u64::from(last) << (8 * (n - 1))
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_length() {
        let bytes = [0x81, 0x42, 0x23, 0x14, 0xf5, 0xe6, 0xd7];
        for n in 0..=7 {
            let mut word = [0; 8];
            word[..n].copy_from_slice(&bytes[..n]);
            assert_eq!(super::short_word(&bytes[..n]), u64::from_le_bytes(word));
        }
    }
}
