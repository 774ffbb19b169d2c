//! `residue guard check`: whether the guard can run on this host.

use super::arguments::CheckArgs;
use super::options::{Engine, can_run};
use crate::output::{Outcome, Output};
use residue_guard::host::{Host, Nat};
use residue_guard::{kernel, queue};
use serde_json::json;

/// Checks the host, and prints what the guard would use.
pub fn run(args: &CheckArgs, output: &mut Output) -> anyhow::Result<()> {
    let host = Host::of(&args.interface)?;
    let kernel = kernel::needs();
    let queue = queue::needs(&args.interface);
    let engine = if can_run(Engine::Kernel, &kernel) {
        Some(Engine::Kernel)
    } else {
        can_run(Engine::Queue, &queue).then_some(Engine::Queue)
    };
    if engine.is_none() {
        output.found(Outcome::Trouble);
    }
    let value = host.auto.map(|value| match engine {
        Some(Engine::Kernel) => kernel::instead_of(value),
        _ => value,
    });
    if args.format.json {
        output.json(&json!({
            "host": host,
            "engine": engine,
            "value": value,
            "kernel": kernel,
            "queue": queue,
            "ready": engine.is_some(),
        }))?;
        return Ok(());
    }
    let mut lines = properties(&host);
    lines.extend(choice(&host, value));
    for (name, words) in lines {
        output.line(format!("{name:38}{words}"))?;
    }
    for (title, needs) in [("kernel engine", &kernel), ("queue engine", &queue)] {
        output.line(title)?;
        for need in needs {
            let words = need.missing.as_deref().unwrap_or("yes");
            output.line(format!("  {:36}{words}", need.name))?;
        }
    }
    let styles = output.styles;
    let (style, words) = match engine {
        Some(Engine::Kernel) => {
            (styles.good, "the guard can run here, inside the kernel: `residue guard on`")
        }
        Some(Engine::Queue) => {
            (styles.good, "the guard can run here, by the queue engine alone: `residue guard run`")
        }
        None => (styles.bad, "the guard cannot run here: each engine lacks something"),
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
        ("threads that receive", host.receive_threads),
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
fn choice(host: &Host, value: Option<u8>) -> [(&'static str, String); 2] {
    let offload = host.rx_checksum == Some(true) || host.tx_checksum == Some(true);
    let auto = match value {
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
