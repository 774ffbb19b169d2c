//! Maps: created, read and written.

use super::{Command, bpf, descriptor, information, name};
use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd};

/// Properties of a map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewMap<'a> {
    pub name: &'a str,
    pub kind: u32,
    pub key_size: u32,
    pub value_size: u32,
    pub max_entries: u32,
    pub flags: u32,
    pub types: BorrowedFd<'a>,
    pub key_type: u32,
    pub value_type: u32,
}

/// Creates a map.
pub(crate) fn create_map(new: &NewMap) -> io::Result<OwnedFd> {
    #[repr(C)]
    struct Attributes {
        kind: u32,
        key_size: u32,
        value_size: u32,
        max_entries: u32,
        flags: u32,
        unused: [u32; 2],
        name: [u8; 16],
        interface: u32,
        types: u32,
        key_type: u32,
        value_type: u32,
    }
    let mut attributes = Attributes {
        kind: new.kind,
        key_size: new.key_size,
        value_size: new.value_size,
        max_entries: new.max_entries,
        flags: new.flags,
        unused: [0; 2],
        name: name(new.name),
        interface: 0,
        types: new.types.as_raw_fd() as u32,
        key_type: new.key_type,
        value_type: new.value_type,
    };
    // SAFETY: the layout is the command's, which takes no pointers.
    unsafe { descriptor(Command::MapCreate, &mut attributes) }
}

/// Kinds of maps (`enum bpf_map_type`) with a value for each CPU, which the kernel reads and writes
/// all at once: hash, array, hash of the least recently used, storage of cgroups.
const PER_CPU: [u32; 4] = [5, 6, 10, 21];

/// Returns the sizes of a map's keys and values in bytes, and whether it has values for each CPU.
fn sizes(map: BorrowedFd) -> io::Result<(usize, usize, bool)> {
    // `struct bpf_map_info`: kind, number, key size, value size.
    let [kind, _, key, value] = information(map)?;
    Ok((key as usize, value as usize, PER_CPU.contains(&kind)))
}

#[repr(C)]
struct Element {
    map: u32,
    padding: u32,
    key: u64,
    /// The value, or the next key.
    value: u64,
    flags: u64,
}

impl Element {
    fn new(map: BorrowedFd, key: *const u8, value: *const u8) -> Element {
        let (key, value) = (key as u64, value as u64);
        Element { map: map.as_raw_fd() as u32, padding: 0, key, value, flags: 0 }
    }
}

/// Returns an error if the lengths are not those of the map, which the kernel would exceed.
fn must_fit(map: BorrowedFd, key: usize, value: Option<usize>) -> io::Result<()> {
    let (key_size, value_size, is_per_cpu) = sizes(map)?;
    let fits = key == key_size && value.is_none_or(|value| value == value_size && !is_per_cpu);
    if fits { Ok(()) } else { Err(io::Error::other("a map has another layout")) }
}

/// Returns the value of a key; `None`: there is none.
pub(crate) fn get(map: BorrowedFd, key: &[u8], length: usize) -> io::Result<Option<Vec<u8>>> {
    must_fit(map, key.len(), Some(length))?;
    let mut value = vec![0; length];
    let mut element = Element::new(map, key.as_ptr(), value.as_mut_ptr());
    // SAFETY: the layout is the command's; key and value have the lengths of the map.
    found(unsafe { bpf(Command::MapLookup, &mut element) }).map(|found| found.then_some(value))
}

/// Returns an error if the lengths are not those of a map with values for each CPU.
fn must_fit_each_cpu(map: BorrowedFd, key: usize, value: usize) -> io::Result<()> {
    let fits = (key, value, true) == sizes(map)?;
    if fits { Ok(()) } else { Err(io::Error::other("a map has another layout")) }
}

/// Returns the values of a key on all CPUs, of a map that has one for each.
pub(crate) fn get_per_cpu(map: BorrowedFd, key: &[u8], length: usize) -> io::Result<Vec<Vec<u8>>> {
    must_fit_each_cpu(map, key.len(), length)?;
    // The kernel has each value at a multiple of 8 bytes, for all CPUs that could exist.
    let stride = length.next_multiple_of(8);
    let mut values = vec![0; stride * possible_cpus()?];
    let mut element = Element::new(map, key.as_ptr(), values.as_mut_ptr());
    // SAFETY: the layout is the command's; the key has the length of the map, and the values as
    // many bytes as the kernel writes.
    unsafe { bpf(Command::MapLookup, &mut element) }?;
    Ok(values.chunks_exact(stride).map(|value| value[..length].to_vec()).collect())
}

