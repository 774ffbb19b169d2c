//! `residue pcap fix --drop-doubled`: the capture of a mirror port without the copies.

use crate::commands::pcap::report::count;
use crate::commands::pcap::{Capture, Target, trouble};
use crate::output::{Output, Styles, without_numbers};
use crate::progress::Progress;
use anyhow::Context as _;
use residue_net::copies::{self, Copies};
use residue_net::pcap::{Packet, patch};
use residue_net::rewrite::{Editor, Fate};
use residue_net::verify::Verifier;
use std::io;

/// Writes the capture without the copies of its packets, if it holds nearly every packet twice.
pub fn leave_out(target: &Target, json: bool, output: &mut Output) -> anyhow::Result<()> {
    let capture = Capture::new(&target.file, true)?;
    output.progress = Progress::of_bytes(capture.size() * 2);
    let progress = output.progress.clone();
    let name = || target.name();
    let doubled = copies::doubled(capture.reader(&progress).with_context(name)?);
    let (mut copies, mut verifier, mut packets) = (Copies::default(), Verifier::new(), 0_u64);
    let mut dropped = 0_u64;
    let mut each = |packet: &Packet<'_>| {
        packets += 1;
        let mut fate = Fate::Kept;
        verifier.packet(packet, |buffer| {
            let key = copies::key_of(buffer).filter(|_| doubled.is_some());
            if key.is_some_and(|key| copies.take(key, buffer.time)) {
                fate = Fate::Dropped;
            }
        });
        dropped += u64::from(fate == Fate::Dropped);
        fate
    };
    let input = capture.open(&progress).with_context(name)?;
    let mut editor = Editor::new(input, false, &mut each).with_context(name)?;
    match &target.output {
        Some(path) => patch::copy_to_file(&mut editor, path, capture.path(), &[])
            .with_context(|| Styles::plain(path.as_os_str()))?,
        None => {
            io::copy(&mut editor, &mut io::sink()).with_context(name)?;
        }
    }
    output.progress.clear();
    let (error, _) = editor.finish();
    if json {
        let error = error.as_ref().map(|error| without_numbers(&error.to_string()));
        output.finding(
            serde_json::json!({
                "capture": target.name(),
                "packets": packets,
                "error": error,
                "dropped": dropped,
                "dry_run": target.dry_run,
            })
            .to_string(),
        )?;
    } else if !target.is_stdout() {
        let would = if target.dry_run { "would be left out" } else { "left out" };
        output.finding(match doubled {
            None => "the capture does not hold every packet twice: nothing is left out".into(),
            Some(_) => format!("{dropped} copies {would}, of {}", count(packets, "packet")),
        })?;
    }
    if let Some(error) = error {
        trouble(output, &target.file, &error.into());
    }
    Ok(())
}
