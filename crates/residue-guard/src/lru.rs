//! A map that holds no more than it may: each entry belongs to a class, and a class that is full gives up the entry that
//! was used longest ago.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

/// No slot.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
struct Slot<K, V> {
    key: K,
    value: V,
    class: usize,
    used: Duration,
    before: u32,
    after: u32,
}

/// The slots of a class, the one used longest ago first.
#[derive(Clone, Copy, Debug)]
struct List {
    first: u32,
    last: u32,
    length: usize,
    most: usize,
}

/// A map of `N` classes, each in the order of use.
#[derive(Debug)]
pub(crate) struct Lru<K, V, const N: usize> {
    index: HashMap<K, u32>,
    slots: Vec<Slot<K, V>>,
    free: Vec<u32>,
    lists: [List; N],
}

impl<K: Copy + Eq + Hash, V: Copy, const N: usize> Lru<K, V, N> {
    /// A map whose classes hold at most `most` entries each; at least 1.
    pub(crate) fn new(most: [usize; N]) -> Lru<K, V, N> {
        let list = |most: usize| List { first: NONE, last: NONE, length: 0, most: most.max(1) };
        Lru { index: HashMap::new(), slots: Vec::new(), free: Vec::new(), lists: most.map(list) }
    }

    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.index.get(key).map(|&at| self.slots[at as usize].value)
    }

    /// The number of entries of a class.
    pub(crate) fn len(&self, class: usize) -> usize {
        self.lists[class].length
    }

    /// Puts an entry in, in place of an old one of the same key, as the one used last of its class. Was another given up?
    pub(crate) fn put(&mut self, key: K, value: V, class: usize, now: Duration) -> bool {
        if let Some(&at) = self.index.get(&key) {
            self.unlink(at);
            let slot = &mut self.slots[at as usize];
            let is_new = slot.class != class;
            (slot.value, slot.class, slot.used) = (value, class, now);
            self.link(at);
            return is_new && self.shrink(class);
        }
        let slot = Slot { key, value, class, used: now, before: NONE, after: NONE };
        let at = match self.free.pop() {
            Some(at) => {
                self.slots[at as usize] = slot;
                at
            }
            None => {
                self.slots.push(slot);
                (self.slots.len() - 1) as u32
            }
        };
        self.index.insert(key, at);
        self.link(at);
        self.shrink(class)
    }

    pub(crate) fn remove(&mut self, key: &K) {
        if let Some(at) = self.index.remove(key) {
            self.unlink(at);
            self.free.push(at);
        }
    }

    /// Removes the entries of a class that were last used before `time`; how many.
    pub(crate) fn expire(&mut self, class: usize, time: Duration) -> u64 {
        let mut count = 0;
        while let Some(slot) = self.slots.get(self.lists[class].first as usize)
            && slot.used < time
        {
            let key = slot.key;
            self.remove(&key);
            count += 1;
        }
        count
    }

    /// Gives up the oldest entry of a class that has too many.
    fn shrink(&mut self, class: usize) -> bool {
        let List { length, most, first, .. } = self.lists[class];
        if length <= most {
            return false;
        }
        let key = self.slots[first as usize].key;
        self.remove(&key);
        true
    }

    fn link(&mut self, at: u32) {
        let list = &mut self.lists[self.slots[at as usize].class];
        let last = list.last;
        list.last = at;
        list.length += 1;
        if last == NONE {
            list.first = at;
        } else {
            self.slots[last as usize].after = at;
        }
        let slot = &mut self.slots[at as usize];
        (slot.before, slot.after) = (last, NONE);
    }

    fn unlink(&mut self, at: u32) {
        let Slot { before, after, class, .. } = self.slots[at as usize];
        let list = &mut self.lists[class];
        list.length -= 1;
        if before == NONE {
            list.first = after;
        }
        if after == NONE {
            list.last = before;
        }
        if before != NONE {
            self.slots[before as usize].after = after;
        }
        if after != NONE {
            self.slots[after as usize].before = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn each_class_gives_up_its_own_oldest() {
        let mut map: Lru<u32, char, 2> = Lru::new([2, 1]);
        assert!(!map.put(1, 'a', 0, at(1)));
        assert!(!map.put(2, 'b', 0, at(2)));
        assert!(!map.put(3, 'c', 1, at(3)));
        // Used again: 2 is now the oldest.
        assert!(!map.put(1, 'A', 0, at(4)));
        assert!(map.put(4, 'd', 0, at(5)));
        assert_eq!([1, 2, 3, 4].map(|key| map.get(&key)), [Some('A'), None, Some('c'), Some('d')]);
        // Into another class, which is full.
        assert!(map.put(1, 'x', 1, at(6)));
        assert_eq!([1, 3, 4].map(|key| map.get(&key)), [Some('x'), None, Some('d')]);
        assert_eq!((map.len(0), map.len(1)), (1, 1));
    }

    #[test]
    fn entries_expire_in_the_order_of_use() {
        let mut map: Lru<u32, (), 1> = Lru::new([100]);
        for key in 0..10 {
            map.put(key, (), 0, at(key.into()));
        }
        map.put(0, (), 0, at(10));
        assert_eq!(map.expire(0, at(5)), 4);
        assert_eq!(map.len(0), 6);
        assert_eq!(map.get(&0), Some(()));
        assert_eq!(map.get(&4), None);
        map.remove(&0);
        map.remove(&0);
        assert_eq!(map.len(0), 5);
        assert_eq!(map.expire(0, at(100)), 5);
    }

    #[test]
    fn a_flood_takes_no_more_memory() {
        let mut map: Lru<u32, u32, 2> = Lru::new([64, 8]);
        for key in 0..100_000 {
            map.put(key, key, key as usize & 1, at(key.into()));
            map.remove(&(key / 2));
        }
        assert!(map.slots.len() <= 74 && map.index.len() <= 72);
    }
}
