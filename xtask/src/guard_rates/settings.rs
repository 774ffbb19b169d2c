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

/// The guard of both hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// None.
    Plain,
    /// None, and TCP sends single segments.
    Single,
    Queue,
    Kernel,
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
}

/// The arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    pub cases: Vec<Case>,
    pub rounds: u32,
    pub seconds: u32,
    pub mtu: u32,
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
                "--streams" => settings.streams = number(1, 128)?,
                "--requests" => settings.load = Load::Requests,
                "--connections" => settings.load = Load::Connections,
                "--program" => settings.program = Some(value()?.into()),
                option if option.starts_with('-') => {
                    return Err(format!("no option `{option}`; see guard-rates --help"));
                }
                case => settings.cases.push(Case::parse(case)?),
            }
        }
        if settings.cases.is_empty() {
            settings.cases = CASES.into_iter().map(Case::parse).collect::<Result<_, _>>()?;
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
        let words = ["--mtu", "9000", "kernel+threads+pfifo", "--rounds", "3", "single+pinned"];
        let settings = Settings::parse(&words).unwrap();
        assert_eq!((settings.mtu, settings.rounds), (9000, 3));
        let [kernel, single] = &settings.cases[..] else { panic!("{settings:?}") };
        assert!(kernel.engine == Engine::Kernel && kernel.threads && kernel.pfifo);
        assert!(single.engine == Engine::Single && single.pinned && !single.threads);
        for bad in
            ["kernal", "queue+threads", "kernel+", "--rounds", "--mtu 0", "--seconds x", "-x"]
        {
            let words: Vec<&str> = bad.split(' ').collect();
            assert!(Settings::parse(&words).is_err(), "{bad}");
        }
    }
}
