//! Interfaces above each other, which the same packets pass: of these, only one can be guarded, as
//! the first program puts something else in place of a received CRC.

use super::device::output_of_ip;
use serde::Deserialize;
use std::io;

/// Kinds of interfaces whose packets pass the one below them unchanged, but for their link header.
const TRANSPARENT: [&str; 5] = ["vlan", "macvlan", "macvtap", "ipvlan", "ipvtap"];

/// An interface as `ip -json` shows it.
#[derive(Debug, Deserialize)]
struct Link {
    ifname: String,
    /// The one below it, or the other end of a veth.
    link: Option<String>,
    /// The bridge or bond to which it belongs.
    master: Option<String>,
    linkinfo: Option<Info>,
}

#[derive(Debug, Deserialize)]
struct Info {
    info_kind: Option<String>,
}

/// Returns an error if packets of one of these interfaces pass another one, too.
pub(super) fn must_be_apart<'a>(names: impl Iterator<Item = &'a str>) -> io::Result<()> {
    let names: Vec<&str> = names.collect();
    match stacked(&links()?, &names) {
        None => Ok(()),
        Some((upper, lower)) => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("packets of {upper} also pass {lower}; guard one of them only"),
        )),
    }
}

/// Returns whether no interface is above this one, which would get its packets, too.
pub(super) fn is_top(name: &str) -> io::Result<bool> {
    let links = links()?;
    let is_below = links.iter().any(|link| below(&links, &link.ifname).any(|lower| lower == name));
    Ok(!links.is_empty() && !is_below)
}

/// Returns the interfaces of this network namespace; none if an old `ip` prints something else.
fn links() -> io::Result<Vec<Link>> {
    let links = output_of_ip(&["-details", "-json", "link"])?;
    Ok(serde_json::from_slice(&links).unwrap_or_default())
}

/// Returns a pair of these interfaces of which one is above the other.
fn stacked<'a>(links: &'a [Link], names: &[&str]) -> Option<(&'a str, &'a str)> {
    let is_one = |name: &&str| names.contains(name);
    let uppers = links.iter().map(|link| link.ifname.as_str()).filter(is_one);
    for upper in uppers {
        let (mut seen, mut at) = (vec![upper], 0);
        while at < seen.len() {
            for lower in below(links, seen[at]) {
                if is_one(&lower) {
                    return Some((upper, lower));
                }
                // Interfaces of other network namespaces may have the same name.
                if !seen.contains(&lower) {
                    seen.push(lower);
                }
            }
            at += 1;
        }
    }
    None
}

/// Returns the interfaces directly below one.
fn below<'a>(links: &'a [Link], name: &str) -> impl Iterator<Item = &'a str> {
    links.iter().filter_map(move |each| {
        let kind = each.linkinfo.as_ref().and_then(|info| info.info_kind.as_deref());
        if each.master.as_deref() == Some(name) {
            return Some(each.ifname.as_str());
        }
        let is_above = each.ifname == name && kind.is_some_and(|kind| TRANSPARENT.contains(&kind));
        each.link.as_deref().filter(|_| is_above)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interfaces_that_share_packets() {
        let links = r#"[
            {"ifname": "lo"},
            {"ifname": "eth0", "master": "bond0", "flags": ["UP"]},
            {"ifname": "bond0", "linkinfo": {"info_kind": "bond"}},
            {"ifname": "vlan5", "link": "bond0", "linkinfo": {"info_kind": "vlan"}},
            {"ifname": "va", "link": "vb", "linkinfo": {"info_kind": "veth"}},
            {"ifname": "vb", "link": "va", "linkinfo": {"info_kind": "veth"}},
            {"ifname": "vx", "link": "eth0", "linkinfo": {"info_kind": "vxlan"}}
        ]"#;
        let links: Vec<Link> = serde_json::from_str(links).unwrap();
        for (names, expected) in [
            (["eth0", "bond0"], Some(("bond0", "eth0"))),
            (["eth0", "vlan5"], Some(("vlan5", "eth0"))),
            (["vlan5", "bond0"], Some(("vlan5", "bond0"))),
            (["va", "vb"], None),
            (["vx", "eth0"], None),
            (["lo", "eth0"], None),
        ] {
            assert_eq!(stacked(&links, &names), expected, "{names:?}");
        }
    }
}
