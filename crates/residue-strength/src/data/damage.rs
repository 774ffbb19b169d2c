//! Damages packets in one place, chosen at random.

use super::question::Test;
use crate::codes::additive::Additive;

/// Bytes of a packet.
const PACKET: usize = 1500;
/// Bytes of a block that is lost, repeated or zeroed: a cache line, the unit of many transfers.
const BLOCK: usize = 64;

/// Damages packets and counts what the codes do not detect.
pub(super) struct Damage<'a> {
    codes: &'a [&'a Additive],
    burst: u32,
    random: fastrand::Rng,
}

/// The counts of one kind of damage.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted {
    pub(super) tried: u64,
    /// Trials that changed nothing.
    pub(super) identical: u64,
    /// Changed packets with an unchanged check value, for each code.
    pub(super) misses: Vec<u64>,
}

/// The kinds of damage.
const KINDS: [Test; 7] = [
    Test::Words,
    Test::Bytes,
    Test::Lost,
    Test::Slipped,
    Test::Repeated,
    Test::Zeroed,
    Test::Burst,
];

impl<'a> Damage<'a> {
    pub(super) fn new(codes: &'a [&'a Additive], burst: u32, random: fastrand::Rng) -> Damage<'a> {
        Damage { codes, burst: burst.clamp(2, 64), random }
    }

    /// Takes `trials` packets from random places in `data`, and damages each in every way.
    pub(super) fn run(&mut self, data: &[u8], trials: u64) -> Vec<(Test, Counted)> {
        let none = Counted { misses: vec![0; self.codes.len()], ..Counted::default() };
        let mut all = KINDS.map(|test| (test, none.clone()));
        // A packet, and what moves up after it.
        let Some(starts) = data.len().checked_sub(PACKET + BLOCK) else { return all.into() };
        let (mut before, mut damaged) = (vec![0; self.codes.len()], [0; PACKET]);
        for _ in 0..trials {
            // Whole words, as a buffer begins.
            let window = &data[self.random.usize(..=starts / 4) * 4..][..PACKET + BLOCK];
            for (value, code) in before.iter_mut().zip(self.codes) {
                *value = code.element(&window[..PACKET]);
            }
            for (test, counted) in &mut all {
                damaged.copy_from_slice(&window[..PACKET]);
                self.damage(*test, window, &mut damaged);
                counted.tried += 1;
                if damaged == window[..PACKET] {
                    counted.identical += 1;
                    continue;
                }
                let codes = self.codes.iter().zip(&before).zip(&mut counted.misses);
                codes.for_each(|((code, &before), misses)| {
                    *misses += u64::from(code.element(&damaged) == before);
                });
            }
        }
        all.into()
    }

    fn damage(&mut self, test: Test, window: &[u8], packet: &mut [u8; PACKET]) {
        let random = &mut self.random;
        match test {
            Test::Words => {
                let a = random.usize(..PACKET / 2);
                // Any other: the one before its own place takes the last one's.
                let b = random.usize(..PACKET / 2 - 1);
                let b = if b == a { PACKET / 2 - 1 } else { b };
                packet.swap(2 * a, 2 * b);
                packet.swap(2 * a + 1, 2 * b + 1);
            }
            Test::Bytes => {
                let at = random.usize(..PACKET - 1);
                packet.swap(at, at + 1);
            }
            Test::Lost => {
                let at = random.usize(..PACKET / BLOCK) * BLOCK;
                packet[at..].copy_from_slice(&window[at + BLOCK..]);
            }
            Test::Slipped => {
                let at = random.usize(..PACKET);
                packet[at..].copy_from_slice(&window[at + 1..=PACKET]);
            }
            Test::Repeated => {
                let at = random.usize(..PACKET / BLOCK) * BLOCK;
                packet[at + BLOCK..].copy_from_slice(&window[at..PACKET - BLOCK]);
            }
            Test::Zeroed => {
                let at = random.usize(..PACKET / BLOCK) * BLOCK;
                packet[at..at + BLOCK].fill(0);
            }
            _ => {
                let first = random.usize(..=8 * PACKET - self.burst as usize);
                let inner = if self.burst > 2 { random.u64(..1 << (self.burst - 2)) } else { 0 };
                let bits = 1 | inner << 1 | 1 << (self.burst - 1);
                for bit in (0..self.burst as usize).filter(|bit| bits >> bit & 1 == 1) {
                    packet[(first + bit) / 8] ^= 0x80 >> ((first + bit) % 8);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(name: &str, data: &[u8], burst: u32) -> Vec<(Test, Counted)> {
        let code = Additive::named(name).unwrap();
        Damage::new(&[&code], burst, fastrand::Rng::with_seed(9)).run(data, 3000)
    }

    fn of(all: &[(Test, Counted)], wanted: Test) -> &Counted {
        &all.iter().find(|(test, _)| *test == wanted).unwrap().1
    }

    #[test]
    fn damage_has_the_misses_that_theory_says() {
        let mut data = vec![0; 100_000];
        fastrand::Rng::with_seed(2).fill(&mut data);
        let internet = counted("internet", &data, 15);
        let words = of(&internet, Test::Words);
        assert_eq!(words.misses[0] + words.identical, words.tried, "order is not seen");
        assert_eq!(of(&internet, Test::Burst).misses[0], 0);
        // Bytes of one word in the wrong order change the sum; bytes 8 bits apart are in one column
        // only if in two words.
        assert!(of(&internet, Test::Bytes).misses[0] < 30);
        let xor = counted("xor-8", &data, 15);
        assert_eq!(of(&xor, Test::Bytes).misses[0] + of(&xor, Test::Bytes).identical, 3000);
        for burst in [2, 15, 32] {
            assert_eq!(of(&counted("crc-32/iscsi", &data, burst), Test::Burst).misses[0], 0);
        }
        // A burst of r + 1 bits is missed once in 2^(r - 1): of 8 bits and 3000 trials, 23.
        let crc8 = of(&counted("crc-8/smbus", &data, 9), Test::Burst).misses[0];
        assert!((5..60).contains(&crc8), "{crc8}");
    }

    #[test]
    fn what_changes_nothing_is_no_error() {
        let all = counted("internet", &[0; 10_000], 8);
        for (test, counted) in &all {
            let same = if *test == Test::Burst { 0 } else { counted.tried };
            assert_eq!(counted.identical, same, "{test:?}");
        }
        assert!(counted("internet", &[0; 1000], 8).iter().all(|(_, counted)| counted.tried == 0));
    }
}
