# What the machine runs under systemd: the units of `examples/`, as an operator uses them.
exec </dev/console >/dev/console 2>&1
export PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
failed=0
must() {
    what=$1
    shift
    if "$@" >/run/said 2>&1; then
        echo "ok: $what"
    else
        echo "FAILED: $what: $*"
        cat /run/said
        journalctl --no-pager -b -o cat -u 'residue*' | tail -n 10
        failed=1
    fi
}
# Waits for what comes soon.
soon() {
    for _ in $(seq 100); do
        "$@" && return
        sleep 1
    done
    return 1
}
is() { systemctl is-active --quiet "$1"; }
is_not() { ! is "$1"; }
guarded() { residue guard status; }
regular() { ! residue guard status; }
agreed() {
    residue guard status --json |
        python3 -c "import json, sys; assert json.load(sys.stdin)['counters']['agreed'][7] == $1"
}
no_rules() { ! iptables-save | grep -q NFQUEUE && ! nft list ruleset | grep -q residue; }
killed() { systemctl kill --signal=KILL "$1" && soon fetched; }
fetched() { curl -sS --max-time 60 -o /dev/null http://10.9.0.2:8080/; }

echo "guest: units"
ip netns add peer
cable() {
    ip link add va type veth peer name vb netns peer
    ip addr add 10.9.0.1/24 dev va
    ip -n peer addr add 10.9.0.2/24 dev vb
    ip link set va up
    ip -n peer link set vb up
}
cable
nsenter --net=/run/netns/peer residue guard on --interface vb --value 7
nsenter --net=/run/netns/peer python3 -m http.server 8080 --directory /etc/systemd &
soon fetched

unit=residue-guard@va
must "the unit starts" systemctl start $unit
must "the guard is on" guarded
must "a transfer arrives" fetched
must "it was guarded" agreed 1
must "the settings are changed in place" systemctl reload $unit
must "the guard is on after that" guarded
must "the unit stops" systemctl stop $unit
must "the guard is off" regular
must "the unit starts again" systemctl start $unit
ip link delete va
must "the unit ends with the interface" soon is_not $unit
must "nothing is left of the guard" regular
cable
nsenter --net=/run/netns/peer residue guard clean >/dev/null
nsenter --net=/run/netns/peer residue guard on --interface vb --value 7

unit=residue-guard-queue@va
must "the unit of the queue engine starts" systemctl start $unit
must "its guard answers" soon guarded
must "a transfer arrives by it" fetched
must "the process is replaced when it is killed" killed $unit
must "its guard answers again" soon guarded
must "the unit of the queue engine stops" systemctl stop $unit
must "no rules are left" no_rules
echo "exit $failed"
echo "guest: end"
echo o >/proc/sysrq-trigger
