// Packets: their headers and options, read as src/packet.rs and src/options.rs read them.
#ifndef GUARD_PACKET_H
#define GUARD_PACKET_H

#include "maps.h"

// Hooks. Functions that take one are inlined into a program, and know it at compile time.
#define XDP 0
#define TC 1

#define FIN 1
#define SYN 2
#define RST 4
#define ACK 16

#define TCP 6
#define TCP_HEADER 20
#define TCP_CHECKSUM 16

// Options.
#define END 0
#define NOP 1
#define SACK 5
#define REQUEST 14
#define DATA 15
#define MD5 19
#define TCP_AO 29
#define FAST_OPEN 34
#define EXPERIMENT 254
// Lengths of option 15, and its room with NOPs.
#define SHORT_LENGTH 4
#define DATA_LENGTH 6
#define DATA_ROOM 8

// Longest segment: for devices with an MTU of at most this.
#define LONGEST 16384
// Room before the covered bytes: zeros that the CRC reads, and headers that values 4 and 7 do not
// cover.
#define BEFORE 512

// Working memory of a CPU. Programs of packets run with softirqs disabled, so it has one user.
struct scratch {
	// Bytes of the packet from the link header on.
	__u8 window[128];
	// TCP header with options. The rest is arbitrary.
	__u8 tcp[64 + 16];
	__u8 source[16];
	__u8 destination[16];
	struct guard_key key;
	// Offset in the packet of the IP header, and of the TCP header; length of the segment by IP;
	// length of its header.
	__u32 ip;
	__u32 start;
	__u32 length;
	__u32 header;
	__u32 is_ipv6;
	// Offset in the TCP header of the last option of each kind, its length, and how many there are.
	__u32 request_at, request_length, requests;
	__u32 data_at, data_length, data_options;
	__u32 sack_at, sack_length, sacks;
	__u32 fast_open_at, fast_open_length, fast_opens;
	__u32 is_signed;
	// Where the options end: with the header, at an end of the list or a malformed option.
	__u32 options_end;
	// The Internet checksum of a segment whose field has another value.
	__u16 checksum;
	// For Fletcher's checksums.
	__u64 sums[2];
	// For the CRC: the last bytes that were replaced, and zeros.
	__u8 replaced[512];
	// The pseudo-header and the segment; covered bytes start at BEFORE. As long as the verifier
	// wants it.
	__u8 text[2 * BEFORE + LONGEST + 1024];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratch SEC(".maps");

// The first value that leaves the checksum field as ever. Those before it stand in the field, and
// the rest of them in the option.
#define FIRST_BESIDE 4

// Length of the option with the check value; 0: there is none.
static __always_inline __u32 option_length(__u8 value)
{
	if (value >= FIRST_BESIDE)
		return DATA_LENGTH;
	return value == 1 ? 0 : SHORT_LENGTH;
}

// Whether the segment in the working memory has the option of a value, if that has one.
static __always_inline int has_option_of(const struct scratch *s, __u8 value)
{
	return value == 1 || (s->data_options == 1 && s->data_length == option_length(value));
}

static __always_inline struct scratch *own_scratch(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&scratch, &zero);
}

// Keeps the compiler from merging a bound with later arithmetic, which the verifier cannot follow.
#define OPAQUE(x) asm volatile("" : "+r"(x))

// Reads a field of a context or a socket by itself: the verifier forbids addresses computed for
// several.
#define FIELD(of, name)                                                                            \
	({                                                                                         \
		__u32 field_ = (of)->name;                                                         \
		OPAQUE(field_);                                                                    \
		field_;                                                                            \
	})

// Returns an offset in the TCP header, for the verifier with a bound.
static __always_inline __u32 within(__u32 offset)
{
	OPAQUE(offset);
	return offset & 63;
}

// Returns a length from 1 to `most`, a power of two. Linux 6.1 forgets what was compared when a
// number is on the stack, but not what was computed.
static __always_inline __u32 bounded(__u32 length, const __u32 most)
{
	length--;
	OPAQUE(length);
	return (length & (most - 1)) + 1;
}

// Returns a value as an index of the counters.
static __always_inline __u32 index_of(__u8 value)
{
	__u32 index = value;
	OPAQUE(index);
	return index & (GUARD_VALUES - 1);
}

static __always_inline __u16 be16(const __u8 *bytes)
{
	return (__u16)bytes[0] << 8 | bytes[1];
}

static __always_inline __u32 be32(const __u8 *bytes)
{
	return (__u32)be16(bytes) << 16 | be16(bytes + 2);
}

static __always_inline __u32 packet_length(void *context, const int hook)
{
	if (hook == XDP)
		return bpf_xdp_get_buff_len(context);
	return ((struct __sk_buff *)context)->len;
}

static __always_inline long load(void *context, const int hook, __u32 at, void *to, __u32 length)
{
	if (hook == XDP)
		return bpf_xdp_load_bytes(context, at, to, length);
	return bpf_skb_load_bytes(context, at, to, length);
}

static __always_inline long store(void *context, const int hook, __u32 at, void *from, __u32 length)
{
	if (hook == XDP)
		return bpf_xdp_store_bytes(context, at, from, length);
	return bpf_skb_store_bytes(context, at, from, length, 0);
}

