// The negotiation, in the kernel's own handshakes (bpf_sock_ops). The kernel makes room for the
// options in its headers.
#ifndef GUARD_SOCKETS_H
#define GUARD_SOCKETS_H

#include "connections.h"

#define WINDOW_SCALE 3
#define ENOSPC 28

#define FLAGS_OF_GUARDED                                                                           \
	(BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG | BPF_SOCK_OPS_STATE_CB_FLAG | BPF_SOCK_OPS_RTO_CB_FLAG)

static __always_inline int is_other_namespace(struct bpf_sock_ops *k, const struct guard_config *c)
{
	return c->netns && bpf_get_netns_cookie(k) != c->netns;
}

static __always_inline void key_of(struct bpf_sock_ops *k, struct guard_key *key)
{
	__u32 address[4] = { 0, 0, bpf_htonl(0xffff), 0 };

	if (k->family == 2) {
		address[3] = FIELD(k, local_ip4);
		__builtin_memcpy(key->local, address, 16);
		address[3] = FIELD(k, remote_ip4);
		__builtin_memcpy(key->remote, address, 16);
	} else {
		address[0] = FIELD(k, local_ip6[0]);
		address[1] = FIELD(k, local_ip6[1]);
		address[2] = FIELD(k, local_ip6[2]);
		address[3] = FIELD(k, local_ip6[3]);
		__builtin_memcpy(key->local, address, 16);
		address[0] = FIELD(k, remote_ip6[0]);
		address[1] = FIELD(k, remote_ip6[1]);
		address[2] = FIELD(k, remote_ip6[2]);
		address[3] = FIELD(k, remote_ip6[3]);
		__builtin_memcpy(key->remote, address, 16);
	}
	key->local_port = bpf_htons(FIELD(k, local_port));
	// Network byte order in the upper half.
	key->remote_port = bpf_htons(bpf_ntohl(FIELD(k, remote_port)));
}

static __always_inline struct guard_socket *state_of(struct bpf_sock_ops *k, __u64 flags)
{
	struct bpf_sock *sk = k->sk;
	return sk ? bpf_sk_storage_get(&sockets, sk, 0, flags) : 0;
}

static __always_inline void set_flags(struct bpf_sock_ops *k, int on)
{
	int flags = k->bpf_sock_ops_cb_flags;
	bpf_sock_ops_cb_flags_set(k, on ? flags | FLAGS_OF_GUARDED : flags & ~FLAGS_OF_GUARDED);
}

// The TCP header of the segment that the kernel sends or has received; 0 if there is none.
static __always_inline const __u8 *header_of(struct bpf_sock_ops *k)
{
	const __u8 *data = k->skb_data;
	return data && data + TCP_HEADER <= (const __u8 *)k->skb_data_end ? data : 0;
}

static __always_inline int has_option(struct bpf_sock_ops *k, __u8 kind)
{
	__u8 option[4] = {};
	long length;

	option[0] = kind;
	length = bpf_load_hdr_opt(k, option, sizeof(option), 0);
	return length > 0 || length == -ENOSPC;
}

// Shift of the windows that the SYN in the kernel's hands announces.
static __always_inline __u8 window_shift(struct bpf_sock_ops *k)
{
	__u8 option[3] = {};
	option[0] = WINDOW_SCALE;
	return bpf_load_hdr_opt(k, option, sizeof(option), 0) == 3 && option[2] <= 14 ? option[2] : 0;
}

// The value of the request in the received SYN-ACK, or with `flags` in the SYN that is answered; 0
// without one that came through the guarded interface.
static __always_inline __u8 request(struct bpf_sock_ops *k, __u64 flags)
{
	__u8 option[3] = {};
	option[0] = REQUEST;
	if (bpf_load_hdr_opt(k, option, sizeof(option), flags) != 3 || !(option[2] & MARKED))
		return 0;
	return option[2] & ~MARKED;
}

