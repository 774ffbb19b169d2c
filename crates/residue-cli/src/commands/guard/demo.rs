//! `residue guard demo`: a client, a router that damages files, and a server, in network
//! namespaces.
//!
//! The command starts itself again, by `unshare`, in new namespaces for network, mounts and
//! processes; that network is the router's. When the first process of a process namespace ends, the
//! OS ends all others, and removes the namespaces, their rules and the files, which are in memory.
//! The inner command ends when the outer one does, for whatever reason, because the pipe between
//! them is closed. Nothing is left to clean up.

mod case;
mod hosts;

use super::options::{Engine, can_run};
use super::{DemoArgs, DemoCase, DemoEngine};
use crate::output::{Outcome, Output};
use crate::progress::Progress;
use anyhow::{Context as _, bail};
use case::{Case, Row};
use hosts::{Network, command};
use residue_guard::kernel;
use residue_report::number::grouped;
use residue_report::table::{self, Table};
use serde_json::json;
use std::io::Read as _;
use std::process::Stdio;

/// Programs and their Debian packages.
const PROGRAMS: [(&str, &str); 10] = [
    ("unshare", "util-linux"),
    ("nsenter", "util-linux"),
    ("mount", "mount"),
    ("sha256sum", "coreutils"),
    ("ip", "iproute2"),
    ("iptables", "iptables"),
    ("ip6tables", "iptables"),
    ("curl", "curl"),
    ("python3", "python3"),
    ("sh", "dash"),
];

/// Runs the demonstration, in namespaces of its own.
pub fn run(args: &DemoArgs, output: &mut Output) -> anyhow::Result<()> {
    if args.inside { inside(args, output) } else { outside(output) }
}

/// Starts the command again, in namespaces of its own.
fn outside(output: &mut Output) -> anyhow::Result<()> {
    let is_missing = |&(program, _): &(&str, &str)| {
        let found = command("sh", &["-c", "command -v \"$1\"", "sh", program]).output();
        !found.is_ok_and(|output| output.status.success())
    };
    let missing: Vec<String> = PROGRAMS
        .into_iter()
        .filter(is_missing)
        .map(|(program, package)| format!("{program} (Debian package {package})"))
        .collect();
    if !missing.is_empty() {
        bail!("not installed: {}", missing.join(", "));
    }

    let words = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
    let as_root = |user: &[&'static str]| [user, &words].concat();
    let mut why = String::new();
    let mut works = |words: &Vec<&str>| match command("unshare", words).arg("true").output() {
        Ok(ended) if ended.status.success() => true,
        Ok(ended) => {
            why = String::from_utf8_lossy(&ended.stderr).trim().to_string();
            false
        }
        Err(error) => {
            why = error.to_string();
            false
        }
    };
    let words = [as_root(&[]), as_root(&["--user", "--map-root-user"])];
    let Some(words) = words.into_iter().find(&mut works) else {
        bail!("this needs root, or the right to create user namespaces: {why}");
    };

    let own = std::env::current_exe()?;
    let mut again = command("unshare", &words);
    again.arg(own).args(std::env::args_os().skip(1)).arg("--inside").stdin(Stdio::piped());
    let mut child = again.spawn()?;
    // Closing this pipe ends the inner command.
    let held = child.stdin.take();
    let status = child.wait()?;
    drop(held);
    match status.code() {
        Some(0) => {}
        Some(1) => output.found(Outcome::Bad),
        Some(_) => output.found(Outcome::Trouble),
        None => bail!("killed: {status}"),
    }
    Ok(())
}

fn inside(args: &DemoArgs, output: &mut Output) -> anyhow::Result<()> {
    std::thread::spawn(|| {
        let mut input = std::io::stdin();
        while matches!(input.read(&mut [0]), Ok(1)) {}
        // The outer command has ended.
        std::process::exit(130);
    });
    let mut network = Network::new(args.segments).context("cannot create the network")?;
    let (engines, skipped) = engines(args)?;
    if let Some(why) = skipped {
        output.complain(&format!("skipped: the kernel engine: {why}"));
    }
    let cases = case::all(args, &engines);
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by_key(|&at| cases[at].turn());
    let mut rows = Vec::new();
    output.progress = Progress::of_words();
    for (done, at) in order.into_iter().enumerate() {
        let case = cases[at];
        let (group, name) = (group(&case), name(&case));
        output.progress.say(format!("{} of {}: {group}, {name}", done + 1, cases.len()));
        rows.push((at, case.run(&mut network, u64::from(args.one_in), at as u64)));
    }
    rows.sort_by_key(|&(at, _)| at);
    let rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    output.progress.clear();

    let failed = rows.iter().filter(|row| row.failure.is_some()).count();
    if failed > 0 {
        output.found(Outcome::Bad);
    }
    if args.json {
        let sha256 = network.sha256()?;
        output.json(&json!({ "sha256": sha256, "bytes": network.file().len(), "cases": rows }))?;
        return Ok(());
    }
    output.line(table(args, &rows, network.file().len()).text())?;
    let styles = output.styles;
    for row in &rows {
        if let Some(failure) = &row.failure {
            let (group, name) = (group(&row.case), name(&row.case));
            output.line(format!("{0}{group}, {name}: {failure}{0:#}", styles.bad))?;
        }
    }
    let guarded = || rows.iter().filter(|row| row.agreed > Some(0));
    let sum = |of: fn(&Row) -> u64| grouped(guarded().map(of).sum::<u64>());
    output.line(format!(
        "with a guard {} segments were damaged, {} caught, {} wrong bytes delivered",
        sum(|row| row.damaged),
        sum(|row| row.caught.unwrap_or(0)),
        sum(|row| row.wrong.unwrap_or(0))
    ))?;
    Ok(())
}

/// Returns the engines to show, and why the one in the kernel is left out, if so.
fn engines(args: &DemoArgs) -> anyhow::Result<(Vec<DemoEngine>, Option<String>)> {
    let all = [DemoEngine::Queue, DemoEngine::Mixed, DemoEngine::Kernel];
    let is_wanted = |engine: &DemoEngine| args.engines.is_empty() || args.engines.contains(engine);
    let wanted: Vec<DemoEngine> = all.into_iter().filter(is_wanted).collect();
    if wanted == [DemoEngine::Queue] {
        return Ok((wanted, None));
    }
    let needs = kernel::needs();
    if can_run(Engine::Kernel, &needs) {
        return Ok((wanted, None));
    }
    let missing = needs.iter().filter_map(|need| Some((need.name, need.missing.as_ref()?)));
    let why: Vec<String> = missing.map(|(name, why)| format!("{name}: {why}")).collect();
    let why = why.join("; ");
    if !args.engines.is_empty() {
        bail!("the kernel engine cannot run here: {why}");
    }
    Ok((vec![DemoEngine::Queue], Some(why)))
}

fn group(case: &Case) -> &'static str {
    match case.kind {
        DemoCase::Swap => "words swapped",
        DemoCase::Rewrite => "byte changed, checksum valid",
        DemoCase::Strip => "request taken out of SYNs",
        DemoCase::Kill => "process of the server's guard killed",
        DemoCase::Nat => "words swapped, behind NAT",
        DemoCase::Sequence => "sequence number changed, checksum valid, behind NAT",
    }
}

