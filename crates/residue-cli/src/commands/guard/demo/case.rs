//! The cases of the demonstration, and their expected results.

use super::super::options::Engine;
use super::super::{DemoArgs, DemoCase, DemoEngine};
use super::hosts::{Counts, Fetched, Network, clean};
use anyhow::bail;
use residue_guard::queue::Router;
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
    /// Engines of the guards; `None` without guards.
    pub engine: Option<DemoEngine>,
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

/// Returns the cases asked for, with these engines. Those with address translation come last,
/// because it stays on.
pub fn all(args: &DemoArgs, engines: &[DemoEngine]) -> Vec<Case> {
    const ALL: [DemoCase; 6] = [
        DemoCase::Swap,
        DemoCase::Rewrite,
        DemoCase::Strip,
        DemoCase::Kill,
        DemoCase::Nat,
        DemoCase::Sequence,
    ];
    let is_wanted = |kind: &DemoCase| args.cases.is_empty() || args.cases.contains(kind);
    // These cases never agree on a value, so one is enough.
    let one = args.values.iter().copied().find(|&value| value == 5);
    let one = one.or(args.values.first().copied());
    let versions = [4, 6]
        .into_iter()
        .filter(|version| args.versions.iter().any(|wanted| *wanted == version.to_string()));
    let mut cases = Vec::new();
    for kind in ALL.into_iter().filter(is_wanted) {
        let of = |some: &[u8]| -> Vec<u8> {
            args.values.iter().copied().filter(|value| some.contains(value)).collect()
        };
        let values: Vec<u8> = match kind {
            DemoCase::Swap => args.values.clone(),
            DemoCase::Rewrite | DemoCase::Nat => of(&[4, 7]),
            // 4 does not cover the sequence number, and the others do not survive a NAT.
            DemoCase::Sequence => of(&[7]),
            DemoCase::Strip | DemoCase::Kill => one.into_iter().collect(),
        };
        if damages(kind) {
            let plain = |version| Case { kind, version, value: None, engine: None };
            cases.extend(versions.clone().map(plain));
        }
        // By engine first, because a guard stays in the kernel from case to case.
        for &engine in engines {
            if kind == DemoCase::Kill && engine == DemoEngine::Mixed {
                continue;
            }
            for version in versions.clone() {
                let possible = |value: &&u8| engine == DemoEngine::Queue || **value != 3;
                cases.extend(values.iter().filter(possible).map(|&value| Case {
                    kind,
                    version,
                    value: Some(value),
                    engine: Some(engine),
                }));
            }
        }
    }
    cases
}

/// Returns whether the router damages segments in all transfers of a case.
fn damages(kind: DemoCase) -> bool {
    !matches!(kind, DemoCase::Strip | DemoCase::Kill)
}

impl Case {
    /// Returns the turn of the case. Verification by the kernel takes a second, so cases with a
    /// guard in the same kernels follow one another; address translation cannot be undone, so it is
    /// last.
    pub fn turn(self) -> u8 {
        let turn = match (self.engine, self.version) {
            (None, _) => 0,
            (Some(DemoEngine::Queue), _) => 1,
            (Some(DemoEngine::Mixed), 4) => 2,
            (Some(DemoEngine::Kernel), _) => 3,
            (Some(DemoEngine::Mixed), _) => 4,
        };
        // Back from where the others have ended.
        if self.is_translated() { 9 - turn } else { turn }
    }

    /// Returns whether the router translates the client's address.
    fn is_translated(self) -> bool {
        matches!(self.kind, DemoCase::Nat | DemoCase::Sequence)
    }

