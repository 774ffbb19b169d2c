//! The kernel's BPF system: bpf(2) (linux/bpf.h).

use std::ffi::CString;
use std::io;
use std::mem::{size_of, size_of_val};
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

mod maps;
mod types;
pub(crate) use maps::*;
pub(crate) use types::*;

/// A command of bpf(2).
#[derive(Clone, Copy, Debug)]
#[repr(i64)]
enum Command {
    MapCreate = 0,
    MapLookup = 1,
    MapUpdate = 2,
    MapDelete = 3,
    MapNextKey = 4,
    ProgramLoad = 5,
    ObjectPin = 6,
    ObjectGet = 7,
    TestRun = 10,
    ObjectInfo = 15,
    TypesLoad = 18,
    TypesOpen = 19,
    TypesNext = 23,
    LinkCreate = 28,
    IteratorCreate = 33,
}

/// Calls bpf(2).
///
/// # Safety
///
/// `attributes` must be a prefix of `union bpf_attr` with the layout of the command, and its
/// pointers valid for what the command does with them.
unsafe fn bpf<T>(command: Command, attributes: &mut T) -> io::Result<i32> {
    // SAFETY: the pointer and the length are the attributes', and the caller vouches for the rest.
    let result = unsafe {
        libc::syscall(
            libc::SYS_bpf,
            command as libc::c_long,
            std::ptr::from_mut(attributes),
            size_of::<T>(),
        )
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result as i32) }
}

/// As [`bpf`], for commands that return a descriptor.
///
/// # Safety
///
/// As for [`bpf`].
unsafe fn descriptor<T>(command: Command, attributes: &mut T) -> io::Result<OwnedFd> {
    // SAFETY: the caller vouches for the attributes.
    let number = unsafe { bpf(command, attributes) }?;
    // SAFETY: the descriptor is open, and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// The name of an object, which the kernel limits to 15 characters.
fn name(text: &str) -> [u8; 16] {
    let mut name = [0; 16];
    for (to, from) in name[..15].iter_mut().zip(text.bytes()) {
        *to = from;
    }
    name
}

/// Kinds of programs (`enum bpf_prog_type`) with their attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Options of TCP headers, for the sockets of a cgroup.
    SocketOperations,
    /// Traffic control.
    Classifier,
    /// Received packets, in the driver.
    Xdp,
    /// Sockets, one after the other: the number of the iterator's type among those of the kernel.
    Iterator(u32),
}

/// Repeats a call that verifies a program, which the kernel ends with EAGAIN when a signal comes,
/// even one that only stops or continues the process.
fn uninterrupted<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    /// The next signal may come sooner than a verification ends, but not time after time.
    const ATTEMPTS: usize = 100;
    for _ in 0..ATTEMPTS {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            result => return result,
        }
    }
    let why = "signals ended each of 100 verifications of the program; try again when fewer come";
    Err(io::Error::new(io::ErrorKind::WouldBlock, why))
}

