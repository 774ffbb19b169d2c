//! Saving and restoring the state, so that a new process continues guarded connections.
//!
//! The bytes are: the magic `RGS1`, the number of connections and of destinations (4 bytes each,
//! big-endian, like all numbers), the entries, and the CRC-32C of it all.

use super::Engine;
use crate::connection::{CLOSING, Connection, ESTABLISHED, Phase};
use crate::memory::{Failure, Record, Step};
use crate::negotiate::{GREATEST, Offer};
use crate::packet::{End, Key};
use residue_net::Address;
use std::fmt;
use std::time::Duration;

const MAGIC: [u8; 4] = *b"RGS1";
/// Flags of a connection.
const CONFIRMED: u8 = 1;
const PROVEN: u8 = 2;
const FIN_SENT: u8 = 4;
const FIN_RECEIVED: u8 = 8;
const RESET: u8 = 16;

/// The reason why a saved state cannot be restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateError {
    /// It has another format.
    Format,
    /// Its CRC is wrong.
    Damaged,
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StateError::Format => "not the saved state of a guard of this version",
            StateError::Damaged => "the saved state is damaged",
        })
    }
}

impl std::error::Error for StateError {}

impl Engine {
    /// Returns the guarded connections and failed destinations, for [`Engine::restore`].
    #[must_use]
    pub fn save(&self, now: Duration) -> Vec<u8> {
        let connections = self.table.iter().filter_map(|(key, connection)| {
            let Phase::Agreed { value } = connection.phase else { return None };
            // The first segment of the kernel shows both.
            Some((key, value, connection, [connection.next?, connection.acknowledged?]))
        });
        let mut bytes = MAGIC.to_vec();
        bytes.extend([0; 8]);
        let mut counts = [0_u32; 2];
        for (key, value, connection, numbers) in connections {
            counts[0] += 1;
            write_end(&mut bytes, &key.local);
            write_end(&mut bytes, &key.remote);
            let flags = [
                (connection.confirmed, CONFIRMED),
                (connection.proven, PROVEN),
                (connection.fins[0], FIN_SENT),
                (connection.fins[1], FIN_RECEIVED),
                (connection.reset, RESET),
            ];
            let flags = flags.into_iter().filter(|&(is_set, _)| is_set);
            bytes.extend([value, flags.fold(0, |all, (_, flag)| all | flag), connection.scale]);
            for number in [numbers[0], numbers[1], connection.window, age(now, connection.used)] {
                bytes.extend(number.to_be_bytes());
            }
        }
        for (address, record) in self.memory.iter() {
            counts[1] += 1;
            write_address(&mut bytes, address);
            bytes.extend([record.step as u8, record.failure as u8]);
            for number in [age(now, record.since), record.pause.as_secs() as u32] {
                bytes.extend(number.to_be_bytes());
            }
        }
        for (at, count) in counts.into_iter().enumerate() {
            bytes[4 + at * 4..8 + at * 4].copy_from_slice(&count.to_be_bytes());
        }
        let crc = residue::crc32c(&bytes);
        bytes.extend(crc.to_be_bytes());
        bytes
    }

    /// Restores what [`Engine::save`] returned. A restored connection continues if the kernel's
    /// next segment fits its sequence numbers. `now` counts from a start at least as long ago as
    /// the entries are old; younger starts make them young. Returns the number of connections.
    ///
    /// # Errors
    ///
    /// If the bytes are not a saved state; the engine is then unchanged.
    pub fn restore(&mut self, bytes: &[u8], now: Duration) -> Result<usize, StateError> {
        let content = bytes.len().checked_sub(4).ok_or(StateError::Format)?;
        let (content, crc) = bytes.split_at(content);
        let rest = content.strip_prefix(&MAGIC).ok_or(StateError::Format)?;
        if residue::crc32c(content).to_be_bytes() != crc {
            return Err(StateError::Damaged);
        }
        let mut reader = Reader(rest);
        let parsed = reader.entries(now);
        let (connections, records) = parsed.ok_or(StateError::Format)?;
        let count = connections.len();
        for (key, connection) in connections {
            let used = connection.used;
            self.keep(key, connection, used);
        }
        for (address, record) in records {
            self.memory.restore(address, record);
        }
        self.counters.restored += count as u64;
        Ok(count)
    }

