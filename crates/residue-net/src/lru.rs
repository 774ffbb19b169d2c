//! A bounded map that forgets what was used least recently.
//!
//! Whatever is remembered from packet to packet (datagrams, streams, agreements, the guard's
//! connections) is kept in one, so that no traffic makes memory grow without bound.

use std::collections::HashMap;
use std::hash::Hash;

/// Marks the absence of a slot.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
struct Slot<K, V> {
    key: K,
    value: V,
    class: usize,
    before: u32,
    after: u32,
}

/// The slots of a class, the least recently used first.
#[derive(Clone, Copy, Debug)]
struct List {
    first: u32,
    last: u32,
    length: usize,
    most: usize,
}

/// A bounded map whose entries belong to one of `N` classes: a class that is full gives up its
/// least recently used entry for a new one.
///
/// An entry is used when it is inserted, and by [`Lru::touch`]. A map that is never touched gives
/// up its oldest entries.
///
/// ```
/// use residue_net::lru::Lru;
///
/// let mut map: Lru<u32, &str> = Lru::new([2]);
/// assert_eq!(map.insert(1, "one", 0), None);
/// assert_eq!(map.insert(2, "two", 0), None);
/// map.touch(&1);
/// assert_eq!(map.insert(3, "three", 0), Some((2, "two")));
/// ```
#[derive(Debug)]
pub struct Lru<K, V, const N: usize = 1> {
    index: HashMap<K, u32>,
    /// Without gaps: the last slot takes the place of a removed one.
    slots: Vec<Slot<K, V>>,
    lists: [List; N],
}

impl<K: Copy + Eq + Hash, V, const N: usize> Lru<K, V, N> {
    /// Returns an empty map whose classes hold at most `most` entries each; at least 1.
    #[must_use]
    pub fn new(most: [usize; N]) -> Lru<K, V, N> {
        let list = |most: usize| List { first: NONE, last: NONE, length: 0, most: most.max(1) };
        Lru { index: HashMap::new(), slots: Vec::new(), lists: most.map(list) }
    }

    /// Returns whether the map has no entries.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the number of entries of a class.
    #[must_use]
    pub fn len(&self, class: usize) -> usize {
        self.lists[class].length
    }

