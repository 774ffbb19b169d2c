//! A transfer: one connection after another, until the network has carried enough segments.

use super::host::Host;
use super::link::{Link, To};
use crate::plan::{Plan, Row};
use residue_guard::negotiate::GREATEST;
use residue_guard::packet::segment;
use residue_guard::{Config, Counters, Engine};
use smoltcp::wire::IpAddress;
use std::time::Duration;

/// Time without progress after which a connection is given up.
const PATIENCE: Duration = Duration::from_secs(100);
/// Number of hung connections after which the transfer ends.
const MOST_HUNG: u64 = 4;
/// The opener's first port; each connection has another one.
const FIRST_PORT: u16 = 50000;

pub(super) struct Transfer {
    plan: Plan,
    opener: Host,
    answerer: Host,
    link: Link,
    now: Duration,
    row: Row,
}

fn address(version: u8, host: u8) -> IpAddress {
    if version == 6 {
        IpAddress::v6(0x2001, 0xdb8, 0, 0, 0, 0, 0, host.into())
    } else {
        IpAddress::v4(10, 0, 0, host)
    }
}

impl Transfer {
    pub(super) fn new(plan: &Plan, config: Option<Config>) -> Transfer {
        let host = |number: u8| {
            let seed = plan.seed ^ u64::from(number);
            Host::new(address(plan.version, number), seed, config.map(Engine::new))
        };
        let row = Row {
            plan: *plan,
            segments: 0,
            damaged: 0,
            caught: 0,
            let_through: 0,
            delivered: 0,
            wrong: 0,
            connections: 0,
            hung: 0,
            agreed: 0,
            too_long: 0,
            counters: Counters::default(),
        };
        Transfer {
            plan: *plan,
            opener: host(1),
            answerer: host(2),
            link: Link::new(plan),
            now: Duration::from_millis(1),
            row,
        }
    }

    pub(super) fn run(mut self) -> Row {
        while !self.is_over() && self.row.hung < MOST_HUNG {
            self.connection();
        }
        Row {
            segments: self.link.segments,
            damaged: self.link.damaged,
            too_long: self.link.too_long,
            counters: self.answerer.engine.as_ref().map(|e| *e.counters()).unwrap_or_default(),
            ..self.row
        }
    }

    fn is_over(&self) -> bool {
        self.link.segments >= self.plan.segments
    }

    /// Returns the numbers of agreed connections of the opener, by value.
    fn agreed(&self) -> [u64; GREATEST as usize + 1] {
        self.opener.engine.as_ref().map_or_else(Default::default, |engine| engine.counters().agreed)
    }

    fn connection(&mut self) {
        let before = self.agreed();
        self.answerer.listen();
        let port = FIRST_PORT + (self.row.connections % 1000) as u16;
        self.opener.connect(address(self.plan.version, 2), port);
        self.row.connections += 1;
        let (mut sent, mut received) = (0, 0);
        let mut progress = self.now;
        while !self.is_over() && self.now < progress + PATIENCE {
            let had = received;
            self.opener.write(&mut sent);
            let (link, now) = (&mut self.link, self.now);
            self.opener.poll(now, |packet| link.send(To::Answerer, packet, now));
            self.answerer.poll(now, |packet| link.send(To::Opener, packet, now));
            self.row.wrong += self.answerer.read(&mut received);
            if received > had {
                progress = self.now;
            }
            self.step(progress + PATIENCE);
        }
        self.row.delivered += received;
        self.row.hung += u64::from(received == 0);
        let after = self.agreed();
        let new = (1..=usize::from(GREATEST)).find(|&value| after[value] > before[value]);
        self.row.agreed = new.unwrap_or(0) as u8;
    }

    /// Advances to the next event, and delivers the packets that arrive then.
    fn step(&mut self, latest: Duration) {
        let due = [self.link.due(), self.opener.due(self.now), self.answerer.due(self.now)];
        let next = due.into_iter().flatten().min().unwrap_or(latest);
        // Time always advances, so that the loop ends.
        self.now = next.max(self.now + Duration::from_micros(10)).min(latest);
        while let Some(carried) = self.link.arrived(self.now) {
            let host = match carried.to {
                To::Opener => &mut self.opener,
                To::Answerer => &mut self.answerer,
            };
            let given = host.receive(&carried.packet, self.now);
            if carried.is_damaged {
                let taken = given.and_then(segment);
                let taken = taken.is_some_and(|each| each.checksum_is_good(&mut Vec::new()));
                *(if taken { &mut self.row.let_through } else { &mut self.row.caught }) += 1;
            }
        }
    }
}