    fn fault(self) -> Fault {
        match self.kind {
            DemoCase::Sequence => Fault::NatSequence,
            DemoCase::Swap | DemoCase::Nat => Fault::WordSwap,
            DemoCase::Rewrite => Fault::NatDamage,
            DemoCase::Strip => Fault::NoRequest,
            DemoCase::Kill if self.kills_manager() => Fault::WordSwap,
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
        if self.is_translated() {
            network.translate()?;
        }
        let (Some(value), Some(engine)) = (self.value, self.engine) else {
            network.remove_from_kernel([true; 2])?;
            let plain = |network: &Network| network.fetch_as_delivered(self.version);
            let fetched = self.damaging(network, one_in, seed, row, plain)??;
            return self.compare(network, &fetched, row);
        };
        let (fetched, counts) = if self.kills_manager() {
            self.kill_manager(network, value, one_in, seed, row)?
        } else {
            let engines = match (engine, self.version) {
                (DemoEngine::Queue, _) => [Engine::Queue; 2],
                (DemoEngine::Kernel, _) => [Engine::Kernel; 2],
                (DemoEngine::Mixed, 4) => [Engine::Kernel, Engine::Queue],
                (DemoEngine::Mixed, _) => [Engine::Queue, Engine::Kernel],
            };
            let [client, server] = network.guards(engines, value)?;
            let transfer = |network: &Network| {
                if self.kind == DemoCase::Kill {
                    let fetched = network.during_transfer(self.version, || {
                        server.kill();
                        network.fetch(self.version, "file")
                    })?;
                    clean_twice(network, self.version)?;
                    return Ok((fetched, [client.end()?, Counts::default()]));
                }
                let fetched = network.fetch(self.version, "file")?;
                anyhow::Ok((fetched, [client.end()?, server.end()?]))
            };
            self.damaging(network, one_in, seed, row, transfer)??
        };
        row.cpu_time = counts.map(|counts| counts.cpu_time);
        let agreed = &counts[0].agreed;
        if self.kind == DemoCase::Kill && agreed[usize::from(value)] == 0 {
            bail!("the connection was not guarded before the guard was killed");
        }
        row.caught = Some(counts[0].caught);
        // With the queue engine, the connection of the killed guard had agreed on a value; the
        // later one counts.
        let is_later = self.kind == DemoCase::Kill && !self.kills_manager();
        let first = if is_later { 0 } else { value };
        row.agreed = [first, value, 0].into_iter().find(|&value| agreed[usize::from(value)] > 0);
        self.compare(network, &fetched, row)
    }

    /// Returns whether the killed process is the manager of a guard that stays.
    fn kills_manager(self) -> bool {
        self.kind == DemoCase::Kill && self.engine == Some(DemoEngine::Kernel)
    }

    /// Does `work` while the router damages packets.
    fn damaging<T>(
        self,
        network: &Network,
        one_in: u64,
        seed: u64,
        row: &mut Row,
        work: impl FnOnce(&Network) -> T,
    ) -> anyhow::Result<T> {
        let router = Router::new(self.fault(), one_in, seed);
        let (result, router) = network.while_damaging(router, || work(network))?;
        (row.segments, row.damaged) = (router.segments, router.damaged);
        Ok(result)
    }

    /// Kills the manager of the server's guard during the transfer, which goes on, guarded, as does
    /// a new one.
    fn kill_manager(
        self,
        network: &mut Network,
        value: u8,
        one_in: u64,
        seed: u64,
        row: &mut Row,
    ) -> anyhow::Result<(Fetched, [Counts; 2])> {
        let manager = network.managed_server(value)?;
        let [client, server] = network.guards([Engine::Kernel; 2], value)?;
        let transfer = |network: &Network| {
            let fetched = network.fetch_while(self.version, || {
                manager.kill();
                Ok(())
            })?;
            if network.fetch(self.version, "small")?.bytes != network.small() {
                bail!("a wrong file after the manager was killed");
            }
            anyhow::Ok(fetched)
        };
        let fetched = self.damaging(network, one_in, seed, row, transfer)??;
        let counts = [client.end()?, server.end()?];
        for counts in &counts {
            if counts.agreed[usize::from(value)] != 2 {
                bail!("one of the two connections was not guarded");
            }
        }
        Ok((fetched, counts))
    }

    fn compare(self, network: &Network, fetched: &Fetched, row: &mut Row) -> anyhow::Result<()> {
        row.wrong = Some(wrong_bytes(&fetched.bytes, network.file()));
        row.sha256 = Some(fetched.sha256.clone());
        row.seconds = Some(fetched.seconds);
        row.megabits = fetched.bytes.len() as f64 * 8e-6 / fetched.seconds;
        Ok(())
    }

    /// Compares the result with the expected one.
    fn judge(self, row: &Row, is_right: bool, one_in: u64) -> anyhow::Result<()> {
        let wrong = row.wrong.unwrap_or(0);
        if is_right != (wrong == 0) {
            bail!("the bytes and their SHA-256 disagree");
        }
        let damages = damages(self.kind) || self.kills_manager();
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

/// Removes the rules of the server's killed guard, after which there are none and connections work.
fn clean_twice(network: &Network, version: u8) -> anyhow::Result<()> {
    if clean("server")?.is_empty() {
        bail!("the killed guard has left no rules");
    }
    if !clean("server")?.is_empty() {
        bail!("`guard clean` has left rules");
    }
    if network.fetch(version, "small")?.bytes != network.small() {
        bail!("a wrong file without the rules");
    }
    Ok(())
}

fn wrong_bytes(got: &[u8], expected: &[u8]) -> u64 {
    let differ = got.iter().zip(expected).filter(|(got, expected)| got != expected).count();
    (differ + got.len().abs_diff(expected.len())) as u64
}
