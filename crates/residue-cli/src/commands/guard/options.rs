//! Options of both engines.

use super::arguments::{GuardOptions, Policy, Value};
use anyhow::bail;
use residue_guard::Policy as Unguarded;
use residue_guard::host::{Host, Need, Ports};
use residue_guard::negotiate::{Offer, preferred};
use residue_guard::{kernel, queue};

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    Kernel,
    Queue,
}

/// Options as the engines take them.
pub struct Chosen {
    /// The host as seen from each interface.
    hosts: Vec<Host>,
    pub ports: Vec<Ports>,
    /// The value that was asked for; `None`: `auto`.
    value: Option<u8>,
    pub policy: Unguarded,
}

impl Chosen {
    pub fn of(options: &GuardOptions) -> anyhow::Result<Chosen> {
        let ports: Result<Vec<Ports>, String> =
            options.ports.iter().map(|text| text.parse()).collect();
        let ports = ports.map_err(anyhow::Error::msg)?;
        if options.force && matches!(options.value, Value::Own(_)) {
            bail!("--force goes with `--value auto`; a named value needs no --force");
        }
        let hosts: Result<Vec<Host>, _> =
            options.interfaces.iter().map(|each| Host::of(each)).collect();
        let hosts = hosts?;
        let value = match options.value {
            Value::Own(value) => Some(value),
            Value::Auto if options.force || hosts.iter().all(Host::has_crc_instructions) => None,
            Value::Auto => bail!(
                "this CPU has no CRC instructions, so `--value auto` would guard nothing; use \
                 --force to request a value all the same"
            ),
        };
        let policy = match options.policy {
            Policy::Prefer => Unguarded::Prefer,
            Policy::Require => Unguarded::Require,
        };
        Ok(Chosen { hosts, ports, value, policy })
    }

    /// Returns the request of an engine: of those that the interfaces want, the one that also
    /// suits the others (3, then 5, then 7).
    pub fn offer(&self, engine: Engine) -> Offer {
        let of_hosts = self.hosts.iter().map(|host| match engine {
            Engine::Kernel => kernel::instead_of(host.value),
            Engine::Queue => host.value,
        });
        let of_host = of_hosts.max_by_key(|&value| (value == 4, value)).unwrap_or(4);
        Offer { value: self.value.unwrap_or(preferred(of_host)), instead: of_host }
    }
}

/// Returns whether all needs of an engine are met that it cannot do without. The queue engine also
/// needs one of the programs that install rules.
pub fn can_run(engine: Engine, needs: &[Need]) -> bool {
    let is_met = |need: &Need| need.missing.is_none();
    needs.iter().all(|need| need.replaceable || is_met(need))
        && (engine == Engine::Kernel || needs.iter().any(|need| need.replaceable && is_met(need)))
}

/// Returns the status of the process that runs the queue engine here, which excludes the other.
pub fn must_not_run() -> anyhow::Result<()> {
    if let Some(status) = queue::ask()? {
        bail!(
            "{} guards `{}` by the queue engine; stop it first",
            super::status::process(&status),
            status.interface
        );
    }
    Ok(())
}
