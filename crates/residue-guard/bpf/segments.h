// Check values of segments: as src/value.rs.
#ifndef GUARD_SEGMENTS_H
#define GUARD_SEGMENTS_H

#include "connections.h"
#include "crc.h"
#include "sums.h"

// The states of a checksum field. A partial one holds the sum of the pseudo-header: hardware, or
// nobody on a link that does not leave the machine, computes the rest.
#define WRONG 0
#define COMPLETE 1
#define PARTIAL 2

static __always_inline __u32 pseudo_length(const struct scratch *s)
{
	return s->is_ipv6 ? 40 : 12;
}

// Copies pseudo-header and segment into the working memory, so that what `value` covers starts at
// BEFORE. Returns the offset of the pseudo-header; 0 on failure.
static __always_inline __u32 gather(void *context, const int hook, struct scratch *s, __u8 value)
{
	__u32 pseudo = pseudo_length(s), length = s->length;
	__u32 at = BEFORE;
	__u8 *text;

	if (value == 4)
		at -= pseudo + s->header;
	else if (value == 7)
		at -= pseudo;
	if (at > BEFORE || at < BEFORE - 100)
		return 0;
	OPAQUE(at);
	if (at > BEFORE)
		return 0;
	text = s->text + at;
	if (s->is_ipv6) {
		__builtin_memcpy(text, s->source, 16);
		__builtin_memcpy(text + 16, s->destination, 16);
		*(__be32 *)(text + 32) = bpf_htonl(length);
		*(__be32 *)(text + 36) = bpf_htonl(TCP);
	} else {
		__builtin_memcpy(text, s->source + 12, 4);
		__builtin_memcpy(text + 4, s->destination + 12, 4);
		*(__be32 *)(text + 8) = bpf_htonl(TCP << 16 | (length & 0xffff));
	}
	OPAQUE(length);
	if (length < TCP_HEADER || length > LONGEST)
		return 0;
	OPAQUE(pseudo);
	if (pseudo > 40)
		return 0;
	if (load(context, hook, s->start, text + pseudo, length))
		return 0;
	*(__u64 *)(text + pseudo + length) = 0;
	return at;
}

// Returns the CRC of data in the working memory: value 4.
static __always_inline __u32 crc_of_data(struct scratch *s, __u32 length)
{
	// The CRC reads zeros before its bytes.
	__builtin_memset(s->text + BEFORE - 104, 0, 104);
	return crc(0, s, length);
}

// Returns the check value of the gathered segment, in network byte order: a CRC for the option, or
// what belongs into the checksum field, in the first half, and into the option.
__attribute__((noinline)) __be32 value_of(__u32 value)
{
	struct scratch *s = own_scratch();
	__u32 pseudo, at, length;

	if (!s)
		return 0;
	pseudo = value == 7 ? 0 : pseudo_length(s);
	at = s->data_at;
	if (value == 4)
		return crc_of_data(s, s->length - s->header);
	__builtin_memset(s->text + BEFORE - 104, 0, 104);
	// The ports, which a NAT translates.
	if (value == 7)
		*(__u32 *)(s->text + BEFORE) = 0;
	*(__u16 *)(s->text + BEFORE + pseudo + TCP_CHECKSUM) = 0;
	if (value != 1) {
		if (at > 60)
			return 0;
		at = within(at);
		__builtin_memset(s->text + BEFORE + pseudo + at + 2, 0, 2);
		if (value >= FIRST_BESIDE)
			__builtin_memset(s->text + BEFORE + pseudo + at + 4, 0, 2);
	}
	length = s->length + pseudo;
	if (value == 1)
		return bpf_htonl(fletcher_8(s, length) << 16);
	if (value == 2)
		return bpf_htonl(fletcher_16(s, length));
	return crc(value == 6, s, length);
}

// Returns a check value in a form that is the same for all that are alike: Fletcher's sums have two
// zeros, 0 and the modulus.
static __always_inline __u32 form_of(__be32 bytes, __u8 value)
{
	__u32 bits = bpf_ntohl(bytes), upper = bits >> 16;

	if (value == 1)
		return (upper >> 8) % 255 << 8 | (upper & 255) % 255;
	if (value == 2)
		return upper % 65535 << 16 | (bits & 0xffff) % 65535;
	return bits;
}

// Returns the states that the checksum field of the gathered segment may have: WRONG, COMPLETE,
// PARTIAL, or both of these, which one segment in 65536 leaves open.
static __always_inline int checksum_state(struct scratch *s, const struct guard_config *c, __u32 at)
{
	__u32 pseudo = pseudo_length(s);
	int state = sum(at, pseudo + s->length) == 0xffff ? COMPLETE : WRONG;

	if (c->flags & GUARD_PARTIAL && sum(at, pseudo) == *(__u16 *)(s->tcp + TCP_CHECKSUM))
		state |= PARTIAL;
	return state;
}

// The results of the checks of a segment.
enum judged { GOOD, ONLY_TCP_BAD, ONLY_CRC_BAD, BOTH_BAD, MISSING };

