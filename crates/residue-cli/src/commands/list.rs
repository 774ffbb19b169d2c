//! `residue list`: the codes, their parameters and their kernels.

use crate::codes::{Chosen, Names};
use crate::options::Json;
use crate::output::{Encoding, Output, Styles};
use clap::Args;
use residue::cpu::Profile;
use residue::crc::Params;
use residue::kernel::{KernelInfo, Role};
use residue::{Code, cpu};
use residue_report::COLUMNS;
use residue_report::text::wrapped;
use residue_strength::Notations;
use serde::Serialize;
use std::io;

// Arguments of `residue list`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct ListArgs {
    /// Codes to describe: names, aliases, or the parameters of a CRC [default: a table of all]
    #[arg(value_name = "CODE", value_parser = Names, hide_possible_values = true)]
    codes: Vec<String>,
    #[command(flatten)]
    format: Json,
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
    if args.format.json {
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
    /// The profile in use.
    profile: ProfileInfo,
    /// The profile of this CPU.
    detected_profile: ProfileInfo,
    /// The value of `RESIDUE_PROFILE`.
    profile_mask: Option<String>,
    profiles: Vec<&'static str>,
}

/// What a profile is for.
#[derive(Serialize)]
struct ProfileInfo {
    name: &'static str,
    cpus: &'static str,
    /// The width in bits up to which CRCs gain by byte matrices; 0 for none.
    matrices_to: u32,
    source: &'static str,
}

impl ProfileInfo {
    const fn of(profile: &Profile) -> ProfileInfo {
        let Profile { name, cpus, matrices_to, source, .. } = *profile;
        ProfileInfo { name, cpus, matrices_to, source }
    }
}

impl std::fmt::Display for ProfileInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ProfileInfo { name, cpus, matrices_to, source } = self;
        let preference = preference(*matrices_to);
        write!(f, "{name} ({cpus}), prefers {preference}; source of its figures: {source}")
    }
}

/// Returns what a profile prefers to remove vectors of data by.
fn preference(matrices_to: u32) -> String {
    match matrices_to {
        0 => "carry-less products".into(),
        bits => format!("byte matrices for CRCs of up to {bits} bits, else carry-less products"),
    }
}

/// Returns the value of an environment variable, unless it is empty.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

impl Cpu {
    fn here() -> Cpu {
        let (found, used) = (cpu::detected(), cpu::features());
        let used: Vec<&str> = used.names().collect();
        Cpu {
            found: found.names().collect(),
            masked: found.names().filter(|name| !used.contains(name)).collect(),
            mask: variable("RESIDUE_CPU"),
            tiers: cpu::tier_names().collect(),
            profile: ProfileInfo::of(cpu::profile()),
            detected_profile: ProfileInfo::of(cpu::detected_profile()),
            profile_mask: variable("RESIDUE_PROFILE"),
            profiles: cpu::PROFILES.iter().map(|profile| profile.name).collect(),
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
    /// Why the kernel was chosen.
    reason: String,
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
    role: &'static str,
    /// The width in bits of the widest CRC that it computes by byte matrices.
    matrices: Option<u32>,
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
            role: kernel.role.name(),
            matrices: kernel.matrices,
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
            reason: reason(code.kernels(), best, cpu::profile()),
            kernels: code.kernels().map(kernel).collect(),
        }
    }
}

/// Returns why `best` is chosen among `kernels`.
fn reason(
    kernels: impl Iterator<Item = KernelInfo>,
    best: KernelInfo,
    profile: &Profile,
) -> String {
    let mut text = "the first dispatched kernel whose features this CPU has".to_string();
    if let Some(mask) = variable("RESIDUE_CPU") {
        text += &format!(" under RESIDUE_CPU={mask}");
    }
    let (name, prefers) = (profile.name, preference(profile.matrices_to));
    let other =
        |kernel: &KernelInfo| kernel.matrices.is_some_and(|bits| bits > profile.matrices_to);
    let left_out: Vec<&str> = kernels
        .take_while(|kernel| kernel.name != best.name)
        .filter(|kernel| kernel.role == Role::Dispatched && kernel.supported() && other(kernel))
        .map(|kernel| kernel.name)
        .collect();
    if best.matrices.is_some() {
        text += &format!("; profile {name} prefers {prefers}");
    } else if !left_out.is_empty() {
        let is = if left_out.len() == 1 { "is" } else { "are" };
        let names = left_out.join(", ");
        text += &format!("; {names} {is} left out because profile {name} prefers {prefers}");
    }
    text
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
    output.line(format!("tiers for RESIDUE_CPU: {}", or_none(&cpu.tiers)))?;
    let mut line = |text: String| output.line(wrapped(&text, COLUMNS));
    if let Some(mask) = &cpu.profile_mask {
        line(format!("profile by RESIDUE_PROFILE={mask}: {}", cpu.profile))?;
    }
    line(format!("profile of this CPU: {}", cpu.detected_profile))?;
    line(format!("profiles for RESIDUE_PROFILE: {}", or_none(&cpu.profiles)))
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
    kernels(&code.kernels, output)?;
    output.line(wrapped(&format!("chosen: {}, {}", code.chosen, code.reason), COLUMNS))
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
            kernel.name, kernel.role
        ))?;
    }
    Ok(())
}
