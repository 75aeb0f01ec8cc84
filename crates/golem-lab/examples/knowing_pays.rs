//! What experts bring, in worlds in which something can be known: what the panels lost less without them, as a share of a
//! usual loss, by domain, with its standard error. `bardo lab compare --switch grimoire.enabled=false,true` holds whole lives
//! against each other.
//!
//! `cargo run --release -p golem-lab --example knowing_pays -- WORLD[,WORLD...] SEEDS DAYS [told]`; `told` lists what was
//! found in each life.
#![expect(clippy::print_stdout, reason = "it is a program whose result is a table")]

use golem_core::Usdc;
use golem_grimoire::experts::DOMAINS;
use golem_lab::Subject;
use golem_lab::stats::mean_and_error;
use golem_lab::world::place;
use golem_life::Settings;
use golem_mortality::config::Deaths;

/// What experts brought, as a share of what the panels lost, by domain.
fn live(world: &str, seed: u64, days: f64, told: bool) -> [f64; DOMAINS.len()] {
    let there = place(world, seed).expect("a world");
    let mut settings = Settings::default();
    settings.mortality.deaths = Deaths::Recorded;
    let sentence = there.truth.sentence.clone();
    let mut subject = Subject::placed(seed, Usdc::whole(10_000), &settings, there).expect("a market");
    while subject.age_days() < days && subject.turn() {}
    let life = subject.life();
    let blocks = |d: golem_mortality::Domain| days / d.horizon().as_days();
    let account = |d| life.grimoire().and_then(|g| g.experts().account(d)).map_or(0.0, |a| a.0 / blocks(d));
    let brought = DOMAINS.map(account);
    if let Some(grimoire) = life.grimoire().filter(|_| told) {
        println!("  {world} {seed}: {sentence}");
        println!(
            "  {} hypotheses; strongest {:.1?}",
            grimoire.experts().search().count(),
            grimoire.experts().search().strongest()
        );
        for domain in DOMAINS {
            let account = grimoire.experts().account(domain).unwrap_or_default();
            println!("  {domain}: brought {:.1}, purse {:.1}", account.0, account.1);
            for one in grimoire.experts().speakers(domain) {
                let entry = grimoire.shelf().entry(one.entry);
                let (text, bp) = entry.map_or(("gone", 0), |e| (e.body.text.as_str(), e.standing.confidence_bp));
                let proven = if one.proven { "proven" } else { "heard" };
                println!("    {proven} {:+.2} {bp} {text}", one.expects());
            }
            let mut tried: Vec<_> = grimoire.experts().search().tried_so_far(domain).collect();
            tried.sort_by(|a, b| b.1.evidence().log_value().total_cmp(&a.1.evidence().log_value()));
            for (words, learner) in tried.into_iter().take(4) {
                let (hits, misses) = learner.record();
                println!(
                    "      {:6.1} {:+.2} lead {:5.1} {hits}/{misses} {words}",
                    learner.evidence().log_value(),
                    learner.slope(),
                    learner.lead()
                );
            }
        }
    }
    brought
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |n: usize, or: f64| words.get(n).and_then(|w| w.parse().ok()).unwrap_or(or);
    let (seeds, days) = (number(1, 3.0) as u64, number(2, 30.0));
    let told = words.iter().any(|w| w == "told");
    for world in words.first().map_or("flat", String::as_str).split(',') {
        let lives: Vec<_> = (1..=seeds).map(|seed| live(world, seed, days, told)).collect();
        for (n, name) in DOMAINS.iter().enumerate() {
            let all: Vec<f64> = lives.iter().map(|brought| brought[n]).collect();
            let (mean, error) = mean_and_error(&all);
            println!("{world:12} {name:18} {mean:+.4} +- {error:.4}");
        }
    }
}
