//! Cgroups, and what the containers of the example for Kubernetes run.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A cgroup, removed at the end.
pub struct Cgroup(pub PathBuf);

impl Cgroup {
    pub fn new(name: &str) -> Cgroup {
        let mounts = std::fs::read_to_string("/proc/self/mounts").expect("the mounts");
        let root = mounts.lines().find_map(|line| {
            let fields: Vec<&str> = line.split(' ').collect();
            (fields[2] == "cgroup2").then(|| fields[1].to_string())
        });
        // In its process namespace, this process is always 1; the inode differs from test to test.
        let namespace = std::fs::read_link("/proc/self/ns/net").expect("a namespace");
        let number: String = namespace.to_string_lossy().matches(char::is_numeric).collect();
        let folder = Path::new(&root.expect("cgroups")).join(format!("residue-{number}-{name}"));
        std::fs::create_dir(&folder).expect("a cgroup");
        Cgroup(folder)
    }

    /// Returns a command line that runs another one in the cgroup.
    pub fn within(&self, words: &[String]) -> Vec<String> {
        let enter = format!("echo $$ > {}/cgroup.procs && exec \"$@\"", self.0.display());
        ["sh", "-c", &enter, "sh"].map(str::to_string).into_iter().chain(words.to_vec()).collect()
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let end = Instant::now() + Duration::from_secs(5);
        while std::fs::remove_dir(&self.0).is_err() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Returns what a container of the example for Kubernetes runs: its `count`th script.
pub fn example(count: usize) -> String {
    let file = include_str!("../../../../examples/kubernetes.yaml");
    let script = file.split("- |\n").nth(count).expect("a script");
    let indent = script.len() - script.trim_start().len();
    let of_script = |line: &&str| line.len() - line.trim_start().len() >= indent;
    script.lines().take_while(of_script).collect::<Vec<_>>().join("\n")
}
