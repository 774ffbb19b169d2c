//! Where a linker has to be told that the interpreter brings what is missing (macOS), tells it so.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
