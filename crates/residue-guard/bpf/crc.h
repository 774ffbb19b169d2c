// CRCs of the bytes in the working memory.
#ifndef GUARD_CRC_H
#define GUARD_CRC_H

#include "packet.h"

// Most bytes for tables alone, and the first length for which the reduction is faster.
#define SHORT 448
// Bytes that the reduction leaves are at least this many: words of the largest distance.
#define REST 224
// Most bytes that are replaced at once.
#define PART 1024

#define WORD(at) (*(__u64 *)(at))
#define AT_DISTANCES(at, a, b, c, d, e)                                                            \
	(WORD((at) - (a)) ^ WORD((at) - (b)) ^ WORD((at) - (c)) ^ WORD((at) - (d)) ^ WORD((at) - (e)))

// Shortens a message without changing its CRC (for a register that starts as 0), after Chorba
// (Russell 2024). The polynomial divides 1 + x^8a + x^8b + ... + x^8e, seen from the end: so a byte
// may be replaced by its copies, added at five distances behind it. Words are replaced from the
// front, until REST and some bytes remain. A table would need eight look-ups for a word, with six
// instructions each. Distances of less than 64 would read words that the CPU has yet to store.
//
// Returns the number of bytes replaced, which are not to be read.
#define REDUCE(name, a, b, c, d, e)                                                                \
	/* A function of its own, which the verifier follows once, and not for each part. */       \
	__attribute__((noinline)) __u32 name##_part(__u32 done, __u32 length)                      \
	{                                                                                          \
		struct scratch *s = own_scratch();                                                 \
		__u8 *at;                                                                          \
		if (!s)                                                                            \
			return 0;                                                                  \
		done &= LONGEST - 64;                                                              \
		at = s->text + BEFORE + done;                                                      \
		for (int i = 0; i < PART / 64; i++) {                                              \
			if (done + 64 + REST > length)                                             \
				break;                                                             \
			_Pragma("unroll") for (int k = 0; k < 64; k += 8)                          \
				WORD(at + i * 64 + k) ^=                                           \
					AT_DISTANCES(at + i * 64 + k, a, b, c, d, e);              \
			done += 64;                                                                \
		}                                                                                  \
		return done;                                                                       \
	}                                                                                          \
	__attribute__((noinline)) __u32 name(__u32 length)                                         \
	{                                                                                          \
		struct scratch *s = own_scratch();                                                 \
		__u32 done = 0;                                                                    \
		__u8 *at;                                                                          \
		if (!s)                                                                            \
			return 0;                                                                  \
		for (int i = 0; i < LONGEST / PART && done + 64 + REST <= length; i++)             \
			done = name##_part(done, length);                                          \
		done &= LONGEST - 1;                                                               \
		at = s->text + BEFORE + done;                                                      \
		/* What was replaced last, then zeros: behind it, nothing is replaced. */          \
		_Pragma("unroll") for (int k = 0; k < REST; k += 8)                                \
			WORD(s->replaced + k) = WORD(at - REST + k);                               \
		_Pragma("unroll") for (int k = 0; k < REST; k += 8)                                \
			WORD(at + k) ^= AT_DISTANCES(s->replaced + REST + k, a, b, c, d, e);       \
		return done;                                                                       \
	}

// Five distances are the fewest for which the largest is short; these are the first found.
REDUCE(reduce_crc32c, 65, 155, 170, 195, 209)
REDUCE(reduce_crc32k, 84, 135, 203, 218, 222)

// Continues a CRC with bytes of the working memory, at most SHORT: slicing by 16 (Intel 2006).
__attribute__((noinline)) __u32 slicing(__u32 polynomial, __u32 start, __u32 length, __u32 value)
{
	struct scratch *s = own_scratch();
	struct guard_tables *t = bpf_map_lookup_elem(&crc_tables, &polynomial);
	__u32 done = 0;

	if (!s || !t)
		return 0;
	const __u8 *bytes = s->text + BEFORE + (start & (LONGEST - 1));
	for (int i = 0; i < SHORT / 16; i++) {
		if (done + 16 > length)
			break;
		// Or the compiler keeps the address of each slice on the stack, of which a chain of
		// functions has 512 bytes.
		OPAQUE(t);
		__u64 a = WORD(bytes + i * 16) ^ value, b = WORD(bytes + i * 16 + 8);
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
		if (done >= length || done > SHORT)
			break;
		// Linux 6.1 knows no bounds of an exclusive or, so the mask must follow it.
		__u32 index = value ^ bytes[done];
		OPAQUE(index);
		value = value >> 8 ^ t->slices[0][index & 255];
		done++;
	}
	return value;
}

// The kernel's CRC-32C, which uses the CPU's instructions: a function of the module bpf_crc32c
// (kernel-module/). Where it is not loaded, its address is 0, and the verifier removes the call.
extern __u32 bpf_crc32c(__u32 crc, const void *data, __u32 data__sz) __weak;

// Returns the CRC of `length` bytes of the working memory from BEFORE on, in network byte order as
// the option holds it. There must be zeros before. Destroys the bytes.
static __always_inline __u32 crc(__u32 polynomial, struct scratch *s, __u32 length)
{
	__u32 done = 0, value = ~0u;

	// A segment and its pseudo-header, for the verifier.
	OPAQUE(length);
	if (length > LONGEST + 64)
		return 0;
	if (!polynomial && bpf_crc32c)
		return bpf_htonl(~bpf_crc32c(value, s->text + BEFORE, length));
	if (length > SHORT) {
		*(__u32 *)(s->text + BEFORE) ^= value;
		value = 0;
		done = polynomial ? reduce_crc32k(length) : reduce_crc32c(length);
	}
	return bpf_htonl(~slicing(polynomial, done, length - done, value));
}

#endif
