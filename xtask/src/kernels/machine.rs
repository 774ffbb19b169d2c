//! The virtual machine: qemu with a kernel, a first file system in memory, and the host's files.

use crate::shell::{absolute, bytes, copied, created, done, emptied, name, output, written};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Time limit for a silent console: more than the slowest scenario takes.
const SILENCE: Duration = Duration::from_secs(1200);

/// The modules by which the machine sees the host's files, and which need others.
const MODULES: [&str; 5] = ["virtio_pci", "9pnet_virtio", "9p", "overlay", "virtio_rng"];

/// The kernel's command line. Some time passes unnoticed on a loaded host, upon which the kernel
/// would take the timer for broken.
const KERNEL: &str = "console=ttyS0 quiet loglevel=3 panic=-1 mitigations=off no_timer_check \
                      rdinit=/init";

/// What runs in the machine.
pub struct Programs {
    pub residue: PathBuf,
    pub scenarios: PathBuf,
    /// The tests of the programs in the kernel, on segments.
    pub segments: PathBuf,
}

/// What a machine runs of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part<'a> {
    All,
    /// Scenarios whose names contain this.
    Only(&'a str),
    /// The module.
    Module,
    /// The units of `examples/`, under systemd.
    Units,
}

impl Part<'_> {
    /// Returns the name for `guest.sh`.
    fn name(self) -> &'static str {
        match self {
            Part::All | Part::Only(_) => "all",
            Part::Module => "module",
            Part::Units => "units",
        }
    }
}

/// A machine with a kernel from a folder that `packages` has filled.
pub struct Machine<'a> {
    pub folder: &'a Path,
    pub release: &'a str,
    pub programs: &'a Programs,
    /// The module for the kernel.
    pub module: Option<&'a Path>,
}

impl Machine<'_> {
    /// Runs the machine to its end; passes its console on, and returns it.
    pub fn run(&self, part: Part) -> Result<String, String> {
        let first = self.first_files(part)?;
        let mut qemu = Command::new("qemu-system-x86_64");
        qemu.args(["-machine", "q35,accel=tcg", "-cpu", "max", "-smp", "2", "-m", "2048"])
            .args(["-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot"])
            .args(["-nic", "none", "-device", "virtio-rng-pci"])
            .args([
                "-fsdev",
                "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap",
            ])
            .args(["-device", "virtio-9p-pci,fsdev=host,mount_tag=host"])
            .args(["-append", KERNEL])
            .arg("-kernel")
            .arg(self.folder.join(format!("boot/vmlinuz-{}", self.release)))
            .arg("-initrd")
            .arg(first);
        watched(&mut qemu)
    }

    /// Packs the first file system.
    fn first_files(&self, part: Part) -> Result<PathBuf, String> {
        let files = emptied(&self.folder.join("first"))?;
        for folder in ["bin", "modules", "proc", "sys", "dev", "lower", "upper", "system"] {
            created(&files.join(folder))?;
        }
        copied(Path::new("/usr/bin/busybox"), &files.join("bin/busybox"))?;
        written(&files.join("modules/order"), self.modules(&files.join("modules"))?.join("\n"))?;
        written(&files.join("init"), include_str!("init.sh"))?;
        done(Command::new("chmod").arg("755").arg(files.join("init")))?;
        let modules = self.folder.join("lib/modules").join(self.release);
        let examples = absolute("examples")?;
        let variables = [
            ("MODULES", &*modules.to_string_lossy()),
            ("RELEASE", self.release),
            ("RESIDUE", &*self.programs.residue.to_string_lossy()),
            ("SCENARIOS", &*self.programs.scenarios.to_string_lossy()),
            ("SEGMENTS", &*self.programs.segments.to_string_lossy()),
            ("MODULE", &*self.module.map(Path::to_string_lossy).unwrap_or_default()),
            ("PART", part.name()),
            ("ONLY", if let Part::Only(only) = part { only } else { "" }),
            ("EXAMPLES", &*examples.to_string_lossy()),
        ];
        let mut guest: String = variables.map(|(name, value)| quoted(name, value)).concat();
        guest += include_str!("guest.sh");
        written(&files.join("guest.sh"), guest)?;
        written(&files.join("units.sh"), include_str!("units.sh"))?;
        let packed = self.folder.join("first.cpio");
        let mut pack = Command::new("sh");
        let line = "find . | cpio --quiet -o -H newc >../first.cpio";
        done(pack.args(["-c", line]).current_dir(&files))?;
        Ok(packed)
    }

    /// Copies the modules that the machine boots with into a folder, decompressed; returns their
    /// names, each behind those that it needs.
    fn modules(&self, to: &Path) -> Result<Vec<String>, String> {
        let mut order = Vec::new();
        for module in MODULES {
            let mut list = Command::new("modprobe");
            list.arg("-d").arg(self.folder).args(["-S", self.release, "--show-depends", module]);
            // Others are part of the kernel.
            let text = output(&mut list)?;
            for file in text.lines().filter_map(|line| line.strip_prefix("insmod ")) {
                let file = Path::new(file.trim());
                let name = name(file);
                let (bare, ending) = name.split_once(".ko").unwrap_or((&name, ""));
                if order.iter().any(|known| known == bare) {
                    continue;
                }
                let code = match ending {
                    ".zst" => decompressed("zstd", file)?,
                    ".xz" => decompressed("xz", file)?,
                    _ => bytes(file)?,
                };
                written(&to.join(bare), code)?;
                order.push(bare.to_string());
            }
        }
        Ok(order)
    }
}