    /// Returns the value of a key. This does not count as use.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<&V> {
        self.index.get(key).map(|&at| &self.slots[at as usize].value)
    }

    /// Returns the value of a key, to be changed. This does not count as use.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.index.get(key).map(|&at| &mut self.slots[at as usize].value)
    }

    /// Returns the value of a key, which becomes the most recently used of its class.
    pub fn touch(&mut self, key: &K) -> Option<&mut V> {
        let &at = self.index.get(key)?;
        self.unlink(at);
        self.link(at);
        Some(&mut self.slots[at as usize].value)
    }

    /// Returns all values, in no particular order.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.slots.iter().map(|slot| &slot.value)
    }

    /// Returns all entries, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.slots.iter().map(|slot| (&slot.key, &slot.value))
    }

    /// Inserts an entry, in place of one with an equal key, as the most recently used of its class.
    /// Returns the entry that was given up for it, if the class was full.
    pub fn insert(&mut self, key: K, value: V, class: usize) -> Option<(K, V)> {
        let at = match self.index.get(&key) {
            Some(&at) => {
                self.unlink(at);
                let slot = &mut self.slots[at as usize];
                (slot.value, slot.class) = (value, class);
                at
            }
            None => {
                let at = self.slots.len() as u32;
                self.slots.push(Slot { key, value, class, before: NONE, after: NONE });
                self.index.insert(key, at);
                at
            }
        };
        self.link(at);
        let List { length, most, .. } = self.lists[class];
        if length > most { self.pop(class) } else { None }
    }

    /// Removes an entry, and returns its value.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let at = self.index.remove(key)?;
        self.unlink(at);
        let slot = self.slots.swap_remove(at as usize);
        if let Some(&Slot { key, before, after, class, .. }) = self.slots.get(at as usize) {
            self.index.insert(key, at);
            self.connect(before, at, class);
            self.connect(at, after, class);
        }
        Some(slot.value)
    }

    /// Removes the least recently used entry of a class, and returns it.
    pub fn pop(&mut self, class: usize) -> Option<(K, V)> {
        self.pop_if(class, |_| true)
    }

    /// Removes the least recently used entry of a class if its value meets a condition, and returns
    /// it.
    pub fn pop_if(&mut self, class: usize, condition: impl FnOnce(&V) -> bool) -> Option<(K, V)> {
        let slot = self.slots.get(self.lists[class].first as usize)?;
        if !condition(&slot.value) {
            return None;
        }
        let key = slot.key;
        Some((key, self.remove(&key)?))
    }

    /// Makes two slots of a class neighbours; [`NONE`] stands for an end of its list.
    fn connect(&mut self, before: u32, after: u32, class: usize) {
        match self.slots.get_mut(before as usize) {
            Some(slot) => slot.after = after,
            None => self.lists[class].first = after,
        }
        match self.slots.get_mut(after as usize) {
            Some(slot) => slot.before = before,
            None => self.lists[class].last = before,
        }
    }

    /// Puts a slot at the end of its class's list.
    fn link(&mut self, at: u32) {
        let class = self.slots[at as usize].class;
        self.lists[class].length += 1;
        self.connect(self.lists[class].last, at, class);
        self.connect(at, NONE, class);
    }

    /// Takes a slot out of its class's list.
    fn unlink(&mut self, at: u32) {
        let Slot { before, after, class, .. } = self.slots[at as usize];
        self.lists[class].length -= 1;
        self.connect(before, after, class);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_gives_up_its_own_oldest() {
        let mut map: Lru<u32, char, 2> = Lru::new([2, 1]);
        assert_eq!(map.insert(1, 'a', 0), None);
        assert_eq!(map.insert(2, 'b', 0), None);
        assert_eq!(map.insert(3, 'c', 1), None);
        // Used again: 2 is now the oldest.
        assert_eq!(map.insert(1, 'A', 0), None);
        assert_eq!(map.insert(4, 'd', 0), Some((2, 'b')));
        let all = |map: &Lru<u32, char, 2>| [1, 2, 3, 4].map(|key| map.get(&key).copied());
        assert_eq!(all(&map), [Some('A'), None, Some('c'), Some('d')]);
        // Into another class, which is full.
        assert_eq!(map.insert(1, 'x', 1), Some((3, 'c')));
        assert_eq!(all(&map), [Some('x'), None, None, Some('d')]);
        assert_eq!((map.len(0), map.len(1)), (1, 1));
        assert_eq!(map.touch(&4), Some(&mut 'd'));
        assert_eq!(map.touch(&3), None);
    }

    #[test]
    fn entries_leave_in_the_order_of_use() {
        let mut map: Lru<u32, u32> = Lru::new([100]);
        for key in 0..10 {
            map.insert(key, key, 0);
        }
        map.insert(0, 10, 0);
        map.touch(&1);
        *map.get_mut(&2).unwrap() = 20;
        let mut left = std::iter::from_fn(|| map.pop_if(0, |&value| value == 20 || value < 5));
        assert_eq!([left.next(), left.next(), left.next()], [(2, 20), (3, 3), (4, 4)].map(Some));
        assert_eq!(left.next(), None);
        assert_eq!((map.len(0), map.get(&0), map.get(&4)), (7, Some(&10), None));
        assert_eq!((map.remove(&0), map.remove(&0)), (Some(10), None));
        let rest: Vec<_> = std::iter::from_fn(|| map.pop(0)).map(|(key, _)| key).collect();
        assert_eq!(rest, [5, 6, 7, 8, 9, 1]);
        assert!(map.is_empty() && map.index.is_empty());
    }

    /// Compares the map with a list in the order of use, over arbitrary operations.
    #[test]
    fn it_is_a_list_in_the_order_of_use() {
        let mut map: Lru<u32, u32, 2> = Lru::new([5, 3]);
        let mut lists: [Vec<(u32, u32)>; 2] = [Vec::new(), Vec::new()];
        let mut random = residue_testing::Random(1);
        for step in 0..10_000 {
            let (key, class) = (random.below(16) as u32, random.below(2));
            let place = lists.iter().enumerate().find_map(|(class, list)| {
                Some((class, list.iter().position(|entry| entry.0 == key)?))
            });
            let known = place.map(|(class, at)| lists[class].remove(at));
            match (random.below(4), known) {
                (0, _) => assert_eq!(map.remove(&key), known.map(|entry| entry.1)),
                (1, Some(entry)) => {
                    assert_eq!(map.touch(&key), Some(&mut { entry.1 }));
                    lists[place.unwrap().0].push(entry);
                }
                (1, None) => assert_eq!(map.touch(&key), None),
                _ => {
                    let given_up = map.insert(key, step, class);
                    lists[class].push((key, step));
                    let most = [5, 3][class];
                    let expected = (lists[class].len() > most).then(|| lists[class].remove(0));
                    assert_eq!(given_up, expected);
                }
            }
            assert_eq!([map.len(0), map.len(1)], [lists[0].len(), lists[1].len()]);
            assert_eq!(map.values().count(), map.index.len());
        }
        for (class, list) in lists.into_iter().enumerate() {
            assert!(std::iter::from_fn(|| map.pop(class)).eq(list));
        }
    }

    #[test]
    fn a_flood_takes_no_more_memory() {
        let mut map: Lru<u32, u32, 2> = Lru::new([64, 8]);
        for key in 0..100_000 {
            map.insert(key, key, key as usize & 1);
            map.remove(&(key / 2));
            assert!(map.slots.len() <= 72);
        }
        assert!(map.slots.capacity() <= 256 && map.index.len() <= 72);
    }
}
