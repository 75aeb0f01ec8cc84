//! What there is to be gained by knowing: each world lived by a plain policy with and without its truth.
//!
//! `cargo run --release -p golem-lab --example oracle -- [SEEDS [DAYS [WORLD...]]]`; a world may carry a strength.
#![expect(clippy::print_stdout, reason = "it is a program whose result is a table")]

use golem_lab::stats::mean_and_error;
use golem_lab::world::LAWS;
use golem_lab::world::oracle::oracle;
use std::io::Write as _;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let seeds: u64 = args.next().map_or(Ok(30), |n| n.parse())?;
    let days: u64 = args.next().map_or(Ok(60), |n| n.parse())?;
    let named: Vec<String> = args.collect();
    let worlds = if named.is_empty() { LAWS.iter().map(|name| (*name).to_owned()).collect() } else { named };
    println!("| world | gain by knowing, % (95 %) | without, % | acts without | acts with |\n|---|---|---|---|---|");
    for world in worlds {
        let (mut gains, mut plain, mut acts) = (Vec::new(), 0.0, (0.0, 0.0));
        for seed in 1..=seeds {
            let without = oracle(&world, seed, days * 2_160, false)?;
            let with = oracle(&world, seed, days * 2_160, true)?;
            gains.push(100.0 * (with.growth / without.growth - 1.0));
            plain += 100.0 * (without.growth - 1.0) / seeds as f64;
            acts = (acts.0 + f64::from(without.acts) / seeds as f64, acts.1 + f64::from(with.acts) / seeds as f64);
        }
        let (mean, error) = mean_and_error(&gains);
        let half = 1.96 * error;
        println!(
            "| `{world}` | {mean:.2} ({:.2} to {:.2}) | {plain:.2} | {:.0} | {:.0} |",
            mean - half,
            mean + half,
            acts.0,
            acts.1
        );
        std::io::stdout().flush()?;
    }
    Ok(())
}
