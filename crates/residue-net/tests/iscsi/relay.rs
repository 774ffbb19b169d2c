//! A relay to a target, which writes its traffic as a capture. The TCP/IP headers are synthetic:
//! this needs no privilege, and contains nothing of the machine.

use residue_net::pcap::LinkType;
use residue_net::pcap::write::{Header, Writer};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

const ENDS: [[u8; 4]; 2] = [[192, 0, 2, 9], [192, 0, 2, 1]];
/// Port of the target in the capture.
pub const PORT: u16 = 3260;
/// Bytes of data in a segment, as on Ethernet.
const SEGMENT: usize = 1460;

const FIN: u8 = 1;
const SYN: u8 = 2;
const PSH: u8 = 8;
const ACK: u8 = 16;

/// The packets of several connections.
struct Capture {
    writer: Writer<Vec<u8>>,
    time: u64,
}

/// A connection in the capture.
struct Connection {
    port: u16,
    /// Next sequence number of each side.
    next: [u32; 2],
}

impl Capture {
    fn new() -> Self {
        let writer = Writer::new(Vec::new(), Header::new(LinkType::RAW)).unwrap();
        // 2026-01-01, and every packet a microsecond later.
        Capture { writer, time: 1_767_225_600_000_000_000 }
    }

    fn connection(&mut self, port: u16) -> Connection {
        let mut connection = Connection { port, next: [0xffff_f000, 0x1000_0000] };
        self.segment(&mut connection, 0, SYN, &[]);
        self.segment(&mut connection, 1, SYN | ACK, &[]);
        self.segment(&mut connection, 0, ACK, &[]);
        connection
    }

    fn data(&mut self, connection: &mut Connection, side: usize, bytes: &[u8]) {
        for part in bytes.chunks(SEGMENT) {
            self.segment(connection, side, PSH | ACK, part);
        }
    }

    fn segment(&mut self, connection: &mut Connection, side: usize, flags: u8, data: &[u8]) {
        let ports = [connection.port, PORT];
        let length = 20 + data.len() as u16;
        let mut tcp = Vec::new();
        for port in [ports[side], ports[1 - side]] {
            tcp.extend(port.to_be_bytes());
        }
        let acknowledged = if flags & ACK == 0 { 0 } else { connection.next[1 - side] };
        tcp.extend(connection.next[side].to_be_bytes());
        tcp.extend(acknowledged.to_be_bytes());
        tcp.extend([0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
        tcp.extend(data);
        let addresses = [ENDS[side], ENDS[1 - side]].concat();
        let pseudo = [&addresses[..], &[0, 6], &length.to_be_bytes(), &tcp].concat();
        tcp[16..18].copy_from_slice(&residue::internet::checksum(&pseudo).to_be_bytes());

        let mut ip = vec![0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 6, 0, 0];
        ip[2..4].copy_from_slice(&(20 + length).to_be_bytes());
        ip.extend(addresses);
        let sum = residue::internet::checksum(&ip);
        ip[10..12].copy_from_slice(&sum.to_be_bytes());
        ip.extend(tcp);
        self.time += 1000;
        self.writer.packet(self.time, ip.len() as u32, &ip).unwrap();
        let counts = flags & (SYN | FIN) != 0;
        let passed = data.len() as u32 + u32::from(counts);
        connection.next[side] = connection.next[side].wrapping_add(passed);
    }
}

/// A relay that listens on loopback.
pub struct Relay {
    pub port: u16,
    capture: Arc<Mutex<Capture>>,
}

impl Relay {
    /// Passes connections on to a target.
    pub fn to(target: SocketAddr) -> Relay {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port of loopback");
        let port = listener.local_addr().unwrap().port();
        let capture = Arc::new(Mutex::new(Capture::new()));
        let shared = capture.clone();
        // It ends with the process of the test, in `accept`.
        thread::spawn(move || {
            for (client_port, client) in (40000..).zip(listener.incoming()) {
                let (Ok(client), Ok(server)) = (client, TcpStream::connect(target)) else { break };
                let connection = shared.lock().unwrap().connection(client_port);
                let connection = Arc::new(Mutex::new(connection));
                let pair = |stream: &TcpStream| stream.try_clone().unwrap();
                let ways = [(pair(&client), pair(&server)), (server, client)];
                for (side, (from, to)) in ways.into_iter().enumerate() {
                    let (capture, connection) = (shared.clone(), connection.clone());
                    thread::spawn(move || pass(from, to, side, &capture, &connection));
                }
            }
        });
        Relay { port, capture }
    }

    /// The capture so far.
    pub fn capture(&self) -> Vec<u8> {
        let mut capture = self.capture.lock().unwrap();
        std::mem::replace(&mut *capture, Capture::new()).writer.into_inner()
    }
}

fn pass(
    mut from: TcpStream,
    mut to: TcpStream,
    side: usize,
    capture: &Mutex<Capture>,
    connection: &Mutex<Connection>,
) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        // Before the data is passed on: an answer must not be captured before its question.
        capture.lock().unwrap().data(&mut connection.lock().unwrap(), side, &buffer[..count]);
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let mut connection = connection.lock().unwrap();
    capture.lock().unwrap().segment(&mut connection, side, FIN | ACK, &[]);
    let _ = to.shutdown(Shutdown::Write);
}
