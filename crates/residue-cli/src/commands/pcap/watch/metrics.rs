//! The text format of Prometheus, in a file or over HTTP.

use crate::output::Styles;
use anyhow::Context as _;
use residue_net::replace::replace;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
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
                let work = move || serve(&listener, &shared, PATIENCE);
                thread::Builder::new().name("metrics".into()).spawn(work)?;
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

/// Longest time for a connection, from its beginning to the last byte of the answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Most connections at a time. One more ends the oldest, which is none of a reader that asks at
/// once.
const MOST: usize = 32;
/// Largest request.
const LONGEST: usize = 8 << 10;
/// Pause after a connection that could not be taken, as when the process has too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// Answers requests, each on a thread of its own, so that no reader waits for another.
fn serve(listener: &TcpListener, text: &Arc<Mutex<String>>, patience: Duration) {
    let mut open: VecDeque<Weak<TcpStream>> = VecDeque::new();
    for stream in listener.incoming() {
        let Ok(stream) = stream.map(Arc::new) else {
            thread::sleep(PAUSE);
            continue;
        };
        open.retain(|other| other.strong_count() > 0);
        if open.len() >= MOST
            && let Some(oldest) = open.pop_front().and_then(|oldest| oldest.upgrade())
        {
            // Its thread sees the end of the connection.
            let _ = oldest.shutdown(Shutdown::Both);
        }
        open.push_back(Arc::downgrade(&stream));
        let (text, end) = (Arc::clone(text), Instant::now() + patience);
        // A reader that fails, or that gets no thread, asks again.
        let work = move || drop(answer(&stream, &text, end));
        let _ = thread::Builder::new().name("scrape".into()).stack_size(STACK).spawn(work);
    }
}

/// Stack of a thread that answers.
const STACK: usize = 64 << 10;

/// Answers a request until `end`.
fn answer(mut stream: &TcpStream, text: &Mutex<String>, end: Instant) -> io::Result<()> {
    let mut request = Vec::new();
    loop {
        let mut part = [0; 1024];
        stream.set_read_timeout(Some(left(end)?))?;
        let count = stream.read(&mut part)?;
        if count == 0 {
            return Ok(());
        }
        let seen = request.len().saturating_sub(3);
        request.extend_from_slice(&part[..count]);
        let ended = request[seen..].windows(4).any(|four| four == b"\r\n\r\n");
        if ended || request.len() >= LONGEST {
            break;
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
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    for mut rest in [head.as_bytes(), body.as_bytes()] {
        while !rest.is_empty() {
            stream.set_write_timeout(Some(left(end)?))?;
            match stream.write(rest)? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                count => rest = &rest[count..],
            }
        }
    }
    Ok(())
}

/// Returns the time until `end`, or an error if that is over.
fn left(end: Instant) -> io::Result<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
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

    /// Serves a text on loopback, with this much time for each connection.
    fn server(text: &str, patience: Duration) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let text = Arc::new(Mutex::new(text.to_string()));
        thread::spawn(move || serve(&listener, &text, patience));
        address
    }

    fn scrape(address: SocketAddr) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    /// With an hour for each connection, an answer that waits for another client never comes.
    #[test]
    fn no_client_delays_another() {
        // More than the buffers of a connection hold.
        let body = "x".repeat(16 << 20);
        let address = server(&body, Duration::from_secs(3600));
        let connect = || TcpStream::connect(address).unwrap();
        let silent: Vec<TcpStream> = (0..50).map(|_| connect()).collect();
        let asks = |mut stream: TcpStream, text: &[u8]| {
            stream.write_all(text).unwrap();
            stream
        };
        // In the middle of a request, as of a client that sends a byte now and then.
        let slow: Vec<TcpStream> = (0..9).map(|_| asks(connect(), b"GET /me")).collect();
        let deaf: Vec<TcpStream> =
            (0..3).map(|_| asks(connect(), b"GET /metrics HTTP/1.1\r\n\r\n")).collect();
        for _ in 0..3 {
            assert!(scrape(address).ends_with(&format!("\r\n\r\n{body}")));
        }
        // The last slow ones are still served.
        let mut last = asks(slow.into_iter().last().unwrap(), b"trics HTTP/1.1\r\n\r\n");
        let mut text = String::new();
        last.read_to_string(&mut text).unwrap();
        assert!(text.starts_with("HTTP/1.1 200 OK\r\n") && text.ends_with(&body));
        drop((silent, deaf));
    }

    #[test]
    fn too_many_connections_end_the_oldest() {
        let address = server("text", Duration::from_secs(3600));
        let mut first = TcpStream::connect(address).unwrap();
        let others: Vec<_> = (0..MOST).map(|_| TcpStream::connect(address).unwrap()).collect();
        assert_eq!(first.read(&mut [0; 1]).unwrap(), 0);
        assert!(scrape(address).ends_with("\r\n\r\ntext"));
        drop(others);
    }

    #[test]
    fn a_connection_has_one_deadline() {
        let address = server(&"x".repeat(64 << 20), Duration::from_millis(300));
        // It never stops sending, a byte at a time, and ends all the same.
        let mut slow = TcpStream::connect(address).unwrap();
        while slow.write_all(b"x").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
        // It reads only after the deadline, when a part of the answer is in no buffer.
        let mut deaf = TcpStream::connect(address).unwrap();
        deaf.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
        thread::sleep(Duration::from_secs(1));
        let mut text = Vec::new();
        let _ = deaf.read_to_end(&mut text);
        assert!(text.len() < 64 << 20);
    }

    #[test]
    fn labels_are_escaped() {
        let mut text = Metrics::new("a\"b\\c\nd");
        text.counter("x_total", "Help", [(vec![("why", "full")], 7)]);
        let line = "residue_watch_x_total{source=\"a\\\"b\\\\c\\nd\",why=\"full\"} 7\n";
        assert!(text.finish().ends_with(line));
    }
}
