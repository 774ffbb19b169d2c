// Maps: state of the guard, which user space may pin. None grows beyond its limit.
#ifndef GUARD_MAPS_H
#define GUARD_MAPS_H

#include "layout.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct guard_config);
} config SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct guard_counters);
} counters SEC(".maps");

// Open connections. Only the local kernel's handshakes make entries, so a flood of SYNs takes no
// memory, and the end of a socket removes its entry.
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 262144);
	__type(key, struct guard_key);
	__type(value, struct guard_connection);
} connections SEC(".maps");

// Connections that have ended, for which the kernel may still acknowledge segments; and open ones
// beyond the limit of the other map.
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct guard_key);
	__type(value, struct guard_connection);
} closed SEC(".maps");

// Connections whose packets have other ends than their sockets, as this host translates them: from
// the ends in packets to those of the socket. Made like those of `connections`.
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct guard_key);
	__type(value, struct guard_key);
} translated SEC(".maps");

// Needed for repeated SYN-ACKs only.
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct guard_key);
	__type(value, struct guard_answer);
} answers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u8[16]);
	__type(value, struct guard_destination);
} destinations SEC(".maps");

// Filled by user space, from the constants of crate `residue`.
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, GUARD_POLYNOMIALS);
	__type(key, __u32);
	__type(value, struct guard_tables);
} crc_tables SEC(".maps");

// The cgroup whose sockets are guarded.
struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} cgroups SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct guard_socket);
} sockets SEC(".maps");

#endif
