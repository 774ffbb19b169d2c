//! Ports of connections.

use std::fmt;
use std::str::FromStr;

/// A port, or a range of ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    first: u16,
    last: u16,
}

impl Ports {
    /// Returns each port.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u16> {
        self.first..=self.last
    }

    /// Returns the places that it takes in a rule of iptables.
    pub(crate) fn places(&self) -> usize {
        1 + usize::from(self.first < self.last)
    }
}

impl FromStr for Ports {
    type Err = String;

    /// Parses `443` or `8000-8010`.
    fn from_str(text: &str) -> Result<Ports, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let port = |text: &str| {
            let port: Option<u16> = text.trim().parse().ok();
            port.filter(|&port| port > 0).ok_or_else(|| {
                format!("expected a port (443) or range (8000-8010) from 1 to 65535, got `{text}`")
            })
        };
        let ports = Ports { first: port(first)?, last: port(last)? };
        if ports.first > ports.last {
            return Err(format!("`{text}`: the first port is greater than the last"));
        }
        Ok(ports)
    }
}

impl fmt::Display for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        if self.last > self.first { write!(f, "-{}", self.last) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_ports_are_refused() {
        for bad in ["", "0", "65536", "a", "5-4", "1-", "1-2-3"] {
            assert!(bad.parse::<Ports>().is_err(), "{bad}");
        }
    }
}
