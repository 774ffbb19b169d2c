//! Standard streams that were closed when the program started.
//!
//! Before `main`, std opens `/dev/null` in place of closed streams, so that no file gets their
//! numbers. After that, they cannot be distinguished from streams opened that way on purpose:
//! Python's `subprocess.DEVNULL` is also open for reading and writing. They are therefore inspected
//! before std does this.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Bit n is set if descriptor n was closed.
static CLOSED: AtomicU8 = AtomicU8::new(0);

/// Called by the loader, before `main`.
// SAFETY: the section holds pointers to functions of this type, and the function uses nothing that
// std has to set up first.
#[used]
#[unsafe(link_section = ".init_array")]
static EARLY: extern "C" fn() = look;

extern "C" fn look() {
    for descriptor in 0..3 {
        // SAFETY: no memory is passed; the call changes nothing.
        if unsafe { libc::fcntl(descriptor, libc::F_GETFD) } < 0 {
            CLOSED.fetch_or(1 << descriptor, Relaxed);
        }
    }
}

/// Returns whether a standard stream (0 input, 1 output, 2 errors) was closed when the program
/// started.
#[must_use]
pub fn was_closed(descriptor: u8) -> bool {
    descriptor < 3 && CLOSED.load(Relaxed) >> descriptor & 1 == 1
}
