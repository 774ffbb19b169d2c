//! `residue guard check`: whether the guard can run on this host.

use super::CheckArgs;
use crate::output::{Outcome, Output};
use residue_guard::adapter::{self, Host, Nat, Need};
use serde_json::json;

/// Checks the host, and prints what the guard would use.
pub fn run(args: &CheckArgs, output: &mut Output) -> anyhow::Result<()> {
    let host = Host::of(&args.interface)?;
    let needs = adapter::needs(&args.interface);
    let is_met = |need: &Need| need.missing.is_none();
    let replaceable = || needs.iter().filter(|need| need.replaceable);
    let ready =
        needs.iter().all(|need| need.replaceable || is_met(need)) && replaceable().any(is_met);
    if !ready {
        output.found(Outcome::Trouble);
    }
    if args.json {
        output.json(&json!({ "host": host, "needs": needs, "ready": ready }))?;
        return Ok(());
    }
    let mut lines = properties(&host);
    lines.extend(choice(&host));
    for need in &needs {
        lines.push((need.name, need.missing.clone().unwrap_or_else(|| "yes".to_string())));
    }
    for (name, words) in lines {
        output.line(format!("{name:30}{words}"))?;
    }
    let styles = output.styles;
    let (style, words) = if ready {
        (styles.good, "the guard can run here")
    } else {
        (styles.bad, "the guard cannot run here: it needs the queues, and one of nft and iptables")
    };
    output.line(format!("{style}{words}{style:#}"))?;
    Ok(())
}

/// Returns the properties of the host that matter for a guard.
fn properties(host: &Host) -> Vec<(&'static str, String)> {
    let mut lines = vec![
        ("interface", host.interface.clone()),
        ("addresses", listed(host.addresses.iter().map(ToString::to_string))),
        ("default route", yes(host.default_route).to_string()),
        ("CRC instructions", listed(host.crc_instructions.iter().map(ToString::to_string))),
    ];
    for (name, is_on) in [
        ("rx-checksumming", host.rx_checksum),
        ("tx-checksumming", host.tx_checksum),
        ("tcp-segmentation-offload", host.tso),
        ("generic-segmentation-offload", host.gso),
        ("generic-receive-offload", host.gro),
    ] {
        let words = match is_on {
            Some(true) => "on",
            Some(false) => "off",
            None => "unknown",
        };
        lines.push((name, words.to_string()));
    }
    let nat = match host.nat {
        Nat::NoDefaultRoute => "no: no default route, so that peers are near",
        Nat::PublicAddress => "no: public addresses",
        Nat::PrivateAddress => "possible: a private address and a default route",
        Nat::NoAddress => "possible: no address to decide by",
    };
    lines.push(("network address translation", nat.to_string()));
    lines
}

/// Returns the value that `--value auto` requests, and why.
fn choice(host: &Host) -> [(&'static str, String); 2] {
    let offload = host.rx_checksum == Some(true) || host.tx_checksum == Some(true);
    let auto = match host.auto {
        Some(value) => format!("value {value}"),
        None => "nothing, as the CPU has no CRC instructions; --force asks all the same".into(),
    };
    [
        (
            "row of Table 7.1",
            format!(
                "checksum offload {}, NAT {}: value {}",
                yes(offload),
                yes(host.nat.is_possible()),
                host.value
            ),
        ),
        ("`--value auto` asks for", auto),
    ]
}

fn yes(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}

fn listed(words: impl Iterator<Item = String>) -> String {
    match words.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "none".to_string(),
        some => some,
    }
}
