//! Sklower's claims about Fletcher's checksum with 8- and 16-bit units (1989).

use super::claim::{Claim, Verdict, claim, holds};
use crate::Error;
use crate::codes::additive::Additive;
use crate::sums::{burst, two_bits};
use residue::fletcher::check_octets::four_octets;

const SKLOWER: &str = "Sklower 1989";

/// The number of messages that a claim is tried on.
const TRIED: u32 = 1000;

/// Judges the claims.
pub(super) fn judge() -> Result<Vec<Claim>, Error> {
    let mut all = shares()?;
    all.extend(pairs());
    all.extend([byte_order(), odd_place(), closed_form(), squared(), double_errors()?]);
    Ok(all)
}

fn shares() -> Result<Vec<Claim>, Error> {
    let near = |printed: f64, exact: f64| holds((printed / exact - 1.0).abs() < 0.005);
    let [bytes, words] = [255f64, 65535.0].map(|modulus| modulus.powi(-2));
    let from = "1 / (number of values); uniform data";
    let of_bursts = |statement, code: &str, bits: usize, printed: f64| {
        let share = burst(&Additive::named(code)?, bits).mean;
        Ok::<_, Error>(claim(
            SKLOWER,
            statement,
            near(printed, share),
            format!(
                "{share:.4e} = 2^{:.2}, uniform data, the mean over the bit of a unit they begin \
                 at.",
                share.log2()
            ),
            "all patterns and all data, counted",
        ))
    };
    Ok(vec![
        claim(
            SKLOWER,
            "8-bit units miss 1.58e-5 of errors.",
            near(1.58e-5, bytes),
            format!("1/255^2 = {bytes:.5e}."),
            from,
        ),
        claim(
            SKLOWER,
            "16-bit units miss 2.37e-10 of errors.",
            near(2.37e-10, words),
            format!("1/65535^2 = {words:.5e}."),
            from,
        ),
        of_bursts(
            "8-bit units miss 2^-20 of bursts of 16 bits.",
            "fletcher-16",
            16,
            2f64.powi(-20),
        )?,
        of_bursts(
            "16-bit units miss 2^-40 of bursts of 32 bits.",
            "fletcher-32",
            32,
            2f64.powi(-40),
        )?,
    ])
}

/// What T adds for a pair of bytes FF beside both S: the first byte, as the upper one of a word
/// (the paper's formula) or as the lower (its program, where words are little-endian).
const UPPER: u64 = 255 << 8;
const LOWER: u64 = 255;

/// Returns T after this many pairs of bytes FF, with S and T at `start` before.
fn after(pairs: u32, start: u64, first: u64) -> u64 {
    let (mut s, mut t) = (start, start);
    for _ in 0..pairs {
        let before = s;
        s += 65535;
        t += before + s + first;
    }
    t
}

/// Returns the largest number of byte pairs that keeps T below a limit.
fn most(start: u64, first: u64, limit: u64) -> u32 {
    (0..).take_while(|&pairs| after(pairs, start, first) < limit).last().unwrap_or(0)
}

fn pairs() -> [Claim; 3] {
    // The most that a fold leaves: the sum of two halves of 16 bits.
    const FOLDED: u64 = 2 * 65535;
    let unsigned = [0, FOLDED].map(|start| most(start, UPPER, 1 << 32));
    let signed = [0, FOLDED].map(|start| most(start, LOWER, 1 << 31));
    [
        claim(
            SKLOWER,
            "255 pairs of bytes can be added before T overflows 32 bits, and 256 cannot.",
            holds(unsigned[0] == 255),
            "Of unsigned numbers, from S = T = 0.",
            format!(
                "bytes FF: T is {} after 255, {} after 256",
                after(255, 0, UPPER),
                after(256, 0, UPPER)
            ),
        ),
        claim(
            SKLOWER,
            "After a fold 253 more pairs can be added.",
            holds(unsigned[1] >= 253),
            format!("{} can, of unsigned numbers.", unsigned[1]),
            format!(
                "from S = T = {FOLDED}, the most that a fold leaves: T is {} after 253",
                after(253, FOLDED, UPPER)
            ),
        ),
        claim(
            SKLOWER,
            "These bounds hold in the appendix's program, whose sums are signed.",
            if unsigned == signed { Verdict::Holds } else { Verdict::Conditional },
            format!(
                "A signed sum of 32 bits has room for {} pairs, and for {} after a fold. The \
                 program folds every 64 pairs, which is safe.",
                signed[0], signed[1]
            ),
            format!(
                "T passes 2^31 - 1: by the program's step it is {} after {} pairs",
                after(signed[0] + 1, 0, LOWER),
                signed[0] + 1
            ),
        ),
    ]
}

