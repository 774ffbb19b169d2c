//! Answers questions about captures.

use crate::Page;
use residue_net::pcap::Reader;
use residue_net::summary::Summary;
use residue_net::{json, verify};
use serde_json::{Value, json};
use std::io::{self, Read};

/// Largest number of rewritten pairs, senders and flows to report, as in `residue pcap verify`.
const TOP: usize = 10;

/// A reader of the page's file, from its first byte.
struct File<'a, P> {
    page: &'a mut P,
    offset: u64,
}

impl<P: Page> Read for File<'_, P> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.page.read(self.offset, buffer).map_err(io::Error::other)?;
        self.offset += count as u64;
        self.page.progress(self.offset, 0);
        Ok(count)
    }
}

/// Returns what `residue pcap verify --json` reports of the capture.
pub fn verify(name: &str, page: &mut impl Page) -> Value {
    let mut summary = Summary::new();
    let reader = match Reader::new(File { page, offset: 0 }) {
        Ok(reader) => reader,
        Err(error) => return json!({ "capture": name, "error": error.to_string() }),
    };
    let read = verify::packets(reader, |buffer| summary.buffer(buffer));
    let error = read.error.as_ref().map(ToString::to_string);
    json::capture(name, &read, error, &summary, TOP)
}