/// Sets a key to this value on all CPUs, of a map that has one for each.
pub(crate) fn put_per_cpu(map: BorrowedFd, key: &[u8], value: &[u8]) -> io::Result<()> {
    must_fit_each_cpu(map, key.len(), value.len())?;
    let mut padded = value.to_vec();
    padded.resize(value.len().next_multiple_of(8), 0);
    let values = padded.repeat(possible_cpus()?);
    let mut element = Element::new(map, key.as_ptr(), values.as_ptr());
    // SAFETY: as in `get_per_cpu`, for bytes that the kernel reads.
    unsafe { bpf(Command::MapUpdate, &mut element) }.map(drop)
}

/// Sets the value of a key.
pub(crate) fn put(map: BorrowedFd, key: &[u8], value: &[u8]) -> io::Result<()> {
    must_fit(map, key.len(), Some(value.len()))?;
    let mut element = Element::new(map, key.as_ptr(), value.as_ptr());
    // SAFETY: the layout is the command's, which reads a key and a value of the map's lengths.
    unsafe { bpf(Command::MapUpdate, &mut element) }.map(drop)
}

/// Removes a key; returns whether it was there.
pub(crate) fn remove(map: BorrowedFd, key: &[u8]) -> io::Result<bool> {
    must_fit(map, key.len(), None)?;
    let mut element = Element::new(map, key.as_ptr(), std::ptr::null());
    // SAFETY: the layout is the command's, which reads a key of the map's length.
    found(unsafe { bpf(Command::MapDelete, &mut element) })
}

/// Returns the key after `key`, or the first one; `None` at the end.
pub(crate) fn next_key(map: BorrowedFd, key: Option<&[u8]>) -> io::Result<Option<Vec<u8>>> {
    let (key_size, ..) = sizes(map)?;
    if key.is_some_and(|key| key.len() != key_size) {
        return Err(io::Error::other("a map has another layout"));
    }
    let mut next = vec![0; key_size];
    let key = key.map_or(std::ptr::null(), <[u8]>::as_ptr);
    let mut element = Element::new(map, key, next.as_mut_ptr());
    // SAFETY: the layout is the command's; both keys have the length of the map.
    found(unsafe { bpf(Command::MapNextKey, &mut element) }).map(|found| found.then_some(next))
}

fn found(result: io::Result<i32>) -> io::Result<bool> {
    match result {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the number of CPUs that could exist: the last number in `0-3` or `0,2-3`, and one more.
fn possible_cpus() -> io::Result<usize> {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/possible")?;
    let last = text.trim().rsplit([',', '-']).next().and_then(|last| last.parse::<usize>().ok());
    last.map(|last| last + 1).ok_or_else(|| io::Error::other("the CPUs cannot be counted"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd as _;

    /// With one that is missing, the kernel would write beyond the buffer of a single value.
    #[test]
    fn all_kinds_with_a_value_for_each_cpu() {
        let header = "/usr/include/linux/bpf.h";
        let Ok(text) = std::fs::read_to_string(header) else {
            return residue_testing::skip("kinds of maps: no headers of Linux (linux-libc-dev)");
        };
        let (_, kinds) = text.split_once("enum bpf_map_type {").unwrap();
        let kinds = kinds.split_once("};").unwrap().0.lines().map(str::trim);
        // Other names of the same kinds have a number.
        let kinds = kinds.filter(|line| line.starts_with("BPF_MAP_TYPE_") && !line.contains('='));
        let per_cpu: Vec<u32> = (0..)
            .zip(kinds)
            .filter(|(_, name)| name.contains("PERCPU"))
            .map(|kind| kind.0)
            .collect();
        assert_eq!(per_cpu, PER_CPU);
    }

    #[test]
    fn maps_with_a_value_for_each_cpu_are_refused_where_one_is_expected() {
        for kind in [5, 6, 10] {
            let map = match untyped_map(kind) {
                Ok(map) => map,
                Err(error) => return residue_testing::skip(&format!("maps: {error}")),
            };
            let key = 0_u32.to_ne_bytes();
            let (map, value) = (map.as_fd(), [0; 8]);
            assert!(put(map, &key, &value).is_err(), "{kind}");
            // An array has all of its keys.
            let got = get(map, &key, value.len());
            assert!(got.is_err_and(|error| error.to_string().contains("layout")), "{kind}");
        }
    }

    /// Creates a map with keys of 4 bytes and values of 8. The kernel does not look for types if
    /// their numbers are 0.
    fn untyped_map(kind: u32) -> io::Result<OwnedFd> {
        let none = std::fs::File::open("/dev/null")?;
        create_map(&NewMap {
            name: "untyped",
            kind,
            key_size: 4,
            value_size: 8,
            max_entries: 4,
            flags: 0,
            types: none.as_fd(),
            key_type: 0,
            value_type: 0,
        })
    }
}
