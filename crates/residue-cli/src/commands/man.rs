//! `residue man`: manual pages, generated from the arguments.

use crate::output::{Output, Styles};
use crate::read::problem;
use anyhow::anyhow;
use clap::{Args, Command};
use clap_mangen::Man;
use residue_net::replace::replace;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

const HELP: &str = "\
Examples:
  residue man /usr/share/man/man1
  residue man . && man ./residue-sum.1";

// Arguments of `residue man`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct ManArgs {
    /// Folder to write a page for each command to; created if missing
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Writes a page for each command, and prints the paths.
pub fn run(args: &ManArgs, root: Command, output: &mut Output) -> anyhow::Result<()> {
    let failed = |path: &Path, error: &io::Error| {
        anyhow!("{}: {}", Styles::plain(path.as_os_str()), problem(error))
    };
    std::fs::create_dir_all(&args.folder).map_err(|error| failed(&args.folder, &error))?;
    let mut root = root.disable_help_subcommand(true);
    // Gives subcommands their full names: residue-pcap-verify.
    root.build();
    let mut commands = vec![root];
    while let Some(command) = commands.pop() {
        let inner = command.get_subcommands().filter(|inner| !inner.is_hide_set());
        commands.extend(inner.cloned());
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        let path = args.folder.join(format!("{name}.1"));
        let page = page(command).map_err(|error| failed(&path, &error))?;
        replace(&path, None, |file| file.write_all(&page))
            .map_err(|error| failed(&path, &error))?;
        output.line(path.as_os_str().as_encoded_bytes())?;
    }
    Ok(())
}

/// Renders a manual page. The text after the options is laid out here, because clap_mangen would
/// make one paragraph of all examples.
fn page(command: Command) -> io::Result<Vec<u8>> {
    let more = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (options, commands) = (
        command.get_arguments().any(|argument| !argument.is_hide_set()),
        command.get_subcommands().any(|inner| !inner.is_hide_set()),
    );
    let man =
        Man::new(command).source(concat!("residue ", env!("CARGO_PKG_VERSION"))).manual("residue");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if options {
        man.render_options_section(&mut page)?;
    }
    if commands {
        man.render_subcommands_section(&mut page)?;
    }
    page.extend(notes(&more).into_bytes());
    Ok(page)
}

/// Renders the text after the options. A line of one word and a colon starts a section; indented
/// lines are not filled.
fn notes(text: &str) -> String {
    let mut page = String::new();
    for paragraph in text.split("\n\n") {
        let mut lines: Vec<&str> = paragraph.lines().collect();
        let title = lines.first().and_then(|line| line.strip_suffix(':'));
        let title = title.filter(|title| !title.is_empty() && !title.contains(' '));
        match title {
            Some(title) => {
                page += &format!(".SH {}\n", title.to_uppercase());
                lines.remove(0);
            }
            None if page.is_empty() => page += ".SH NOTES\n",
            None => page += ".PP\n",
        }
        let mut filled = true;
        for line in lines {
            if filled == line.starts_with(' ') {
                page += if filled { ".nf\n" } else { ".fi\n" };
                filled = !filled;
            }
            page += &escaped(line);
            page.push('\n');
        }
        if !filled {
            page += ".fi\n";
        }
    }
    page
}

/// Escapes a line for roff: no requests, no escapes, and hyphens that can be copied.
fn escaped(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_laid_out() {
        let text = "Exit codes: 0 good.\n.x\n\nEnvironment:\n  A=B  c\n\nExamples:\n  \
                    residue -x 'a\\n'\nand\n  more";
        let page = ".SH NOTES\nExit codes: 0 good.\n\\&.x\n.SH ENVIRONMENT\n.nf\n  A=B  c\n.fi\n\
                    .SH EXAMPLES\n.nf\n  residue \\-x 'a\\en'\n.fi\nand\n.nf\n  more\n.fi\n";
        assert_eq!(notes(text), page);
    }
}
