//! Counts the messages that are independent of the others: only their values are information about
//! a linear code, as the other values follow from them.

/// The number of different messages that are counted: more would add information, but are left
/// out.
pub(in crate::identify) const MOST_COUNTED: usize = 128;

/// Returns how many of the messages are independent for affine maps of their bits over GF(2), with
/// any value for each length; at most [`MOST_COUNTED`] messages are counted, the others are left
/// out.
///
/// Bits are counted from the end, as a CRC does: what comes before a message is part of the value
/// for its length.
pub(in crate::identify) fn over_bits(messages: &[&[u8]]) -> usize {
    independent(messages).len()
}

/// Returns the places of the messages that [`over_bits`] counts: of each set of dependent ones, the
/// last is left out.
pub(in crate::identify) fn independent(messages: &[&[u8]]) -> Vec<usize> {
    let messages = &messages[..messages.len().min(MOST_COUNTED)];
    // Columns of the matrix with a row for each message: bit i is that of message i.
    let mut basis: Vec<Option<u128>> = vec![None; messages.len()];
    let mut rank = 0;
    let mut insert = |mut column: u128| {
        while column != 0 {
            let slot = &mut basis[column.trailing_zeros() as usize];
            match slot {
                Some(other) => column ^= *other,
                None => {
                    *slot = Some(column);
                    rank += 1;
                    break;
                }
            }
        }
        rank == messages.len()
    };
    let mut full = lengths(messages)
        .map(|length| {
            let like = |(i, message): (usize, &&[u8])| u128::from(message.len() == length) << i;
            insert(messages.iter().enumerate().map(like).sum())
        })
        .fold(false, |_, full| full);
    let longest = messages.iter().map(|message| message.len()).max().unwrap_or(0);
    for back in 1..=longest {
        if full {
            break;
        }
        let mut columns = [0_u128; 8];
        for (i, message) in messages.iter().enumerate() {
            let byte = message.len().checked_sub(back).map_or(0, |at| message[at]);
            for (bit, column) in columns.iter_mut().enumerate() {
                *column |= u128::from(byte >> bit & 1) << i;
            }
        }
        for column in columns {
            full = insert(column);
        }
    }
    (0..messages.len()).filter(|&i| basis[i].is_some()).collect()
}

/// Returns the different lengths.
fn lengths(messages: &[&[u8]]) -> impl Iterator<Item = usize> {
    let mut lengths: Vec<usize> = messages.iter().map(|message| message.len()).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths.into_iter()
}

/// The prime modulo which ranks of integers are computed.
const PRIME: u64 = (1 << 61) - 1;

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn power(a: u64, n: u64) -> u64 {
    (0..64).rev().fold(1, |power, bit| {
        let square = times(power, power);
        if n >> bit & 1 == 1 { times(square, a) } else { square }
    })
}

/// Returns how many of the messages are independent for affine maps of their bytes as numbers, with
/// any value for each length; at most [`MOST_COUNTED`] messages are counted.
pub(in crate::identify) fn over_bytes(messages: &[&[u8]]) -> usize {
    let messages = &messages[..messages.len().min(MOST_COUNTED)];
    // Columns, the first entry that is not zero being 1, by its place.
    let mut basis: Vec<Option<Vec<u64>>> = vec![None; messages.len()];
    let mut rank = 0;
    let mut insert = |mut column: Vec<u64>| {
        for i in 0..column.len() {
            if column[i] == 0 {
                continue;
            }
            let Some(other) = &basis[i] else {
                let inverse = power(column[i], PRIME - 2);
                basis[i] = Some(column.iter().map(|&entry| times(entry, inverse)).collect());
                rank += 1;
                break;
            };
            let factor = PRIME - column[i];
            for (entry, &own) in column.iter_mut().zip(other) {
                *entry = (*entry + times(own, factor)) % PRIME;
            }
        }
        rank == messages.len()
    };
    let mut full = lengths(messages)
        .map(|length| insert(messages.iter().map(|it| u64::from(it.len() == length)).collect()))
        .fold(false, |_, full| full);
    let longest = messages.iter().map(|message| message.len()).max().unwrap_or(0);
    let mut before: Vec<u64> = Vec::new();
    for back in 1..=longest {
        if full {
            break;
        }
        let byte = |message: &&[u8]| {
            message.len().checked_sub(back).map_or(0, |at| u64::from(message[at]))
        };
        let column: Vec<u64> = messages.iter().map(byte).collect();
        // Long runs of equal bytes cost nothing.
        if column != before {
            full = insert(column.clone());
            before = column;
        }
    }
    rank
}

/// Returns how many of the messages are different.
pub(in crate::identify) fn different(messages: &[&[u8]]) -> usize {
    let mut messages = messages[..messages.len().min(MOST_COUNTED)].to_vec();
    messages.sort_unstable();
    messages.dedup();
    messages.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_testing::Random;

    fn ranks(messages: &[Vec<u8>]) -> (usize, usize, usize) {
        let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        (over_bits(&messages), over_bytes(&messages), different(&messages))
    }

    #[test]
    fn counters_are_few_independent_messages() {
        // The first message, and one for each bit, or one for the step.
        let counter = |count: u8| (0..count).map(|i| vec![7, 9, i, 1]).collect::<Vec<_>>();
        assert_eq!(ranks(&counter(1)), (1, 1, 1));
        assert_eq!(ranks(&counter(2)), (2, 2, 2));
        assert_eq!(ranks(&counter(4)), (3, 2, 4));
        assert_eq!(ranks(&counter(100)), (8, 2, 100));
        // Two bytes that change together are no more than one.
        let twice: Vec<Vec<u8>> = (0..50).map(|i| vec![i, 0, 255 - i]).collect();
        assert_eq!(ranks(&twice), (7, 2, 50));
        let twice: Vec<Vec<u8>> = (0..50_u8).map(|i| vec![i, 0, i.wrapping_mul(i)]).collect();
        assert_eq!(ranks(&twice).1, 3);
        assert_eq!(ranks(&[vec![5; 9], vec![5; 9]]), (1, 1, 1));
        assert_eq!(ranks(&[]), (0, 0, 0));
    }

    #[test]
    fn random_messages_and_lengths_are_independent() {
        let mut random = Random(3);
        let equal: Vec<Vec<u8>> = (0..40).map(|_| random.bytes(64)).collect();
        assert_eq!(ranks(&equal), (40, 40, 40));
        let zeros: Vec<Vec<u8>> = (0..40).map(|length| vec![0; length]).collect();
        assert_eq!(ranks(&zeros), (40, 40, 40));
        let many: Vec<Vec<u8>> = (0..300).map(|_| random.bytes(90)).collect();
        // As numbers they have 90 dimensions, and one for their length.
        assert_eq!(ranks(&many), (MOST_COUNTED, 91, MOST_COUNTED));
    }

    #[test]
    fn the_first_of_dependent_messages_stay() {
        let messages: Vec<[u8; 2]> = vec![[1, 1], [1, 2], [1, 3], [1, 0], [9, 1], [9, 3]];
        let messages: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
        // [1, 0] is the sum of the three before it.
        assert_eq!(independent(&messages), [0, 1, 2, 4]);
    }
}
