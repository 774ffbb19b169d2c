//! Starts and stops Debian's `tgt` on loopback, with one disk.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Name of the target.
pub const NAME: &str = "iqn.2026-01.test.residue:disk";
/// Size of its disk, in blocks of 512 bytes.
pub const BLOCKS: u32 = 2048;

/// A running target, stopped when it is dropped.
pub struct Target {
    daemon: Child,
    control: String,
    pub address: SocketAddr,
}

impl Target {
    /// Starts a target with a disk in `folder`, or returns why it cannot.
    pub fn start(folder: &Path, control: u16) -> Result<Target, String> {
        let disk = folder.join("disk");
        let bytes: Vec<u8> = (0..BLOCKS * 512).map(|at| (at / 512 * 7 + at) as u8).collect();
        std::fs::write(&disk, bytes).map_err(|error| error.to_string())?;
        let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        drop(listener);
        // Its own control socket: other targets may be running.
        let control = control.to_string();
        let daemon = Command::new("tgtd")
            .args(["-f", "-C", &control, "--iscsi", &format!("portal={address}")])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("tgtd: {error}"))?;
        let mut target = Target { daemon, control, address };
        target.wait()?;
        let disk = disk.to_string_lossy();
        target.tell(&[
            "--lld", "iscsi", "--op", "new", "--mode", "target", "--tid", "1", "-T", NAME,
        ])?;
        target.tell(&[
            "--lld",
            "iscsi",
            "--op",
            "new",
            "--mode",
            "logicalunit",
            "--tid",
            "1",
            "--lun",
            "1",
            "-b",
            &disk,
        ])?;
        target.tell(&[
            "--lld", "iscsi", "--op", "bind", "--mode", "target", "--tid", "1", "-I", "ALL",
        ])?;
        for digest in ["HeaderDigest", "DataDigest"] {
            target.tell(&[
                "--lld", "iscsi", "--op", "update", "--mode", "target", "--tid", "1", "--name",
                digest, "--value", "CRC32C",
            ])?;
        }
        Ok(target)
    }

    fn wait(&mut self) -> Result<(), String> {
        let end = Instant::now() + Duration::from_secs(10);
        while Instant::now() < end {
            if let Ok(Some(status)) = self.daemon.try_wait() {
                return Err(format!("tgtd ended at once: {status}"));
            }
            let shows = ["--lld", "iscsi", "--op", "show", "--mode", "system"];
            if TcpStream::connect(self.address).is_ok() && self.tell(&shows).is_ok() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err("tgtd does not listen".to_string())
    }

    fn tell(&self, args: &[&str]) -> Result<(), String> {
        let output = Command::new("tgtadm")
            .args(["-C", &self.control])
            .args(args)
            .output()
            .map_err(|error| format!("tgtadm: {error}"))?;
        if output.status.success() {
            return Ok(());
        }
        Err(format!("tgtadm {args:?}: {}", String::from_utf8_lossy(&output.stderr)))
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let delete =
            ["--lld", "iscsi", "--op", "delete", "--force", "--mode", "target", "--tid", "1"];
        let _ = self.tell(&delete);
        let _ = self.tell(&["--op", "delete", "--mode", "system"]);
        let end = Instant::now() + Duration::from_secs(5);
        while Instant::now() < end {
            if let Ok(Some(_)) = self.daemon.try_wait() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}
