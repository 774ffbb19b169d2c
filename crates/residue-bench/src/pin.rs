//! Binds a thread to one core.

use crate::Error;

/// Binds this thread to `core`, or to the core it is on. The thesis did not: its figures are an
/// upper bound.
///
/// # Errors
/// Returns an error if there is no such core, or the operating system cannot do it.
#[cfg(target_os = "linux")]
pub fn pin(core: Option<usize>) -> Result<(), Error> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
    let failed = |error: rustix::io::Errno| Error::Pin(error.to_string());
    let allowed = sched_getaffinity(None).map_err(failed)?;
    let core = core.unwrap_or_else(sched_getcpu);
    if core >= CpuSet::MAX_CPU || !allowed.is_set(core) {
        let cores: Vec<String> =
            (0..CpuSet::MAX_CPU).filter(|&c| allowed.is_set(c)).map(|c| c.to_string()).collect();
        return Err(Error::Pin(format!(
            "core {core} is none of those allowed ({})",
            cores.join(", ")
        )));
    }
    let mut one = CpuSet::new();
    one.set(core);
    sched_setaffinity(None, &one).map_err(failed)
}

/// Binds this thread to `core`, or to the core it is on.
///
/// # Errors
/// Always: this operating system has no way the program knows.
#[cfg(not(target_os = "linux"))]
pub fn pin(_core: Option<usize>) -> Result<(), Error> {
    Err(Error::Pin("only known on Linux".to_string()))
}
