//! Constants and structures that the programs in the kernel share with user space: `bpf/layout.h`
//! in Rust.
//!
//! A structure is read from and written to the bytes of a map, with its fields in order and without
//! padding. `tests/kernel_layout.rs` compares both files.

use residue::crc::catalog::{CRC_32_ISCSI, CRC_32_MEF};
use residue::crc::{Crc, Params};

/// A value with a fixed layout in maps.
pub trait Plain: Sized {
    /// Number of bytes.
    const SIZE: usize;
    /// Appends the bytes.
    fn write(&self, to: &mut Vec<u8>);
    /// Takes the bytes from the start of `from`; `None` if there are too few.
    fn read(from: &mut &[u8]) -> Option<Self>;

    /// Returns the bytes.
    #[must_use]
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Self::SIZE);
        self.write(&mut bytes);
        bytes
    }

    /// Returns the value of exactly these bytes; `None` if their number is another.
    #[must_use]
    fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let value = Self::read(&mut bytes)?;
        bytes.is_empty().then_some(value)
    }
}

macro_rules! plain_integers {
    ($($integer:ident)*) => {$(
        impl Plain for $integer {
            const SIZE: usize = size_of::<$integer>();

            fn write(&self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_ne_bytes());
            }

            fn read(from: &mut &[u8]) -> Option<Self> {
                let (bytes, rest) = from.split_first_chunk()?;
                *from = rest;
                Some($integer::from_ne_bytes(*bytes))
            }
        }
    )*};
}

plain_integers! { u8 u16 u32 u64 }

impl<T: Plain, const N: usize> Plain for [T; N] {
    const SIZE: usize = N * T::SIZE;

    fn write(&self, to: &mut Vec<u8>) {
        for each in self {
            each.write(to);
        }
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let all: Option<Vec<T>> = (0..N).map(|_| T::read(from)).collect();
        all?.try_into().ok()
    }
}

