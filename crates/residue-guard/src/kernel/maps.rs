//! Maps with keys and values of known layout.

use super::layout::Plain;
use crate::sys::{bpf, process};
use std::io;
use std::marker::PhantomData;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

/// A map.
#[derive(Debug)]
pub(super) struct Map<K, V> {
    descriptor: OwnedFd,
    of: PhantomData<(K, V)>,
}

impl<K: Plain, V: Plain> Map<K, V> {
    /// Opens a pinned map.
    pub fn open(path: &Path) -> io::Result<Map<K, V>> {
        Ok(Map { descriptor: bpf::open(path)?, of: PhantomData })
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &K) -> io::Result<Option<V>> {
        self.get_bytes(&key.to_bytes())
    }

    fn get_bytes(&self, key: &[u8]) -> io::Result<Option<V>> {
        let value = bpf::get(self.descriptor.as_fd(), key, V::SIZE)?;
        Ok(value.and_then(|bytes| V::from_bytes(&bytes)))
    }

    /// Returns the value of a key that a map always has.
    pub fn must_get(&self, key: &K) -> io::Result<V> {
        self.get(key)?.ok_or_else(|| io::Error::other("a map has no entry"))
    }

    /// Returns the values of a key on all CPUs.
    pub fn get_per_cpu(&self, key: &K) -> io::Result<Vec<V>> {
        let values = bpf::get_per_cpu(self.descriptor.as_fd(), &key.to_bytes(), V::SIZE)?;
        Ok(values.iter().filter_map(|bytes| V::from_bytes(bytes)).collect())
    }

    pub fn put(&self, key: &K, value: &V) -> io::Result<()> {
        put(self.descriptor.as_fd(), key, value)
    }

    /// Removes a key; returns whether it was there.
    pub fn remove(&self, key: &K) -> io::Result<bool> {
        bpf::remove(self.descriptor.as_fd(), &key.to_bytes())
    }

    /// Returns the entries. Some may be missing, as the programs change them meanwhile.
    pub fn entries(&self) -> io::Result<Vec<(K, V)>> {
        /// More than any map of the guard holds: a key that vanishes starts the walk again.
        const MOST: usize = 1 << 20;
        let mut entries = Vec::new();
        let mut before: Option<Vec<u8>> = None;
        for _ in 0..MOST {
            let Some(key) = bpf::next_key(self.descriptor.as_fd(), before.as_deref())? else {
                break;
            };
            if let (Some(name), Some(value)) = (K::from_bytes(&key), self.get_bytes(&key)?) {
                entries.push((name, value));
            }
            before = Some(key);
        }
        Ok(entries)
    }
}

/// Sets a value of a map.
pub(super) fn put<K: Plain, V: Plain>(map: BorrowedFd, key: &K, value: &V) -> io::Result<()> {
    bpf::put(map, &key.to_bytes(), &value.to_bytes())
}

/// Returns the time since a reading of the kernel's clock in nanoseconds.
pub(super) fn since(clock: u64) -> Duration {
    Duration::from_nanos(process::monotonic().saturating_sub(clock))
}
