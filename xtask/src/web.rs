//! Builds the page, `web/` and its WebAssembly in one file, and tests it in a browser.
//!
//! One file opens by a double click, needs no server, and can forbid every connection, as it
//! fetches nothing.

use crate::debian::install;
use crate::{EVERYTHING, add_target, cargo, require_all};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};

const SOURCES: &str = "web";
const TARGET: &str = "wasm32-unknown-unknown";
/// Compiler flags for vector instructions, which all browsers have since 2023.
const FLAGS: &str = "target.wasm32-unknown-unknown.rustflags=['-Ctarget-feature=+simd128']";

/// Runs `cargo xtask web`.
pub fn made() -> ExitCode {
    match build() {
        Ok(page) => {
            println!("{}", page.display());
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Tests the page that [`build`] returned. Reports the number of good tests and the failures.
///
/// # Errors
///
/// The reason why it cannot be tested here.
pub fn run(page: Result<PathBuf, String>) -> Result<(u64, Vec<String>), String> {
    install(&[("node", "nodejs"), ("chromium", "chromium")])?;
    add_target(TARGET)?;
    let failed = |why: String| Ok((0, vec![format!("the page: {why}")]));
    let page = match page {
        Ok(page) => page,
        Err(why) => return failed(why),
    };
    if !cargo().args(EVERYTHING).arg("-q").status().is_ok_and(|it| it.success()) {
        return failed("the program to compare with was not built".into());
    }
    let program = target().join("debug/residue");
    let (axe, without) = match axe() {
        Ok(axe) => (axe, None),
        Err(why) => ("-".into(), Some(format!("test of accessibility: {why}"))),
    };
    let output = Command::new("node")
        .args(["web/tests/browser.mjs".as_ref(), page.as_path(), program.as_path(), &axe])
        .stderr(Stdio::inherit())
        .output();
    let output = match output {
        Ok(output) => String::from_utf8_lossy(&output.stdout).into_owned(),
        Err(error) => return failed(error.to_string()),
    };
    print!("{output}");
    let good = output.lines().filter(|line| line.starts_with("ok: ")).count();
    let bad = output.lines().filter_map(|line| line.strip_prefix("FAILED: "));
    let mut bad: Vec<String> = bad.map(|what| format!("the page: {what}")).collect();
    if !output.lines().any(|line| line == "end") {
        bad.push("the page: the tests ended early".into());
    }
    match without {
        Some(why) if require_all() => bad.push(why),
        Some(why) => println!("skipped: {why}"),
        None => {}
    }
    Ok((good as u64, bad))
}

/// Returns the path of axe, a script that finds what is hard to use for people with disabilities.
/// It is fetched from the Python package index, since tests have no npm; nothing else of the
/// package is used.
///
/// # Errors
///
/// The reason why it is not there.
fn axe() -> Result<PathBuf, String> {
    let folder = target().join("axe");
    let script = folder.join("axe_playwright_python/axe.min.js");
    if script.is_file() {
        return Ok(script);
    }
    // The tests of the Python package have an environment with pip; Debian's own may lack it.
    let python = Path::new("target/python/bin/python");
    let python = if python.is_file() { python } else { Path::new("python3") };
    let installed = Command::new(python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"])
        .args(["axe-playwright-python==0.1.8", "--target"])
        .arg(&folder)
        .status();
    if installed.is_ok_and(|status| status.success()) && script.is_file() {
        Ok(script)
    } else {
        Err("`pip install axe-playwright-python` failed".into())
    }
}

/// Returns cargo's target directory.
fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from)
}

/// Builds the page; returns its path.
///
/// # Errors
///
/// The reason why it cannot be built.
pub fn build() -> Result<PathBuf, String> {
    add_target(TARGET)?;
    let words = ["build", "-q", "--profile", "page", "-p", "residue-web", "--target", TARGET];
    let mut compile = cargo();
    compile.args(words).args(["--config", FLAGS]);
    if !compile.status().is_ok_and(|status| status.success()) {
        return Err(format!("the crate in {SOURCES}/ was not compiled for {TARGET}"));
    }
    let wasm = target().join(TARGET).join("page/residue_web.wasm");
    // It makes what gzip reads, 5 % smaller than gzip does.
    install(&[("zopfli", "zopfli")])?;
    let packed = Command::new("zopfli").arg("-c").arg(&wasm).output();
    let packed = match packed {
        Ok(output) if output.status.success() => output.stdout,
        Ok(output) => return Err(format!("zopfli: {}", output.status)),
        Err(error) => return Err(format!("zopfli: {error}")),
    };
    let page = page(&packed)?;
    let folder = target().join("web");
    let path = folder.join("index.html");
    let write = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, page));
    write.map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// Returns a part of the page without its indentation, empty lines and comments on lines of their
/// own.
///
/// # Errors
///
/// If it cannot be read, or a literal of several lines in it would lose its indentation.
fn source(name: &str) -> Result<String, String> {
    let path = Path::new(SOURCES).join(name);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    shortened(&text).map_err(|line| format!("{name}: a literal of several lines: `{line}`"))
}

/// Returns a script, style sheet or document as short as [`source`] makes it; the line that opens a
/// literal of several lines is an error.
fn shortened(text: &str) -> Result<String, &str> {
    let (mut short, mut comment) = (String::with_capacity(text.len()), false);
    for line in text.lines().map(str::trim) {
        // Some comments stand in front of the code that they give a type.
        let opens = line.starts_with("/*") && line.find("*/").is_none_or(|at| line.len() == at + 2);
        if comment || opens {
            comment = !line.ends_with("*/");
        } else if !line.is_empty() && !line.starts_with("//") {
            if line.matches('`').count() % 2 == 1 {
                return Err(line);
            }
            short += line;
            short.push('\n');
        }
    }
    Ok(short)
}

/// Returns the page with all its parts, and a policy that allows nothing else.
fn page(packed: &[u8]) -> Result<String, String> {
    let (style, worker) = (source("style.css")?, source("worker.js")?);
    let script = bundle("page.js")?;
    for (what, text) in [("style.css", &style), ("worker.js", &worker), ("the scripts", &script)] {
        if text.contains("</") {
            return Err(format!("{what}: contains `</`, which would end its element"));
        }
    }
    let policy = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         connect-src 'none'; script-src '{}' 'wasm-unsafe-eval'; style-src '{}'; \
         worker-src blob:; base-uri 'none'; form-action 'none'\">",
        hash(&script)?,
        hash(&style)?
    );
    let scripts = format!(
        "<script type=\"text/plain\" id=\"worker\">{worker}</script>\n\
         <script type=\"text/plain\" id=\"wasm\">{}</script>\n\
         <script type=\"module\">{script}</script>",
        base64(packed)
    );
    let mut page = source("index.html")?;
    for (place, part) in [
        ("<!--policy-->", policy),
        ("<!--style-->", format!("<style>{style}</style>")),
        ("<!--scripts-->", scripts),
    ] {
        if page.matches(place).count() != 1 {
            return Err(format!("index.html: `{place}` must occur once"));
        }
        page = page.replace(place, &part);
    }
    Ok(page)
}

