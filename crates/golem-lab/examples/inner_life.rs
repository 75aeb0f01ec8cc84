//! What affect and suffering change in how a golem behaves: the same lives with each switched off, side by side.
//!
//! `cargo run --release -p golem-lab --example inner_life [SEEDS] [DAYS]`
#![expect(clippy::print_stdout, reason = "it is a program whose result is a table")]

use golem_core::Usdc;
use golem_core::fact::FactBody;
use golem_lab::Subject;
use golem_lab::world::{Synthetic, SyntheticConfig};
use golem_life::{Fact, LifeFact, Settings};
use std::collections::BTreeMap;

/// What is counted of a life.
#[derive(Default)]
struct Life {
    days: f64,
    nav: f64,
    opened: u64,
    reduced: u64,
    exposure: f64,
    load: f64,
    closed: u64,
    facts: BTreeMap<String, u64>,
}

fn live(seed: u64, days: u64, funding: Usdc, settings: &Settings) -> Life {
    let world = Synthetic::new(SyntheticConfig::default(), seed).expect("a world");
    let mut subject = Subject::new(seed, funding, settings, world).expect("a market");
    let mut life = Life::default();
    let mut turns = 0u64;
    while subject.age_days() < days as f64 && subject.turn() {
        turns += 1;
        for fact in &subject.facts {
            match &fact.body {
                Fact::Daimon(fact) => *life.facts.entry(fact.name().to_owned()).or_default() += 1,
                Fact::Life(LifeFact::Decided { action }) if action.only_reduces() => life.reduced += 1,
                Fact::Life(LifeFact::Decided { .. }) => life.opened += 1,
                _ => {}
            }
        }
        if turns.is_multiple_of(90) {
            let status = subject.status();
            life.exposure += status.exposure;
            life.load += status.load.unwrap_or(0.0);
            life.closed += u64::from(status.locked.iter().any(|l| l.starts_with("open")));
        }
    }
    let hours = (turns / 90).max(1) as f64;
    life.exposure /= hours;
    life.load /= hours;
    life.days = subject.age_days();
    life.nav = subject.status().balance.as_f64();
    life
}

fn main() {
    let mut args = std::env::args().skip(1).filter_map(|a| a.parse::<u64>().ok());
    let (seeds, days) = (args.next().unwrap_or(8), args.next().unwrap_or(30));
    let full = Settings::default();
    let mut unfeeling = full.clone();
    unfeeling.mortality.affect.enabled = false;
    let mut painless = full.clone();
    painless.suffering.enabled = false;
    let mut neither = unfeeling.clone();
    neither.suffering.enabled = false;
    let rich = Usdc::whole(500);
    // Enough for some days: it lives in sight of its end.
    let poor = Usdc::whole(3);
    let scenes = [("well funded", rich, false), ("poor", poor, false), ("threatened", rich, true)];
    for (title, funding, threatened) in scenes {
        println!("{seeds} lives of at most {days} days, {title} ({funding} USDC), means");
        println!(
            "{:<18} {:>6} {:>8} {:>7} {:>8} {:>9} {:>6} {:>8}",
            "", "days", "USDC", "opened", "reduced", "exposure", "load", "closed h"
        );
        for (name, settings) in
            [("both", &full), ("no affect", &unfeeling), ("no suffering", &painless), ("neither", &neither)]
        {
            let mut settings = settings.clone();
            if threatened {
                // It counts as senescent, and is spared the end: what presses on it does not let go.
                settings.mortality.immortal = true;
                settings.mortality.epistemic.measure = golem_mortality::config::Measure::RSquared;
                settings.mortality.epistemic.senescence_threshold = 0.6;
                settings.mortality.epistemic.recovery_threshold = 0.9;
            }
            let lives: Vec<Life> = (1..=seeds).map(|seed| live(seed, days, funding, &settings)).collect();
            show(name, &lives);
        }
    }
}

fn show(name: &str, lives: &[Life]) {
    let mean = |of: &dyn Fn(&Life) -> f64| lives.iter().map(of).sum::<f64>() / lives.len() as f64;
    println!(
        "{name:<18} {:>6.1} {:>8.2} {:>7.1} {:>8.1} {:>9.4} {:>6.3} {:>8.1}",
        mean(&|l| l.days),
        mean(&|l| l.nav),
        mean(&|l| l.opened as f64),
        mean(&|l| l.reduced as f64),
        mean(&|l| l.exposure),
        mean(&|l| l.load),
        mean(&|l| l.closed as f64),
    );
    let mut facts: BTreeMap<&str, u64> = BTreeMap::new();
    lives.iter().flat_map(|l| &l.facts).for_each(|(name, n)| *facts.entry(name).or_default() += n);
    for (name, n) in facts {
        println!("    {name:<28} {n}");
    }
}
