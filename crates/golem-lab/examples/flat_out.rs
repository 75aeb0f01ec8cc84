//! A default life flat out, in memory: what a turn costs without the file. For profilers and for counting instructions.
//!
//! `cargo run --release -p golem-lab --example flat_out [TURNS] [SEED] [BUDGET]`
#![expect(clippy::print_stdout, reason = "it is a program whose result is a line")]

use golem_core::Usdc;
use golem_lab::Subject;
use golem_lab::world::{Synthetic, SyntheticConfig};
use golem_life::{Being, Settings};
use std::time::Instant;

fn main() {
    let mut args = std::env::args().skip(1).filter_map(|a| a.parse::<u64>().ok());
    let (turns, seed, budget) = (args.next().unwrap_or(50_000), args.next().unwrap_or(7), args.next().unwrap_or(30));
    let mut settings = Settings::default();
    settings.mortality.immortal = true;
    let world = Synthetic::new(SyntheticConfig::default(), seed).expect("a world");
    let mut subject = Subject::new(seed, Usdc::whole(budget), &settings, world).expect("a market");
    let begun = Instant::now();
    subject.turns(turns);
    let seconds = begun.elapsed().as_secs_f64();
    let status = subject.status();
    let (tick, digest) = (subject.life().tick(), subject.life().digest());
    println!("{tick} turns, {:.0} a second, balance {}, digest {digest}", tick.0 as f64 / seconds, status.balance);
}
