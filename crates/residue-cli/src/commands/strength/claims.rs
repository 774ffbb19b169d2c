//! `residue strength claims`: the papers' claims about the strength of codes.

use crate::options::Json;
use crate::output::Output;
use clap::Args;
use residue_report::text::wrapped;
use residue_strength::claims;

/// Columns of the text.
const COLUMNS: usize = 104;

const HELP: &str = "\
Examples:
  residue strength claims
  residue strength claims --json | jq -r '.[] | select(.verdict == \"fails\").statement'";

// Arguments of `residue strength claims`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct ClaimsArgs {
    #[command(flatten)]
    format: Json,
}

/// Checks the claims, and prints them.
pub fn run(args: &ClaimsArgs, output: &mut Output) -> anyhow::Result<()> {
    let all = claims::judge()?;
    if args.format.json {
        return Ok(output.json(&all)?);
    }
    let mut source = "";
    for claim in all {
        if claim.source != source {
            source = claim.source;
            output.line(format!("{source}\n"))?;
        }
        let verdict = claim.verdict.name();
        output.line(format!("  {verdict:<13}  {}", claim.statement))?;
        let more = [claim.exactly, format!("Computed ({}): {}.", claim.kind, claim.evidence)];
        for line in more.iter().flat_map(|text| {
            wrapped(text, COLUMNS - 17).lines().map(String::from).collect::<Vec<_>>()
        }) {
            output.line(format!("{:17}{line}", ""))?;
        }
        output.line("")?;
    }
    Ok(())
}
