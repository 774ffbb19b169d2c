// Packets from the kernel.
#ifndef GUARD_EGRESS_H
#define GUARD_EGRESS_H

#include "segments.h"

// Writes the check value over the option's place, or into the checksum field and the option.
static __always_inline int fill(struct __sk_buff *skb, struct scratch *s, __u8 value)
{
	struct guard_counters *counters = counting();
	__u32 offset = s->data_at;
	__be32 old, new;

	if (!counters || value >= GUARD_VALUES || !gather(skb, TC, s, value))
		return 0;
	if (value != 1 && offset > 56)
		return 0;
	offset = within(offset);
	new = value_of(value);
	if (value >= FIRST_BESIDE) {
		__builtin_memcpy(&old, s->tcp + offset + 2, 4);
		overwrite(skb, TC, s, offset + 2, old, new, 0);
	} else {
		// The checksum is complete, so nobody writes it again.
		bpf_skb_store_bytes(skb, s->start + TCP_CHECKSUM, &new, 2, 0);
		if (value != 1)
			bpf_skb_store_bytes(skb, s->start + offset + 2, (__u8 *)&new + 2, 2, 0);
	}
	counters->sent[index_of(value)]++;
	return 1;
}

// Length of a link header.
#define ETHERNET 14

#define SHOT 2 // TC_ACT_SHOT
#define OK 0   // TC_ACT_OK

// The option as the kernel would write it: with the value in place of the CRC, and two NOPs.
static __always_inline void write_option(struct __sk_buff *skb, struct scratch *s, __u32 at,
					 __u8 value)
{
	__be32 old[2], new[2];

	if (at > 56)
		return;
	at = within(at);
	__builtin_memcpy(old, s->tcp + at, 8);
	if (value >= FIRST_BESIDE) {
		new[0] = bpf_htonl(DATA << 24 | DATA_LENGTH << 16);
		new[1] = bpf_htonl((__u32)value << 16 | NOP << 8 | NOP);
	} else {
		new[0] = bpf_htonl(DATA << 24 | SHORT_LENGTH << 16 | value);
		new[1] = bpf_htonl(NOP << 24 | NOP << 16 | NOP << 8 | NOP);
	}
	overwrite(skb, TC, s, at, old[0], new[0], 0);
	overwrite(skb, TC, s, at + 4, old[1], new[1], 0);
}

// Makes room where the kernel left none: it asks for room only after it has filled the header with
// selective acknowledgments. Gives up the last block, which senders repeat (RFC 2018 section 4).
static __always_inline int cut_sack(struct __sk_buff *skb, struct scratch *s, __u8 value)
{
	__u32 at = s->sack_at, length = s->sack_length;
	__be32 old, new;

	if (s->sacks != 1 || length < 18 || at + length != s->header || at < TCP_HEADER || at > 50)
		return 0;
	at = within(at);
	__builtin_memcpy(&old, s->tcp + at - 2, 4);
	new = (old & bpf_htonl(0xffffff00)) | bpf_htonl(length - 8);
	overwrite(skb, TC, s, at - 2, old, new, 0);
	s->data_at = s->header - DATA_ROOM;
	write_option(skb, s, s->data_at, value);
	COUNT(sack_blocks_cut);
	return 1;
}

// Changes the length of a segment at its end. The bytes that are added are arbitrary.
static __always_inline int resize(struct __sk_buff *skb, struct scratch *s, __u32 length)
{
	__u32 length_at = s->ip + (s->is_ipv6 ? 4 : 2);
	__be16 old, new;

	if (s->start + s->length != skb->len || bpf_skb_change_tail(skb, s->start + length, 0))
		return 0;
	// The length in the IP header.
	if (bpf_skb_load_bytes(skb, length_at, &old, 2))
		return 0;
	new = bpf_htons(bpf_ntohs(old) + length - s->length);
	bpf_skb_store_bytes(skb, length_at, &new, 2, 0);
	if (!s->is_ipv6)
		bpf_l3_csum_replace(skb, s->ip + 10, old, new, 2);
	// That in the pseudo-header, which a partial checksum includes.
	bpf_l4_csum_replace(skb, s->start + TCP_CHECKSUM, bpf_htons(s->length), bpf_htons(length),
			    BPF_F_PSEUDO_HDR | 2);
	s->length = length;
	return 1;
}