fn decompressed(program: &str, file: &Path) -> Result<Vec<u8>, String> {
    let output = Command::new(program).arg("-dc").arg(file).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(format!("{program} {}: {}", file.display(), String::from_utf8_lossy(&output.stderr)))
}

/// Returns a line of a shell script that sets a variable.
fn quoted(name: &str, value: &str) -> String {
    format!("{name}='{}'\n", value.replace('\'', r"'\''"))
}

/// Runs a machine, which must say its end on the console; passes that on and returns it.
fn watched(qemu: &mut Command) -> Result<String, String> {
    let start = Instant::now();
    let child = qemu.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| format!("qemu-system-x86_64: {error}"))?;
    let (to, lines) = channel();
    if let Some(out) = child.stdout.take() {
        std::thread::spawn(move || {
            let lines = BufReader::new(out).split(b'\n').map_while(Result::ok);
            lines.map(|line| to.send(line)).take_while(Result::is_ok).for_each(drop);
        });
    }
    let mut console = String::new();
    let ended = loop {
        match lines.recv_timeout(SILENCE) {
            Ok(line) => {
                let line = String::from_utf8_lossy(&line).replace('\r', "");
                // Behind the signs by which the firmware clears the screen.
                let line = line.find("guest: ").map_or(&*line, |at| &line[at..]);
                println!("{line}");
                console += line;
                console.push('\n');
                if line == "guest: end" {
                    break Ok(());
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                break Err(format!("nothing on the console for {} s", SILENCE.as_secs()));
            }
            Err(RecvTimeoutError::Disconnected) => {
                break Err("the machine stopped early".to_string());
            }
        }
    };
    let _ = child.kill();
    let _ = child.wait();
    println!("{:.0} s in the machine", start.elapsed().as_secs_f64());
    ended.map(|()| console)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_reads_what_was_quoted() {
        let line = quoted("it", "a 'b' \"$c\"\\");
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{line}printf %s \"$it\"")]);
        assert_eq!(output(&mut shell).unwrap(), "a 'b' \"$c\"\\");
    }

    #[test]
    fn consoles_that_end_early_are_no_results() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo guest: check"]);
        assert_eq!(watched(&mut shell).unwrap_err(), "the machine stopped early");
        let mut shell = Command::new("sh");
        let lines = "x\\033cguest: check\\r\\ngood\\nguest: end\\n";
        // A child of the shell would outlive it, and keep the output open.
        shell.args(["-c", &format!("printf '{lines}'; exec sleep 100")]);
        assert_eq!(watched(&mut shell).unwrap(), "guest: check\ngood\nguest: end\n");
    }
}
