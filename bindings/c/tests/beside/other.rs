//! Another static library in Rust, with a standard library of its own.

/// Returns the sum of the numbers below `end`; 0 for 0, after a panic that it catches.
#[unsafe(no_mangle)]
pub extern "C" fn other_sum(end: u32) -> u32 {
    let sum = std::panic::catch_unwind(|| {
        let numbers: Vec<u32> = (0..end).collect();
        assert!(!numbers.is_empty(), "no numbers");
        numbers.iter().sum()
    });
    sum.unwrap_or(0)
}
