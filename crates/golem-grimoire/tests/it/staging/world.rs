//! What the tests of staging share: a world where gas is high and fees follow, or do not.

use crate::kit::{claim, claiming};
use golem_core::VirtualTime;
use golem_core::observed::{Field, Snapshot};
use golem_grimoire::Provenance;
use golem_grimoire::experts::LevelShare;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::staging::{ProposalDraft, Proposed, Staged, Staging, SweepMoment, Swept};

pub const TICK: u64 = 40_000;
pub const GAS: &str = "market.gas_ratio > 2.0";
pub const FEES: &str = "market.fee_yield_ratio > 2.0";

pub fn draft(when: &str, then: &str) -> ProposalDraft {
    ProposalDraft {
        change: Proposed::Entry(Box::new(claiming(when, then))),
        claim: claim(when, then, 20),
        base_rate: 0.3,
        confidence_bp: 2_500,
        utility: 0.5,
        liminal: false,
        source: Provenance::SelfGenerated,
        among: LevelShare::Staged,
    }
}

pub fn seen(gas: f64, fees: f64) -> Snapshot {
    let mut s = Snapshot::new();
    s.set_number(Field::MarketGasRatio, gas).expect("a number");
    s.set_number(Field::MarketFeeYieldRatio, fees).expect("a number");
    s
}

/// A golem in a world where gas is always high and fees follow, or do not, as the test wants.
pub struct World {
    pub shelf: Shelf,
    pub staging: Staging,
    pub tick: u64,
}

impl World {
    pub fn new(drafts: Vec<ProposalDraft>) -> Self {
        let mut world = Self { shelf: Shelf::default(), staging: Staging::default(), tick: 0 };
        for d in drafts {
            let staged = world.staging.stage(&world.shelf, d, world.now());
            assert!(matches!(staged, Staged::Added(_)), "{staged:?}");
        }
        world
    }
    pub fn now(&self) -> VirtualTime {
        VirtualTime(self.tick * TICK)
    }
    pub fn turn(&mut self, snapshot: &Snapshot) -> Swept {
        self.tick += 1;
        let now = self.now();
        self.staging.sweep(&SweepMoment { now, snapshot })
    }
    /// Run until one check is settled with fees as given; returns what the sweep said then.
    pub fn check(&mut self, fees: f64) -> Swept {
        let trial = |w: &Self| w.staging.proposals().next().map(|p| p.trial);
        let before = trial(self).map_or(0, |t| t.hits + t.misses + t.unclear);
        for _ in 0..400 {
            let swept = self.turn(&seen(3.0, fees));
            let after = trial(self).map_or(u32::MAX, |t| t.hits + t.misses + t.unclear);
            if after != before {
                return swept;
            }
        }
        panic!("no check was settled");
    }
}
