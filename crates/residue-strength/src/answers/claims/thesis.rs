//! Claims of the thesis.

use super::claim::{Claim, Verdict, claim, holds};
use crate::codes::Undetected;
use crate::codes::additive::Additive;
use crate::crc::{Generator, Profile, Weights, Witness, named};
use crate::field::{Factor, factor, gf2};
use crate::sums::{self, Channel, burst};
use crate::{Effort, Error};
use num_bigint::BigUint;
use residue::crc::CRC_32C;

const DISTANCES: &str = "Thesis, Hamming distances (2.2, 3.2)";
const PROPERTIES: &str = "Thesis, properties (2.2, 3.1, 3.2)";

/// Judges the claims.
pub(super) fn judge(effort: &Effort<'_>) -> Result<Vec<Claim>, Error> {
    let mut all = profiles(effort)?;
    all.extend([
        weight_shares(),
        short_bursts()?,
        double_errors()?,
        product(),
        linear(),
        fletcher_share(),
        adler_share()?,
        transpositions()?,
        adler_units(),
        incremental(),
        factors_of_thousands()?,
        division(),
        single_errors(),
        odd_errors(effort)?,
        top_bits(),
        byte_order()?,
        word_order()?,
        words_before_a_fold(),
        prime_modulus(),
        random_damage()?,
    ]);
    Ok(all)
}

/// Returns the limit of a Hamming distance in a profile, with the error that proves it.
fn limit(profile: &Profile, distance: u32) -> Result<(u64, String), Error> {
    let limit = profile.limits.iter().find(|limit| limit.distance == distance);
    let Some(limit) = limit else { return Ok((0, String::new())) };
    let (name, code) = named("", &profile.generator);
    let error = Undetected::of_limit(limit, (&name, &code))?.map_or(String::new(), |error| {
        format!("; one bit beyond, {name} does not detect wrong bits in {}", error.text())
    });
    let text = format!("HD {distance} to {} bits ({}){error}", limit.data, limit.kind.name());
    Ok((limit.data, text))
}

fn profiles(effort: &Effort<'_>) -> Result<Vec<Claim>, Error> {
    let profile = |explicit: u128| {
        Generator::new(explicit)
            .map(|generator| Profile::new(&generator, effort))
            .map_err(|fault| Error::Polynomial { text: format!("{explicit:#x}"), fault })
    };
    let castagnoli = profile(0x1_1edc_6f41)?;
    let ethernet = profile(0x1_04c1_1db7)?;
    let koopman = profile(0x1_741b_8cd7)?;
    let mistaken = profile(0x1_ba0d_c66b)?;
    let (four, four_evidence) = limit(&castagnoli, 4)?;
    let (six, six_evidence) = limit(&castagnoli, 6)?;
    let [e4, e5, e6] = [limit(&ethernet, 4)?, limit(&ethernet, 5)?, limit(&ethernet, 6)?];
    let [k4, k6] = [limit(&koopman, 4)?, limit(&koopman, 6)?];
    let orders: Vec<String> =
        castagnoli.factors.iter().map(Factor::degree).map(|d| d.to_string()).collect();
    Ok(vec![
        claim(
            DISTANCES,
            "CRC-32C has HD 4 up to 131,072 bits.",
            if four > 131_072 { Verdict::Conditional } else { holds(four == 131_072) },
            format!(
                "HD 4 holds to {four} bits of data. 131,072 is where the cited table of 2002 ends."
            ),
            format!(
                "factors of degrees {}, order {}; {four_evidence}",
                orders.join(" and "),
                castagnoli.order
            ),
        ),
        claim(
            DISTANCES,
            "CRC-32C has HD 6 up to 5,243 bits.",
            holds(six == 5243),
            format!("HD 6 holds to {six} bits of data."),
            six_evidence,
        ),
        claim(
            DISTANCES,
            "IEEE 802.3 has HD 4 up to 91,607 bits and HD 6 up to 268.",
            holds(e4.0 == 91_607 && e6.0 == 268),
            format!("And HD 5 to {} bits.", e5.0),
            format!("{}; {}", e4.1, e6.1),
        ),
        claim(
            DISTANCES,
            "0xBA0DC66B has HD 6 up to 16,360 bits and HD 4 up to 114,663.",
            if k6.0 == 16_360 && k4.0 == 114_663 {
                Verdict::Conditional
            } else {
                Verdict::DoesNotHold
            },
            "In Koopman's notation, whose normal form is 0x741B8CD7.",
            format!(
                "{}; {}. Read as a normal polynomial it is another code: HD 4 to {} bits, HD 6 to \
                 {}",
                k6.1,
                k4.1,
                limit(&mistaken, 4)?.0,
                limit(&mistaken, 6)?.0
            ),
        ),
    ])
}