fn byte_order() -> Claim {
    let mut random = fastrand::Rng::with_seed(3);
    let mut same = 0;
    for _ in 0..TRIED {
        let mut data = [0; 64];
        random.fill(&mut data);
        let swapped: Vec<u8> = data.chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
        let halves = |value: u32| (value as u16, (value >> 16) as u16);
        let (a, b) = halves(residue::fletcher32(&data));
        let swap = |sum: u16| sum.swap_bytes() % 65535;
        same += u32::from(halves(residue::fletcher32(&swapped)) == (swap(a), swap(b)));
    }
    claim(
        SKLOWER,
        "The 16-bit checksum of a packet with its bytes swapped is the checksum with its bytes \
         swapped.",
        holds(same == TRIED),
        "Proved by the paper: to swap the bytes of a word is to multiply it by 256 modulo 65535, \
         and sums and weights commute with that.",
        format!("Fletcher-32 of {TRIED} random packets: the same {same} times"),
    )
    .sampled()
}

/// Returns the two sums of big-endian words, the later of descending weights.
fn sums(data: &[u8]) -> (i64, i64) {
    let n = data.len() as i64 / 2;
    let words = data.chunks(2).map(|pair| i64::from(pair[0]) << 8 | i64::from(pair[1]));
    (1..).zip(words).fold((0, 0), |(c0, c1), (i, word)| {
        ((c0 + word) % 65535, (c1 + (n + 1 - i) * word) % 65535)
    })
}

fn odd_place() -> Claim {
    let mut random = fastrand::Rng::with_seed(4);
    let (mut printed, mut corrected) = (0, 0);
    for _ in 0..TRIED {
        let mut data = [0; 64];
        random.fill(&mut data);
        let place = 2 * random.usize(..30) + 1;
        data[place..place + 4].fill(0);
        let (c0, c1) = sums(&data);
        // The first octet is the lower byte of word k - 1, counted from 1.
        let k = place as i64 / 2 + 2;
        let [upper, lower] = ((c1 - k * c0).rem_euclid(65535) as u16).to_be_bytes();
        let last = 255 - upper;
        let rest = (-c0 - i64::from(lower) - 256 * i64::from(last)).rem_euclid(65535) as u16;
        let [a, b] = rest.to_be_bytes();
        let good = |octets: [u8; 4]| {
            let mut data = data;
            data[place..place + 4].copy_from_slice(&octets);
            u32::from(sums(&data) == (0, 0))
        };
        printed += good([lower, a, b, last]);
        corrected += four_octets(&data, place).map_or(0, good);
    }
    claim(
        SKLOWER,
        "Four check octets at an odd place: b is the lower byte of C1 - k C0, A the complement of \
         its upper byte, and the others follow from C0.",
        holds(printed == TRIED),
        "With C1 of descending weights it is w = n + 1 - k in place of k, C1 - w C0 + b - 256 A = \
         0; and the complement leaves 255 times 256 over, so that the bytes are those of w C0 - C1 \
         - 255.",
        format!(
            "the sums are zero for {printed} of {TRIED} random packets by the recipe as printed, \
             for {corrected} of {TRIED} as corrected"
        ),
    )
    .sampled()
}

fn closed_form() -> Claim {
    let holds_to = (1..=300).take_while(|&n: &u32| {
        let n64 = u64::from(n);
        after(n, 0, UPPER) == 255 * (256 * n64 * (n64 + 1) + n64 * n64)
    });
    let same = holds_to.count();
    claim(
        SKLOWER,
        "T_n is at most 255 (256 n (n + 1) + n^2).",
        holds(same == 300),
        "Of n pairs of bytes, and equal to it where all are FF.",
        format!("n from 1 to {same}: the sum of n pairs FF is the closed form"),
    )
}

fn squared() -> Claim {
    let [bytes, words] = [255f64, 65535.0].map(|modulus| modulus.powi(-2));
    claim(
        SKLOWER,
        "Units of twice as many bits square the share of undetected errors.",
        holds((bytes.powi(2) / words - 1.0).abs() < 0.02),
        "Nearly: 65535 is 255 times 257. Of random errors; of double errors it is the length up to \
         which all are detected that grows.",
        format!("(1/255^2)^2 = {:.4e}, 1/65535^2 = {words:.4e}", bytes.powi(2)),
    )
}

fn double_errors() -> Result<Claim, Error> {
    let mut lists = Vec::new();
    let mut right = true;
    for (name, bits, unit) in [("fletcher-16", 8u32, 1), ("fletcher-32", 16, 2)] {
        let code = Additive::named(name)?;
        let units = (1usize << bits) - 1;
        // Lengths that are multiples of four: at most so many units, and one more.
        let [below, above] =
            [units * unit / 4 * 4, (units + 1) * unit].map(|bytes| two_bits(&code, bytes));
        // Half of the pairs of one bit in the first unit and the same in the last: there is no pair
        // of units less far apart.
        right &= below.missed == 0.0 && above.missed == f64::from(bits) / 2.0;
        lists.push(format!(
            "{name}: {} undetected in {} bytes, {} in {}",
            below.missed,
            units * unit / 4 * 4,
            above.missed,
            (units + 1) * unit
        ));
    }
    Ok(claim(
        SKLOWER,
        "All double errors are detected in packets of up to 2^K - 1 units of K bits: 255 bytes, \
         and 64K words.",
        holds(right),
        "In packets that contain the check value, whose sums are zero; one unit more, and the same \
         bit of the first and the last unit cancel.",
        format!("pairs of wrong bits, in half of the data: {}", lists.join("; ")),
    ))
}
