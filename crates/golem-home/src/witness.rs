//! A being that lives a recorded life again while an auditor follows its clocks: every roll by the sealed secret, every
//! hazard by age and fitness, and every recorded hazard held against both.

use golem_core::dice::Dice;
use golem_core::fact::Envelope;
use golem_core::intent::Holdings;
use golem_core::{Hash, Preview, Receipt, Secret, Strand, Tick, VirtualTime};
use golem_grimoire::{Change, Remembered};
use golem_life::{Answer, Ask, Being, Fact, Genesis, Life, LifeStanding, Step, TickInput, TurnEnd};
use golem_mortality::MortalityFact;
use golem_mortality::audit::{Audit, AuditFinding, AuditedTurn, RecordedDeath, same};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Findings that are told; the others are counted.
const MOST_FINDINGS: usize = 20;

/// What the rolls showed.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct Rolls {
    /// Rolls that were recomputed.
    pub checked: u64,
    /// Turns whose roll, hazard or verdict does not follow from secret, age and fitness.
    pub wrong: Vec<u64>,
    /// What is wrong with the first of them.
    pub findings: Vec<String>,
    /// How near chance came: the smallest roll over its probability.
    pub closest: Option<f64>,
    /// The death that the relived life came to.
    #[serde(skip)]
    pub death: Option<RecordedDeath>,
}

impl Rolls {
    /// Something does not fit.
    pub fn found(&mut self, tick: Tick, what: String) {
        if self.wrong.last() != Some(&tick.0) {
            self.wrong.push(tick.0);
        }
        if self.findings.len() < MOST_FINDINGS {
            self.findings.push(what);
        }
    }
}

/// A life under oath.
pub struct Witness<B = Life> {
    life: B,
    dice: Dice,
    audit: Audit,
    /// Hazards that the file has written down, by turn.
    recorded: BTreeMap<u64, f64>,
    age: VirtualTime,
    ordered: bool,
    rolls: Arc<Mutex<Rolls>>,
}

impl<B: Being<Fact = Fact, Genesis = Genesis>> Witness<B> {
    /// Watch this life; what is found goes into `rolls`.
    pub fn new(genesis: &Genesis, secret: &Secret, recorded: BTreeMap<u64, f64>, rolls: Arc<Mutex<Rolls>>) -> Self {
        Self {
            life: B::born(genesis, secret),
            dice: secret.dice(Strand::Death),
            audit: Audit::of_newborn(&genesis.settings.mortality),
            recorded,
            age: VirtualTime(0),
            ordered: false,
            rolls,
        }
    }

    fn check(&mut self, tick: Tick, facts: &[Envelope<Fact>]) {
        let mut rolls = self.rolls.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = AuditedTurn { tick, age: self.age, roll: self.dice.uniform(tick.0, 0), ordered: self.ordered };
        let told = || {
            facts.iter().filter_map(|fact| match &fact.body {
                Fact::Mortality(fact) => Some(fact),
                _ => None,
            })
        };
        let fitness = told().find_map(|fact| match fact {
            MortalityFact::VitalityUpdate { epistemic, .. } => Some(*epistemic),
            _ => None,
        });
        let hazard = told().find_map(|fact| match fact {
            MortalityFact::StochasticRoll { hazard_rate, .. } => Some(*hazard_rate),
            _ => None,
        });
        if let (Some(fitness), Some(lived)) = (fitness, hazard) {
            rolls.checked += 1;
            let near = self.audit.nearness(&turn, fitness);
            if near >= 1.0 && near.is_finite() && rolls.closest.is_none_or(|c| near < c) {
                rolls.closest = Some(near);
            }
            if let Some(told) = self.recorded.get(&tick.0).copied().filter(|told| !same(*told, lived)) {
                let altered = AuditFinding::AlteredHazard { tick, told, reckoned: lived };
                rolls.found(tick, altered.to_string());
            }
        }
        for finding in self.audit.turn(&turn, told()) {
            rolls.found(finding.tick(), finding.to_string());
        }
        rolls.death = self.audit.death().cloned();
    }
}

impl<B: Being<Fact = Fact, Genesis = Genesis>> Being for Witness<B> {
    type Fact = Fact;
    type Status = B::Status;
    type Point = B::Point;
    type Genesis = Genesis;
    type Permit = B::Permit;

    fn born(genesis: &Genesis, secret: &Secret) -> Self {
        Self::new(genesis, secret, BTreeMap::new(), Arc::default())
    }
    fn begin(&mut self, input: &TickInput) -> Step {
        self.age = self.life.next_age();
        let kills = |ask: &Ask| matches!(ask, Ask::Kill { .. } | Ask::KillSwitch { .. });
        self.ordered = input.orders.iter().any(|order| kills(&order.ask));
        self.life.begin(input)
    }
    fn answered(&mut self, answer: &Answer) -> Step {
        self.life.answered(answer)
    }
    fn facts(&mut self) -> &mut Vec<Envelope<Fact>> {
        self.life.facts()
    }
    fn changes(&mut self) -> Vec<Change> {
        self.life.changes()
    }
    fn consider(&mut self, previews: &[Preview]) -> Vec<Option<B::Permit>> {
        self.life.consider(previews)
    }
    fn finish(&mut self, receipts: &[Receipt]) -> TurnEnd {
        let end = self.life.finish(receipts);
        let told = std::mem::take(self.life.facts());
        self.check(self.life.tick(), &told);
        *self.life.facts() = told;
        end
    }
    fn holdings(&self) -> Holdings {
        self.life.holdings()
    }
    fn tick(&self) -> Tick {
        self.life.tick()
    }
    fn next_age(&self) -> VirtualTime {
        self.life.next_age()
    }
    fn standing(&self) -> LifeStanding {
        self.life.standing()
    }
    fn digest(&self) -> Hash {
        self.life.digest()
    }
    fn status(&self) -> B::Status {
        self.life.status()
    }
    fn save(&self) -> Vec<u8> {
        self.life.save()
    }
    fn restore(genesis: &Genesis, secret: &Secret, saved: &[u8], memory: Remembered) -> Result<Self, String> {
        let life = B::restore(genesis, secret, saved, memory)?;
        Ok(Self { life, ..Self::born(genesis, secret) })
    }
}
