//! A small iSCSI initiator (RFC 7143): one connection, error recovery level 0, both digests if the
//! target supports them.

use super::target;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Bytes of data sent with a command before the target requests them.
const IMMEDIATE: usize = 4096;
/// Largest number of bytes of data in a PDU.
const LONGEST_DATA: usize = 8192;

/// Counts of digests of header and data.
pub type Counts = [usize; 2];

/// A received PDU.
struct Pdu {
    header: [u8; 48],
    data: Vec<u8>,
}

impl Pdu {
    fn word(&self, at: usize) -> u32 {
        u32::from_be_bytes(self.header[at..at + 4].try_into().unwrap())
    }
}

/// The result of a command.
#[derive(Debug, PartialEq)]
pub struct Done {
    pub status: u8,
    /// Data read.
    pub data: Vec<u8>,
    pub sense: Vec<u8>,
}

/// A session.
pub struct Initiator {
    stream: TcpStream,
    digests: [bool; 2],
    tag: u32,
    command: u32,
    expected_status: u32,
    /// Counts of digests sent, and of right digests received.
    pub counts: [Counts; 2],
}

impl Initiator {
    /// Connects and logs in.
    pub fn login(port: u16) -> io::Result<Initiator> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        stream.set_nodelay(true)?;
        let mut initiator = Initiator {
            stream,
            digests: [false; 2],
            tag: 0,
            command: 1,
            expected_status: 0,
            counts: [[0; 2]; 2],
        };
        let keys = [
            "InitiatorName=iqn.2026-01.test.residue:initiator",
            &format!("TargetName={}", target::NAME),
            "SessionType=Normal",
            "HeaderDigest=CRC32C,None",
            "DataDigest=CRC32C,None",
            "ErrorRecoveryLevel=0",
            "InitialR2T=Yes",
            "ImmediateData=Yes",
            &format!("FirstBurstLength={IMMEDIATE}"),
            "MaxBurstLength=262144",
            &format!("MaxRecvDataSegmentLength={LONGEST_DATA}"),
            "MaxOutstandingR2T=1",
            "MaxConnections=1",
            "DataPDUInOrder=Yes",
            "DataSequenceInOrder=Yes",
            "DefaultTime2Wait=2",
            "DefaultTime2Retain=0",
        ];
        let mut text = keys.join("\0") + "\0";
        let mut answers = String::new();
        loop {
            let mut header = [0; 48];
            // Immediate; from operational negotiation to full feature.
            (header[0], header[1]) = (0x43, 0x87);
            header[8..14].copy_from_slice(&[0x80, 0, 0, 0, 0, 1]);
            initiator.send(header, text.as_bytes())?;
            let answer = initiator.receive()?;
            if answer.header[0] != 0x23 || answer.header[36] != 0 {
                return Err(wrong(format!("login refused: {:02x?}", answer.header)));
            }
            answers += &String::from_utf8_lossy(&answer.data);
            if answer.header[1] & 0x83 == 0x83 {
                break;
            }
            text.clear();
        }
        let has = |key: &str| answers.split('\0').any(|pair| pair == format!("{key}=CRC32C"));
        initiator.digests = [has("HeaderDigest"), has("DataDigest")];
        Ok(initiator)
    }

    /// TEST UNIT READY.
    pub fn test_unit_ready(&mut self) -> io::Result<Done> {
        self.command(&[0; 6], 0, &[])
    }

    /// INQUIRY of this many bytes.
    pub fn inquiry(&mut self, length: u8) -> io::Result<Done> {
        self.command(&[0x12, 0, 0, 0, length, 0], length.into(), &[])
    }

    /// READ(10).
    pub fn read(&mut self, block: u32, blocks: u16) -> io::Result<Done> {
        self.command(&ten(0x28, block, blocks), usize::from(blocks) * 512, &[])
    }

    /// WRITE(10).
    pub fn write(&mut self, block: u32, data: &[u8]) -> io::Result<Done> {
        self.command(&ten(0x2a, block, (data.len() / 512) as u16), 0, data)
    }

    /// Logs out.
    pub fn logout(&mut self) -> io::Result<()> {
        let mut header = [0; 48];
        (header[0], header[1]) = (0x46, 0x80);
        self.send(header, &[])?;
        let answer = self.receive()?;
        if answer.header[0] == 0x26 { Ok(()) } else { Err(wrong("no answer to a logout".into())) }
    }

    fn command(&mut self, cdb: &[u8], expected: usize, out: &[u8]) -> io::Result<Done> {
        self.tag += 1;
        let mut header = [0; 48];
        let (reads, writes) = (expected > 0, !out.is_empty());
        (header[0], header[1]) = (0x01, 0x81 | u8::from(reads) << 6 | u8::from(writes) << 5);
        header[9] = 1;
        let length = expected.max(out.len()) as u32;
        header[20..24].copy_from_slice(&length.to_be_bytes());
        header[32..32 + cdb.len()].copy_from_slice(cdb);
        let immediate = &out[..out.len().min(IMMEDIATE)];
        self.send(header, immediate)?;
        self.command += 1;
        let mut done = Done { status: 0, data: vec![0; expected], sense: Vec::new() };
        let mut read = 0;
        loop {
            let pdu = self.receive()?;
            match pdu.header[0] & 0x3f {
                0x25 => {
                    let at = pdu.word(40) as usize;
                    let place = done.data.get_mut(at..at + pdu.data.len());
                    place
                        .ok_or_else(|| wrong("more data than asked for".into()))?
                        .copy_from_slice(&pdu.data);
                    read += pdu.data.len();
                    if pdu.header[1] & 1 != 0 {
                        done.status = pdu.header[3];
                        break;
                    }
                }
                0x31 => self.data_out(&pdu, out)?,
                0x21 => {
                    done.status = pdu.header[3];
                    done.sense = pdu.data.get(2..).unwrap_or_default().to_vec();
                    break;
                }
                opcode => return Err(wrong(format!("opcode {opcode:02x}"))),
            }
        }
        done.data.truncate(read);
        Ok(done)
    }

    /// Sends the data that the target requests.
    fn data_out(&mut self, request: &Pdu, out: &[u8]) -> io::Result<()> {
        let (start, length) = (request.word(40) as usize, request.word(44) as usize);
        let wanted = out
            .get(start..start + length)
            .ok_or_else(|| wrong("more data asked for than there are".into()))?;
        let parts = wanted.chunks(LONGEST_DATA);
        let last = parts.len() - 1;
        for (number, part) in parts.enumerate() {
            let mut header = [0; 48];
            (header[0], header[1]) = (0x05, u8::from(number == last) << 7);
            header[8..16].copy_from_slice(&request.header[8..16]);
            header[20..24].copy_from_slice(&request.header[20..24]);
            header[36..40].copy_from_slice(&(number as u32).to_be_bytes());
            let at = (start + number * LONGEST_DATA) as u32;
            header[40..44].copy_from_slice(&at.to_be_bytes());
            self.send(header, part)?;
        }
        Ok(())
    }

    /// Fills in the common fields of requests, and sends.
    fn send(&mut self, mut header: [u8; 48], data: &[u8]) -> io::Result<()> {
        header[5..8].copy_from_slice(&(data.len() as u32).to_be_bytes()[1..]);
        header[16..20].copy_from_slice(&self.tag.to_be_bytes());
        if header[0] & 0x3f != 0x05 {
            header[24..28].copy_from_slice(&self.command.to_be_bytes());
        }
        header[28..32].copy_from_slice(&self.expected_status.to_be_bytes());
        let mut bytes = header.to_vec();
        if self.digests[0] {
            bytes.extend(residue::crc32c(&bytes).to_le_bytes());
            self.counts[0][0] += 1;
        }
        let start = bytes.len();
        bytes.extend(data);
        bytes.resize(start + data.len().next_multiple_of(4), 0);
        if self.digests[1] && !data.is_empty() {
            bytes.extend(residue::crc32c(&bytes[start..]).to_le_bytes());
            self.counts[0][1] += 1;
        }
        self.stream.write_all(&bytes)
    }

    fn receive(&mut self) -> io::Result<Pdu> {
        let mut header = [0; 48];
        self.stream.read_exact(&mut header)?;
        self.digest(0, &header)?;
        let length = u32::from_be_bytes([0, header[5], header[6], header[7]]) as usize;
        let mut data = vec![0; length.next_multiple_of(4)];
        if length > 0 {
            self.stream.read_exact(&mut data)?;
            self.digest(1, &data)?;
            data.truncate(length);
        }
        let pdu = Pdu { header, data };
        let has_status =
            !matches!(header[0], 0x25 | 0x31) || header[0] == 0x25 && header[1] & 1 != 0;
        if has_status {
            self.expected_status = pdu.word(24).wrapping_add(1);
        }
        Ok(pdu)
    }

    fn digest(&mut self, part: usize, covered: &[u8]) -> io::Result<()> {
        if !self.digests[part] {
            return Ok(());
        }
        let mut digest = [0; 4];
        self.stream.read_exact(&mut digest)?;
        self.counts[1][part] += 1;
        let is_right = u32::from_le_bytes(digest) == residue::crc32c(covered);
        if is_right { Ok(()) } else { Err(wrong("a wrong digest".into())) }
    }
}

/// Returns the command block of READ(10) and WRITE(10).
fn ten(operation: u8, block: u32, blocks: u16) -> [u8; 10] {
    let ([a, b, c, d], [high, low]) = (block.to_be_bytes(), blocks.to_be_bytes());
    [operation, 0, a, b, c, d, 0, high, low, 0]
}

fn wrong(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