/// Bundles a module and its imports into one script: each in its own function, which returns the
/// exports.
fn bundle(entry: &str) -> Result<String, String> {
    let mut script = String::from("const modules = {};\n");
    let mut done = Vec::new();
    module(entry, &mut done, &mut script)?;
    Ok(script)
}

fn module(name: &str, done: &mut Vec<String>, script: &mut String) -> Result<(), String> {
    if done.iter().any(|other| other == name) {
        return Ok(());
    }
    done.push(name.to_string());
    let (mut body, mut exports) = (String::new(), Vec::new());
    for line in source(name)?.lines() {
        if let Some(import) = line.strip_prefix("import ") {
            let parts = import
                .split_once(" from \"./")
                .and_then(|(names, file)| Some((names, file.strip_suffix("\";")?)));
            let (names, file) = parts.ok_or_else(|| format!("{name}: cannot read `{line}`"))?;
            module(file, done, script)?;
            body += &format!("const {names} = modules[\"{file}\"];\n");
        } else if let Some(declared) = line.strip_prefix("export ") {
            let words = declared.split(|c: char| !c.is_alphanumeric() && c != '_');
            let exported =
                words.filter(|word| !matches!(*word, "async" | "function" | "class" | "const"));
            exports.extend(exported.filter(|word| !word.is_empty()).take(1).map(str::to_string));
            body += &format!("{declared}\n");
        } else {
            body += &format!("{line}\n");
        }
    }
    let exports = exports.join(", ");
    *script += &format!("modules[\"{name}\"] = (() => {{\n{body}return {{ {exports} }};\n}})();\n");
    Ok(())
}

/// Runs a program on an input; returns its output.
fn piped(program: &str, words: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
    let cannot = |error: std::io::Error| format!("{program}: {error}");
    let mut child = Command::new(program)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(cannot)?;
    let mut stdin = child.stdin.take().ok_or("no input")?;
    // A program may write before it has read everything.
    std::thread::scope(|scope| {
        let writer = scope.spawn(move || stdin.write_all(input));
        let output = child.wait_with_output().map_err(cannot)?;
        let written = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        written.map_err(cannot)?;
        if output.status.success() { Ok(output.stdout) } else { Err(format!("{program} failed")) }
    })
}

/// Returns the hash by which a policy allows an inline part.
fn hash(text: &str) -> Result<String, String> {
    let output = piped("sha256sum", &[], text.as_bytes())?;
    let digits = output.get(..64).unwrap_or_default();
    let bytes =
        digits.chunks(2).filter_map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok());
    let bytes: Vec<u8> = bytes.collect();
    if bytes.len() != 32 {
        return Err("sha256sum printed no hash".into());
    }
    Ok(format!("sha256-{}", base64(&bytes)))
}

pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word = group
            .iter()
            .enumerate()
            .fold(0, |word, (i, &byte)| word | u32::from(byte) << (16 - 8 * i));
        for place in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_rfc_4648_has_it() {
        for (text, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(text.as_bytes()), coded);
        }
    }

    #[test]
    fn parts_lose_what_browsers_do_not_read() {
        let script = "// one\n\n/** two */\n\
            const a = 2 // three\n  * 4;\n/**\n * five\n */\n\t/** six */ (a)();\n";
        assert_eq!(shortened(script).unwrap(), "const a = 2 // three\n* 4;\n/** six */ (a)();\n");
        assert_eq!(shortened("const a = `\n  b`;"), Err("const a = `"));
    }

    #[test]
    fn hash_of_nothing() {
        assert_eq!(hash("").unwrap(), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }
}
