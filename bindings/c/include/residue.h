// residue: error-detection codes for C and C++. Internet checksum, XNS, Fletcher, Adler-32, every CRC.
// Licensed under MIT or Apache-2.0, at your choice. Made from bindings/c/src by cbindgen; do not edit.
//
// Conventions
//
// Values are numbers, finished: with a CRC's register preset, and the final exclusive or done. Nobody has to complement
// anything. residue_crc32(data, n) is zlib's crc32(0, data, n), residue_crc32_extend(crc, data, n) its crc32(crc, data, n);
// libraries that hand out raw registers (ISA-L's crc32_iscsi, Linux's crc32c, _mm_crc32_u8) start from ~0 and leave the final
// complement to the caller.
//
// The order of a value's bytes on the wire is the protocol's affair: reflected CRCs go lowest byte first
// (residue_code_little_endian), everything else highest first. residue_internet_checksum is a big-endian value: store it by
// htons().
//
// Data is bytes, of any length up to PTRDIFF_MAX, and is not copied. A null pointer with the length 0 is no data. Functions
// that return residue_status refuse a null pointer with another length, and longer data. Functions that return a value cannot
// tell: to them both are no data. Strings are UTF-8 and end with a zero byte.
//
// Failure is reported by a status that is not RESIDUE_OK (or by a null pointer), and
// residue_last_error() says what is wrong: each thread has one text, at a place that stays, which
// its next failure replaces. What a function was to write is unchanged after a failure. Nothing
// aborts, prints or sets errno.
//
// All functions may be called from any thread at the same time; one stream by one thread at a time. Codes never change and
// may be shared. No function but those named _new, _copy and _at allocates memory, except for an error's text.
//
// The kernel is chosen at a code's first call. RESIDUE_CPU in the environment masks what the CPU
// has (see residue.3); a mask that is not known is ignored, and residue_cpu_mask_error() says so.


#ifndef RESIDUE_H
#define RESIDUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The version of this header: major * 10000 + minor * 100 + patch.
#define RESIDUE_VERSION 100

// Bytes that the text of any partial fits into, its zero byte included.
#define RESIDUE_PARTIAL_TEXT 256

// How a function ended. The numbers do not change.
typedef enum {
    // Done.
    RESIDUE_OK = 0,
    // A pointer is null that may not be.
    RESIDUE_NULL = 1,
    // A length is larger than any memory (PTRDIFF_MAX).
    RESIDUE_LENGTH = 2,
    // No code, or no kernel of this code, has this name; or there is none at this index.
    RESIDUE_UNKNOWN = 3,
    // These are no parameters of a CRC.
    RESIDUE_PARAMETERS = 4,
    // This CPU lacks what the kernel needs.
    RESIDUE_UNSUPPORTED = 5,
    // The code's values have more than 64 bits: use the function whose name ends with _wide.
    RESIDUE_WIDE = 6,
    // The two are of different codes.
    RESIDUE_DIFFERENT = 7,
    // The data is split inside a word of this code.
    RESIDUE_ODD_SPLIT = 8,
    // No data has this value, or not beside the other one.
    RESIDUE_IMPOSSIBLE = 9,
    // A range or a part is longer than the data, or not as long as what replaces it, or the data would reach 2^64 bytes.
    RESIDUE_RANGE = 10,
    // A text is not UTF-8, or not a partial's.
    RESIDUE_TEXT = 11,
    // The text does not fit into the buffer.
    RESIDUE_SPACE = 12,
    // Source and destination overlap.
    RESIDUE_OVERLAP = 13,
    // A mistake in this library; please report it.
    RESIDUE_INTERNAL = 99,
} residue_status;

// A code. Constant; may be shared between threads. Made by residue_code_new, and freed when residue_code_free was called as
// often as it was made and no stream of it is left.
typedef struct residue_code residue_code;

// The value of data that comes in pieces. It keeps its code alive.
typedef struct residue_stream residue_stream;

// A value of up to 128 bits: high * 2^64 + low.
typedef struct {
    // The lowest 64 bits.
    uint64_t low;
    // The bits above them.
    uint64_t high;
} residue_wide;