/// Constants by their names in `layout.h`.
macro_rules! constants {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $c:ident $value:expr;)*) => {
        $($(#[$doc])* pub const $name: $type = $value;)*

        /// Names in `layout.h` and values of the constants.
        pub const CONSTANTS: &[(&str, u64)] = &[$((stringify!($c), $value as u64)),*];
    };
}

constants! {
    /// Version of the layout. Programs with another one do nothing.
    VERSION: u32 = GUARD_VERSION 4;
    /// Number of values in the counters, 0 to 7.
    VALUES: usize = GUARD_VALUES 8;
    /// Most ports in the configuration.
    PORTS: usize = GUARD_PORTS 64;
    /// Number of entries of the map `crc_tables`: CRC-32C and CRC-32K.
    POLYNOMIALS: usize = GUARD_POLYNOMIALS 2;
    /// Number of tables of each.
    SLICES: usize = GUARD_SLICES 16;
    /// Flag: unprotected segments of the host's own connections are dropped.
    REQUIRE: u32 = GUARD_REQUIRE 1;
    /// Flag: packets of the device begin with the IP header.
    NO_ETHERNET: u32 = GUARD_NO_ETHERNET 2;
    /// Flag: only the sockets of a cgroup below the root are guarded.
    LIMITED: u32 = GUARD_LIMITED 8;
    /// Flag: the device may deliver segments whose checksum is not computed yet: it is no card.
    PARTIAL: u32 = GUARD_PARTIAL 4;
    /// Flag: nothing is above the device, such as a bridge.
    TOP: u32 = GUARD_TOP 32;
    /// Flag, not for the programs: the end of the guard switches the threads that receive off.
    THREADS: u32 = GUARD_THREADS 16;
    /// Flag, not for the programs: they call the kernel's CRC-32C.
    KERNEL_CRC: u32 = GUARD_KERNEL_CRC 64;
    /// Flag, not for the programs: the end of the guard switches the merging of received segments
    /// off.
    MERGING: u32 = GUARD_MERGING 128;
    /// Phase: the host has sent a SYN.
    OPENING: u8 = GUARD_OPENING 1;
    /// Phase: the connection has a value.
    AGREED: u8 = GUARD_AGREED 2;
    /// Phase: the connection has ended.
    CLOSING: u8 = GUARD_CLOSING 3;
    /// Step: the host's own value is requested.
    STEP_OWN: u8 = GUARD_STEP_OWN 0;
    /// Step: 4 is requested.
    STEP_FOUR: u8 = GUARD_STEP_FOUR 1;
    /// Step: nothing is requested.
    STEP_NOTHING: u8 = GUARD_STEP_NOTHING 2;
    /// Reason: the agreed value did not work on the path.
    REASON_FAILED: u8 = GUARD_REASON_FAILED 1;
    /// Reason: SYNs with the option got no answer, one without it did.
    REASON_SILENT: u8 = GUARD_REASON_SILENT 2;
    /// Reason: small segments arrived with the value, large ones did not.
    REASON_LARGE: u8 = GUARD_REASON_LARGE 3;
    /// Of a connection: a large segment was sent.
    LARGE_SENT: u8 = GUARD_LARGE_SENT 1;
    /// Of a connection: it was acknowledged.
    LARGE_ACKNOWLEDGED: u8 = GUARD_LARGE_ACKNOWLEDGED 2;
    /// Of a connection: a good large segment was received.
    LARGE_RECEIVED: u8 = GUARD_LARGE_RECEIVED 4;
}

/// Structures by their names and fields in `layout.h`.
macro_rules! structures {
    ($(
        $(#[$doc:meta])*
        pub struct $name:ident = $c:ident { $($(#[$field_doc:meta])* pub $field:ident: $type:ty,)* }
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            #[repr(C)]
            pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }

            impl Plain for $name {
                const SIZE: usize = 0 $(+ <$type>::SIZE)*;

                fn write(&self, to: &mut Vec<u8>) {
                    $(self.$field.write(to);)*
                }

                fn read(from: &mut &[u8]) -> Option<Self> {
                    Some($name { $($field: <$type>::read(from)?,)* })
                }
            }

            impl Default for $name {
                fn default() -> $name {
                    $name { $($field: zero(),)* }
                }
            }

            // The compiler adds no padding either, here or in C.
            const _: () = assert!(size_of::<$name>() == <$name as Plain>::SIZE);
        )*

        /// Names in `layout.h`, and names and sizes of the fields, of the structures.
        pub const STRUCTURES: &[(&str, &[(&str, usize)])] =
            &[$((stringify!($c), &[$((stringify!($field), <$type>::SIZE)),*])),*];
    };
}

fn zero<T: Plain>() -> T {
    let zeros = vec![0; T::SIZE];
    T::from_bytes(&zeros).unwrap_or_else(|| unreachable!("as many bytes as it has"))
}

structures! {
    /// Configuration of the programs: map `config`.
    pub struct Config = guard_config {
        /// [`VERSION`].
        pub version: u32,
        /// Value to request and to answer with: 1 to 7; 0: none.
        pub value: u8,
        /// What 6 counts as for a peer with another value: 4 or 5.
        pub instead: u8,
        /// SYNs, or SYN-ACKs, with the option before one without it is sent.
        pub tries: u8,
        /// Number of `ports`.
        pub port_count: u8,
        /// [`REQUIRE`], [`NO_ETHERNET`], [`LIMITED`], [`PARTIAL`], [`TOP`], [`THREADS`],
        /// [`KERNEL_CRC`], [`MERGING`].
        pub flags: u32,
        /// Interface that is guarded.
        pub device: u32,
        /// Interface that cuts big packets; 0: none.
        pub segmenter: u32,
        /// Interface that cuts packets and computes their Internet checksums, for values that stand
        /// in the checksum field; 0: none.
        pub completer: u32,
        /// Interface through which they come back.
        pub completed: u32,
        /// 0.
        pub reserved: u32,
        /// Network namespace (`SO_NETNS_COOKIE`) whose sockets are guarded; 0: all.
        pub netns: u64,
        /// Time in nanoseconds for which failures of a destination are remembered.
        pub failed_time: u64,
        /// Only connections with one of these ports at either end; none: all.
        pub ports: [u16; PORTS],
    }

    /// Received segments with one value.
    pub struct Received = guard_received {
        /// Both check values are right.
        pub both_good: u64,
        /// Only the Internet checksum is wrong.
        pub only_tcp_bad: u64,
        /// Only the CRC is wrong.
        pub only_crc_bad: u64,
        /// Both are wrong.
        pub both_bad: u64,
        /// The option was missing, or had another length.
        pub missing: u64,
    }

    /// Counters of a CPU: map `counters`.
    pub struct Counters = guard_counters {
        /// Received segments by value.
        pub received: [Received; VALUES],
        /// Segments sent with a check value, by value.
        pub sent: [u64; VALUES],
        /// Agreed connections by value; index 0: regular ones although this host sent a request.
        pub agreed: [u64; VALUES],
        /// SYNs sent with the option.
        pub requests: u64,
        /// SYN-ACKs sent with the option.
        pub answers: u64,
        /// SYNs and SYN-ACKs repeated with and without the option, as those with it got no answer.
        pub silent: u64,
        /// SYNs and SYN-ACKs with a wrong Internet checksum: dropped.
        pub bad_syns: u64,
        /// Requests for TCP Fast Open removed.
        pub fast_open_removed: u64,
        /// Segments of connections without agreement whose option is right for no value: dropped.
        pub orphans: u64,
        /// Such segments with a right option: delivered, without effect on what is sent.
        pub unconfirmed: u64,
        /// Bad segments outside of the receive window: dropped, and not in `received`.
        pub out_of_window: u64,
        /// Destinations from which less is requested.
        pub failed_destinations: u64,
        /// Segments dropped for want of room for the option.
        pub no_room: u64,
        /// Blocks of selective acknowledgments cut to make room.
        pub sack_blocks_cut: u64,
        /// Options added to acknowledgments that the kernel sends without a socket.
        pub appended: u64,
        /// First fragments of guarded connections: dropped.
        pub fragments: u64,
        /// Packets dropped because protection is required but unavailable.
        pub refused: u64,
        /// Big packets handed to the segmenter.
        pub segmented: u64,
        /// Big packets dropped because there is no segmenter.
        pub unsegmented: u64,
    }

    /// Ends of a connection as its socket sees them: key of the maps `connections`, `closed`,
    /// `answers` and `translated`.
    pub struct Key = guard_key {
        /// This host's address; IPv4 addresses are IPv4-mapped.
        pub local: [u8; 16],
        /// The peer's address.
        pub remote: [u8; 16],
        /// This host's port, in network byte order.
        pub local_port: u16,
        /// The peer's port, in network byte order.
        pub remote_port: u16,
    }

    /// A connection that the kernel has established with a value, or closed: maps `connections`
    /// and `closed`.
    pub struct Connection = guard_connection {
        /// [`AGREED`] or [`CLOSING`].
        pub phase: u8,
        /// The value.
        pub value: u8,
        /// Whether a good segment has been received.
        pub proven: u8,
        /// Failures before that.
        pub failures: u8,
        /// What was left to request when it was opened.
        pub step: u8,
        /// Shift of the windows that this host announces.
        pub window_shift: u8,
        /// [`LARGE_SENT`], [`LARGE_ACKNOWLEDGED`], [`LARGE_RECEIVED`].
        pub large: u8,
        /// Large segments that were bad, or came in fragments, before a good one.
        pub large_failures: u8,
        /// This host's initial sequence number.
        pub own_isn: u32,
        /// The peer's.
        pub peer_isn: u32,
        /// Last acknowledgment number that this host sent.
        pub acknowledged: u32,
        /// Last window that this host sent, in bytes; 0: none yet.
        pub window: u32,
        /// Sequence number behind the first large segment that was sent.
        pub large_end: u32,
        /// 0.
        pub reserved: u32,
        /// Kernel clock (`CLOCK_MONOTONIC`, nanoseconds) of the agreement, or of the end.
        pub since: u64,
    }

    /// An answer to a SYN, until the connection is established: map `answers`.
    pub struct Answer = guard_answer {
        /// The peer's initial sequence number.
        pub peer_isn: u32,
        /// The value that the peer requested.
        pub asked: u8,
        /// SYN-ACKs sent.
        pub tries: u8,
        /// Shift of the windows that this host announces.
        pub window_shift: u8,
        /// Whether a SYN-ACK with the option has left through a guarded interface.
        pub passed: u8,
        /// A value without an option (1) with which a segment came that is right.
        pub shown: u8,
        /// 0.
        pub reserved: [u8; 3],
    }

    /// What is known of a destination: map `destinations`, by the peer's address.
    pub struct Destination = guard_destination {
        /// [`STEP_OWN`], [`STEP_FOUR`], [`STEP_NOTHING`].
        pub step: u8,
        /// [`REASON_FAILED`], [`REASON_SILENT`], [`REASON_LARGE`].
        pub reason: u8,
        /// Reason of a failure that may have been an outage; 0: none.
        pub doubt: u8,
        /// 0.
        pub reserved: [u8; 5],
        /// Kernel clock of the last failure that weakened the request.
        pub since: u64,
        /// Kernel clock of the doubtful failure.
        pub doubted: u64,
        /// Kernel clock of the last connection on which a good segment came; 0: none.
        pub worked: u64,
    }

    /// State of a socket: map `sockets`.
    pub struct Socket = guard_socket {
        /// [`OPENING`], [`AGREED`]; 0: regular.
        pub phase: u8,
        /// The requested value, then the agreed one.
        pub value: u8,
        /// What 6 counts as for a peer with another value.
        pub instead: u8,
        /// What was left to request.
        pub step: u8,
        /// SYNs sent.
        pub tries: u8,
        /// Shift of the windows that this host announces.
        pub window_shift: u8,
        /// Whether a SYN with the option has left through a guarded interface.
        pub passed: u8,
        /// 0.
        pub reserved: u8,
        /// Kernel clock of the first SYN.
        pub since: u64,
    }
}

/// Tables of a CRC, entry of the map `crc_tables`: `[k][byte]` is the register after this byte and
/// k bytes of zeros.
pub type Tables = [[u32; 256]; SLICES];

/// Returns the tables of CRC-32C and CRC-32K, in the order of the map `crc_tables`.
#[must_use]
pub fn crc_tables() -> [Tables; POLYNOMIALS] {
    [&CRC_32_ISCSI, &CRC_32_MEF].map(|params| {
        let register = Crc::<u32>::new(&Params { init: 0, xorout: 0, ..*params });
        let mut tables = [[0; 256]; SLICES];
        for (zeros, table) in tables.iter_mut().enumerate() {
            for (byte, entry) in (0..=255).zip(table) {
                let mut message = [0; SLICES];
                message[0] = byte;
                *entry = register.checksum(&message[..=zeros]);
            }
        }
        tables
    })
}
