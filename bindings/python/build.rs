//! Passes the linker arguments of an extension module; the interpreter provides its symbols (macOS).

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
