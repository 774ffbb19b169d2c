//! The library's tests on an emulated x86-64 CPU with AVX-512: a Linux kernel on Bochs, as qemu
//! does not emulate AVX-512.
//!
//! The kernel's package is not installed, but unpacked below `target/`. The machine boots from a CD
//! with the kernel and a file system in memory that holds the tests, linked statically, and `guest`
//! (src/bin/guest.rs), which runs them. Its console is a serial port, written to a file that is
//! read here while it grows.

use super::cpio::Archive;
use crate::debian::{self, install};
use crate::{add_target, cargo};
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

const TOOLS: [(&str, &str); 6] = [
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

/// Installs the tools, the kernel and the target that the run needs.
pub fn prepare() -> Result<(), String> {
    add_target(TARGET)?;
    install(&TOOLS)?;
    kernel().map(|_| ())
}

/// Runs the tests; `filter` goes to each test program. Returns whether all passed, on a CPU with
/// the required features.
pub fn test(filter: &[&str]) -> Result<bool, String> {
    let folder = folder()?;
    make_disc(&folder, filter)?;
    let console = emulate(&folder)?;
    let features = console.lines().find_map(|line| line.strip_prefix("features "));
    let features: Vec<&str> = features.unwrap_or("").split(',').collect();
    let missing: Vec<&str> =
        NEEDED.into_iter().filter(|needed| !features.contains(needed)).collect();
    if !missing.is_empty() {
        return Err(format!("the emulated CPU has no {}", missing.join(", no ")));
    }
    Ok(console.contains("guest: end: 0 failed"))
}

/// Returns the folder `target/cross`.
fn folder() -> Result<PathBuf, String> {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let folder = target.join("cross");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    folder.canonicalize().map_err(|e| format!("{}: {e}", folder.display()))
}

fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_path_buf()
}

/// Returns the kernel of Debian's package for virtual machines, downloaded once.
fn kernel() -> Result<PathBuf, String> {
    let folder = folder()?;
    let kernel = folder.join("vmlinuz");
    if kernel.is_file() {
        return Ok(kernel);
    }
    let meta = "linux-image-cloud-amd64";
    let package = debian::dependency(meta)
        .ok_or_else(|| format!("Debian has no package {meta} (`apt-get update`?)"))?;
    println!("downloading {package}");
    let unpacked = folder.join("unpacked");
    let _ = fs::remove_dir_all(&unpacked);
    fs::create_dir_all(&unpacked).map_err(|e| e.to_string())?;
    debian::unpack(&package, &unpacked)?;
    let boot = fs::read_dir(unpacked.join("boot")).map_err(|e| format!("{package}: {e}"))?;
    let mut files = boot.filter_map(|entry| Some(entry.ok()?.path()));
    let found = files
        .find(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("vmlinuz-"))
        })
        .ok_or_else(|| format!("{package} holds no kernel"))?;
    fs::rename(found, &kernel).map_err(|e| e.to_string())?;
    fs::remove_dir_all(unpacked).map_err(|e| e.to_string())?;
    Ok(kernel)
}

