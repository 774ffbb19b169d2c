//! The process itself: signals, capabilities, processor time.

use super::checked;
use std::fs::File;
use std::io::{self, Read as _};
use std::mem::zeroed;
use std::os::fd::FromRawFd as _;
use std::time::Duration;

/// `CAP_NET_ADMIN`, for verdicts and rules.
pub(crate) const NET_ADMIN: u32 = 12;
/// `CAP_NET_RAW`, for iptables with the old kernel interface, which opens a raw socket.
pub(crate) const NET_RAW: u32 = 13;

/// A request by a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// SIGINT, SIGTERM or SIGHUP.
    End,
    /// SIGUSR1.
    Forget,
}

/// Returns the next signal of a descriptor that [`signals`] returned.
pub(crate) fn asked(signals: &mut File) -> Option<Asked> {
    // `struct signalfd_siginfo`, which begins with the number.
    let mut bytes = [0; 128];
    signals.read_exact(&mut bytes).ok()?;
    let number = u32::from_ne_bytes(*bytes.first_chunk()?);
    Some(if number == libc::SIGUSR1 as u32 { Asked::Forget } else { Asked::End })
}

/// Returns a descriptor that becomes readable on SIGINT, SIGTERM, SIGHUP or SIGUSR1, which then do
/// not end the process.
pub(crate) fn signals() -> io::Result<File> {
    // SAFETY: zero is a valid value of the set, which is initialised below; the calls get only
    // pointers to it.
    let number = unsafe {
        let mut set: libc::sigset_t = zeroed();
        libc::sigemptyset(&mut set);
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1] {
            libc::sigaddset(&mut set, signal);
        }
        checked(libc::sigprocmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()))?;
        checked(libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK))?
    };
    // SAFETY: the descriptor is open, and has no other owner.
    Ok(unsafe { File::from_raw_fd(number) })
}

/// Runs a test in a network namespace that ends with it.
pub(crate) fn in_own_network<T: Send>(
    test: impl FnOnce() -> io::Result<T> + Send,
) -> io::Result<T> {
    let apart = || {
        // SAFETY: no memory is passed. Only this thread changes its network.
        checked(unsafe { libc::unshare(libc::CLONE_NEWNET) })?;
        test()
    };
    let panicked = |_| Err(io::Error::other("a test in a network of its own ended early"));
    std::thread::scope(|scope| scope.spawn(apart).join().unwrap_or_else(panicked))
}

/// Allows the process to lock any amount of memory, if it may: before Linux 5.11, maps and programs
/// of eBPF count towards that limit, whose excess the kernel calls a lack of permission.
pub(crate) fn lift_memory_limit() {
    let limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the pointer is this variable's.
    unsafe { libc::setrlimit(libc::RLIMIT_MEMLOCK, &limit) };
}

/// Weight of a thread with precedence (nice): nine times that of others.
const PRECEDENCE: i32 = -10;

/// Keeps the right to take precedence, which otherwise goes with the capabilities, if there is one.
pub(crate) fn keep_precedence() {
    // The limit counts from 20 down.
    let most = (20 - PRECEDENCE) as libc::rlim_t;
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: the kernel only reads this variable. Without CAP_SYS_RESOURCE it fails, and nothing
    // changes.
    unsafe { libc::setrlimit(libc::RLIMIT_NICE, &limit) };
}

/// Gives this thread precedence over other programs, or takes it back. Does nothing without the
/// right to.
pub(crate) fn take_precedence(has: bool) {
    // SAFETY: only numbers are passed.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, if has { PRECEDENCE } else { 0 }) };
}

/// Returns the processor time of this process, including that of the kernel on its behalf.
pub(crate) fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is this variable's. If it fails, which it cannot, the time is zero.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// Returns the kernel's clock that programs of eBPF read, in nanoseconds.
pub(crate) fn monotonic() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is this variable's. If it fails, which it cannot, the time is zero.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

/// `struct __user_cap_header_struct`.
#[repr(C)]
struct Header {
    version: u32,
    process: i32,
}

/// `struct __user_cap_data_struct`: half of each set.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Half {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// Drops all capabilities of this thread except these, for good: also from the bounding set, if
/// permitted, and programs that it starts cannot gain more. These programs have them, whatever
/// their user.
pub(crate) fn keep_capabilities(keep: &[u32]) -> io::Result<()> {
    /// `_LINUX_CAPABILITY_VERSION_3`: two halves.
    const VERSION: u32 = 0x2008_0522;
    let mut header = Header { version: VERSION, process: 0 };
    let mut halves = [Half::default(); 2];
    // SAFETY: the pointers are these variables', with the layout that version 3 has.
    let result = unsafe { libc::syscall(libc::SYS_capget, &raw mut header, halves.as_mut_ptr()) };
    checked(result as i32)?;
    for capability in (0..64).filter(|capability| !keep.contains(capability)) {
        // SAFETY: only numbers are passed. It fails above the last capability, and without
        // CAP_SETPCAP, where there is little to lose.
        unsafe { libc::prctl(libc::PR_CAPBSET_DROP, libc::c_ulong::from(capability), 0, 0, 0) };
    }
    let mask = keep.iter().fold(0, |mask, &capability| mask | 1_u32 << capability);
    halves[0].permitted &= mask;
    halves[1].permitted = 0;
    for half in &mut halves {
        half.effective = half.permitted;
        half.inheritable = half.permitted;
    }
    // SAFETY: as above; the kernel only reads.
    let result = unsafe { libc::syscall(libc::SYS_capset, &raw const header, halves.as_ptr()) };
    checked(result as i32)?;
    for &capability in keep.iter().filter(|&&capability| halves[0].permitted >> capability & 1 == 1)
    {
        let (raise, capability) =
            (libc::PR_CAP_AMBIENT_RAISE as libc::c_ulong, libc::c_ulong::from(capability));
        // SAFETY: only numbers are passed.
        checked(unsafe { libc::prctl(libc::PR_CAP_AMBIENT, raise, capability, 0, 0) })?;
    }
    // SAFETY: only numbers are passed.
    checked(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1 as libc::c_ulong, 0, 0, 0) })
        .map(drop)
}
