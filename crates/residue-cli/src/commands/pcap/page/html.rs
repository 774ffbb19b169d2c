//! The page as HTML.

use super::parts::{Captured, Page, Part};
use crate::commands::pcap::report::{self, Ranked, Section, count};
use residue_net::diagnose::CauseKind;
use residue_net::summary::{Counts, Summary};
use residue_report::number::grouped;
use residue_report::page::{head, section};
use residue_report::text::{capitalised, escaped, marked_up};
use residue_report::{Figure, Row, Table};
use std::fmt::Write as _;

/// Returns the whole page. `left_out` captures with such values have no section.
pub fn page(
    page: &Page,
    figures: &[Option<Figure>],
    flips: &[Vec<Figure>],
    left_out: usize,
) -> String {
    let subject = match page.captures.as_slice() {
        [capture] => capture.name.clone(),
        captures => count(captures.len() as u64, "capture"),
    };
    let mut out = head("Check values", &subject);
    let _ = write!(out, "<header>\n<h1>Check values: {}</h1>\n", escaped(&subject));
    about(&mut out, page);
    out.push_str("</header>\n<main>\n");
    if page.captures.len() > 1 {
        section(&mut out, "captures", "Captures", |out| {
            table(out, &captures(&page.captures));
            if left_out > 0 {
                let rest = count(left_out as u64, "more capture");
                let _ =
                    writeln!(out, "<p class=\"note\">{rest} with such values have no section.</p>");
            }
        });
    }
    for (number, (part, figure)) in page.parts.iter().zip(figures).enumerate() {
        let figures: Vec<&Figure> = figure.iter().chain(&flips[number]).collect();
        part_of(&mut out, part, &figures, number, page.captures.len() > 1);
    }
    for captured in &page.captures {
        if let Some(error) = &captured.error {
            let (name, error) = (escaped(&captured.name), escaped(error));
            let _ = writeln!(out, "<p class=\"warning\">{name}: {error}</p>");
        }
    }
    let _ = write!(
        out,
        "</main>\n<footer><p>Written by residue {} (<code>residue pcap verify --report</code>). \
         The data: <a href=\"counts.csv\">counts.csv</a>, <a href=\"wrong.csv\">wrong.csv</a>, \
         <a href=\"timeline.csv\">timeline.csv</a>, \
         <a href=\"captures.jsonl\">captures.jsonl</a>.</p></footer>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    out
}

/// Appends the selection of packets.
fn about(out: &mut String, page: &Page) {
    let about = &page.about;
    let time = |name: &str, moment| format!("{name} {}", escaped(&super::timeline::shown(moment)));
    let parts = [
        about.filter.as_ref().map(|it| format!("filter <code>{}</code>", escaped(it))),
        about.from.map(|from| time("from", from)),
        about.to.map(|to| time("before", to)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if !parts.is_empty() {
        let _ = writeln!(out, "<p class=\"faint\">Selected packets: {}</p>", parts.join(", "));
    }
}

fn captures(captures: &[Captured]) -> Table {
    let row = |captured: &Captured| {
        let numbers = captured.total.columns().map(|(_, number)| number);
        let numbers = [captured.packets].into_iter().chain(numbers);
        Row::Values(captured.name.clone(), numbers.map(dash).collect())
    };
    let names = captures.first().map(|captured| captured.total.columns().map(|(name, _)| name));
    let names = names.into_iter().flatten().map(str::to_string);
    Table {
        id: "captures",
        title: "Numbers of check values".into(),
        note: String::new(),
        stub: "capture",
        heads: ["packets".to_string()].into_iter().chain(names).collect(),
        together: 1,
        rows: captures.iter().map(row).collect(),
    }
}

/// Appends the section of a capture.
fn part_of(out: &mut String, part: &Part, figures: &[&Figure], number: usize, several: bool) {
    let id = format!("capture-{}", number + 1);
    let name = if several { escaped(&part.name) } else { "Result".into() };
    section(out, &id, &name, |out| {
        let (title, conclusion) = (escaped(&part.title), escaped(&capitalised(&part.conclusion)));
        let _ = write!(
            out,
            "<div class=\"verdict\">\n<p><strong>{conclusion}</strong></p>\n<p \
             class=\"faint\">{title}</p>\n</div>\n"
        );
        for figure in figures {
            let title = escaped(&figure.title);
            let _ = write!(
                out,
                "<figure>\n<h3 class=\"unseen\">{title}</h3>\n<div class=\"plate\">{}</div>\n\
                 </figure>\n",
                figure.svg.trim()
            );
        }
        part.tables.iter().for_each(|it| table(out, it));
        examples(out, part);
        wrong(out, part);
    });
}

/// Appends the wrong values.
fn wrong(out: &mut String, part: &Part) {
    if part.first.is_empty() {
        return;
    }
    let mut rows = part.first.clone();
    let more = part.wrong - rows.len() as u64;
    if more > 0 {
        let listed = part.rows.len() as u64;
        let all = if listed < part.wrong { "the first of them" } else { "all" };
        rows.push(Row::Group(format!("and {} more; wrong.csv has {all}", grouped(more))));
    }
    let heads = ["value of", "stored", "should be", "cause"];
    table(
        out,
        &Table {
            id: "wrong",
            title: "Wrong values".into(),
            note: String::new(),
            stub: "packet",
            heads: heads.map(str::to_string).to_vec(),
            together: 1,
            rows,
        },
    );
}

/// Appends an example of each cause.
fn examples(out: &mut String, part: &Part) {
    let ranked = part.ranked();
    if ranked.is_empty() {
        return;
    }
    out.push_str("<h2>An example of each cause</h2>\n");
    out.push_str(
        "<p class=\"key\">Marked: the <span class=\"field\">field</span>, and the <span \
         class=\"covered\">covered bytes</span>.</p>\n",
    );
    for (name, kind) in ranked {
        let values = format!("{} {}", grouped(kind.count), plural(kind.count));
        let _ = writeln!(out, "<h3>{}: {values}</h3>", escaped(&capitalised(name)));
        if let Some(meaning) = meaning(name) {
            let _ = writeln!(out, "<p>{}</p>", marked_up(meaning));
        }
        let _ = writeln!(out, "<p><strong>Next.</strong> {}</p>", marked_up(next(name)));
        out.push_str("<dl>\n");
        for (name, value) in &kind.example.facts {
            let _ = writeln!(out, "<dt>{name}</dt><dd>{}</dd>", escaped(value));
        }
        let _ = write!(out, "</dl>\n<pre class=\"hex\">{}</pre>\n", kind.example.hex);
    }
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "value" } else { "values" }
}

/// Returns the meaning of a cause or verdict, and what to do about it.
fn meaning(name: &str) -> Option<&'static str> {
    if let Ok(cause) = name.parse::<CauseKind>() {
        return Some(cause.meaning());
    }
    Some(match name {
        "illegal" => "The sender left the value out, but the protocol requires it.",
        "length conflict" => {
            "Length fields contradict each other: damage, or an error of the sender."
        }
        _ => return None,
    })
}

/// Returns what to do about a cause or verdict.
fn next(name: &str) -> &'static str {
    match (name.parse::<CauseKind>(), name) {
        (Ok(cause), _) => cause.next(),
        (_, "illegal") => "Show a packet to the authors of the sender.",
        _ => {
            "Capture at a second point, and compare (`residue pcap compare`): if both sides have \
             the same lengths, the error is that of the sender."
        }
    }
}

