//! `cargo xtask kernels`: the guard inside the kernels that distributions deliver.
//!
//! Each kernel boots in a virtual machine of qemu, without acceleration, so that the command works
//! in virtual machines, too. The machine sees the files of this system, and what it writes is lost
//! with it. There it runs `residue guard check`, the scenarios of crate `residue-guard-lab` with
//! the guard inside the kernel, and the demonstration; with the module that is built for the kernel
//! (`kernel-module/`), the tests of the programs on a million segments.

mod machine;
mod module;
mod packages;

use crate::debian::install;
use crate::outcome::{Counts, Problem, code, is_good};
use crate::shell::{cargo, created, output, target};
use machine::{Machine, Part, Programs};
use packages::{SYSTEMS, System};
use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
Try the guard inside the kernels of Debian and Ubuntu, each in a virtual machine of qemu without
acceleration, and print a table of what passed. As root on Debian; takes 25 minutes for a kernel.

  cargo xtask kernels [--only TEST | --module | --units] [SYSTEM ...]

Systems [default: all]: debian-11, ubuntu-22.04, debian-12, ubuntu-24.04, debian-13

With --only, tests whose names contain TEST, and nothing else; with --module, only what uses the
kernel module, which is built for Debian 12 and 13; with --units, the systemd units of examples/,
under systemd. The packages are kept in target/kernels; remove a system's folder there to get its
newest kernel.";

const TOOLS: [(&str, &str); 14] = [
    ("qemu-system-x86_64", "qemu-system-x86"),
    ("busybox", "busybox-static"),
    ("cpio", "cpio"),
    ("depmod", "kmod"),
    ("zstd", "zstd"),
    ("xz", "xz-utils"),
    ("curl", "curl"),
    ("debootstrap", "debootstrap"),
    ("ethtool", "ethtool"),
    ("iptables", "iptables"),
    ("nft", "nftables"),
    ("python3", "python3"),
    ("systemctl", "systemd"),
    ("udevadm", "udev"),
];

/// What a kernel did.
struct Report {
    system: &'static System,
    release: String,
    /// What `guard check` says: whether the guard can be inside this kernel, and what works in
    /// another way there; `None`: it did not run.
    check: Option<String>,
    /// Scenarios with the engine inside the kernel, or with the other one if the kernel refuses it.
    engines: [Option<Counts>; 2],
    /// Tests with the module.
    module: Option<Counts>,
    /// Whether the demonstration with that engine was good.
    demonstration: Option<bool>,
    /// Whether the units were.
    units: Option<bool>,
}

pub fn run(words: &[&str]) -> ExitCode {
    let (part, names) = match words {
        ["--help" | "-h"] => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        ["--only", test, names @ ..] => (Part::Only(test), names),
        ["--module", names @ ..] => (Part::Module, names),
        ["--units", names @ ..] => (Part::Units, names),
        names => (Part::All, names),
    };
    let named = |name: &&str| SYSTEMS.iter().find(|system| system.name == *name);
    if let Some(unknown) = names.iter().find(|name| named(name).is_none()) {
        eprintln!("xtask: no system `{unknown}`\n\n{HELP}");
        return ExitCode::from(2);
    }
    let is_tried = |it: &&System| part != Part::Module || it.has_module;
    let chosen = SYSTEMS.iter().filter(|it| names.is_empty() || names.contains(&it.name));
    let chosen = chosen.filter(is_tried);
    let programs = match install(&TOOLS).and_then(|()| programs()) {
        Ok(programs) => programs,
        Err(why) => return code(is_good("kernels", Err(Problem::Skipped(why)))),
    };
    let (mut reports, mut good) = (Vec::new(), true);
    for system in chosen {
        println!("== {}", system.title);
        match tried(system, &programs, part) {
            Ok(report) => reports.push(report),
            Err(why) => good = is_good(system.title, Err(Problem::Bad(why))),
        }
    }
    println!("\n{}", table(&reports));
    for report in &reports {
        let Report { system, engines, module, .. } = report;
        for Counts { failed, skipped, .. } in engines.iter().flatten().chain(module) {
            skipped.iter().for_each(|why| println!("{}: skipped: {why}", system.title));
            good &= *failed == 0;
        }
        good &= report.demonstration != Some(false) && report.units != Some(false);
    }
    code(good)
}

/// Builds the program and the scenarios.
fn programs() -> Result<Programs, String> {
    let mut build = cargo();
    output(build.args(["build", "--release", "--package", "residue-cli"]))?;
    let test = |words: &[&str]| {
        let mut test = cargo();
        test.args(["test", "--release", "--no-run", "--message-format=json", "--package"]);
        let program = executable(&output(test.args(words))?);
        program.ok_or_else(|| format!("cargo named no program of {}", words.join(" ")))
    };
    Ok(Programs {
        residue: target()?.join("release/residue"),
        scenarios: test(&["residue-guard-lab", "--test", "scenarios", "--features", "modules"])?,
        segments: test(&["residue-guard", "--test", "kernel_programs"])?,
    })
}

/// Returns the program that cargo's messages name last.
fn executable(messages: &str) -> Option<PathBuf> {
    messages.lines().rev().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        message["executable"].as_str().map(PathBuf::from)
    })
}

