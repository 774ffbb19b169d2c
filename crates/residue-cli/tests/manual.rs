//! Tests `residue completions` and `residue man`.

use crate::common::{output, residue, search_path, typed};
use residue_testing::installed;
use std::ffi::OsStr;
use std::fs;

/// Returns the commands that the help of these words lists, each with what it does.
fn commands(words: &[&str]) -> Vec<(String, String)> {
    let help = residue([words, &["--help"]].concat()).run();
    let lines = help.ends(0).lines().skip_while(|line| *line != "Commands:").skip(1);
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in lines.take_while(|line| !line.is_empty()) {
        match (line.strip_prefix("   "), commands.last_mut()) {
            (Some(more), Some((_, does))) => *does += &format!(" {}", more.trim()),
            _ => {
                let (name, does) = line.trim().split_once(' ').expect(line);
                commands.push((name.to_string(), does.trim().to_string()));
            }
        }
    }
    commands.retain(|(name, _)| name != "help");
    commands
}

#[test]
fn help_and_page_say_what_a_command_does() {
    let dir = tempfile::tempdir().unwrap();
    residue([OsStr::new("man"), dir.path().as_os_str()]).run().ends(0);
    let mut some = 0;
    for (name, does) in commands(&[]) {
        let inner = commands(&[&name]);
        let inner = inner.iter().map(|(inner, does)| (vec![&name[..], &inner[..]], does));
        for (words, does) in inner.chain([(vec![&name[..]], &does)]) {
            let help = residue([&words[..], &["--help"]].concat()).run();
            assert!(help.ends(0).starts_with(&format!("{does}\n")), "{words:?}: {does}");
            let page = dir.path().join(format!("residue-{}.1", words.join("-")));
            let page = fs::read_to_string(page).unwrap();
            let page = page.replace("\\*(Aq", "'").replace('\\', "");
            let title = format!("residue-{} - {does}\n", words.join("-"));
            assert!(page.contains(&title), "{title}");
            some += 1;
        }
    }
    assert!(some > 35, "{some}");
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
    let names = commands(&[]);
    assert!(names.len() > 9, "{names:?}");
    for (name, _) in names {
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
        let script = residue(["completions", shell]).run();
        assert!(script.ends(0).contains("RESIDUE_COMPLETE") && script.out.len() < 2000, "{shell}");
    }
    if installed("bash") {
        assert_eq!(offered("bash", &["residue", "id"]).trim(), "identify");
        assert_eq!(offered("bash", &["residue", "sum", "--part"]).trim(), "--part-size");
        assert_eq!(offered("bash", &["residue", "pcap", "ver"]).trim(), "verify");
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
            "{completions}\nCOMP_WORDS=({line}); COMP_CWORD={}\n\
             _clap_complete_residue residue '{last}' '{before}'\nprintf '%s\\n' \
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
    // The scripts run the program by its name.
    let path = format!("PATH={}", search_path());
    output("env", &[OsStr::new(&path), OsStr::new(shell), run.as_os_str()])
}

#[test]
fn names_of_codes_complete_in_each_shell() {
    for shell in ["bash", "fish", "zsh"] {
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