/// Counts the sum of A_w / C(n, w) for the parity bit.
fn weight_shares() -> Claim {
    let bits = 10u32;
    let (mut words, mut errors) = (vec![0u32; bits as usize + 1], vec![0u32; bits as usize + 1]);
    for error in 1u32..1 << bits {
        let weight = error.count_ones();
        errors[weight as usize] += 1;
        words[weight as usize] += u32::from(weight.is_multiple_of(2));
    }
    let shares = words.iter().zip(&errors).skip(1).map(|(&a, &c)| f64::from(a) / f64::from(c));
    let sum: f64 = shares.sum();
    claim(
        PROPERTIES,
        "P_ud is the sum of HW_w / C(n, w) over all w.",
        holds(sum <= 1.0),
        "Each term is the undetected share of errors of w bits (`residue strength weights` \
         prints it). A probability needs the bit error rate e: the sum of HW_w e^w (1-e)^(n-w).",
        format!("for a parity bit and n = {bits} the printed sum is {sum}, more than 1"),
    )
}

fn short_bursts() -> Result<Claim, Error> {
    let code = Additive::named("crc-16/xmodem")?;
    let (k, one_more) = (burst(&code, 16), burst(&code, 17));
    Ok(claim(
        PROPERTIES,
        "A CRC of k bits detects all bursts of fewer than k bits.",
        if k.all_seen { Verdict::Conditional } else { Verdict::DoesNotHold },
        "Of k bits and fewer. Of k + 1 bits one pattern is missed in 2^(k-1).",
        format!(
            "CRC-16/XMODEM misses none of 16 bits and 2^{} of those of 17",
            one_more.mean.log2()
        ),
    ))
}

fn double_errors() -> Result<Claim, Error> {
    let fault = |fault| Error::Polynomial { text: "0x18005".into(), fault };
    let generator = Generator::new(0x1_8005).map_err(fault)?;
    let order = factor::order(&factor::factors(generator.explicit()));
    let witness = Witness::new(&generator, &[0, order]);
    Ok(claim(
        PROPERTIES,
        "A generator of three or more terms detects all double errors.",
        if witness.is_some() { Verdict::Conditional } else { Verdict::Holds },
        "As long as the codeword is no longer than the generator's order.",
        format!("x^16 + x^15 + x^2 + 1 has four terms and does not see two bits {order} apart"),
    ))
}

fn product() -> Claim {
    const G: u128 = 0x1_1edc_6f41;
    let mut random = fastrand::Rng::with_seed(1);
    let mut same = 0;
    for _ in 0..1000 {
        let pieces: [[u8; 4]; 3] = std::array::from_fn(|_| random.u32(..).to_be_bytes());
        let values = pieces.map(|piece| u128::from(residue::crc32c(&piece)));
        let product = values.into_iter().fold(1, |product, value| gf2::multiply(product, value, G));
        same += u32::from(product == u128::from(residue::crc32c(&pieces.concat())));
    }
    claim(
        PROPERTIES,
        "crc(a.b.c) is the product of crc(a), crc(b) and crc(c).",
        holds(same == 1000),
        "Concatenation shifts: crc(a.b) is crc(a) x^|b| + crc(b) for init and xorout of 0. \
         Products of remainders belong to products of polynomials, which no message is.",
        format!("CRC-32C of 1000 random triples: equal {same} times"),
    )
    .sampled()
}

fn linear() -> Claim {
    let mut random = fastrand::Rng::with_seed(2);
    let mut same = [0; 2];
    for _ in 0..1000 {
        let [a, b, c]: [[u8; 16]; 3] = std::array::from_fn(|_| random.u128(..).to_be_bytes());
        let xor = |a: [u8; 16], b: [u8; 16]| -> [u8; 16] { std::array::from_fn(|i| a[i] ^ b[i]) };
        let crc = |data: [u8; 16]| residue::crc32c(&data);
        same[0] += u32::from(crc(xor(a, b)) == crc(a) ^ crc(b));
        same[1] += u32::from(crc(xor(xor(a, b), c)) == crc(a) ^ crc(b) ^ crc(c));
    }
    claim(
        PROPERTIES,
        "crc(a ^ b ^ c) = crc(a) ^ crc(b) ^ crc(c).",
        if same == [0, 1000] { Verdict::Conditional } else { holds(same == [1000; 2]) },
        "For data of one length; and for an odd number of them, unless init and xorout are 0.",
        format!("CRC-32C of 1000 random triples: three {} times, two {} times", same[1], same[0]),
    )
    .sampled()
}

