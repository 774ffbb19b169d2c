//! Tests the program, by what it prints and writes. They are one program themselves: linking each
//! file as one of its own takes longer than compiling it.

mod common;
#[path = "../../residue-net/tests/compare/router.rs"]
#[allow(dead_code)]
mod router;

mod arguments;
mod bench;
mod check;
mod conform;
mod environment;
mod explain;
mod fidelity;
mod guard;
mod guard_kernel;
mod guard_simulate;
mod guard_strangers;
mod guard_units;
mod identify;
mod list;
mod manual;
mod memory;
mod mutated;
mod pcap;
mod pcap_annotate;
mod pcap_change;
mod pcap_compare;
mod pcap_compare_live;
mod pcap_json;
mod pcap_large;
mod pcap_make;
mod pcap_report;
mod pcap_select;
mod pcap_survey;
mod profile;
mod readme;
mod recipe;
mod self_test;
mod streams;
mod strength;
mod strength_compare;
mod strength_data;
mod strength_search;
mod sum;
mod terminal;
mod tools;
mod watch;
mod watch_pipe;
mod writers;
