//! Which packets go to which queue, and how many.

use crate::host::Ports;
use std::io;

/// The assignment of packets to queues. Packets that may be forged have queues of their own, so
/// that a flood of them displaces no others: SYNs, and segments without a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Name of the interface.
    pub interface: String,
    /// Ports of the connections, at either end; empty: all.
    pub ports: Vec<Ports>,
    /// Queue of sent packets.
    pub sent: u16,
    /// Queue of received packets.
    pub received: u16,
    /// Queue of received SYNs with option 14.
    pub syns: u16,
    /// Queue of other received segments without a socket, and of reports of a smaller MTU.
    pub strangers: u16,
}

/// What the rules tell apart. Each needs more of the kernel than the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matched {
    /// Also segments that complete a handshake of this host's kernel, by sets of nft.
    Handshakes,
    /// Segments with a socket, and floods of others (`nft_limit`, `xt_hashlimit`).
    SocketsAndFloods,
    /// Segments with a socket (`nft_socket`, `xt_socket`).
    Sockets,
    /// SYNs with option 14 only.
    Requests,
}

impl Matched {
    /// Returns the match without limits.
    pub fn unlimited(self) -> Matched {
        match self {
            Matched::Requests => Matched::Requests,
            _ => Matched::Sockets,
        }
    }
}

/// Packets that may be forged of which so many pass in a second: SYNs, and segments without a
/// socket. The guard can serve more. Of others, a sender's first one is dropped, and half as many
/// of the next ones pass: TCP repeats segments, and a flood from ever new ports and addresses does
/// not.
pub const SYNS: u32 = 20_000;
pub const STRANGERS: u32 = 5_000;
/// Number of them that may come at once.
pub const BURST: u32 = 2048;
/// Senders that are remembered for this, and for how many seconds after their last packet: the
/// first repetition of a SYN comes after one second, the second after two more.
pub const SENDERS: u32 = 1 << 19;
pub const REMEMBERED: u32 = 3;

impl Rules {
    /// Creates rules for an interface, with the queues 14, 15, 17 and 18.
    ///
    /// # Errors
    ///
    /// If the name of the interface has characters that nft and iptables interpret, or there are
    /// more ports than a rule of iptables can hold.
    pub fn new(interface: &str, ports: &[Ports]) -> io::Result<Rules> {
        let usual = |c: char| c.is_ascii_alphanumeric() || "._-:@".contains(c);
        if interface.is_empty() || interface.len() > 15 || !interface.chars().all(usual) {
            let name = interface.escape_debug();
            return Err(invalid(format!("`{name}` is not the name of an interface")));
        }
        let needed: usize = ports.iter().map(|each| each.places()).sum();
        if needed > 15 {
            return Err(invalid("15 ports at most, where a range counts twice".to_string()));
        }
        Ok(Rules {
            interface: interface.to_string(),
            ports: ports.to_vec(),
            sent: 14,
            received: 15,
            syns: 17,
            strangers: 18,
        })
    }

    /// Returns the numbers of all queues.
    #[must_use]
    pub fn queues(&self) -> [u16; 4] {
        [self.sent, self.received, self.syns, self.strangers]
    }
}

fn invalid(words: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, words)
}
