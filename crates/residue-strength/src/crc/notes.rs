//! Known errors in published limits.

use super::Generator;

/// The polynomial in Koopman's notation, and a sentence.
const NOTES: [(u128, &str); 4] = [
    (
        0x8f6e_37a0,
        "HD 4 \"up to 131,072 bits\" (Sahu 2019, from Koopman 2002) is where the study's table \
         ended, not a limit. 5,275 bits for HD 6 (Castagnoli 1993, RFC 3385) are of the codeword: \
         5,243 of data and 32 of the CRC.",
    ),
    (0x8260_8edb, "Between HD 6 and HD 4 stands HD 5, which is often left out."),
    (
        0xba0d_c66b,
        "0xBA0DC66B is Koopman's notation; its normal notation is 0x741B8CD7. Read as normal it is \
         another polynomial.",
    ),
    (
        0x992c_1a4c,
        "32,737 bits for HD 6 (Koopman 2002) was a misprint of 32,738, which its author corrected \
         in 2014.",
    ),
];

/// Returns a note on comparing a polynomial's limits with the literature.
#[must_use]
pub fn notes(generator: &Generator) -> Option<&'static str> {
    let koopman = generator.koopman();
    (generator.width() == 32)
        .then(|| NOTES.iter().find(|(known, _)| *known == koopman).map(|(_, note)| *note))
        .flatten()
}
