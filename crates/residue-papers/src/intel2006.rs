//! The cost of a data-in PDU to an iSCSI initiator (Intel, *High Performance Software CRC*, 2006,
//! figures 2 and 3): the protocol, the CRC of header and data, and the copy into the I/O buffer.
//!
//! The receive path is a real one (RFC 7143): it does everything that an initiator without error
//! recovery must do before it may hand the data on. As in the white paper, each read command is
//! answered by one PDU. The same data are received again and again, into one buffer: they stay in
//! the first-level cache, so that the parts, timed by themselves, are what they are in the whole.

mod cores;
mod figures;
mod published;
mod report;

use residue::internals::{self, CRC_32C, Crc32c, Forced, Kernel};
use residue_bench::Error;
use residue_bench::clock::{Clock, now};
use residue_bench::statistic::median;
use residue_net::wire::iscsi::{BASIC_HEADER, layout};
use serde::Serialize;
use std::hint::black_box;

pub(crate) use cores::scaling;
pub use figures::figures;
pub use published::{Published, published, totals};
pub use report::{csv, table, write};

/// The length of a header with its digest.
const HEADER: usize = BASIC_HEADER + 4;
/// Commands under way at a time; a power of two.
const DEPTH: usize = 32;
/// The longest data of a PDU that the initiator declared it takes (`MaxRecvDataSegmentLength`).
const LONGEST_DATA: usize = 8192;

/// A reason to reject a PDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reject {
    /// The header's digest is wrong.
    HeaderDigest,
    /// The data's digest is wrong.
    DataDigest,
    /// It is no data-in PDU, or one with additional headers.
    Opcode,
    /// The data are not as long as the header says, or longer than was declared.
    Length,
    /// No command under way has this tag.
    Tag,
    /// `DataSN` is not the next one.
    DataNumber,
    /// `StatSN` is not the next one.
    StatusNumber,
    /// The data do not follow those before, or go beyond the command's buffer.
    Offset,
    /// The residual count does not fit the data received.
    Residual,
    /// The command failed.
    Status(u8),
}

/// The operation on covered bytes: all of the work, or a part of it.
trait Work {
    /// Returns whether `digest` is that of a header.
    fn header(&self, covered: &[u8], digest: [u8; 4]) -> bool;
    /// Copies data to their place, and returns whether `digest` is theirs, with the padding.
    fn data(&self, padded: &[u8], digest: [u8; 4], to: &mut [u8]) -> bool;
}

/// Nothing but the protocol.
struct Protocol;

impl Work for Protocol {
    #[inline(always)]
    fn header(&self, covered: &[u8], digest: [u8; 4]) -> bool {
        black_box((covered.as_ptr(), digest));
        true
    }

    #[inline(always)]
    fn data(&self, padded: &[u8], digest: [u8; 4], to: &mut [u8]) -> bool {
        black_box((padded.as_ptr(), digest, to.as_ptr()));
        true
    }
}

/// The CRC first, then the copy.
struct Separate(Forced<Crc32c>);

impl Work for Separate {
    #[inline(always)]
    fn header(&self, covered: &[u8], digest: [u8; 4]) -> bool {
        self.0.value(&(), covered).to_le_bytes() == digest
    }

    #[inline(always)]
    fn data(&self, padded: &[u8], digest: [u8; 4], to: &mut [u8]) -> bool {
        let is_right = self.header(padded, digest);
        if is_right {
            to.copy_from_slice(&padded[..to.len()]);
        }
        is_right
    }
}

/// Both in one pass.
struct Fused;

impl Work for Fused {
    #[inline(always)]
    fn header(&self, covered: &[u8], digest: [u8; 4]) -> bool {
        residue::crc32c(covered).to_le_bytes() == digest
    }

    #[inline(always)]
    fn data(&self, padded: &[u8], digest: [u8; 4], to: &mut [u8]) -> bool {
        if padded.len() != to.len() {
            to.copy_from_slice(&padded[..to.len()]);
            return self.header(padded, digest);
        }
        residue::copy::crc32c(padded, to).to_le_bytes() == digest
    }
}

