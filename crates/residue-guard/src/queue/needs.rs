//! Requirements of the queue engine.

use super::client::Queue;
use super::rules::{Backend, Rules};
use super::status::{QueueStatus, listener};
use crate::host::Need;
use std::io;

/// Tests the requirements of the queue engine for an interface, without changing anything.
#[must_use]
pub fn needs(interface: &str) -> Vec<Need> {
    let need = |name, result: io::Result<()>, replaceable| Need {
        name,
        missing: result.err().map(|error| error.to_string()),
        replaceable,
    };
    let rules = Rules::new(interface, &[]);
    let numbers = rules.as_ref().map_or([14, 15, 17, 18], Rules::queues);
    let free = || {
        numbers
            .into_iter()
            .find_map(|number| Some((number, listener(number)?)))
            .map_or(Ok(()), |(number, who)| {
                Err(io::Error::other(format!("queue {number} belongs to {who}")))
            })
    };
    let test = |backend| match &rules {
        Ok(rules) => rules.test(backend),
        Err(error) => Err(io::Error::other(error.to_string())),
    };
    vec![
        need("netfilter queue", Queue::open(&[PROBE]).map(drop).map_err(explain), false),
        need("queues 14, 15, 17 and 18 free", free(), false),
        need("nft with queues", test(Backend::Nft), true),
        need("iptables with queues", test(Backend::Iptables), true),
    ]
}

/// Number of a queue that is unlikely to be in use.
const PROBE: u16 = 65_514;

/// Adds advice to an error.
pub(super) fn explain(error: io::Error) -> io::Error {
    let words = match error.kind() {
        io::ErrorKind::PermissionDenied => "not permitted; run it as root, or with CAP_NET_ADMIN",
        io::ErrorKind::InvalidInput
        | io::ErrorKind::ConnectionRefused
        | io::ErrorKind::Unsupported => {
            "this kernel has no netfilter queue \
             (CONFIG_NETFILTER_NETLINK_QUEUE, module nfnetlink_queue)"
        }
        _ => return error,
    };
    io::Error::new(error.kind(), words)
}

/// Returns an error if another program has one of the queues.
pub(super) fn must_be_free(queues: [u16; 4]) -> io::Result<()> {
    for number in queues {
        if let Some(who) = listener(number) {
            let words = format!(
                "queue {number} of this network namespace belongs to {who}; end it first \
                 (if it is a guard, see `residue guard status`)"
            );
            return Err(io::Error::new(io::ErrorKind::AddrInUse, words));
        }
    }
    Ok(())
}

/// Returns the counts of the kernel's queues that can be read.
pub(super) fn queues(numbers: [u16; 4]) -> Vec<QueueStatus> {
    numbers.into_iter().filter_map(QueueStatus::of).collect()
}