/// Returns the tables of a capture.
pub fn tables(summary: &Summary, total: &Counts, ends: Vec<Ranked>, top: usize) -> Vec<Table> {
    let mut tables = Vec::new();
    let totals = total.columns();
    let shown: Vec<usize> =
        (0..totals.len()).filter(|&place| place < 2 || totals[place].1 > 0).collect();
    let protocols = summary.protocols();
    let row = |(protocol, counts): &(&residue_net::check::Protocol, &Counts)| {
        let columns = counts.columns();
        Row::Values(protocol.title.into(), shown.iter().map(|&at| dash(columns[at].1)).collect())
    };
    if !protocols.is_empty() {
        tables.push(Table {
            id: "protocols",
            title: "Numbers of check values".into(),
            note: String::new(),
            stub: "protocol",
            heads: shown.iter().map(|&at| totals[at].0.to_string()).collect(),
            together: 1,
            rows: protocols.values().map(row).collect(),
        });
    }
    tables.extend(report::sections(summary, total, ends, top).iter().filter_map(ranking));
    tables
}

/// Returns a ranking as a table; columns of zeros are left out.
fn ranking(section: &Section) -> Option<Table> {
    let Section { names, rows, top } = section;
    let (stub, numbers) = names.split_last()?;
    let shown: Vec<usize> =
        (0..numbers.len()).filter(|&at| rows.iter().any(|row| row.0[at] > 0)).collect();
    let cells = |row: &Ranked| shown.iter().map(|&at| dash(row.0[at])).collect();
    let mut lines: Vec<Row> =
        rows.iter().take(*top).map(|row| Row::Values(row.1.clone(), cells(row))).collect();
    if rows.len() > *top {
        lines.push(Row::Group(format!("and {} more", grouped(rows.len() - top))));
    }
    let title = match *stub {
        "not followed" => "Packets that were not followed to their end",
        "unverifiable" => "Values that cannot be judged",
        "cause" => "Causes of values that are not right",
        "rewritten" => "Pairs of addresses of which one was changed",
        "sender" => "Senders of values that are not right",
        "flow" => "Flows of values that are not right",
        other => other,
    };
    Some(Table {
        id: "ranking",
        title: title.into(),
        note: String::new(),
        stub,
        heads: shown.iter().map(|&at| numbers[at].to_string()).collect(),
        together: 1,
        rows: lines,
    })
}

/// Appends a table.
pub fn table(out: &mut String, table: &Table) {
    let _ = write!(out, "<div class=\"scroll\">\n{}</div>\n", table.html());
}

/// Returns a number for a table.
pub fn dash(number: u64) -> String {
    if number == 0 { "-".into() } else { grouped(number) }
}
