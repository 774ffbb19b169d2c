// Packets from the network.
#ifndef GUARD_INGRESS_H
#define GUARD_INGRESS_H

#include "segments.h"

#define PASS 0
#define DROP 1
// Not right by any value of a new connection.
#define NOT_NEW 2

// Whether the segment is for a socket of this host: the local kernel knows. Other packets may be
// forwarded, and are left alone.
static __always_inline int is_local(void *context, const int hook, struct scratch *s)
{
	struct bpf_sock_tuple tuple = {};
	struct bpf_sock *sk;
	__u32 size;

	if (s->is_ipv6) {
		__builtin_memcpy(tuple.ipv6.saddr, s->source, 16);
		__builtin_memcpy(tuple.ipv6.daddr, s->destination, 16);
		tuple.ipv6.sport = s->key.remote_port;
		tuple.ipv6.dport = s->key.local_port;
		size = sizeof(tuple.ipv6);
	} else {
		__builtin_memcpy(&tuple.ipv4.saddr, s->source + 12, 4);
		__builtin_memcpy(&tuple.ipv4.daddr, s->destination + 12, 4);
		tuple.ipv4.sport = s->key.remote_port;
		tuple.ipv4.dport = s->key.local_port;
		size = sizeof(tuple.ipv4);
	}
	if (hook == XDP)
		sk = bpf_skc_lookup_tcp((struct xdp_md *)context, &tuple, size,
					BPF_F_CURRENT_NETNS, 0);
	else
		sk = bpf_skc_lookup_tcp((struct __sk_buff *)context, &tuple, size,
					BPF_F_CURRENT_NETNS, 0);
	if (!sk)
		return 0;
	bpf_sk_release(sk);
	return 1;
}

// A segment without a check value. Whether its socket is in a cgroup cannot be asked here; without
// the answer of this host, which is dropped, the connection does not get beyond the handshake.
static __always_inline int unprotected(void *context, const int hook, struct scratch *s,
				       const struct guard_config *c)
{
	if (!(c->flags & GUARD_REQUIRE) || c->flags & GUARD_LIMITED || s->is_signed ||
	    !is_port(c, s->key.local_port, s->key.remote_port) || !is_local(context, hook, s))
		return PASS;
	COUNT(refused);
	return DROP;
}

static __always_inline int receive_syn(void *context, const int hook, struct scratch *s,
				       const struct guard_config *c, struct guard_connection *known)
{
	__u32 at, offset = s->request_at, fast_open = s->fast_open_at;
	__be32 bytes = 0, new = 0;
	__u8 value = 0;
	int state;

	if (s->is_signed || !c->value || !is_port(c, s->key.local_port, s->key.remote_port))
		return PASS;
	at = gather(context, hook, s, 5);
	if (!at || !(state = checksum_state(s, c, at))) {
		COUNT(bad_syns);
		return DROP;
	}
	if (known && known->phase == GUARD_AGREED && !known->proven && s->tcp[13] & ACK &&
	    known->peer_isn == be32(s->tcp + 4)) {
		// A repeated SYN: the peer has not received, or not understood, what followed.
		if (known->failures < 255)
			known->failures++;
		if (known->failures == 4)
			record_failure(c, s->key.remote, known->step);
	}
	if (offset > 57)
		return PASS;
	offset = within(offset);
	if (s->requests == 1 && s->request_length == 3)
		value = s->tcp[offset + 2];
	if (value < 3 || value > 6)
		return unprotected(context, hook, s, c);
	if (!is_local(context, hook, s))
		return PASS;
	// Data have no check value. A guard sends none, and another TCP repeats the SYN without them.
	if (s->length != s->header) {
		COUNT(fast_open_removed);
		return DROP;
	}
	// The place of the value is known; 4 bytes around it, which are in the header.
	if (state == (COMPLETE | PARTIAL) && hook == XDP)
		return DROP;
	__builtin_memcpy(&bytes, s->tcp + offset - 1, 4);
	new = bytes | bpf_htonl(MARKED);
	overwrite(context, hook, s, offset - 1, bytes, new, state);
	if (s->fast_opens == 1 && fast_open >= TCP_HEADER && fast_open <= 58) {
		// One byte of kind: an option that nobody knows.
		fast_open = within(fast_open);
		__builtin_memcpy(&bytes, s->tcp + fast_open - 3, 4);
		new = (bytes & bpf_htonl(0xffffff00)) | bpf_htonl(253);
		overwrite(context, hook, s, fast_open - 3, bytes, new, state);
		COUNT(fast_open_removed);
	}
	return PASS;
}

