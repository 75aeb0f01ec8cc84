//! A life whose deaths are only recorded is the life of a mortal until the death, turn by turn, and goes on after it.

use golem_core::Usdc;
use golem_core::fact::{Envelope, FactBody};
use golem_lab::Subject;
use golem_lab::world::{Synthetic, SyntheticConfig};
use golem_life::{Fact, Settings};
use golem_mortality::config::Deaths;

/// A poor golem that lives dearly: dead within days, whatever it does.
fn settings(deaths: Deaths) -> Settings {
    let mut settings = Settings::default();
    settings.mortality.economic.compute_usdc_per_hour = Usdc(200_000);
    settings.mortality.deaths = deaths;
    settings
}

fn born(seed: u64, deaths: Deaths) -> Subject {
    let world = Synthetic::new(SyntheticConfig::default(), seed).expect("sound");
    Subject::new(seed, Usdc::whole(20), &settings(deaths), world).expect("a market")
}

/// A fact without the name of its golem: the settings are in the name.
fn bare(facts: &[Envelope<Fact>]) -> Vec<String> {
    let of = |f: &Envelope<Fact>| format!("{:?} {:?} {:?} {:?}", f.tick, f.at, f.cause, f.body);
    facts.iter().filter(|f| f.body.name() != "life.born").map(of).collect()
}

#[test]
fn until_death_it_is_the_same_life_and_then_it_goes_on() {
    for seed in [1, 2, 3] {
        let (mut mortal, mut spared) = (born(seed, Deaths::Enforced), born(seed, Deaths::Recorded));
        loop {
            assert!(mortal.turn() && spared.turn());
            if mortal.status().death.is_some() {
                break;
            }
            assert_eq!(bare(&mortal.facts), bare(&spared.facts));
            assert_eq!(mortal.life().balance(), spared.life().balance());
        }
        let (died, would_have) = (mortal.status().death, spared.status().would_have_died_at);
        assert_eq!(died, would_have, "the same death of the same cause in the same turn");
        let at = died.expect("it starved").tick;
        spared.turns(500);
        assert!(!spared.is_dead() && spared.status().death.is_none());
        assert_eq!(spared.status().tick.0, at.0 + 500);
        assert_eq!(spared.status().phase, spared.status().shadow_phase, "no phase is pinned");
        assert_eq!(spared.status().would_have_died_at.map(|d| d.tick), Some(at), "the first death stands");
    }
}