// Finds the options of the TCP header in the working memory. A function of its own, and its offset
// in memory, so that the verifier meets equal states after each option.
__attribute__((noinline)) int find_options(void)
{
	struct scratch *s = own_scratch();
	if (!s)
		return 0;
	volatile __u32 *next = &s->options_end;

	s->requests = s->data_options = s->sacks = s->fast_opens = s->is_signed = 0;
	*next = TCP_HEADER;
	for (int i = 0; i < 40; i++) {
		__u32 at = *next, room = s->header - at, length = 1;
		if (at >= s->header)
			break;
		const __u8 *option = s->tcp + within(at);
		__u8 kind = option[0];
		if (kind == END)
			break;
		if (kind != NOP) {
			length = option[1];
			if (room < 2 || length < 2 || length > room)
				break;
		}
		if (kind == REQUEST) {
			s->requests++;
			s->request_at = at;
			s->request_length = length;
		} else if (kind == DATA) {
			s->data_options++;
			s->data_at = at;
			s->data_length = length;
		} else if (kind == SACK) {
			s->sacks++;
			s->sack_at = at;
			s->sack_length = length;
		} else if (kind == MD5 || kind == TCP_AO) {
			s->is_signed = 1;
		} else if (kind == FAST_OPEN || (kind == EXPERIMENT && length >= 4 &&
						 option[2] == 0xf9 && option[3] == 0x89)) {
			s->fast_opens++;
			s->fast_open_at = at;
			s->fast_open_length = length;
		}
		*next = at + length;
	}
	return 0;
}

enum packet { OTHER, FRAGMENT, SEGMENT };

// Reads the headers of a packet into the working memory.
static __always_inline enum packet parse(void *context, const int hook, struct scratch *s,
					 const struct guard_config *c, const int sent)
{
	__u32 total = packet_length(context, hook), ip = 0, have = total;

	if (have > sizeof(s->window))
		have = sizeof(s->window);
	if (have < 20 || load(context, hook, 0, s->window, bounded(have, sizeof(s->window))))
		return OTHER;
	if (!(c->flags & GUARD_NO_ETHERNET)) {
		__u16 type = be16(s->window + 12);
		ip = 14;
		if (type == 0x8100 || type == 0x88a8) {
			type = be16(s->window + 16);
			ip = 18;
			if (type == 0x8100 || type == 0x88a8) {
				type = be16(s->window + 20);
				ip = 22;
			}
		}
		if (type != 0x0800 && type != 0x86dd)
			return OTHER;
	}
	if (have < ip + 20)
		return OTHER;
	const __u8 *header = s->window + ip;
	__u32 end, start;
	int fragment = 0;

	if (header[0] >> 4 == 4) {
		__u32 size = (header[0] & 15) * 4, length = be16(header + 2);
		__u16 offset = be16(header + 6) & 0x3fff;
		if (size < 20 || length < size || ip + length > total)
			return OTHER;
		if (header[9] != TCP || (offset && offset != 0x2000))
			return OTHER;
		fragment = offset != 0;
		__builtin_memset(s->source, 0, 10);
		__builtin_memset(s->destination, 0, 10);
		s->source[10] = s->source[11] = s->destination[10] = s->destination[11] = 0xff;
		__builtin_memcpy(s->source + 12, header + 12, 4);
		__builtin_memcpy(s->destination + 12, header + 16, 4);
		start = ip + size;
		end = ip + length;
		s->is_ipv6 = 0;
	} else if (header[0] >> 4 == 6) {
		__u32 length = be16(header + 4);
		if (have < ip + 40 || !length || ip + 40 + length > total)
			return OTHER;
		__u8 next = header[6];
		start = ip + 40;
		end = start + length;
		// Hop-by-hop, destination, routing at its end, atomic fragments.
		for (int i = 0; i < 8 && next != TCP; i++) {
			__u8 bytes[8];
			if (start + 8 > end || load(context, hook, start, bytes, 8))
				return OTHER;
			__u32 size = (bytes[1] + 1) * 8;
			if (next == 44) {
				__u16 offset = be16(bytes + 2) & 0xfff9;
				if (offset > 1)
					return OTHER;
				fragment |= offset;
				size = 8;
			} else if (next == 43 ? bytes[3] : next && next != 60) {
				return OTHER;
			}
			next = bytes[0];
			start += size;
			if (start > end)
				return OTHER;
		}
		if (next != TCP)
			return OTHER;
		__builtin_memcpy(s->source, header + 8, 16);
		__builtin_memcpy(s->destination, header + 24, 16);
		s->is_ipv6 = 1;
	} else {
		return OTHER;
	}

	__u32 length = end - start;
	__u32 loaded = length;
	if (loaded > 60)
		loaded = 60;
	OPAQUE(loaded);
	if (loaded < 4 || loaded > 60 || load(context, hook, start, s->tcp, loaded))
		return OTHER;
	__builtin_memcpy(s->key.local, sent ? s->source : s->destination, 16);
	__builtin_memcpy(s->key.remote, sent ? s->destination : s->source, 16);
	__builtin_memcpy(&s->key.local_port, s->tcp + (sent ? 0 : 2), 2);
	__builtin_memcpy(&s->key.remote_port, s->tcp + (sent ? 2 : 0), 2);
	if (fragment)
		return FRAGMENT;
	__u32 size = (s->tcp[12] >> 4) * 4;
	if (length < TCP_HEADER || size < TCP_HEADER || size > length)
		return OTHER;
	s->ip = ip;
	s->start = start;
	s->length = length;
	s->header = size;
	find_options();
	return SEGMENT;
}

// Whether the ports are among those to guard. Ports in network byte order.
static __always_inline int is_port(const struct guard_config *c, __be16 one, __be16 other)
{
	if (!c->port_count)
		return 1;
	for (int i = 0; i < GUARD_PORTS; i++) {
		if (i >= c->port_count)
			break;
		if (c->ports[i] == bpf_ntohs(one) || c->ports[i] == bpf_ntohs(other))
			return 1;
	}
	return 0;
}

#endif
