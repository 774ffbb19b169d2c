//! The tables of the paper, beside ours.

use super::Row as Measured;
use residue_bench::select::three_digits;
use residue_report::{Row, Table};

/// A row of the paper's Tables 1 and 2.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// The single large packet, or the mix of about 250,000.
    pub test: String,
    /// The name the paper gives.
    pub algorithm: String,
    /// Our name of it.
    pub kernel: &'static str,
    /// The computer.
    pub machine: String,
    /// CPU time in seconds.
    pub seconds: f64,
}

/// Returns the paper's Tables 1 and 2.
#[must_use]
pub fn published() -> Vec<Published> {
    let read = |row: &Vec<String>| {
        let [test, algorithm, machine, seconds] = row.as_slice() else {
            return None;
        };
        let kernel = match algorithm.as_str() {
            "Null" => "null",
            "IP" => "ip",
            "PIP" => "pip",
            "XNS" => "xns",
            "Simple" => "simple",
            "NoMagic" => "pairs",
            "Magic" => "pairs_double",
            "Ediv" => "rfc1008",
            "F16" => "f16",
            "F16-NOAI" => "f16_indexed",
            _ => return None,
        };
        let seconds = seconds.parse().ok()?;
        let (test, machine) = (test.clone(), machine.clone());
        Some(Published { test, algorithm: algorithm.clone(), kernel, machine, seconds })
    };
    published!("sklower_1989_iso_checksum").iter().filter_map(read).collect()
}

/// Returns the paper's two tables, filled with our seconds and those of one of its machines.
#[must_use]
pub fn table(ours: &[Measured]) -> Table {
    const MACHINE: &str = "VAX 8800";
    let printed = published();
    let his = |test: &str, name: &str| {
        let row = printed
            .iter()
            .find(|row| row.machine == MACHINE && row.test.starts_with(test) && row.kernel == name);
        three_digits(row.map(|row| row.seconds))
    };
    let ip = ours.iter().find(|row| row.name == "ip");
    let ratio = |of: fn(&Measured) -> f64, row: &Measured| {
        three_digits(ip.map(of).filter(|&ip| ip > 0.0).map(|ip| of(row) / ip))
    };
    let line = |row: &Measured| {
        let (single, mix, gateway) = (row.single * 1e3, row.mix * 1e3, row.gateway * 1e3);
        let values = vec![
            three_digits(Some(single)),
            ratio(|row| row.single, row),
            his("single", row.name),
            three_digits(Some(mix)),
            ratio(|row| row.mix, row),
            his("about", row.name),
            three_digits(Some(gateway)),
            ratio(|row| row.gateway, row),
        ];
        Row::Values(row.name.into(), values)
    };
    let (theirs, more) =
        ours.split_at(ours.iter().position(|row| row.name == "quads").unwrap_or(ours.len()));
    let mut rows = vec![Row::Group("Sklower's rows".into())];
    rows.extend(theirs.iter().map(line));
    rows.push(Row::Group("and ours".into()));
    rows.extend(more.iter().map(line));
    Table {
        id: "iso",
        title: "Sklower's two tests: one packet of 16 MiB, and 250,000 packets in segments".into(),
        note: format!(
            "Milliseconds here, times IP's; then his seconds on a {MACHINE}. mix: three of four \
             packets small; gateway: half of them."
        ),
        stub: "row",
        heads: ["16 MiB, ms", "/ ip", "his s", "mix, ms", "/ ip", "his s", "gateway, ms", "/ ip"]
            .map(String::from)
            .to_vec(),
        together: 1,
        rows,
    }
}

/// The machines of the paper, in its order.
const MACHINES: [&str; 6] = ["CCI", "VAX 8800", "VAX 8600", "VAX 785", "VAX 750", "Sun 3/280"];

/// Returns the paper's Tables 1 and 2 under its names: milliseconds here and as a multiple of IP's,
/// then the seconds that it prints for its six machines.
#[must_use]
pub fn tables_of_paper(ours: &[Measured]) -> [Table; 2] {
    let printed = published();
    let table = |id, title: &str, test: &str, of: fn(&Measured) -> f64| {
        let ip = ours.iter().find(|row| row.name == "ip").map(of);
        let mut rows = Vec::new();
        for row in ours {
            let his: Vec<&Published> = printed
                .iter()
                .filter(|one| one.test.starts_with(test) && one.kernel == row.name)
                .collect();
            let Some(first) = his.first() else { continue };
            let mut values = vec![
                three_digits(Some(of(row) * 1e3)),
                three_digits(ip.filter(|&ip| ip > 0.0).map(|ip| of(row) / ip)),
            ];
            values.extend(MACHINES.map(|machine| {
                let seconds = his.iter().find(|one| one.machine == machine);
                three_digits(seconds.map(|one| one.seconds))
            }));
            rows.push(Row::Values(first.algorithm.clone(), values));
        }
        let mut heads = vec!["here, ms".to_string(), "/ IP".to_string()];
        heads.extend(MACHINES.map(|machine| format!("{machine}, s")));
        Table {
            id,
            title: title.into(),
            note: "The fastest of the rounds here; the paper's CPU seconds, as printed.".into(),
            stub: "test",
            heads,
            together: 1,
            rows,
        }
    };
    [
        table("1", "Table 1: times to checksum a single huge packet", "single", |row| row.single),
        table("2", "Table 2: times for checksumming a variety of packets", "about", |row| row.mix),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read() {
        let all = published();
        assert_eq!(all.len(), 106);
        assert!(all.iter().all(|row| MACHINES.contains(&row.machine.as_str())), "{all:?}");
    }
}
