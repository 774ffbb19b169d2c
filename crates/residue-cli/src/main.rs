//! temporary
#![forbid(unsafe_code)]
mod commands {
    pub mod bench;
}
mod output;
use clap::Parser;
#[derive(Parser)]
enum Cmd {
    Bench(commands::bench::BenchArgs),
}
fn main() -> anyhow::Result<std::process::ExitCode> {
    match Cmd::parse() {
        Cmd::Bench(a) => commands::bench::run(&a),
    }
}
