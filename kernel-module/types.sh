#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Writes the types (BTF) of a kernel for those that build modules: sh types.sh RELEASE FILE
set -eu
release=$1
to=$2
kernel=/boot/vmlinuz-$release

# Returns a number of $2 bytes at $1 of the kernel.
number() {
	od -An -v -t "u$2" -j "$1" -N "$2" "$kernel" | tr -d ' '
}

if [ "$release" = "$(uname -r)" ] && [ -r /sys/kernel/btf/vmlinux ]; then
	cp /sys/kernel/btf/vmlinux "$to"
	exit
fi
# Another kernel than the one that runs: on x86 it is compressed inside a file
# (Documentation/arch/x86/boot.rst).
if [ "$(od -An -c -j 514 -N 4 "$kernel" | tr -d ' ')" != HdrS ]; then
	echo "types.sh: boot $release to build for it: $kernel is no bzImage" >&2
	exit 1
fi
start=$((($(number 497 1) + 1) * 512 + $(number 584 4)))
# Its last four bytes are the length that it has when it is decompressed.
length=$(($(number 588 4) - 4))
case $(od -An -v -t x1 -j $start -N 4 "$kernel" | tr -d ' ') in
fd377a58) program=xz ;;
28b52ffd) program=zstd ;;
1f8b*)
	program=gzip
	length=$((length + 4))
	;;
*)
	echo "types.sh: $kernel is compressed in a way that is not known here" >&2
	exit 1
	;;
esac
trap 'rm -f "$to.part"' EXIT
tail -c "+$((start + 1))" "$kernel" | head -c "$length" | "$program" -dc >"$to.part"
mv "$to.part" "$to"
