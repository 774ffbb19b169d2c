//! A server of pages of 100 bytes, for ab: HTTP/1.0, a connection for each.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

const ANSWER: &[u8] = b"HTTP/1.0 200 OK\r\nContent-Length: 100\r\n\r\n\
    0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdef\
    0123456789abcdefghijklmnopqrstuvwxyz0123456789ab";

/// Serves until the process is killed.
pub fn serve(port: &str) -> Result<(), String> {
    let port: u16 = port.parse().map_err(|_| format!("`{port}` is no port"))?;
    let listener = TcpListener::bind(("0.0.0.0", port)).map_err(|error| error.to_string())?;
    let answers = || {
        for stream in listener.incoming().flatten() {
            // A client that goes away has no page.
            let _ = answer(stream);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(answers);
        answers();
    });
    Ok(())
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut request = Vec::new();
    let mut part = [0; 1024];
    while !request.ends_with(b"\r\n\r\n") {
        let count = stream.read(&mut part)?;
        if count == 0 || request.len() > part.len() {
            return Ok(());
        }
        request.extend_from_slice(&part[..count]);
    }
    stream.write_all(ANSWER)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_length_is_right() {
        let text = std::str::from_utf8(super::ANSWER).unwrap();
        assert_eq!(text.split_once("\r\n\r\n").unwrap().1.len(), 100);
    }
}
