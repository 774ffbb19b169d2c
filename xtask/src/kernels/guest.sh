# What the machine runs, on the console. Before it: MODULES, RELEASE, RESIDUE, SCENARIOS, SEGMENTS,
# MODULE, PART, ONLY, EXAMPLES.
exec </dev/console >/dev/console 2>&1
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
mount -t cgroup2 cgroups /sys/fs/cgroup
mkdir -p /lib/modules
ln -sfn "$MODULES" "/lib/modules/$RELEASE"
# Those that nothing loads by itself.
modprobe -a tun nfnetlink_queue
ip link set lo up

# An emulated CPU is slow.
export RESIDUE_PATIENCE=10 RUST_BACKTRACE=0
scenarios() {
    "$SCENARIOS" --color never --test-threads 1 "$@"
    code=$?
    [ $code -eq 0 ] || failed=$code
}
failed=0

# The programs without the module, and with it: the same verdicts and values as the engine, on three
# times 112,000 segments of each value. Values 3, 4, 5 and 7 call it.
with_module() {
    echo "guest: module"
    code=0
    export RESIDUE_REQUIRE_ALL=1
    RESIDUE_KERNEL_CRC=0 "$SEGMENTS" --color never --exact verdicts::golden_segments_both_ways ||
        code=$?
    modprobe libcrc32c && insmod "$MODULE" || code=$?
    export RESIDUE_KERNEL_CRC=1 RESIDUE_KERNEL_SEGMENTS=112000
    "$SEGMENTS" --color never golden_ damaged_ sent_ || code=$?
    "$RESIDUE" guard check --interface lo | grep "CRC-32C by the kernel" || code=$?
    "$RESIDUE" guard demo --engine kernel --case swap --value 5 --segments 400 || code=$?
    # The kernel frees programs some time after they are detached.
    for _ in $(seq 60); do
        rmmod bpf_crc32c 2>/dev/null && break
        sleep 1
    done
    [ ! -e /sys/module/bpf_crc32c ] || code=1
    echo "exit $code"
}

# systemd takes over, runs `units.sh`, and goes no further.
under_systemd() {
    system=/etc/systemd/system
    cp "$RESIDUE" /usr/local/bin/residue
    cp /run/units.sh /usr/local/bin/units.sh
    for name in residue-guard residue-guard-queue; do
        cp "$EXAMPLES/$name.service" "$system/$name@.service"
    done
    printf '%s\n' '[Unit]' 'Requires=units.service' >$system/units.target
    printf '%s\n' '[Service]' 'ExecStart=/bin/bash /usr/local/bin/units.sh' >$system/units.service
    exec /lib/systemd/systemd --unit=units.target
}

if [ "$PART" = units ]; then
    under_systemd
elif [ "$PART" = module ]; then
    with_module
elif [ -n "$ONLY" ]; then
    echo "guest: kernel engine"
    scenarios --include-ignored "$ONLY"
    echo "exit $failed"
else
    engine=queue
    echo "guest: check"
    "$RESIDUE" guard check --interface lo --json | tee /run/check
    if grep -q '"engine": "kernel"' /run/check; then
        engine=kernel
        echo "guest: kernel engine"
        scenarios kernel:: devices::
        scenarios --ignored kernel::every_value kernel::value_5 kernel::both_open
        echo "exit $failed"
    else
        echo "guest: queue engine"
        scenarios queue::
        echo "exit $failed"
    fi
    echo "guest: demonstration"
    "$RESIDUE" guard demo --engine $engine --case swap,sequence --value 3,5,7 --segments 400
    echo "exit $?"
    [ -z "$MODULE" ] || with_module
fi
echo "guest: end"
echo o >/proc/sysrq-trigger
