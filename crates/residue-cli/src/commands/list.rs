//! `residue list`: the codes, their parameters and their kernels.

use crate::codes::{Chosen, Names};
use crate::output::{Encoding, Output, Styles};
use clap::Args;
use residue::crc::Params;
use residue::kernel::KernelInfo;
use residue::{Code, cpu};
use residue_strength::Notations;
use serde::Serialize;
use std::io;

/// Arguments of `residue list`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct ListArgs {
    /// Codes to describe: names, aliases, or the parameters of a CRC [default: a table of all]
    #[arg(value_name = "CODE", value_parser = Names, hide_possible_values = true)]
    codes: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
Examples:
  residue list                                      every named code
  residue list crc-32/iscsi                         parameters, notations, aliases, kernels
  residue list width=16,poly=1021,init=ffff         a CRC of your own
  residue list --json | jq -r '.codes[].name'       the names alone";

/// Prints the table of all codes, or descriptions of some.
pub fn run(args: &ListArgs, output: &mut Output) -> anyhow::Result<()> {
    let mut chosen = Vec::new();
    for name in &args.codes {
        chosen.push(Chosen::parse(name)?);
    }
    let named = |code: Code| Chosen { label: code.name().to_string(), code, cksum: false };
    if args.json {
        let all = if chosen.is_empty() { Code::all().map(named).collect() } else { chosen };
        output.json(&List { cpu: Cpu::here(), codes: all.iter().map(Info::of).collect() })?;
    } else if chosen.is_empty() {
        table(output)?;
    } else {
        for (i, one) in chosen.iter().enumerate() {
            if i > 0 {
                output.line("")?;
            }
            describe(&Info::of(one), output)?;
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct List {
    cpu: Cpu,
    codes: Vec<Info>,
}

#[derive(Serialize)]
struct Cpu {
    found: Vec<&'static str>,
    masked: Vec<&'static str>,
    mask: Option<String>,
    tiers: Vec<&'static str>,
}

impl Cpu {
    fn here() -> Cpu {
        let (found, used) = (cpu::detected(), cpu::features());
        let used: Vec<&str> = used.names().collect();
        Cpu {
            found: found.names().collect(),
            masked: found.names().filter(|name| !used.contains(name)).collect(),
            mask: std::env::var("RESIDUE_CPU").ok().filter(|mask| !mask.is_empty()),
            tiers: cpu::tier_names().collect(),
        }
    }
}

/// Everything known about a code.
#[derive(Serialize)]
struct Info {
    name: String,
    width: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<&'static str>,
    /// Value of `123456789`.
    check: String,
    #[serde(flatten)]
    crc: Option<Crc>,
    aliases: Vec<&'static str>,
    chosen: &'static str,
    kernels: Vec<Kernel>,
}

/// Parameters that only CRCs have.
#[derive(Serialize)]
struct Crc {
    poly: String,
    init: String,
    refin: bool,
    refout: bool,
    xorout: String,
    residue: String,
    notations: Notations,
}

#[derive(Serialize)]
struct Kernel {
    name: &'static str,
    needs: Vec<&'static str>,
    sort: &'static str,
    supported: bool,
    chosen: bool,
}

impl Info {
    fn of(chosen: &Chosen) -> Info {
        let code = &chosen.code;
        let best = code.chosen();
        let kernel = |kernel: KernelInfo| Kernel {
            name: kernel.name,
            needs: kernel.needs.names().collect(),
            sort: kernel.sort.name(),
            supported: kernel.supported(),
            chosen: kernel.name == best.name,
        };
        let check = chosen.code.value(b"123456789");
        Info {
            name: if chosen.cksum { code.name().to_string() } else { chosen.label.clone() },
            width: code.width(),
            about: code.about(),
            check: Encoding::Hex.encode(check, code.width()),
            crc: code.params().map(Crc::of),
            aliases: Code::aliases()
                .filter(|(_, name)| *name == code.name())
                .map(|(alias, _)| alias)
                .collect(),
            chosen: best.name,
            kernels: code.kernels().map(kernel).collect(),
        }
    }
}

impl Crc {
    fn of(params: &Params) -> Crc {
        let hex = |value: u128| Encoding::Hex.encode(value, params.width.into());
        Crc {
            poly: hex(params.poly),
            init: hex(params.init),
            refin: params.refin,
            refout: params.refout,
            xorout: hex(params.xorout),
            residue: hex(params.residue),
            notations: Notations::of(params),
        }
    }
}

fn table(output: &mut Output) -> io::Result<()> {
    let head = output.styles.head;
    let width = Code::names().map(str::len).max().unwrap_or(0);
    let check = Code::all().map(|code| code.width().div_ceil(4) as usize).max().unwrap_or(0);
    output.line(format!(
        "{head}{:width$}  bits  {:check$}  {:20}  kernels{head:#}",
        "code", "of 123456789", "kernel used here"
    ))?;
    for code in Code::all() {
        let value = Encoding::Hex.encode(code.value(b"123456789"), code.width());
        let (kernel, kernels) = (code.chosen().name, code.kernels().count());
        output.line(format!(
            "{:width$}  {:4}  {value:check$}  {kernel:20}  {kernels:7}",
            code.name(),
            code.width()
        ))?;
    }
    output.line("")?;
    let cpu = Cpu::here();
    let or_none = |names: &[&str]| {
        if names.is_empty() { "none".to_string() } else { names.join(" ") }
    };
    output.line(format!("CPU features found: {}", or_none(&cpu.found)))?;
    if let Some(mask) = &cpu.mask {
        output.line(format!("masked by RESIDUE_CPU={mask}: {}", or_none(&cpu.masked)))?;
    }
    output.line(format!("tiers for RESIDUE_CPU: {}", or_none(&cpu.tiers)))
}

fn describe(code: &Info, output: &mut Output) -> io::Result<()> {
    let Styles { head, dim, .. } = output.styles;
    output.line(format!("{head}{}{head:#}", code.name))?;
    if let Some(about) = code.about {
        output.line(about)?;
    }
    let mut rows = vec![("width", format!("{} bits", code.width))];
    if let Some(crc) = &code.crc {
        rows.extend([
            ("poly", crc.poly.clone()),
            ("init", crc.init.clone()),
            ("refin", crc.refin.to_string()),
            ("refout", crc.refout.to_string()),
            ("xorout", crc.xorout.clone()),
        ]);
    }
    rows.push(("check", format!("{}  (the value of 123456789)", code.check)));
    if let Some(crc) = &code.crc {
        rows.push((
            "residue",
            format!("{}  (what a message followed by its value leaves)", crc.residue),
        ));
    }
    if !code.aliases.is_empty() {
        rows.push(("aliases", code.aliases.join(", ")));
    }
    for (name, text) in rows {
        output.line(format!("  {name:9}{text}"))?;
    }
    if let Some(Crc { notations: n, .. }) = &code.crc {
        output.line(format!("{head}polynomial{head:#}"))?;
        for (name, text, what) in [
            ("normal", &n.normal, "highest power first, top term left out"),
            ("reversed", &n.reversed, "lowest power first, top term left out"),
            ("reciprocal", &n.reciprocal, "the mirrored polynomial, highest power first"),
            ("koopman", &n.koopman, "highest power first, constant term left out"),
            ("explicit", &n.explicit, "nothing left out"),
        ] {
            output.line(format!("  {name:11}{text}  {dim}{what}{dim:#}"))?;
        }
        output.line(format!("  {:11}{}", "terms", n.terms))?;
    }
    kernels(&code.kernels, output)
}

/// Prints the kernels of a code.
fn kernels(kernels: &[Kernel], output: &mut Output) -> io::Result<()> {
    let Styles { head, good, dim, .. } = output.styles;
    output.line(format!("{head}kernels, best first{head:#}"))?;
    let longest = kernels.iter().map(|kernel| kernel.name.len()).max().unwrap_or(0);
    for kernel in kernels {
        let needs = if kernel.needs.is_empty() { "nothing".into() } else { kernel.needs.join(" ") };
        let state = match (kernel.chosen, kernel.supported) {
            (true, _) => format!("{good}chosen{good:#}   "),
            (false, true) => "supported".to_string(),
            (false, false) => format!("{dim}lacking{dim:#}  "),
        };
        output.line(format!(
            "  {:longest$}  {:10}  {state}  needs {needs}",
            kernel.name, kernel.sort
        ))?;
    }
    Ok(())
}