fn fletcher_share() -> Claim {
    let ideal = 65535f64.powi(-2);
    claim(
        PROPERTIES,
        "Fletcher-32 misses 2^-32 of errors.",
        Verdict::Conditional,
        format!(
            "1/65535^2 = {ideal:.5e}, on uniform data. On others it may miss everything: 0000 and \
             FFFF are the same to it."
        ),
        format!(
            "2^-32 is {:.5e}; fletcher32 of 00 00 and of ff ff: {:08x}, {:08x}",
            2f64.powi(-32),
            residue::fletcher32(&[0, 0]),
            residue::fletcher32(&[255, 255])
        ),
    )
}

fn adler_share() -> Result<Claim, Error> {
    let share = burst(&Additive::named("adler-32")?, 33).mean;
    Ok(claim(
        PROPERTIES,
        "Adler-32 misses 2^-32 of errors.",
        Verdict::DoesNotHold,
        "65521^2 values, and short data reach few of them: of 128 bytes A is at most 32,641 and \
         never wraps (RFC 3309).",
        format!(
            "of bursts of 33 bits in uniform data it misses {share:.3e}; A of 128 bytes of FF is \
             {}",
            residue::adler32(&[0xff; 128]) & 0xffff
        ),
    ))
}

fn transpositions() -> Result<Claim, Error> {
    let mut data = vec![0u8; 86];
    (data[0], data[85]) = (3, 6);
    let mut swapped = data.clone();
    swapped.swap(0, 85);
    let same = residue::fletcher16(&data) == residue::fletcher16(&swapped);
    let share =
        sums::swapped(&Additive::named("fletcher-16")?, 1500).map_or(0.0, |share| share.share);
    Ok(claim(
        PROPERTIES,
        "Fletcher's checksum detects transpositions.",
        if same { Verdict::Conditional } else { Verdict::Holds },
        "Unless distance times difference is a multiple of the modulus, which is 3 5 17 (and 257).",
        format!(
            "an exchange of bytes 3 and 6 at a distance of 85 is undetected; of all exchanges in \
             1500 bytes, a share of {share:.5}"
        ),
    ))
}

fn adler_units() -> Claim {
    let [a, b] = [[1, 0], [0, 1]].map(|data: [u8; 2]| residue::adler32(&data) & 0xffff);
    claim(
        PROPERTIES,
        "Adler-32 works on blocks of 16 bits.",
        holds(a != b),
        "On bytes.",
        format!("A of 01 00 and of 00 01 is {a} and {b}; of 16-bit blocks they would differ"),
    )
}

fn incremental() -> Claim {
    let mut data = vec![0x5a; 1 << 20];
    let before = CRC_32C.checksum(&data);
    let updated = CRC_32C.update(before, data.len() as u64, 1000, &[0x5a; 4], b"abcd");
    data[1000..1004].copy_from_slice(b"abcd");
    let same = updated == Some(CRC_32C.checksum(&data));
    claim(
        PROPERTIES,
        "A CRC cannot be updated incrementally (IEN 45).",
        holds(!same),
        "It can, from the changed bytes and their place alone: it is linear.",
        "CRC-32C of 1 MiB after four bytes changed, from these four bytes: the same as computed \
         anew",
    )
}

fn factors_of_thousands() -> Result<Claim, Error> {
    let data = 12_000;
    let sum = |name: &str| {
        let code = Additive::named(name)?;
        let verified = sums::distance(&code)?.is_some_and(|distance| distance.three.is_some());
        let share = Channel::new(&code, data / 8).and_then(|channel| channel.share(3));
        // Of the bits of the data, n over 3.
        let n = data as f64;
        Ok::<_, Error>((verified, share.unwrap_or(0.0) * n * (n - 1.0) * (n - 2.0) / 6.0))
    };
    let ((of_fletcher, fletcher), (of_adler, adler)) = (sum("fletcher-32")?, sum("adler-32")?);
    let fault = |fault| Error::Polynomial { text: "0x11edc6f41".into(), fault };
    let generator = Generator::new(0x1_1edc_6f41).map_err(fault)?;
    let weights = Weights::new(&generator, data as u64, Some(4), &Effort::new())?;
    let four: f64 =
        weights.counts.get(4).and_then(|count| count.to_string().parse().ok()).unwrap_or(f64::NAN);
    let [fletcher, adler] = [fletcher, adler].map(|three| three / four);
    Ok(claim(
        PROPERTIES,
        "CRC-32C is 12,000 times as strong as Fletcher-32 and 22,000 times as strong as Adler-32 \
         (RFC 3385).",
        if of_fletcher && of_adler { Verdict::DoesNotHold } else { Verdict::Holds },
        "There is no such factor: at a small bit error rate e the sums miss in proportion to e^3 \
         and CRC-32C to e^4, so the quotient is proportional to 1/e. The RFC gives no rate and no \
         length.",
        format!(
            "three wrong bits that neither sum sees; and in {data} bits of uniform data the first \
             terms stand as {fletcher:.2}/e and {adler:.2}/e to 1, so that the factors are those \
             of e = {:.1e} and {:.1e}",
            fletcher / 12_000.0,
            adler / 22_000.0
        ),
    ))
}

