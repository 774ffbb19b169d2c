//! The text format of Prometheus, in a file or over HTTP.

use crate::output::Styles;
use anyhow::Context as _;
use residue_net::replace::replace;
use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Where metrics go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file, replaced each time.
    File(PathBuf),
    /// An address that answers requests.
    Address(SocketAddr),
}

/// Parses the option `--prometheus`.
pub fn target(text: &str) -> Result<Target, String> {
    if let Ok(address) = text.parse() {
        return Ok(Target::Address(address));
    }
    let port = text.rsplit_once(':').map(|(_, port)| port);
    let looks_like_one =
        port.is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
    if text.is_empty() || looks_like_one {
        return Err("expected the name of a file, or an address and port (127.0.0.1:9470, \
                    [::1]:9470)"
            .to_string());
    }
    Ok(Target::File(text.into()))
}

/// Publishes metrics.
pub enum Publisher {
    File(PathBuf),
    Server(Arc<Mutex<String>>),
}

impl Publisher {
    /// Begins to publish; a server answers from now on.
    pub fn new(target: &Target) -> anyhow::Result<Publisher> {
        match target {
            Target::File(path) => Ok(Publisher::File(path.clone())),
            Target::Address(address) => {
                let listener = TcpListener::bind(address)
                    .with_context(|| format!("--prometheus: cannot listen on {address}"))?;
                let text = Arc::default();
                let shared = Arc::clone(&text);
                thread::Builder::new().name("metrics".into()).spawn(move || {
                    for stream in listener.incoming().filter_map(Result::ok) {
                        // A reader that fails asks again.
                        let _ = answer(stream, &shared);
                    }
                })?;
                Ok(Publisher::Server(text))
            }
        }
    }

    /// Publishes a text in place of the last one.
    pub fn publish(&self, text: String) -> anyhow::Result<()> {
        match self {
            Publisher::File(path) => {
                let written = replace(path, None, |file| file.write_all(text.as_bytes()));
                written.with_context(|| {
                    format!("--prometheus: cannot write `{}`", Styles::plain(path.as_os_str()))
                })
            }
            Publisher::Server(shared) => {
                *shared.lock().unwrap_or_else(PoisonError::into_inner) = text;
                Ok(())
            }
        }
    }
}

/// Longest time for a request, so that no reader keeps others waiting.
const PATIENCE: Duration = Duration::from_secs(2);
/// Largest request.
const LONGEST: usize = 8 << 10;

/// Answers a request.
fn answer(mut stream: TcpStream, text: &Mutex<String>) -> io::Result<()> {
    let end = Instant::now() + PATIENCE;
    let mut request = Vec::new();
    while !request.windows(4).any(|four| four == b"\r\n\r\n") && request.len() < LONGEST {
        let left = end.saturating_duration_since(Instant::now());
        stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        let mut part = [0; 1024];
        match stream.read(&mut part)? {
            0 => return Ok(()),
            count => request.extend_from_slice(&part[..count]),
        }
        if Instant::now() >= end {
            return Ok(());
        }
    }
    let mut words = request.split(|byte| *byte == b' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (status, body) = match (method, path) {
        (b"GET", b"/metrics" | b"/") => {
            ("200 OK", text.lock().unwrap_or_else(PoisonError::into_inner).clone())
        }
        (b"GET", _) => ("404 Not Found", "the metrics are at /metrics\n".to_string()),
        _ => ("405 Method Not Allowed", "GET /metrics\n".to_string()),
    };
    stream.set_write_timeout(Some(PATIENCE))?;
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

/// Labels: names and values.
type Labels<'a> = Vec<(&'a str, &'a str)>;

/// The text of metrics, all with the label `source`.
pub struct Metrics {
    text: String,
    source: String,
}

impl Metrics {
    pub fn new(source: &str) -> Metrics {
        Metrics { text: String::new(), source: escaped(source) }
    }

    /// Adds a metric that only grows.
    pub fn counter<'a>(
        &mut self,
        name: &str,
        help: &str,
        rows: impl IntoIterator<Item = (Labels<'a>, u64)>,
    ) {
        self.metric(name, help, "counter", rows.into_iter().map(|(row, n)| (row, n.to_string())));
    }

    /// Adds a metric that may fall.
    pub fn gauge<'a>(
        &mut self,
        name: &str,
        help: &str,
        rows: impl IntoIterator<Item = (Labels<'a>, f64)>,
    ) {
        self.metric(name, help, "gauge", rows.into_iter().map(|(row, n)| (row, n.to_string())));
    }

    fn metric<'a>(
        &mut self,
        name: &str,
        help: &str,
        kind: &str,
        rows: impl Iterator<Item = (Labels<'a>, String)>,
    ) {
        let Metrics { text, source } = self;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "# HELP residue_watch_{name} {help}");
        let _ = writeln!(text, "# TYPE residue_watch_{name} {kind}");
        for (labels, number) in rows {
            let _ = write!(text, "residue_watch_{name}{{source=\"{source}\"");
            for (label, value) in labels {
                let _ = write!(text, ",{label}=\"{}\"", escaped(value));
            }
            let _ = writeln!(text, "}} {number}");
        }
    }

    pub fn finish(self) -> String {
        self.text
    }
}

/// Escapes the value of a label.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Returns the name of a verdict as the value of a label.
pub fn verdict(name: &'static str) -> &'static str {
    if name == "length conflict" { "length_conflict" } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        for address in ["127.0.0.1:9470", "[::1]:9470"] {
            assert_eq!(target(address), Ok(Target::Address(address.parse().unwrap())));
        }
        for file in ["residue.prom", "/a/b:c", "a:b"] {
            assert_eq!(target(file), Ok(Target::File(file.into())));
        }
        for wrong in ["", "localhost:9470", ":9470", "1.2.3:80"] {
            assert!(target(wrong).unwrap_err().contains("127.0.0.1:9470"), "{wrong}");
        }
    }

    #[test]
    fn labels_are_escaped() {
        let mut text = Metrics::new("a\"b\\c\nd");
        text.counter("x_total", "Help", [(vec![("why", "full")], 7)]);
        let line = "residue_watch_x_total{source=\"a\\\"b\\\\c\\nd\",why=\"full\"} 7\n";
        assert!(text.finish().ends_with(line));
    }
}
