//! Runs the fuzz targets on inputs that are the same each time: captures that residue makes, or
//! texts, with mutations, and random bytes, which describe packets. What a fuzzer finds is found by
//! `cargo xtask fuzz`.

use residue::Code;
use residue_testing::Random;

/// Number of inputs of each target.
const INPUTS: usize = 2_000;
/// Largest number of random bytes.
const LONGEST: usize = 1 << 10;

/// One test, as `verify` measures the memory of the process.
#[test]
#[ignore = "long"]
fn targets_hold() {
    let files = residue_fixtures::file::all();
    let texts = texts();
    for (name, target) in fuzz::TARGETS {
        println!("{name}");
        let mut random = Random(1);
        let seeds = if name == "text" { &texts } else { &files };
        // A search takes a tenth of a second.
        let inputs = if name == "identify" { INPUTS / 10 } else { INPUTS };
        seeds.iter().for_each(|seed| target(seed));
        for input in 0..inputs {
            let length = random.below(LONGEST);
            let made = input % 2 == 0;
            target(&if made { random.mutated(seeds) } else { random.bytes(length) });
        }
    }
}

/// Returns names, definitions, partials and filters.
fn texts() -> Vec<Vec<u8>> {
    let mut texts: Vec<String> = Code::names().map(str::to_string).collect();
    texts.extend(Code::all().filter_map(|code| code.params().map(ToString::to_string)));
    texts.extend(Code::all().map(|code| format!("{code}:{:x}:9", code.value(b"123456789"))));
    texts.push("(tcp port 3260 or udp and net 10.0.0.0/8) and not vlan or icmp6".to_string());
    texts.push("src host 2001:db8::1 and dst portrange 80-90 and not ip proto 132".to_string());
    texts.into_iter().map(String::into_bytes).collect()
}
