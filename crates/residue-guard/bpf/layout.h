// Constants and structures that the programs share with user space. src/kernel/layout.rs mirrors
// them; tests/kernel_layout.rs compares the two. Numbers are in the host's byte order, except
// addresses and ports of a key, which are copied from packets.
#ifndef GUARD_LAYOUT_H
#define GUARD_LAYOUT_H

#include <linux/types.h>

// Changes with every change of this file that the programs read. They do nothing while the
// configuration has another version.
#define GUARD_VERSION 4

// Values: index 1 to 7 of the counters.
#define GUARD_VALUES 8
// Most ports in the configuration.
#define GUARD_PORTS 64
// Entries of `crc_tables`: CRC-32C, CRC-32K.
#define GUARD_POLYNOMIALS 2
// Tables of each: slicing by 16.
#define GUARD_SLICES 16

// Flags of the configuration.
// Protection is required: unprotected segments of the host's own connections are dropped.
#define GUARD_REQUIRE 1
// Packets of the device begin with the IP header.
#define GUARD_NO_ETHERNET 2
// Only the sockets of a cgroup below the root are guarded.
#define GUARD_LIMITED 8
// The device may deliver segments whose checksum is not computed yet: it is no card.
#define GUARD_PARTIAL 4
// Nothing is above the device, such as a bridge: packets that are not forwarded are for this host.
#define GUARD_TOP 32
// Not for the programs: the end of the guard switches the threads that receive off.
#define GUARD_THREADS 16
// Not for the programs: they call the kernel's CRC-32C.
#define GUARD_KERNEL_CRC 64
// Not for the programs: the end of the guard switches the merging of received segments off.
#define GUARD_MERGING 128

// Phases of a connection and of a socket.
#define GUARD_OPENING 1
#define GUARD_AGREED 2
#define GUARD_CLOSING 3

// What is left to request from a destination.
#define GUARD_STEP_OWN 0
#define GUARD_STEP_FOUR 1
#define GUARD_STEP_NOTHING 2

// Why less is requested from a destination.
// The agreed value did not work on the path.
#define GUARD_REASON_FAILED 1
// SYNs with the option got no answer, a SYN without it did.
#define GUARD_REASON_SILENT 2
// Small segments arrive with the value, large ones do not: the path fragments or splits them.
#define GUARD_REASON_LARGE 3

// What is known of the large segments of a connection.
// One was sent; an acknowledgment of it has come; a good one was received.
#define GUARD_LARGE_SENT 1
#define GUARD_LARGE_ACKNOWLEDGED 2
#define GUARD_LARGE_RECEIVED 4

struct guard_config {
	__u32 version;
	// Value to request and to answer with: 1 to 7; 0: none.
	__u8 value;
	// What 6 counts as for a peer with another value: 4 or 5.
	__u8 instead;
	// SYNs, or SYN-ACKs, with the option before one without it is sent.
	__u8 tries;
	__u8 port_count;
	__u32 flags;
	// Interface that is guarded.
	__u32 device;
	// Interface that cuts big packets; 0: none.
	__u32 segmenter;
	// Interface that cuts packets and computes their Internet checksums, for values that stand in
	// the checksum field; 0: none.
	__u32 completer;
	// Interface through which they come back.
	__u32 completed;
	__u32 reserved;
	// Network namespace (SO_NETNS_COOKIE) whose sockets are guarded; 0: all.
	__u64 netns;
	// Time in nanoseconds for which failures of a destination are remembered.
	__u64 failed_time;
	// Only connections with one of these ports at either end; none: all.
	__u16 ports[GUARD_PORTS];
};

// Received segments with one value.
struct guard_received {
	__u64 both_good;
	__u64 only_tcp_bad;
	__u64 only_crc_bad;
	__u64 both_bad;
	__u64 missing;
};