fn division() -> Claim {
    let (quotient, remainder) = gf2::divide(0b1101_0101 << 3, 0b1011);
    claim(
        PROPERTIES,
        "11010101 000 divided by 1011 is 1111011, remainder 010.",
        holds(quotient == 0b111_1011 && remainder == 0b010),
        format!("The quotient is {quotient:08b}, the remainder {remainder:03b}."),
        "the division",
    )
}

/// Returns the register after `value` is multiplied by x.
fn times_x(value: u128, generator: &Generator) -> u128 {
    let shifted = value << 1;
    if shifted >> generator.width() == 0 { shifted } else { shifted ^ generator.explicit() }
}

fn single_errors() -> Claim {
    let known: Vec<Generator> =
        Generator::known().into_iter().filter(|generator| generator.width() <= 64).collect();
    let detects = |generator: &&Generator| {
        let mut power = 1;
        (0..1 << 16).all(|_| {
            power = times_x(power, generator);
            power != 0
        })
    };
    let seen = known.iter().filter(detects).count();
    claim(
        PROPERTIES,
        "A generator with the terms x^k and 1 detects all single errors.",
        holds(seen == known.len()),
        "Any generator of two or more terms does, at every length: a power of x has no other \
         divisors than powers of x.",
        format!(
            "no power of x up to x^65536 is a multiple of {seen} of {} generators",
            known.len()
        ),
    )
}

fn odd_errors(effort: &Effort<'_>) -> Result<Claim, Error> {
    let mut odd = Vec::new();
    for (name, data) in [("crc-8/smbus", 64), ("crc-32c", 20)] {
        let (generator, _) = Generator::parse(name, None)?;
        let weights = Weights::new(&generator, data, None, effort)?;
        let of_odd = weights.counts.iter().skip(1).step_by(2).cloned().sum::<BigUint>();
        odd.push((format!("{name} in {data} bits of data: {of_odd}"), of_odd));
    }
    let list: Vec<&str> = odd.iter().map(|(text, _)| text.as_str()).collect();
    Ok(claim(
        PROPERTIES,
        "A generator with the factor x + 1 detects any odd number of errors.",
        holds(odd.iter().all(|(_, count)| *count == BigUint::ZERO)),
        "At every length: each multiple of x + 1 has an even number of terms.",
        format!("undetected errors of odd weight, all counted: {}", list.join("; ")),
    ))
}

fn top_bits() -> Claim {
    let (before, after) = ([0u8; 4], [0x80, 0, 0x80, 0]);
    let twos = |data: &[u8; 4]| {
        let word = |at: usize| u16::from_be_bytes([data[at], data[at + 1]]);
        word(0).wrapping_add(word(2))
    };
    let internet = residue::internet::checksum(&before) != residue::internet::checksum(&after);
    claim(
        PROPERTIES,
        "One's complement detects flips of two zeros or two ones in the top bit, two's complement \
         does not.",
        holds(internet && twos(&before) == twos(&after)),
        "2^15 + 2^15 is 0 modulo 2^16 and 1 modulo 2^16 - 1.",
        format!(
            "00 00 00 00 and 80 00 80 00: two's complement {:04x} and {:04x}, Internet checksum \
             {:04x} and {:04x}",
            twos(&before),
            twos(&after),
            residue::internet::checksum(&before),
            residue::internet::checksum(&after)
        ),
    )
}

