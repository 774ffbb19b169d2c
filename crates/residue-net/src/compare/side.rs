//! The packets of one point that wait for their partner, in order and in bounded memory.

use super::intake::Packet;
use super::layer::{Flow, Layer};
use super::pattern::Toward;
use std::collections::{HashMap, VecDeque};

/// Memory of a waiting packet beside its bytes.
const COST: usize = 512;

/// A packet that waits.
#[derive(Debug)]
pub struct Waiting {
    pub packet: Packet,
    /// Time on the clock of the first capture, in nanoseconds.
    pub time: i64,
    /// Whether its TCP data passed the point before.
    pub again: bool,
}

/// The state of a packet.
#[derive(Debug)]
pub enum Slot {
    /// Waits for its partner.
    Waiting(Box<Waiting>),
    /// Has a partner: its index at the other point, and the flow there, if it arrived here.
    Paired(Option<Arrived>),
    /// Has none.
    Gone,
}

/// A packet that arrived.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    pub toward: Toward,
    pub flow: Flow,
    /// The innermost flow where it came from.
    pub inner: Flow,
    /// Index among the packets where it came from.
    pub origin: u64,
    /// Numbers in the captures.
    pub numbers: [u64; 2],
}

/// The packets of a point.
#[derive(Debug, Default)]
pub struct Side {
    /// Index of the first slot.
    base: u64,
    slots: VecDeque<Slot>,
    /// Index from which on packets still wait for an unaltered partner.
    pub cursor: u64,
    /// Waiting packets by their content and identification, and by their first bytes.
    contents: HashMap<u64, VecDeque<u64>>,
    heads: HashMap<u64, VecDeque<u64>>,
    /// Number of waiting packets that were cut.
    pub cut: usize,
    pub waiting: usize,
    pub bytes: usize,
    /// Time of the first and of the last packet, on the clock of the first capture.
    pub times: Option<(i64, i64)>,
    /// Whether no packet follows.
    pub ended: bool,
}

impl Side {
    /// Returns the index of the next packet.
    pub fn next(&self) -> u64 {
        self.base + self.slots.len() as u64
    }

    pub fn push(&mut self, packet: Packet, time: i64, again: bool) -> u64 {
        let id = self.next();
        for layer in &packet.layers {
            self.contents.entry(exact(layer)).or_default().push_back(id);
            if let Some(head) = layer.head {
                self.heads.entry(head).or_default().push_back(id);
            }
        }
        self.cut += usize::from(packet.layers.iter().any(|layer| !layer.whole));
        self.waiting += 1;
        self.bytes += packet.bytes.len() + COST;
        self.slots.push_back(Slot::Waiting(Box::new(Waiting { packet, time, again })));
        id
    }

    pub fn get(&self, id: u64) -> Option<&Waiting> {
        match self.slots.get(usize::try_from(id.checked_sub(self.base)?).ok()?) {
            Some(Slot::Waiting(waiting)) => Some(waiting),
            _ => None,
        }
    }

    /// Returns the waiting packets with this content and identification, in order.
    pub fn exactly(&self, layer: &Layer) -> impl Iterator<Item = u64> + '_ {
        self.contents.get(&exact(layer)).into_iter().flatten().copied()
    }

    /// Returns the waiting packets with these first bytes, in order.
    pub fn begin_like(&self, layer: &Layer) -> impl Iterator<Item = u64> + '_ {
        let list = layer.head.and_then(|head| self.heads.get(&head));
        list.into_iter().flatten().copied()
    }

    /// Returns the oldest waiting packet: that of the first slot, as settled ones leave.
    pub fn oldest(&self) -> Option<&Waiting> {
        self.get(self.base)
    }

    /// Removes a waiting packet, and leaves another state in its place.
    pub fn take(&mut self, id: u64, state: Slot) -> Option<Waiting> {
        let place = usize::try_from(id.checked_sub(self.base)?).ok()?;
        let slot = self.slots.get_mut(place)?;
        if !matches!(slot, Slot::Waiting(_)) {
            return None;
        }
        let Slot::Waiting(waiting) = std::mem::replace(slot, state) else { return None };
        for layer in &waiting.packet.layers {
            forget(&mut self.contents, exact(layer), id);
            if let Some(head) = layer.head {
                forget(&mut self.heads, head, id);
            }
        }
        self.cut -= usize::from(waiting.packet.layers.iter().any(|layer| !layer.whole));
        self.waiting -= 1;
        self.bytes -= waiting.packet.bytes.len() + COST;
        Some(*waiting)
    }

    /// Returns the oldest packet if its state is final.
    pub fn settled(&mut self) -> Option<Slot> {
        match self.slots.front()? {
            Slot::Waiting(_) => None,
            _ => {
                self.base += 1;
                self.slots.pop_front()
            }
        }
    }

    /// Returns the number of packets from the oldest that waits on.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Returns the index and the time of the last waiting packet in the first of `parts` parts: of
    /// those that wait, or of all.
    pub fn mark(&self, parts: usize, of_waiting: bool) -> (u64, i64) {
        let ids = || self.before(self.next());
        let id = if of_waiting {
            ids().nth(self.waiting / parts)
        } else {
            let end = self.base + (self.slots.len() / parts) as u64;
            ids().take_while(|&id| id <= end).last()
        };
        let id = id.unwrap_or(self.base);
        (id, self.get(id).map_or(i64::MAX, |it| it.time))
    }

    /// Returns the index of the first waiting packet after a time.
    pub fn until(&self, time: i64) -> u64 {
        let later = |&id: &u64| self.get(id).is_some_and(|it| it.time > time);
        self.before(self.next()).find(later).unwrap_or(self.next())
    }

    /// Returns the indices of the waiting packets before another.
    pub fn before(&self, end: u64) -> impl Iterator<Item = u64> + '_ {
        (self.base..end.min(self.next())).filter(|&id| self.get(id).is_some())
    }
}

/// Returns a key of the content and the identification of a layer.
pub fn exact(layer: &Layer) -> u64 {
    let identification = u64::from(layer.identification.unwrap_or(0));
    layer.content ^ identification.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn forget(index: &mut HashMap<u64, VecDeque<u64>>, key: u64, id: u64) {
    if let Some(list) = index.get_mut(&key) {
        // Almost always the first.
        if let Some(place) = list.iter().position(|&other| other == id) {
            list.remove(place);
        }
        if list.is_empty() {
            index.remove(&key);
        }
    }
}