// The kernel is about to send its first SYN.
static __always_inline void opening(struct bpf_sock_ops *k, const struct guard_config *c)
{
	struct guard_key key;
	struct guard_socket *state;
	struct offer own;
	__u8 step;

	key_of(k, &key);
	forget(&key);
	if (!is_port(c, key.local_port, key.remote_port))
		return;
	own = offer_to(c, key.remote, &step);
	if (!own.value)
		return;
	state = state_of(k, BPF_SK_STORAGE_GET_F_CREATE);
	if (!state)
		return;
	state->phase = GUARD_OPENING;
	state->value = own.value;
	state->instead = own.instead;
	state->step = step;
	state->tries = 0;
	state->passed = 0;
	state->since = bpf_ktime_get_ns();
	set_flags(k, 1);
}

// A value for the SYN-ACK to a SYN, or to one that is repeated; 0: none.
static __always_inline __u8 answer(struct bpf_sock_ops *k, const struct guard_config *c,
				   struct guard_key *key, struct guard_answer *state)
{
	struct guard_answer *given;
	struct offer own;
	__u8 step, asked;

	key_of(k, key);
	if (!is_port(c, key->local_port, key->remote_port))
		return 0;
	given = bpf_map_lookup_elem(&answers, key);
	asked = request(k, BPF_LOAD_HDR_OPT_TCP_SYN);
	if (given)
		*state = *given;
	if (asked) {
		// The kernel has the SYN at hand only when it answers the first time.
		state->asked = asked;
		state->tries = 0;
	}
	own = offer_to(c, key->remote, &step);
	if (state->tries >= c->tries && !(c->flags & GUARD_REQUIRE) && !state->passed)
		return 0;
	return answer_to(own, state->asked);
}

// Number of SYNs that have the option alone. Those that follow leave twice, with the option and
// without it: on a path that loses the first kind, the second one opens a regular connection, and
// after an outage the first one opens a guarded one. Other interfaces do not send them twice, so
// their SYNs have no option from then on. In a simultaneous open, the SYN-ACK is one more: the
// peer's SYN
// has arrived.
static __always_inline __u32 most_tries(const struct guard_config *c, __u8 flags)
{
	return c->tries + (flags & ACK ? 1u : 0u);
}

// Makes room in a header of a connection's own socket.
static __always_inline void reserve_own(struct bpf_sock_ops *k, const struct guard_config *c,
					struct guard_socket *state, __u8 flags)
{
	if (flags & SYN) {
		// In a simultaneous open, 6 cannot know what its peer has requested.
		if (flags & ACK && state->value == 6)
			state->phase = 0;
		if (state->phase == GUARD_OPENING &&
		    (state->tries < most_tries(c, flags) || c->flags & GUARD_REQUIRE ||
		     state->passed))
			bpf_reserve_hdr_opt(k, 3, 0);
	} else if (state->phase == GUARD_AGREED && state->value != 1) {
		bpf_reserve_hdr_opt(k, option_length(state->value), 0);
	}
}

static __always_inline void reserve_answer(struct bpf_sock_ops *k, const struct guard_config *c)
{
	struct guard_key key;
	struct guard_answer given = {};

	if (answer(k, c, &key, &given))
		bpf_reserve_hdr_opt(k, 3, 0);
}

static __always_inline void store_request(struct bpf_sock_ops *k, __u8 value,
					  const struct guard_config *c, int is_silent)
{
	__u8 option[3];

	option[0] = REQUEST;
	option[1] = sizeof(option);
	option[2] = value;
	if (is_silent && !(c->flags & GUARD_REQUIRE)) {
		option[2] |= TWICE;
		COUNT(silent);
	}
	bpf_store_hdr_opt(k, option, sizeof(option), 0);
}

// In a simultaneous open, a segment may end the handshake, in which no option shows value 1.
static __always_inline void expect_1(struct bpf_sock_ops *k, const struct guard_socket *state)
{
	struct guard_answer given = {};
	struct guard_key key;

	key_of(k, &key);
	given.asked = 1;
	given.window_shift = state->window_shift;
	bpf_map_update_elem(&answers, &key, &given, BPF_ANY);
}

