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
	__u32 done = 0;
	__s64 value = 0;

	if (!s)
		return 0;
	start &= 1023;
	// Kernels before 6.13 take at most 512 bytes. All calls but the last have a known length, so
	// the verifier follows one path through the loop.
	for (int i = 0; i < LONGEST / 512; i++) {
		if (length < 512)
			break;
		length -= 512;
		value = bpf_csum_diff(0, 0, (__be32 *)(s->text + start + done), 512, value);
		done += 512;
	}
	// Linux 6.12 forgets what was compared, but not what was computed.
	OPAQUE(length);
	length &= 511;
	if (length)
		value = bpf_csum_diff(0, 0, (__be32 *)(s->text + start + done), (length + 3) & ~3u,
				      value);
	return folded(value);
}

// A sum of RFC 1146: in one's complement, so that only zeros have the sum 0.
static __always_inline __u64 remainder(__u64 sum, __u64 modulus)
{
	return sum ? (sum - 1) % modulus + 1 : 0;
}

// Adds 512 bytes of the working memory, or the rest of `length` bytes, to the sums there.
//
// Eight bytes are two words with four lanes of 16 bits. A product with factors in the same lanes
// has the sum of the products of opposite lanes in its uppermost lane.
static __always_inline int add_block(__u32 block, __u32 length, const int is_wide)
{
	struct scratch *s = own_scratch();
	__u64 a, b;

	if (!s || block > LONGEST / 512 || block * 512 > length)
		return 0;
	length -= block * 512;
	a = s->sums[0];
	b = s->sums[1];
	for (__u32 i = 0; i < 64; i++) {
		if (i * 8 >= length)
			break;
		__u64 word = *(__u64 *)(s->text + BEFORE + block * 512 + i * 8);
		if (is_wide) {
			word = bpf_be64_to_cpu(word);
			b += 4 * a;
			b += 4 * (word >> 48) + 3 * (word >> 32 & 0xffff);
			b += 2 * (word >> 16 & 0xffff) + (word & 0xffff);
			a += (word >> 48) + (word >> 32 & 0xffff);
			a += (word >> 16 & 0xffff) + (word & 0xffff);
		} else {
			__u64 even = word & 0x00ff00ff00ff00ff, odd = word >> 8 & 0x00ff00ff00ff00ff;
			b += 8 * a;
			b += even * 0x0008000600040002 >> 48;
			b += odd * 0x0007000500030001 >> 48;
			a += (even + odd) * 0x0001000100010001 >> 48;
		}
	}
	s->sums[0] = a;
	s->sums[1] = b;
	return 0;
}

// Functions of their own, which the verifier follows once, and not for each block.
__attribute__((noinline)) int add_8(__u32 block, __u32 length)
{
	return add_block(block, length, 0);
}

__attribute__((noinline)) int add_16(__u32 block, __u32 length)
{
	return add_block(block, length, 1);
}

// Returns both sums of the 8-bit Fletcher checksum (RFC 1146) of `length` bytes of the working
// memory from BEFORE on, the first one in the upper half of 16 bits. Zeros must follow.
static __always_inline __u32 fletcher_8(struct scratch *s, __u32 length)
{
	s->sums[0] = s->sums[1] = 0;
	for (__u32 i = 0; i < LONGEST / 512 + 1 && i * 512 < length; i++)
		add_8(i, length);
	// The zeros behind the last byte.
	return remainder(s->sums[0], 255) << 8 |
	       remainder(s->sums[1] - (-length & 7) * s->sums[0], 255);
}

// As `fletcher_8`, of the 16-bit checksum. A zero completes an odd number of bytes.
static __always_inline __u32 fletcher_16(struct scratch *s, __u32 length)
{
	s->sums[0] = s->sums[1] = 0;
	for (__u32 i = 0; i < LONGEST / 512 + 1 && i * 512 < length; i++)
		add_16(i, length);
	return remainder(s->sums[0], 65535) << 16 |
	       remainder(s->sums[1] - (-((length + 1) / 2) & 3) * s->sums[0], 65535);
}

#endif
