//! `residue completions`: files for shells, generated from the arguments.

use crate::output::Output;
use clap::{Args, Command};
use clap_complete::Shell;

const HELP: &str = "\
Examples:
  residue completions bash > /usr/share/bash-completion/completions/residue
  residue completions zsh > \"${fpath[1]}/_residue\"
  residue completions fish > ~/.config/fish/completions/residue.fish";

/// Arguments of `residue completions`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct CompletionsArgs {
    /// Shell to generate completions for
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the completion script of a shell.
pub fn run(args: &CompletionsArgs, mut root: Command, output: &mut Output) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut root, "residue", &mut script);
    output.bytes(&script)?;
    Ok(())
}
