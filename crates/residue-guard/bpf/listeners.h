// Listening sockets that are older than the guard.
#ifndef GUARD_LISTENERS_H
#define GUARD_LISTENERS_H

#include "sockets.h"

// What an iterator over TCP sockets is given: the second word is the socket, whose state has been
// in this place since Linux 3.11. The verifier refuses the program where there is no such byte.
struct listed {
	__u8 before[18];
	__u8 state;
};

// Its first word is where the iterator's output goes.
struct meta {
	void *output;
};

struct iteration {
	struct meta *meta;
	struct listed *socket;
};

#define LISTEN 10
#define SOL_TCP 6
// TCP_BPF_SOCK_OPS_CB_FLAGS: Linux 6.12.
#define CALLBACK_FLAGS 1008

static __always_inline void mark_listener(struct iteration *iteration)
{
	struct listed *socket = iteration->socket;
	void *tcp;
	int flags = 0;
	__u8 one = 1;

	if (!socket || socket->state != LISTEN)
		return;
	tcp = bpf_skc_to_tcp_sock(socket);
	if (!tcp || bpf_getsockopt(tcp, SOL_TCP, CALLBACK_FLAGS, &flags, sizeof(flags)))
		return;
	flags |= FLAGS_OF_GUARDED;
	// A byte of output for each.
	if (!bpf_setsockopt(tcp, SOL_TCP, CALLBACK_FLAGS, &flags, sizeof(flags)))
		bpf_seq_write(iteration->meta->output, &one, sizeof(one));
}

#endif