/// A read command that waits for data.
#[derive(Debug, Clone, Copy)]
struct Task {
    tag: u32,
    /// Its buffer's place in the memory for input and output.
    place: usize,
    /// The buffer's length (`ExpectedDataTransferLength`).
    expected: u32,
    received: u32,
    data_number: u32,
}

/// An initiator's side of a connection.
struct Initiator {
    tasks: [Option<Task>; DEPTH],
    issued: u32,
    memory: Vec<u8>,
    /// `ExpStatSN`, `ExpCmdSN`, `MaxCmdSN`.
    expected_status: u32,
    expected_command: u32,
    max_command: u32,
}

fn word(header: &[u8; HEADER], at: usize) -> u32 {
    u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
}

impl Initiator {
    fn new(memory: usize) -> Self {
        Initiator {
            tasks: [None; DEPTH],
            issued: 0,
            memory: vec![0; memory],
            expected_status: 1,
            expected_command: 1,
            max_command: 1,
        }
    }

    /// Issues a read command for `expected` bytes, which go to a place in the memory, and returns
    /// its tag.
    fn issue(&mut self, place: usize, expected: u32) -> u32 {
        self.issued = self.issued.wrapping_add(1);
        let tag = self.issued;
        let task = Task { tag, place, expected, received: 0, data_number: 0 };
        self.tasks[tag as usize % DEPTH] = Some(task);
        tag
    }

    /// Receives a PDU: the header with digest, and the data, padding and digest after it.
    ///
    /// Returns whether its command is done.
    #[inline(always)]
    fn receive(
        &mut self,
        work: &impl Work,
        header: &[u8; HEADER],
        body: &[u8],
    ) -> Result<bool, Reject> {
        let Some((basic, digest)) = header.split_first_chunk::<BASIC_HEADER>() else {
            return Err(Reject::Length);
        };
        if !work.header(basic, [digest[0], digest[1], digest[2], digest[3]]) {
            return Err(Reject::HeaderDigest);
        }
        let [opcode, flags, _, status, additional, ..] = *basic;
        if opcode != 0x25 || additional != 0 {
            return Err(Reject::Opcode);
        }
        let layout = layout(basic, [true; 2]);
        let length = u32::from_be_bytes([0, basic[5], basic[6], basic[7]]);
        if length as usize > LONGEST_DATA || layout.whole as usize != HEADER + body.len() {
            return Err(Reject::Length);
        }

        let tag = word(header, 16);
        let task = self.tasks[tag as usize % DEPTH].as_mut().filter(|task| task.tag == tag);
        let task = task.ok_or(Reject::Tag)?;
        if word(header, 36) != task.data_number {
            return Err(Reject::DataNumber);
        }
        let offset = word(header, 40);
        let end = offset.checked_add(length).filter(|&end| end <= task.expected);
        let (true, Some(end)) = (offset == task.received, end) else {
            return Err(Reject::Offset);
        };
        if let Some((padded, digest)) = body.split_last_chunk() {
            let start = task.place + offset as usize;
            let to = self.memory.get_mut(start..start + length as usize).ok_or(Reject::Offset)?;
            if !work.data(padded, *digest, to) {
                return Err(Reject::DataDigest);
            }
        }
        task.received = end;
        task.data_number += 1;

        let (expected_command, max_command) = (word(header, 28), word(header, 32));
        // Serial numbers (RFC 1982): older ones come with PDUs that were overtaken.
        if (max_command.wrapping_sub(self.max_command) as i32) > 0 {
            self.max_command = max_command;
        }
        if (expected_command.wrapping_sub(self.expected_command) as i32) > 0 {
            self.expected_command = expected_command;
        }
        if flags & 1 == 0 {
            return Ok(false);
        }
        if word(header, 24) != self.expected_status {
            return Err(Reject::StatusNumber);
        }
        self.expected_status = self.expected_status.wrapping_add(1);
        let (residual, missing) = (word(header, 44), task.expected - task.received);
        let fits = match flags & 6 {
            0 => missing == 0,
            2 => residual == missing,
            4 => missing == 0 && residual > 0,
            _ => false,
        };
        self.tasks[tag as usize % DEPTH] = None;
        match (status, fits) {
            (0, true) => Ok(true),
            (0, false) => Err(Reject::Residual),
            (status, _) => Err(Reject::Status(status)),
        }
    }
}

