//! Claims about damage on networks and about codes beside each other, which the thesis quotes.

use super::claim::{Claim, Verdict, claim, holds};
use crate::codes::additive::Additive;
use crate::crc::probability::Curve;
use crate::crc::{Generator, Profile, Weights};
use crate::sums::{self, Channel, two_bits, two_bits_of};
use crate::{Effort, Error};

const STONE: &str = "Damage in networks (thesis, abstract and 2.3, after Stone and Partridge 2000)";
const MAXINO: &str = "Codes beside each other (thesis 2.1 to 3.2, after Maxino and Koopman 2009)";

/// One datagram in so many failed the checksum though the link's CRC was right.
const FAILED_ONE_IN: f64 = 7500.0;
/// The bit error rate at which codes are compared.
const RATE: f64 = 1e-5;
/// Shares of ones among the bits of data.
const DENSITIES: [f64; 5] = [0.125, 0.25, 0.5, 0.75, 0.875];

/// Judges the claims.
pub(super) fn judge(effort: &Effort<'_>) -> Result<Vec<Claim>, Error> {
    Ok(vec![
        one_in_thousands(),
        beyond_the_links(),
        one_in_millions()?,
        sums_depend_on_data()?,
        crcs_do_not()?,
        distances(effort)?,
        twelve_bits(effort)?,
        short_data(effort)?,
        full_frames(effort)?,
    ])
}

fn one_in_thousands() -> Claim {
    claim(
        STONE,
        "1 datagram in 7,500 passes the link's CRC and fails the TCP or UDP checksum.",
        Verdict::NotHere,
        "A count in traces of 1998 and 1999. `residue pcap survey` counts it in captures of today, \
         and a guard on live connections.",
        "none is possible",
    )
}

fn beyond_the_links() -> Claim {
    // Were it damage of links, so many times as much would have been on them.
    let on_links = 2f64.powi(32) / FAILED_ONE_IN;
    claim(
        STONE,
        "The links did not do that damage: their CRC would have caught nearly all of it.",
        holds(on_links > 1.0),
        "Damage that a CRC of 32 bits lets through is 1 in 2^32 of what it catches.",
        format!(
            "1 in 7,500 after a CRC-32 would need {on_links:.0} damaged frames for each datagram"
        ),
    )
}

fn one_in_millions() -> Result<Claim, Error> {
    let internet = Additive::named("internet")?;
    let one_in = |share: f64| FAILED_ONE_IN / share;
    let random = one_in(1.0 / internet.elements());
    let two = one_in(two_bits(&internet, 1500).share);
    let range = 16e6..=10e9;
    let verdict = match (range.contains(&random), range.contains(&two)) {
        (true, true) => Verdict::Holds,
        (true, false) => Verdict::Conditional,
        (false, _) => Verdict::DoesNotHold,
    };
    Ok(claim(
        STONE,
        "The TCP checksum fails to detect errors in one of 16 million to 10 billion packets.",
        verdict,
        "Where the damage is random bytes, and 1 packet in 7,500 is damaged. Damage that the sum \
         misses more often, such as swapped words, which it always misses, gives more.",
        format!(
            "random bytes: 1 packet in {random:.2e}; two wrong bits in 1500 bytes of uniform data: \
             1 in {two:.2e}; swapped words: 1 in 7,500"
        ),
    ))
}

/// Returns random data of so many bytes, with a share of ones.
fn data(bytes: usize, density: f64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(11);
    let mut bit = || u8::from(random.f64() < density);
    (0..bytes).map(|_| (0..8).fold(0, |byte, _| byte << 1 | bit())).collect()
}

/// Returns the undetected shares of two wrong bits in data of each density.
fn by_density(name: &str) -> Result<[f64; 5], Error> {
    let code = Additive::named(name)?;
    Ok(DENSITIES.map(|density| two_bits_of(&code, &data(1024, density)).share))
}

fn listed(name: &str, shares: &[f64]) -> String {
    let shares: Vec<String> = shares.iter().map(|share| format!("{share:.3e}")).collect();
    format!("{name} {}", shares.join(", "))
}

const BY_DENSITY: &str = "two wrong bits in 1024 bytes with 1/8, 1/4, 1/2, 3/4 and 7/8 of ones: ";

fn sums_depend_on_data() -> Result<Claim, Error> {
    let (mut most_at_half, mut lists) = (true, Vec::new());
    for name in ["sum-16", "internet", "fletcher-16"] {
        let shares = by_density(name)?;
        most_at_half &= shares.iter().all(|share| *share <= shares[2]);
        lists.push(listed(name, &shares));
    }
    Ok(claim(
        MAXINO,
        "Sums miss most errors in random data with as many zeros as ones in each bit's place.",
        holds(most_at_half),
        "Two wrong bits cancel if one was set and the other was not, in a share 2 p (1 - p) of the \
         pairs for a share p of ones.",
        format!("{BY_DENSITY}{}", lists.join("; ")),
    )
    .sampled())
}

fn crcs_do_not() -> Result<Claim, Error> {
    let (mut equal, mut lists) = (true, Vec::new());
    // The period of the first is 255 bits, so that it misses some pairs.
    for name in ["crc-8/smbus", "crc-12/umts"] {
        let shares = by_density(name)?;
        equal &= shares.iter().all(|share| *share == shares[0]) && shares[0] > 0.0;
        lists.push(listed(name, &shares));
    }
    Ok(claim(
        MAXINO,
        "The errors that a CRC detects do not depend on the data.",
        holds(equal),
        "An error is undetected if its polynomial is a multiple of the generator, whatever the \
         data.",
        format!("{BY_DENSITY}{}", lists.join("; ")),
    ))
}

