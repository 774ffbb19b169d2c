//! The interface to JavaScript: two exported functions, four imported ones, numbers only. The
//! worker writes a question into the memory that `room` returns, calls `ask`, and receives the text
//! by `answer`.

use crate::Page;
use std::cell::RefCell;
use std::sync::Once;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Reads bytes of the file from `offset` into `length` bytes at `into`; returns their number,
    /// or -1.
    safe fn read(offset: f64, into: *mut u8, length: usize) -> i32;
    /// Shows the progress: `done` of `of`.
    safe fn progress(done: f64, of: f64);
    /// Takes an answer.
    safe fn answer(text: *const u8, length: usize);
    /// Takes the message of a panic. No panic is known, but the page must report one.
    safe fn fault(text: *const u8, length: usize);
}

thread_local! {
    static QUESTION: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

struct Worker;

impl Page for Worker {
    fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<usize, String> {
        let count = read(offset as f64, into.as_mut_ptr(), into.len());
        match usize::try_from(count) {
            Ok(count) => Ok(count.min(into.len())),
            Err(_) => Err("the browser cannot read the file; was it changed or removed?".into()),
        }
    }

    fn progress(&self, done: u64, of: u64) {
        progress(done as f64, of as f64);
    }
}

/// Returns the memory for a question of `length` bytes.
// SAFETY: no other symbol of this module has the name.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            let text = panic.to_string();
            fault(text.as_ptr(), text.len());
        }));
    });
    QUESTION.with_borrow_mut(|question| {
        question.clear();
        question.resize(length, 0);
        question.as_mut_ptr()
    })
}

/// Answers the question in the memory that `room` returned.
// SAFETY: no other symbol of this module has the name.
#[unsafe(no_mangle)]
pub extern "C" fn ask() {
    let question = QUESTION.take();
    let text = crate::ask(&question, &mut Worker);
    answer(text.as_ptr(), text.len());
}
