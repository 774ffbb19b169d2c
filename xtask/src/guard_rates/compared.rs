//! One connection, with the guard or with another way to detect damage.

use super::hosts::{Hosts, NAMES, PORT, SERVER, Sample, cpu_time};
use super::settings::Engine;
use crate::shell::{done, output, target};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

/// Both ends of the connection.
const PROGRAM: &str = include_str!("stream.py");

/// The server's certificate for TLS with its key, in the folder that ends with the namespaces.
const CERTIFICATE: &str = "/run/stream.pem";

/// Makes the certificate.
pub fn prepare() -> Result<(), String> {
    let words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=b";
    let to = ["-keyout", CERTIFICATE, "-out", CERTIFICATE];
    done(Command::new("openssl").args(words.split(' ')).args(to))
}

impl Hosts<'_> {
    /// Measures a transfer, and then requests, on one connection.
    pub fn compared(mut self) -> Result<Sample, String> {
        let engine = self.case.engine;
        let kind = engine.kind();
        let [for_server, for_client] = match engine {
            Engine::Tls => [(); 2].map(|()| Some(CERTIFICATE.to_string())),
            Engine::Crc => {
                let library = target()?.join("release/libresidue_c.so");
                [(); 2].map(|()| Some(library.display().to_string()))
            }
            // The client's address, whose segments are signed.
            Engine::Md5 => [Some("10.93.0.1".to_string()), None],
            _ => [None, None],
        };
        if engine == Engine::Mptcp {
            for name in NAMES {
                let write = "echo 1 >/proc/sys/net/mptcp/checksum_enabled";
                let network = format!("--net=/run/netns/{name}");
                done(Command::new("nsenter").args([&network, "sh", "-c", write]))?;
            }
        }
        let words = ["-c", PROGRAM, "serve", kind, PORT];
        let words: Vec<&str> = words.into_iter().chain(for_server.as_deref()).collect();
        self.serve("python3", &words)?;
        let mut command = self.on(0, "python3");
        command.args(["-c", PROGRAM, "send", kind, SERVER, PORT]);
        command.arg(self.settings.seconds.to_string()).args(for_client);
        let before = cpu_time()?;
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("python3: {error}"))?;
        let (Some(mut input), Some(lines)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("python3 has no pipes".to_string());
        };
        let mut lines = BufReader::new(lines).lines();
        let mut next = || -> Result<Value, String> {
            let line = lines.next().ok_or(format!("{}: no connection", self.case.name))?;
            let line = line.map_err(|error| error.to_string())?;
            serde_json::from_str(&line).map_err(|error| format!("{line}: {error}"))
        };
        let transfer = next()?;
        let after = cpu_time()?;
        writeln!(input).map_err(|error| error.to_string())?;
        let requests = next()?;
        child.wait().map_err(|error| error.to_string())?;
        let of = |report: &Value, what: &str| report[what].as_f64().ok_or(format!("no {what}"));
        let bytes = of(&transfer, "bytes")?;
        let segments = bytes / self.data_of_a_segment();
        self.must_be_guarded("sent", segments)?;
        if engine == Engine::Mptcp {
            self.must_be_multipath()?;
        }
        Ok(Sample(vec![
            bytes * 8e-9 / of(&transfer, "seconds")?,
            (after[0] - before[0]) / segments / 2.0 * 1e6,
            of(&requests, "rate")?,
            of(&requests, "p99")?,
        ]))
    }

    /// Returns an error if the connection has fallen back to TCP, or has no checksums.
    fn must_be_multipath(&self) -> Result<(), String> {
        let mut show = self.on(0, "nstat");
        let counters = output(show.args(["-a", "-s", "-z"]))?;
        let count = |name: &str| {
            let line = counters.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        let fallen = ["MPTcpExtMPCapableFallbackACK", "MPTcpExtMPCapableFallbackSYNACK"]
            .iter()
            .any(|name| count(name).unwrap_or(0) > 0);
        match count("MPTcpExtMPCapableSYNACKRX") {
            Some(1..) if !fallen => Ok(()),
            _ => Err("the connection is no Multipath TCP".to_string()),
        }
    }
}