/// Returns the header of a data-in PDU that carries all data and the status, with its digest.
fn data_in(tag: u32, length: u32, status_number: u32) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    (header[0], header[1]) = (0x25, 0x81);
    header[5..8].copy_from_slice(&length.to_be_bytes()[1..]);
    header[20..24].fill(0xff);
    let words = [(16, tag), (24, status_number), (28, status_number), (32, status_number + 64)];
    for (at, word) in words {
        header[at..at + 4].copy_from_slice(&word.to_be_bytes());
    }
    sign(&mut header);
    header
}

fn sign(header: &mut [u8; HEADER]) {
    let digest = residue::crc32c(&header[..BASIC_HEADER]);
    header[BASIC_HEADER..].copy_from_slice(&digest.to_le_bytes());
}

/// Data with padding and digest.
fn body(data: &[u8]) -> Vec<u8> {
    let mut body = data.to_vec();
    body.resize(data.len().next_multiple_of(4), 0);
    let digest = residue::crc32c(&body);
    body.extend(digest.to_le_bytes());
    body
}

/// The costs of a data-in PDU, in core cycles.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The kernel of the CRC; of the fused pass, `copy`.
    pub kernel: String,
    /// The description: one of the paper's kernels, or ours.
    pub about: &'static str,
    /// Bytes of data.
    pub bytes: usize,
    /// Header checks, task look-up, numbers.
    pub protocol: f64,
    /// The CRC of header and data; of the fused pass, the copy too.
    pub crc: f64,
    /// The copy; 0 for the fused pass.
    pub copy: f64,
    /// All of it, timed as a whole.
    pub whole: f64,
}

impl Row {
    /// Returns the parts together, as a multiple of the whole.
    #[must_use]
    pub fn parts_over_whole(&self) -> f64 {
        (self.protocol + self.crc + self.copy) / self.whole
    }
}

/// The costs of a measurement, and its conditions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Costs {
    /// The CPU's name.
    pub cpu: String,
    /// The date, as RFC 3339 has it.
    pub date: String,
    /// Nanoseconds in a core cycle.
    pub ns_per_cycle: f64,
    /// The rows by kernel, then by size.
    pub rows: Vec<Row>,
}

/// The text of [`Row::about`] for the fused pass.
pub const FUSED: &str = "CRC and copy in one pass";

/// The paper's sizes, in bytes.
pub const SIZES: [usize; 5] = [512, 1024, 2048, 4096, 8192];

/// Returns the kernels: Sarwate's, the paper's, and the fastest here.
fn kernels() -> Vec<(&'static str, &'static Kernel<Crc32c>)> {
    let named = |name: &str| CRC_32C.iter().find(|kernel| kernel.info().name == name);
    let best = internals::best(CRC_32C, residue::cpu::features(), residue::cpu::profile());
    let all =
        [("Sarwate", named("bytewise")), ("slicing-by-8", named("slicing8")), ("best here", best)];
    all.into_iter().filter_map(|(about, kernel)| Some((about, kernel?))).collect()
}

/// Times every kernel at every size, in turns, `rounds` times; medians count.
///
/// # Errors
/// Returns an error if the receive path does not accept what it should: nothing would be worth
/// timing.
pub fn measure(
    rounds: usize,
    clock: &Clock,
    progress: residue_bench::Progress<'_>,
) -> Result<Costs, Error> {
    let kernels = kernels();
    let steps = ((kernels.len() + 1) * SIZES.len()) as u64;
    let mut rows = Vec::new();
    for &(about, kernel) in &kernels {
        let Some(forced) = kernel.force() else { continue };
        for bytes in SIZES {
            let copy = |bench: &mut Bench| {
                let padded = &bench.body[..bench.body.len() - 4];
                bench.initiator.memory.copy_from_slice(black_box(padded));
                black_box(&mut bench.initiator.memory);
            };
            rows.push(Bench::new(bytes, clock).row(
                (kernel.info().name.to_string(), about),
                rounds,
                &Separate(forced),
                |bench| black_box(forced.value(&(), &bench.body[..bench.body.len() - 4])),
                copy,
            )?);
            progress(rows.len() as u64, steps);
        }
    }
    for bytes in SIZES {
        let fused = |bench: &mut Bench| {
            let padded = &bench.body[..bench.body.len() - 4];
            black_box(residue::copy::crc32c(padded, &mut bench.initiator.memory[..]))
        };
        let name = ("copy".to_string(), FUSED);
        rows.push(Bench::new(bytes, clock).row(name, rounds, &Fused, fused, |_| {})?);
        progress(rows.len() as u64, steps);
    }
    for row in &mut rows {
        if row.about == FUSED {
            row.copy = 0.0;
        }
    }
    let date = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    let ns_per_cycle = clock.ns_per_tick * clock.ticks_per_cycle;
    Ok(Costs { cpu: residue_bench::machine::cpu_name(), date, ns_per_cycle, rows })
}

