//! The cases of the demonstration, and their expected results.

use super::hosts::{Counts, Fetched, Network, clean};
use super::{Engines, Kind};
use crate::{Fault, Router};
use anyhow::bail;
use serde::Serialize;

/// A case to show.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Case {
    /// What happens.
    #[serde(rename = "case")]
    pub kind: Kind,
    /// Version of IP.
    #[serde(rename = "ip")]
    pub version: u8,
    /// Value that both guards request; `None` without guards.
    pub value: Option<u8>,
    /// Engines of the guards; `None` without guards.
    pub engine: Option<Engines>,
}

/// The result of a case.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The case.
    #[serde(flatten)]
    pub case: Case,
    /// Value of the client's connection, 0 for regular TCP; `None` without a guard.
    pub agreed: Option<u8>,
    /// Segments with data forwarded by the router.
    pub segments: u64,
    /// Packets changed by the router.
    pub damaged: u64,
    /// Damaged packets that are right by the value, so that no guard can detect the damage.
    pub undetectable: u64,
    /// Segments that the client's guard dropped for a wrong check value, but not for a missing one.
    pub caught: Option<u64>,
    /// Bytes of the received file that differ from the server's; `None` without a file.
    pub wrong: Option<u64>,
    /// SHA-256 of the received file.
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

/// Returns the cases of these kinds (none: of all), engines, values and versions of IP. Those with
/// address translation come last, because it stays on.
#[must_use]
pub fn cases(kinds: &[Kind], engines: &[Engines], values: &[u8], versions: &[u8]) -> Vec<Case> {
    let is_wanted = |kind: &Kind| kinds.is_empty() || kinds.contains(kind);
    // These cases never agree on a value, so one is enough.
    let one = values.iter().copied().find(|&value| value == 5);
    let one = one.or(values.first().copied());
    let versions = [4, 6].into_iter().filter(|version| versions.contains(version));
    let mut cases = Vec::new();
    for kind in Kind::ALL.into_iter().filter(is_wanted) {
        let of = |some: &[u8]| -> Vec<u8> {
            values.iter().copied().filter(|value| some.contains(value)).collect()
        };
        let values: Vec<u8> = match kind {
            Kind::Swap => values.to_vec(),
            Kind::Rewrite | Kind::Nat => of(&[4, 7]),
            // 4 does not cover the sequence number, and the others do not survive a NAT.
            Kind::Sequence => of(&[7]),
            Kind::Strip | Kind::Kill => one.into_iter().collect(),
        };
        if damages(kind) {
            let plain = |version| Case { kind, version, value: None, engine: None };
            cases.extend(versions.clone().map(plain));
        }
        // By engine first, because a guard stays in the kernel from case to case.
        for &engine in engines {
            if kind == Kind::Kill && engine == Engines::Mixed {
                continue;
            }
            for version in versions.clone() {
                let of = |&value| Case { kind, version, value: Some(value), engine: Some(engine) };
                cases.extend(values.iter().map(of));
            }
        }
    }
    cases
}

/// Returns whether the router damages segments in all transfers of a case.
fn damages(kind: Kind) -> bool {
    !matches!(kind, Kind::Strip | Kind::Kill)
}

impl Case {
    /// Returns the turn of the case. The kernel verifies the programs whenever a guard is put into
    /// it, so cases with a guard in the same kernels follow one another; address translation cannot
    /// be undone, so it is last.
    #[must_use]
    pub fn turn(self) -> u8 {
        let turn = match (self.engine, self.version) {
            (None, _) => 0,
            (Some(Engines::Queue), _) => 1,
            (Some(Engines::Mixed), 4) => 2,
            (Some(Engines::Kernel), _) => 3,
            (Some(Engines::Mixed), _) => 4,
        };
        // Back from where the others have ended.
        if self.is_translated() { 9 - turn } else { turn }
    }

