//! Runs the fuzz targets on inputs that are the same each time: captures that residue makes, with
//! mutations, and random bytes, which describe packets. What a fuzzer finds is found by `cargo
//! xtask fuzz`.

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
    for (name, target) in fuzz::TARGETS {
        println!("{name}");
        let mut random = Random(1);
        files.iter().for_each(|file| target(file));
        for input in 0..INPUTS {
            let length = random.below(LONGEST);
            let made = input % 2 == 0;
            target(&if made { random.mutated(&files) } else { random.bytes(length) });
        }
    }
}