    /// Returns a number that changes when connections or destinations appear that a saved state
    /// should have.
    #[must_use]
    pub fn changes(&self) -> u64 {
        let counters = self.counters();
        let agreed: u64 = counters.agreed[1..].iter().sum();
        agreed + counters.adopted + counters.failed_destinations + counters.restored
    }

    /// Returns the number of guarded connections.
    #[must_use]
    pub fn guarded(&self) -> usize {
        self.table.len(ESTABLISHED) + self.table.len(CLOSING)
    }
}

fn age(now: Duration, then: Duration) -> u32 {
    u32::try_from(now.saturating_sub(then).as_secs()).unwrap_or(u32::MAX)
}

fn write_address(bytes: &mut Vec<u8>, address: &Address) {
    bytes.push(address.bytes().len() as u8);
    bytes.extend(address.bytes());
}

fn write_end(bytes: &mut Vec<u8>, (address, port): &End) {
    write_address(bytes, address);
    bytes.extend(port.to_be_bytes());
}

type Entries = (Vec<(Key, Connection)>, Vec<(Address, Record)>);

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (&taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        self.take().map(u32::from_be_bytes)
    }

    fn seconds(&mut self) -> Option<Duration> {
        self.number().map(|seconds| Duration::from_secs(seconds.into()))
    }

    fn address(&mut self) -> Option<Address> {
        match self.take()? {
            [4] => self.take::<4>().map(|bytes| Address::new(&bytes)),
            [16] => self.take::<16>().map(|bytes| Address::new(&bytes)),
            _ => None,
        }
    }

    fn end(&mut self) -> Option<End> {
        Some((self.address()?, u16::from_be_bytes(self.take()?)))
    }

    fn connection(&mut self, now: Duration) -> Option<(Key, Connection)> {
        let key = Key { local: self.end()?, remote: self.end()? };
        let [value, flags, scale] = self.take()?;
        if !(1..=GREATEST).contains(&value) || scale > 14 {
            return None;
        }
        let is = |flag| flags & flag != 0;
        let offer = Offer { value, instead: value.clamp(3, 5) };
        let new = Connection::new(Phase::Agreed { value }, offer, None);
        let connection = Connection {
            confirmed: is(CONFIRMED),
            proven: is(PROVEN),
            fins: [is(FIN_SENT), is(FIN_RECEIVED)],
            reset: is(RESET),
            scale,
            next: Some(self.number()?),
            acknowledged: Some(self.number()?),
            window: self.number()?,
            restored: true,
            used: now.saturating_sub(self.seconds()?),
            ..new
        };
        Some((key, connection))
    }

    fn record(&mut self, now: Duration) -> Option<(Address, Record)> {
        let address = self.address()?;
        let [step, failure] = self.take()?;
        let step = [Step::Own, Step::Four, Step::Nothing].into_iter().nth(step.into())?;
        let failures = [Failure::Silence, Failure::NothingGood, Failure::Reset];
        let failure = failures.into_iter().nth(failure.into())?;
        let since = now.saturating_sub(self.seconds()?);
        Some((address, Record::new(step, failure, since, self.seconds()?)))
    }

    fn entries(&mut self, now: Duration) -> Option<Entries> {
        let [connections, records] = [self.number()?, self.number()?];
        let mut all = (0..connections).map(|_| self.connection(now)).collect::<Option<Vec<_>>>()?;
        // In the order of their use, as the table keeps them.
        all.sort_by_key(|(_, connection)| connection.used);
        let records = (0..records).map(|_| self.record(now)).collect::<Option<Vec<_>>>()?;
        self.0.is_empty().then_some((all, records))
    }
}
