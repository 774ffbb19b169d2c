//! A check value as a line of text, JSON or CSV.

use crate::output::Styles;
use residue_net::Address;
use residue_net::check::Verdict;
use residue_net::diagnose::{Cause, CauseKind};
use residue_net::record::Record;
use residue_net::summary::{Flow, sender_name};
use residue_net::time::rfc3339;
use residue_net::verify::{Buffer, Finding};
use residue_report::csv::quoted;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fmt::Write as _;

/// The header of the CSV table of check values.
pub const CHECKS: &str = "capture,packet,protocol,verdict,reason,cause,detail,stored,computed,\
                          source,destination,source_port,destination_port,offset,time,link";

/// The parts of a line of text that options choose.
pub struct Shown<'a> {
    /// Name of the capture, if there are several.
    pub capture: Option<&'a OsStr>,
    /// The time of the packet: whether it is relative, and the time of the first packet.
    pub time: Option<(bool, Option<u64>)>,
    /// Whether the link type is shown.
    pub link: bool,
    /// The styles to print with.
    pub styles: Styles,
}

impl Shown<'_> {
    /// Returns the beginning of a line: the capture and the packet.
    fn start(&self, finding: &Finding<'_>) -> String {
        let Buffer { packet, time, link, .. } = finding.buffer;
        let mut line = match self.capture {
            Some(name) => format!("{}: packet {packet}", Styles::plain(name)),
            None => format!("packet {packet}"),
        };
        let _ = match (self.time, *time) {
            (None, _) => Ok(()),
            (Some(_), None) => write!(line, " without a time"),
            (Some((true, Some(first))), Some(time)) => {
                let after = i128::from(time) - i128::from(first);
                let (sign, after) = (if after < 0 { "-" } else { "" }, after.unsigned_abs());
                let (seconds, rest) = (after / 1_000_000_000, after % 1_000_000_000);
                write!(line, " after {sign}{seconds}.{rest:09} s")
            }
            (Some(_), Some(time)) => write!(line, " at {}", rfc3339(time)),
        };
        if self.link {
            let _ = write!(line, " ({link})");
        }
        line
    }
}

/// Returns a value in hexadecimal, with all digits of its width.
pub fn value(finding: &Finding<'_>, value: Option<u64>) -> Option<String> {
    let digits = finding.check.rule.width() as usize * 2;
    value.map(|value| format!("{value:0digits$X}"))
}

/// Returns a check value as a line of text.
pub fn check_line(shown: &Shown<'_>, finding: &Finding<'_>, cause: Option<Cause>) -> String {
    let styles = shown.styles;
    let style = match finding.verdict {
        Verdict::Good => styles.good,
        Verdict::Bad | Verdict::Illegal | Verdict::LengthConflict => styles.bad,
        _ => styles.dim,
    };
    let mut line = shown.start(finding);
    let (flow, verdict) = (flow_text(&flow_of(finding)), finding.verdict.name());
    let _ = write!(line, ": {flow}: {style}{verdict}{style:#}");
    if let Some(stored) = value(finding, finding.stored()) {
        let _ = write!(line, ", {stored}");
    }
    match finding.verdict {
        Verdict::Bad | Verdict::Offloaded => {
            if let Some(computed) = value(finding, finding.computed()) {
                let _ = write!(line, ", should be {computed}");
            }
            let _ = write!(line, ", {}", CauseKind::from(cause).name());
            if let Some(detail) = cause.and_then(|cause| cause.detail(finding.buffer.places)) {
                let _ = write!(line, " ({detail})");
            }
        }
        Verdict::Unverifiable(reason) => {
            let _ = write!(line, ": {}", reason.text());
        }
        _ => {}
    }
    line
}

/// Returns the columns of a check value: the names of its members in JSON, and their values if it
/// has them.
fn columns(
    capture: &OsStr,
    finding: &Finding<'_>,
    cause: Option<Cause>,
) -> [(&'static str, Option<Value>); 15] {
    let Record { reason, cause, detail, source, destination, offset, time, link } =
        Record::of(finding, cause);
    [
        ("capture", Some(Styles::plain(capture).into())),
        ("packet", Some(finding.buffer.packet.into())),
        ("protocol", Some(finding.check.protocol.name.into())),
        ("verdict", Some(finding.verdict.name().into())),
        ("reason", reason.map(Value::from)),
        ("cause", cause.map(Value::from)),
        ("detail", detail.map(Value::from)),
        ("stored", value(finding, finding.stored()).map(Value::from)),
        ("computed", value(finding, finding.computed()).map(Value::from)),
        ("source", source.map(Value::from)),
        ("destination", destination.map(Value::from)),
        ("ports", finding.check.ports.map(|ports| json!(ports))),
        ("offset", offset.map(Value::from)),
        ("time", time.map(Value::from)),
        ("link", Some(link.into())),
    ]
}

/// Returns a check value as a row of CSV. Each port has a cell.
pub fn check_csv(capture: &OsStr, finding: &Finding<'_>, cause: Option<Cause>) -> String {
    let cell = |(name, value): (&str, Option<Value>)| match value {
        None if name == "ports" => ",".into(),
        None => String::new(),
        Some(Value::String(text)) => quoted(&text).into_owned(),
        Some(Value::Array(ports)) => {
            ports.iter().map(Value::to_string).collect::<Vec<_>>().join(",")
        }
        Some(number) => number.to_string(),
    };
    columns(capture, finding, cause).map(cell).join(",")
}

/// Returns a check value as a line of JSON.
pub fn check_json(capture: &OsStr, finding: &Finding<'_>, cause: Option<Cause>) -> Value {
    let members = columns(capture, finding, cause).into_iter();
    let members = members.filter_map(|(name, value)| Some((name.to_string(), value?)));
    members.chain([("type".to_string(), "check".into())]).collect()
}

/// Returns the flow of a check value.
pub fn flow_of(finding: &Finding<'_>) -> Flow {
    Flow {
        protocol: finding.check.protocol.name,
        addresses: finding.addresses().map(Address::new),
        ports: finding.check.ports,
    }
}

/// Returns a flow as text.
pub fn flow_text(flow: &Flow) -> String {
    let [source, destination] = flow.addresses;
    let end = |address: Address, port: Option<u16>| match port {
        Some(port) if address.bytes().len() == 16 => format!("[{address}]:{port}"),
        Some(port) => format!("{address}:{port}"),
        None => sender_name(&address),
    };
    let ports = flow.ports;
    format!(
        "{} {} -> {}",
        flow.protocol,
        end(source, ports.map(|ports| ports[0])),
        end(destination, ports.map(|ports| ports[1]))
    )
}
