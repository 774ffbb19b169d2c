//! Guards of cgroups: of pods, and of containers as Kubernetes has them.

use super::{TEST, agreed, fetched, good, status};
use crate::common::containers::{Cgroup, example};
use crate::common::hosts::{PORT, V4, command, guard, own};
use crate::common::search_path;
use residue_testing::{Running, must, until};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

/// Two network namespaces as pods: only the processes of a cgroup are guarded.
pub(super) fn pods() {
    let [client, service] = ["client", "service"].map(Cgroup::new);
    good("a", &format!("on --interface va --value 5 --cgroup {}", client.0.display()));
    good("b", &format!("on --interface vb --value 5 --cgroup {}", service.0.display()));
    assert_eq!(status("b")["cgroup"], service.0.to_str().expect("text"));
    let (code, _, err) = guard("a", "on --interface va --cgroup /nowhere");
    assert!(code == 2 && err.contains("/nowhere is not the folder of a cgroup"), "{err}");
    let (code, _, err) = guard("a", "on --interface va");
    assert!(code == 2 && err.contains("another cgroup"), "{err}");

    let words = service.within(&own(TEST, "serve"));
    let server = Running(command("b", &words).spawn().expect("it starts"));
    until("the server listens", || {
        command("a", &own(TEST, V4)).output().is_ok_and(|output| output.status.success())
    });
    // That client was outside.
    assert_eq!((agreed("a", 5), agreed("b", 5)), (0, 0));
    let output = command("a", &client.within(&own(TEST, V4))).output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    assert_eq!((agreed("a", 5), agreed("b", 5)), (1, 1));

    // Where protection is required, only processes of the cgroup are refused without it.
    for (host, cgroup) in [("a", &client), ("b", &service)] {
        let words = format!("on --interface v{host} --policy require --cgroup");
        good(host, &format!("{words} {}", cgroup.0.display()));
    }
    let output = command("a", &client.within(&own(TEST, V4))).output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    assert_eq!((agreed("a", 5), agreed("b", 5)), (2, 2));
    let refused = |host: &str| status(host)["counters"]["refused"].as_u64().expect("a number");
    assert_eq!((refused("a"), refused("b")), (0, 0));
    // This client is outside, the server inside: it refuses.
    let outsider = Running(command("a", &own(TEST, V4)).spawn().expect("it starts"));
    until("the server refuses", || refused("b") > 0);
    drop((server, outsider));
    // The server is outside, the client inside.
    let server = super::server("b");
    fetched(V4);
    assert_eq!(refused("a"), 0);
    let before = refused("b");
    let insider = Running(command("a", &client.within(&own(TEST, V4))).spawn().expect("it starts"));
    until("the client refuses", || refused("a") > 0);
    drop((server, insider));
    assert_eq!(refused("b"), before);
    for host in ["a", "b"] {
        good(host, "off --now");
    }
}

/// Guards that are switched on in containers, where a cgroup namespace shows their own cgroup.
pub(super) fn containers() {
    let [node, pod] = ["node", "pod"].map(Cgroup::new);
    let inner = Cgroup(pod.0.join("container"));
    std::fs::create_dir(&inner.0).expect("a cgroup");
    let root = pod.0.parent().expect("a root");
    // This machine may itself be a container.
    let is_node = root.metadata().expect("a cgroup").ino() == 1;
    let root = root.display();
    // As a runtime of containers does, by which the node's cgroups are mounted elsewhere, or not.
    let run = |cgroup: &Cgroup, host: &str, mounts: &str, script: &str| {
        let isolate = format!(
            "{mounts} exec unshare --cgroup --mount sh -c 'umount -l {root} && \
             mount -t cgroup2 none {root} && exec \"$@\"' sh sh -c \"$1\""
        );
        let words = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "sh", "-c", &isolate];
        let words: Vec<String> =
            words.into_iter().chain(["sh", script]).map(str::to_string).collect();
        let mut command = command(host, &cgroup.within(&words));
        let output = command.env("PATH", search_path()).output().expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let named = |host: &str| status(host)["cgroup"].as_str().map(PathBuf::from);
    let only = "only processes of this container are guarded";

    // The container sees itself alone.
    let on = "residue guard on --interface va --value 5 --policy require";
    let (code, out, err) = run(&pod, "a", "", on);
    assert!(code == Some(0) && err.contains(only), "{code:?} {out}{err}");
    let (_, out, err) = run(&pod, "a", "", "residue guard check --interface va");
    assert!(out.contains("processes of all cgroups") && out.contains("alone"), "{out}{err}");
    // Seen from the host, it is a guard of that cgroup, also for changes.
    assert_eq!(named("a"), Some(pod.0.clone()));
    let (code, _, err) = guard("a", "on --interface va --value 5 --policy require");
    assert!(code == 2 && err.contains("another cgroup"), "{err}");
    let words = "on --interface va --value 5 --policy require --cgroup";
    let (code, _, err) = guard("a", &format!("{words} {}", pod.0.display()));
    assert!(code == 0 && !err.contains(only), "{err}");
    good("b", "on --interface vb --value 5");
    let server = super::server("b");
    // A process outside is not held to what the container's guard requires.
    fetched(V4);
    assert_eq!(agreed("a", 5), 0);
    let output = command("a", &pod.within(&own(TEST, V4))).output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    assert_eq!((agreed("a", 5), agreed("b", 5)), (1, 1));
    drop(server);
    for host in ["a", "b"] {
        good(host, "off --now");
    }

    // The commands of the example. The one for nodes does not end.
    let mounts = format!(
        "mount -t tmpfs none /mnt && mkdir -p /mnt/node/cgroup && \
         mount --bind {root} /mnt/node/cgroup &&"
    );
    let script = |count, device| {
        let script = example(count).replace("/node/cgroup", "/mnt/node/cgroup");
        let script = script.replace("eth0", device).replace("2379-2380,10250", &PORT.to_string());
        script.replace("sleep 60", "exit 7")
    };
    must("ip -n b route add default dev vb");
    let (code, out, err) = run(&node, "b", &mounts, &script(1, ""));
    assert!(code == Some(7) && err.contains(only) != is_node, "{code:?} {out}{err}");
    let (code, out, err) = run(&inner, "a", &mounts, &script(2, "va"));
    assert!(code == Some(0) && !err.contains(only), "{code:?} {out}{err}");
    assert_eq!(named("a"), Some(pod.0.clone()));
    assert_eq!(named("b").as_deref(), pod.0.parent());
    let _server = super::server("b");
    for (within, guarded) in [(&node, 0), (&pod, 1), (&inner, 2)] {
        let output = command("a", &within.within(&own(TEST, V4))).output().expect("it runs");
        assert!(output.status.success(), "{output:?}");
        assert_eq!((agreed("a", 7), agreed("b", 7)), (guarded, guarded), "{:?}", within.0);
    }
    for host in ["a", "b"] {
        good(host, "off --now");
    }
}
