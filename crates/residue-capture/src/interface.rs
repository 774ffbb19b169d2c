//! Network interfaces, and the errors of opening one.

use crate::sys;
use std::error;
use std::fmt;
use std::io;

/// Stands for all interfaces.
pub const ANY: &str = "any";

/// An interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Number of the interface; 0 for all of them.
    pub index: u32,
    /// Name, as given.
    pub name: String,
}

impl Interface {
    /// Finds an interface by its name; [`ANY`] is all of them.
    ///
    /// # Errors
    ///
    /// If there is none, or the interfaces cannot be listed.
    pub fn find(name: &str) -> Result<Interface, Error> {
        if name == ANY {
            return Ok(Interface { index: 0, name: name.into() });
        }
        let known = sys::interfaces().map_err(|error| Error::io("list the interfaces", error))?;
        match known.iter().find(|(_, known)| known == name) {
            Some(&(index, _)) => Ok(Interface { index, name: name.into() }),
            None => {
                let known = known.into_iter().map(|(_, name)| name).collect();
                Err(Error::Unknown { name: name.into(), known })
            }
        }
    }

    /// Returns whether the interface still exists, perhaps by another name.
    #[must_use]
    pub fn exists(&self) -> bool {
        let known = sys::interfaces().unwrap_or_default();
        self.index == 0 || known.iter().any(|(index, _)| *index == self.index)
    }
}

/// An error of a capture.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// There is no interface of this name.
    Unknown {
        /// The name.
        name: String,
        /// Names of the interfaces that there are.
        known: Vec<String>,
    },
    /// The process may not capture.
    NotPermitted,
    /// The interface is down.
    Down {
        /// Its name.
        name: String,
    },
    /// The interface does not exist any more.
    Gone {
        /// Its name.
        name: String,
    },
    /// An operation of the system failed.
    Io {
        /// The operation, as in `open a packet socket`.
        doing: &'static str,
        /// The error of the system.
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn io(doing: &'static str, source: io::Error) -> Error {
        Error::Io { doing, source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unknown { name, known } => write!(
                f,
                "no interface `{}`; there are {} and {ANY}",
                name.escape_debug(),
                known
                    .iter()
                    .map(|name| name.escape_debug().to_string())
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
            Error::NotPermitted => write!(
                f,
                "capturing needs the capability CAP_NET_RAW: run this as root, or give the \
                 capability to the program (`sudo setcap cap_net_raw+ep \"$(command -v \
                 residue)\"`), or let a program that has it capture (`sudo tcpdump -U -i eth0 -w - \
                 | residue pcap watch -`)"
            ),
            Error::Down { name } => {
                write!(f, "interface `{name}` is down; bring it up (`ip link set {name} up`)")
            }
            Error::Gone { name } => write!(f, "interface `{name}` is gone"),
            Error::Io { doing, source } => write!(f, "cannot {doing}: {source}"),
        }
    }
}

// Without a source, which the text contains.
impl error::Error for Error {}
