//! What is tried on copies of a floor over real contracts: exact where it was lived, also out of the chain's file, and the
//! same as on paper. `BARDO_LONG=1` does a thousand acts again.

use super::common::contracts;
use crate::dream_kit::{self as kit, STORM, Trader, Wander, at, plan, run};
use golem_chain::embedded::{EmbeddedChain, EmbeddedConfig};
use golem_core::door::{ForkDeed, ForkFailure, ForkFrom, ForkRun};
use golem_venue::floor::{Floor, SharedFloor};
use golem_venue::market::{Outside as _, OutsideTick};
use golem_venue::scenario::{Happening, ScenarioEvent};
use std::path::Path;
use std::sync::atomic::Ordering;

const SIGMA: f64 = 0.001;
const RANGE: ForkDeed = ForkDeed::KeepRange { width_bps: 500, share_bps: 5_000 };

fn first(seed: u64) -> OutsideTick {
    Wander::new(seed, SIGMA).at(0).unwrap()
}

/// The floor over a chain in a file, begun there or found there.
fn embedded(seed: u64, scenario: Option<&str>, file: &Path, outside: Wander) -> Option<SharedFloor> {
    let plan = plan(seed, scenario);
    let genesis = plan.genesis(false, &first(seed));
    let config = EmbeddedConfig { write_every: u64::MAX, ..EmbeddedConfig::new(genesis.clone()) };
    let chain = EmbeddedChain::open(file, contracts()?, &config).unwrap();
    let kept = chain.market_state().map(<[u8]>::to_vec);
    let mut floor = Floor::new(plan, &genesis, Box::new(chain), Box::new(outside)).unwrap();
    if let Some(kept) = kept {
        floor.restore(&kept).unwrap();
    }
    Some(SharedFloor::new(floor))
}

/// Trades until there are so many acts; the chain is written in the middle of it.
fn live(trader: &mut Trader, acts: usize) -> u64 {
    for n in 1.. {
        trader.turn(n);
        if n == 60 {
            trader.floor.hold().commit().unwrap();
        }
        if trader.acts.len() >= acts && n >= 100 {
            return n;
        }
    }
    unreachable!("it acts sooner or later")
}

#[test]
fn doing_what_was_done_gives_the_receipt_that_was_lived_on_contracts() {
    let wanted = if std::env::var_os("BARDO_LONG").is_some() { 1_000 } else { 60 };
    for (seed, scenario) in [(1, None), (2, Some(STORM))] {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("chain.db");
        let Some(floor) = embedded(seed, scenario, &file, Wander::new(seed, SIGMA)) else { return };
        let mut trader = Trader::on(floor, seed);
        live(&mut trader, wanted);
        assert!(kit::same_again(&mut trader) >= wanted);
        // Out of the file alone.
        trader.floor.hold().commit().unwrap();
        let acts = std::mem::take(&mut trader.acts);
        drop(trader);
        let outside = Wander::new(seed, SIGMA);
        let asked = std::sync::Arc::clone(&outside.asked);
        let floor = embedded(seed, scenario, &file, outside).unwrap();
        let mut again = Trader::on(floor, seed);
        again.acts = acts;
        assert!(kit::same_again(&mut again) >= wanted);
        let far =
            again.acts.iter().rev().take(4).map(|act| run(ForkFrom::Lived(at(act)), &[(0, RANGE)], 300)).collect();
        assert!(again.ask(far).runs.iter().all(Result::is_ok));
        assert_eq!(asked.load(Ordering::Relaxed), again.tick(), "nobody asked for a tick that was not lived");
    }
}

#[test]
fn runs_come_to_the_same_on_paper_and_on_contracts_and_leave_no_trace() {
    for (seed, scenario) in [(3, None), (4, Some(STORM))] {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("chain.db");
        let Some(floor) = embedded(seed, scenario, &file, Wander::new(seed, SIGMA)) else { return };
        let paper = Floor::paper(plan(seed, scenario), false, Box::new(Wander::new(seed, SIGMA))).unwrap();
        let [mut ours, mut theirs] = [floor, SharedFloor::new(paper)].map(|floor| Trader::on(floor, seed));
        let end = live(&mut ours, 40);
        theirs.turns(1..end + 1);
        assert_eq!(ours.acts.len(), theirs.acts.len());
        let head = ours.floor.hold().ground().view().unwrap();
        let crash = Happening::Shock { bps: -2_500, over_ticks: 3, reverts: false };
        let weather = vec![ScenarioEvent { at_tick: 4, for_ticks: 30, what: crash }];
        let runs = |trader: &Trader| -> Vec<ForkRun> {
            let share = ForkDeed::KeepShare { share_bps: 4_000, band_bps: 300 };
            let past = trader.acts.iter().step_by(5).map(|act| run(ForkFrom::Lived(at(act)), &[(0, RANGE)], 25));
            let threats = [&[(0, share)][..], &[(2, ForkDeed::Unwind)], &[]]
                .map(|acts| ForkRun { weather: weather.clone(), ..run(ForkFrom::Present, acts, 20) });
            past.chain(threats).collect()
        };
        let (asked, asked_on_paper) = (runs(&ours), runs(&theirs));
        let reply = ours.ask(asked.clone());
        assert!(reply.runs.iter().all(Result::is_ok), "{reply:?}");
        assert_eq!(reply.runs, theirs.ask(asked_on_paper).runs);
        assert_eq!(reply, ours.ask(asked));
        assert_eq!(ours.floor.hold().ground().view().unwrap(), head);
        let nowhere = golem_core::Point { block: head.point.block + 3, index: 0 };
        let reply = ours.ask(vec![run(ForkFrom::Lived(nowhere), &[], 0)]);
        assert_eq!(reply.runs, [Err(ForkFailure::NoSuchPoint)]);
        ours.turns(end + 1..end + 15);
        theirs.turns(end + 1..end + 15);
        let pools = [&ours, &theirs].map(|trader| trader.floor.hold().ground().view().unwrap().pool);
        assert_eq!(pools[0], pools[1]);
    }
}