/// Loads a program, which may call functions of the module with these types. The error has the last
/// lines of the verifier's log.
pub(crate) fn load_program(
    text: &str,
    kind: Kind,
    instructions: &[u8],
    types: BorrowedFd,
    functions: &[u8],
    module: Option<BorrowedFd>,
) -> io::Result<OwnedFd> {
    #[repr(C)]
    struct Attributes {
        kind: u32,
        count: u32,
        instructions: u64,
        license: u64,
        log_level: u32,
        log_length: u32,
        log: u64,
        kernel_version: u32,
        flags: u32,
        name: [u8; 16],
        interface: u32,
        attachment: u32,
        types: u32,
        function_size: u32,
        functions: u64,
        function_count: u32,
        line_size: u32,
        lines: u64,
        line_count: u32,
        iterator: u32,
        attached: u32,
        relocations: u32,
        descriptors: u64,
    }
    const XDP_HAS_FRAGMENTS: u32 = 1 << 5;
    let (number, attachment, flags) = match kind {
        Kind::SocketOperations => (13, Attachment::SocketOperations as u32, 0),
        Kind::Classifier => (3, 0, 0),
        Kind::Xdp => (6, Attachment::Xdp as u32, XDP_HAS_FRAGMENTS),
        Kind::Iterator(_) => (26, Attachment::Iterator as u32, 0),
    };
    let license = c"Dual MIT/GPL";
    // At `MODULE`; the first place stands for the kernel itself.
    let descriptors = [0, module.map_or(0, |types| types.as_raw_fd())];
    let mut attributes = Attributes {
        kind: number,
        count: (instructions.len() / 8) as u32,
        instructions: instructions.as_ptr() as u64,
        license: license.as_ptr() as u64,
        log_level: 0,
        log_length: 0,
        log: 0,
        kernel_version: 0,
        flags,
        name: name(text),
        interface: 0,
        attachment,
        types: types.as_raw_fd() as u32,
        function_size: 8,
        functions: functions.as_ptr() as u64,
        function_count: (functions.len() / 8) as u32,
        line_size: 0,
        lines: 0,
        line_count: 0,
        iterator: if let Kind::Iterator(of) = kind { of } else { 0 },
        attached: 0,
        relocations: 0,
        // Kernels before 5.14 know no descriptors.
        descriptors: if module.is_some() { descriptors.as_ptr() as u64 } else { 0 },
    };
    // SAFETY: the layout is the command's. It reads the licence, a string that ends with a zero,
    // as many instructions and types of functions as there are, and the descriptors to which
    // instructions refer, `MODULE` at most.
    let error = match uninterrupted(|| unsafe { descriptor(Command::ProgramLoad, &mut attributes) })
    {
        Ok(program) => return Ok(program),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Err(error),
        Err(error) if error.raw_os_error() == Some(libc::EPERM) => return Err(error),
        Err(error) => error,
    };
    // Once more, to learn why.
    let mut log = vec![0_u8; 1 << 20];
    (attributes.log_level, attributes.log_length) = (1, log.len() as u32);
    attributes.log = log.as_mut_ptr() as u64;
    // SAFETY: as above; the log has as many bytes as the call may write.
    let again = uninterrupted(|| unsafe { descriptor(Command::ProgramLoad, &mut attributes) });
    if let Ok(program) = again {
        return Ok(program);
    }
    let log = String::from_utf8_lossy(log.split(|&byte| byte == 0).next().unwrap_or_default());
    let lines: Vec<&str> = log.lines().filter(|line| !line.starts_with("processed ")).collect();
    let why = lines.last().map(|line| format!(": {}", line.trim())).unwrap_or_default();
    // EACCES is the verifier's, not a lack of permission.
    let kind = match error.kind() {
        io::ErrorKind::PermissionDenied => io::ErrorKind::Unsupported,
        kind => kind,
    };
    Err(io::Error::new(kind, format!("the kernel refuses the program: {error}{why}")))
}

/// Runs a program with a packet, `repeat` times, for a program of tc as one that was merged of
/// segments with `merged` bytes of data; 0: not merged. Writes the packet into `output` as the
/// program left it, and returns the program's result and the duration of one run in nanoseconds.
pub(crate) fn test_run(
    program: BorrowedFd,
    packet: &[u8],
    repeat: u32,
    merged: u32,
    output: &mut Vec<u8>,
) -> io::Result<(u32, u32)> {
    /// Most bytes by which a program may enlarge a packet; with more, the call fails.
    const GROWTH: usize = 256;
    #[repr(C)]
    struct Attributes {
        program: u32,
        result: u32,
        input_length: u32,
        output_length: u32,
        input: u64,
        output: u64,
        repeat: u32,
        duration: u32,
        context_lengths: [u32; 2],
        context: u64,
        context_output: u64,
        flags: u32,
        cpu: u32,
    }
    // `struct __sk_buff`: number of segments, size of each.
    let mut context = [0_u32; 48];
    if merged > 0 {
        (context[41], context[44]) = ((packet.len() as u32).div_ceil(merged), merged);
    }
    output.resize(packet.len() + GROWTH, 0);
    let mut attributes = Attributes {
        program: program.as_raw_fd() as u32,
        result: 0,
        input_length: packet.len() as u32,
        output_length: output.len() as u32,
        input: packet.as_ptr() as u64,
        output: output.as_mut_ptr() as u64,
        repeat,
        duration: 0,
        context_lengths: [if merged > 0 { size_of_val(&context) as u32 } else { 0 }, 0],
        context: if merged > 0 { context.as_ptr() as u64 } else { 0 },
        context_output: 0,
        flags: 0,
        cpu: 0,
    };
    // SAFETY: the layout is the command's; input, output and context have these lengths.
    unsafe { bpf(Command::TestRun, &mut attributes) }?;
    output.truncate(attributes.output_length as usize);
    Ok((attributes.result, attributes.duration))
}

/// Attachments of links (`enum bpf_attach_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attachment {
    /// To a cgroup.
    SocketOperations = 3,
    /// To nothing: it runs when it is read.
    Iterator = 28,
    /// To an interface, in the driver.
    Xdp = 37,
    /// To an interface, received packets (Linux 6.6).
    Ingress = 46,
    /// To an interface, sent packets (Linux 6.6).
    Egress = 47,
}

