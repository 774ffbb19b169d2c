//! The cases of the demonstration, and their expected results.

use super::super::{DemoArgs, DemoCase};
use super::hosts::{Fetched, Guard, Network, clean};
use anyhow::bail;
use residue_guard::Received;
use residue_guard::adapter::{Router, Status};
use residue_guard::simulate::Fault;
use serde::Serialize;

/// A case to show.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Case {
    #[serde(rename = "case")]
    pub kind: DemoCase,
    /// Version of IP.
    #[serde(rename = "ip")]
    pub version: u8,
    /// Value that both guards request; `None` without guards.
    pub value: Option<u8>,
}

/// The result of a case.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    #[serde(flatten)]
    pub case: Case,
    /// Value of the client's connection, 0 for regular TCP; `None` without a guard.
    pub agreed: Option<u8>,
    /// Segments with data forwarded by the router.
    pub segments: u64,
    /// Packets changed by the router.
    pub damaged: u64,
    /// Segments that the client's guard dropped for a wrong check value, but not for a missing one.
    pub caught: Option<u64>,
    /// Bytes of the received file that differ from the server's; `None` without a file.
    pub wrong: Option<u64>,
    pub sha256: Option<String>,
    /// Duration of the transfer.
    pub seconds: Option<f64>,
    /// Megabits of the file per second.
    pub megabits: f64,
    /// Seconds of CPU time of the client's and the server's guard.
    pub cpu_time: [Option<f64>; 2],
    /// The difference from the expected result, if any.
    pub failure: Option<String>,
}

/// Returns the cases asked for. Those with address translation come last, because it stays on.
pub fn all(args: &DemoArgs) -> Vec<Case> {
    const ALL: [DemoCase; 5] =
        [DemoCase::Swap, DemoCase::Rewrite, DemoCase::Strip, DemoCase::Kill, DemoCase::Nat];
    let is_wanted = |kind: &DemoCase| args.cases.is_empty() || args.cases.contains(kind);
    // These cases never agree on a value, so one is enough.
    let one = args.values.iter().copied().find(|&value| value == 5);
    let one = one.or(args.values.first().copied());
    let mut cases = Vec::new();
    for kind in ALL.into_iter().filter(is_wanted) {
        for version in [4, 6] {
            if !args.versions.iter().any(|wanted| *wanted == version.to_string()) {
                continue;
            }
            let mut values: Vec<Option<u8>> = Vec::new();
            match kind {
                DemoCase::Swap => values.push(None),
                DemoCase::Rewrite | DemoCase::Nat => {
                    values.push(None);
                    values.extend(args.values.contains(&4).then_some(Some(4)));
                }
                DemoCase::Strip | DemoCase::Kill => values.push(one),
            }
            if kind == DemoCase::Swap {
                values.extend(args.values.iter().copied().map(Some));
            }
            cases.extend(values.into_iter().map(|value| Case { kind, version, value }));
        }
    }
    cases
}

/// The statuses of the client's and the server's guard.
type Statuses = [Option<Status>; 2];

impl Case {
    fn fault(self) -> Fault {
        match self.kind {
            DemoCase::Swap | DemoCase::Nat => Fault::WordSwap,
            DemoCase::Rewrite => Fault::NatDamage,
            DemoCase::Strip => Fault::NoRequest,
            DemoCase::Kill => Fault::Nothing,
        }
    }

    /// Runs the case. A failure is recorded in the row.
    pub fn run(self, network: &mut Network, one_in: u64, seed: u64) -> Row {
        let mut row = Row {
            case: self,
            agreed: None,
            segments: 0,
            damaged: 0,
            caught: None,
            wrong: None,
            sha256: None,
            seconds: None,
            megabits: 0.0,
            cpu_time: [None; 2],
            failure: None,
        };
        let result = self.measure(network, one_in, seed, &mut row).and_then(|()| {
            let is_right = row.sha256.as_deref() == Some(&network.sha256()?);
            self.judge(&row, is_right, one_in)
        });
        row.failure = result.err().map(|error| format!("{error:#}"));
        row
    }

