//! The clock's table: what the epistemic clock says of minds that learn, that stopped, and that turned round; what golems
//! die of; and what the couplings are worth.
//!
//! `cargo run --release -p golem-lab --example clock_table -- minds|causes|couplings LIVES PACE_S|0 THREADS WORLD...`
#![expect(clippy::print_stdout, reason = "it is a program whose result is a table")]

use golem_core::Usdc;
use golem_lab::clock::{CauseLine, ClockPlan, ClockReport, causes, couplings, minds};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |n: usize, or: u64| args.get(n).and_then(|a| a.parse().ok()).unwrap_or(or);
    let plan = ClockPlan {
        lives: number(1, 30),
        pace_s: Some(number(2, 3_600)).filter(|s| *s > 0),
        threads: number(3, 1) as usize,
        worlds: if args.len() > 4 { args[4..].to_vec() } else { vec!["default".into()] },
        ..ClockPlan::default()
    };
    match args.first().map(String::as_str) {
        Some("causes") => {
            println!("{}", CauseLine::HEAD);
            let budgets = [6, 12, 50, 1_000].map(Usdc::whole);
            causes(&plan, &plan.worlds, &budgets, &|line| println!("{}", line.text())).expect("worlds");
        }
        Some("couplings") => {
            couplings(&plan, &|line| println!("{}", line.text())).expect("worlds");
        }
        _ => {
            println!("{}", ClockReport::HEAD);
            let (_, lives) = minds(&plan, &|line| println!("{}", line.text())).expect("worlds");
            if std::env::var_os("CLOCK_ROWS").is_some() {
                for life in lives {
                    println!("{}", serde_json::to_string(&life).expect("a row"));
                }
            }
        }
    }
}
