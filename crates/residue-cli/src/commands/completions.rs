//! `residue completions`: scripts for shells, which ask the program what completes a line.

use crate::output::Output;
use clap::{Args, Command};
use clap_complete::Shell;
use clap_complete::env::{CompleteEnv, Shells};

/// The environment variable by which a script asks: it names the shell.
const ASKED: &str = "RESIDUE_COMPLETE";

const HELP: &str = "\
The script runs `residue`, from the PATH, whenever something is to be completed. Made at the start \
of the shell, it fits the version that is installed.

Examples:
  echo 'source <(residue completions bash)' >> ~/.bashrc
  echo 'source <(residue completions zsh)' >> ~/.zshrc      # after compinit
  echo 'residue completions fish | source' >> ~/.config/fish/config.fish";

// Arguments of `residue completions`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct CompletionsArgs {
    /// Shell to print a script for
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the completion script of a shell.
pub fn run(args: &CompletionsArgs, output: &mut Output) -> anyhow::Result<()> {
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let shell = shells.completer(&args.shell.to_string());
    let shell = shell.ok_or_else(|| anyhow::anyhow!("no script for {}", args.shell))?;
    shell.write_registration(ASKED, "residue", "residue", "residue", &mut script)?;
    if args.shell == Shell::Zsh {
        // In a folder of `fpath`, the script is a function that runs for the first completion.
        script.extend_from_slice(
            b"[[ $funcstack[1] == _residue ]] && _clap_dynamic_completer_residue \"$@\"\n",
        );
    }
    output.bytes(&script)?;
    Ok(())
}

/// Prints what completes a line, and ends the process, if a script asks.
pub fn answer(root: fn() -> Command) {
    CompleteEnv::with_factory(root).var(ASKED).completer("residue").complete();
}