fn generator(text: &str) -> Result<Generator, Error> {
    Ok(Generator::parse(text, None)?.0)
}

fn distances(effort: &Effort<'_>) -> Result<Claim, Error> {
    let crcs = [("crc-32c", 32), ("crc-16/ibm-3740", 16)];
    let (mut better, mut lists) = (true, Vec::new());
    for (name, width) in crcs {
        let profile = Profile::to(&generator(name)?, 6, effort);
        for bytes in [64u64, 1500] {
            let (of_crc, _) = profile.distance(8 * bytes);
            let names: &[&str] =
                if width == 32 { &["fletcher-32", "adler-32"] } else { &["fletcher-16"] };
            let mut list = vec![format!("{bytes} bytes: {name} {of_crc}")];
            for sum in names {
                let limit = sums::distance(&Additive::named(sum)?)?.map_or(0, |d| d.three_to);
                let of_sum = if bytes <= limit as u64 { 3 } else { 2 };
                better &= of_crc > of_sum;
                list.push(format!("{sum} {of_sum}"));
            }
            lists.push(list.join(", "));
        }
    }
    Ok(claim(
        MAXINO,
        "A good CRC has a larger Hamming distance than Fletcher's and Adler's sums of its size.",
        holds(better),
        "At these lengths. Beyond the generator's order every CRC has 2, like the sums.",
        lists.join("; "),
    ))
}

/// Returns the probability that a CRC misses an error in so many bytes at [`RATE`], by the weights
/// up to `most`.
fn of_crc(g: &Generator, bytes: u64, most: u32, effort: &Effort<'_>) -> Result<f64, Error> {
    Ok(Curve::new(&Weights::new(g, 8 * bytes, Some(most), effort)?).at(RATE))
}

/// Returns the same of a sum.
fn of_sum(name: &str, bytes: u64) -> Result<f64, Error> {
    let channel = Channel::new(&Additive::named(name)?, bytes as usize);
    Ok(channel.and_then(|channel| channel.at(RATE)).unwrap_or(f64::NAN))
}

fn twelve_bits(effort: &Effort<'_>) -> Result<Claim, Error> {
    // x + 1 divides the first; the second is primitive, with twice the order.
    let crcs = [("CRC-12/UMTS", "normal:80f"), ("x^12 + x^6 + x^4 + x + 1", "normal:053")];
    let (mut each, mut lists) = ([true; 2], Vec::new());
    for bytes in [16u64, 64, 128, 252, 256, 512, 1024, 4096] {
        let fletcher = of_sum("fletcher-16", bytes)?;
        let mut ratios = [0.0; 2];
        for ((ratio, each), (_, text)) in ratios.iter_mut().zip(&mut each).zip(crcs) {
            let (generator, _) = Generator::parse(text, Some(12))?;
            *ratio = fletcher / of_crc(&generator, bytes, 4, effort)?;
            *each &= *ratio > 1.0;
        }
        lists.push(format!("{bytes}: {:.2}, {:.2}", ratios[0], ratios[1]));
    }
    Ok(claim(
        MAXINO,
        "CRC-12 is better than Fletcher-16 at every length.",
        holds(each.contains(&true)),
        "To 2,035 bits of data, with the factor x + 1. In longer data Fletcher-16 misses half as \
         much; and about as much as a primitive generator, which in turn is worse in shorter data.",
        format!(
            "how many times as much Fletcher-16 misses at a bit error rate of {RATE:e} as {} and \
             {}, by bytes of data: {}",
            crcs[0].0,
            crcs[1].0,
            lists.join("; ")
        ),
    ))
}

fn short_data(effort: &Effort<'_>) -> Result<Claim, Error> {
    let castagnoli = generator("crc-32c")?;
    let ratio = |bytes, distance| {
        let of_crc = of_crc(&castagnoli, bytes, distance, effort)?;
        Ok::<_, Error>(of_sum("fletcher-32", bytes)? / of_crc)
    };
    let [short, long] = [ratio(64, 6)?, ratio(1500, 4)?];
    Ok(claim(
        MAXINO,
        "The advantage of a CRC is greatest for short data.",
        holds(short > long),
        "Its Hamming distance grows towards short data, that of the sums stays 3.",
        format!(
            "at a bit error rate of {RATE:e} Fletcher-32 misses {short:.1e} times as much as \
             CRC-32C in 64 bytes, {long:.1e} times in 1500"
        ),
    ))
}

fn full_frames(effort: &Effort<'_>) -> Result<Claim, Error> {
    let crc = of_crc(&generator("crc-32c")?, 1500, 4, effort)?;
    let [fletcher, adler] = [of_sum("fletcher-32", 1500)?, of_sum("adler-32", 1500)?];
    Ok(claim(
        MAXINO,
        "Around the length of an Ethernet frame CRCs are much more effective than Fletcher's and \
         Adler's sums.",
        holds(fletcher.min(adler) > 10.0 * crc),
        "For independent wrong bits, at a rate at which most damaged frames have few of them.",
        format!(
            "1500 bytes at a bit error rate of {RATE:e}: CRC-32C misses {crc:.1e}, Fletcher-32 \
             {fletcher:.1e}, Adler-32 {adler:.1e}"
        ),
    ))
}
