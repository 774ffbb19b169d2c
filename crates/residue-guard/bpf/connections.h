// Connections with a value, by the ends of their sockets.
#ifndef GUARD_CONNECTIONS_H
#define GUARD_CONNECTIONS_H

#include "negotiate.h"
#include "packet.h"

// Bytes of data from which on a segment is large: more than any path must carry whole.
#define LARGE 600
// Failures of a connection before a good segment that count as a failure of the path.
#define MOST_FAILURES 4

static __always_inline struct guard_connection *find(const struct guard_key *key)
{
	struct guard_connection *known = bpf_map_lookup_elem(&connections, key);
	return known ? known : bpf_map_lookup_elem(&closed, key);
}

static __always_inline void keep(const struct guard_key *key, const struct guard_connection *new)
{
	bpf_map_delete_elem(&closed, key);
	if (bpf_map_update_elem(&connections, key, new, BPF_ANY))
		bpf_map_update_elem(&closed, key, new, BPF_ANY);
}

static __always_inline void forget(const struct guard_key *key)
{
	bpf_map_delete_elem(&connections, key);
	bpf_map_delete_elem(&closed, key);
}

static __always_inline void close(const struct guard_key *key)
{
	struct guard_connection *known = find(key), ended;

	if (!known || known->phase != GUARD_AGREED)
		return;
	ended = *known;
	ended.phase = GUARD_CLOSING;
	ended.since = bpf_ktime_get_ns();
	bpf_map_update_elem(&closed, key, &ended, BPF_ANY);
	bpf_map_delete_elem(&connections, key);
}

// Finds the connection of the packet in the working memory, and puts the ends of its socket in
// place of the packet's, if this host translates them.
static __always_inline struct guard_connection *resolve(struct scratch *s)
{
	struct guard_connection *known = find(&s->key);
	struct guard_key *own;

	if (known)
		return known;
	own = bpf_map_lookup_elem(&translated, &s->key);
	if (!own)
		return 0;
	s->key = *own;
	return find(&s->key);
}

// A large segment was bad, or came in fragments: the path may divide large ones.
static __always_inline void large_failed(struct guard_key *key, struct guard_connection *known,
					 int is_doubtful)
{
	if (known->large & GUARD_LARGE_RECEIVED || known->large_failures >= MOST_FAILURES)
		return;
	known->large_failures++;
	if (known->large_failures == MOST_FAILURES)
		record_failure(key, known->step, GUARD_REASON_LARGE, known->since, is_doubtful);
}

// A segment of the peer shows that the path does not carry what this host sends. Both its numbers
// are right.
static __always_inline void small_failed(struct guard_key *key, struct guard_connection *known)
{
	if (known->proven || known->failures >= MOST_FAILURES)
		return;
	known->failures++;
	if (known->failures == MOST_FAILURES)
		record_failure(key, known->step, GUARD_REASON_FAILED, known->since, 0);
}

#endif
