// Requests and agreements, as in src/negotiate.rs, and the destinations for which they failed.
#ifndef GUARD_NEGOTIATE_H
#define GUARD_NEGOTIATE_H

#include "maps.h"

// Marks the value of a request that came through the guarded interface, for the socket program:
// requests through other interfaces have no effect.
#define MARKED 0x80
// Marks the value of a request for the program of the interface: it sends the SYN twice, with the
// request and without it.
#define TWICE 0x80

struct offer {
	__u8 value;
	__u8 instead;
};

static __always_inline struct guard_config *configuration(void)
{
	__u32 zero = 0;
	struct guard_config *c = bpf_map_lookup_elem(&config, &zero);
	return c && c->version == GUARD_VERSION ? c : 0;
}

static __always_inline struct guard_counters *counting(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&counters, &zero);
}

// Programs of sockets can be interrupted by those of packets.
#define COUNT(field)                                                                               \
	do {                                                                                       \
		struct guard_counters *counters_ = counting();                                     \
		if (counters_)                                                                     \
			__sync_fetch_and_add(&counters_->field, 1);                                \
	} while (0)

// What a value counts as for a peer with another one: 6 as `instead`.
static __always_inline __u8 counts_as(__u8 value, __u8 instead)
{
	return value == 6 ? instead : value;
}

static __always_inline int is_ranked(__u8 value)
{
	return value == 3 || value == 4 || value == 5 || value == 7;
}

// The value of two requests of 3, 4, 5 or 7: the greater in the order 3 < 5 < 7 < 4 (Sahu 2019,
// table 7.2, and 7); 0: regular TCP.
static __always_inline __u8 greater(__u8 one, __u8 other)
{
	if (!is_ranked(one) || !is_ranked(other))
		return 0;
	if (one == 4 || other == 4)
		return 4;
	if (one == 7 || other == 7)
		return 7;
	return one == 5 || other == 5 ? 5 : 3;
}

// The value in the SYN-ACK to a SYN that requests `asked`; 0: no agreement is possible.
static __always_inline __u8 answer_to(struct offer own, __u8 asked)
{
	__u8 other = counts_as(own.value, own.instead);

	if (!own.value || asked >= GUARD_VALUES)
		return 0;
	if (asked == own.value)
		return asked;
	// What a 6 counts as is the peer's to say.
	return is_ranked(other) && (asked == 6 || is_ranked(asked)) ? other : 0;
}

// The value of a connection whose SYN-ACK answers `answer`; 0: regular TCP.
static __always_inline __u8 conclusion(struct offer own, __u8 answer)
{
	if (answer == own.value)
		return answer;
	// Ambiguous, and never sent.
	if (answer == 6)
		return 0;
	return greater(counts_as(own.value, own.instead), answer);
}

// Whether a connection that a peer opened can have a value.
static __always_inline int is_possible(struct offer own, __u8 value)
{
	return own.value && (value == own.value ||
			     (value && greater(counts_as(own.value, own.instead), value) == value));
}

// The offer for a peer, and what was left to request from it.
static __always_inline struct offer offer_to(const struct guard_config *c, const __u8 peer[16],
					     __u8 *step)
{
	struct offer own = { c->value, c->instead == 4 ? 4 : 5 };
	struct guard_destination *d = bpf_map_lookup_elem(&destinations, peer);

	*step = GUARD_STEP_OWN;
	if (d && bpf_ktime_get_ns() - d->since < c->failed_time)
		*step = d->step;
	if (*step == GUARD_STEP_OWN || !own.value)
		return own;
	own.value = own.instead = 4;
	if (*step == GUARD_STEP_NOTHING && !(c->flags & GUARD_REQUIRE))
		own.value = 0;
	return own;
}

// Records that a connection failed whose first SYN was sent, or answered, at `opened`, after a
// request at `step`. Of several that fail at once, only the first counts. A failure that may have
// been an outage (`is_doubtful`) weakens the request if the next connection fails, too: so does
// every failure where a value worked lately. A function of its own, which is verified once.
//
// The address is copied, as kernels before 6.2 want keys of maps on the stack.
__attribute__((noinline)) int record_failure(struct guard_key *key, __u8 step, __u8 reason,
					     __u64 opened, int is_doubtful)
{
	struct guard_config *c = configuration();
	struct guard_destination *d, new = {};
	__u64 now = bpf_ktime_get_ns();
	__u8 peer[16];

	if (!c || !key)
		return 0;
	__builtin_memcpy(peer, key->remote, 16);
	d = bpf_map_lookup_elem(&destinations, peer);
	if (d)
		new = *d;
	if (now - new.since >= c->failed_time)
		new.step = GUARD_STEP_OWN;
	if (new.step != step || step == GUARD_STEP_NOTHING)
		return 0;
	// A connection with small segments alone says nothing about large ones.
	if (reason == GUARD_REASON_FAILED && new.worked && now - new.worked < c->failed_time)
		is_doubtful = 1;
	if (is_doubtful && (new.doubt != reason || opened < new.doubted)) {
		if (new.doubt == reason && now - new.doubted < c->failed_time)
			return 0;
		new.doubt = reason;
		new.doubted = now;
		bpf_map_update_elem(&destinations, peer, &new, BPF_ANY);
		return 0;
	}
	// A path that blocks or divides segments does so with every value.
	new.step = reason == GUARD_REASON_FAILED && step == GUARD_STEP_OWN && c->value != 4 ?
			   GUARD_STEP_FOUR :
			   GUARD_STEP_NOTHING;
	new.reason = reason;
	new.doubt = 0;
	new.worked = 0;
	new.since = now;
	bpf_map_update_elem(&destinations, peer, &new, BPF_ANY);
	COUNT(failed_destinations);
	return 0;
}

// Records that a connection requested at `step` works: for large segments (`is_large`), or for
// others, which says nothing about large ones.
__attribute__((noinline)) int record_success(struct guard_key *key, __u8 step, int is_large)
{
	struct guard_destination *d, new = {};
	__u8 peer[16];

	if (!key)
		return 0;
	__builtin_memcpy(peer, key->remote, 16);
	d = bpf_map_lookup_elem(&destinations, peer);
	if (d)
		new = *d;
	new.worked = bpf_ktime_get_ns();
	if (is_large || new.doubt != GUARD_REASON_LARGE)
		new.doubt = 0;
	if (is_large || new.reason != GUARD_REASON_LARGE) {
		if (step == GUARD_STEP_OWN) {
			new.step = GUARD_STEP_OWN;
		} else if (step == GUARD_STEP_FOUR && new.step == GUARD_STEP_NOTHING) {
			new.step = GUARD_STEP_FOUR;
			new.since = new.worked;
		}
	}
	bpf_map_update_elem(&destinations, peer, &new, BPF_ANY);
	return 0;
}

#endif
