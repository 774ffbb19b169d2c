//! Requests to a running guard: its status, and that it forgets failed destinations.
//!
//! The guard listens on a Unix socket in a folder that only its own user may enter, and both ends
//! ask the kernel for the other's user: it must be root, or the same. An abstract socket would
//! leave nothing behind, but any user of the network namespace can take its name first, or connect
//! to it. Forgetting is a request, not a signal: a signal needs the number of a process, and a
//! number that came from elsewhere may be any process's.
//!
//! The name of the socket holds the identity of the network namespace, as all namespaces of a host
//! may share the folder. A killed guard leaves the file. The next one finds that nobody listens
//! there, and takes its place; a lock of the folder makes that one step.
//!
//! The packet thread serves one peer at a time, and does one step of that in each turn, so that
//! requests delay neither packets nor signals.

use super::folder::Folder;
use super::status::Status;
use crate::sys::local::{Peer, connect, peer, user};
use serde::Serialize;
use serde_json::Value;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};

/// Largest size of an answer, which has some kilobytes.
const LONGEST: usize = 1 << 20;
/// Time limit for a whole answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time limit for a request to come, after its peer has connected.
const LATE: Duration = Duration::from_secs(1);

/// A request to a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    Status,
    Forget,
}

impl Request {
    const ALL: [Request; 2] = [Request::Status, Request::Forget];

    /// Returns the request as it is sent.
    fn line(self) -> &'static [u8] {
        match self {
            Request::Status => b"status\n",
            Request::Forget => b"forget\n",
        }
    }
}

/// Returns the name of the socket for this network namespace.
fn name() -> io::Result<String> {
    let namespace = fs::metadata("/proc/self/ns/net")?;
    Ok(format!("guard-{:x}-{}.socket", namespace.dev(), namespace.ino()))
}

/// Returns whether a process may ask the guard, or answer for it.
fn is_trusted(peer: Peer) -> bool {
    peer.user == 0 || peer.user == user()
}

/// The socket of a running guard.
#[derive(Debug)]
pub(super) struct Door {
    folder: Folder,
    name: String,
    listener: UnixListener,
    /// The peer whose request has not come yet.
    guest: Option<(UnixStream, Instant)>,
}

impl Door {
    /// Listens for requests.
    ///
    /// # Errors
    ///
    /// If a guard runs in this network namespace already, or there is no folder for the socket.
    pub fn open() -> io::Result<Door> {
        Door::in_folder(Folder::create()?, name()?)
    }

    fn in_folder(folder: Folder, name: String) -> io::Result<Door> {
        folder.lock()?;
        let place = folder.within(&name);
        if let Ok(stream) = connect(&place, PATIENCE)
            && peer(&stream).is_ok_and(is_trusted)
        {
            let words =
                "a guard runs in this network namespace already (see `residue guard status`)";
            return Err(io::Error::new(io::ErrorKind::AddrInUse, words));
        }
        match fs::remove_file(&place) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&place)?;
        listener.set_nonblocking(true)?;
        folder.unlock()?;
        Ok(Door { folder, name, listener, guest: None })
    }

    /// Does one step: accepts a peer, or reads a request, which the caller then answers.
    pub fn step(&mut self) -> Option<Request> {
        let Some((stream, _)) = &mut self.guest else {
            self.guest = self.accept();
            return None;
        };
        let mut bytes = [0; 16];
        let request = match stream.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return None,
            Err(_) => None,
            // A request is short enough to come at once.
            Ok(count) => Request::ALL.into_iter().find(|each| each.line() == &bytes[..count]),
        };
        if request.is_none() {
            self.guest = None;
        }
        request
    }

    fn accept(&self) -> Option<(UnixStream, Instant)> {
        let (stream, _) = self.listener.accept().ok()?;
        stream.set_nonblocking(true).ok()?;
        peer(&stream).is_ok_and(is_trusted).then(|| (stream, Instant::now()))
    }

    /// Answers the request that was returned last.
    pub fn answer(&mut self, answer: &impl Serialize) {
        if let Some((mut stream, _)) = self.guest.take() {
            // It fits into the buffer of the socket: the guard does not wait for a reader.
            let _ = stream.write_all(&serde_json::to_vec(answer).unwrap_or_default());
        }
    }

    /// Leaves a peer whose request has not come in time.
    pub fn dismiss_late(&mut self) {
        self.guest.take_if(|(_, since)| since.elapsed() > LATE);
    }
}

impl AsFd for Door {
    /// Becomes readable when there is a step to do.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.guest.as_ref().map_or(self.listener.as_fd(), |(stream, _)| stream.as_fd())
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        // Before the listener ends, so that no other guard has taken the place.
        let _ = fs::remove_file(self.folder.within(&self.name));
    }
}

/// Sends a request to the guard in the current network namespace; `None`: there is no guard.
fn request(request: Request) -> io::Result<Option<(Peer, Value)>> {
    let Some(folder) = Folder::find()? else { return Ok(None) };
    let name = name()?;
    let end = Instant::now() + PATIENCE;
    let stream = match connect(&folder.within(&name), PATIENCE) {
        Ok(stream) => stream,
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
            ) =>
        {
            return Ok(None);
        }
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Err(late()),
        Err(error) => return Err(error),
    };
    let peer = peer(&stream)?;
    if !is_trusted(peer) {
        let path = folder.path(&name);
        let words = format!(
            "the socket {} belongs to a process of user {}, which is no guard of this user; \
             remove it",
            path.display(),
            peer.user
        );
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, words));
    }
    let text = exchange(stream, request, end)?;
    let answer = serde_json::from_slice(&text);
    answer.map(|answer| Some((peer, plain(answer)))).map_err(not_understood)
}

