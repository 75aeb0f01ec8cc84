//! What a dream by rules costs, by how much it does and by how old the dreamer is: whole cycles of one life, fitted as a line
//! over the runs on copies that each asked for.
//!
//! `cargo run --release -p golem-lab --example dream_cost [DREAMS]`

#![allow(clippy::print_stdout)]

use golem_core::Usdc;
use golem_dreams::DreamFact;
use golem_lab::Subject;
use golem_lab::world::place;
use golem_life::{Fact, Settings};
use std::time::Instant;

/// A dream that is over: its runs, and its five turns in microseconds.
struct DreamCost {
    runs: f64,
    micros: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let many: usize = std::env::args().nth(1).map_or(Ok(400), |n| n.parse())?;
    let mut settings = Settings::default();
    settings.mortality.immortal = true;
    settings.diagnostics.enabled = false;
    settings.dream.enabled = true;
    settings.dream.core_max_cycles_per_day = 1_000;
    settings.dream.dream_cycle_interval = 10;
    settings.dream.replay.batch_size = 20;
    settings.dream.replay.perturbation_rate = 1.0;
    let mut golem = Subject::placed(7, Usdc::whole(10_000), &settings, place("flat", 7)?)?;
    golem.turns(4_000);
    let mut dreams = Vec::new();
    while dreams.len() < many {
        dreams.push(one(&mut golem));
    }
    let (young, old) = dreams.split_at(dreams.len() / 2);
    println!("{:<28} {:>7} {:>14} {:>14} {:>20}", "dreams", "number", "mean runs", "mean ms", "us for one run more");
    let mut by_runs: Vec<&DreamCost> = dreams.iter().collect();
    by_runs.sort_by(|a, b| a.runs.total_cmp(&b.runs));
    let (small, large) = by_runs.split_at(by_runs.len() / 2);
    let (mean_ms, _) = told("all", &dreams.iter().collect::<Vec<_>>());
    let (_, early) = told("the first half of the life", &young.iter().collect::<Vec<_>>());
    let (_, late) = told("the second half", &old.iter().collect::<Vec<_>>());
    let (few_ms, _) = told("those of fewer runs", small);
    let (many_ms, _) = told("those of more", large);
    let runs = |of: &[&DreamCost]| of.iter().map(|d| d.runs).sum::<f64>() / of.len().max(1) as f64;
    let median_ms = median(&dreams);
    println!("{:<28} {:>7} {median_ms:>29.2}", "the one in the middle", dreams.len());
    // A machine may be slow and busy: what is told here is whether cost runs away, and whether a demo has time for its dreams.
    let holds = [
        (mean_ms <= 250.0, "a dream takes longer than 250 ms"),
        (median_ms <= 15.0, "half of the dreams take longer than 15 ms"),
        (late <= 1.5 * early, "a run costs more late in a life than early"),
        (many_ms * runs(small) <= 1.5 * few_ms * runs(large), "a run costs more in a large dream than in a small one"),
    ];
    match holds.iter().find(|(holds, _)| !holds) {
        Some((_, broken)) => Err((*broken).into()),
        None => Ok(()),
    }
}

/// Half of them took less, in milliseconds.
fn median(dreams: &[DreamCost]) -> f64 {
    let mut micros: Vec<f64> = dreams.iter().map(|d| d.micros).collect();
    micros.sort_by(f64::total_cmp);
    micros.get(micros.len() / 2).map_or(0.0, |middle| middle / 1e3)
}

/// Live until a dream is over; only its own five turns are timed.
fn one(golem: &mut Subject) -> DreamCost {
    let mut took = [0.0; 5];
    loop {
        let begun = Instant::now();
        golem.turn();
        took.rotate_left(1);
        took[4] = begun.elapsed().as_secs_f64() * 1e6;
        for fact in &golem.facts {
            if let Fact::Dream(dream) = &fact.body
                && let DreamFact::Complete { runs, .. } = **dream
            {
                return DreamCost { runs: f64::from(runs), micros: took.iter().sum() };
            }
        }
    }
}

/// The means, and the slope of cost over runs by least squares: mean milliseconds, and microseconds for a run.
fn told(what: &str, dreams: &[&DreamCost]) -> (f64, f64) {
    let n = dreams.len().max(1) as f64;
    let mean = |of: &dyn Fn(&DreamCost) -> f64| dreams.iter().map(|d| of(d)).sum::<f64>() / n;
    let (runs, micros) = (mean(&|d| d.runs), mean(&|d| d.micros));
    let spread: f64 = dreams.iter().map(|d| (d.runs - runs).powi(2)).sum();
    let together: f64 = dreams.iter().map(|d| (d.runs - runs) * (d.micros - micros)).sum();
    println!("{what:<28} {:>7} {runs:>14.1} {:>14.2} {:>20.0}", dreams.len(), micros / 1e3, together / spread);
    (micros / 1e3, together / spread)
}
