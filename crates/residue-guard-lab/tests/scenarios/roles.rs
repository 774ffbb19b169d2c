//! What the children of a test do: the server and its clients, guards, and requests to them.

use residue_guard::kernel;
use residue_guard::negotiate::Offer;
use residue_guard::queue::{self, Options, Queue, Rules};
use residue_guard::{Config, Policy};
use residue_guard_lab::{Fault, Router};
use residue_testing::{noise, patience};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

/// Port of the server.
pub const PORT: u16 = 8080;
/// Most bytes of a request.
const MOST: usize = 1 << 26;
/// Usual time limit of a client for each answer.
const PATIENCE: Duration = Duration::from_secs(15);
/// That of a client that gives up early, as `Network::transfers_in_a_flood` needs it.
const SHORT_PATIENCE: Duration = Duration::from_secs(5);
/// That of a conversation, which must live through floods on busy machines.
const LONG_PATIENCE: Duration = Duration::from_secs(120);

/// Plays the role of a child.
pub fn play(words: &[&str]) {
    match *words {
        ["serve"] => serve(),
        ["client", address, kind, bytes] => client(address, kind, bytes.parse().expect("a number")),
        ["guard", interface, value] => guard(interface, value.parse().expect("a value")),
        ["router"] => {
            let mut queue = Queue::open(&[9]).expect("a queue");
            let mut router = Router::new(Fault::NatSequence, 8, 1);
            loop {
                queue.wait(Duration::from_secs(1)).expect("packets");
                while queue.batch(&mut router).expect("verdicts") > 0 {}
            }
        }
        ["status"] => {
            if let Some(status) = queue::ask().expect("an answer") {
                println!("\n{}", serde_json::to_string(&status).expect("JSON"));
            }
        }
        ["on", interface, value, ref more @ ..] => {
            let value = value.parse().expect("a value");
            let settings = kernel::Settings {
                interfaces: interface.split(',').map(str::to_string).collect(),
                ports: Vec::new(),
                offer: Offer { value, instead: 5 },
                policy: Policy::Prefer,
                cgroup: None,
                receive_threads: more.contains(&"threads"),
                as_oldest: more.contains(&"oldest"),
            };
            match kernel::on(&settings) {
                Ok(included) => {
                    println!("\non{}", if included { "" } else { "\nrestart services" })
                }
                Err(error) => println!("\nrefused: {error}"),
            }
        }
        ["off"] => drop(kernel::off(kernel::Ending::Abandon).expect("no guard")),
        ["forget"] => assert!(kernel::forget(None).expect("no error").is_some(), "a guard"),
        ["kernel-status"] => {
            let status = kernel::status().expect("a status").expect("a guard");
            println!("\n{}", serde_json::to_string(&status).expect("JSON"));
        }
        _ => panic!("no role: {words:?}"),
    }
}

fn guard(interface: &str, value: u8) {
    let options = Options {
        rules: Rules::new(interface, &[]).expect("rules"),
        config: Config {
            offer: Some(Offer { value, instead: 5 }),
            policy: Policy::Prefer,
            ..Config::default()
        },
        every: Duration::from_secs(3600),
        state: Some(PathBuf::from(format!("/run/state-{interface}"))),
    };
    if let Err(error) = queue::run(&options, |_| {}) {
        panic!("{error}");
    }
}

/// Answers requests: a kind and a number of bytes. `u`: the client's bytes come; `d`: they are
/// wanted; `s`: slowly.
fn serve() {
    let answer = |mut stream: TcpStream| -> std::io::Result<()> {
        let mut head = [0; 9];
        loop {
            stream.read_exact(&mut head)?;
            let [kind, number @ ..] = head;
            let count = u64::from_be_bytes(number) as usize;
            // Where damage gets through, it may be in the number.
            if count > MOST {
                return Err(std::io::ErrorKind::InvalidData.into());
            }
            if kind == b'u' {
                let mut bytes = vec![0; count];
                stream.read_exact(&mut bytes)?;
                stream.write_all(if bytes == noise(count) { b"+" } else { b"-" })?;
                continue;
            }
            for part in noise(count).chunks((count / 50).max(1)) {
                stream.write_all(part)?;
                if kind == b's' {
                    std::thread::sleep(Duration::from_millis(80));
                }
            }
        }
    };
    for stream in TcpListener::bind(("::", PORT)).expect("a port").incoming().flatten() {
        std::thread::spawn(move || answer(stream));
    }
}

fn client(address: &str, kind: &str, count: usize) {
    let to = address
        .parse()
        .unwrap_or_else(|_| SocketAddr::new(address.parse().expect("an address"), PORT));
    let patience = patience(match kind {
        "talk" | "patient" => LONG_PATIENCE,
        "brief" => SHORT_PATIENCE,
        _ => PATIENCE,
    });
    let mut stream = TcpStream::connect_timeout(&to, patience).expect("a connection");
    stream.set_nodelay(true).expect("an option");
    stream.set_read_timeout(Some(patience)).expect("a timeout");
    stream.set_write_timeout(Some(patience)).expect("a timeout");
    let mut upload = |count: usize| {
        let bytes = noise(count);
        let mut message = vec![b'u'];
        message.extend((count as u64).to_be_bytes());
        message.extend(bytes);
        stream.write_all(&message).expect("the upload");
        let mut answer = [0];
        stream.read_exact(&mut answer).expect("an answer");
        assert_eq!(answer, *b"+");
    };
    match kind {
        "push" | "brief" | "patient" => upload(count),
        "talk" => {
            println!("\nconnected");
            for line in std::io::stdin().lines().map_while(Result::ok) {
                upload(line.parse().expect("a number"));
                println!("done");
            }
        }
        _ => {
            let mut message = vec![if kind == "slow" { b's' } else { b'd' }];
            message.extend((count as u64).to_be_bytes());
            stream.write_all(&message).expect("the request");
            let mut bytes = vec![0; count];
            stream.read_exact(&mut bytes).expect("the file");
            assert!(bytes == noise(count), "the file is right");
        }
    }
}
