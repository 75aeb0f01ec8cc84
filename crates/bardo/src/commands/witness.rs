//! A being that lives a recorded life again and checks every death roll against the secret, independently of the life.

use golem_cage::Permit;
use golem_core::dice::Dice;
use golem_core::fact::Envelope;
use golem_core::intent::Holdings;
use golem_core::{Hash, Preview, Receipt, Secret, Strand, Tick, VirtualTime};
use golem_grimoire::{Change, Remembered};
use golem_life::{Answer, Being, Fact, Genesis, Life, Standing, Status, Step, TickInput, TurnEnd};
use golem_mortality::MortalityFact;
use golem_mortality::stochastic::death_probability;
use std::sync::{Arc, Mutex, PoisonError};

/// What the rolls showed.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct Rolls {
    /// Rolls that were recomputed.
    pub checked: u64,
    /// Turns whose roll or verdict does not follow from the secret.
    pub wrong: Vec<u64>,
    /// How near chance came: the smallest roll over its probability.
    pub closest: Option<f64>,
}

/// A life under oath.
pub struct Witness {
    life: Life,
    dice: Dice,
    elapsed_nominal: f64,
    rolls: Arc<Mutex<Rolls>>,
}

impl Witness {
    /// Watch this life; what the rolls show goes into `rolls`.
    pub fn new(genesis: &Genesis, secret: &Secret, rolls: Arc<Mutex<Rolls>>) -> Self {
        Self { life: Life::born(genesis, secret), dice: secret.dice(Strand::Death), elapsed_nominal: 0.0, rolls }
    }

    fn check(&self, fact: &Envelope<Fact>) {
        let Fact::Mortality(MortalityFact::StochasticRoll { hazard_rate, roll, survived }) = fact.body else { return };
        let mut rolls = self.rolls.lock().unwrap_or_else(PoisonError::into_inner);
        let expected = self.dice.uniform(fact.tick.0, 0);
        let q = death_probability(hazard_rate, self.elapsed_nominal);
        rolls.checked += 1;
        if expected.to_bits() != roll.to_bits() || survived != (roll >= q) {
            rolls.wrong.push(fact.tick.0);
        }
        let near = roll / q;
        if survived && near.is_finite() && rolls.closest.is_none_or(|c| near < c) {
            rolls.closest = Some(near);
        }
    }
}

impl Being for Witness {
    type Fact = Fact;
    type Status = Status;
    type Point = golem_life::Point;
    type Genesis = Genesis;
    type Permit = Permit;

    fn born(genesis: &Genesis, secret: &Secret) -> Self {
        Self::new(genesis, secret, Arc::default())
    }
    fn begin(&mut self, input: &TickInput) -> Step {
        self.elapsed_nominal = self.life.next_age().since(self.life.age()).as_nominal();
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
    fn consider(&mut self, previews: &[Preview]) -> Vec<Option<Permit>> {
        self.life.consider(previews)
    }
    fn finish(&mut self, receipts: &[Receipt]) -> TurnEnd {
        let end = self.life.finish(receipts);
        let told = std::mem::take(self.life.facts());
        told.iter().for_each(|fact| self.check(fact));
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
    fn standing(&self) -> Standing {
        Being::standing(&self.life)
    }
    fn digest(&self) -> Hash {
        self.life.digest()
    }
    fn status(&self) -> Status {
        self.life.status()
    }
    fn save(&self) -> Vec<u8> {
        self.life.save()
    }
    fn restore(genesis: &Genesis, secret: &Secret, saved: &[u8], memory: Remembered) -> Result<Self, String> {
        let life = Life::restore(genesis, secret, saved, memory)?;
        Ok(Self { life, ..Self::born(genesis, secret) })
    }
}
