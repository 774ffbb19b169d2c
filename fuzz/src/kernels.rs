//! Target `kernels`.

use residue::{Code, batch, copy};

/// Returns the bytes at an offset from the start of memory that is no longer.
fn placed(bytes: &[u8], offset: usize) -> Box<[u8]> {
    let mut memory = vec![0; offset];
    memory.extend_from_slice(bytes);
    memory.into_boxed_slice()
}

/// Any bytes through every kernel of a code that runs here, in pieces, copied and in batches, in
/// memory that ends where the bytes do: a sanitizer sees each access beyond it.
pub fn kernels(input: &[u8]) {
    let Some((&[which, offset, cut], bytes)) = input.split_first_chunk::<3>() else { return };
    let names: Vec<&str> = Code::names().collect();
    let name = names[usize::from(which) % names.len()];
    let code: Code = name.parse().expect("a name of the list");
    let offset = usize::from(offset % 64);
    let memory = placed(bytes, offset);
    let data = &memory[offset..];
    let expected = code.reference(data);

    assert_eq!(code.value(data), expected, "{name}");
    for kernel in code.kernels().filter(|kernel| kernel.supported()) {
        let value = code.value_with(kernel.name, data).expect("a kernel that runs here");
        assert_eq!(value, expected, "{name} by {}", kernel.name);
    }

    let (first, second) = data.split_at(usize::from(cut).min(data.len()));
    let mut stream = code.stream();
    // Each in memory of its own.
    stream.update(&placed(first, 0));
    stream.update(&placed(second, 0));
    assert_eq!(stream.value(), expected, "{name} in pieces");

    let mut to = vec![0; offset + data.len()].into_boxed_slice();
    assert_eq!(copy::code(&code, data, &mut to[offset..]), expected, "{name} of a copy");
    assert_eq!(&to[offset..], data);

    let packets = [first, second, data, &[]].map(|packet| placed(packet, 0));
    let packets: Vec<&[u8]> = packets.iter().map(|it| &**it).collect();
    let mut values = vec![0; packets.len()];
    batch::each(&code, packets.as_slice(), &mut values).expect("as many values as packets");
    for (packet, value) in packets.iter().zip(values) {
        assert_eq!(value, code.reference(packet), "{name} in a batch");
    }
}
