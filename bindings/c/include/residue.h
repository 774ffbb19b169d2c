// residue: error-detection codes for C and C++. Internet checksum, XNS, Fletcher, Adler-32, and
// every CRC. Licensed under MIT or Apache-2.0, at your choice. Generated from bindings/c/src by
// cbindgen; do not edit.
//
// Conventions
//
// Values are final numbers: with a CRC's register preset, and the final exclusive or applied.
// Callers never complement anything. residue_crc32(data, n) is zlib's crc32(0, data, n), and
// residue_crc32_extend(crc, data, n) its crc32(crc, data, n). Libraries that return raw registers
// (ISA-L's crc32_iscsi, Linux's crc32c, _mm_crc32_u8) start from ~0 and leave the final complement
// to the caller.
//
// The protocol defines the order of a value's bytes on the wire: reflected CRCs are sent lowest
// byte first (residue_code_little_endian), all other values highest first.
// residue_internet_checksum returns a big-endian value: store it by htons().
//
// Data is bytes, of any length up to PTRDIFF_MAX, and is not copied. A null pointer with the length
// 0 is no data. Functions that return residue_status refuse a null pointer with another length, and
// longer data. Functions that return a value have no way to refuse: they treat both as no data.
// Strings are UTF-8 and end with a zero byte.
//
// Failure is reported by a status that is not RESIDUE_OK (or by a null pointer), and
// residue_last_error() describes it: each thread has one text, at a constant address, which its
// next failure replaces. Results are not written after a failure. No function aborts, prints or
// sets errno.
//
// Results may share memory with arguments: they are written last. Batches and copies write while
// they read, and refuse overlaps (RESIDUE_OVERLAP).
//
// All functions may be called from any thread at any time, but a stream only by one thread at a
// time. Codes never change and may be shared. Only functions named _new, _copy and _at allocate
// memory, except for an error's text.
//
// The kernel is chosen at a code's first call. RESIDUE_CPU in the environment masks CPU features,
// and RESIDUE_PROFILE names the micro-architecture whose kernels are preferred (see residue.3);
// unknown names are ignored, and residue_cpu_mask_error() reports them.


#ifndef RESIDUE_H
#define RESIDUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The version of this header: major * 10000 + minor * 100 + patch.
#define RESIDUE_VERSION 100

// The size of a buffer for the text of any partial, including its terminating zero byte.
#define RESIDUE_PARTIAL_TEXT 256

// The result of a function. The numbers never change.
typedef enum {
    // Success.
    RESIDUE_OK = 0,
    // A pointer is null but must not be.
    RESIDUE_NULL = 1,
    // A length exceeds any memory (PTRDIFF_MAX).
    RESIDUE_LENGTH = 2,
    // No code, or no kernel of the code, has this name or index.
    RESIDUE_UNKNOWN = 3,
    // The parameters do not define a CRC, or the code is not a CRC.
    RESIDUE_PARAMETERS = 4,
    // This CPU cannot run the kernel.
    RESIDUE_UNSUPPORTED = 5,
    // The code's values have more than 64 bits: use the function whose name ends with _wide.
    RESIDUE_WIDE = 6,
    // The two arguments are of different codes.
    RESIDUE_DIFFERENT = 7,
    // The data is split inside a word of this code.
    RESIDUE_ODD_SPLIT = 8,
    // No data has this value, alone or beside the other value.
    RESIDUE_IMPOSSIBLE = 9,
    // A range or a part is longer than the data, or differs in length from its replacement, or the
    // data would reach 2^64 bytes.
    RESIDUE_RANGE = 10,
    // A text is not UTF-8, or not the text of a partial.
    RESIDUE_TEXT = 11,
    // The text does not fit into the buffer.
    RESIDUE_SPACE = 12,
    // Source and destination overlap, or a function that writes while it reads would write its
    // values over its arguments.
    RESIDUE_OVERLAP = 13,
    // A bug in this library; please report it.
    RESIDUE_INTERNAL = 99,
} residue_status;

// A code. Constant; may be shared between threads. Created by residue_code_new, and freed when
// residue_code_free was called as often as residue_code_new and no stream of it is left.
typedef struct residue_code residue_code;

// A stream: computes the value of data that comes in pieces. It keeps its code alive.
typedef struct residue_stream residue_stream;

// A value of up to 128 bits: high * 2^64 + low.
typedef struct {
    // The lowest 64 bits.
    uint64_t low;
    // The bits above them.
    uint64_t high;
} residue_wide;

