//! Without its default features, the crate links into a program without `std`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Checks a library with a panic handler of its own.
///
/// Loading `std` beside it, through any dependency, is an error ("found duplicate lang item
/// `panic_impl`").
fn check(dependency: &str, use_std: &str) -> (bool, String) {
    let folder =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("no_std{}", use_std.len()));
    std::fs::create_dir_all(folder.join("src")).expect("a folder");
    let manifest = format!(
        "[package]\nname = \"bare\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
         [lib]\ncrate-type = [\"staticlib\"]\n\
         [dependencies]\nresidue = {dependency}\n[profile.dev]\npanic = \"abort\"\n[workspace]\n"
    );
    let source = format!(
        "#![no_std]\n{use_std}\n\
         #[panic_handler]\nfn panic(_: &core::panic::PanicInfo) -> ! {{ loop {{}} }}\n\
         #[unsafe(no_mangle)]\n\
         pub extern \"C\" fn crc(byte: u8) -> u32 {{ residue::crc32c(&[byte]) }}\n"
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).expect("a manifest");
    std::fs::write(folder.join("src/lib.rs"), source).expect("a source");
    let cargo = option_env!("CARGO").unwrap_or("cargo");
    let output = Command::new(cargo)
        .args(["check", "--offline", "--quiet", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .output()
        .expect("cargo runs");
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn the_crate_links_without_std() {
    if std::env::var_os("RESIDUE_EMULATED").is_some() {
        return residue_testing::skip("there is no compiler inside an emulator");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).to_string_lossy().replace('\\', "/");
    let bare = format!("{{ path = \"{path}\", default-features = false }}");
    let (good, errors) = check(&bare, "");
    assert!(good, "{errors}");
    // The test can fail: it does with `std` in the program.
    let (good, errors) = check(&bare, "extern crate std;");
    assert!(!good && errors.contains("panic_impl"), "{errors}");
}