    fn measure(
        self,
        network: &mut Network,
        one_in: u64,
        seed: u64,
        row: &mut Row,
    ) -> anyhow::Result<()> {
        if self.kind == DemoCase::Nat {
            network.translate()?;
        }
        let network = &*network;
        let router = Router::new(self.fault(), one_in, seed);
        let (result, router) = network.while_damaging(router, || self.transfer(network))?;
        (row.segments, row.damaged) = (router.segments, router.damaged);
        let (fetched, statuses) = result?;
        row.cpu_time = statuses.each_ref().map(|status| Some(status.as_ref()?.cpu_time));
        if let (Some(client), Some(value)) = (&statuses[0], self.value) {
            let counters = &client.counters;
            let caught = |received: &Received| received.bad() - received.missing;
            row.caught = Some(counters.received.iter().map(caught).sum());
            // The connection of the killed guard had agreed on a value; the later one counts.
            let first = if self.kind == DemoCase::Kill { 0 } else { value };
            row.agreed = [first, value, 0]
                .into_iter()
                .find(|&value| counters.agreed[usize::from(value)] > 0);
        }
        let expected = network.file();
        row.wrong = Some(wrong_bytes(&fetched.bytes, expected));
        row.sha256 = Some(fetched.sha256);
        row.seconds = Some(fetched.seconds);
        row.megabits = fetched.bytes.len() as f64 * 8e-6 / fetched.seconds;
        Ok(())
    }

    fn transfer(self, network: &Network) -> anyhow::Result<(Fetched, Statuses)> {
        let Some(value) = self.value else {
            return Ok((network.fetch(self.version, "file")?, [None, None]));
        };
        let client = Guard::start("client", value)?;
        let server = Guard::start("server", value)?;
        if self.kind != DemoCase::Kill {
            let fetched = network.fetch(self.version, "file")?;
            return Ok((fetched, [Some(client.end()?), Some(server.end()?)]));
        }

        let fetched = network.during_transfer(self.version, || {
            server.kill();
            network.fetch(self.version, "file")
        })?;
        if clean("server")?.is_empty() {
            bail!("the killed guard has left no rules");
        }
        if !clean("server")?.is_empty() {
            bail!("`guard clean` has left rules");
        }
        let small = network.fetch(self.version, "small")?;
        if small.bytes != network.small() {
            bail!("a wrong file without the rules");
        }
        let client = client.end()?;
        if client.counters.agreed[usize::from(value)] == 0 {
            bail!("the connection was not guarded before the guard was killed");
        }
        Ok((fetched, [Some(client), None]))
    }

    /// Compares the result with the expected one.
    fn judge(self, row: &Row, is_right: bool, one_in: u64) -> anyhow::Result<()> {
        let wrong = row.wrong.unwrap_or(0);
        if is_right != (wrong == 0) {
            bail!("the bytes and their SHA-256 disagree");
        }
        let damages = matches!(self.kind, DemoCase::Swap | DemoCase::Rewrite | DemoCase::Nat);
        if damages && row.damaged < row.segments / one_in {
            bail!("the router has damaged too few segments");
        }
        match self.value {
            None if wrong == 0 => bail!("plain TCP has delivered a right file"),
            None => {}
            Some(_) if wrong > 0 => bail!("{wrong} wrong bytes delivered"),
            Some(value) if damages => {
                if row.agreed != Some(value) {
                    bail!("value {value} was not agreed on");
                }
                let caught = row.caught.unwrap_or(0);
                if caught != row.damaged {
                    bail!("{} segments were damaged, {caught} caught", row.damaged);
                }
            }
            Some(_) if row.agreed != Some(0) => bail!("the connection is not regular TCP"),
            Some(_) if self.kind == DemoCase::Strip && row.damaged == 0 => {
                bail!("the router has seen no request")
            }
            Some(_) => {}
        }
        Ok(())
    }
}

fn wrong_bytes(got: &[u8], expected: &[u8]) -> u64 {
    let differ = got.iter().zip(expected).filter(|(got, expected)| got != expected).count();
    (differ + got.len().abs_diff(expected.len())) as u64
}
