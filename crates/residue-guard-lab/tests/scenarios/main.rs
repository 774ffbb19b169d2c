//! What happens to guarded hosts, by operators, routers and attackers: connections live, and
//! protection is not lost. Needs Linux, iproute2, iptables, Python; says why it skips.

#![cfg(target_os = "linux")]

mod devices;
mod hosts;
mod kernel;
mod lasting;
mod queue;
mod roles;
mod services;
