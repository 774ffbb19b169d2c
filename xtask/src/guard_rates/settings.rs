//! What is measured.

use std::path::PathBuf;

/// Cases without arguments.
const CASES: [&str; 7] = [
    "plain",
    "single",
    "queue",
    "kernel",
    "kernel+threads",
    "queue+pinned",
    "kernel+threads+pinned",
];

/// Cases of a comparison without arguments.
const COMPARED: [&str; 9] =
    ["plain", "single", "queue", "kernel", "kernel+threads", "tls", "crc", "mptcp", "md5"];

/// What protects the connections of both hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// TCP's checksum alone.
    Plain,
    /// As `Plain`, and TCP sends single segments.
    Single,
    /// The guard, as a process.
    Queue,
    /// The guard in the kernel.
    Kernel,
    /// TLS 1.3.
    Tls,
    /// A CRC-32C behind each block of data, by the application.
    Crc,
    /// Multipath TCP with its checksums.
    Mptcp,
    /// TCP's MD5 signatures.
    Md5,
}

impl Engine {
    /// Returns whether it is a guard.
    pub fn is_guard(self) -> bool {
        matches!(self, Engine::Queue | Engine::Kernel)
    }

    /// Returns what `stream.py` calls the connection.
    pub fn kind(self) -> &'static str {
        match self {
            Engine::Plain | Engine::Single | Engine::Queue | Engine::Kernel => "plain",
            Engine::Tls => "tls",
            Engine::Crc => "crc",
            Engine::Mptcp => "mptcp",
            Engine::Md5 => "md5",
        }
    }

    /// Returns the bytes that it adds to a segment: options, or its share of what TLS adds to a
    /// record of 16 KiB.
    pub fn growth(self, settings: &Settings) -> u32 {
        match (self, settings.value) {
            (Engine::Plain | Engine::Single | Engine::Crc, _) => 0,
            (Engine::Queue | Engine::Kernel, 1) => 0,
            (Engine::Queue | Engine::Kernel, 2 | 3) => 4,
            (Engine::Queue | Engine::Kernel, _) => 8,
            (Engine::Tls, _) => 22 * settings.mtu / 16_384,
            // A data sequence signal with an acknowledgment of 4 bytes, a number of 8, and a
            // checksum (RFC 8684 section 3.3).
            (Engine::Mptcp, _) => 24,
            // 18 bytes and padding in place of timestamps and their padding.
            (Engine::Md5, _) => 8,
        }
    }
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub name: String,
    pub engine: Engine,
    pub threads: bool,
    pub pinned: bool,
    pub pfifo: bool,
}

impl Case {
    fn parse(name: &str) -> Result<Case, String> {
        let mut words = name.split('+');
        let engine = match words.next() {
            Some("plain") => Engine::Plain,
            Some("single") => Engine::Single,
            Some("queue") => Engine::Queue,
            Some("kernel") => Engine::Kernel,
            Some("tls") => Engine::Tls,
            Some("crc") => Engine::Crc,
            Some("mptcp") => Engine::Mptcp,
            Some("md5") => Engine::Md5,
            _ => return Err(format!("no case `{name}`; see guard-rates --help")),
        };
        let name = name.to_string();
        let mut case = Case { name, engine, threads: false, pinned: false, pfifo: false };
        for word in words {
            match word {
                "threads" if engine == Engine::Kernel => case.threads = true,
                "pinned" => case.pinned = true,
                "pfifo" => case.pfifo = true,
                _ => return Err(format!("no case `{}`; see guard-rates --help", case.name)),
            }
        }
        Ok(case)
    }
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// A transfer, by iperf3.
    Transfer,
    /// Requests on 20 connections, by redis-benchmark.
    Requests,
    /// A connection for each request, by ab.
    Connections,
    /// A transfer and requests on one connection, by a program that knows other ways to detect
    /// damage, too.
    Compared,
}

/// The arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    pub cases: Vec<Case>,
    pub rounds: u32,
    pub seconds: u32,
    pub mtu: u32,
    /// Value of the guard.
    pub value: u32,
    pub streams: u32,
    pub load: Load,
    pub program: Option<PathBuf>,
}

impl Settings {
    pub fn parse(words: &[&str]) -> Result<Settings, String> {
        let mut settings = Settings {
            cases: Vec::new(),
            rounds: 7,
            seconds: 2,
            mtu: 1500,
            value: 5,
            streams: 1,
            load: Load::Transfer,
            program: None,
        };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            let mut number = |least: u32, most: u32| {
                let text = value()?;
                let number = text.parse().ok().filter(|number| (least..=most).contains(number));
                number.ok_or(format!("{word}: expected {least} to {most}, got `{text}`"))
            };
            match word {
                "--rounds" => settings.rounds = number(1, 1000)?,
                "--seconds" => settings.seconds = number(1, 600)?,
                "--mtu" => settings.mtu = number(1280, 16_384)?,
                "--value" => settings.value = number(1, 7)?,
                "--streams" => settings.streams = number(1, 128)?,
                "--requests" => settings.load = Load::Requests,
                "--connections" => settings.load = Load::Connections,
                "--compare" => settings.load = Load::Compared,
                "--program" => settings.program = Some(value()?.into()),
                option if option.starts_with('-') => {
                    return Err(format!("no option `{option}`; see guard-rates --help"));
                }
                case => settings.cases.push(Case::parse(case)?),
            }
        }
        if settings.cases.is_empty() {
            let names = if settings.load == Load::Compared { &COMPARED[..] } else { &CASES };
            settings.cases =
                names.iter().map(|name| Case::parse(name)).collect::<Result<_, _>>()?;
        }
        let is_other = |case: &&Case| case.engine.kind() != "plain";
        if let Some(case) = settings.cases.iter().find(is_other)
            && settings.load != Load::Compared
        {
            return Err(format!("`{}` goes with --compare", case.name));
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments() {
        let settings = Settings::parse(&[]).unwrap();
        assert_eq!((settings.cases.len(), settings.rounds), (CASES.len(), 7));
        assert_eq!(settings.load, Load::Transfer);
        assert_eq!(Settings::parse(&["--connections"]).unwrap().load, Load::Connections);
        let compared = Settings::parse(&["--compare"]).unwrap();
        assert_eq!((compared.cases.len(), compared.load), (COMPARED.len(), Load::Compared));
        let words = ["--mtu", "9000", "kernel+threads+pfifo", "--rounds", "3", "single+pinned"];
        let settings = Settings::parse(&words).unwrap();
        assert_eq!((settings.mtu, settings.rounds), (9000, 3));
        let [kernel, single] = &settings.cases[..] else { panic!("{settings:?}") };
        assert!(kernel.engine == Engine::Kernel && kernel.threads && kernel.pfifo);
        assert!(single.engine == Engine::Single && single.pinned && !single.threads);
        for bad in [
            "kernal",
            "tls",
            "queue+threads",
            "kernel+",
            "--rounds",
            "--mtu 0",
            "--seconds x",
            "-x",
        ] {
            let words: Vec<&str> = bad.split(' ').collect();
            assert!(Settings::parse(&words).is_err(), "{bad}");
        }
    }
}