/// One size: PDUs that are received again and again.
struct Bench<'a> {
    initiator: Initiator,
    headers: [[u8; HEADER]; DEPTH],
    body: Vec<u8>,
    bytes: usize,
    clock: &'a Clock,
}

impl<'a> Bench<'a> {
    fn new(bytes: usize, clock: &'a Clock) -> Self {
        let data: Vec<u8> = std::iter::repeat_with(|| fastrand::u8(..)).take(bytes).collect();
        let initiator = Initiator::new(bytes);
        Bench { initiator, headers: [[0; HEADER]; DEPTH], body: body(&data), bytes, clock }
    }

    /// The commands of the next round, and the target's answers.
    fn prepare(&mut self) {
        for (number, header) in (0..).zip(&mut self.headers) {
            let tag = self.initiator.issue(0, self.bytes as u32);
            *header = data_in(tag, self.bytes as u32, self.initiator.expected_status + number);
        }
    }

    /// Cycles for each of a round's PDUs.
    fn time(&mut self, mut each: impl FnMut(&mut Self, usize) -> bool) -> Result<f64, Error> {
        let overhead = (0..20).map(|_| now()).collect::<Vec<_>>();
        let overhead = overhead.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap_or(0);
        let start = now();
        let mut all = true;
        for number in 0..DEPTH {
            all &= each(self, number);
        }
        let ticks = (now() - start).saturating_sub(overhead);
        if !black_box(all) {
            let (code, kernel) = ("crc-32/iscsi".to_string(), "the receive path".to_string());
            return Err(Error::WrongAnswer { code, kernel, bytes: self.bytes });
        }
        Ok(self.clock.cycles(ticks as f64) / DEPTH as f64)
    }