    /// Returns whether the router translates the client's address.
    fn is_translated(self) -> bool {
        matches!(self.kind, Kind::Nat | Kind::Sequence)
    }

    fn fault(self) -> Fault {
        match self.kind {
            Kind::Sequence => Fault::NatSequence,
            Kind::Swap | Kind::Nat => Fault::WordSwap,
            Kind::Rewrite => Fault::NatDamage,
            Kind::Strip => Fault::NoRequest,
            Kind::Kill if self.kills_manager() => Fault::WordSwap,
            Kind::Kill => Fault::Nothing,
        }
    }

    /// Runs the case. A failure is recorded in the row.
    #[must_use]
    pub fn run(self, network: &mut Network, one_in: u64, seed: u64) -> Row {
        let mut row = Row {
            case: self,
            agreed: None,
            segments: 0,
            damaged: 0,
            undetectable: 0,
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
            let in_kernel = match engine {
                Engines::Queue => [false; 2],
                Engines::Kernel => [true; 2],
                Engines::Mixed => [self.version == 4, self.version == 6],
            };
            let [client, server] = network.guards(in_kernel, value)?;
            if self.kind == Kind::Kill {
                let transfer = |network: &Network| {
                    let fetched = network.during_transfer(self.version, || {
                        server.kill();
                        network.fetch(self.version, "file")
                    })?;
                    clean_twice(network, self.version)?;
                    anyhow::Ok(fetched)
                };
                let fetched = self.damaging(network, one_in, seed, row, transfer)??;
                (fetched, [client.end()?, Counts::default()])
            } else {
                let transfer = |network: &Network| network.fetch(self.version, "file");
                let fetched = self.damaging(network, one_in, seed, row, transfer)??;
                (fetched, [client.end()?, server.end()?])
            }
        };
        row.cpu_time = counts.map(|counts| counts.cpu_time);
        let agreed = &counts[0].agreed;
        if self.kind == Kind::Kill && agreed[usize::from(value)] == 0 {
            bail!("the connection was not guarded before the guard was killed");
        }
        row.caught = Some(counts[0].caught);
        // With the queue engine, the connection of the killed guard had agreed on a value; the
        // later one counts.
        let is_later = self.kind == Kind::Kill && !self.kills_manager();
        let first = if is_later { 0 } else { value };
        row.agreed = [first, value, 0].into_iter().find(|&value| agreed[usize::from(value)] > 0);
        self.compare(network, &fetched, row)
    }

    /// Returns whether the killed process is the manager of a guard that stays.
    fn kills_manager(self) -> bool {
        self.kind == Kind::Kill && self.engine == Some(Engines::Kernel)
    }

    /// Does `work` while the router damages packets. Guards are asked for their counts afterwards,
    /// when no segment is damaged that they would miss.
    fn damaging<T>(
        self,
        network: &Network,
        one_in: u64,
        seed: u64,
        row: &mut Row,
        work: impl FnOnce(&Network) -> T,
    ) -> anyhow::Result<T> {
        let router = Router::new(self.fault(), one_in, seed).expecting(self.value);
        let (result, router) = network.while_damaging(router, || work(network))?;
        (row.segments, row.damaged) = (router.segments, router.damaged);
        row.undetectable = router.undetectable;
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
        let [client, server] = network.guards([true; 2], value)?;
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
            Some(_) if wrong > 0 && row.undetectable == 0 => {
                bail!("{wrong} wrong bytes delivered")
            }
            Some(value) if damages => {
                if row.agreed != Some(value) {
                    bail!("value {value} was not agreed on");
                }
                let caught = row.caught.unwrap_or(0);
                let detectable = row.damaged - row.undetectable;
                if caught != detectable {
                    bail!("{detectable} segments were damaged detectably, {caught} caught");
                }
            }
            Some(_) if row.agreed != Some(0) => bail!("the connection is not regular TCP"),
            Some(_) if self.kind == Kind::Strip && row.damaged == 0 => {
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
