//! Checks that the header is up to date with `src/`. To write it:
//! `RESIDUE_WRITE_HEADER=1 cargo test -p residue-c`.

use std::path::Path;

#[test]
fn the_header_is_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The modules in the order of `lib.rs`. Given the crate instead, cbindgen would ask cargo for
    // the dependencies on all platforms, which fails offline.
    let config = cbindgen::Config::from_root_or_default(folder);
    let modules = ["ffi", "once", "code", "stream", "partial", "batch"];
    let bindings = modules
        .iter()
        .fold(cbindgen::Builder::new().with_config(config), |builder, module| {
            builder.with_src(folder.join(format!("src/{module}.rs")))
        })
        .generate()
        .expect("cbindgen reads the sources");
    let mut made = Vec::new();
    bindings.write(&mut made);
    let made = String::from_utf8(made).expect("text");
    let path = folder.join("include/residue.h");
    if std::env::var_os("RESIDUE_WRITE_HEADER").is_some() {
        std::fs::write(&path, &made).expect("the header is written");
    }
    let version = env!("CARGO_PKG_VERSION").split('.').map(|n| n.parse::<u32>().expect("a number"));
    let version = version.fold(0, |version, part| 100 * version + part);
    assert!(made.contains(&format!("#define RESIDUE_VERSION {version}\n")), "RESIDUE_VERSION");
    let there = std::fs::read_to_string(&path).expect("the header");
    assert!(
        there == made,
        "bindings/c/include/residue.h is stale: RESIDUE_WRITE_HEADER=1 cargo test -p residue-c"
    );
}