// Verifies a value that stands in the checksum field, and keeps the Internet checksum, which the
// kernel wants there.
static __always_inline enum judged verify_field(struct scratch *s, __u8 value, __u32 at)
{
	__u16 total = sum(at, pseudo_length(s) + s->length), words[2] = {};
	__u32 offset = s->data_at;
	__be32 stored;

	__builtin_memcpy(&words[0], s->tcp + TCP_CHECKSUM, 2);
	// RFC 1624, equation 3.
	s->checksum = ~folded((__u64)total + (__u16)~words[0]);
	if (value != 1) {
		if (offset > 56)
			return BOTH_BAD;
		__builtin_memcpy(&words[1], s->tcp + within(offset) + 2, 2);
	}
	__builtin_memcpy(&stored, words, 4);
	return form_of(stored, value) == form_of(value_of(value), value) ? GOOD : BOTH_BAD;
}

// Verifies the check value of the segment in the working memory; returns what is right, and above 8
// bits the states that its checksum field may have.
static __always_inline __u32 judgement(void *context, const int hook, __u8 value)
{
	struct guard_config *c = configuration();
	struct scratch *s = own_scratch();
	__u32 at, stored, offset, states;
	int is_right;

	if (!c || !s || !has_option_of(s, value))
		return MISSING;
	at = gather(context, hook, s, value);
	if (!at)
		return BOTH_BAD;
	if (value < FIRST_BESIDE)
		return verify_field(s, value, at) | COMPLETE << 8;
	offset = s->data_at;
	if (offset > 54)
		return BOTH_BAD;
	offset = within(offset);
	__builtin_memcpy(&stored, s->tcp + offset + 2, 4);
	states = checksum_state(s, c, at);
	is_right = value_of(value) == stored;
	if (states)
		return (is_right ? GOOD : ONLY_CRC_BAD) | states << 8;
	return is_right ? ONLY_TCP_BAD : BOTH_BAD;
}

// Functions of their own, which the verifier follows once, and not at each of their callers.
__attribute__((noinline)) __u32 judgement_xdp(struct xdp_md *context, __u32 value)
{
	return judgement(context, XDP, value);
}

__attribute__((noinline)) __u32 judgement_tc(struct __sk_buff *context, __u32 value)
{
	return judgement(context, TC, value);
}

static __always_inline enum judged verify(void *context, const int hook, __u8 value, int *state)
{
	__u32 found = hook == XDP ? judgement_xdp(context, value) : judgement_tc(context, value);

	*state = found >> 8 & (COMPLETE | PARTIAL);
	return found & 255;
}

// Whether data of a packet have this CRC. A function of its own, whose lengths the verifier does
// not follow through the loop that calls it.
__attribute__((noinline)) int has_crc(struct __sk_buff *skb, __u32 at, __u32 length, __u32 expected)
{
	struct scratch *s = own_scratch();

	if (!s || length < 1 || length > LONGEST ||
	    bpf_skb_load_bytes(skb, at, s->text + BEFORE, bounded(length, LONGEST)))
		return 0;
	return crc_of_data(s, length) == expected;
}

// As `verify`, for segments that the kernel has merged, whose checksums it has verified: their
// options are equal, as with value 4 if their data are.
static __always_inline enum judged verify_merged(struct __sk_buff *skb, struct scratch *s,
						 __u8 value)
{
	__u32 offset = s->data_at, at = s->start + s->header, rest = s->length - s->header, stored;

	if (s->data_options != 1 || s->data_length != DATA_LENGTH)
		return MISSING;
	if (value != 4 || offset > 54)
		return ONLY_CRC_BAD;
	offset = within(offset);
	__builtin_memcpy(&stored, s->tcp + offset + 2, 4);
	for (int i = 0; i < 64 && rest; i++) {
		__u32 length = skb->gso_size;
		if (length > rest)
			length = rest;
		if (!has_crc(skb, at, length, stored))
			return ONLY_CRC_BAD;
		at += length;
		rest -= length;
	}
	return rest ? ONLY_CRC_BAD : GOOD;
}

// Writes 4 bytes at an offset of the TCP header, and updates a checksum in the given state.
static __always_inline void overwrite(void *context, const int hook, struct scratch *s,
				      __u32 offset, __be32 old, __be32 new, int state)
{
	__u32 from = old, to = new;

	if (store(context, hook, s->start + offset, &new, 4))
		return;
	__builtin_memcpy(s->tcp + within(offset), &new, 4);
	if (offset & 1) {
		from = from >> 8 | from << 24;
		to = to >> 8 | to << 24;
	}
	if (hook == TC) {
		// Does nothing if the checksum is partial.
		bpf_l4_csum_replace(context, s->start + TCP_CHECKSUM, from, to, 4);
	} else if (state == COMPLETE) {
		// RFC 1624, equation 3.
		__u16 *field = (__u16 *)(s->tcp + TCP_CHECKSUM);
		__u64 value = (__u64)(__u16)~*field + (__u32)~from + to;
		*field = ~folded(value);
		store(context, hook, s->start + TCP_CHECKSUM, field, 2);
	}
}

// Writes the Internet checksum into its field, in place of a check value that is right.
static __always_inline void put_checksum(void *context, const int hook, struct scratch *s)
{
	__u32 at = s->start + TCP_CHECKSUM;
	__u16 field = s->checksum;

	__builtin_memcpy(s->tcp + TCP_CHECKSUM, &field, 2);
	if (hook == XDP)
		bpf_xdp_store_bytes(context, at, &field, 2);
	else
		// The card may have summed up the whole packet.
		bpf_skb_store_bytes(context, at, &field, 2, BPF_F_RECOMPUTE_CSUM);
}

#endif
