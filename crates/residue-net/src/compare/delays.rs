//! Times of packets between the points.

/// Number of times that are kept.
const SAMPLE: usize = 4096;

/// The times of packets in one direction, in nanoseconds. If the clocks at the points differ, so do
/// all of these, by an equal amount.
#[derive(Clone, Debug, Default)]
pub struct Delays {
    /// Number of packets.
    pub packets: u64,
    /// Smallest time.
    pub least: i64,
    /// Largest time.
    pub most: i64,
    /// A random sample.
    sample: Vec<i64>,
    state: u64,
}

impl Delays {
    pub(super) fn add(&mut self, delay: i64) {
        if self.packets == 0 {
            (self.least, self.most) = (delay, delay);
        }
        self.least = self.least.min(delay);
        self.most = self.most.max(delay);
        self.packets += 1;
        if self.sample.len() < SAMPLE {
            return self.sample.push(delay);
        }
        // SplitMix64, from a fixed seed: equal captures give equal reports.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        let place = ((u128::from(mixed) * u128::from(self.packets)) >> 64) as usize;
        if let Some(kept) = self.sample.get_mut(place) {
            *kept = delay;
        }
    }

    /// Returns the time above the smallest one that `share` of the packets do not exceed; an
    /// estimate from 4096 of them.
    #[must_use]
    pub fn above_least(&self, share: f64) -> i64 {
        let mut sorted = self.sample.clone();
        sorted.sort_unstable();
        let last = sorted.len().saturating_sub(1);
        let place = (last as f64 * share.clamp(0.0, 1.0)).round() as usize;
        sorted.get(place).map_or(0, |delay| delay.saturating_sub(self.least))
    }
}
