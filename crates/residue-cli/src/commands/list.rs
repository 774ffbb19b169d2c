//! `residue list`: the codes, their parameters and their kernels.

use crate::args::ListArgs;
use crate::codes::Chosen;
use crate::output::{Output, Spelling};
use residue::crc::Params;
use residue::kernel::KernelInfo;
use residue::{Code, cpu};
use residue_strength::Notations;
use serde::Serialize;
use std::io;

/// Prints the table of all codes, or all about some.
pub fn run(args: &ListArgs, output: &mut Output) -> anyhow::Result<()> {
    let mut chosen = Vec::new();
    for name in &args.codes {
        chosen.push(Chosen::parse(name)?);
    }
    let named = |code: Code| Chosen { label: code.name().to_string(), code, cksum: false };
    if args.json {
        let all = if chosen.is_empty() { Code::all().map(named).collect() } else { chosen };
        output.json(&List { cpu: Cpu::here(), codes: all.iter().map(Told::of).collect() })?;
    } else if chosen.is_empty() {
        table(output)?;
    } else {
        for (i, one) in chosen.iter().enumerate() {
            if i > 0 {
                output.line("")?;
            }
            whole(&Told::of(one), output)?;
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct List {
    cpu: Cpu,
    codes: Vec<Told>,
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

/// All about a code.
#[derive(Serialize)]
struct Told {
    name: String,
    width: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<&'static str>,
    /// The value of `123456789`.
    check: String,
    #[serde(flatten)]
    crc: Option<Crc>,
    aliases: Vec<&'static str>,
    chosen: &'static str,
    kernels: Vec<Kernel>,
}

/// What only CRCs have.
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

impl Told {
    fn of(chosen: &Chosen) -> Told {
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
        Told {
            name: if chosen.cksum { code.name().to_string() } else { chosen.label.clone() },
            width: code.width(),
            about: code.about(),
            check: Spelling::Hex.spell(check, code.width()),
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
        let hex = |value: u128| Spelling::Hex.spell(value, params.width.into());
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
        let value = Spelling::Hex.spell(code.value(b"123456789"), code.width());
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

fn whole(told: &Told, output: &mut Output) -> io::Result<()> {
    let styles = output.styles;
    let (head, good, dim) = (styles.head, styles.good, styles.dim);
    output.line(format!("{head}{}{head:#}", told.name))?;
    if let Some(about) = told.about {
        output.line(about)?;
    }
    let mut rows = vec![("width", format!("{} bits", told.width))];
    if let Some(crc) = &told.crc {
        rows.extend([
            ("poly", crc.poly.clone()),
            ("init", crc.init.clone()),
            ("refin", crc.refin.to_string()),
            ("refout", crc.refout.to_string()),
            ("xorout", crc.xorout.clone()),
        ]);
    }
    rows.push(("check", format!("{}  (the value of 123456789)", told.check)));
    if let Some(crc) = &told.crc {
        rows.push((
            "residue",
            format!("{}  (what is left after a message and its value)", crc.residue),
        ));
    }
    if !told.aliases.is_empty() {
        rows.push(("aliases", told.aliases.join(", ")));
    }
    for (name, text) in rows {
        output.line(format!("  {name:9}{text}"))?;
    }
    if let Some(Crc { notations: n, .. }) = &told.crc {
        output.line(format!("{head}polynomial{head:#}"))?;
        for (name, text, what) in [
            ("normal", &n.normal, "highest power first, top term left out"),
            ("reversed", &n.reversed, "the same, lowest power first"),
            ("reciprocal", &n.reciprocal, "the mirrored polynomial, highest power first"),
            ("koopman", &n.koopman, "highest power first, constant term left out"),
            ("explicit", &n.explicit, "nothing left out"),
        ] {
            output.line(format!("  {name:11}{text}  {dim}{what}{dim:#}"))?;
        }
        output.line(format!("  {:11}{}", "terms", n.terms))?;
    }
    output.line(format!("{head}kernels, best first{head:#}"))?;
    let longest = told.kernels.iter().map(|kernel| kernel.name.len()).max().unwrap_or(0);
    for kernel in &told.kernels {
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
