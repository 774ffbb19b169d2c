//! Options of both engines.

use super::{GuardOptions, Policy, Value};
use anyhow::bail;
use residue_guard::Policy as Unguarded;
use residue_guard::adapter::{self, Host, Need, Ports};
use residue_guard::kernel;
use residue_guard::negotiate::Offer;

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    Kernel,
    Queue,
}

/// Options as the engines take them.
pub struct Chosen {
    pub host: Host,
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
        let host = Host::of(&options.interface)?;
        let value = match options.value {
            Value::Own(value) => Some(value),
            Value::Auto if options.force || host.has_crc_instructions() => None,
            Value::Auto => bail!(
                "this CPU has no CRC instructions, so `--value auto` would guard nothing; use \
                 --force to request value {} all the same",
                host.value
            ),
        };
        let policy = match options.policy {
            Policy::Prefer => Unguarded::Prefer,
            Policy::Require => Unguarded::Require,
        };
        Ok(Chosen { host, ports, value, policy })
    }

    /// Returns the request of an engine.
    pub fn offer(&self, engine: Engine) -> Offer {
        let of_host = match engine {
            Engine::Kernel => kernel::instead_of(self.host.value),
            Engine::Queue => self.host.value,
        };
        Offer { value: self.value.unwrap_or(of_host), instead: of_host }
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
    if let Some(status) = adapter::ask()? {
        bail!(
            "process {} guards `{}` by the queue engine; stop it first",
            status.process,
            status.interface
        );
    }
    Ok(())
}
