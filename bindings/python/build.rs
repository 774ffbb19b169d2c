//! Passes the linker arguments of an extension module, whose symbols the interpreter provides on
//! macOS.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
