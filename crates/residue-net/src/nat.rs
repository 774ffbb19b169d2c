//! Translation of addresses and ports with their check values, which are updated from the changed
//! bytes, never recomputed. A value that was wrong stays wrong by an equal amount, and damage stays
//! detectable (RFC 1624; for CRCs, linearity).
//!
//! Network headers and the ports of transport headers in them are translated, also in tunnels;
//! addresses in source routes, in packets quoted by ICMP, and in data are not.

use crate::buffer::{Buffer, Finding, Places};
use crate::check::{Check, Piece, Span, Verdict};
use crate::fix;
use crate::pcap::Reader;
use crate::pcap::patch::Edit;
use crate::verify;
use crate::wire::ipv4;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

/// An address with a port, or with any port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The address.
    pub address: IpAddr,
    /// The port; `None` matches any port, and does not change it.
    pub port: Option<u16>,
}

impl FromStr for End {
    type Err = String;

    fn from_str(text: &str) -> Result<End, String> {
        if let Ok(address) = text.parse() {
            return Ok(End { address, port: None });
        }
        match text.parse::<SocketAddr>() {
            Ok(both) => Ok(End { address: both.ip(), port: Some(both.port()) }),
            Err(_) => Err(format!(
                "`{}` is no address, as 192.0.2.1 or 2001:db8::1, and none with a port, as \
                 192.0.2.1:80 or [2001:db8::1]:80",
                text.escape_debug()
            )),
        }
    }
}

/// A translation of an end, as source and as destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The end in the packets.
    pub from: End,
    /// The end to replace it by.
    pub to: End,
}

impl FromStr for Mapping {
    type Err = String;

    fn from_str(text: &str) -> Result<Mapping, String> {
        let (from, to) = text.split_once('=').ok_or_else(|| {
            format!(
                "`{}`: an equals sign is missing, as in 10.0.0.1=192.0.2.1",
                text.escape_debug()
            )
        })?;
        let (from, to): (End, End) = (from.parse()?, to.parse()?);
        if from.address.is_ipv4() != to.address.is_ipv4() {
            return Err(format!("{from} and {to} are of different IP versions"));
        }
        if from.port.is_none() && to.port.is_some() {
            return Err(format!("{to} has a port, and {from} does not say which port becomes it"));
        }
        Ok(Mapping { from, to })
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => SocketAddr::new(self.address, port).fmt(f),
            None => self.address.fmt(f),
        }
    }
}

/// Returns the changes of check values in fragments before the last one of a datagram. Apply them
/// together with those that [`translate`] returns for each packet.
#[must_use]
pub fn across<R: io::Read>(reader: Reader<R>, mappings: &[Mapping]) -> Vec<Edit> {
    let (mut alone, mut across) = (BTreeMap::new(), BTreeMap::new());
    verify::packets(reader, |buffer| {
        let changes =
            || translate(buffer, mappings).into_iter().map(|(at, old, new)| (at, (old, new)));
        match buffer.places {
            Places::Runs(_) => across.extend(changes()),
            // The addresses at the start of a reassembled datagram are those of its packets, which
            // are translated there.
            Places::Contiguous(_) if !buffer.found.fragments.is_empty() => alone.extend(changes()),
            Places::Contiguous(_) => {}
        }
    });
    let rest = across.into_iter().filter(|(at, _)| !alone.contains_key(at));
    let bytes: Vec<_> = rest.map(|(at, (old, new))| (at, old, new)).collect();
    fix::edits(&bytes).collect()
}

/// Changed bytes of a buffer by offset: old and new byte.
type Changes = BTreeMap<u32, (u8, u8)>;

/// Returns the bytes to change in a buffer: offset in the file, old and new byte. The first
/// matching mapping counts for an end.
///
/// Only the first fragment of a datagram shows ports, so mappings with ports do not match
/// fragments.
#[must_use]
pub fn translate(buffer: &Buffer<'_>, mappings: &[Mapping]) -> Vec<(u64, u8, u8)> {
    let mut changes = Changes::new();
    for network in &buffer.found.networks {
        let transport = buffer.found.checks.iter().find(|check| check.addresses == *network);
        let transport = buffer
            .found
            .checks
            .iter()
            .find(|check| check.addresses == *network && check.ports.is_some())
            .or(transport);
        ends(buffer, *network, transport, mappings, &mut changes);
    }
    if changes.is_empty() {
        return Vec::new();
    }
    let findings: Vec<Finding<'_>> = buffer.findings().collect();
    // Inner before outer: an outer value covers the inner ones.
    for finding in findings.iter().rev() {
        update(finding, &mut changes);
    }
    let changed = changes.iter().filter(|(_, (old, new))| old != new);
    changed
        .flat_map(|(&at, &(old, new))| buffer.offsets(at).map(move |offset| (offset, old, new)))
        .collect()
}

