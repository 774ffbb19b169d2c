//! Numbers in the byte order of this machine, and names, in the bytes of an object.

pub(super) fn number16(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().copied().map(u16::from_ne_bytes)
}

pub(super) fn number32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().copied().map(u32::from_ne_bytes)
}

pub(super) fn number64(bytes: &[u8], at: usize) -> Option<usize> {
    let number = bytes.get(at..)?.first_chunk().copied().map(u64::from_ne_bytes)?;
    usize::try_from(number).ok()
}

pub(super) fn put32(bytes: &mut [u8], at: usize, number: u32) -> Option<()> {
    bytes.get_mut(at..)?.first_chunk_mut().map(|place| *place = number.to_ne_bytes())
}

/// Returns the text at an offset, which ends with a zero.
pub(super) fn text(names: &[u8], at: usize) -> Option<&str> {
    let bytes = names.get(at..)?;
    let end = bytes.iter().position(|&byte| byte == 0)?;
    std::str::from_utf8(&bytes[..end]).ok()
}
