//! Paths with a smaller MTU. The kernel makes segments that fill the MTU that a router reports, and
//! the guard makes them longer. It therefore lowers the reported MTU by that length. Where the
//! kernel accepts none as low (IPv6: 1280), segments are cut, and TCP retransmits the rest.

use super::{Engine, Outcome, growth};
use crate::connection::{Connection, Phase, is_within};
use crate::packet::{Segment, TooBig};
use residue_net::Address;
use std::time::Duration;

/// Largest distance of a reported segment from the next byte to send.
const NEAR: u32 = 1 << 24;
/// Least MTU of IPv4 (RFC 791) and IPv6 (RFC 8200) with the option.
const LEAST: [u16; 2] = [68 + 8, 1280];
/// The time for which a kernel believes a report (`mtu_expires`).
const BELIEVED: Duration = Duration::from_secs(600);

impl Engine {
    /// Handles a report about a segment of this host. Only those of guarded connections change, and
    /// only if the sequence number fits, as the kernel requires.
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
        self.counters.mtu_lowered += 1;
        report.rewrite(report.mtu - by, &mut self.buffer);
        Outcome::Replace
    }

    /// Returns the segment, cut if it would exceed the path of its connection by growing.
    pub(super) fn fitting<'a>(
        &mut self,
        connection: &Connection,
        segment: &Segment<'a>,
        now: Duration,
    ) -> Segment<'a> {
        let Some((mtu, since)) = connection.path else { return *segment };
        let length = segment.bytes.len() + usize::from(growth(connection.values()));
        let excess = length.saturating_sub(mtu.into());
        if excess == 0 || now > since + BELIEVED {
            return *segment;
        }
        match segment.shortened(excess) {
            Some(shorter) => {
                self.counters.shortened += 1;
                shorter
            }
            None => *segment,
        }
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
