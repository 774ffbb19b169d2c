use super::*;

const SIZE: usize = 16;

/// Bytes that go on counting from `first`.
fn counted(first: usize, count: usize) -> Vec<u8> {
    (first..first + count).map(|number| number as u8).collect()
}

/// A chunk that bytes were read to, at once or, if they are too many, one read behind the other.
fn chunk(place: usize, bytes: &[u8]) -> Chunk {
    let mut chunk = Chunk::new(SIZE).paged(place);
    let mut next = Chunk::new(SIZE).paged(place);
    let mut rest = bytes;
    while next.read(&mut rest).unwrap() {
        chunk.join(&mut next);
    }
    assert_eq!(chunk.used(), bytes);
    chunk
}

#[track_caller]
fn assert_holds(chunk: &Chunk) {
    assert!((SIZE..=SIZE + PAGE).contains(&chunk.page));
    assert!(chunk.page + SIZE <= chunk.bytes.len());
    assert!(chunk.start <= chunk.end && chunk.end <= chunk.bytes.len());
}

/// Every pair of places that a page can have, with a few in between for the first chunk.
#[test]
fn chunks_are_joined_wherever_their_pages_begin() {
    for own in [0, 1, SIZE, 2000, PAGE - 1, PAGE] {
        for other in 0..=PAGE {
            for left in [0, 1, SIZE - 1, SIZE, SIZE + 1, 5 * SIZE] {
                for count in [1, SIZE - 1, SIZE] {
                    let mut first = chunk(own, &counted(0, left));
                    let mut next = chunk(other, &counted(left, count));
                    first.join(&mut next);
                    assert_eq!(first.used(), counted(0, left + count), "{own} {other} {left}");
                    assert!(next.read(&mut &*counted(3, SIZE + 1)).unwrap());
                    assert_eq!(next.used(), counted(3, SIZE));
                    assert_holds(&first);
                    assert_holds(&next);
                }
            }
        }
    }
}

/// Used bytes before those that are left, in each step.
#[test]
fn chunks_are_joined_again_and_again() {
    for (own, other) in [(0, PAGE), (PAGE, 0), (1, 0), (0, 1), (7, 7)] {
        for most in 1..=SIZE {
            let mut first = chunk(own, &[]);
            let mut next = chunk(other, &[]);
            let (mut there, mut gone) = (0, 0);
            for step in 0..400 {
                let count = 1 + step * 7 % most;
                assert!(next.read(&mut &*counted(there, count)).unwrap());
                there += count;
                first.join(&mut next);
                assert_holds(&first);
                assert_eq!(first.used(), counted(gone, there - gone), "{own} {other} {most}");
                // A record of up to 90 bytes, now and then.
                if first.len() >= step % 90 {
                    let used = first.len() - step % 3 % (first.len() + 1);
                    first.start += used;
                    gone += used;
                }
            }
        }
    }
}

/// Chunks that go round do not keep the memory of a large record.
#[test]
fn a_chunk_that_is_read_to_again_gives_back_the_memory_of_a_large_record() {
    let mut large = chunk(5, &counted(0, 100 * (SIZE + PAGE)));
    assert!(large.bytes.len() > 100 * PAGE);
    assert!(large.read(&mut &[1][..]).unwrap());
    assert_eq!((large.used(), large.bytes.len()), (&[1][..], SIZE + PAGE + SIZE));
    assert_holds(&large);
}