// The parameters of a CRC, in the convention of the RevEng catalogue: poly in normal notation
// without its top term, init not reflected.
typedef struct {
    // The width of the value in bits, 1 to 128.
    uint32_t width;
    // Whether the lowest bit of each byte comes first.
    bool refin;
    // Whether the register's bits are reversed at the end.
    bool refout;
    // The generator polynomial.
    residue_wide poly;
    // The register before the first bit.
    residue_wide init;
    // The value to xor into the result at the end.
    residue_wide xorout;
    // The check value, of "123456789". Ignored by residue_code_from_params.
    residue_wide check;
    // The register after a message and its value. Ignored by residue_code_from_params.
    residue_wide residue;
} residue_params;

// The value and the length of some data, from which residue_partial_concat and the like compute in
// time logarithmic in the lengths. A plain struct that may be copied and stored; it does not hold
// its code, which is passed beside it.
typedef struct {
    // The value.
    residue_wide value;
    // The length of the data, in bytes.
    uint64_t bytes;
} residue_partial;

// A piece of data; laid out as struct iovec.
typedef struct {
    // The first byte; may be null if the length is 0.
    const void *data;
    // The length in bytes.
    size_t length;
} residue_slice;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns why a function last failed on this thread, as an English sentence of at most 1023 bytes;
// empty if none has failed. The pointer is the thread's own, constant, and valid until the thread
// ends, as that of strerror; the next failure on the thread replaces the text. Copy it to keep it.
const char *residue_last_error(void);

// Returns what is wrong with RESIDUE_CPU or RESIDUE_PROFILE in the environment, as an English
// sentence; empty if nothing is. The library ignores unknown names. Read at the first call; valid
// forever.
const char *residue_cpu_mask_error(void);

// Returns the version of the library, as "0.1.0". RESIDUE_VERSION is that of the header.
const char *residue_version(void);

// Computes CRC-32C: iSCSI, SCTP, ext4, Btrfs, NVMe/TCP. "123456789" gives 0xe3069283.
uint32_t residue_crc32c(const void *data, size_t length);

// Computes CRC-32: Ethernet, zip, gzip, PNG; zlib's crc32. "123456789" gives 0xcbf43926.
uint32_t residue_crc32(const void *data, size_t length);

// Computes CRC-64/NVME: NVMe, S3. "123456789" gives 0xae8b14860a799888.
uint64_t residue_crc64_nvme(const void *data, size_t length);

// Computes Adler-32: zlib streams. "Wikipedia" gives 0x11e60398; no data 1.
uint32_t residue_adler32(const void *data, size_t length);

// Computes the Internet checksum (RFC 1071) of IPv4, TCP, UDP and ICMP, complemented, as a
// big-endian value: store it by htons(). Returns 0 for data that contains its correct checksum.
uint16_t residue_internet_checksum(const void *data, size_t length);

// Updates an Internet checksum after the 16-bit field old_field, at an even offset, became
// new_field (RFC 1624). All three are big-endian values.
uint16_t residue_internet_update(uint16_t checksum, uint16_t old_field, uint16_t new_field);

// Computes the checksum of XNS IDP and IPX, of the packet after its checksum field; never 0xffff.
uint16_t residue_xns_checksum(const void *data, size_t length);

// Computes Fletcher-16: sums of bytes modulo 255, the second in the upper byte. "abcde" gives
// 0xc8f0.
uint16_t residue_fletcher16(const void *data, size_t length);

// Computes Fletcher-32: sums of little-endian 16-bit words modulo 65535, the second in the upper
// half; an odd last byte is padded with a zero byte. "abcde" gives 0xf04fc729.
uint32_t residue_fletcher32(const void *data, size_t length);

// Computes Fletcher-32 of big-endian words.
uint32_t residue_fletcher32_be(const void *data, size_t length);

// Continues a CRC-32C with further bytes. To start, pass crc 0, that of no data.
uint32_t residue_crc32c_extend(uint32_t crc, const void *data, size_t length);

// Continues a CRC-32 with further bytes: zlib's crc32. To start, pass crc 0, that of no data.
uint32_t residue_crc32_extend(uint32_t crc, const void *data, size_t length);

// Continues a CRC-64/NVME with further bytes. To start, pass crc 0, that of no data.
uint64_t residue_crc64_nvme_extend(uint64_t crc, const void *data, size_t length);

// Continues an Adler-32 with further bytes: zlib's adler32. To start, pass adler 1, that of no
// data.
uint32_t residue_adler32_extend(uint32_t adler, const void *data, size_t length);