// The parameters of a CRC, as the RevEng catalogue gives them: poly in normal notation without its top term, init as if not
// reflected.
typedef struct {
    // Bits of the value, 1 to 128.
    uint32_t width;
    // Whether each byte's lowest bit comes first.
    bool refin;
    // Whether the register's bits are reversed at the end.
    bool refout;
    // The generator.
    residue_wide poly;
    // The register before the first bit.
    residue_wide init;
    // Xored into the value at the end.
    residue_wide xorout;
    // The value of "123456789". Not read by residue_code_from_params.
    residue_wide check;
    // The register after a message and its value. Not read by residue_code_from_params.
    residue_wide residue;
} residue_params;

// The value and the length of some data: what residue_partial_concat and the others work with, in time logarithmic in the
// lengths. A plain struct that may be copied and kept; it does not know its code, which is given beside it.
typedef struct {
    // The value.
    residue_wide value;
    // The length of the data, in bytes.
    uint64_t bytes;
} residue_partial;

// A piece of data; laid out as struct iovec.
typedef struct {
    // Where it begins; may be null if the length is 0.
    const void *data;
    // Its bytes.
    size_t length;
} residue_slice;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// What was wrong when a function last failed on this thread, as an English sentence of at most
// 1023 bytes; empty if none has. The pointer is the thread's own, always the same, and good until
// the thread ends, as that of strerror; the next failure on the thread replaces the text. Copy it
// to keep it.
const char *residue_last_error(void);

// What is wrong with RESIDUE_CPU in the environment, as an English sentence: the library ignores a
// tier that it does not know. Empty if nothing is. Read at the first call; good for ever.
const char *residue_cpu_mask_error(void);

// The version of the library, as "0.1.0". RESIDUE_VERSION is that of the header.
const char *residue_version(void);

// CRC-32C: iSCSI, SCTP, ext4, Btrfs, NVMe/TCP. "123456789" gives 0xe3069283.
uint32_t residue_crc32c(const void *data, size_t length);

// CRC-32: Ethernet, zip, gzip, PNG; zlib's crc32. "123456789" gives 0xcbf43926.
uint32_t residue_crc32(const void *data, size_t length);

// CRC-64/NVME: NVMe, S3. "123456789" gives 0xae8b14860a799888.
uint64_t residue_crc64_nvme(const void *data, size_t length);

// Adler-32: zlib streams. "Wikipedia" gives 0x11e60398; no data 1.
uint32_t residue_adler32(const void *data, size_t length);

// The Internet checksum (RFC 1071) of IPv4, TCP, UDP and ICMP, complemented, as a big-endian value: store it by htons(). Over
// data that has its checksum in it: 0.
uint16_t residue_internet_checksum(const void *data,
                                   size_t length);

// The Internet checksum after the 16-bit field old_field, at an even offset, became new_field (RFC 1624). All three are
// big-endian values.
uint16_t residue_internet_update(uint16_t checksum,
                                 uint16_t old_field,
                                 uint16_t new_field);

// The checksum of XNS IDP and IPX, of the packet after its checksum field; never 0xffff.
uint16_t residue_xns_checksum(const void *data, size_t length);

// Fletcher-16: sums of bytes modulo 255, the second in the upper byte. "abcde" gives 0xc8f0.
uint16_t residue_fletcher16(const void *data, size_t length);

// Fletcher-32: sums of little-endian 16-bit words modulo 65535, the second in the upper half; an odd last byte is padded
// with a zero byte. "abcde" gives 0xf04fc729.
uint32_t residue_fletcher32(const void *data,
                            size_t length);

// Fletcher-32 of big-endian words.
uint32_t residue_fletcher32_be(const void *data, size_t length);

// CRC-32C of data whose beginning has the value crc (0 for no beginning) and goes on with these bytes.
uint32_t residue_crc32c_extend(uint32_t crc, const void *data, size_t length);

// CRC-32 of data whose beginning has the value crc (0 for no beginning) and goes on with these bytes: zlib's crc32.
uint32_t residue_crc32_extend(uint32_t crc,
                              const void *data,
                              size_t length);

// CRC-64/NVME of data whose beginning has the value crc (0 for no beginning) and goes on with these bytes.
uint64_t residue_crc64_nvme_extend(uint64_t crc, const void *data, size_t length);

// Adler-32 of data whose beginning has the value adler (1 for no beginning) and goes on with these bytes: zlib's adler32.
uint32_t residue_adler32_extend(uint32_t adler,
                                const void *data,
                                size_t length);

