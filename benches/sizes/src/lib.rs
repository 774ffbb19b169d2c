//! A program that passes bytes to one function of `residue`, with an operating system or without.

#![no_std]

/// Defines the program that calls `$function` with bytes that the compiler does not know.
#[macro_export]
macro_rules! program {
    ($function:expr) => {
        #[cfg(not(target_os = "none"))]
        fn main() {
            $crate::call($function);
        }

        /// The linker's entry.
        // SAFETY: the program has no other function of this name.
        #[cfg(target_os = "none")]
        #[unsafe(no_mangle)]
        extern "C" fn _start() -> ! {
            $crate::call($function);
            loop {}
        }

        #[cfg(target_os = "none")]
        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
            loop {}
        }
    };
}

/// Calls a function with bytes that the compiler does not know.
#[inline(always)]
pub fn call<T>(function: impl FnOnce(&[u8]) -> T) {
    core::hint::black_box(function(core::hint::black_box(&[])));
}
