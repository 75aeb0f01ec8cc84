//! A slow loss: a golem that goes on holding what loses a little every day is stopped, and stays stopped.

use golem_cage::CageFact;
use golem_core::Usdc;
use golem_lab::Subject;
use golem_lab::subject::{account, hands_of, newborn, paper_in};
use golem_lab::world::{Synthetic, SyntheticConfig};
use golem_life::{Ask, Fact, Settings};
use golem_mind::policy::Template;
use golem_venue::floor::FloorWorld;
use golem_venue::scenario::{Happening, Scenario, ScenarioEvent};

const DAY: u64 = 2_160;
const DAYS: u64 = 60;

/// A golem that buys the same amount again and again while the price loses a hundredth a day.
fn drifting(settings: &Settings) -> Subject {
    let seed = 7;
    let quiet = SyntheticConfig { volatility: 0.1, predictability: 0.0, jumps_per_day: 0.0, ..Default::default() };
    let world = || Synthetic::new(quiet.clone(), seed).unwrap();
    let what = Happening::Drift { bps_per_day: -100 };
    let event = ScenarioEvent { at_tick: 1, for_ticks: DAYS * DAY, what };
    let weather = Scenario { name: "drift".to_owned(), about: String::new(), events: vec![event] };
    let (secret, genesis) = newborn(seed, Usdc::whole(10_000), settings, &world());
    let floor = paper_in(seed, world(), Some(weather)).unwrap();
    let seen = FloorWorld::new(floor.clone(), account(&genesis), 0).like(Some(genesis.interval_s), None);
    Subject::on(&genesis, &secret, Box::new(seen), Box::new(hands_of(&genesis, floor)))
}

fn buyer() -> Settings {
    let mut settings = Settings::default();
    settings.policy.template = Template::EthDca;
    settings.policy.eth_dca.amount_usdc = Usdc::whole(100);
    settings.mortality.immortal = true;
    // What the exposure limits leave it to hold loses less than a fifth: held by a tenth, so that there is something to stop.
    settings.cage.bleed_bps = 1_000;
    settings
}

/// The turn at which the hold begins, if one of these does.
fn bleeds(subject: &Subject) -> bool {
    let held = |fact: &CageFact| matches!(fact, CageFact::Bled { held: true, .. });
    subject.facts.iter().any(|fact| matches!(&fact.body, Fact::Cage(fact) if held(fact)))
}

#[test]
fn what_bleeds_is_given_up_and_the_bleeding_ends() {
    let settings = buyer();
    let mut golem = drifting(&settings);
    let mut turn = 0;
    while !bleeds(&golem) {
        assert!(turn < DAYS * DAY && golem.turn(), "nothing was held by turn {turn}: {:?}", golem.status().worth());
        turn += 1;
    }
    let then = golem.status();
    assert!(then.exposure > 0.2, "who holds nothing has nothing to lose: {}", then.exposure);
    // Within the turns that unwinding takes, and some for what had to wait for its reference, all of it is gone.
    let unwind = u64::from(settings.policy.unwind_turns) + 50;
    golem.turns(unwind);
    let gone = golem.status();
    assert!(gone.exposure < 0.001, "{} is still held", gone.exposure);
    golem.turns(DAYS * DAY - turn - unwind);
    let end = golem.status();
    // What was spent is rent and gas; giving up in pieces within the reference costs fee and slippage.
    let spent = end.spent.minus(then.spent);
    let least = then.worth().minus(spent).minus(then.worth().share_bps(60));
    assert!(end.worth() >= least, "{} to {}, of which {spent} was spent", then.worth(), end.worth());
    assert!(end.cage.bled && end.exposure < 0.001, "no patience ends it, and nothing is bought meanwhile");
    // By the owner's word it begins again.
    golem.ask(Ask::Resume);
    golem.turns(DAY);
    assert!(golem.status().exposure > 0.0, "resumed, it buys again");
}
