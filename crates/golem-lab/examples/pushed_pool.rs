//! What it costs that somebody pushes the pool for one block in forty-five: every template, paired lives, on paper.
//!
//! `cargo run --release -p golem-lab --example pushed_pool [SEEDS] [TICKS] [TEMPLATE]`
#![expect(clippy::print_stdout, reason = "it is a program whose result is a table")]

use golem_lab::pushing::{busy_settings, costs};
use golem_lab::subject::paper_in;
use golem_mind::policy::Template;

const PUSHES: [i32; 4] = [-1_000, -300, 300, 1_000];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |n: usize, or: u64| args.get(n).and_then(|a| a.parse().ok()).unwrap_or(or);
    let (seeds, ticks) = (number(0, 20), number(1, 20_000));
    println!(
        "{seeds} seeds, {ticks} ticks: mean cost of pushing in per cent of net asset value, with its 95 % interval"
    );
    println!("{:<18} {:>20} {:>20} {:>20} {:>20}", "", "-10 %", "-3 %", "+3 %", "+10 %");
    let only: Option<Template> = args.get(2).map(|name| name.parse().expect("a template"));
    for template in Template::ALL.into_iter().filter(|t| only.is_none_or(|only| only == *t)) {
        let make = |seed, world, weather| paper_in(seed, world, Some(weather));
        let all = costs(1..=seeds, &busy_settings(template), (&PUSHES, ticks), &make).expect("a market");
        let shown: Vec<String> =
            all.iter().map(|c| format!("{:>9.4} +- {:>7.4}", 100.0 * c.mean(), 100.0 * c.margin())).collect();
        println!("{:<18} {}", template.name(), shown.join(" "));
    }
}
