//! What the guard has seen and done.

use crate::negotiate::GREATEST;
use crate::value::Judged;
use serde::{Deserialize, Serialize};

/// The segments received with one value, by their checks. Values 1 to 3 have one check: right, it
/// counts as both good, wrong as both bad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Received {
    /// The Internet checksum and the CRC are right. These alone are delivered.
    pub both_good: u64,
    /// The Internet checksum alone is wrong.
    pub only_tcp_bad: u64,
    /// The CRC alone is wrong: TCP would have delivered wrong bytes. Its share of all segments is
    /// the rate of TCP's undetected errors on this path.
    pub only_crc_bad: u64,
    /// Both are wrong, or the only one.
    pub both_bad: u64,
    /// The option was not there, or had another length.
    pub missing: u64,
}

/// Counts since the start. They are never reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Received segments, by the connection's value (index 1 to 6).
    pub received: [Received; GREATEST as usize + 1],
    /// Segments sent with a check value, by it.
    pub sent: [u64; GREATEST as usize + 1],
    /// Connections that were agreed upon, by value; 0: connections that turned out regular though
    /// this host asked.
    pub agreed: [u64; GREATEST as usize + 1],
    /// Connections taken up again by a segment with a right check value, after a restart.
    pub adopted: u64,
    /// Segments of no known connection whose option 15 is right by no value: dropped.
    pub orphans: u64,
    /// Destinations for which a value has failed, so that less is asked for. **Each is a connection
    /// that hung.**
    pub failed_destinations: u64,
    /// SYNs and SYN-ACKs sent again without the option, as nobody answered those with it.
    pub silent: u64,
    /// Segments that other options left no room in.
    pub no_room: u64,
    /// Blocks of selective acknowledgments cut to make room.
    pub sack_blocks_cut: u64,
    /// SYNs from which TCP Fast Open was taken, or data.
    pub fast_open_removed: u64,
    /// SYNs and SYN-ACKs with a wrong Internet checksum: dropped.
    pub bad_syns: u64,
    /// SYNs of known connections, which may be late or forged. They change nothing unless this host
    /// answers.
    pub doubtful_syns: u64,
    /// First fragments of guarded connections: dropped.
    pub fragments: u64,
    /// Packets refused because protection is required and was not to be had.
    pub refused: u64,
    /// Connections given up because the table was full.
    pub evicted: u64,
    /// Connections forgotten because nothing happened.
    pub expired: u64,
    /// Packets handed on as they were.
    pub passed: u64,
}

impl Received {
    pub(crate) fn count(&mut self, judged: Judged) {
        *match judged {
            Judged::Good => &mut self.both_good,
            Judged::OnlyTcpBad => &mut self.only_tcp_bad,
            Judged::OnlyCrcBad => &mut self.only_crc_bad,
            Judged::BothBad => &mut self.both_bad,
            Judged::Missing => &mut self.missing,
        } += 1;
    }

    /// Segments dropped.
    #[must_use]
    pub fn bad(&self) -> u64 {
        self.only_tcp_bad + self.only_crc_bad + self.both_bad + self.missing
    }
}
