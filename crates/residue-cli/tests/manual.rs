//! Tests `residue completions` and `residue man`.

mod common;

use common::{output, residue, typed};
use residue_testing::installed;
use std::ffi::OsStr;
use std::fs;

/// Returns all commands listed in the help.
fn commands() -> Vec<String> {
    let help = typed("--help").run();
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
    // groff prints no warnings, and the pages have their sections.
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
        let completions = typed("completions bash").run();
        let ask = "\nCOMP_WORDS=(residue id); COMP_CWORD=1; _residue residue id residue; echo \
            \"${COMPREPLY[@]}\"\n";
        fs::write(&script, [&completions.out[..], ask.as_bytes()].concat()).unwrap();
        assert_eq!(output("bash", &[script.as_os_str()]).trim(), "identify");
    }
    let unknown = typed("completions csh").run();
    unknown.ends(2);
    assert!(unknown.err.contains("possible values"), "{}", unknown.err);
    let file = typed("man /dev/null/man").run();
    file.ends(2);
    assert!(file.err.contains("/dev/null/man: "), "{}", file.err);
}

/// Returns the completions that a shell offers for the last of these words.
fn offered(shell: &str, words: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("_residue");
    let completions = String::from_utf8(residue(["completions", shell]).run().out).unwrap();
    let line = words.join(" ");
    let (before, last) = (&words[words.len() - 2], &words[words.len() - 1]);
    let text = match shell {
        "bash" => format!(
            "{completions}\nCOMP_WORDS=({line}); COMP_CWORD={}\n_residue residue '{last}' \
                '{before}'\nprintf '%s\\n' \
             \"${{COMPREPLY[@]}}\"\n",
            words.len() - 1
        ),
        "fish" => format!("{completions}\ncomplete -C '{line}'\n"),
        // zsh completes only on a terminal.
        _ => format!(
            "zmodload zsh/zpty\nzpty z zsh -f -i\n\
             zpty -w z \"PS1=; fpath=({dir} \\$fpath); autoload -U compinit; \
             compinit -u -d {dir}/dump; LISTMAX=0\"\n\
             zpty -w z \"zstyle ':completion:*' list-prompt ''; bindkey '^I' list-choices; \
             print REA''DY\"\n\
             zpty -r z out '*READY*'\nzpty -w -n z '{line}'$'\\t'\n\
             for turn in {{1..200}}; do\n  while zpty -rt z out; do all+=$out; done\n  \
             [[ $all == *iso-hdlc* ]] && break\n  sleep 0.1\ndone\nprint -r -- $all\nzpty -d z\n",
            dir = dir.path().display()
        ),
    };
    fs::write(&script, if shell == "zsh" { &completions } else { &text }).unwrap();
    let run = dir.path().join("run");
    fs::write(&run, text).unwrap();
    output(shell, &[run.as_os_str()])
}

#[test]
fn names_of_codes_complete_in_each_shell() {
    for shell in ["bash", "fish", "zsh"] {
        let script = residue(["completions", shell]).run();
        for name in residue::Code::names() {
            assert!(script.ends(0).contains(name), "{shell}: {name}");
        }
        if !installed(shell) {
            continue;
        }
        for words in [
            &["residue", "sum", "-a", "crc-32/is"][..],
            &["residue", "bench", "--code", "crc-32/is"],
            &["residue", "conform", "-a", "crc-32/is"],
            &["residue", "list", "crc-32/is"],
            &["residue", "strength", "weights", "crc-32/is"],
            &["residue", "strength", "compare", "crc-32/is"],
        ] {
            // The script for fish completes only values of options; the script for zsh takes a
            // subcommand for the polynomial that may stand in its place.
            let named = words.iter().any(|word| word.starts_with('-'));
            if !named && (shell == "fish" || shell == "zsh" && words[1] == "strength") {
                continue;
            }
            let offered = offered(shell, words);
            for name in ["crc-32/iscsi", "crc-32/iso-hdlc"] {
                assert!(offered.contains(name), "{shell} {words:?}: {offered}");
            }
            assert!(!offered.contains("crc-16"), "{shell} {words:?}: {offered}");
        }
    }
}

#[test]
fn a_list_of_names_forbids_no_other_notation_and_fills_no_help() {
    for args in [
        &["sum", "-a", "width=16,poly=1021,init=ffff", "--text", "a"][..],
        &["sum", "-a", "CRC_32C,xns", "--text", "a"],
        &["list", "width=16,poly=x^16+x^12+x^5+1"],
        &["strength", "koopman:a6", "--length", "8"],
        &["strength", "x^8+x^2+x+1", "--length", "1B"],
        &["strength", "weights", "0x107", "--length", "8"],
        &["strength", "compare", "koopman:83,sum-8", "--length", "8B"],
    ] {
        residue(args).run().ends(0);
    }
    for command in ["sum", "bench", "conform", "list", "strength"] {
        let help = residue([command, "--help"]).run();
        assert!(!help.ends(0).contains("crc-82/darc"), "{command}");
    }
}