// Adds the option to an acknowledgment without data that the kernel sends without the socket: for
// a connection that waits after its end, or is not established yet.
static __always_inline int append(struct __sk_buff *skb, struct scratch *s, __u8 value)
{
	__u32 header = s->header;

	if (header != s->length || header > 52)
		return 0;
	header = within(header);
	if (!resize(skb, s, s->length + DATA_ROOM))
		return 0;
	__builtin_memset(s->tcp + header, 0, 8);
	// The length of the TCP header.
	__be32 word, longer;
	__builtin_memcpy(&word, s->tcp + 12, 4);
	longer = bpf_htonl(bpf_ntohl(word) + ((DATA_ROOM / 4u) << 28));
	overwrite(skb, TC, s, 12, word, longer, 0);
	s->header += DATA_ROOM;
	s->data_at = header;
	write_option(skb, s, header, value);
	COUNT(appended);
	return 1;
}

// Removes the data of a SYN with a request, which have no check value. TCP sends them again after
// the handshake. A server that wants no cookies would accept them without Fast Open's option, too.
static __always_inline int cut_data(struct __sk_buff *skb, struct scratch *s)
{
	if (s->length == s->header)
		return 1;
	// Otherwise it is counted with the option.
	if (s->fast_opens != 1)
		COUNT(fast_open_removed);
	return resize(skb, s, s->header);
}

// Removes a request for TCP Fast Open from a SYN with a request.
static __always_inline void blank_fast_open(struct __sk_buff *skb, struct scratch *s)
{
	__u32 at = s->fast_open_at;
	__be32 old, new;

	if (s->requests != 1 || s->fast_opens != 1 || at < TCP_HEADER || at > 58)
		return;
	at = within(at);
	// A kind that nobody knows.
	__builtin_memcpy(&old, s->tcp + at - 3, 4);
	new = (old & bpf_htonl(0xffffff00)) | bpf_htonl(253);
	overwrite(skb, TC, s, at - 3, old, new, 0);
	COUNT(fast_open_removed);
}

// Finds the connection of a segment that this host sends. The socket knows the value if the table
// has displaced the connection.
static __always_inline struct guard_connection *connection_of(struct __sk_buff *skb,
							      struct scratch *s)
{
	struct guard_connection *known = resolve(s);
	struct guard_connection new = {};
	struct guard_socket *state;
	struct bpf_sock *sk = skb->sk;

	if (known || !sk)
		return known;
	sk = bpf_sk_fullsock(sk);
	if (!sk)
		return 0;
	state = bpf_sk_storage_get(&sockets, sk, 0, 0);
	if (!state || state->phase != GUARD_AGREED)
		return 0;
	new.phase = GUARD_AGREED;
	new.proven = 1;
	new.value = state->value;
	new.window_shift = state->window_shift;
	new.since = bpf_ktime_get_ns();
	keep(&s->key, &new);
	return find(&s->key);
}

// Whether the segment is from a connection's own socket: the kernel answers for waiting connections
// through a raw one.
static __always_inline int is_from_connection(struct __sk_buff *skb)
{
	struct bpf_sock *sk = skb->sk;

	if (sk)
		sk = bpf_sk_fullsock(sk);
	return sk && sk->type == 1; // SOCK_STREAM
}

