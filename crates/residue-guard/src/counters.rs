//! Counters of the guard.

use crate::negotiate::GREATEST;
use crate::value::Judged;
use serde::{Deserialize, Serialize};

/// Numbers of received segments with one value, by the results of their checks. Values 1 to 3 have
/// one check, which counts as both good or both bad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Received {
    /// The Internet checksum and the CRC are right. Only these segments are delivered.
    pub both_good: u64,
    /// Only the Internet checksum is wrong.
    pub only_tcp_bad: u64,
    /// Only the CRC is wrong: TCP would have delivered wrong bytes. The share of these segments is
    /// the rate of TCP's undetected errors on this path.
    pub only_crc_bad: u64,
    /// Both are wrong, or the only check is.
    pub both_bad: u64,
    /// The option was missing, or had another length.
    pub missing: u64,
    /// Any of these errors outside of the receive window: late duplicates, segments with a damaged
    /// header, or forged ones.
    #[serde(default)]
    pub outside: u64,
}

/// Counts since the start; never reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Received segments, by the value of the connection (index 1 to 7).
    pub received: [Received; GREATEST as usize + 1],
    /// Segments sent with a check value, by value.
    pub sent: [u64; GREATEST as usize + 1],
    /// Agreed connections, by value; index 0: connections that turned out regular although this
    /// host sent a request.
    pub agreed: [u64; GREATEST as usize + 1],
    /// Connections resumed after a restart by a segment with a right check value that fits the
    /// kernel's sequence numbers.
    pub adopted: u64,
    /// Segments of unknown connections whose option 15 is right for no value: dropped.
    pub orphans: u64,
    /// Destinations for which a value failed, so that a weaker one is requested. **Each is a
    /// connection that hung.**
    pub failed_destinations: u64,
    /// SYNs and SYN-ACKs repeated with and without the option, as those with it got no answer.
    pub silent: u64,
    /// Segments without room for the option.
    pub no_room: u64,
    /// Blocks of selective acknowledgments cut to make room.
    pub sack_blocks_cut: u64,
    /// SYNs from which TCP Fast Open or data was removed.
    pub fast_open_removed: u64,
    /// SYNs and SYN-ACKs with a wrong Internet checksum: dropped.
    pub bad_syns: u64,
    /// SYNs of known connections, which may be late or forged. They have no effect unless this host
    /// answers.
    pub doubtful_syns: u64,
    /// First fragments of guarded connections: dropped.
    pub fragments: u64,
    /// Packets dropped because protection is required but unavailable.
    pub refused: u64,
    /// Connections removed because the table was full.
    pub evicted: u64,
    /// Connections removed because they were idle.
    pub expired: u64,
    /// Packets passed unchanged.
    pub passed: u64,
    /// Segments of unknown connections with a right check value, which may be forged. They have no
    /// effect unless the sequence numbers of this host's kernel fit.
    #[serde(default)]
    pub claims: u64,
    /// Connections of a previous guard whose state was restored.
    #[serde(default)]
    pub restored: u64,
    /// Reports of a path with a smaller MTU (ICMP) for guarded connections.
    #[serde(default)]
    pub paths: u64,
    /// Segments split in two to fit the path.
    #[serde(default)]
    pub split: u64,
}

impl Received {
    /// Counts a segment; `expected`: it lies in the receive window.
    pub(crate) fn count(&mut self, judged: Judged, expected: bool) {
        *match judged {
            Judged::Good => &mut self.both_good,
            _ if !expected => &mut self.outside,
            Judged::OnlyTcpBad => &mut self.only_tcp_bad,
            Judged::OnlyCrcBad => &mut self.only_crc_bad,
            Judged::BothBad => &mut self.both_bad,
            Judged::Missing => &mut self.missing,
        } += 1;
    }

    /// Returns the number of dropped segments.
    #[must_use]
    pub fn bad(&self) -> u64 {
        self.only_tcp_bad + self.only_crc_bad + self.both_bad + self.missing + self.outside
    }
}
