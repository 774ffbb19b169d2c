//! Claims about polynomials in the literature that the thesis cites.

use super::claim::{Claim, Verdict, claim, holds};
use crate::crc::{Distance, Generator, Profile};
use crate::field::Notation;
use crate::{Effort, Error, Kind};
use residue::Code;

const POLYNOMIALS: &str = "Polynomials (thesis 2.2 and 3.2, Castagnoli 1993, RFC 3385)";

/// Judges the claims.
pub(super) fn judge(effort: &Effort<'_>) -> Result<Vec<Claim>, Error> {
    let (castagnoli, _) = Generator::parse("normal:1edc6f41", None)?;
    Ok(vec![
        notations(&castagnoli)?,
        codewords(&castagnoli, effort),
        table(&castagnoli, effort),
        cost()?,
    ])
}

fn notations(castagnoli: &Generator) -> Result<Claim, Error> {
    const WRITTEN: [(Notation, u128); 4] = [
        (Notation::Normal, 0x1edc_6f41),
        (Notation::Reversed, 0x82f6_3b78),
        (Notation::Reciprocal, 0x05ec_76f1),
        (Notation::Koopman, 0x8f6e_37a0),
    ];
    let mut read = Vec::new();
    for (notation, value) in WRITTEN {
        let (generator, _) = Generator::parse(&format!("{}:{value:08x}", notation.name()), None)?;
        let same = generator == *castagnoli && castagnoli.write(notation) == value;
        read.push(format!("{} {value:08x} {same}", notation.name()));
    }
    Ok(claim(
        POLYNOMIALS,
        "CRC-32C's polynomial is 0x1EDC6F41 (normal), 0x82F63B78 (reversed), 0x05EC76F1 \
         (reciprocal) and 0x8F6E37A0 (reversed reciprocal).",
        holds(read.iter().all(|line| line.ends_with("true"))),
        "One polynomial, four ways to write it; the last is Koopman's. The reciprocal is the \
         mirrored polynomial, a generator of its own with the same distances and weights.",
        format!("written and read back: {}", read.join(", ")),
    ))
}

fn codewords(castagnoli: &Generator, effort: &Effort<'_>) -> Claim {
    let profile = Profile::to(castagnoli, 6, effort);
    let data =
        profile.limits.iter().find(|limit| limit.distance == 6).map_or(0, |limit| limit.data);
    let verdict = match data {
        5275 => Verdict::Holds,
        5243 => Verdict::Conditional,
        _ => Verdict::DoesNotHold,
    };
    claim(
        POLYNOMIALS,
        "CRC-32C has HD 6 up to 5,275 bits (Castagnoli, RFC 3385).",
        verdict,
        format!("Of the codeword: {data} bits of data and 32 of the CRC."),
        format!("HD 6 to {data} bits of data"),
    )
}

fn table(castagnoli: &Generator, effort: &Effort<'_>) -> Claim {
    let data = (1_u64 << 31) - 1 - 32;
    let profile = Profile::to(castagnoli, 4, effort);
    let holds_to = profile.limits.iter().find(|limit| limit.distance == 4);
    let four = holds_to.is_some_and(|limit| limit.data >= data && limit.kind == Kind::Exact);
    let next = Distance::new(castagnoli, data + 1, effort);
    claim(
        POLYNOMIALS,
        "CRC-32C has distance 3 at 2^31 - 1 bits (RFC 3385, the table at its end).",
        holds(!four),
        "4, as the RFC's own text says: x + 1 divides the generator, so that no odd number of \
         wrong bits is missed.",
        format!(
            "HD 4 to {data} bits of data, which are 2^31 - 1 with the CRC; one bit more and it is \
             {}",
            next.distance
        ),
    )
}

fn cost() -> Result<Claim, Error> {
    let named = |name: &str| {
        let code: Code = name.parse().map_err(|error| Error::Code(name.into(), error))?;
        let by_tables = |name: &str| name.contains("clmul") || name.contains("pmull");
        let names: Vec<&str> =
            code.kernels().map(|kernel| kernel.name).filter(|name| by_tables(name)).collect();
        Ok::<_, Error>(names)
    };
    let (koopman, ethernet) = (named("crc-32/mef")?, named("crc-32/iso-hdlc")?);
    let same = koopman.iter().all(|name| ethernet.contains(name)) && !koopman.is_empty();
    Ok(claim(
        POLYNOMIALS,
        "By carry-less multiplication Koopman's 0xBA0DC66B is dearer to compute.",
        if same { Verdict::Conditional } else { Verdict::DoesNotHold },
        "Dearer than CRC-32C by its instruction on short data, yes; not than any other CRC: \
         folding multiplies by constants, and costs the same with every polynomial. Long CRC-32C \
         is folded too.",
        format!(
            "CRC-32/MEF, by this polynomial, and Ethernet's CRC-32 run the same {} bodies of code, \
             with other constants: {}; `residue bench -a crc-32/mef,crc-32` times them",
            koopman.len(),
            koopman.join(", ")
        ),
    ))
}
