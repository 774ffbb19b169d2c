//! The netfilter queue of Linux: packets that a rule (`NFQUEUE`, `queue`) hands to a program, and
//! the program's verdicts.

use super::message::{Message, Requests, messages};
use super::sys::{self, Datagrams, SocketOption};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// Memory for packets that have not been received.
const RECEIVE: i32 = 64 << 20;
/// The most packets of a queue that wait for a verdict. As many as the memory holds, or a little
/// more.
const WAITING: u32 = 1 << 14;
/// Verdicts are sent when this many bytes have come together. With one packet more it is still less
/// than what a socket may send at once by default (208 KiB).
const SENT_AT_ONCE: usize = 128 << 10;
/// The kernel answers at once.
const ANSWER: Duration = Duration::from_secs(5);

/// What is to become of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict<'a> {
    /// It goes on as it is.
    Accept,
    /// These bytes go on in its place: a whole IP packet with right checksums.
    Replace(&'a [u8]),
    /// Nothing goes on.
    Drop,
}

/// Decides about packets.
pub trait Judge {
    /// The verdict on a packet of this queue. The packet begins with its IP header; its checksums
    /// are complete, and it is no longer than a segment of the connection: the kernel does both
    /// before it shows it. It shows 65,531 bytes at most: a packet of which bytes are missing can
    /// be accepted or dropped only.
    fn judge(&mut self, queue: u16, packet: &[u8]) -> Verdict<'_>;
}

/// Packets are received and verdicts sent many at a time: one by one, most of the time would go
/// into system calls.
///
/// When it is dropped, packets go on by themselves if the rule says `--queue-bypass` (`flags
/// bypass`), or get lost. A full queue drops packets; TCP sends them again.
///
/// ```no_run
/// use residue_guard::adapter::{Judge, Queue, Verdict};
///
/// struct Count(u64);
/// impl Judge for Count {
///     fn judge(&mut self, _queue: u16, _packet: &[u8]) -> Verdict<'_> {
///         self.0 += 1;
///         Verdict::Accept
///     }
/// }
///
/// let (mut queue, mut count) = (Queue::open(&[3])?, Count(0));
/// while count.0 < 1000 {
///     queue.wait(std::time::Duration::from_secs(1))?;
///     queue.batch(&mut count)?;
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Queue {
    socket: OwnedFd,
    received: Datagrams,
    verdicts: Requests,
}

impl Queue {
    /// Asks for the packets of these queues of the present network namespace.
    ///
    /// # Errors
    ///
    /// `PermissionDenied` without `CAP_NET_ADMIN`, or if another program has a queue
    /// (see /proc/net/netfilter/nfnetlink_queue); `ConnectionRefused` or `InvalidInput` if the
    /// kernel has no netfilter queue.
    pub fn open(numbers: &[u16]) -> io::Result<Queue> {
        let socket = sys::netfilter_socket()?;
        let fd = socket.as_fd();
        // A namespace's root may not: then the system's limit has to do.
        sys::set(fd, SocketOption::ReceiveForce, RECEIVE)
            .or_else(|_| sys::set(fd, SocketOption::Receive, RECEIVE))?;
        sys::set(fd, SocketOption::NoLossErrors, 1)?;
        sys::set(fd, SocketOption::ShortErrors, 1)?;

        let mut requests = Requests::default();
        let mut sequence = 1;
        for &number in numbers {
            requests.bind(number, WAITING, sequence);
            sequence += 3;
        }
        sys::send(fd, requests.bytes())?;
        let mut queue = Queue { socket, received: Datagrams::new(), verdicts: Requests::default() };
        queue.answered(sequence - 1)?;
        Ok(queue)
    }

    /// Waits for the answers to the requests 1 to `last`. Packets that come between them, if rules
    /// are there already, go on.
    fn answered(&mut self, last: u32) -> io::Result<()> {
        let until = Instant::now() + ANSWER;
        let mut done = 0;
        while done < last {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "the kernel does not answer"));
            }
            self.wait(left)?;
            self.received.receive(self.socket.as_fd())?;
            for message in self.received.iter().flat_map(messages) {
                match message {
                    Message::Answer { sequence: 1.., error: 0 } => done += 1,
                    Message::Answer { sequence: 1.., error } => {
                        return Err(io::Error::from_raw_os_error(error));
                    }
                    Message::Packet { queue, id, .. } => {
                        self.verdicts.verdict(queue, id, true, None);
                    }
                    Message::Answer { .. } | Message::Other => {}
                }
            }
            flush(&self.socket, &mut self.verdicts)?;
        }
        Ok(())
    }

    /// Waits until there are packets, or for `most`.
    pub fn wait(&self, most: Duration) -> io::Result<bool> {
        sys::wait([self.as_fd()], most).map(|[ready]| ready)
    }

    /// Has the packets judged that are there, 64 at most, without waiting. Their number; 0 if there
    /// are none.
    pub fn batch(&mut self, judge: &mut impl Judge) -> io::Result<usize> {
        let count = self.received.receive(self.socket.as_fd())?;
        for message in self.received.iter().flat_map(messages) {
            // Answers are errors here: of packets that the kernel has given up, because their
            // device has gone.
            let Message::Packet { queue, id, bytes } = message else { continue };
            let (accept, instead) = match judge.judge(queue, bytes) {
                Verdict::Accept => (true, None),
                Verdict::Replace(bytes) => (true, Some(bytes)),
                Verdict::Drop => (false, None),
            };
            self.verdicts.verdict(queue, id, accept, instead);
            if self.verdicts.bytes().len() > SENT_AT_ONCE {
                flush(&self.socket, &mut self.verdicts)?;
            }
        }
        flush(&self.socket, &mut self.verdicts)?;
        Ok(count)
    }
}

impl AsFd for Queue {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn flush(socket: &OwnedFd, verdicts: &mut Requests) -> io::Result<()> {
    if verdicts.bytes().is_empty() {
        return Ok(());
    }
    let result = sys::send(socket.as_fd(), verdicts.bytes());
    verdicts.clear();
    result
}
