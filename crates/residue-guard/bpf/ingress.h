// Packets from the network.
#ifndef GUARD_INGRESS_H
#define GUARD_INGRESS_H

#include "segments.h"

#define PASS 0
#define DROP 1
// Not right by any value of a new connection.
#define NOT_NEW 2

// Whose a segment is: nobody's here, so it may be forwarded, and is left alone; that of a socket
// that listens and waits for no such segment; that of another socket.
#define ELSEWHERE 0
#define STRANGER 1
#define LOCAL 2

// Asks the local kernel for the socket of a segment.
static __always_inline int owner_of(void *context, const int hook, struct scratch *s)
{
	int owner = LOCAL;
	struct bpf_sock_tuple tuple = {};
	struct bpf_sock *sk;
	__u32 size;

	if (s->is_ipv6) {
		__builtin_memcpy(tuple.ipv6.saddr, s->key.remote, 16);
		__builtin_memcpy(tuple.ipv6.daddr, s->key.local, 16);
		tuple.ipv6.sport = s->key.remote_port;
		tuple.ipv6.dport = s->key.local_port;
		size = sizeof(tuple.ipv6);
	} else {
		__builtin_memcpy(&tuple.ipv4.saddr, s->key.remote + 12, 4);
		__builtin_memcpy(&tuple.ipv4.daddr, s->key.local + 12, 4);
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
		return ELSEWHERE;
	// The end of a handshake has a socket of its own, or answers a cookie.
	if (sk->state == BPF_TCP_LISTEN && !(s->tcp[13] & SYN) &&
	    bpf_tcp_check_syncookie(sk, s->window + (s->ip & 31), s->is_ipv6 ? 40 : 20,
				    (void *)s->tcp, TCP_HEADER))
		owner = STRANGER;
	bpf_sk_release(sk);
	return owner;
}

// Whether the destination of a SYN is an address of this host, though no socket: this host may
// translate its port.
static __always_inline int is_own_address(void *context, const int hook, struct scratch *s,
					  const struct guard_config *c)
{
	struct bpf_fib_lookup path = {};
	long result;

	path.family = s->is_ipv6 ? 10 : 2;
	path.l4_protocol = TCP;
	path.tot_len = 40;
	path.ifindex = hook == XDP ? ((struct xdp_md *)context)->ingress_ifindex :
				     ((struct __sk_buff *)context)->ingress_ifindex;
	if (s->is_ipv6) {
		__builtin_memcpy(path.ipv6_src, s->source, 16);
		__builtin_memcpy(path.ipv6_dst, s->destination, 16);
	} else {
		__builtin_memcpy(&path.ipv4_src, s->source + 12, 4);
		__builtin_memcpy(&path.ipv4_dst, s->destination + 12, 4);
	}
	result = bpf_fib_lookup(context, &path, sizeof(path), 0);
	return result == BPF_FIB_LKUP_RET_NOT_FWDED ||
	       (result == BPF_FIB_LKUP_RET_FWD_DISABLED && c->flags & GUARD_TOP);
}

// A segment without a check value. Whether its socket is in a cgroup cannot be asked here; without
// the answer of this host, which is dropped, the connection does not get beyond the handshake.
static __always_inline int unprotected(void *context, const int hook, struct scratch *s,
				       const struct guard_config *c)
{
	if (!(c->flags & GUARD_REQUIRE) || c->flags & GUARD_LIMITED || s->is_signed ||
	    !is_port(c, s->key.local_port, s->key.remote_port) || !owner_of(context, hook, s))
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
		if (s->requests)
			small_failed(&s->key, known);
	}
	if (offset > 57)
		return PASS;
	offset = within(offset);
	if (s->requests == 1 && s->request_length == 3)
		value = s->tcp[offset + 2] & ~MARKED;
	if (!value || value >= GUARD_VALUES)
		return unprotected(context, hook, s, c);
	if (!owner_of(context, hook, s) && !is_own_address(context, hook, s, c))
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
// segments of a burst have equal options, and can be merged. Puts the Internet checksum in place of
// a value in its field.
static __always_inline int replace(void *context, const int hook, struct scratch *s, __u8 value,
				   int state)
{
	__u32 offset = s->data_at;
	__be32 stored, new = bpf_htonl(value);

	if (hook == XDP && state == (COMPLETE | PARTIAL))
		return 0;
	if (value < FIRST_BESIDE) {
		put_checksum(context, hook, s);
		if (value == 1)
			return 1;
		// Kind, length and data.
		offset -= 2;
		new |= bpf_htonl(DATA << 24 | SHORT_LENGTH << 16);
	}
	if (offset > 54)
		return 0;
	offset = within(offset);
	__builtin_memcpy(&stored, s->tcp + offset + 2, 4);
	overwrite(context, hook, s, offset + 2, stored, new, state);
	return 1;
}

// A segment that is right by a value, of a connection that is not established, or closed (`known`).
static __always_inline int shown(void *context, const int hook, struct scratch *s, __u8 value,
				 int state, const struct guard_connection *known)
{
	struct guard_counters *counters = counting();

	if (!counters || !replace(context, hook, s, value, state))
		return DROP;
	if (known && known->value == value)
		counters->received[index_of(value)].both_good++;
	else
		counters->unconfirmed++;
	return PASS;
}

// A segment without an option. It may have value 1 if this host has answered a request for that.
static __always_inline int without_option(void *context, const int hook, struct scratch *s,
					  const struct guard_config *c,
					  const struct guard_connection *known)
{
	struct guard_answer *answer = bpf_map_lookup_elem(&answers, &s->key);
	int state;

	if (answer && answer->asked == 1 && verify(context, hook, 1, &state) == GOOD) {
		answer->shown = 1;
		return shown(context, hook, s, 1, state, known);
	}
	return known ? NOT_NEW : unprotected(context, hook, s, c);
}

// A segment of no guarded connection: of a handshake, or forged. It changes nothing; if it ends
// the handshake, the kernel says so. The ports may be those of a closed connection (`known`): then
// a segment that is right by no value is left to that one (NOT_NEW).
static __always_inline int unknown(void *context, const int hook, struct scratch *s,
				   const struct guard_config *c,
				   const struct guard_connection *known)
{
	int state;

	if (!s->data_options)
		return without_option(context, hook, s, c, known);
	if (s->data_options > 1)
		return known ? NOT_NEW : unprotected(context, hook, s, c);
	if (!c->value || !is_port(c, s->key.local_port, s->key.remote_port))
		return known ? NOT_NEW : PASS;
	// The kernel answers a stranger's segment with a reset, without reading its data.
	if (owner_of(context, hook, s) != LOCAL)
		return known ? NOT_NEW : PASS;
	for (int value = 2; value < GUARD_VALUES; value++) {
		if (verify(context, hook, value, &state) == GOOD)
			return shown(context, hook, s, value, state, known);
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

// Notes what a good segment shows of the path.
static __always_inline void note_good(struct scratch *s, struct guard_connection *known)
{
	if (!known->proven) {
		known->proven = 1;
		record_success(&s->key, known->step, 0);
	}
	if (s->length - s->header >= LARGE)
		known->large |= GUARD_LARGE_RECEIVED;
	if ((known->large & (GUARD_LARGE_SENT | GUARD_LARGE_ACKNOWLEDGED)) == GUARD_LARGE_SENT &&
	    (__s32)(be32(s->tcp + 8) - known->large_end) >= 0) {
		known->large |= GUARD_LARGE_ACKNOWLEDGED;
		record_success(&s->key, known->step, 1);
	}
}

static __always_inline int receive_segment(void *context, const int hook, struct scratch *s,
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
		judged = verify(context, hook, value, &state);
	}
	if (judged == GOOD) {
		counters->received[index_of(value)].both_good += merged;
		note_good(s, known);
		if (hook == XDP || value < FIRST_BESIDE)
			replace(context, hook, s, value, state);
		return PASS;
	}
	if (!in_window(known, be32(s->tcp + 4))) {
		counters->out_of_window++;
		return DROP;
	}
	if (judged == ONLY_TCP_BAD)
		counters->received[index_of(value)].only_tcp_bad++;
	else if (judged == ONLY_CRC_BAD)
		counters->received[index_of(value)].only_crc_bad++;
	else if (judged == BOTH_BAD)
		counters->received[index_of(value)].both_bad++;
	else
		counters->received[index_of(value)].missing++;
	// The path may block the value. Both numbers are right, so the segment is the peer's.
	if (known->window && be32(s->tcp + 8) - known->own_isn - 1 < 1 << 20)
		small_failed(&s->key, known);
	if (known->proven && s->length - s->header >= LARGE)
		large_failed(&s->key, known, 1);
	return DROP;
}

// Whether a segment may be of a connection that is closed. For value 1, which has no option, it
// must be right.
static __always_inline int is_of_closed(void *context, const int hook, struct scratch *s,
					const struct guard_connection *known)
{
	int state;

	if (known->value != 1)
		return s->data_options > 0;
	return verify(context, hook, 1, &state) == GOOD;
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
	known = resolve(s);
	if (packet == FRAGMENT) {
		if (!known || known->phase != GUARD_AGREED)
			return PASS;
		COUNT(fragments);
		large_failed(&s->key, known, 0);
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
		if (known && !is_of_closed(context, hook, s, known))
			known = 0;
		verdict = unknown(context, hook, s, c, known);
		if (!known || verdict != NOT_NEW)
			return verdict;
	}
	return receive_segment(context, hook, s, known);
}

#endif