// Notes the ends of the socket, where this host translates the packet's, and puts them in place of
// those.
static __always_inline void note_translation(struct __sk_buff *skb, struct scratch *s)
{
	struct bpf_sock *sk = skb->sk;
	__u32 address[8] = { 0, 0, bpf_htonl(0xffff), 0, 0, 0, bpf_htonl(0xffff), 0 };
	struct guard_key own;

	if (!sk)
		return;
	if (s->is_ipv6) {
		address[0] = FIELD(sk, src_ip6[0]);
		address[1] = FIELD(sk, src_ip6[1]);
		address[2] = FIELD(sk, src_ip6[2]);
		address[3] = FIELD(sk, src_ip6[3]);
		address[4] = FIELD(sk, dst_ip6[0]);
		address[5] = FIELD(sk, dst_ip6[1]);
		address[6] = FIELD(sk, dst_ip6[2]);
		address[7] = FIELD(sk, dst_ip6[3]);
	} else {
		address[3] = FIELD(sk, src_ip4);
		address[7] = FIELD(sk, dst_ip4);
	}
	__builtin_memcpy(own.local, address, 16);
	__builtin_memcpy(own.remote, address + 4, 16);
	own.local_port = bpf_htons(FIELD(sk, src_port));
	own.remote_port = FIELD(sk, dst_port);
	for (unsigned i = 0; i < sizeof(own) / 4; i++) {
		if (((__u32 *)&own)[i] != ((__u32 *)&s->key)[i]) {
			bpf_map_update_elem(&translated, &s->key, &own, BPF_ANY);
			s->key = own;
			return;
		}
	}
	bpf_map_delete_elem(&translated, &s->key);
}

// Notes that a SYN with the option leaves through a guarded interface.
static __always_inline void note_passed(struct __sk_buff *skb, struct scratch *s)
{
	struct bpf_sock *sk = skb->sk;
	struct guard_socket *state;
	struct guard_answer *answer;

	answer = bpf_map_lookup_elem(&answers, &s->key);
	if (answer)
		answer->passed = 1;
	sk = sk ? bpf_sk_fullsock(sk) : 0;
	state = sk ? bpf_sk_storage_get(&sockets, sk, 0, 0) : 0;
	if (state)
		state->passed = 1;
}

// Sends a SYN or SYN-ACK of this host with a request, and then, if it is marked, the same one
// without the request.
static __always_inline int send_request(struct __sk_buff *skb, struct scratch *s,
					const struct guard_config *c)
{
	__u32 at = s->request_at;
	__be32 marked, plain, none;

	note_translation(skb, s);
	if (s->requests != 1 || s->request_length != 3 || at < TCP_HEADER || at > 57)
		return OK;
	note_passed(skb, s);
	at = within(at);
	__builtin_memcpy(&marked, s->tcp + at - 1, 4);
	if (!(marked & bpf_htonl(TWICE)))
		return OK;
	plain = marked & ~bpf_htonl(TWICE);
	none = (marked & bpf_htonl(0xff000000)) | bpf_htonl(NOP << 16 | NOP << 8 | NOP);
	overwrite(skb, TC, s, at - 1, marked, plain, 0);
	// The copy comes back to this program, as one without a socket.
	bpf_clone_redirect(skb, c->device, 0);
	overwrite(skb, TC, s, at - 1, plain, none, 0);
	return OK;
}

// Asks routers not to fragment: a fragment cannot be verified. They report their MTU, and TCP makes
// smaller segments.
static __always_inline void forbid_fragments(struct __sk_buff *skb, struct scratch *s)
{
	__u32 at = s->ip + 6;
	__be16 old, new;

	if (s->is_ipv6 || bpf_skb_load_bytes(skb, at, &old, 2) || old & bpf_htons(0x4000))
		return;
	new = old | bpf_htons(0x4000);
	bpf_skb_store_bytes(skb, at, &new, 2, 0);
	bpf_l3_csum_replace(skb, s->ip + 10, old, new, 2);
}

static __always_inline int send_unprotected(struct __sk_buff *skb, struct scratch *s,
					    const struct guard_config *c)
{
	if (!(c->flags & GUARD_REQUIRE) || s->is_signed ||
	    !is_port(c, s->key.local_port, s->key.remote_port) ||
	    bpf_skb_under_cgroup(skb, &cgroups, 0) != 1)
		return OK;
	COUNT(refused);
	return SHOT;
}