fn name(case: &Case) -> String {
    let engine = case.engine.map_or("", |engine| match engine {
        DemoEngine::Queue => ", queue",
        DemoEngine::Mixed => ", mixed",
        DemoEngine::Kernel => ", kernel",
    });
    match case.value {
        Some(value) => format!("IPv{}, value {value}{engine}", case.version),
        None => format!("IPv{}, plain TCP", case.version),
    }
}

fn table(args: &DemoArgs, rows: &[Row], length: usize) -> Table {
    let mut lines = Vec::new();
    let mut before = None;
    for row in rows {
        if before != Some(row.case.kind) {
            before = Some(row.case.kind);
            lines.push(table::Row::Group(group(&row.case).to_string()));
        }
        let number = |number: Option<u64>| number.map_or("-".to_string(), grouped);
        let milliseconds = |time: Option<f64>| number(time.map(|time| (time * 1e3).round() as u64));
        let [client, server] = row.cpu_time.map(milliseconds);
        let agreed = match row.agreed {
            None => "-".to_string(),
            Some(0) => "regular".to_string(),
            Some(value) => value.to_string(),
        };
        let file = match row.wrong {
            None => "none",
            Some(0) => "right",
            Some(_) => "wrong",
        };
        let values = vec![
            agreed,
            grouped(row.segments),
            grouped(row.damaged),
            number(row.caught),
            number(row.wrong),
            file.to_string(),
            row.seconds.map_or("-".to_string(), |_| format!("{:.0}", row.megabits)),
            if row.cpu_time == [None; 2] { client } else { format!("{client} + {server}") },
        ];
        lines.push(table::Row::Values(name(&row.case), values));
    }
    let heads = ["agreed", "segments", "damaged", "caught", "wrong", "file", "Mbit/s", "CPU ms"];
    Table {
        id: "demo",
        title: format!(
            "A file of {} bytes through a router that damages one in {} segments (measured)",
            grouped(length),
            args.one_in
        ),
        note: "wrong: bytes; CPU ms: processor time of the client's guard and of the server's"
            .to_string(),
        stub: "case",
        heads: heads.map(String::from).to_vec(),
        together: 1,
        rows: lines,
    }
}
