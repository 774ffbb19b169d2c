// SPDX-License-Identifier: GPL-2.0-only
/*
 * CRC-32C for BPF programs: a kernel function (kfunc) over the kernel's own crc32c(), which uses
 * the CPU's instructions. BPF has none for a CRC.
 *
 * Programs of tc and XDP may call it, as those of `residue guard` do:
 *
 *	extern __u32 bpf_crc32c(__u32 crc, const void *data, __u32 data__sz) __ksym __weak;
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/init.h>
#include <linux/module.h>

/* Linux 6.15 has it among its other CRCs. */
#if __has_include(<linux/crc32c.h>)
#include <linux/crc32c.h>
#else
#include <linux/crc32.h>
#endif

/* Before Linux 6.3. */
#ifndef __bpf_kfunc
#define __bpf_kfunc __used noinline
#endif

/* Before Linux 6.8. */
#ifndef BTF_KFUNCS_START
#define BTF_KFUNCS_START(name) BTF_SET8_START(name)
#define BTF_KFUNCS_END(name) BTF_SET8_END(name)
#endif

/* The only declaration is the program's. */
__diag_push();
__diag_ignore_all("-Wmissing-prototypes", "called by BPF programs only");
__diag_ignore_all("-Wmissing-declarations", "called by BPF programs only");

/**
 * bpf_crc32c - continue a CRC-32C (Castagnoli, reflected)
 * @crc: value of the bytes before these, without complement; ~0 at the start
 * @data: memory that the verifier has bounded: stack, a map's value, a packet
 * @data__sz: number of bytes
 *
 * Return: the value with these bytes, without complement.
 */
__bpf_kfunc u32 bpf_crc32c(u32 crc, const void *data, u32 data__sz)
{
	return crc32c(crc, data, data__sz);
}

__diag_pop();

BTF_KFUNCS_START(bpf_crc32c_functions)
BTF_ID_FLAGS(func, bpf_crc32c)
BTF_KFUNCS_END(bpf_crc32c_functions)

static const struct btf_kfunc_id_set bpf_crc32c_set = {
	.owner = THIS_MODULE,
	.set = &bpf_crc32c_functions,
};

static int __init bpf_crc32c_init(void)
{
	int error = register_btf_kfunc_id_set(BPF_PROG_TYPE_SCHED_CLS, &bpf_crc32c_set);

	return error ?: register_btf_kfunc_id_set(BPF_PROG_TYPE_XDP, &bpf_crc32c_set);
}

/* The kernel takes the functions back; loaded programs keep the module. */
static void __exit bpf_crc32c_exit(void)
{
}

module_init(bpf_crc32c_init);
module_exit(bpf_crc32c_exit);

MODULE_AUTHOR("The residue authors");
MODULE_DESCRIPTION("CRC-32C for BPF programs");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