fn late() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the guard does not answer")
}

fn not_understood(error: serde_json::Error) -> io::Error {
    io::Error::other(format!("the guard's answer: {error}"))
}

/// Sends a request, and returns the whole answer. All of it must come until `end`.
fn exchange(mut stream: UnixStream, request: Request, end: Instant) -> io::Result<Vec<u8>> {
    stream.write_all(request.line())?;
    let (mut text, mut bytes) = (Vec::new(), [0; 4096]);
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(late());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut bytes) {
            Ok(0) => return Ok(text),
            Ok(count) => text.extend_from_slice(&bytes[..count]),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) => {}
            Err(error) => return Err(error),
        }
        if text.len() > LONGEST {
            return Err(io::Error::other("the guard's answer is too long"));
        }
    }
}

/// Escapes control characters in all strings, as they are printed on terminals.
fn plain(value: Value) -> Value {
    match value {
        Value::String(text) if text.contains(char::is_control) => {
            let escape = |c: char| {
                if c.is_control() { c.escape_default().to_string() } else { c.to_string() }
            };
            Value::String(text.chars().map(escape).collect())
        }
        Value::Array(values) => values.into_iter().map(plain).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, plain(value))).collect()
        }
        other => other,
    }
}

/// Requests the status of the guard in the current network namespace; `None` if there is none.
/// The number of the process is the kernel's, and 0 if that process is in a PID namespace that is
/// not visible here. Control characters in strings are escaped.
///
/// # Errors
///
/// If the guard does not answer within 5 seconds, or with an invalid status; if its folder is
/// another user's, or the socket in it.
pub fn ask() -> io::Result<Option<Status>> {
    let Some((peer, answer)) = request(Request::Status)? else { return Ok(None) };
    let status: Status = serde_json::from_value(answer).map_err(not_understood)?;
    Ok(Some(Status { process: peer.process, ..status }))
}

/// Makes the guard in the current network namespace forget the destinations for which a value
/// failed; returns for how many. `None`: there is no guard.
///
/// # Errors
///
/// As for [`ask`].
pub fn forget() -> io::Result<Option<usize>> {
    let Some((_, answer)) = request(Request::Forget)? else { return Ok(None) };
    serde_json::from_value(answer).map(Some).map_err(not_understood)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::os::unix::fs::PermissionsExt as _;

    /// A byte from time to time keeps no client waiting.
    #[test]
    fn one_deadline_is_for_the_whole_answer() {
        let (own, mut other) = UnixStream::pair().unwrap();
        let sender = std::thread::spawn(move || {
            while other.write_all(b" ").is_ok() {
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        let end = Instant::now() + Duration::from_millis(300);
        let error = exchange(own, Request::Status, end).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        sender.join().unwrap();
    }

    #[test]
    fn long_answers_are_refused() {
        let (own, mut other) = UnixStream::pair().unwrap();
        let sender = std::thread::spawn(move || while other.write_all(&[b' '; 1 << 16]).is_ok() {});
        let error = exchange(own, Request::Status, Instant::now() + PATIENCE).unwrap_err();
        assert!(error.to_string().contains("too long"), "{error}");
        sender.join().unwrap();
    }

    #[test]
    fn strings_are_plain_at_any_depth() {
        let answer = json!({"a": ["\u{1b}]0;x\u{7}", {"b": "ä\u{9b}31m", "c": 7}], "d": null});
        let expected = json!({"a": ["\\u{1b}]0;x\\u{7}", {"b": "ä\\u{9b}31m", "c": 7}], "d": null});
        assert_eq!(plain(answer), expected);
    }

    /// Does steps until a request comes; `None`: the peer was left.
    fn served(door: &mut Door) -> Option<Request> {
        loop {
            crate::sys::wait([door.as_fd()], PATIENCE).unwrap();
            let had_guest = door.guest.is_some();
            let request = door.step();
            if request.is_some() || had_guest && door.guest.is_none() {
                return request;
            }
        }
    }

    #[test]
    fn one_peer_at_a_time() {
        let path = std::env::temp_dir().join(format!("residue-door-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        let folder = || Folder::first(std::slice::from_ref(&path), true).unwrap().unwrap();
        let open = || Door::in_folder(folder(), "s".to_string());
        let mut door = open().unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        let error = open().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse, "{error}");
        // That other guard hung up.
        assert_eq!(served(&mut door), None);

        let place = path.join("s");
        for (line, request) in [
            (&b"status\n"[..], Some(Request::Status)),
            (b"forget\n", Some(Request::Forget)),
            (b"stat", None),
            (b"status\nforget\n", None),
            (b"\xff", None),
        ] {
            let mut stream = connect(&place, PATIENCE).unwrap();
            stream.write_all(line).unwrap();
            assert_eq!(served(&mut door), request);
            door.answer(&7);
            let mut answer = String::new();
            // A peer that was left with bytes unread gets an error.
            let _ = stream.read_to_string(&mut answer);
            assert_eq!(answer, if request.is_some() { "7" } else { "" });
        }
        // Of many that connect, one is accepted in a step, and left when it is late.
        let streams = [(); 40].map(|()| connect(&place, PATIENCE).unwrap());
        assert_eq!((door.step(), door.step()), (None, None));
        let (_, since) = door.guest.as_mut().unwrap();
        *since = Instant::now().checked_sub(LATE * 2).unwrap();
        door.dismiss_late();
        assert!(door.guest.is_none());
        drop(streams);

        // A killed guard leaves the file.
        drop(door);
        assert!(!place.exists());
        drop(UnixListener::bind(&place).unwrap());
        assert!(place.exists());
        drop(open().unwrap());
        fs::remove_dir_all(&path).unwrap();
    }
}
