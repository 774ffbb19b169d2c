//! The grammar of filters.

use super::error::FilterError;
use super::expression::{Expression, Joint, Node};
use super::names::{WITH_PORTS, ether_type, protocol};
use super::primitive::{Net, Primitive, Way};
use super::token::{COMPARISON, Placed, Token, tokens};
use super::value::{abbreviated, address, mac, mask, number, port_number};
use std::net::Ipv4Addr;
use std::ops::Range;

/// Largest depth of parentheses.
const DEEPEST: usize = 64;

pub fn parse(expression: &str) -> Result<Expression, FilterError> {
    let tokens = tokens(expression)?;
    let mut parser =
        Parser { expression, tokens, at: 0, depth: 0, last: None, primitives: Vec::new() };
    if parser.tokens.is_empty() {
        return Ok(Expression { root: None, primitives: Vec::new() });
    }
    let root = parser.expression()?;
    match parser.peek() {
        None => Ok(Expression { root: Some(root), primitives: parser.primitives }),
        Some(Token::Close) => Err(parser.wrong("there is no `(` for this `)`")),
        Some(_) => Err(parser.wrong("expected `and`, `or` or the end of the filter")),
    }
}

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Host,
    Net,
    Port,
    PortRange,
    Protocol,
}

/// The words before a value.
#[derive(Clone, Copy, Debug)]
struct Words<'a> {
    protocol: Option<&'a str>,
    way: Option<Way>,
    kind: Option<Kind>,
}

/// A value with its place.
type Value<'a> = (&'a str, Range<usize>);

