//! `residue guard demo`: a client, a router that damages files, and a server, in network
//! namespaces (`residue_guard_lab::demo`).

use super::arguments::DemoArgs;
use super::options::{Engine, can_run};
use crate::output::{Outcome, Output};
use crate::progress::Progress;
use anyhow::{Context as _, bail};
use residue_guard::kernel;
use residue_guard_lab::demo::{self, Case, Engines, Kind, Network, Row};
use residue_report::number::grouped;
use residue_report::table::{self, Table};
use serde_json::json;

/// Runs the demonstration, in namespaces of its own.
pub fn run(args: &DemoArgs, output: &mut Output) -> anyhow::Result<()> {
    if args.inside {
        return inside(args, output);
    }
    let status = demo::again()?;
    match status.code() {
        Some(0) => {}
        Some(1) => output.found(Outcome::Bad),
        Some(_) => output.found(Outcome::Trouble),
        None => bail!("killed: {status}"),
    }
    Ok(())
}

fn inside(args: &DemoArgs, output: &mut Output) -> anyhow::Result<()> {
    demo::end_with_outer();
    let mut network = Network::new(args.segments).context("cannot create the network")?;
    let (engines, skipped) = engines(args)?;
    if let Some(why) = skipped {
        output.complain(&format!("skipped: the kernel engine: {why}"));
    }
    let cases = demo::cases(&args.cases, &engines, &args.values, &args.versions);
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
    if args.format.json {
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
    for row in rows.iter().filter(|row| row.undetectable > 0) {
        let (group, name, count) = (group(&row.case), name(&row.case), row.undetectable);
        output.line(format!("{group}, {name}: {count} damaged segments are right by the value"))?;
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
fn engines(args: &DemoArgs) -> anyhow::Result<(Vec<Engines>, Option<String>)> {
    let is_wanted = |engine: &Engines| args.engines.is_empty() || args.engines.contains(engine);
    let wanted: Vec<Engines> = Engines::ALL.into_iter().filter(is_wanted).collect();
    if wanted == [Engines::Queue] {
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
    Ok((vec![Engines::Queue], Some(why)))
}

fn group(case: &Case) -> &'static str {
    match case.kind {
        Kind::Swap => "words swapped",
        Kind::Rewrite => "byte changed, checksum valid",
        Kind::Strip => "request taken out of SYNs",
        Kind::Kill => "process of the server's guard killed",
        Kind::Nat => "words swapped, behind NAT",
        Kind::Sequence => "sequence number changed, checksum valid, behind NAT",
    }
}

fn name(case: &Case) -> String {
    let engine = case.engine.map_or("", |engine| match engine {
        Engines::Queue => ", queue",
        Engines::Mixed => ", mixed",
        Engines::Kernel => ", kernel",
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