// CRC-32C of two pieces of data from the value of each; second_length is that of the second, in bytes. In time logarithmic
// in it. (Any code: residue_partial_concat.)
uint32_t residue_crc32c_combine(uint32_t first,
                                uint32_t second,
                                uint64_t second_length);

// CRC-32 of two pieces of data from the value of each: zlib's crc32_combine.
uint32_t residue_crc32_combine(uint32_t first, uint32_t second, uint64_t second_length);

// CRC-64/NVME of two pieces of data from the value of each.
uint64_t residue_crc64_nvme_combine(uint64_t first, uint64_t second, uint64_t second_length);

// Adler-32 of two pieces of data from the value of each: zlib's adler32_combine.
uint32_t residue_adler32_combine(uint32_t first, uint32_t second, uint64_t second_length);

// Copies length bytes, which may not overlap, and gives their CRC-32C in one pass. (Any code: residue_copy.)
residue_status residue_copy_crc32c(void *to, const void *from, size_t length, uint32_t *value);

// Writes the two check octets of ISO 8473 (TP4, IS-IS, OSPF) at this offset of the packet, so that its sums are zero modulo
// 255. Neither octet is 0.
residue_status residue_iso8473_place(void *packet,
                                     size_t length,
                                     size_t offset);

// Whether both sums of the packet, check octets included, are zero modulo 255.
bool residue_iso8473_verify(const void *packet, size_t length);

// Counts one hop in an XNS packet's checksum, whose length field is packet_length; 0xffff (none) stays.
uint16_t residue_xns_update_hop(uint16_t checksum, uint16_t packet_length);

// The code of this name (as "crc-32/iscsi" or "crc32c"; case, - and _ do not matter), or a CRC by its parameters, as
// "width=16,poly=1021,init=ffff,refin=true,refout=true,xorout=0" (hexadecimal but for the width). Null if there is none.
// To be freed by residue_code_free; for a name that costs nothing, and need not be.
residue_code *residue_code_new(const char *name);

// The CRC of these parameters. Null if they are none: a width of 0 or above 128, bits above it, or a polynomial without its
// constant term.
residue_code *residue_code_from_params(const residue_params *params);

// Gives a code back. Null is no code, and right.
void residue_code_free(residue_code *code);

// How many named codes there are.
size_t residue_code_count(void);

// The named code of this index, from 0; null if there are fewer. As if made by residue_code_new.
residue_code *residue_code_at(size_t index);

// The name, in lower case; "custom" for a CRC outside the catalogue; empty for null. Good as long as the code.
const char *residue_code_name(const residue_code *code);

// One sentence on a code that is no CRC; empty for others. Good as long as the code.
const char *residue_code_about(const residue_code *code);

// Bits of the value; 0 for null.
uint32_t residue_code_width(const residue_code *code);

// Whether the value's bytes go on the wire lowest first (reflected CRCs).
bool residue_code_little_endian(const residue_code *code);

// A CRC's parameters; RESIDUE_PARAMETERS for other codes.
residue_status residue_code_params(const residue_code *code, residue_params *params);

// The value of data by this code, of up to 64 bits.
residue_status residue_value(const residue_code *code, const void *data, size_t length, uint64_t *value);

// The value of data by any code.
residue_status residue_value_wide(const residue_code *code,
                                  const void *data,
                                  size_t length,
                                  residue_wide *value);

// The value of data by any code and its kernel of this name; for tests and measurements. Kernels that need tables make them
// at each call.
residue_status residue_value_with(const residue_code *code,
                                  const char *kernel,
                                  const void *data,
                                  size_t length,
                                  residue_wide *value);

// How many kernels the code has, those of other CPUs among them.
size_t residue_kernel_count(const residue_code *code);

// The name of the kernel of this index, best first; null if there are fewer. Good as long as the code.
const char *residue_kernel_name(const residue_code *code, size_t index);

// Whether this CPU can run the kernel of this index.
bool residue_kernel_supported(const residue_code *code, size_t index);

// The name of the kernel that the library uses on this CPU; empty for null. Good as long as the code.
const char *residue_kernel_chosen(const residue_code *code);