struct Parser<'a> {
    expression: &'a str,
    tokens: Vec<Placed<'a>>,
    at: usize,
    depth: usize,
    /// The words of the last value, for values without words.
    last: Option<Words<'a>>,
    primitives: Vec<Primitive>,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).map(|(token, _)| *token)
    }

    fn word(&self) -> Option<&'a str> {
        match self.peek() {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// Returns the place of the current token, or of the end.
    fn place(&self) -> Range<usize> {
        let end = self.expression.trim_end().len();
        self.tokens.get(self.at).map_or(end..end, |(_, place)| place.clone())
    }

    /// Returns an error at the current token.
    fn wrong(&self, message: impl Into<String>) -> FilterError {
        self.error(self.place(), message)
    }

    fn error(&self, place: Range<usize>, message: impl Into<String>) -> FilterError {
        FilterError::new(self.expression, place, message)
    }

    fn expression(&mut self) -> Result<Node, FilterError> {
        let first = self.term()?;
        let mut rest = Vec::new();
        loop {
            let joint = match self.peek() {
                Some(Token::And) => Joint::And,
                Some(Token::Or) => Joint::Or,
                _ => break,
            };
            self.at += 1;
            rest.push((joint, self.term()?));
        }
        Ok(if rest.is_empty() { first } else { Node::Chain(Box::new(first), rest) })
    }

    fn term(&mut self) -> Result<Node, FilterError> {
        let mut negated = false;
        while self.peek() == Some(Token::Not) {
            self.at += 1;
            negated = !negated;
        }
        let node = match self.peek() {
            Some(Token::Open) => self.parenthesis()?,
            Some(Token::Word(_)) => self.primitive()?,
            Some(_) => return Err(self.wrong("expected a primitive such as `host 192.0.2.1`")),
            None => {
                return Err(self.wrong("expected a primitive such as `host 192.0.2.1` at the end"));
            }
        };
        Ok(if negated { Node::Not(Box::new(node)) } else { node })
    }

    fn parenthesis(&mut self) -> Result<Node, FilterError> {
        let place = self.place();
        if self.depth == DEEPEST {
            return Err(self.wrong(format!("more than {DEEPEST} parentheses inside each other")));
        }
        (self.at, self.depth) = (self.at + 1, self.depth + 1);
        let node = self.expression()?;
        match self.peek() {
            Some(Token::Close) => self.at += 1,
            Some(_) => return Err(self.wrong("expected `and`, `or` or `)`")),
            None => return Err(self.error(place, "there is no `)` for this `(`")),
        }
        self.depth -= 1;
        Ok(node)
    }

    fn take(&mut self, primitive: Primitive) -> Node {
        self.primitives.push(primitive);
        Node::Primitive(self.primitives.len() - 1)
    }

    fn primitive(&mut self) -> Result<Node, FilterError> {
        let start = self.place();
        let words = self.words()?;
        let Words { protocol: of, way, kind } = words;
        if kind.is_none()
            && way.is_none()
            && let Some(primitive) = self.lone(of, &start)?
        {
            return Ok(self.take(primitive));
        }
        let words = match (of, way, kind) {
            (None, None, None) => self.inherited()?,
            _ => words,
        };
        if self.peek() == Some(Token::Open) {
            self.last = Some(words);
            return self.parenthesis();
        }
        let Some(value) = self.word() else {
            let before = &self.expression[..self.place().start];
            let before = before.split_whitespace().next_back().unwrap_or_default();
            let wanted = self.wanted(words);
            return Err(self.wrong(format!("expected {wanted} after `{before}`")));
        };
        let value = (value, self.place());
        let primitive = self.value(words, value)?;
        self.last = Some(words);
        Ok(self.take(primitive))
    }

    /// Reads the words before a value: a protocol, a direction, a kind.
    fn words(&mut self) -> Result<Words<'a>, FilterError> {
        let mut words = Words { protocol: None, way: None, kind: None };
        if let Some(word) = self.word()
            && (word == "ether" || ether_type(word).is_some() || protocol(word).is_some())
        {
            words.protocol = Some(word);
            self.at += 1;
        }
        words.way = self.way();
        words.kind = match self.word() {
            Some("host") => Some(Kind::Host),
            Some("net") => Some(Kind::Net),
            Some("port") => Some(Kind::Port),
            Some("portrange") => Some(Kind::PortRange),
            Some("proto") if words.way.is_none() => Some(Kind::Protocol),
            _ => None,
        };
        self.at += usize::from(words.kind.is_some());
        Ok(words)
    }

    /// Reads a direction.
    fn way(&mut self) -> Option<Way> {
        let ends = |word: &str| matches!(word, "src" | "dst");
        let first = self.word().filter(|word| ends(word))?;
        self.at += 1;
        if let (Some((joint, _)), Some((Token::Word(second), _))) =
            (self.tokens.get(self.at), self.tokens.get(self.at + 1))
            && ends(second)
            && *second != first
            && let Some(way) = match joint {
                Token::Or => Some(Way::Either),
                Token::And => Some(Way::Both),
                _ => None,
            }
        // `src or dst port 80`, but not `src 10.0.0.1 or dst ...`, which has a value between.
        {
            self.at += 2;
            return Some(way);
        }
        Some(if first == "src" { Way::Source } else { Way::Destination })
    }

    /// Reads a primitive without a value, or with one of its own kind; `of` is the protocol before
    /// it, at `start`.
    fn lone(
        &mut self,
        of: Option<&'a str>,
        start: &Range<usize>,
    ) -> Result<Option<Primitive>, FilterError> {
        let next = self.word();
        let primitive = match (of, next) {
            (None | Some("ether"), Some("broadcast")) => {
                Primitive::EthernetGroup { is_broadcast: true }
            }
            (None | Some("ether"), Some("multicast")) => {
                Primitive::EthernetGroup { is_broadcast: false }
            }
            (Some("ip"), Some("multicast")) => Primitive::Multicast { version: 4 },
            (Some("ip6"), Some("multicast")) => Primitive::Multicast { version: 6 },
            (None, Some("vlan")) => {
                self.at += 1;
                let number =
                    self.word().filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
                let number = number.map(|_| self.number("a VLAN number", 0xfff)).transpose()?;
                return Ok(Some(Primitive::Vlan(number.map(|number| number as u16))));
            }
            (None, Some("less" | "greater")) => {
                self.at += 1;
                let length = self.number("a length in bytes", u32::MAX)?;
                let less = next == Some("less");
                return Ok(Some(match less {
                    true => Primitive::Less(length),
                    false => Primitive::Greater(length),
                }));
            }
            (None, _) => return Ok(None),
            (Some("ether"), _) => {
                let wanted = "expected `host`, `src`, `dst`, `proto`, `broadcast` or `multicast` \
                              after `ether`";
                return Err(self.wrong(wanted));
            }
            (Some(_), Some(_)) => {
                let message = format!(
                    "expected `and`, `or`, or a word such as `host` or `port` after `{}`",
                    &self.expression[start.clone()]
                );
                return Err(self.wrong(message));
            }
            (Some("ip"), None) => return Ok(Some(Primitive::Ip { version: 4 })),
            (Some("ip6"), None) => return Ok(Some(Primitive::Ip { version: 6 })),
            (Some(name), None) => {
                return Ok(match (ether_type(name), protocol(name)) {
                    (Some(number), _) => Some(Primitive::EtherType(number)),
                    (_, Some(number)) => Some(Primitive::Protocol { version: 0, number }),
                    _ => None,
                });
            }
        };
        self.at += 1;
        Ok(Some(primitive))
    }

    /// Returns the words for a value without words: those of the last value; an address is that of
    /// a host.
    fn inherited(&self) -> Result<Words<'a>, FilterError> {
        let word = self.word().unwrap_or_default();
        if matches!(word, "len" | "wlan" | "fddi" | "tr" | "mpls" | "pppoes" | "gateway" | "link")
            || matches!(word, "inbound" | "outbound" | "ifname" | "type" | "subtype" | "iso")
        {
            let message = match word {
                "len" => COMPARISON.into(),
                _ => format!("`{word}` is not supported by this filter language"),
            };
            return Err(self.wrong(message));
        }
        if let Some(words) = self.last {
            return Ok(words);
        }
        let is_address = word.contains(':') || word.matches('.').count() == 3;
        match is_address {
            true => Ok(Words { protocol: None, way: None, kind: None }),
            false => Err(self.wrong(format!(
                "expected a primitive such as `host 192.0.2.1`, `tcp port 80` or `ip6`, got \
                 `{word}`"
            ))),
        }
    }

    /// Reads a number of at most `most`.
    fn number(&mut self, what: &str, most: u32) -> Result<u32, FilterError> {
        let word = self.word().ok_or_else(|| self.wrong(format!("expected {what}")))?;
        let number = number(word).filter(|&number| number <= most);
        let number = number
            .ok_or_else(|| self.wrong(format!("expected {what}, 0 to {most}, got `{word}`")))?;
        self.at += 1;
        Ok(number)
    }

    /// Returns the kind of value that these words want.
    fn wanted(&self, words: Words<'_>) -> &'static str {
        match (words.kind, words.protocol) {
            (Some(Kind::Host) | None, Some("ether")) => "an Ethernet address (02:00:5e:10:00:01)",
            (Some(Kind::Host) | None, _) => "an address (192.0.2.1 or 2001:db8::1)",
            (Some(Kind::Net), _) => "a net (192.0.2.0/24 or 2001:db8::/32)",
            (Some(Kind::Port), _) => "a port (0 to 65535)",
            (Some(Kind::PortRange), _) => "a range of ports (8000-8080)",
            (Some(Kind::Protocol), _) => "the number or name of a protocol",
        }
    }

    /// Reads the value after its words.
    fn value(&mut self, words: Words<'a>, value: Value<'a>) -> Result<Primitive, FilterError> {
        let (word, place) = value.clone();
        self.at += 1;
        let wrong = |parser: &Self| {
            let mut message = format!("expected {}, got `{word}`", parser.wanted(words));
            let is_name = word.starts_with(|c: char| c.is_alphabetic()) && !word.contains(':');
            if matches!(words.kind, Some(Kind::Host) | None) && is_name {
                message += "; names of hosts are not looked up";
            }
            parser.error(place.clone(), message)
        };
        let way = words.way.unwrap_or(Way::Either);
        match words.kind {
            Some(Kind::Host) | None if words.protocol == Some("ether") => {
                let address = mac(word).ok_or_else(|| wrong(self))?;
                Ok(Primitive::Ethernet { way, address })
            }
            // `src 10.0.0.0/8`
            Some(Kind::Net) => self.net(words, way, value),
            None if word.contains('/') => self.net(words, way, value),
            Some(Kind::Host) | None => {
                let address = address(word).ok_or_else(|| wrong(self))?;
                let mask = vec![0xff; address.len()];
                self.address(words, way, Net { address, mask }, &value)
            }
            Some(Kind::Port) => {
                let port = port_number(word).ok_or_else(|| wrong(self))?;
                self.ports(words, way, [port, port], &value)
            }
            Some(Kind::PortRange) => {
                let ends = word.split_once('-');
                let ends = ends.and_then(|(from, to)| Some([port_number(from)?, port_number(to)?]));
                let range = ends.filter(|[from, to]| from <= to).ok_or_else(|| wrong(self))?;
                self.ports(words, way, range, &value)
            }
            Some(Kind::Protocol) => {
                let name = word.strip_prefix('\\').unwrap_or(word);
                let known = match words.protocol {
                    Some("ether") => ether_type(name).map(u32::from),
                    _ => protocol(name).map(u32::from),
                };
                let number = known.or_else(|| number(word)).ok_or_else(|| wrong(self))?;
                self.protocol(words, number).ok_or_else(|| wrong(self))
            }
        }
    }

    fn protocol(&self, words: Words<'_>, number: u32) -> Option<Primitive> {
        let version = match words.protocol {
            Some("ether") => return Some(Primitive::EtherType(number.try_into().ok()?)),
            Some("ip") => 4,
            Some("ip6") => 6,
            None => 0,
            Some(_) => return None,
        };
        Some(Primitive::Protocol { version, number: number.try_into().ok()? })
    }

    /// Returns the primitive of addresses in a net, if the protocol has such addresses.
    fn address(
        &self,
        words: Words<'_>,
        way: Way,
        net: Net,
        value: &Value<'_>,
    ) -> Result<Primitive, FilterError> {
        let (in_ip, in_arp, length) = match words.protocol {
            None => (true, true, net.address.len()),
            Some("ip") => (true, false, 4),
            Some("ip6") => (true, false, 16),
            Some("arp" | "rarp") => (false, true, 4),
            Some(other) => {
                let message = format!(
                    "`{other}` has no addresses of its own; leave it out here, \
                                       and add `and {other}`"
                );
                return Err(self.error(value.1.clone(), message));
            }
        };
        if net.address.len() != length {
            let other = words.protocol.unwrap_or_default();
            let message = format!("`{}` is no address of `{other}`", value.0);
            return Err(self.error(value.1.clone(), message));
        }
        Ok(Primitive::Address { way, net, in_ip, in_arp })
    }

    fn ports(
        &self,
        words: Words<'_>,
        way: Way,
        range: [u16; 2],
        value: &Value<'_>,
    ) -> Result<Primitive, FilterError> {
        let protocols = match words.protocol {
            None => WITH_PORTS.to_vec(),
            Some(name) => match protocol(name).filter(|number| WITH_PORTS.contains(number)) {
                Some(number) => vec![number],
                None => {
                    let message = format!(
                        "`{name}` has no ports; tcp, udp, sctp, dccp and \
                                           udplite have"
                    );
                    return Err(self.error(value.1.clone(), message));
                }
            },
        };
        Ok(Primitive::Port { way, protocols, range })
    }

    /// Reads a net: with the length of its prefix, with a mask, or abbreviated (10.1).
    fn net(
        &mut self,
        words: Words<'_>,
        way: Way,
        value: Value<'a>,
    ) -> Result<Primitive, FilterError> {
        let wrong = |parser: &Self| {
            let wanted = "a net (192.0.2.0/24 or 2001:db8::/32)";
            parser.error(value.1.clone(), format!("expected {wanted}, got `{}`", value.0))
        };
        let (start, prefix) = match value.0.split_once('/') {
            Some((start, prefix)) => (start, Some(number(prefix).ok_or_else(|| wrong(self))?)),
            None => (value.0, None),
        };
        let (address, bits) = match address(start) {
            Some(address) => {
                let bits = 8 * address.len() as u32;
                (address, prefix.unwrap_or(bits))
            }
            None => {
                let (address, bits) = abbreviated(start).ok_or_else(|| wrong(self))?;
                (address.to_vec(), prefix.unwrap_or(bits))
            }
        };
        if bits > 8 * address.len() as u32 {
            return Err(wrong(self));
        }
        let mut mask = mask(bits, address.len());
        if prefix.is_none() && address.len() == 4 && self.word() == Some("mask") {
            self.at += 1;
            let given = self.word().and_then(|word| word.parse::<Ipv4Addr>().ok());
            let given = given.ok_or_else(|| self.wrong("expected a mask (255.255.255.0)"))?;
            mask = given.octets().to_vec();
            self.at += 1;
        }
        if address.iter().zip(&mask).any(|(byte, mask)| byte & !mask != 0) {
            let message = format!("`{}` has bits set that are not in its mask", value.0);
            return Err(self.error(value.1, message));
        }
        self.address(words, way, Net { address, mask }, &value)
    }
}