static __always_inline void write_own(struct bpf_sock_ops *k, const struct guard_config *c,
				      struct guard_socket *state, __u8 flags)
{
	if (flags & SYN) {
		if (state->phase != GUARD_OPENING)
			return;
		// TCP-AO has signed the room for the option, whose bytes are wrong now. The next SYN
		// has no such room.
		if (has_option(k, MD5) || has_option(k, TCP_AO)) {
			state->phase = 0;
			return;
		}
		state->window_shift = window_shift(k);
		if (state->tries < 255)
			state->tries++;
		store_request(k, state->value, c, state->tries > most_tries(c, flags));
		if (flags & ACK && state->value == 1)
			expect_1(k, state);
		COUNT(requests);
	} else if (state->phase == GUARD_AGREED) {
		// The value, where its CRC is written when the segment leaves.
		__u8 option[DATA_LENGTH] = {};
		option[0] = DATA;
		if (state->value >= FIRST_BESIDE) {
			option[1] = DATA_LENGTH;
			option[5] = state->value;
			bpf_store_hdr_opt(k, option, DATA_LENGTH, 0);
		} else if (state->value != 1) {
			option[1] = SHORT_LENGTH;
			option[3] = state->value;
			bpf_store_hdr_opt(k, option, SHORT_LENGTH, 0);
		}
	}
}

static __always_inline void write_answer(struct bpf_sock_ops *k, const struct guard_config *c)
{
	struct guard_key key;
	struct guard_answer given = {};
	const __u8 *header = header_of(k);
	__u8 value;

	if (!header)
		return;
	value = answer(k, c, &key, &given);
	if (!given.asked)
		return;
	given.peer_isn = be32(header + 8) - 1;
	given.window_shift = window_shift(k);
	if (given.tries < 255)
		given.tries++;
	bpf_map_update_elem(&answers, &key, &given, BPF_ANY);
	if (!value)
		return;
	store_request(k, value, c, given.tries > c->tries);
	COUNT(answers);
}

#define RESERVE 0
#define WRITE 1

// The kernel asks how much room it must leave in a header, or has written the header.
static __always_inline void extend(struct bpf_sock_ops *k, const struct guard_config *c,
				   const int task)
{
	__u8 flags = k->skb_tcp_flags;
	struct guard_socket *state;

	if (flags & RST)
		return;
	// A connection that is not established has no socket of its own.
	if (!k->is_fullsock) {
		if (!(flags & SYN))
			return;
		if (task == RESERVE)
			reserve_answer(k, c);
		else
			write_answer(k, c);
		return;
	}
	state = state_of(k, 0);
	if (!state)
		return;
	if (task == RESERVE)
		reserve_own(k, c, state, flags);
	else
		write_own(k, c, state, flags);
}

// The kernel has established a connection: with a value from here on.
static __always_inline void agree(struct bpf_sock_ops *k, const struct guard_key *key,
				  struct guard_socket *state, __u8 value, int opened)
{
	struct guard_connection new = {};
	const __u8 *header = header_of(k);
	__u32 index = value;

	state->phase = GUARD_AGREED;
	state->value = value;
	new.phase = GUARD_AGREED;
	new.value = value;
	new.step = state->step;
	new.window_shift = state->window_shift;
	if (header) {
		new.own_isn = be32(header + 8) - 1;
		new.peer_isn = be32(header + 4) - !opened;
		new.acknowledged = new.peer_isn + 1;
	}
	// The segment was received with a right value.
	new.proven = !opened;
	new.since = bpf_ktime_get_ns();
	keep(key, &new);
	set_flags(k, 1);
	// A comparison, not a test of bits, which the verifier does not follow.
	OPAQUE(index);
	if (index < GUARD_VALUES)
		COUNT(agreed[index]);
}

static __always_inline void regular(struct bpf_sock_ops *k, struct guard_socket *state)
{
	if (state)
		state->phase = 0;
	set_flags(k, 0);
}

