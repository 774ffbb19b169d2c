//! `residue completions` and `residue man`.

mod common;

use common::{installed, output, residue};
use std::ffi::OsStr;
use std::fs;

/// All commands, as the help has them.
fn commands() -> Vec<String> {
    let help = residue(["--help"]).run();
    let lines = help.ends(0).lines().skip_while(|line| *line != "Commands:").skip(1);
    let names =
        lines.take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_string).collect()
}

#[test]
fn a_page_for_each_command() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("man").join("man1");
    let ran = residue([OsStr::new("man"), folder.as_os_str()]).run();
    let written = ran.ends(0).lines().count();
    let pages: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(pages.len(), written);
    let names = commands();
    assert!(names.len() > 9, "{names:?}");
    for name in names {
        assert!(pages.contains(&format!("residue-{name}.1")), "{name}: {pages:?}");
    }
    for inner in
        ["residue.1", "residue-pcap-verify.1", "residue-strength-weights.1", "residue-guard-run.1"]
    {
        assert!(pages.contains(&inner.to_string()), "{inner}: {pages:?}");
    }
    let page = fs::read_to_string(folder.join("residue-sum.1")).unwrap();
    assert!(page.contains(".SH EXAMPLES\n.nf\n") && page.contains("\\-\\-part\\-size"), "{page}");
    // What groff complains of, and what a reader sees.
    if installed("man") {
        for name in &pages {
            let path = folder.join(name);
            let text =
                output("man", &[OsStr::new("--warnings"), OsStr::new("-l"), path.as_os_str()]);
            assert!(text.contains("NAME") && text.contains("SYNOPSIS"), "{name}: {text}");
        }
    }
}

#[test]
fn completions_for_each_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = residue(["completions", shell]).run();
        for word in ["identify", "part-size"] {
            assert!(ran.ends(0).contains(word), "{shell}: {word}");
        }
    }
    if installed("bash") {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("script");
        let completions = residue(["completions", "bash"]).run();
        let ask = "\nCOMP_WORDS=(residue id); COMP_CWORD=1; _residue residue id residue; echo \"${COMPREPLY[@]}\"\n";
        fs::write(&script, [&completions.out[..], ask.as_bytes()].concat()).unwrap();
        assert_eq!(output("bash", &[script.as_os_str()]).trim(), "identify");
    }
    let unknown = residue(["completions", "csh"]).run();
    unknown.ends(2);
    assert!(unknown.err.contains("possible values"), "{}", unknown.err);
    let file = residue(["man", "/dev/null/man"]).run();
    file.ends(2);
    assert!(file.err.contains("/dev/null/man: "), "{}", file.err);
}