/// Translates both ends of a network header, and the ports after it.
fn ends(
    buffer: &Buffer<'_>,
    network: [Span; 2],
    transport: Option<&Check>,
    mappings: &[Mapping],
    changes: &mut Changes,
) {
    let ports = transport.and_then(|check| check.ports);
    let place = transport.and_then(|check| ports_place(check, &buffer.found.pieces));
    for (side, span) in network.into_iter().enumerate() {
        let Some(address) = span.of(buffer.bytes) else { continue };
        let port = ports.map(|ports| ports[side]);
        let fits = |mapping: &&Mapping| {
            octets(mapping.from.address).as_slice() == address
                && mapping.from.port.is_none_or(|wanted| place.is_some() && port == Some(wanted))
        };
        let Some(mapping) = mappings.iter().find(fits) else { continue };
        put(buffer.bytes, span.start, &octets(mapping.to.address), changes);
        if let (Some(port), Some(place)) = (mapping.to.port, place) {
            put(buffer.bytes, place + 2 * side as u32, &port.to_be_bytes(), changes);
        }
    }
}

/// Returns the offset of the ports: the start of the transport header, which follows the
/// pseudo-header.
fn ports_place(check: &Check, pieces: &[Piece]) -> Option<u32> {
    check.ports?;
    match check.cover(pieces).get(usize::from(check.pseudo)) {
        Some(Piece::Bytes(span)) if check.pseudo > 0 => Some(span.start),
        _ => None,
    }
}

fn octets(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    }
}

fn put(bytes: &[u8], start: u32, new: &[u8], changes: &mut Changes) {
    for (at, &new) in (start..).zip(new) {
        if let Some(&old) = bytes.get(at as usize) {
            changes.insert(at, (old, new));
        }
    }
}

/// Updates a check for the changes of covered bytes, and adds the changes of its own field.
fn update(finding: &Finding<'_>, changes: &mut Changes) {
    let check = finding.check;
    // A length in the packet cuts the field, as in an option that its header has no room for: the
    // bytes that are left are no value.
    let bytes_of_field: u32 = check.field.iter().map(|span| span.len()).sum();
    if bytes_of_field != check.rule.width() {
        return;
    }
    let mut pieces = finding.cover();
    let packet = finding.buffer.bytes;
    let is_offloaded = finding.verdict == Verdict::Offloaded;
    match finding.verdict {
        Verdict::Absent | Verdict::Illegal => return,
        // The bytes of a frame check sequence that the frame lacks are data.
        Verdict::LengthConflict if check.pseudo == 0 => return,
        // An IPv4 header whose checksum was left to the network card.
        Verdict::Bad if check.protocol == &ipv4::HEADER && check.stored(packet) == Some(0) => {
            return;
        }
        // Its field holds only the sum of the pseudo-header, not complemented.
        Verdict::Offloaded => pieces = &pieces[..usize::from(check.pseudo).min(pieces.len())],
        _ => {}
    }
    let mut covered = Vec::new();
    let (mut length, mut field) = (0u64, None);
    for piece in pieces {
        if let Piece::Bytes(span) = piece {
            let own = check.field[0].start;
            if (span.start..span.end).contains(&own) {
                field = Some(length + u64::from(own - span.start));
            }
            let inside = changes.range(span.start..span.end.max(span.start));
            let inside = inside.filter(|(at, (old, new))| old != new && !is_own(check, **at));
            covered.extend(
                inside.map(|(at, &(old, new))| (length + u64::from(at - span.start), old, new)),
            );
        }
        length += u64::from(piece.len());
    }
    let Some(stored) = check.stored(packet) else { return };
    if covered.is_empty() {
        return;
    }
    let complement = if is_offloaded { 0xffff } else { 0 };
    let updated = check.rule.update(stored ^ complement, length, field, &covered);
    let Some(updated) = updated else { return };
    let (bytes, count) = check.rule.write(updated ^ complement);
    let mut rest = &bytes[..count];
    for span in check.field {
        let (now, later) = rest.split_at((span.len() as usize).min(rest.len()));
        put(packet, span.start, now, changes);
        rest = later;
    }
}

fn is_own(check: &Check, at: u32) -> bool {
    check.field.iter().any(|span| (span.start..span.end).contains(&at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings() {
        let mapping: Mapping = "10.0.0.1=192.0.2.1".parse().unwrap();
        assert_eq!(mapping.from.to_string(), "10.0.0.1");
        let mapping: Mapping = "[2001:db8::1]:80=[2001:db8::2]:8080".parse().unwrap();
        assert_eq!(mapping.to.to_string(), "[2001:db8::2]:8080");
        for bad in
            ["", "10.0.0.1", "10.0.0.1=", "x=y", "10.0.0.1=2001:db8::1", "10.0.0.1=10.0.0.2:80"]
        {
            assert!(bad.parse::<Mapping>().is_err(), "{bad}");
        }
    }
}
