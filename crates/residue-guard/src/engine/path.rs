//! Paths with a smaller MTU. The kernel makes segments that fill the MTU that a router reports, and
//! the guard makes them longer. A lower MTU in the report would not help, because the kernel
//! compares the longer packet with it again. Segments are therefore split in two; the connections
//! opened later have smaller segments from the start.

use super::{Engine, Outcome, growth};
use crate::connection::{Connection, Phase, is_within};
use crate::packet::{Segment, TooBig};
use residue_net::Address;
use std::time::Duration;

/// Largest distance of a reported segment from the next byte to send.
const NEAR: u32 = 1 << 24;
/// Least MTU of a path that the kernel accepts, for IPv4 (`min_pmtu`) and IPv6 (RFC 8200).
const LEAST: [u16; 2] = [552, 1280];
/// The time for which a kernel believes a report (`mtu_expires`).
const BELIEVED: Duration = Duration::from_secs(600);

impl Engine {
    /// Handles a report about a segment of this host. It counts for guarded connections, and only
    /// if the sequence number fits, as the kernel requires.
    pub(super) fn too_big(&mut self, report: &TooBig, now: Duration) -> Outcome {
        let Some(mut connection) = self.table.get(&report.key).copied() else {
            return Outcome::Pass;
        };
        let is_sent = |next| is_within(report.sequence, next, NEAR);
        let by = growth(connection.values());
        let version = usize::from(report.bytes[0] >> 4 == 6);
        if !matches!(connection.phase, Phase::Agreed { .. })
            || !connection.next.is_some_and(is_sent)
            || by == 0
            || report.mtu < LEAST[version]
        {
            return Outcome::Pass;
        }
        connection.path = Some((report.mtu, now));
        self.keep(report.key, connection, now);
        self.paths.insert(report.key.remote.0, (report.mtu, now), 0);
        self.counters.paths += 1;
        Outcome::Pass
    }

    /// Returns a segment in two parts, if it would exceed the path of its connection by growing.
    pub(super) fn parts<'a>(
        &mut self,
        connection: &Connection,
        segment: &Segment<'a>,
        now: Duration,
    ) -> Option<[Segment<'a>; 2]> {
        let (mtu, _) = connection.path.filter(|(_, since)| now <= *since + BELIEVED)?;
        let length = segment.bytes.len() + usize::from(growth(connection.values()));
        let excess = length.checked_sub(mtu.into()).filter(|&excess| excess > 0)?;
        let parts = segment.split(excess)?;
        self.counters.split += 1;
        Some(parts)
    }

    /// Returns the largest segment size to announce to the kernel, before room for the option is
    /// subtracted: the configured one, or that of a path with a smaller MTU.
    pub(super) fn most_data(&self, peer: &Address, now: Duration) -> Option<u16> {
        let of_path = self.paths.get(peer).filter(|(_, since)| now <= *since + BELIEVED);
        let headers = if peer.bytes().len() == 4 { 40 } else { 60 };
        let of_path = of_path.map(|&(mtu, _)| mtu.saturating_sub(headers));
        self.config.mss.into_iter().chain(of_path).min()
    }
}