// Computes the CRC-32C of two pieces of data from the value of each; second_length is the length
// of the second in bytes. Takes time logarithmic in second_length. (Any code:
// residue_partial_concat.)
uint32_t residue_crc32c_combine(uint32_t first, uint32_t second, uint64_t second_length);

// Computes the CRC-32 of two pieces of data from the value of each: zlib's crc32_combine.
uint32_t residue_crc32_combine(uint32_t first, uint32_t second, uint64_t second_length);

// Computes the CRC-64/NVME of two pieces of data from the value of each.
uint64_t residue_crc64_nvme_combine(uint64_t first, uint64_t second, uint64_t second_length);

// Computes the Adler-32 of two pieces of data from the value of each: zlib's adler32_combine.
uint32_t residue_adler32_combine(uint32_t first, uint32_t second, uint64_t second_length);

// Copies length bytes and computes their CRC-32C in one pass. RESIDUE_OVERLAP if any two of
// source, destination and value share a byte. (Any code: residue_copy.)
residue_status residue_copy_crc32c(void *to, const void *from, size_t length, uint32_t *value);

// Writes the two check octets of ISO 8473 (TP4, IS-IS, OSPF) at this offset of the packet, which
// makes its sums zero modulo 255. Neither octet is 0.
residue_status residue_iso8473_place(void *packet, size_t length, size_t offset);

// Returns whether both sums of the packet, check octets included, are zero modulo 255.
bool residue_iso8473_verify(const void *packet, size_t length);

// Counts one hop in an XNS packet's checksum; packet_length is the packet's length field. 0xffff
// (no checksum) stays.
uint16_t residue_xns_update_hop(uint16_t checksum, uint16_t packet_length);

// Returns the code of this name, or null on failure. name is a name (as "crc-32/iscsi" or
// "crc32c"; case, - and _ do not matter), or a CRC's parameters, as
// "width=16,poly=1021,init=ffff,refin=true,refout=true,xorout=0" (hexadecimal except for the
// width). Free it by residue_code_free; handles of named codes are shared, cost nothing and need
// not be freed.
residue_code *residue_code_new(const char *name);

// Returns the CRC of these parameters, or null if they are invalid: a width of 0 or above 128,
// bits above the width, or a polynomial without its constant term. Free it by residue_code_free.
residue_code *residue_code_from_params(const residue_params *params);

// Releases a code. Does nothing if code is null.
void residue_code_free(residue_code *code);

// Returns the number of named codes.
size_t residue_code_count(void);

// Returns the named code of this index, from 0, as residue_code_new does; null if the index is not
// below residue_code_count.
residue_code *residue_code_at(size_t index);

// Returns the name, in lower case; "custom" for a CRC outside the catalogue; empty for null. Valid
// as long as the code.
const char *residue_code_name(const residue_code *code);

// Returns a sentence that describes a code that is not a CRC; empty for CRCs. Valid as long as the
// code.
const char *residue_code_about(const residue_code *code);

// Returns the width of the value in bits; 0 for null.
uint32_t residue_code_width(const residue_code *code);

// Returns whether the value's bytes go on the wire lowest first (reflected CRCs).
bool residue_code_little_endian(const residue_code *code);

// Writes a CRC's parameters; RESIDUE_PARAMETERS for other codes.
residue_status residue_code_params(const residue_code *code, residue_params *params);

// Computes the value of data by a code of up to 64 bits.
residue_status residue_value(const residue_code *code,
                             const void *data,
                             size_t length,
                             uint64_t *value);

// Computes the value of data by any code.
residue_status residue_value_wide(const residue_code *code,
                                  const void *data,
                                  size_t length,
                                  residue_wide *value);

// Computes the value of data by any code, with its kernel of this name; for tests and
// measurements. Kernels that need tables compute them at each call.
residue_status residue_value_with(const residue_code *code,
                                  const char *kernel,
                                  const void *data,
                                  size_t length,
                                  residue_wide *value);

// Returns the number of kernels of the code, including those of other CPUs.
size_t residue_kernel_count(const residue_code *code);

// Returns the name of the kernel of this index, best first; null if the index is not below
// residue_kernel_count. Valid as long as the code.
const char *residue_kernel_name(const residue_code *code, size_t index);

// Returns whether this CPU can run the kernel of this index.
bool residue_kernel_supported(const residue_code *code, size_t index);

// Returns the name of the kernel that the library uses on this CPU; empty for null. Valid as long
// as the code.
const char *residue_kernel_chosen(const residue_code *code);

// Returns a new stream of this code, without data; null on failure. Free it by
// residue_stream_free.
residue_stream *residue_stream_new(const residue_code *code);

