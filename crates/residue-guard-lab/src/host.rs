//! An end of the connection: a TCP stack, and the guard in front of it.

use crate::random::mixed;
use residue_guard::{Action, Engine};
use smoltcp::iface::{self, Interface, SocketHandle, SocketSet};
use smoltcp::phy::{self, Device, DeviceCapabilities, Medium};
use smoltcp::socket::tcp::{Socket, SocketBuffer};
use smoltcp::time::Instant;
use smoltcp::wire::{HardwareAddress, IpAddress, IpCidr};
use std::collections::VecDeque;
use std::time::Duration;

/// Largest packet of the link.
pub(super) const MTU: usize = 576;
/// Bytes that a TCP stack buffers in each direction.
const WINDOW: usize = 32768;
pub(super) const PORT: u16 = 80;

pub(super) struct Host {
    wire: Wire,
    interface: Interface,
    sockets: SocketSet<'static>,
    socket: SocketHandle,
    pub(super) engine: Option<Engine>,
}

/// Packets to and from the host's TCP stack.
#[derive(Default)]
struct Wire {
    received: VecDeque<Vec<u8>>,
    sent: VecDeque<Vec<u8>>,
}

struct Taken(Vec<u8>);
struct Given<'a>(&'a mut VecDeque<Vec<u8>>);

impl Device for Wire {
    type RxToken<'a> = Taken;
    type TxToken<'a> = Given<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Taken, Given<'_>)> {
        self.received.pop_front().map(|packet| (Taken(packet), Given(&mut self.sent)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Given<'_>> {
        Some(Given(&mut self.sent))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ip;
        capabilities.max_transmission_unit = MTU;
        capabilities
    }
}

impl phy::RxToken for Taken {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, take: F) -> R {
        take(&self.0)
    }
}

impl phy::TxToken for Given<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, give: F) -> R {
        let mut packet = vec![0; length];
        let result = give(&mut packet);
        self.0.push_back(packet);
        result
    }
}

fn instant(now: Duration) -> Instant {
    Instant::from_micros(now.as_micros() as i64)
}

/// Returns the byte of the stream at an offset.
pub(super) fn stream(offset: u64) -> u8 {
    (mixed(offset / 8) >> (offset % 8 * 8)) as u8
}

fn socket() -> Socket<'static> {
    let buffer = || SocketBuffer::new(vec![0; WINDOW]);
    Socket::new(buffer(), buffer())
}

impl Host {
    pub(super) fn new(address: IpAddress, seed: u64, engine: Option<Engine>) -> Host {
        let mut wire = Wire::default();
        let mut config = iface::Config::new(HardwareAddress::Ip);
        config.random_seed = seed;
        let mut interface = Interface::new(config, &mut wire, Instant::ZERO);
        interface.update_ip_addrs(|addresses| {
            // All addresses are neighbours.
            let length = if matches!(address, IpAddress::Ipv4(_)) { 1 } else { 0 };
            let _ = addresses.push(IpCidr::new(address, length));
        });
        let mut sockets = SocketSet::new(Vec::new());
        let handle = sockets.add(socket());
        Host { wire, interface, sockets, socket: handle, engine }
    }

    /// Replaces the connection by a new one.
    fn renew(&mut self) -> (&mut Socket<'static>, &mut iface::Context) {
        self.sockets.remove(self.socket);
        self.socket = self.sockets.add(socket());
        (self.sockets.get_mut(self.socket), self.interface.context())
    }

    pub(super) fn listen(&mut self) {
        let (socket, _) = self.renew();
        socket.listen(PORT).expect("a new socket listens");
    }

    pub(super) fn connect(&mut self, to: IpAddress, port: u16) {
        let (socket, context) = self.renew();
        socket.connect(context, (to, PORT), port).expect("a new socket connects");
    }

    /// Writes as much of the stream as TCP accepts; `sent` counts the bytes.
    pub(super) fn write(&mut self, sent: &mut u64) {
        let socket = self.sockets.get_mut::<Socket<'_>>(self.socket);
        while socket.can_send() {
            let given = socket.send(|room| {
                for (at, byte) in (*sent..).zip(room.iter_mut()) {
                    *byte = stream(at);
                }
                (room.len(), room.len())
            });
            *sent += given.unwrap_or(0) as u64;
        }
    }

    /// Reads what TCP has received; `received` counts the bytes. Returns the number of wrong bytes.
    pub(super) fn read(&mut self, received: &mut u64) -> u64 {
        let socket = self.sockets.get_mut::<Socket<'_>>(self.socket);
        let mut wrong = 0;
        while socket.can_recv() {
            let taken = socket.recv(|bytes| {
                let expected = (*received..).map(stream);
                wrong += bytes.iter().zip(expected).filter(|&(&is, due)| is != due).count() as u64;
                (bytes.len(), bytes.len())
            });
            *received += taken.unwrap_or(0) as u64;
        }
        wrong
    }

    /// Runs TCP; passes the packets that the host sends to `each`.
    pub(super) fn poll(&mut self, now: Duration, mut each: impl FnMut(&[u8])) {
        self.interface.poll(instant(now), &mut self.wire, &mut self.sockets);
        while let Some(packet) = self.wire.sent.pop_front() {
            match self.engine.as_mut().map(|engine| engine.egress(&packet, now)) {
                None | Some(Action::Pass) => each(&packet),
                Some(Action::Replace(packet)) => each(packet),
                Some(Action::Drop(_)) => {}
            }
            // Through the engine, as a raw socket sends it.
            let Some(engine) = &mut self.engine else { continue };
            if let Some(rest) = engine.rest().map(<[u8]>::to_vec) {
                match engine.egress(&rest, now) {
                    Action::Pass => each(&rest),
                    Action::Replace(packet) => each(packet),
                    Action::Drop(_) => {}
                }
            }
        }
    }

    /// Returns when the next timer of TCP is due.
    pub(super) fn due(&mut self, now: Duration) -> Option<Duration> {
        let due = self.interface.poll_at(instant(now), &self.sockets)?;
        Some(Duration::from_micros(due.total_micros().max(0) as u64))
    }

    /// Receives a packet from the network; returns the packet that TCP gets, if any.
    pub(super) fn receive(&mut self, packet: &[u8], now: Duration) -> Option<&[u8]> {
        let packet = match self.engine.as_mut().map(|engine| engine.ingress(packet, now)) {
            None | Some(Action::Pass) => packet.to_vec(),
            Some(Action::Replace(packet)) => packet.to_vec(),
            Some(Action::Drop(_)) => return None,
        };
        self.wire.received.push_back(packet);
        self.wire.received.back().map(Vec::as_slice)
    }
}