    fn row<W: Work, T>(
        mut self,
        (kernel, about): (String, &'static str),
        rounds: usize,
        work: &W,
        crc: impl Fn(&mut Self) -> T,
        copy: impl Fn(&mut Self),
    ) -> Result<Row, Error> {
        let mut times: [Vec<f64>; 4] = Default::default();
        for _ in 0..rounds + 2 {
            self.prepare();
            times[0].push(self.time(|bench, number| {
                bench.initiator.receive(work, &bench.headers[number], &bench.body) == Ok(true)
            })?);
            self.prepare();
            times[1].push(self.time(|bench, number| {
                let body = black_box(&bench.body[..]);
                bench.initiator.receive(&Protocol, &bench.headers[number], body) == Ok(true)
            })?);
            times[2].push(self.time(|bench, number| {
                let (basic, digest) = bench.headers[number].split_at(BASIC_HEADER);
                let is_right = work.header(basic, [digest[0], digest[1], digest[2], digest[3]]);
                black_box(crc(bench));
                is_right
            })?);
            times[3].push(self.time(|bench, _| {
                copy(bench);
                true
            })?);
        }
        let [whole, protocol, crc, copy] = times.map(|mut times| median(&mut times));
        Ok(Row { kernel, about, bytes: self.bytes, protocol, crc, copy, whole })
    }
}

/// Receives the PDUs of a round, and returns their number; `None` if one is rejected.
fn receive_all(bench: &mut Bench<'_>, work: &impl Work) -> Option<usize> {
    bench.prepare();
    let receive = |header| bench.initiator.receive(work, header, &bench.body) == Ok(true);
    bench.headers.iter().all(receive).then_some(DEPTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn works(test: impl Fn(&dyn Fn(&mut Initiator, &[u8; HEADER], &[u8]) -> Result<bool, Reject>)) {
        let best = kernels().last().unwrap().1.force().unwrap();
        test(&|initiator, header, body| initiator.receive(&Separate(best), header, body));
        test(&|initiator, header, body| initiator.receive(&Fused, header, body));
    }

    /// Returns a change of a header that has a right digest afterwards.
    fn changed(header: &[u8; HEADER], change: impl Fn(&mut [u8; HEADER])) -> [u8; HEADER] {
        let mut header = *header;
        change(&mut header);
        sign(&mut header);
        header
    }

    #[test]
    fn right_bytes_are_delivered() {
        works(|receive| {
            let mut initiator = Initiator::new(200);
            let data: Vec<u8> = (1..=90).map(|at| 255 - at).collect();
            let [first, second] = [initiator.issue(100, 37), initiator.issue(0, 90)];
            // The second command is answered first, in two PDUs, the last one 90 - 37 = 53 bytes
            // long; the first one comes short.
            let one = changed(&data_in(second, 37, 0), |header| header[1] = 0);
            assert_eq!(receive(&mut initiator, &one, &body(&data[..37])), Ok(false));
            let two = changed(&data_in(second, 53, 1), |header| (header[39], header[43]) = (1, 37));
            assert_eq!(receive(&mut initiator, &two, &body(&data[37..])), Ok(true));
            let short =
                changed(&data_in(first, 30, 2), |header| (header[1], header[47]) = (0x83, 7));
            assert_eq!(receive(&mut initiator, &short, &body(&data[..30])), Ok(true));
            assert_eq!(initiator.memory[..90], data);
            assert_eq!(initiator.memory[100..130], data[..30]);
            assert!(
                initiator.memory[90..100].iter().chain(&initiator.memory[130..]).all(|&b| b == 0)
            );
            assert_eq!((initiator.expected_status, initiator.max_command), (3, 66));
            assert_eq!(receive(&mut initiator, &short, &body(&data[..30])), Err(Reject::Tag));
        });
    }

    #[test]
    fn wrong_pdus_are_rejected() {
        works(|receive| {
            let data: Vec<u8> = (0..64).collect();
            let good = data_in(1, 64, 1);
            let right = body(&data);
            let tell = |header: &[u8; HEADER], body: &[u8]| {
                let mut initiator = Initiator::new(64);
                initiator.issue(0, 64);
                receive(&mut initiator, header, body)
            };
            assert_eq!(tell(&good, &right), Ok(true));
            for at in 0..HEADER {
                let mut header = good;
                header[at] ^= 0x10;
                assert_eq!(tell(&header, &right), Err(Reject::HeaderDigest), "byte {at}");
            }
            for at in 0..right.len() {
                let mut body = right.clone();
                body[at] ^= 1;
                assert_eq!(tell(&good, &body), Err(Reject::DataDigest), "byte {at}");
            }
            let cases: [(usize, u8, Reject); 10] = [
                (0, 0x21, Reject::Opcode),
                (4, 1, Reject::Opcode),
                (7, 65, Reject::Length),
                (5, 1, Reject::Length),
                (19, 2, Reject::Tag),
                (39, 1, Reject::DataNumber),
                (27, 2, Reject::StatusNumber),
                (43, 4, Reject::Offset),
                (1, 0x83, Reject::Residual),
                (3, 2, Reject::Status(2)),
            ];
            for (at, value, reject) in cases {
                let header = changed(&good, |header| header[at] = value);
                // A residual count that is not there.
                let header = changed(&header, |header| header[47] = u8::from(at == 1));
                assert_eq!(tell(&header, &right), Err(reject), "byte {at}");
            }
            assert_eq!(tell(&good, &right[1..]), Err(Reject::Length));
            let long = data_in(1, 68, 1);
            assert_eq!(tell(&long, &body(&[0; 68])), Err(Reject::Offset));
        });
    }

    #[test]
    fn every_kernel_is_measured_at_every_size() {
        let clock = Clock::calibrate();
        let costs = measure(2, &clock, &mut |_, _| {}).unwrap();
        assert_eq!(costs.rows.len(), 4 * SIZES.len());
        assert!(costs.rows.iter().all(|row| row.whole > 0.0 && row.protocol > 0.0));
    }
}