// Puts the value of a good segment in place of its CRC: for the socket program, and so that
// segments of a burst have equal options, and can be merged.
static __always_inline int replace(void *context, const int hook, struct scratch *s, __u8 value,
				   int state)
{
	__u32 offset = s->data_at;
	__be32 stored;

	if (hook == XDP && state == (COMPLETE | PARTIAL))
		return 0;
	if (offset > 54)
		return 0;
	offset = within(offset);
	__builtin_memcpy(&stored, s->tcp + offset + 2, 4);
	overwrite(context, hook, s, offset + 2, stored, bpf_htonl(value), state);
	return 1;
}

// A segment of no guarded connection: of a handshake, or forged. It changes nothing; if it ends
// the handshake, the kernel says so. The ports may be those of a closed connection (`known`): then
// a segment that is right by no value is left to that one (NOT_NEW).
static __always_inline int unknown(void *context, const int hook, struct scratch *s,
				   const struct guard_config *c,
				   const struct guard_connection *known)
{
	struct guard_counters *counters = counting();
	int state;

	if (s->data_options != 1)
		return known ? NOT_NEW : unprotected(context, hook, s, c);
	if (!c->value || !counters || !is_port(c, s->key.local_port, s->key.remote_port) ||
	    !is_local(context, hook, s))
		return known ? NOT_NEW : PASS;
	for (int value = 4; value <= 6; value++) {
		if (verify(context, hook, s, c, value, &state) != GOOD)
			continue;
		if (!replace(context, hook, s, value, state))
			return DROP;
		if (known && known->value == value)
			counters->received[value].both_good++;
		else
			counters->unconfirmed++;
		return PASS;
	}
	if (known)
		return NOT_NEW;
	COUNT(orphans);
	return DROP;
}

static __always_inline int in_window(const struct guard_connection *known, __u32 sequence)
{
	return !known->window || sequence - known->acknowledged < known->window;
}

static __always_inline int receive_segment(void *context, const int hook, struct scratch *s,
					   const struct guard_config *c,
					   struct guard_connection *known)
{
	struct guard_counters *counters = counting();
	enum judged judged;
	__u8 value = known->value;
	__u32 merged = 1;
	int state = WRONG;

	if (!counters || value >= GUARD_VALUES)
		return PASS;
	if (hook == TC && ((struct __sk_buff *)context)->gso_size) {
		merged = ((struct __sk_buff *)context)->gso_segs;
		judged = verify_merged(context, s, value);
	} else {
		judged = verify(context, hook, s, c, value, &state);
	}
	if (judged == GOOD) {
		counters->received[value].both_good += merged;
		known->proven = 1;
		if (hook == XDP)
			replace(context, hook, s, value, state);
		return PASS;
	}
	if (!in_window(known, be32(s->tcp + 4))) {
		counters->out_of_window++;
		return DROP;
	}
	if (judged == ONLY_TCP_BAD)
		counters->received[value].only_tcp_bad++;
	else if (judged == ONLY_CRC_BAD)
		counters->received[value].only_crc_bad++;
	else if (judged == BOTH_BAD)
		counters->received[value].both_bad++;
	else
		counters->received[value].missing++;
	// The path may block the value. Both numbers are right, so the segment is the peer's.
	if (!known->proven && known->window && be32(s->tcp + 8) - known->own_isn - 1 < 1 << 20) {
		if (known->failures < 255)
			known->failures++;
		if (known->failures == 4)
			record_failure(c, s->key.remote, known->step);
	}
	return DROP;
}

static __always_inline int receive(void *context, const int hook)
{
	struct guard_config *c = configuration();
	struct scratch *s = own_scratch();
	struct guard_connection *known;
	enum packet packet;
	__u8 flags;

	if (!c || !s)
		return PASS;
	packet = parse(context, hook, s, c, 0);
	if (packet == OTHER)
		return PASS;
	known = bpf_map_lookup_elem(&connections, &s->key);
	if (packet == FRAGMENT) {
		if (!known || known->phase != GUARD_AGREED)
			return PASS;
		COUNT(fragments);
		return DROP;
	}
	flags = s->tcp[13];
	if (flags & RST)
		return PASS;
	if (flags & SYN)
		return receive_syn(context, hook, s, c, known);
	if (!known || known->phase != GUARD_AGREED) {
		int verdict;
		// Without a check value, it is not of the connection that is closed.
		if (!s->data_options)
			known = 0;
		verdict = unknown(context, hook, s, c, known);
		if (!known || verdict != NOT_NEW)
			return verdict;
	}
	return receive_segment(context, hook, s, c, known);
}

#endif