struct guard_counters {
	struct guard_received received[GUARD_VALUES];
	__u64 sent[GUARD_VALUES];
	// Agreed connections; index 0: regular ones although this host sent a request.
	__u64 agreed[GUARD_VALUES];
	// SYNs sent with the option, and SYN-ACKs.
	__u64 requests;
	__u64 answers;
	// SYNs and SYN-ACKs repeated with and without the option, as those with it got no answer.
	__u64 silent;
	// SYNs and SYN-ACKs with a wrong Internet checksum: dropped.
	__u64 bad_syns;
	// Requests for TCP Fast Open removed.
	__u64 fast_open_removed;
	// Segments of connections without agreement whose option is right for no value: dropped.
	__u64 orphans;
	// Such segments with a right option: delivered, without effect on what is sent.
	__u64 unconfirmed;
	// Bad segments outside of the receive window: dropped, and not in `received`.
	__u64 out_of_window;
	// Destinations from which less is requested.
	__u64 failed_destinations;
	// Segments dropped for want of room for the option.
	__u64 no_room;
	__u64 sack_blocks_cut;
	// Options added to acknowledgments that the kernel sends without a socket.
	__u64 appended;
	// First fragments of guarded connections: dropped.
	__u64 fragments;
	// Packets dropped because protection is required but unavailable.
	__u64 refused;
	// Big packets handed to the segmenter, and those dropped because there is none.
	__u64 segmented;
	__u64 unsegmented;
};

// Ends of a connection as this host sees them. IPv4 addresses are IPv4-mapped.
struct guard_key {
	__u8 local[16];
	__u8 remote[16];
	__be16 local_port;
	__be16 remote_port;
};

// A connection that the local kernel has established with a value, or closed a while ago.
struct guard_connection {
	__u8 phase;
	__u8 value;
	// A good segment has been received.
	__u8 proven;
	// Failures before that.
	__u8 failures;
	// What was left to request when it was opened.
	__u8 step;
	// Shift of the windows that this host announces.
	__u8 window_shift;
	// GUARD_LARGE_SENT and its kin.
	__u8 large;
	// Large segments that were bad, or came in fragments, before a good one.
	__u8 large_failures;
	// Initial sequence numbers.
	__u32 own_isn;
	__u32 peer_isn;
	// Last acknowledgment number and window that this host sent; a window of 0: none yet.
	__u32 acknowledged;
	__u32 window;
	// Sequence number behind the first large segment that was sent.
	__u32 large_end;
	__u32 reserved;
	// Kernel clock (CLOCK_MONOTONIC, nanoseconds) of the agreement, or of the end.
	__u64 since;
};

// An answer that this host has given to a SYN, until the connection is established.
struct guard_answer {
	__u32 peer_isn;
	__u8 asked;
	__u8 tries;
	__u8 window_shift;
	// A SYN-ACK with the option has left through a guarded interface.
	__u8 passed;
	// A value without an option (1) with which a segment came that is right.
	__u8 shown;
	__u8 reserved[3];
};

// What is known of a destination, by the peer's address.
struct guard_destination {
	__u8 step;
	__u8 reason;
	// Reason of a failure that may have been an outage; 0: none.
	__u8 doubt;
	__u8 reserved[5];
	// Kernel clock of the last failure that weakened the request.
	__u64 since;
	// Kernel clock of the doubtful failure.
	__u64 doubted;
	// Kernel clock of the last connection on which a good segment came; 0: none.
	__u64 worked;
};

// State of a socket.
struct guard_socket {
	__u8 phase;
	__u8 value;
	__u8 instead;
	__u8 step;
	__u8 tries;
	__u8 window_shift;
	// A SYN with the option has left through a guarded interface.
	__u8 passed;
	__u8 reserved;
	// Kernel clock of the first SYN.
	__u64 since;
};

// Tables of a CRC: slices[k][byte] is the register after this byte and k bytes of zeros.
struct guard_tables {
	__u32 slices[GUARD_SLICES][256];
};

#endif
