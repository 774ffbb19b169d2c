//! Sets the shared library's soname. Its number changes when programs would have to be compiled
//! again.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if ["linux", "freebsd", "netbsd", "openbsd", "dragonfly", "android"].contains(&&*target) {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libresidue.so.0");
    }
}
