//! The library's tests on an emulated x86-64 CPU with AVX-512: a Linux kernel on Bochs, as qemu
//! does not emulate AVX-512.
//!
//! The kernel's package is not installed, but unpacked below `target/`. The machine boots from a CD
//! with the kernel and a file system in memory that holds the tests, linked statically, and `guest`
//! (src/bin/guest.rs), which runs them. Its console is a serial port, written to a file that is
//! read here while it grows.

use crate::debian::{self, install};
use crate::outcome::{Outcome, Problem};
use crate::shell::{
    absolute, add_target, cargo, copied, copied_tree, created, done, emptied, entries, name, shown,
    target, written,
};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TARGET: &str = "x86_64-unknown-linux-musl";

/// Features that the emulated CPU must have, or the run shows nothing.
const NEEDED: [&str; 5] = ["vpclmulqdq", "gfni", "avx512", "avx512vbmi2", "avx512vnni"];

/// Time limit for a silent console: a few times the duration of the slowest test.
const SILENCE: Duration = Duration::from_secs(300);

const TOOLS: [(&str, &str); 7] = [
    ("cpio", "cpio"),
    ("bochs-bin", "bochs"),
    ("/usr/lib/x86_64-linux-gnu/bochs/plugins/libbx_term_gui.so", "bochs-term"),
    ("/usr/share/bochs/BIOS-bochs-latest", "bochsbios"),
    ("/usr/lib/ISOLINUX/isolinux.bin", "isolinux"),
    ("/usr/lib/syslinux/modules/bios/ldlinux.c32", "syslinux-common"),
    ("xorriso", "xorriso"),
];

/// Configuration of Bochs: a successor of Ice Lake. Bochs runs some 30 million instructions per
/// second; with 50 million configured, emulated time passes at about the rate of real time.
/// Debian's Bochs includes its debugger, whose first command is in `go`.
const BOCHS: &str = "\
display_library: term
cpu: model=tigerlake, count=1, ips=50000000, reset_on_triple_fault=0
memory: guest=256, host=256
romimage: file=/usr/share/bochs/BIOS-bochs-latest, options=fastboot
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
ata0-master: type=cdrom, path=boot.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=console
log: bochs.log
panic: action=fatal
error: action=report
info: action=ignore
debug: action=ignore
clock: sync=none
";

/// The kernel's command line. `clearcpuid` hides features: Bochs describes the saved state of
/// protection keys wrongly, upon which Linux would disable all of AVX, and the compacted format of
/// that state is wrong, too; and it has fast short `rep movsb` without fast `rep movsb`, upon which
/// Linux's memmove fails. The other words save time: no mitigations, no self-tests of cryptography,
/// no unused functions that take seconds to set up.
const KERNEL: &str = "console=ttyS0 quiet loglevel=1 panic=-1 nosmp acpi=off nokaslr \
    clearcpuid=fsrm,pku,xsaves,xsavec mitigations=off tsc=reliable lpj=100000 lsm= apparmor=0 \
    cryptomgr.notests \
    initcall_blacklist=load_system_certificate_list,cubictcp_register,init_kprobe_trace,\
init_trace_printk_function_export,crypto_kdf108_init";

/// Runs the test programs that the arguments of cargo choose; `filter` goes to each. Checks that
/// all pass, on a CPU with the required features.
pub fn tested(programs: &[&str], filter: &[&str]) -> Outcome {
    let folder = created(&target()?.join("cross"))?;
    let prepared = add_target(TARGET).and_then(|()| install(&TOOLS));
    let kernel = prepared.and_then(|()| kernel(&folder)).map_err(Problem::Skipped)?;
    make_disc(&folder, &kernel, programs, filter)?;
    println!("== x86_64 on tigerlake (Bochs)");
    let console = emulate(&folder)?;
    let features = console.lines().find_map(|line| line.strip_prefix("features "));
    let features: Vec<&str> = features.unwrap_or("").split(',').collect();
    let missing: Vec<&str> =
        NEEDED.into_iter().filter(|needed| !features.contains(needed)).collect();
    if !missing.is_empty() {
        return Err(format!("the emulated CPU has no {}", missing.join(", no ")).into());
    }
    match console.contains("guest: end: 0 failed") {
        true => Ok(()),
        false => Err("tests failed".to_string().into()),
    }
}

/// Returns the kernel of Debian's package for virtual machines, downloaded once.
fn kernel(folder: &Path) -> Result<PathBuf, String> {
    let kernel = folder.join("vmlinuz");
    if kernel.is_file() {
        return Ok(kernel);
    }
    let meta = "linux-image-cloud-amd64";
    let package = debian::dependency(meta)
        .ok_or_else(|| format!("Debian has no package {meta} (`apt-get update`?)"))?;
    println!("downloading {package}");
    let unpacked = emptied(&folder.join("unpacked"))?;
    debian::unpack(&package, &unpacked)?;
    let mut files = entries(&unpacked.join("boot"))?.into_iter();
    let found = files.find(|path| name(path).starts_with("vmlinuz-"));
    copied(&found.ok_or_else(|| format!("{package} holds no kernel"))?, &kernel)?;
    emptied(&unpacked)?;
    Ok(kernel)
}

