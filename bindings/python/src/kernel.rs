//! `residue.Kernel`: one way to compute a code.

use pyo3::prelude::*;
use residue::kernel::KernelInfo;

/// One way to compute a code.
#[pyclass(frozen, get_all, eq, hash, name = "Kernel", module = "residue")]
#[derive(PartialEq, Eq, Hash)]
pub struct PyKernel {
    /// Name of the kernel, as `Code.value_with` takes it.
    name: &'static str,
    /// CPU features that the kernel needs.
    needs: Vec<&'static str>,
    /// Whether this CPU can run the kernel.
    supported: bool,
    /// Role of the kernel: "dispatched" (the library may choose it), "method" or "historical".
    role: &'static str,
}

impl PyKernel {
    /// Converts the library's description of a kernel.
    pub fn of(info: KernelInfo) -> PyKernel {
        PyKernel {
            name: info.name,
            needs: info.needs.names().collect(),
            supported: info.supported(),
            role: info.role.name(),
        }
    }
}

#[pymethods]
impl PyKernel {
    fn __repr__(&self) -> String {
        let supported = if self.supported { "" } else { ", not supported here" };
        format!("<residue.Kernel {} ({}{supported})>", self.name, self.role)
    }
}
