//! The netfilter queue of Linux: a rule (`NFQUEUE`, `queue`) passes packets to a program, which
//! returns verdicts.

use super::message::{Message, Requests, messages};
use crate::sys::{self, Datagrams, Netlink, SocketOption};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// Memory for packets that wait in the socket.
const RECEIVE: i32 = 64 << 20;
/// Largest number of packets of a queue that wait for a verdict: about as many as the memory holds.
const WAITING: u32 = 1 << 14;
/// Number of bytes from which verdicts are sent. With one more packet, they still fit into the
/// default size of a send (208 KiB).
const SENT_AT_ONCE: usize = 128 << 10;
/// Time limit for an answer of the kernel, which comes at once.
const ANSWER: Duration = Duration::from_secs(5);

/// A verdict on a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict<'a> {
    /// Pass the packet unchanged.
    Accept,
    /// Replace the packet by these bytes: a whole IP packet with right checksums.
    Replace(&'a [u8]),
    /// Drop the packet.
    Drop,
}

/// Decides about packets.
pub trait Judge {
    /// Returns the verdict on a packet of this queue. The packet begins with its IP header. Its
    /// checksums are complete, and it is no longer than a segment of the connection: the kernel
    /// ensures both. At most 65,531 bytes are shown: a packet with missing bytes can only be
    /// accepted or dropped.
    fn judge(&mut self, queue: u16, packet: &[u8]) -> Verdict<'_>;
}

/// A client of netfilter queues. Receives packets and sends verdicts in batches: one by one, system
/// calls would take most of the time.
///
/// After it is dropped, packets pass if the rule has `--queue-bypass` (`flags bypass`), and are
/// lost otherwise. A full queue drops packets, so TCP retransmits.
///
/// ```no_run
/// use residue_guard::queue::{Judge, Queue, Verdict};
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
    /// Largest number of packets in a batch.
    pub(super) const BATCH: usize = sys::MOST;

    /// Requests the packets of these queues of the current network namespace.
    ///
    /// # Errors
    ///
    /// `PermissionDenied` without `CAP_NET_ADMIN`, or if another program has a queue (see
    /// /proc/net/netfilter/nfnetlink_queue); `ConnectionRefused` or `InvalidInput` if the kernel
    /// has no netfilter queue.
    pub fn open(numbers: &[u16]) -> io::Result<Queue> {
        Queue::open_for(numbers, WAITING)
    }

    /// Opens queues in which at most `waiting` packets wait for a verdict.
    pub(super) fn open_for(numbers: &[u16], waiting: u32) -> io::Result<Queue> {
        let memory = (RECEIVE as u32 / WAITING * waiting) as i32;
        let socket = sys::netlink_socket(Netlink::Netfilter)?;
        let fd = socket.as_fd();
        // The root of a namespace may not exceed the limit of the system.
        sys::set(fd, SocketOption::ReceiveForce, memory)
            .or_else(|_| sys::set(fd, SocketOption::Receive, memory))?;
        sys::set(fd, SocketOption::NoLossErrors, 1)?;
        sys::set(fd, SocketOption::ShortErrors, 1)?;

        let mut requests = Requests::default();
        let mut sequence = 1;
        for &number in numbers {
            requests.bind(number, waiting, sequence);
            sequence += 3;
        }
        sys::send(fd, requests.bytes())?;
        let mut queue = Queue { socket, received: Datagrams::new(), verdicts: Requests::default() };
        queue.answered(sequence - 1)?;
        Ok(queue)
    }

    /// Waits for the answers to the requests 1 to `last`. Accepts packets that arrive meanwhile, if
    /// there are rules already.
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

    /// Waits for packets, for at most `most`; returns whether there are any.
    pub fn wait(&self, most: Duration) -> io::Result<bool> {
        sys::wait([self.as_fd()], most).map(|[ready]| ready)
    }

    /// Judges the available packets, at most 64, without waiting. Returns their number.
    pub fn batch(&mut self, judge: &mut impl Judge) -> io::Result<usize> {
        let count = self.received.receive(self.socket.as_fd())?;
        for message in self.received.iter().flat_map(messages) {
            // Answers are errors of packets that the kernel dropped, because their device is gone.
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
