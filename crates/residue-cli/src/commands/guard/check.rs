//! `residue guard check`.

use super::CheckArgs;
use crate::Outcome;
use crate::output::Output;
use residue_guard::adapter::{self, Host, Nat, Need};
use serde_json::json;

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

    let mut lines = vec![
        ("interface", host.interface.clone()),
        ("addresses", listed(host.addresses.iter().map(ToString::to_string))),
        ("default route", if host.default_route { "yes" } else { "no" }.to_string()),
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
        Nat::NoAddress => "possible: no address that would tell",
    };
    lines.push(("network address translation", nat.to_string()));
    let offload = host.rx_checksum == Some(true) || host.tx_checksum == Some(true);
    let yes = |is: bool| if is { "yes" } else { "no" };
    lines.push((
        "row of Table 7.1",
        format!(
            "checksum offload {}, NAT {}: value {}",
            yes(offload),
            yes(host.nat.is_possible()),
            host.value
        ),
    ));
    let auto = match host.auto {
        Some(value) => format!("value {value}"),
        None => {
            "nothing, as the CPU has no CRC instructions; --force asks all the same".to_string()
        }
    };
    lines.push(("`--value auto` asks for", auto));
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

fn listed(words: impl Iterator<Item = String>) -> String {
    match words.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "none".to_string(),
        some => some,
    }
}