// Notes the first large segment of a connection.
static __always_inline void note_large(struct __sk_buff *skb, struct scratch *s,
				       struct guard_connection *known)
{
	__u32 length = s->length - s->header;

	if (known->large & GUARD_LARGE_SENT)
		return;
	if (skb->gso_segs > 1)
		length = skb->gso_size;
	if (length < LARGE)
		return;
	known->large_end = be32(s->tcp + 4) + length;
	known->large |= GUARD_LARGE_SENT;
}

// Sends a packet through a device of the guard, from which its segments come back.
static __always_inline int send_by_way_of(struct __sk_buff *skb, const struct guard_config *c,
					  __u32 device)
{
	__u8 header[ETHERNET] = {};
	int is_big = skb->gso_segs > 1;

	// The device wants a link header, which goes when a segment comes back.
	if (!device || (c->flags & GUARD_NO_ETHERNET && bpf_skb_change_head(skb, ETHERNET, 0))) {
		COUNT(unsegmented);
		return SHOT;
	}
	if (c->flags & GUARD_NO_ETHERNET) {
		*(__be16 *)(header + 12) = skb->protocol;
		bpf_skb_store_bytes(skb, 0, header, sizeof(header), 0);
	}
	if (is_big)
		COUNT(segmented);
	return bpf_redirect(device, 0);
}

static __always_inline int send(struct __sk_buff *skb)
{
	struct guard_config *c = configuration();
	struct scratch *s = own_scratch();
	struct guard_connection *known;
	enum packet packet;
	__u8 flags, value;
	int is_back;

	if (!c || !s)
		return OK;
	packet = parse(skb, TC, s, c, 1);
	if (packet == OTHER)
		return OK;
	if (packet == FRAGMENT) {
		known = resolve(s);
		if (!known || known->phase != GUARD_AGREED)
			return OK;
		COUNT(fragments);
		return SHOT;
	}
	flags = s->tcp[13];
	if (flags & RST)
		return OK;
	if (flags & SYN) {
		if (!s->requests)
			return send_unprotected(skb, s, c);
		// A forwarded one is as its own guard wants it.
		if (!skb->sk)
			return OK;
		blank_fast_open(skb, s);
		return cut_data(skb, s) ? send_request(skb, s, c) : SHOT;
	}
	known = connection_of(skb, s);
	if (!known)
		return send_unprotected(skb, s, c);
	value = known->value;
	known->acknowledged = be32(s->tcp + 8);
	known->window = (__u32)be16(s->tcp + 14) << (known->window_shift & 15);
	if (!known->window)
		known->window = 1;
	is_back = value < FIRST_BESIDE && skb->ingress_ifindex == c->completed;
	// Another connection with the ports of one that has ended.
	if (known->phase == GUARD_CLOSING && (value == 1 || !has_option_of(s, value)) && !is_back &&
	    is_from_connection(skb))
		return OK;
	if (!has_option_of(s, value) && !cut_sack(skb, s, value) && !append(skb, s, value)) {
		COUNT(no_room);
		return SHOT;
	}
	forbid_fragments(skb, s);
	note_large(skb, s, known);
	if (value < FIRST_BESIDE && !is_back)
		return send_by_way_of(skb, c, c->completer);
	if (skb->gso_size && skb->gso_segs > 1)
		return send_by_way_of(skb, c, c->segmenter);
	if (!fill(skb, s, value)) {
		COUNT(no_room);
		return SHOT;
	}
	return OK;
}

// A segment of a big packet that was cut.
static __always_inline int send_cut(struct __sk_buff *skb)
{
	struct guard_config *c = configuration();

	// A packet that was not cut would come back again and again.
	if (!c || skb->gso_segs > 1)
		return SHOT;
	return bpf_redirect(c->device, 0);
}

// A segment that has come through the completer: cut, and with its Internet checksum.
static __always_inline int send_complete(struct __sk_buff *skb)
{
	struct guard_config *c = configuration();

	if (!c)
		return SHOT;
	// It is not this host's address that the link header has.
	bpf_skb_change_type(skb, 0);
	return bpf_redirect(c->device, 0);
}

#endif
