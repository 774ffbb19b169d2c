// CRCs of the bytes in the working memory.
#ifndef GUARD_CRC_H
#define GUARD_CRC_H

#include "packet.h"

// Returns the CRC of `length` bytes of the working memory from BEFORE on, at most LONGEST + 40, in
// network byte order as the option holds it. Destroys the bytes. A function of its own, so that
// the verifier walks through its loop once.
__attribute__((noinline)) __u32 crc(__u32 polynomial, __u32 length)
{
	struct scratch *s = own_scratch();
	struct guard_tables *t = bpf_map_lookup_elem(&crc_tables, &polynomial);
	__u32 value = ~0u, done = 0;

	if (!s || !t)
		return 0;
	for (int i = 0; i < (LONGEST + 40) / 16; i++) {
		if (done + 16 > length)
			break;
		const __u64 *at = (const __u64 *)(s->text + BEFORE + i * 16);
		__u64 a = at[0] ^ value, b = at[1];
		value = t->slices[15][a & 255] ^ t->slices[14][a >> 8 & 255] ^
			t->slices[13][a >> 16 & 255] ^ t->slices[12][a >> 24 & 255] ^
			t->slices[11][a >> 32 & 255] ^ t->slices[10][a >> 40 & 255] ^
			t->slices[9][a >> 48 & 255] ^ t->slices[8][a >> 56] ^
			t->slices[7][b & 255] ^ t->slices[6][b >> 8 & 255] ^
			t->slices[5][b >> 16 & 255] ^ t->slices[4][b >> 24 & 255] ^
			t->slices[3][b >> 32 & 255] ^ t->slices[2][b >> 40 & 255] ^
			t->slices[1][b >> 48 & 255] ^ t->slices[0][b >> 56];
		done += 16;
	}
	for (int i = 0; i < 15; i++) {
		if (done >= length || done > LONGEST + 40)
			break;
		value = value >> 8 ^ t->slices[0][(value ^ s->text[BEFORE + done]) & 255];
		done++;
	}
	return bpf_htonl(~value);
}

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

#endif
