//! Builds the page, `web/` and its WebAssembly in one file, and tests it in a browser.
//!
//! One file opens by a double click, needs no server, and can forbid every connection, as it
//! fetches nothing.

use crate::debian::install;
use crate::outcome::{Results, ended, require_all};
use crate::shell::{
    EVERYTHING, add_target, cargo, created, done, output, read, shown, target, written,
};
use base64::prelude::*;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

const SOURCES: &str = "web";
const TARGET: &str = "wasm32-unknown-unknown";
/// Compiler flags for vector instructions, which all browsers have since 2023.
pub const VECTORS: &str = "target.wasm32-unknown-unknown.rustflags=['-Ctarget-feature=+simd128']";

/// Runs `cargo xtask web`.
pub fn made() -> ExitCode {
    ended(build().map(|page| println!("{}", page.display())))
}

/// Tests the page that [`build`] returned. Reports the number of good tests and the failures.
///
/// # Errors
///
/// The reason why it cannot be tested here.
pub fn run(page: Result<PathBuf, String>) -> Results {
    install(&[("node", "nodejs"), ("chromium", "chromium")])?;
    add_target(TARGET)?;
    let failed = |why: String| Ok((0, vec![format!("the page: {why}")]));
    let page = match page {
        Ok(page) => page,
        Err(why) => return failed(why),
    };
    if let Err(why) = shown(cargo().args(EVERYTHING).arg("-q")) {
        return failed(why);
    }
    let program = target()?.join("debug/residue");
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
    let folder = target()?.join("axe");
    let script = folder.join("axe_playwright_python/axe.min.js");
    if script.is_file() {
        return Ok(script);
    }
    // The tests of the Python package have an environment with pip; Debian's own may lack it.
    let python = Path::new("target/python/bin/python");
    let python = if python.is_file() { python } else { Path::new("python3") };
    let mut install = Command::new(python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    done(install.args(["axe-playwright-python==0.1.8", "--target"]).arg(&folder))?;
    Ok(script)
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
    compile.args(words).args(["--config", VECTORS]);
    shown(&mut compile)?;
    let wasm = target()?.join(TARGET).join("page/residue_web.wasm");
    install(&[("xz", "xz-utils")])?;
    let packed = Command::new("xz").args(["--format=lzma", "-9ec"]).arg(&wasm).output();
    let packed = packed.map_err(|error| format!("xz: {error}"))?;
    if !packed.status.success() {
        return Err(format!("xz: {}", packed.status));
    }
    let path = created(&target()?.join("web"))?.join("index.html");
    written(&path, page(&packed.stdout)?)?;
    Ok(path)
}

/// Returns a part of the page without its indentation, empty lines and comments on lines of their
/// own.
///
/// # Errors
///
/// If it cannot be read, or a literal of several lines in it would lose its indentation.
fn source(name: &str) -> Result<String, String> {
    shortened(&read(Path::new(SOURCES).join(name))?)
        .map_err(|line| format!("{name}: a literal of several lines: `{line}`"))
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
        BASE64_STANDARD.encode(packed)
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

/// Returns the hash by which a policy allows an inline part.
fn hash(text: &str) -> Result<String, String> {
    let file = std::env::temp_dir().join(format!("residue-hash-{}", std::process::id()));
    written(&file, text)?;
    let digits = output(Command::new("sha256sum").arg(&file))?;
    let _ = std::fs::remove_file(&file);
    let digits = digits.get(..64).unwrap_or_default().as_bytes().chunks(2);
    let byte = |pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    match digits.filter_map(byte).collect::<Vec<u8>>() {
        bytes if bytes.len() == 32 => Ok(format!("sha256-{}", BASE64_STANDARD.encode(bytes))),
        _ => Err("sha256sum printed no hash".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
