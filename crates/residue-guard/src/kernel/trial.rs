//! Runs the programs on packets, without attaching them: for tests.

use super::filters::{EGRESS, INGRESS};
use super::layout::{
    AGREED, Answer, Config, Connection, Counters, Destination, Key, Plain, crc_tables,
};
use super::maps::put;
use super::programs::{Programs, XDP};
use crate::sys::bpf;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

/// A program of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// Sent packets.
    Egress,
    /// Received packets, by tc.
    Ingress,
    /// Received packets, by XDP.
    Xdp,
}

/// The programs, loaded with maps of their own.
#[derive(Debug)]
pub struct Trial {
    programs: Programs,
    loaded: [OwnedFd; 3],
}

/// Result of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Whether the packet passes.
    pub passes: bool,
    /// Duration of a run in nanoseconds.
    pub nanoseconds: u32,
}

impl Trial {
    /// Loads the programs.
    ///
    /// # Errors
    ///
    /// If the kernel does not allow it, or lacks something.
    pub fn new(config: &Config) -> io::Result<Trial> {
        let mut programs = Programs::new(None)?;
        // Without it, they do without.
        let _ = programs.settle_crc32c();
        for (at, tables) in (0_u32..).zip(crc_tables()) {
            put(programs.map("crc_tables")?, &at, &tables)?;
        }
        let loaded = [programs.load(EGRESS)?, programs.load(INGRESS)?, programs.load(XDP)?];
        let trial = Trial { programs, loaded };
        trial.begin(config)?;
        Ok(trial)
    }

    /// Begins anew, with another configuration: forgets everything, without the time in which the
    /// kernel verifies the programs.
    ///
    /// # Errors
    ///
    /// Those of bpf(2).
    pub fn begin(&self, config: &Config) -> io::Result<()> {
        for map in ["connections", "closed", "translated", "answers", "destinations"] {
            let map = self.programs.map(map)?;
            while let Some(key) = bpf::next_key(map, None)? {
                bpf::remove(map, &key)?;
            }
        }
        let (counters, zeros) = (self.programs.map("counters")?, [0; Counters::SIZE]);
        bpf::put_per_cpu(counters, &0_u32.to_bytes(), &zeros)?;
        put(self.programs.map("config")?, &0_u32, config)
    }

    /// Returns whether the programs call the kernel's CRC-32C.
    #[must_use]
    pub fn calls_kernel_crc(&self) -> bool {
        self.programs.crc32c.is_some()
    }

    /// Inserts a connection into the map of its phase.
    ///
    /// # Errors
    ///
    /// Those of bpf(2).
    pub fn insert(&self, key: &Key, connection: &Connection) -> io::Result<()> {
        let [to, other] = match connection.phase {
            AGREED => ["connections", "closed"],
            _ => ["closed", "connections"],
        };
        bpf::remove(self.programs.map(other)?, &key.to_bytes())?;
        put(self.programs.map(to)?, key, connection)
    }

    /// Returns the state of a connection.
    ///
    /// # Errors
    ///
    /// Those of bpf(2).
    pub fn get(&self, key: &Key) -> io::Result<Option<Connection>> {
        for map in ["connections", "closed"] {
            let map = self.programs.map(map)?;
            if let Some(bytes) = bpf::get(map, &key.to_bytes(), Connection::SIZE)? {
                return Ok(Connection::from_bytes(&bytes));
            }
        }
        Ok(None)
    }

    /// Forgets a connection, and the answer to its SYN.
    ///
    /// # Errors
    ///
    /// Those of bpf(2).
    pub fn remove(&self, key: &Key) -> io::Result<()> {
        for map in ["connections", "closed", "answers"] {
            bpf::remove(self.programs.map(map)?, &key.to_bytes())?;
        }
        Ok(())
    }

    /// Inserts an answer to a SYN.
    ///
    /// # Errors
    ///
    /// Those of bpf(2).
    pub fn insert_answer(&self, key: &Key, answer: &Answer) -> io::Result<()> {
        put(self.programs.map("answers")?, key, answer)
    }

    /// Returns the answer to a SYN.
    ///
    /// # Errors
    ///
    /// Those of bpf(2).
    pub fn answer(&self, key: &Key) -> io::Result<Option<Answer>> {
        let bytes = bpf::get(self.programs.map("answers")?, &key.to_bytes(), Answer::SIZE)?;
        Ok(bytes.and_then(|bytes| Answer::from_bytes(&bytes)))
    }

    /// Returns what is known of a destination.
    ///
    /// # Errors
    ///
    /// Those of bpf(2).
    pub fn destination(&self, address: &[u8; 16]) -> io::Result<Option<Destination>> {
        let map = self.programs.map("destinations")?;
        let bytes = bpf::get(map, &address.to_bytes(), Destination::SIZE)?;
        Ok(bytes.and_then(|bytes| Destination::from_bytes(&bytes)))
    }

    /// Forgets a destination.
    ///
    /// # Errors
    ///
    /// Those of bpf(2).
    pub fn remove_destination(&self, address: &[u8; 16]) -> io::Result<bool> {
        bpf::remove(self.programs.map("destinations")?, &address.to_bytes())
    }

    /// Returns the number of entries of a map.
    ///
    /// # Errors
    ///
    /// Those of bpf(2).
    pub fn entries(&self, map: &str) -> io::Result<usize> {
        let map = self.programs.map(map)?;
        let (mut count, mut key) = (0, None);
        while let Some(next) = bpf::next_key(map, key.as_deref())? {
            (count, key) = (count + 1, Some(next));
        }
        Ok(count)
    }

    /// Returns the counters of all CPUs.
    ///
    /// # Errors
    ///
    /// Those of bpf(2).
    pub fn counters(&self) -> io::Result<Counters> {
        let map = self.programs.map("counters")?;
        let mut sums = vec![0; Counters::SIZE / 8];
        for cpu in bpf::get_per_cpu(map, &0_u32.to_bytes(), Counters::SIZE)? {
            for (sum, bytes) in sums.iter_mut().zip(cpu.chunks_exact(8)) {
                *sum += u64::from_bytes(bytes).unwrap_or_default();
            }
        }
        let bytes: Vec<u8> = sums.iter().flat_map(u64::to_bytes).collect();
        Counters::from_bytes(&bytes).ok_or_else(|| io::Error::other("a map has another layout"))
    }

    /// Runs a program with a packet, `repeat` times. Writes the packet into `output` as the program
    /// left it.
    ///
    /// # Errors
    ///
    /// Those of bpf(2): the kernel does not run programs with packets of less than 14 bytes.
    pub fn run(
        &self,
        program: Program,
        packet: &[u8],
        repeat: u32,
        output: &mut Vec<u8>,
    ) -> io::Result<Run> {
        self.run_merged(program, packet, repeat, 0, output)
    }

    /// As [`Trial::run`], for a packet that was merged of segments with `merged` bytes of data.
    ///
    /// # Errors
    ///
    /// Those of bpf(2).
    pub fn run_merged(
        &self,
        program: Program,
        packet: &[u8],
        repeat: u32,
        merged: u32,
        output: &mut Vec<u8>,
    ) -> io::Result<Run> {
        // TC_ACT_OK, XDP_PASS.
        const PASSES: [u32; 3] = [0, 0, 2];
        let loaded = self.loaded[program as usize].as_fd();
        let (result, nanoseconds) = bpf::test_run(loaded, packet, repeat, merged, output)?;
        Ok(Run { passes: result == PASSES[program as usize], nanoseconds })
    }
}
