//! `residue identify --frames`: where messages of one format hold their value, and what it covers.

use super::advice;
use super::answer::{options, print};
use super::arguments::IdentifyArgs;
use super::hit::definitions;
use super::input::contents;
use super::json;
use super::records;
use super::text::Text;
use super::words::plural;
use crate::hex;
use crate::output::{Outcome, Output, Styles};
use anyhow::{anyhow, bail};
use residue_identify::{Anchor, Layout, Located, Own, Reading, Relative, Spot, identify, locate};
use residue_net::pcap::Reader;
use serde_json::{Value, json};
use std::path::Path;

/// Number of results that are printed; JSON has all.
const SHOWN: usize = 4;
/// Number of other layouts that are printed for a result.
const SHOWN_LIKE: usize = 3;

/// Searches, and prints what fits.
pub(super) fn run(args: &IdentifyArgs, output: &mut Output) -> anyhow::Result<()> {
    let mut messages = Vec::new();
    for path in &args.frames {
        read(path, &mut messages)?;
    }
    for samples in records::samples(&messages) {
        let report = identify(&samples, &options(args))?;
        if report.convincing() {
            return print(args, &samples, &report, true, output);
        }
    }
    let located = locate(&messages, args.all)?;
    if !located.convincing() {
        output.found(Outcome::Bad);
    } else if let (Some(spot), false) = (located.spots.first(), args.notations.is_empty()) {
        definitions(args, &spot.hit, &spot.layout.to_string(), output)?;
        if located.spots.len() > 1 {
            let more = plural(located.spots.len() - 1, "other code");
            output.complain(&format!(
                "not settled: {more} fit these messages as well; leave out --as to see them, and \
                 give more messages"
            ));
        }
        return Ok(());
    }
    if args.format.json {
        output.json(&document(&located))?;
        return Ok(());
    }
    for line in lines(&located, output.styles) {
        output.line(line)?;
    }
    Ok(())
}

/// Adds the messages of a file: the packets of a capture, the lines of a file of hexadecimal digits
/// or of text, or its bytes as one message.
fn read(path: &Path, messages: &mut Vec<Vec<u8>>) -> anyhow::Result<()> {
    let name = Styles::plain(path.as_os_str());
    let bytes = contents(path)?;
    match Reader::new(&bytes[..]) {
        Ok(mut capture) => {
            while let Some(packet) = capture.next().map_err(|error| anyhow!("{name}: {error}"))? {
                messages.push(packet.bytes.to_vec());
            }
            return Ok(());
        }
        Err(residue_net::Error::Empty) => bail!("{name}: empty; give messages"),
        Err(residue_net::Error::NotACapture { .. }) => {}
        Err(error) => return Err(anyhow!("{name}: {error}")),
    }
    let text = std::str::from_utf8(&bytes).unwrap_or_default();
    let lines = text.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with('#'));
    let lines: Option<Vec<Vec<u8>>> = lines.map(hex::parse).collect();
    // Lines of text that are no digits are records, such as those of Intel HEX.
    let texts: Option<Vec<&[u8]>> =
        text.lines().map(|line| records::record(line.as_bytes())).collect();
    match (lines.filter(|lines| !lines.is_empty()), texts.filter(|texts| texts.len() > 1)) {
        (Some(lines), _) => messages.extend(lines),
        (None, Some(texts)) => messages.extend(texts.into_iter().map(<[u8]>::to_vec)),
        (None, None) => messages.push(bytes),
    }
    Ok(())
}

fn lines(located: &Located, styles: Styles) -> Vec<String> {
    let mut text = Text { lines: Vec::new(), styles };
    let count = plural(located.messages, "different message");
    if located.spots.is_empty() {
        text.plain(
            "",
            &format!(
                "Nothing fits {count}, of {:.0} combinations of a code with a place and a range.",
                located.tried
            ),
        );
        related(located, &mut text);
        text.advice(&advice::of_messages(located));
        return text.lines;
    }
    if located.convincing() {
        text.plain("", &format!("{count} fit; negative offsets count from the end"));
    } else {
        text.styled(text.styles.bad, "", &format!("{count} fit, but this may be chance."));
    }
    for spot in located.spots.iter().take(SHOWN) {
        describe(spot, &mut text);
    }
    text.plain("", "");
    if located.spots.len() > SHOWN {
        let more = located.spots.len() - SHOWN;
        text.plain("", &format!("{more} more are in the output of --json."));
    }
    related(located, &mut text);
    text.advice(&advice::of_messages(located));
    text.lines
}

/// Names the fields that are no check values, unless one was found.
fn related(located: &Located, text: &mut Text) {
    if located.convincing() {
        return;
    }
    for Relative { at, bytes, relation } in &located.relations {
        let field = plural(*bytes, "byte");
        text.plain("", &format!("No check value: the value of {field} at {at} is {relation}."));
    }
}

fn describe(spot: &Spot, text: &mut Text) {
    // One byte has no order.
    let order = match (spot.layout.bytes, &spot.hit.mask) {
        (1, None) => String::new(),
        _ => format!("; {}", spot.hit.written()),
    };
    // Zeros for what is covered but not in the messages.
    let fed = match spot.hit.reading == Reading::PLAIN {
        true => String::new(),
        false => format!("; of {}", spot.hit.reading),
    };
    text.hit(&spot.hit, &format!("{}{fed}{order}", spot.layout));
    if !spot.also.is_empty() {
        let count = plural(spot.also.len(), "other layout");
        text.plain("  ", &format!("{count} with this code fit all messages as well:"));
    }
    for layout in spot.also.iter().take(SHOWN_LIKE) {
        text.plain("    ", &layout.to_string());
    }
}

fn document(located: &Located) -> Value {
    let hits: Vec<Value> = located.spots.iter().map(entry).collect();
    let relations: Vec<Value> = located.relations.iter().map(relative).collect();
    json!({
        "messages": located.messages,
        "one_length": located.one_length,
        "found": located.convincing(),
        "tried": located.tried,
        "hits": hits,
        "advice": advice::of_messages(located),
        "relations": relations,
    })
}

fn relative(Relative { at, bytes, relation }: &Relative) -> Value {
    json!({ "value": place(*at), "value_bytes": bytes, "relation": relation.to_string() })
}

fn entry(spot: &Spot) -> Value {
    let mut value = json::hit(&spot.hit);
    value["layout"] = places(&spot.layout);
    value["order"] = spot.hit.form.to_string().into();
    value["also"] = spot.also.iter().map(places).collect();
    value
}

fn place(anchor: Anchor) -> Value {
    match anchor {
        Anchor::Start(bytes) => json!({ "from": "start", "bytes": bytes }),
        Anchor::End(bytes) => json!({ "from": "end", "bytes": bytes }),
    }
}

/// Returns a layout as JSON.
fn places(layout: &Layout) -> Value {
    let own = match layout.own {
        Own::Outside => "outside",
        Own::Zero => "zero",
        Own::Excluded => "left out",
    };
    json!({
        "value": place(layout.value),
        "value_bytes": layout.bytes,
        "start": place(layout.start),
        "end": place(layout.end),
        "own": own,
    })
}