// A stream of this code that has seen nothing; null on failure. To be freed by residue_stream_free.
residue_stream *residue_stream_new(const residue_code *code);

// A stream that has seen what this one has; null on failure. To be freed by residue_stream_free.
residue_stream *residue_stream_copy(const residue_stream *stream);

// Frees a stream. Null is no stream, and right.
void residue_stream_free(residue_stream *stream);

// Forgets what the stream has seen.
residue_status residue_stream_reset(residue_stream *stream);

// Adds the next bytes; pieces may have any length.
residue_status residue_stream_update(residue_stream *stream, const void *data, size_t length);

// Appends what another stream of the same code has seen, as if it had followed.
residue_status residue_stream_combine(residue_stream *stream, const residue_stream *next);

// The value so far, of up to 64 bits. The stream goes on.
residue_status residue_stream_value(const residue_stream *stream, uint64_t *value);

// The value so far, of any code. The stream goes on.
residue_status residue_stream_value_wide(const residue_stream *stream, residue_wide *value);

// The value so far and the length, as a partial.
residue_status residue_stream_partial(const residue_stream *stream, residue_partial *partial);

// The partial of data.
residue_status residue_partial_of(const residue_code *code,
                                  const void *data,
                                  size_t length,
                                  residue_partial *result);

// The partial of first's data with second's after it: AB from A and B. RESIDUE_ODD_SPLIT if A ends inside a word of the
// code. (result may be one of the two, here and below.)
residue_status residue_partial_concat(const residue_code *code,
                                      const residue_partial *first,
                                      const residue_partial *second,
                                      residue_partial *result);

// The partial of whole's data without its beginning: B from AB and A.
residue_status residue_partial_remove_prefix(const residue_code *code,
                                             const residue_partial *whole,
                                             const residue_partial *prefix,
                                             residue_partial *result);

// The partial of whole's data without its end: A from AB and B.
residue_status residue_partial_remove_suffix(const residue_code *code,
                                             const residue_partial *whole,
                                             const residue_partial *suffix,
                                             residue_partial *result);

// The partial of the data followed by this many zero bytes.
residue_status residue_partial_extend_by_zeroes(const residue_code *code,
                                                const residue_partial *partial,
                                                uint64_t count,
                                                residue_partial *result);

// The partial of whole's data after the range that begins at this offset, whose data is old_part's, became new_part's, of the
// same length.
residue_status residue_partial_replace(const residue_code *code,
                                       const residue_partial *whole,
                                       uint64_t offset,
                                       const residue_partial *old_part,
                                       const residue_partial *new_part,
                                       residue_partial *result);

// The partial of whole's data after the bytes old_data, at this offset, became new_data. Unlike residue_partial_replace at any
// offset, for all codes.
residue_status residue_partial_update(const residue_code *code,
                                      const residue_partial *whole,
                                      uint64_t offset,
                                      const void *old_data,
                                      const void *new_data,
                                      size_t length,
                                      residue_partial *result);

// Writes the partial as one line of text, CODE:VALUE:BYTES, as "crc-32/iscsi:e3069283:9", with a zero byte. size is that of
// the buffer: RESIDUE_PARTIAL_TEXT is enough.
residue_status residue_partial_format(const residue_code *code,
                                      const residue_partial *partial,
                                      char *buffer,
                                      size_t size);

// Reads a partial's text. RESIDUE_DIFFERENT if it is of another code.
residue_status residue_partial_parse(const residue_code *code, const char *line, residue_partial *result);

// The code that a partial's text names; null on failure. As if made by residue_code_new.
residue_code *residue_partial_parse_code(const char *line);

// Copies length bytes, as memcpy, and gives their value by any code, for most codes in one pass.
residue_status residue_copy(const residue_code *code,
                            void *to,
                            const void *from,
                            size_t length,
                            residue_wide *value);

// The CRC-32C of each of count packets.
residue_status residue_batch_crc32c(const residue_slice *packets, size_t count, uint32_t *values);

// The Internet checksum of each of count packets.
residue_status residue_batch_internet(const residue_slice *packets, size_t count, uint16_t *values);

// The value of each of count packets, by any code of up to 64 bits.
residue_status residue_batch(const residue_code *code,
                             const residue_slice *packets,
                             size_t count,
                             uint64_t *values);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* RESIDUE_H */