/// Builds the tests and `guest`, and from them the CD.
fn make_disc(
    folder: &Path,
    kernel: &Path,
    programs: &[&str],
    filter: &[&str],
) -> Result<(), String> {
    let disc = emptied(&folder.join("disc"))?;
    let files = emptied(&folder.join("files"))?;
    copied(&build_guest()?, &files.join("init"))?;
    written(&files.join("arguments"), filter.join("\n"))?;
    build_tests(&created(&files.join("tests"))?, programs)?;
    // The tests look for vectors/ where they were built.
    let here = absolute(".")?;
    let inside = files.join(here.strip_prefix("/").unwrap_or(&here));
    created(&inside.join("crates/residue"))?;
    copied_tree(Path::new("vectors"), &inside.join("vectors"))?;
    // Linux unpacks it into its first file system, which has a console already.
    let mut pack = Command::new("sh");
    done(pack.args(["-c", "find . | cpio --quiet -o -H newc >../disc/files"]).current_dir(&files))?;
    copied(kernel, &disc.join("vmlinuz"))?;
    let boot = created(&disc.join("isolinux"))?;
    for (tool, _) in TOOLS.iter().filter(|(it, _)| it.ends_with(".bin") || it.ends_with(".c32")) {
        copied(Path::new(tool), &boot.join(name(Path::new(tool))))?;
    }
    let menu = format!(
        "default t\nprompt 0\nlabel t\n kernel /vmlinuz\n initrd /files\n append {KERNEL}\n"
    );
    written(&boot.join("isolinux.cfg"), menu)?;
    let mut xorriso = Command::new("xorriso");
    xorriso.current_dir(folder).args(["-as", "mkisofs", "-quiet", "-o", "boot.iso"]);
    xorriso.args(["-b", "isolinux/isolinux.bin", "-c", "isolinux/boot.cat", "-no-emul-boot"]);
    done(xorriso.args(["-boot-load-size", "4", "-boot-info-table", "disc"]))
}

/// Returns cargo for a statically linked build without debugging information, which would take long
/// to load.
fn static_cargo(command: &str, package: &str) -> Command {
    let mut cargo = cargo();
    cargo.args([command, "--package", package, "--target", TARGET]);
    cargo.env("RESIDUE_EMULATED", "1").env("CARGO_PROFILE_TEST_STRIP", "symbols");
    // Bochs complements affine products, for which the library compensates, and loads wrong bytes
    // in VPEXPANDB from memory, which no kernel uses.
    cargo.env("RUSTFLAGS", "--cfg residue_bochs");
    cargo.env("CARGO_PROFILE_DEV_STRIP", "symbols");
    cargo
}

fn build_guest() -> Result<PathBuf, String> {
    shown(static_cargo("build", "xtask").args(["--bin", "guest"]))?;
    Ok(target()?.join(TARGET).join("debug/guest"))
}

/// Puts the test programs in a folder, by their names without hashes. To learn their names, cargo
/// "runs" them with `cp`.
fn build_tests(folder: &Path, programs: &[&str]) -> Result<(), String> {
    let runner =
        format!("target.{TARGET}.runner=[\"cp\", \"-t\", {:?}]", folder.display().to_string());
    let mut build = static_cargo("test", "residue");
    // The guest takes the CPU's features from this one.
    build.args(programs).args(["--test", "cpu", "--config", &runner]);
    shown(&mut build)?;
    for path in entries(folder)? {
        let name = name(&path);
        let name = name.rsplit_once('-').map_or(&*name, |(name, _)| name);
        fs::rename(&path, folder.join(name)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Runs the machine until `guest` is done; passes its console on and returns it.
fn emulate(folder: &Path) -> Result<String, String> {
    let io = |e: std::io::Error| e.to_string();
    for (name, text) in [("bochsrc", BOCHS), ("go", "continue\n"), ("console", "")] {
        written(&folder.join(name), text)?;
    }
    let screen = fs::File::create(folder.join("screen")).map_err(io)?;
    let mut file = fs::File::open(folder.join("console")).map_err(io)?;
    let mut bochs = Command::new("bochs-bin")
        .current_dir(folder)
        .args(["-q", "-rc", "go", "-f", "bochsrc"])
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .stdout(screen.try_clone().map_err(io)?)
        .stderr(screen)
        .spawn()
        .map_err(|e| format!("bochs-bin: {e}"))?;
    let (start, mut last) = (Instant::now(), Instant::now());
    let (mut console, mut shown) = (String::new(), 0);
    let ended = loop {
        let running = matches!(bochs.try_wait(), Ok(None));
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        if !bytes.is_empty() {
            last = Instant::now();
            console.push_str(&String::from_utf8_lossy(&bytes).replace('\r', ""));
            let end = console.rfind('\n').map_or(0, |end| end + 1);
            print!("{}", &console[shown..end.max(shown)]);
            let _ = std::io::stdout().flush();
            shown = end.max(shown);
        }
        if console[..shown].contains("guest: end: ") {
            break Ok(());
        } else if !running {
            break Err(format!("Bochs stopped early; see {}", folder.join("bochs.log").display()));
        } else if last.elapsed() > SILENCE {
            break Err(format!("nothing on the console for {} s", SILENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    let _ = bochs.kill();
    let _ = bochs.wait();
    println!("{:.0} s on Bochs", start.elapsed().as_secs_f64());
    ended.map(|()| console)
}
