#!/bin/busybox sh
# The first program of the machine, in memory: mounts the host's files below a layer of memory, and
# goes on there. `order` lists the modules for that.
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
$b mount -t devtmpfs dev /dev
for module in $($b cat /modules/order); do
    $b insmod "/modules/$module"
done
$b mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=262144 host /lower
$b mount -t tmpfs memory /upper
$b mkdir /upper/files /upper/work
$b mount -t overlay -o lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work layers /system
for folder in proc sys dev; do
    $b mount --move "/$folder" "/system/$folder"
done
$b cp /guest.sh /units.sh /system/run/
exec $b switch_root /system /bin/bash /run/guest.sh