/// Counts the random data of 64 bytes for which `same` holds of a code's values before and after a
/// change, of [`TRIED`].
fn tried(
    name: &str,
    change: fn(&[u8]) -> Vec<u8>,
    same: fn(u32, u32) -> bool,
) -> Result<u32, Error> {
    let code = Additive::named(name)?;
    let mut random = fastrand::Rng::with_seed(5);
    let mut count = 0;
    for _ in 0..TRIED {
        let mut data = [0; 64];
        random.fill(&mut data);
        count += u32::from(same(code.value(&data), code.value(&change(&data))));
    }
    Ok(count)
}

const TRIED: u32 = 1000;

fn byte_order() -> Result<Claim, Error> {
    let change = |data: &[u8]| data.chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
    let swapped = |one: u32, other: u32| one as u16 == (other as u16).swap_bytes();
    let of = |name| tried(name, change, swapped);
    let (ones, twos) = (of("internet")?, of("sum-16")?);
    Ok(claim(
        PROPERTIES,
        "Big- and little-endian machines compute the same one's-complement sum, with its bytes \
         swapped; not so of two's complement.",
        holds(ones == TRIED && twos < TRIED),
        "To swap the bytes of a word is to multiply it by 256 modulo 65535.",
        format!(
            "{TRIED} random data: the Internet checksum of the data with swapped bytes is the \
             swapped one {ones} times, sum-16 {twos} times"
        ),
    )
    .sampled())
}

fn word_order() -> Result<Claim, Error> {
    let change = |data: &[u8]| [&data[32..], &data[..32]].concat();
    let of = |name| tried(name, change, |one, other| one == other);
    let (ones, twos, fletcher) = (of("internet")?, of("sum-16")?, of("fletcher-32")?);
    Ok(claim(
        PROPERTIES,
        "A change of the order of the data does not affect one's- and two's-complement sums; \
         Fletcher's checksum detects it.",
        holds(ones == TRIED && twos == TRIED && fletcher == 0),
        "Of the order of whole words. An exchange of bytes within a word, or an odd shift, does \
         affect them.",
        format!(
            "both halves of 64 random bytes exchanged, {TRIED} times: undetected {ones} times by \
             the Internet checksum, {twos} by sum-16, {fletcher} by Fletcher-32"
        ),
    )
    .sampled())
}

fn words_before_a_fold() -> Claim {
    // Sums of 32 bits, from these, of words FFFF.
    let most = |[a, b]: [u64; 2]| {
        let (mut a, mut b) = (a, b);
        (0..)
            .take_while(|_| {
                a += 0xffff;
                b += a;
                b <= u64::from(u32::MAX)
            })
            .count()
    };
    // The most that a fold leaves after 360 words: of A, whose upper half is at most 361, and of B.
    let folded = [0xffff + 361, 0x1fffe];
    let (zero, fold) = (most([0; 2]), most(folded));
    claim(
        PROPERTIES,
        "Fletcher-32's sums of 32 bits do not overflow before 360 words are added.",
        holds(zero >= 360 && fold >= 360),
        "From zero one more can be added, after a fold exactly 360.",
        format!("words FFFF: {zero} from zero, {fold} after a fold"),
    )
}

fn prime_modulus() -> Claim {
    let (zeros, ones) = ([0u8; 4], [0xff; 4]);
    let fletcher = [&zeros, &ones].map(|data| residue::fletcher32(data));
    let adler = [&zeros, &ones].map(|data| residue::adler32(data));
    claim(
        PROPERTIES,
        "Adler-32's prime modulus catches patterns that Fletcher-32 misses.",
        holds(fletcher[0] == fletcher[1] && adler[0] != adler[1]),
        "It does: FF bytes in the place of 00. It misses more of others, as above.",
        format!(
            "four bytes 00 and FF: Fletcher-32 {:08x} and {:08x}, Adler-32 {:08x} and {:08x}",
            fletcher[0], fletcher[1], adler[0], adler[1]
        ),
    )
}

fn random_damage() -> Result<Claim, Error> {
    let [sum, crc] = [1.0 / Additive::named("internet")?.elements(), 2f64.powi(-32)];
    Ok(claim(
        PROPERTIES,
        "CRC-32C misses about 2^-32 of errors, the 16-bit one's-complement checksum 2^-16.",
        Verdict::Conditional,
        "Of random damage. Of two wrong bits a CRC misses none up to its limit, and the sum one in \
         32; of swapped words the sum misses all.",
        format!(
            "1 / (number of values): {crc:.3e} and {sum:.3e}; two wrong bits in 1500 bytes: {:.3e} \
             by the sum",
            sums::two_bits(&Additive::named("internet")?, 1500).share
        ),
    ))
}