/// Attaches a program to `target`: the index of an interface, or the descriptor of a cgroup.
pub(crate) fn attach(
    program: BorrowedFd,
    target: u32,
    attachment: Attachment,
) -> io::Result<OwnedFd> {
    #[repr(C)]
    struct Attributes {
        program: u32,
        target: u32,
        attachment: u32,
        flags: u32,
        unused: [u64; 4],
    }
    const XDP_DRIVER_MODE: u32 = 1 << 2;
    let mut attributes = Attributes {
        program: program.as_raw_fd() as u32,
        target,
        attachment: attachment as u32,
        flags: if attachment == Attachment::Xdp { XDP_DRIVER_MODE } else { 0 },
        unused: [0; 4],
    };
    // SAFETY: the layout is the command's, which takes no pointers for these attachments.
    unsafe { descriptor(Command::LinkCreate, &mut attributes) }
}

/// Runs an iterator over all that it iterates over, in this network namespace; returns the number
/// of bytes that it writes.
pub(crate) fn iterate(program: BorrowedFd) -> io::Result<u64> {
    #[repr(C)]
    struct Attributes {
        link: u32,
        flags: u32,
    }
    let link = attach(program, 0, Attachment::Iterator)?;
    let mut attributes = Attributes { link: link.as_raw_fd() as u32, flags: 0 };
    // SAFETY: the layout is the command's, which takes no pointers.
    let iterator = unsafe { descriptor(Command::IteratorCreate, &mut attributes) }?;
    io::copy(&mut std::fs::File::from(iterator), &mut io::sink())
}

#[repr(C)]
struct Pinned {
    path: u64,
    object: u32,
    flags: u32,
}

/// Pins a map, program or link.
pub(crate) fn pin(object: BorrowedFd, path: &Path) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let mut attributes =
        Pinned { path: path.as_ptr() as u64, object: object.as_raw_fd() as u32, flags: 0 };
    // SAFETY: the layout is the command's; the path ends with a zero.
    unsafe { bpf(Command::ObjectPin, &mut attributes) }.map(drop)
}

/// Opens a pinned map, program or link.
pub(crate) fn open(path: &Path) -> io::Result<OwnedFd> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let mut attributes = Pinned { path: path.as_ptr() as u64, object: 0, flags: 0 };
    // SAFETY: the layout is the command's; the path ends with a zero.
    unsafe { descriptor(Command::ObjectGet, &mut attributes) }
}

/// Reads the information about an object.
///
/// # Safety
///
/// `T` must be a prefix of the object's information, and its pointers valid for what the kernel
/// writes there.
unsafe fn read_information<T>(object: BorrowedFd, information: &mut T) -> io::Result<()> {
    #[repr(C)]
    struct Attributes {
        object: u32,
        length: u32,
        information: u64,
    }
    let mut attributes = Attributes {
        object: object.as_raw_fd() as u32,
        length: size_of::<T>() as u32,
        information: std::ptr::from_mut(information) as u64,
    };
    // SAFETY: the layout is the command's, which writes at most as many bytes as it is given; the
    // caller vouches for them.
    unsafe { bpf(Command::ObjectInfo, &mut attributes) }.map(drop)
}

/// Returns the information about a link or program: as many words as there are.
fn information<const N: usize>(object: BorrowedFd) -> io::Result<[u32; N]> {
    let mut words = [0; N];
    // SAFETY: words have no pointers, and zeros ask for no name and no code.
    unsafe { read_information(object, &mut words) }?;
    Ok(words)
}

/// Returns the number of a program.
pub(crate) fn number_of(program: BorrowedFd) -> io::Result<u32> {
    // `struct bpf_prog_info` begins with kind and number.
    information::<2>(program).map(|[_, number]| number)
}

/// Returns the index of the interface of a link of tc or XDP; 0: the interface was deleted, or the
/// link detached.
pub(crate) fn interface_of(link: BorrowedFd) -> io::Result<u32> {
    // `struct bpf_link_info`: kind, number, program, and the target from byte 16 on.
    information::<16>(link).map(|words| words[4])
}

/// Returns the number of the cgroup of a link.
pub(crate) fn cgroup_of(link: BorrowedFd) -> io::Result<u64> {
    let [.., low, high] = information::<6>(link)?.map(u32::to_ne_bytes);
    Ok(u64::from_ne_bytes([low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_repeated_after_signals_alone() {
        let mut left = 99;
        let result = uninterrupted(|| {
            left -= 1;
            if left > 0 { Err(io::Error::from_raw_os_error(libc::EAGAIN)) } else { Ok(left) }
        });
        assert_eq!(result.unwrap(), 0);
        let mut calls = 0;
        let mut count = |error| {
            let result: io::Result<()> = uninterrupted(|| {
                calls += 1;
                Err(io::Error::from_raw_os_error(error))
            });
            (std::mem::take(&mut calls), result.unwrap_err().to_string())
        };
        assert_eq!(count(libc::EACCES).0, 1);
        let (calls, why) = count(libc::EAGAIN);
        assert!(calls == 100 && why.starts_with("signals ended each of 100"), "{why}");
    }
}
