//! An example of a cause: a packet with its bytes, the field and the covered bytes marked.

use crate::commands::pcap::report::{flow_of, flow_text, value};
use residue_net::check::{Piece, Span};
use residue_net::diagnose::Cause;
use residue_net::time::rfc3339;
use residue_net::verify::{Finding, Places};
use residue_report::number::grouped;
use residue_report::text::escaped;

/// Bytes of a row.
const ROW: usize = 16;
/// Numbers of rows shown at the beginning of the packet, and around the field.
const FIRST_ROWS: usize = 12;
const ROWS_AROUND: usize = 3;

/// A check value that is not right.
pub struct Example {
    /// Number of the packet.
    pub packet: u64,
    /// Names and values of what is known.
    pub facts: Vec<(&'static str, String)>,
    /// The bytes, as HTML.
    pub hex: String,
}

impl Example {
    pub fn of(finding: &Finding<'_>, cause: Option<Cause>) -> Example {
        let buffer = finding.buffer;
        let protocol = finding.check.protocol;
        let mut facts = vec![("packet", grouped(buffer.packet))];
        let mut fact = |name, value: Option<String>| facts.extend(value.map(|value| (name, value)));
        fact("time", buffer.time.map(rfc3339));
        fact("link type", Some(buffer.link.to_string()));
        fact("flow", Some(flow_text(&flow_of(finding))));
        fact("check value", Some(format!("{} ({})", protocol.title, protocol.source)));
        fact("stored", value(finding, finding.stored()));
        fact("should be", value(finding, finding.computed()));
        fact("detail", cause.and_then(|cause| cause.detail(buffer.places)));
        let offset = buffer.places.offset(finding.check.field[0].start);
        fact("field", offset.map(|at| format!("byte {} of the capture file", grouped(at))));
        if let Places::Runs(_) = buffer.places {
            let bytes = "source and destination address, then the bytes put together from several \
                         packets";
            fact("bytes below", Some(bytes.into()));
        }
        Example { packet: buffer.packet, facts, hex: hex(finding) }
    }
}

/// The mark of a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    None,
    Covered,
    Field,
}

/// Returns the bytes of a packet in hexadecimal and as text; rows far from the beginning and from
/// the field are left out.
fn hex(finding: &Finding<'_>) -> String {
    let bytes = finding.buffer.bytes;
    let field = finding.check.field;
    let has = |span: Span, at: usize| (span.start as usize..span.end as usize).contains(&at);
    let covers = |at: usize| {
        finding.cover().iter().any(|piece| matches!(piece, Piece::Bytes(span) if has(*span, at)))
    };
    let mark = |at: usize| match () {
        () if field.iter().any(|&span| has(span, at)) => Mark::Field,
        () if covers(at) => Mark::Covered,
        () => Mark::None,
    };
    let at_field = field[0].start as usize / ROW;
    let shown = |row: usize| row < FIRST_ROWS || row.abs_diff(at_field) <= ROWS_AROUND;
    let mut html = String::new();
    let mut left_out = 0;
    for (row, part) in bytes.chunks(ROW).enumerate() {
        if !shown(row) {
            left_out += part.len();
            // Without a look at the bytes: large packets have thousands of rows.
            continue;
        }
        html += &rest(&mut left_out);
        let start = row * ROW;
        let marks: Vec<Mark> = (start..start + part.len()).map(mark).collect();
        html += &format!("<span class=\"at\">{start:06x}</span>  ");
        html += &marked(&marks, " ", |at| format!("{:02x}", part[at]));
        html += &" ".repeat((ROW - part.len()) * 3 + 2);
        html += &marked(&marks, "", |at| match part[at] {
            byte @ 0x20..0x7f => escaped(&char::from(byte).to_string()),
            _ => ".".into(),
        });
        html.push('\n');
    }
    html + &rest(&mut left_out)
}

/// Returns the line that stands for bytes that are not shown.
fn rest(left_out: &mut usize) -> String {
    match std::mem::take(left_out) {
        0 => String::new(),
        1 => "<span class=\"at\">... 1 byte</span>\n".into(),
        count => format!("<span class=\"at\">... {} bytes</span>\n", grouped(count)),
    }
}

/// Returns texts side by side; neighbours with equal marks are marked together.
fn marked(marks: &[Mark], between: &str, text: impl Fn(usize) -> String) -> String {
    let mut html = String::new();
    let mut at = 0;
    for run in marks.chunk_by(|one, other| one == other) {
        let texts: Vec<String> = (at..at + run.len()).map(&text).collect();
        let texts = texts.join(between);
        html += match at {
            0 => "",
            _ => between,
        };
        html += &match run[0] {
            Mark::None => texts,
            Mark::Covered => format!("<span class=\"covered\">{texts}</span>"),
            Mark::Field => format!("<span class=\"field\">{texts}</span>"),
        };
        at += run.len();
    }
    html
}
