//! `cargo xtask guard-rates`: TCP between two network namespaces, without a guard and with each
//! engine. These are the tables of docs/guard/cost.md.

mod compared;
mod hosts;
mod pages;
mod settings;

use crate::outcome::ended;
use crate::shell::{cargo, done, shown, target};
use hosts::{Hosts, Sample};
use settings::{Load, Settings};
use std::process::{Command, ExitCode};

const HELP: &str = "\
Measure TCP between two network namespaces, joined by a pair of veth devices: a transfer by \
iperf3 (cubic), requests, or new connections. All cases run in each round, every second round in \
reverse order, and the table shows medians, least and most. As root; needs iproute2, util-linux, \
and iperf3, redis (--requests) or ab (--connections; Debian package apache2-utils). The \
namespaces, and with them all guards, end with the command.

  cargo xtask guard-rates [OPTIONS] [CASE ...]

Cases [default: plain single queue kernel kernel+threads queue+pinned kernel+threads+pinned]:
  plain    no guard: packets of up to 64 KiB pass from host to host
  single   no guard, single segments (gso_max_segs 1)
  queue    the queue engine
  kernel   the kernel engine
  tls, crc, mptcp, md5
           only with --compare: TLS 1.3; a CRC-32C behind each 256 KiB of data, by the \
application; Multipath TCP with checksums; TCP's MD5 signatures
with these behind a `+`:
  threads  threads receive (residue guard on --receive-threads): kernel engine only
  pinned   all work of a host on one CPU, that of the other on another
  pfifo    a queue for the veth devices (tc qdisc pfifo)

Options:
  --rounds N     rounds [default: 7]
  --seconds N    time of a transfer [default: 2]
  --mtu N        MTU of the interfaces [default: 1500]
  --value N      value of the guard [default: 5]
  --streams N    connections at a time [default: 1]
  --requests     redis-benchmark -t get -c 20 -n 20000 instead of iperf3
  --connections  ab -c 20 -n 10000, a connection for each page of 100 bytes
  --compare      a transfer, then 5000 requests of 128 bytes one by one, on one connection, by a \
program in Python [default cases: plain single queue kernel kernel+threads tls crc mptcp md5]
  --program FILE the program `residue` [default: built from here]

The CPU time of a segment is that of the whole machine, both hosts' TCP and the programs included,
divided by the data segments and by two. So nothing else should run meanwhile.";

/// Measures, in new namespaces.
pub fn run(words: &[&str]) -> ExitCode {
    let result = match words {
        ["--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        // On a host.
        ["--pages", port] => pages::serve(port),
        // In the namespaces.
        ["--inside", words @ ..] => Settings::parse(words).and_then(|settings| rounds(&settings)),
        words => Settings::parse(words).and_then(|settings| outside(&settings, words)),
    };
    ended(result)
}

/// Builds the program, and runs this one again in namespaces that end with it.
fn outside(settings: &Settings, words: &[&str]) -> Result<(), String> {
    let program = match &settings.program {
        Some(program) => program.clone(),
        None => {
            let libraries: &[&str] =
                if settings.load == Load::Compared { &["-p", "residue-c"] } else { &[] };
            done(cargo().args(["build", "--release", "-p", "residue-cli"]).args(libraries))?;
            target()?.join("release/residue")
        }
    };
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new("unshare");
    command.args(["--net", "--mount"]).arg(own).args(["guard-rates", "--inside"]).args(words);
    shown(command.arg("--program").arg(program))
}

fn rounds(settings: &Settings) -> Result<(), String> {
    hosts::prepare()?;
    if settings.load == Load::Compared {
        compared::prepare()?;
    }
    let mut samples: Vec<Vec<Sample>> = settings.cases.iter().map(|_| Vec::new()).collect();
    for round in 0..settings.rounds {
        let mut order: Vec<usize> = (0..settings.cases.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for at in order {
            let case = &settings.cases[at];
            let hosts = Hosts::new(settings, case)?;
            let sample = match settings.load {
                Load::Transfer => hosts.transfer()?,
                Load::Requests => hosts.requests()?,
                Load::Connections => hosts.connections()?,
                Load::Compared => hosts.compared()?,
            };
            eprintln!("round {}, {}: {}", round + 1, case.name, sample.line());
            samples[at].push(sample);
        }
    }
    let columns = match settings.load {
        Load::Transfer => TRANSFER,
        Load::Requests | Load::Connections => REQUESTS,
        Load::Compared => COMPARED,
    };
    print!("| |");
    columns.iter().for_each(|(name, _)| print!(" {name} |"));
    println!("\n|---|{}", "---|".repeat(columns.len()));
    for (case, samples) in settings.cases.iter().zip(&samples) {
        print!("| {} |", case.name);
        for (at, &(_, digits)) in columns.iter().enumerate() {
            let mut all: Vec<f64> = samples.iter().map(|sample| sample.0[at]).collect();
            all.sort_by(f64::total_cmp);
            let (least, most) = (all[0], all[all.len() - 1]);
            print!(" {:.digits$} ({least:.digits$} to {most:.digits$}) |", median(&all));
        }
        println!();
    }
    Ok(())
}

/// The columns of a transfer, and their digits behind the point.
const TRANSFER: &[(&str, usize)] = &[
    ("Gbit/s", 2),
    ("µs of CPU time a segment and host", 2),
    ("busy share of the CPUs", 2),
    ("segments sent again", 0),
];

/// The columns of a comparison.
const COMPARED: &[(&str, usize)] = &[
    ("Gbit/s", 2),
    ("µs of CPU time a segment and host", 2),
    ("requests/s, one by one", 0),
    ("p99 in ms", 3),
];

/// The columns of requests, on few connections or on one each.
const REQUESTS: &[(&str, usize)] = &[("requests/s", 0), ("p50 in ms", 2), ("p99 in ms", 2)];

/// Returns the median of sorted numbers, of which there is one at least.
fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 }
}

#[cfg(test)]
mod tests {
    #[test]
    fn medians() {
        assert_eq!(super::median(&[7.0]), 7.0);
        assert_eq!(super::median(&[1.0, 2.0, 9.0]), 2.0);
        assert_eq!(super::median(&[1.0, 2.0, 4.0, 9.0]), 3.0);
    }
}
