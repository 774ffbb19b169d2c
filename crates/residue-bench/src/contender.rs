//! A kernel ready to be timed.

use crate::Error;
use residue::Code;
use residue::internals::{self, Family, Kernel, ValueEncoding, Visitor};
use residue::kernel::KernelInfo;
use std::rc::Rc;

/// A function from bytes to a value.
pub type Call<V> = Box<dyn Fn(&[u8]) -> V>;

/// One kernel of one code.
pub struct Contender {
    /// The code's name.
    pub code: String,
    /// The kernel.
    pub kernel: KernelInfo,
    /// The timed call: the kernel, and its value's lowest 64 bits.
    pub call: Call<u64>,
    /// The value in the code's own format.
    pub value: Call<u128>,
}

impl Contender {
    /// Returns every kernel of `code` that this CPU can run, in the order of its table.
    ///
    /// The vector bodies on arrays (`generic...`) show that a body is right, not how fast anything
    /// is, and a kernel with the body of another need not be timed again: both are left out unless
    /// named in `only`.
    #[must_use]
    pub fn of(code: &Code, only: Option<&[String]>) -> Vec<Contender> {
        struct Collect<'a> {
            code: &'a Code,
            only: Option<&'a [String]>,
            found: Vec<Contender>,
        }
        impl Visitor for Collect<'_> {
            fn table<F: Family<Value: Into<u128>, Context: Clone>>(
                &mut self,
                kernels: &'static [Kernel<F>],
                context: impl FnOnce() -> F::Context,
                encoding: ValueEncoding,
            ) {
                let context = Rc::new(context());
                for kernel in kernels {
                    let (info, Some(forced)) = (kernel.info(), kernel.force()) else {
                        continue;
                    };
                    let wanted = match self.only {
                        Some(names) => names.iter().any(|name| name == info.name),
                        None => !info.name.starts_with("generic") && info.same_as.is_none(),
                    };
                    if !wanted {
                        continue;
                    }
                    let (timed, asked) = (Rc::clone(&context), Rc::clone(&context));
                    self.found.push(Contender {
                        code: self.code.name().to_string(),
                        kernel: info,
                        call: Box::new(move |data| forced.value(&timed, data).into() as u64),
                        value: Box::new(move |data| {
                            encoding.of(forced.value(&asked, data).into(), data)
                        }),
                    });
                }
            }
        }
        let mut collect = Collect { code, only, found: Vec::new() };
        internals::visit(code, &mut collect);
        collect.found
    }

    /// Returns a kernel that does nothing: its time is the timer's and the call's.
    #[must_use]
    pub fn null() -> Contender {
        let info = Code::all().next().map(|code| code.chosen());
        Contender {
            code: "null".to_string(),
            kernel: info.unwrap_or_else(|| unreachable!("there are codes")),
            call: Box::new(|data| data.len() as u64),
            value: Box::new(|_| 0),
        }
    }

    /// Compares the kernel's answers with the code's definition, for `bytes` bytes and lengths
    /// around it.
    ///
    /// # Errors
    /// Returns [`Error::WrongAnswer`].
    pub fn check(&self, code: &Code, data: &[u8], expected: u128) -> Result<(), Error> {
        if (self.value)(data) == expected {
            return Ok(());
        }
        let (code, kernel) = (code.name().to_string(), self.kernel.name.to_string());
        Err(Error::WrongAnswer { code, kernel, bytes: data.len() })
    }
}