// The SYN-ACK has come.
static __always_inline void opened(struct bpf_sock_ops *k, const struct guard_config *c)
{
	struct guard_socket *state = state_of(k, 0);
	struct guard_key key;
	struct offer own;
	__u8 value;

	if (!state || state->phase != GUARD_OPENING)
		return;
	key_of(k, &key);
	// Of a simultaneous open.
	if (state->value == 1)
		bpf_map_delete_elem(&answers, &key);
	own.value = state->value;
	own.instead = state->instead;
	value = conclusion(own, request(k, 0));
	if (value) {
		agree(k, &key, state, value, 1);
		return;
	}
	COUNT(agreed[0]);
	if (state->tries > c->tries && !(c->flags & GUARD_REQUIRE))
		record_failure(&key, state->step, GUARD_REASON_SILENT, state->since, 1);
	regular(k, state);
}

// The value that the program of the interface has put in place of the CRC of the segment in the
// kernel's hands; 0: none.
static __always_inline __u8 value_shown(struct bpf_sock_ops *k)
{
	__u8 option[DATA_LENGTH] = {};
	long length;

	option[0] = DATA;
	length = bpf_load_hdr_opt(k, option, sizeof(option), 0);
	if (length == DATA_LENGTH && !option[2] && !option[3] && !option[4])
		return option[5];
	return length == SHORT_LENGTH && !option[2] ? option[3] : 0;
}

// The opener's first segment has come. If it was right by a value, the program of the interface
// says so.
static __always_inline void accepted(struct bpf_sock_ops *k, const struct guard_config *c)
{
	struct guard_answer *given;
	struct guard_socket *state;
	struct guard_key key;
	struct offer own;
	__u8 step, shift = 0, tries = 0, value = value_shown(k);

	// In a simultaneous open, a SYN-ACK ends the handshake.
	if (k->skb_tcp_flags & SYN) {
		opened(k, c);
		return;
	}
	key_of(k, &key);
	forget(&key);
	given = bpf_map_lookup_elem(&answers, &key);
	if (given) {
		shift = given->window_shift;
		tries = given->tries;
		if (!value)
			value = given->shown;
		bpf_map_delete_elem(&answers, &key);
	}
	own = offer_to(c, key.remote, &step);
	if (!value || !is_possible(own, value)) {
		if (given)
			COUNT(agreed[0]);
		// The peer asked, and took only an answer without the option.
		if (tries > c->tries && !(c->flags & GUARD_REQUIRE))
			record_failure(&key, step, GUARD_REASON_SILENT, bpf_ktime_get_ns(), 1);
		regular(k, 0);
		return;
	}
	state = state_of(k, BPF_SK_STORAGE_GET_F_CREATE);
	if (!state)
		return;
	state->step = step;
	state->window_shift = shift;
	record_success(&key, step, 0);
	agree(k, &key, state, value, 0);
}

// The kernel repeats the first data, or the first large segment, again and again. It may be an
// outage, which the next connection shows.
static __always_inline void timed_out(struct bpf_sock_ops *k)
{
	struct guard_socket *state = state_of(k, 0);
	struct guard_connection *connection;
	struct guard_key key;
	__u8 reason = 0;
	int is_large;

	if (!state || state->phase != GUARD_AGREED || k->args[0] < 2)
		return;
	key_of(k, &key);
	connection = find(&key);
	if (!connection)
		return;
	is_large = (connection->large & (GUARD_LARGE_SENT | GUARD_LARGE_ACKNOWLEDGED)) ==
		   GUARD_LARGE_SENT;
	// A peer that has not got the small segment before the first data repeats its SYN-ACK.
	if (!connection->proven)
		reason = is_large && !connection->failures ? GUARD_REASON_LARGE :
							     GUARD_REASON_FAILED;
	else if (is_large && k->args[0] >= 4)
		reason = GUARD_REASON_LARGE;
	if (reason)
		record_failure(&key, state->step, reason, connection->since, 1);
}

// The socket is gone.
static __always_inline void ended(struct bpf_sock_ops *k)
{
	struct guard_key key;

	key_of(k, &key);
	close(&key);
}

#endif