/// Builds the tests and `guest`, and from them the CD.
fn make_disc(folder: &Path, filter: &[&str]) -> Result<(), String> {
    let disc = folder.join("disc");
    let io = |e: std::io::Error| e.to_string();
    let _ = fs::remove_dir_all(&disc);
    fs::create_dir_all(&disc).map_err(io)?;
    let mut files = Archive::default();
    files.device("dev/console", (5, 1));
    files.file("init", &fs::read(build_guest()?).map_err(io)?);
    files.file(
        "arguments",
        filter.iter().map(|word| format!("{word}\n")).collect::<String>().as_bytes(),
    );
    for (name, program) in build_tests(folder)? {
        files.file(&format!("tests/{name}"), &fs::read(program).map_err(io)?);
    }
    // The tests look for vectors/ where they were built.
    let inside = |path: &Path| path.to_string_lossy().trim_start_matches('/').to_string();
    files.folder(&inside(&root().join("crates/residue")));
    for entry in fs::read_dir(root().join("vectors")).map_err(io)? {
        let path = entry.map_err(io)?.path();
        files.file(&inside(&path), &fs::read(&path).map_err(io)?);
    }
    fs::write(disc.join("files"), files.finish()).map_err(io)?;
    fs::copy(kernel()?, disc.join("vmlinuz")).map_err(io)?;
    let boot = disc.join("isolinux");
    fs::create_dir(&boot).map_err(io)?;
    for (tool, _) in
        TOOLS.iter().filter(|(tool, _)| tool.ends_with(".bin") || tool.ends_with(".c32"))
    {
        let name = Path::new(tool).file_name().ok_or("no file name")?;
        fs::copy(tool, boot.join(name)).map_err(io)?;
    }
    let menu = format!(
        "default t\nprompt 0\nlabel t\n kernel /vmlinuz\n initrd /files\n append {KERNEL}\n"
    );
    fs::write(boot.join("isolinux.cfg"), menu).map_err(io)?;
    let mut xorriso = Command::new("xorriso");
    xorriso.current_dir(folder).args(["-as", "mkisofs", "-quiet", "-o", "boot.iso"]);
    xorriso.args(["-b", "isolinux/isolinux.bin", "-c", "isolinux/boot.cat", "-no-emul-boot"]);
    xorriso.args(["-boot-load-size", "4", "-boot-info-table", "disc"]).stderr(Stdio::null());
    run(&mut xorriso, "xorriso")
}

fn run(command: &mut Command, what: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{what}: {status}")),
        Err(error) => Err(format!("{what}: {error}")),
    }
}

/// Returns cargo for a statically linked build without debugging information, which would take long
/// to load.
fn static_cargo(command: &str, package: &str) -> Command {
    let mut cargo = cargo();
    cargo.current_dir(root()).args([command, "--package", package, "--target", TARGET]);
    cargo.env("RESIDUE_EMULATED", "1").env("CARGO_PROFILE_TEST_STRIP", "symbols");
    // Bochs complements affine products, for which the library compensates, and loads wrong bytes
    // in VPEXPANDB from memory, which no kernel uses.
    cargo.env("RUSTFLAGS", "--cfg residue_bochs");
    cargo.env("CARGO_PROFILE_DEV_STRIP", "symbols");
    cargo
}

fn build_guest() -> Result<PathBuf, String> {
    run(static_cargo("build", "xtask").args(["--bin", "guest"]), "building `guest`")?;
    Ok(folder()?.with_file_name(TARGET).join("debug/guest"))
}

/// Returns the test programs by name. To learn their names, cargo "runs" them with `cp`.
fn build_tests(folder: &Path) -> Result<Vec<(String, PathBuf)>, String> {
    let tests = folder.join("tests");
    let _ = fs::remove_dir_all(&tests);
    fs::create_dir_all(&tests).map_err(|e| e.to_string())?;
    let runner =
        format!("target.{TARGET}.runner=[\"cp\", \"-t\", {:?}]", tests.display().to_string());
    run(
        static_cargo("test", "residue").args(["--lib", "--tests", "--config", &runner]),
        "building the tests",
    )?;
    let entries = fs::read_dir(&tests).map_err(|e| e.to_string())?;
    let programs = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let named = programs.filter_map(|path| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        Some((name.rsplit_once('-').map_or(name.clone(), |(name, _)| name.to_string()), path))
    });
    let named: Vec<_> = named.collect();
    if named.is_empty() { Err("no test programs".to_string()) } else { Ok(named) }
}

/// Runs the machine until `guest` is done; passes its console on and returns it.
fn emulate(folder: &Path) -> Result<String, String> {
    let io = |e: std::io::Error| e.to_string();
    fs::write(folder.join("bochsrc"), BOCHS).map_err(io)?;
    fs::write(folder.join("go"), "continue\n").map_err(io)?;
    fs::write(folder.join("console"), "").map_err(io)?;
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
