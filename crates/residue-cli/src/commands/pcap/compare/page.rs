//! `residue pcap compare --report`: a page with the course of losses and delays, where bytes were
//! altered, and the groups.

use super::arguments::CompareArgs;
use super::filter::frames;
use super::json;
use super::text::{self, numbers};
use crate::commands::pcap::page::{dash, table};
use crate::commands::pcap::report::count;
use crate::output::Styles;
use residue_net::compare::{
    Altered, Flow, Group, INTERVALS, Report, Toward, Traffic, groups as grouped_by_pattern,
};
use residue_report::chart::bars::{self, Bars, Kind};
use residue_report::csv::Sheet;
use residue_report::files::write_report;
use residue_report::number::{grouped, significant};
use residue_report::page::{figure, head, section};
use residue_report::text::{capitalised, escaped};
use residue_report::{Figure, Row, Table};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// Largest number of rows of the table of flows, and of groups; the files have all.
const MOST_ROWS: usize = 50;

const TOWARD: [Toward; 2] = [Toward::After, Toward::Before];

/// Writes the page, its figures and its data into a folder.
pub fn write(args: &CompareArgs, report: &Report, folder: &Path) -> io::Result<Vec<PathBuf>> {
    let names = args.names().map(Styles::plain);
    let packets = course(report, &[("lost", |it| it.lost), ("altered", |it| it.altered)]);
    let most = |it: &Traffic| it.above.quantile(0.99).unwrap_or(0) as u64 / 1000;
    let times = course(report, &[("99 % of packets", most)]);
    let figures = [
        over_time(report, &names, ["losses", "Lost and altered packets", "packets"], packets),
        over_time(report, &names, ["delays", "Time above the smallest one", "microseconds"], times),
        places(report),
    ];
    let figures: Vec<Figure> = figures.into_iter().flatten().collect();
    let groups = grouped_by_pattern(&report.altered);
    let lines = json::conclusion(&CompareArgs { flows: true, ..args.clone() }, report, &groups);
    let data = [
        ("flows.csv", flows(report, &names)),
        ("comparison.jsonl", lines.iter().map(|line| format!("{line}\n")).collect()),
    ];
    write_report(folder, &figures, &data, &page(args, report, &groups, &figures))
}

/// A number of some traffic.
type Number = fn(&Traffic) -> u64;

/// Returns numbers over the time, in both directions.
fn course(report: &Report, numbers: &[(&str, Number)]) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for (intervals, way) in report.survey.intervals.iter().zip(["A to B", "B to A"]) {
        kinds.extend(numbers.iter().map(|(name, number)| Kind {
            name: format!("{name}, {way}"),
            counts: intervals.iter().map(number).collect(),
        }));
    }
    kinds.retain(|kind| kind.counts.iter().any(|&count| count > 0));
    kinds
}

/// Draws numbers over the time; `None` without any.
fn over_time(
    report: &Report,
    names: &[String; 2],
    [id, title, unit]: [&str; 3],
    kinds: Vec<Kind>,
) -> Option<Figure> {
    let [start, end] = report.survey.span.filter(|_| !kinds.is_empty())?;
    let seconds = (end - start) as f64 / 1e9;
    let about = [
        format!("A: {}, B: {}", names[0], names[1]),
        format!("Each bar is an interval of {} s.", significant(seconds / INTERVALS as f64, 2)),
    ];
    let bars = Bars {
        title: title.into(),
        about,
        kinds,
        unit: unit.into(),
        totals: unit == "packets",
        axis: "seconds after the first packet".into(),
        range: [0.0, seconds],
    };
    Some(Figure {
        id: id.into(),
        title: title.into(),
        caption: String::new(),
        svg: bars::svg(&bars),
    })
}

/// Draws where one bit was altered, perhaps in several bytes: the place of the first one.
fn places(report: &Report) -> Option<Figure> {
    let mut kinds: Vec<Kind> =
        (0..8).map(|bit| Kind { name: format!("bit {bit}"), counts: vec![0; 64] }).collect();
    let mut others = 0_u64;
    for it in &report.altered {
        match it.bit {
            Some((bit, _)) => {
                kinds[usize::from(bit)].counts[it.damage.offset as usize % 64] += 1;
            }
            None => others += 1,
        }
    }
    kinds.retain(|kind| kind.counts.iter().any(|&count| count > 0));
    if kinds.is_empty() {
        return None;
    }
    let title = "Where one bit was altered".to_string();
    let about = [
        "A bit that is stuck, in memory or on a bus, is one high bar of one kind among low ones."
            .into(),
        format!("Altered in several bits, and not shown: {}", count(others, "packet")),
    ];
    let bars = Bars {
        title: title.clone(),
        about,
        kinds,
        unit: "packets".into(),
        totals: true,
        axis: "offset of the first altered byte from the IP header, modulo 64".into(),
        range: [0.0, 64.0],
    };
    Some(Figure { id: "places".into(), title, caption: String::new(), svg: bars::svg(&bars) })
}

/// Returns the flows as CSV.
fn flows(report: &Report, names: &[String; 2]) -> String {
    let mut sheet = Sheet::of_lines(
        "toward,flow,matched,lost,repaired,sent_again,altered,reordered,median_ns,p99_ns",
    );
    for (toward, flow, it) in report.survey.flows() {
        let at = |share| it.above.quantile(share).map_or(String::new(), |time| time.to_string());
        sheet.row(&[
            &names[1 - toward as usize],
            &text::flow(&flow),
            &it.matched,
            &it.lost,
            &it.repaired,
            &it.again,
            &it.altered,
            &it.reordered,
            &at(0.5),
            &at(0.99),
        ]);
    }
    sheet.text()
}