/// Boots a kernel, and reads what its machine prints.
fn tried(system: &'static System, programs: &Programs, part: Part) -> Result<Report, String> {
    let folder = created(&target()?.join("kernels").join(system.name))?;
    let release = packages::fetched(system, &folder)?;
    let wanted = system.has_module && matches!(part, Part::All | Part::Module);
    let module = wanted.then(|| module::built(system, &folder, &release)).transpose()?;
    let machine =
        Machine { folder: &folder, release: &release, programs, module: module.as_deref() };
    let console = machine.run(part)?;
    report(system, release, &console)
}

/// Reads the console of a machine.
fn report(system: &'static System, release: String, console: &str) -> Result<Report, String> {
    let section = |name: &str| {
        let (_, rest) = console.split_once(&format!("guest: {name}\n"))?;
        Some(rest.split_once("guest: ").map_or(rest, |(section, _)| section))
    };
    let ended = |section: &str| section.trim_end().ends_with("exit 0");
    Ok(Report {
        system,
        release,
        engines: ["kernel engine", "queue engine"]
            .map(|engine| section(engine).map(|it| Counts::of(it, ended(it)))),
        module: section("module").map(|it| Counts::of(it, ended(it))),
        demonstration: section("demonstration").map(ended),
        units: section("units").map(ended),
        check: section("check").map(checked).transpose()?,
    })
}

/// Returns the words for the report of `guard check`, which is JSON.
fn checked(report: &str) -> Result<String, String> {
    let report: serde_json::Value =
        serde_json::from_str(report.trim()).map_err(|error| format!("guard check: {error}"))?;
    let mut words = vec!["good".to_string()];
    for need in report["kernel"].as_array().into_iter().flatten() {
        let (Some(name), Some(why)) = (need["name"].as_str(), need["missing"].as_str()) else {
            continue;
        };
        if need["replaceable"] != true {
            return Ok(format!("refused: {name}: {why}"));
        }
        words.push(format!("{name}: {why}"));
    }
    Ok(words.join("; "))
}

/// Returns the reports as a table.
fn table(reports: &[Report]) -> String {
    let mut lines = vec![
        "| system | Linux | guard check | kernel engine | queue engine | demonstration | module | \
         units |"
            .to_string(),
        "|---|---|---|---|---|---|---|---|".to_string(),
    ];
    for Report { system, release, check, engines, demonstration, module, units } in reports {
        let check = check.as_deref().unwrap_or("-");
        let words = |counts: &Option<Counts>| match counts {
            Some(Counts { passed, failed, skipped, .. }) => {
                format!("{passed} passed, {failed} failed, {} skipped", skipped.len())
            }
            None => "-".to_string(),
        };
        let [kernel, queue] = engines.each_ref().map(words);
        let module = words(module);
        let [demonstration, units] = [demonstration, units].map(|good| match good {
            None => "-",
            Some(true) => "good",
            Some(false) => "FAILED",
        });
        let title = system.title;
        lines.push(format!(
            "| {title} | {release} | {check} | {kernel} | {queue} | {demonstration} | {module} | \
             {units} |"
        ));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consoles_are_read() {
        let console = "guest: check\n{\"kernel\": [{\"name\": \"ip\", \"missing\": null}, \
                       {\"name\": \"XDP\", \"missing\": \"old\", \"replaceable\": true}]}\n\
                       guest: kernel engine\ntest a ... ok\nskipped: no b\n\
                       test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured\nexit 0\n\
                       guest: demonstration\nexit 1\nguest: module\n\
                       test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured\nexit 0\n\
                       guest: units\nexit 0\nguest: end\n";
        let read = report(&SYSTEMS[0], "5.10".to_string(), console).unwrap();
        let counts = read.engines[0].as_ref().map(|it| (it.passed, it.skipped.len()));
        assert_eq!(counts, Some((1, 1)));
        assert_eq!(read.demonstration, Some(false));
        let line = "| good; XDP: old | 1 passed, 0 failed, 1 skipped | - | FAILED | \
                    3 passed, 0 failed, 0 skipped | good |";
        assert!(table(&[read]).ends_with(line));
        let none = "guest: check\n{\"kernel\": [{\"name\": \"eBPF\", \"missing\": \"old\"}]}\n";
        let read = report(&SYSTEMS[0], "5.10".to_string(), none).unwrap();
        assert!(
            table(&[read])
                .ends_with("| Debian 11 | 5.10 | refused: eBPF: old | - | - | - | - | - |")
        );
        let read = report(&SYSTEMS[0], "5.10".to_string(), "guest: end\n").unwrap();
        assert!(table(&[read]).ends_with("| Debian 11 | 5.10 | - | - | - | - | - | - |"));
        assert!(report(&SYSTEMS[0], String::new(), "guest: check\nresidue: broken\n").is_err());
    }

    #[test]
    fn the_last_program_is_found() {
        let messages = "{\"reason\":\"x\"}\n{\"executable\":\"/a\"}\n{\"executable\":null}\n";
        assert_eq!(executable(messages).as_deref(), Some(std::path::Path::new("/a")));
    }
}
