// Sums of the bytes in the working memory: the Internet checksum, and Fletcher's.
#ifndef GUARD_SUMS_H
#define GUARD_SUMS_H

#include "packet.h"

static __always_inline __u16 folded(__u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

// Returns the sum of 16-bit words of the working memory from `start` on, folded. Zeros must follow
// an incomplete word.
__attribute__((noinline)) __u32 sum(__u32 start, __u32 length)
{
	struct scratch *s = own_scratch();
	__s64 value = 0;

	if (!s)
		return 0;
	start &= 1023;
	// Kernels before 6.13 take at most 512 bytes.
	for (int i = 0; i < LONGEST / 512 + 1; i++) {
		__u32 part = length;
		if (part > 512)
			part = 512;
		OPAQUE(part);
		if (part < 1 || part > 512)
			break;
		length -= part;
		value = bpf_csum_diff(0, 0, (__be32 *)(s->text + start + i * 512), (part + 3) & ~3u,
				      value);
	}
	return folded(value);
}

// A sum of RFC 1146: in one's complement, so that only zeros have the sum 0.
static __always_inline __u64 remainder(__u64 sum, __u64 modulus)
{
	return sum ? (sum - 1) % modulus + 1 : 0;
}

// Most words of 8 bytes of a segment and its pseudo-header.
#define MOST_WORDS ((LONGEST + 40) / 8 + 1)

// Returns both sums of the 8-bit Fletcher checksum (RFC 1146) of `length` bytes of the working
// memory from BEFORE on, the first one in the upper half of 16 bits. Zeros must follow.
//
// Eight bytes are two words with four lanes of 16 bits. A product with factors in the same lanes
// has the sum of the products of opposite lanes in its uppermost lane.
__attribute__((noinline)) __u32 fletcher_8(__u32 length)
{
	struct scratch *s = own_scratch();
	__u64 a = 0, b = 0;

	if (!s)
		return 0;
	for (__u32 i = 0; i < MOST_WORDS; i++) {
		if (i * 8 >= length)
			break;
		__u64 word = *(__u64 *)(s->text + BEFORE + i * 8);
		__u64 even = word & 0x00ff00ff00ff00ff, odd = word >> 8 & 0x00ff00ff00ff00ff;
		b += 8 * a;
		b += even * 0x0008000600040002 >> 48;
		b += odd * 0x0007000500030001 >> 48;
		a += (even + odd) * 0x0001000100010001 >> 48;
	}
	// The zeros behind the last byte.
	b -= (-length & 7) * a;
	return remainder(a, 255) << 8 | remainder(b, 255);
}

// As `fletcher_8`, of the 16-bit checksum. A zero completes an odd number of bytes.
__attribute__((noinline)) __u32 fletcher_16(__u32 length)
{
	struct scratch *s = own_scratch();
	__u64 a = 0, b = 0;

	if (!s)
		return 0;
	for (__u32 i = 0; i < MOST_WORDS; i++) {
		if (i * 8 >= length)
			break;
		__u64 word = bpf_be64_to_cpu(*(__u64 *)(s->text + BEFORE + i * 8));
		b += 4 * a;
		b += 4 * (word >> 48) + 3 * (word >> 32 & 0xffff);
		b += 2 * (word >> 16 & 0xffff) + (word & 0xffff);
		a += (word >> 48) + (word >> 32 & 0xffff) + (word >> 16 & 0xffff) + (word & 0xffff);
	}
	b -= (-((length + 1) / 2) & 3) * a;
	return remainder(a, 65535) << 16 | remainder(b, 65535);
}

#endif
