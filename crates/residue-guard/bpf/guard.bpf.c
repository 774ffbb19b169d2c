// The guard's data path: check values in the kernel. docs/guard.md has the rules.
//
// The programs read no kernel structures, only their contexts, so that they run on every kernel
// with the hooks. `cargo xtask bpf` compiles them.
#include <linux/bpf.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "egress.h"
#include "ingress.h"
#include "listeners.h"
#include "sockets.h"

// Attached to a cgroup: negotiates, and makes room for the options.
SEC("sockops")
int guard_sockops(struct bpf_sock_ops *k)
{
	struct guard_config *c = configuration();

	if (!c || is_other_namespace(k, c))
		return 1;
	switch (k->op) {
	case BPF_SOCK_OPS_HDR_OPT_LEN_CB:
		extend(k, c, RESERVE);
		break;
	case BPF_SOCK_OPS_WRITE_HDR_OPT_CB:
		extend(k, c, WRITE);
		break;
	case BPF_SOCK_OPS_TCP_CONNECT_CB:
		opening(k, c);
		break;
	case BPF_SOCK_OPS_TCP_LISTEN_CB:
		set_flags(k, 1);
		break;
	case BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB:
		opened(k, c);
		break;
	case BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB:
		accepted(k, c);
		break;
	case BPF_SOCK_OPS_RTO_CB:
		timed_out(k);
		break;
	case BPF_SOCK_OPS_STATE_CB:
		if (k->args[1] == BPF_TCP_CLOSE)
			ended(k);
		break;
	}
	return 1;
}

// Run once over all sockets of a network namespace, when the guard starts: sockets that listen
// already are guarded, too (Linux 6.12).
SEC("iter/tcp")
int guard_listeners(struct iteration *iteration)
{
	mark_listener(iteration);
	return 0;
}

// On the egress of the interface: writes check values, and hands big packets to the segmenter.
SEC("classifier")
int guard_egress(struct __sk_buff *skb)
{
	return send(skb);
}

// On the egress of the device below the segmenter, where big packets arrive cut: sends the segments
// through the interface, where they get their check values.
SEC("classifier")
int guard_segments(struct __sk_buff *skb)
{
	return send_cut(skb);
}

// On the ingress of the same device, where segments arrive with their Internet checksum: sends them
// through the interface, where a check value takes its place.
SEC("classifier")
int guard_complete(struct __sk_buff *skb)
{
	return send_complete(skb);
}

// On the ingress of the interface, where it has no XDP: drops damaged segments.
SEC("classifier")
int guard_ingress(struct __sk_buff *skb)
{
	return receive(skb, TC) == DROP ? SHOT : OK;
}

// On the interface: drops damaged segments before the kernel merges segments.
SEC("xdp.frags")
int guard_xdp(struct xdp_md *xdp)
{
	return receive(xdp, XDP) == DROP ? XDP_DROP : XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