// Returns a copy of a stream; null on failure. Free it by residue_stream_free.
residue_stream *residue_stream_copy(const residue_stream *stream);

// Frees a stream. Does nothing if stream is null.
void residue_stream_free(residue_stream *stream);

// Resets a stream to no data.
residue_status residue_stream_reset(residue_stream *stream);

// Adds the next bytes to a stream; pieces may have any length.
residue_status residue_stream_update(residue_stream *stream, const void *data, size_t length);

// Appends the data of another stream of an equal code.
residue_status residue_stream_combine(residue_stream *stream, const residue_stream *next);

// Writes the value so far, of up to 64 bits. The stream may continue.
residue_status residue_stream_value(const residue_stream *stream, uint64_t *value);

// Writes the value so far, of any code. The stream may continue.
residue_status residue_stream_value_wide(const residue_stream *stream, residue_wide *value);

// Writes the value so far and the length, as a partial.
residue_status residue_stream_partial(const residue_stream *stream, residue_partial *partial);

// Computes the partial of data.
residue_status residue_partial_of(const residue_code *code,
                                  const void *data,
                                  size_t length,
                                  residue_partial *result);

// Computes the partial of first's data followed by second's: AB from A and B. RESIDUE_ODD_SPLIT if
// A ends inside a word of the code. result may be an argument, in this function and the following
// ones.
residue_status residue_partial_concat(const residue_code *code,
                                      const residue_partial *first,
                                      const residue_partial *second,
                                      residue_partial *result);

// Computes the partial of whole's data without its beginning: B from AB and A.
residue_status residue_partial_remove_prefix(const residue_code *code,
                                             const residue_partial *whole,
                                             const residue_partial *prefix,
                                             residue_partial *result);

// Computes the partial of whole's data without its end: A from AB and B.
residue_status residue_partial_remove_suffix(const residue_code *code,
                                             const residue_partial *whole,
                                             const residue_partial *suffix,
                                             residue_partial *result);

// Computes the partial of the data followed by this many zero bytes.
residue_status residue_partial_extend_by_zeroes(const residue_code *code,
                                                const residue_partial *partial,
                                                uint64_t count,
                                                residue_partial *result);

// Computes the partial of whole's data after a range of it was replaced: the range at this offset,
// with the partial old_part, by data of equal length with the partial new_part.
residue_status residue_partial_replace(const residue_code *code,
                                       const residue_partial *whole,
                                       uint64_t offset,
                                       const residue_partial *old_part,
                                       const residue_partial *new_part,
                                       residue_partial *result);

// Computes the partial of whole's data after the bytes old_data at this offset were replaced by
// new_data. Works for all codes at any offset, unlike residue_partial_replace.
residue_status residue_partial_update(const residue_code *code,
                                      const residue_partial *whole,
                                      uint64_t offset,
                                      const void *old_data,
                                      const void *new_data,
                                      size_t length,
                                      residue_partial *result);

// Writes the partial as a line of text, CODE:VALUE:BYTES, as "crc-32/iscsi:e3069283:9", with a
// zero byte. size is that of the buffer: RESIDUE_PARTIAL_TEXT is always enough.
residue_status residue_partial_format(const residue_code *code,
                                      const residue_partial *partial,
                                      char *buffer,
                                      size_t size);

// Parses the text of a partial. RESIDUE_DIFFERENT if it is of another code.
residue_status residue_partial_parse(const residue_code *code,
                                     const char *line,
                                     residue_partial *result);

// Returns the code that the text of a partial names, as residue_code_new does; null on failure.
residue_code *residue_partial_parse_code(const char *line);

// Copies length bytes, as memcpy, and computes their value by any code, for most codes in one
// pass. RESIDUE_OVERLAP if any two of source, destination and value share a byte.
residue_status residue_copy(const residue_code *code,
                            void *to,
                            const void *from,
                            size_t length,
                            residue_wide *value);

// Computes the CRC-32C of each of count packets. In this function and the following ones,
// RESIDUE_OVERLAP if values shares a byte with a packet or with the array of packets; packets may
// overlap each other.
residue_status residue_batch_crc32c(const residue_slice *packets, size_t count, uint32_t *values);

// Computes the Internet checksum of each of count packets.
residue_status residue_batch_internet(const residue_slice *packets, size_t count, uint16_t *values);

// Computes the value of each of count packets, by any code of up to 64 bits.
residue_status residue_batch(const residue_code *code,
                             const residue_slice *packets,
                             size_t count,
                             uint64_t *values);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* RESIDUE_H */