fn page(args: &CompareArgs, report: &Report, groups: &[Group], figures: &[Figure]) -> String {
    let names = args.names().map(Styles::plain);
    let subject = format!("{} and {}", names[0], names[1]);
    let mut out = head("Comparison", &subject);
    let _ =
        write!(out, "<header>\n<h1>Comparison: {}</h1>\n</header>\n<main>\n", escaped(&subject));
    section(&mut out, "result", "Result", |out| {
        let conclusion = text::last(report, groups, Styles::none());
        let conclusion = escaped(&capitalised(&conclusion));
        let _ = writeln!(out, "<div class=\"verdict\">\n<p><strong>{conclusion}</strong></p>");
        for (name, point) in names.iter().zip(&report.points) {
            let line = escaped(&format!("{name}: {}", text::of_point(point)));
            let _ = writeln!(out, "<p class=\"faint\">{line}</p>");
        }
        out.push_str("</div>\n");
        table(out, &directions(report, &names));
        for line in text::rewriting(report, &names).iter().filter(|line| !line.is_empty()) {
            let _ = writeln!(out, "<p>{}</p>", escaped(&capitalised(line)));
        }
        figures.iter().for_each(|it| figure(out, it));
        if let Some(flows) = flow_table(report, &names) {
            table(out, &flows);
        }
    });
    if !groups.is_empty() {
        section(&mut out, "groups", "Altered packets", |out| {
            for (number, group) in groups.iter().take(MOST_ROWS).enumerate() {
                of_group(out, number + 1, group, report, &names);
            }
        });
    }
    let _ = write!(
        out,
        "</main>\n<footer><p>Written by residue {} (<code>residue pcap compare --report</code>). \
         The data: <a href=\"flows.csv\">flows.csv</a>, \
         <a href=\"comparison.jsonl\">comparison.jsonl</a>.</p></footer>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    out
}

/// Returns the table of the packets in each direction.
fn directions(report: &Report, names: &[String; 2]) -> Table {
    let row = |toward: Toward| {
        let it = &report.directions[toward as usize];
        let loss = format!("{:.2} %", 100.0 * report.survey.total(toward).loss());
        let numbers = [it.matched, it.lost].map(dash);
        let others =
            [it.repaired, it.again, it.duplicated, it.reordered, it.extra, it.altered].map(dash);
        let values = numbers.into_iter().chain([loss]).chain(others);
        let values = values.chain([dash(it.unnoticed)]).collect();
        Row::Values(format!("toward {}", names[1 - toward as usize]), values)
    };
    let heads = [
        "matched",
        "lost",
        "of all",
        "repaired",
        "sent again",
        "duplicated",
        "reordered",
        "extra",
        "altered",
        "unnoticed",
    ];
    Table {
        id: "directions",
        title: "Packets".into(),
        note: String::new(),
        stub: "direction",
        heads: heads.map(str::to_string).to_vec(),
        together: 1,
        rows: TOWARD.map(row).to_vec(),
    }
}

/// Returns the table of the flows with the most losses and packets.
fn flow_table(report: &Report, names: &[String; 2]) -> Option<Table> {
    let all = report.survey.flows();
    let row = |(toward, flow, it): &(Toward, Flow, &Traffic)| {
        let at = |share| it.above.quantile(share).map_or("-".into(), text::time);
        let loss = format!("{:.2} %", 100.0 * it.loss());
        let name = format!("{}, toward {}", text::flow(flow), names[1 - *toward as usize]);
        let values = vec![
            dash(it.matched),
            dash(it.lost),
            loss,
            dash(it.repaired),
            dash(it.altered),
            at(0.5),
            at(0.99),
        ];
        Row::Values(name, values)
    };
    let heads = ["matched", "lost", "of all", "repaired", "altered", "median", "99 %"];
    let mut rows: Vec<Row> = all.iter().take(MOST_ROWS).map(row).collect();
    if all.len() > MOST_ROWS {
        rows.push(Row::Group(format!("and {} more, in flows.csv", grouped(all.len() - MOST_ROWS))));
    }
    (!all.is_empty()).then(|| Table {
        id: "flows",
        title: "Flows, those with the most losses first; times are those above the smallest one"
            .into(),
        note: String::new(),
        stub: "flow",
        heads: heads.map(str::to_string).to_vec(),
        together: 1,
        rows,
    })
}

/// Appends a group of altered packets.
fn of_group(out: &mut String, number: usize, group: &Group, report: &Report, names: &[String; 2]) {
    let members: Vec<&Altered> = group.members.iter().map(|&at| &report.altered[at]).collect();
    let packets = count(members.len() as u64, "packet");
    let title = escaped(&text::title(group.kind));
    let _ = writeln!(out, "<h3>Group {number}: {title} ({packets})</h3>\n<dl>");
    let mut fact = |name: &str, value: String| {
        let _ = writeln!(out, "<dt>{name}</dt><dd>{}</dd>", escaped(&value));
    };
    fact("in", text::fields_of(group));
    fact("checksum", text::outcomes(group));
    fact("pattern", text::pattern(group));
    fact("likely", group.culprit());
    fact("next", group.next().into());
    for (point, name) in names.iter().enumerate() {
        fact("filter", format!("{name}: {}", frames(numbers(&members, point))));
    }
    if let Some(first) = members.first() {
        fact("example", text::flow(&first.flow));
    }
    out.push_str("</dl>\n");
    if let Some(first) = members.first() {
        let lines = text::hex(first, Styles::none());
        let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
        let _ = writeln!(out, "<pre class=\"hex\">{}</pre>", lines.join("\n"));
    }
}
