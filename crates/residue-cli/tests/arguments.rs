//! Arguments that are wrong, or that another argument makes meaningless, are refused before any
//! work: no output, exit code 2, and a message that names the argument.

mod common;

use common::{folder, residue};

/// Arguments, separated by spaces, and a part of the message.
const REFUSED: &[(&str, &str)] = &[
    // Options without effect are refused.
    ("strength weights crc-8 --length 64 --most 4 --ber 1e-5", "'--ber <RATE>'"),
    ("strength weights crc-8 --length 64 --csv --ber 1e-5", "'--ber <RATE>'"),
    ("strength weights crc-8 --length 64 --csv --json", "cannot be used"),
    ("strength compare --link 1G --frames-per-second 5", "'--link <SPEED>' cannot be used"),
    ("strength compare --csv --json", "cannot be used"),
    ("strength crc-8 --width 16", "--width 16"),
    ("strength weights crc-8 --length 64 --width 16", "--width 16"),
    ("strength crc-8 --length 64 --most 4", "cannot be used"),
    ("strength search --width 8 --survey --hd 4", "cannot be used"),
    ("strength search --width 8 --survey --length 64", "cannot be used"),
    ("strength search --merge part1 --width 8", "cannot be used"),
    ("strength data nine --full --csv", "cannot be used"),
    ("bench claims --seed 5", "'--seed'"),
    ("bench claims --data zeros", "'--data'"),
    ("bench claims --cold", "'--cold'"),
    ("bench --seed 5 claims", "cannot be used"),
    ("bench --csv compare a.json b.json", "cannot be used"),
    ("bench compare a.json b.json --samples 3", "'--samples'"),
    ("bench compare a.json b.json --seed 3", "'--seed'"),
    ("bench compare a.json b.json --misaligned", "'--misaligned'"),
    ("bench compare a.json", "<B.json>"),
    ("bench --full --sizes 64", "cannot be used"),
    ("bench --cold --mode latency", "--cold empties the caches"),
    ("sum -r", "<FILE>..."),
    ("sum --text abc -r", "<FILE>..."),
    ("sum --json --tag nine", "'--tag'"),
    ("sum --quiet nine", "--quiet goes with"),
    ("sum --kernel slicing8 nine", "cannot be used"),
    ("sum --profile gcs --part-size 8MiB nine", "--part-size goes with"),
    ("sum --multipart-threshold 8MiB nine", "--part-size"),
    ("sum --strict nine", "--check"),
    ("sum -c --tag nine", "cannot be used"),
    ("sum -c -a crc-32,crc-32c nine", "takes one code"),
    ("identify --trailer 2 --decimal 31323334", "cannot be used"),
    ("identify --frames nine --trailer 2", "cannot be used"),
    ("pcap make out --seed 5", "--synthetic"),
    ("pcap fix nine -o out --in-place", "cannot be used"),
    ("pcap fix nine --dry-run --all --only zeroed", "cannot be used"),
    ("pcap verify nine --csv --json", "cannot be used"),
    #[cfg(target_os = "linux")]
    ("guard run --interface lo --value 4 --force", "--force goes with"),
    #[cfg(target_os = "linux")]
    ("guard run --interface lo --every 5", "--json"),
    ("guard status --json --prometheus", "cannot be used"),
    ("guard simulate --json --csv", "cannot be used"),
    // Values.
    ("strength weights crc-8 --length 64 --ber 2", "no bit error rate"),
    ("strength weights crc-32 --length 12112 --ber 1e-6,x", "no bit error rate"),
    ("strength weights crc-32 --length 1MiB", "take too long"),
    ("strength weights crc-99 --length 64", "neither a code"),
    ("strength compare --ber 2", "no bit error rate"),
    ("strength compare --ber 0.7", "up to 0.5"),
    ("strength compare --link 0", "10G"),
    ("strength compare --link 10g", "10G"),
    ("strength compare --frames-per-second nan", "above 0"),
    ("strength compare crc-32,crc-99", "neither a code"),
    ("strength compare --report nine/out", "cannot write the report"),
    ("strength data noise --report nine/out", "cannot write the report"),
    ("strength data noise --burst 65", "2..=64"),
    ("strength data noise missing", "cannot read `missing`"),
    ("strength sums --length 6", "multiple of 4"),
    ("strength sums -a crc-64/nvme", "wider than 32 bits"),
    ("strength sums -a internet,nosuch", "no code has this name"),
    ("strength sums --data missing", "cannot read `missing`"),
    ("strength advise --length 64 --hd 1", "2 or more"),
    ("strength advise --length 64 --hd 4 --width 101", "3 to 100"),
    ("strength search --width 2 --hd 4", "3 to 64"),
    ("strength search --width 16 --hd 99", "distance"),
    ("strength search --width 16 --hd 6 --range 9/8", "range"),
    ("strength search --width 16 --hd 6 --checkpoint nine/part", "nine/part"),
    ("strength search --merge missing", "missing"),
    ("strength crc-8 --patience 0", "--patience"),
    ("bench -a nosuch", "no code has this name"),
    ("bench -k nosuch", "no kernel to measure"),
    ("bench --extra 8", "--extra 8: give 0 to 7"),
    ("bench --sizes 99999999999", "--sizes 99999999999: give at most"),
    ("bench --mixed 9..5", "must grow"),
    ("bench --report nine/out -a crc-8 --sizes 4 --samples 1", "cannot write the report"),
    ("bench iscsi --report nine/out --rounds 1", "cannot write the report"),
    ("bench iso --rounds 0", "1..=1000"),
    ("bench compare missing missing", "cannot read `missing`"),
    ("list crc-8 nosuch", "no code has this name"),
    ("list --json nosuch", "no code has this name"),
    ("sum -a crc-8,nosuch nine", "no code has this name"),
    ("sum --hex 123", "--hex"),
    (
        "sum --explain --text a \
         --text 0123456789012345678901234567890123456789012345678901234567890123456789",
        "too many to explain",
    ),
    ("sum --self-test -a nosuch", "no code has this name"),
    ("conform -a nosuch -- true", "no code has this name"),
    ("conform -a crc-8 --timeout 0 -- true", "seconds"),
    ("identify 3132:1 --skip 65", "0..=64"),
    ("identify 3132:zz", "expected 1 to 32 hexadecimal digits"),
    ("pcap verify --list=some nine", "--list"),
    ("pcap fix nine", "no output given"),
    ("pcap fix nine -o missing/out", "no folder `missing`"),
    ("pcap fix nine -o - --list", "standard output"),
    ("pcap fix - --in-place", "needs a file"),
    ("pcap nat nine --map 1.2.3.4=1.2.3.5 -o missing/out", "no folder `missing`"),
    ("pcap nat nine --map x=y -o out", "--map"),
    ("pcap nat nine -o out", "--map"),
    ("guard simulate --value 8", "1..=7"),
    ("guard simulate --fault nosuch", "nosuch"),
    ("guard demo --segments 1", "40..=1000000"),
    ("guard run --interface lo --value 9", "from 0 to 7"),
    #[cfg(target_os = "linux")]
    ("guard run --interface lo --ports 99999", "expected a port (443)"),
    #[cfg(target_os = "linux")]
    ("guard run --interface nosuch0", "nosuch0"),
    ("completions nosuch", "nosuch"),
    ("man nine/out", "nine/out"),
];

#[test]
fn wrong_arguments_are_refused_before_any_work() {
    let dir = folder();
    let mut failures = Vec::new();
    for (words, part) in REFUSED {
        let ran = residue(words.split(' ')).within(dir.path()).run();
        if ran.code != 2 || !ran.out.is_empty() || !ran.err.contains(part) {
            failures.push(format!("{words}: {part}: {ran:?}"));
        }
        // Long work is announced, and must not have begun.
        if ran.err.contains("which may take") {
            failures.push(format!("{words}: {}", ran.err));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    // No file was created.
    let mut names: Vec<_> =
        dir.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["a b", "empty", "nine", "noise"]);
}
