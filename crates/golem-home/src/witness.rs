//! A being that lives a recorded life again while an auditor follows its clocks: every roll by the sealed secret, every
//! hazard by age and fitness, and every recorded hazard held against both.

use golem_core::dice::Dice;
use golem_core::fact::Envelope;
use golem_core::intent::Holdings;
use golem_core::plain::Pieces;
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
    fn save(&self) -> Pieces {
        self.life.save()
    }
    fn restore(genesis: &Genesis, secret: &Secret, saved: &[u8], memory: Remembered) -> Result<Self, String> {
        let life = B::restore(genesis, secret, saved, memory)?;
        Ok(Self { life, ..Self::born(genesis, secret) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::birth::Identity;
    use golem_core::{Elapsed, Seq, Timestamp, Usdc};
    use golem_life::{Order, Settings};
    use golem_mortality::{DeathCause, LifespanSeen, Mortality};

    /// Turns at most: chance ends the life long before.
    const TURNS: u64 = 5_000;

    /// How a program departs from the rules that its record names.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Lie {
        None,
        /// Its dice come from another secret.
        OtherDice,
        /// Its roll came, and it says that it survived it.
        Spared,
        /// It dies in this turn of an order that nobody gave.
        MadeUp(u64),
        /// It is told to die and does not.
        Deaf,
    }

    /// A being that lives by the real clocks and lies about them.
    struct Liar {
        lie: Lie,
        genesis: Genesis,
        dice: Dice,
        clocks: Mortality,
        tick: Tick,
        ordered: bool,
        facts: Vec<Envelope<Fact>>,
    }

    impl Liar {
        fn lives(&mut self, roll: f64, ordered: Option<&DeathCause>) -> Vec<MortalityFact> {
            let seen = LifespanSeen {
                tick: self.tick.next(),
                age: self.next_age(),
                elapsed: Elapsed::nominal(1),
                at: Timestamp(0),
                balance: Usdc::whole(50),
                reserve: Usdc::whole(1),
                credit: Usdc::ZERO,
                initial: Usdc::whole(50),
                burn_rate: 100.0,
                settled: &[],
                roll,
                entropy_rate: None,
                ordered,
                felt: 0.0,
            };
            let mut facts = Vec::new();
            self.clocks.tick(&seen, &self.genesis.settings.mortality, &mut facts);
            facts
        }
    }

    impl Being for Liar {
        type Fact = Fact;
        type Status = ();
        type Point = ();
        type Genesis = Genesis;
        type Permit = ();

        fn born(genesis: &Genesis, secret: &Secret) -> Self {
            Self {
                lie: Lie::None,
                genesis: genesis.clone(),
                dice: secret.dice(Strand::Death),
                clocks: Mortality::newborn(Timestamp(0), &genesis.settings.mortality),
                tick: Tick(0),
                ordered: false,
                facts: Vec::new(),
            }
        }
        fn begin(&mut self, input: &TickInput) -> Step {
            self.facts.clear();
            self.ordered = !input.orders.is_empty() && self.lie != Lie::Deaf;
            Step::Wishes(Vec::new())
        }
        fn consider(&mut self, _previews: &[Preview]) -> Vec<Option<()>> {
            Vec::new()
        }
        fn finish(&mut self, _receipts: &[Receipt]) -> TurnEnd {
            let tick = self.tick.next();
            if self.lie == Lie::OtherDice {
                self.dice = Secret::from_seed(4).dice(Strand::Death);
            }
            let (roll, before) = (self.dice.uniform(tick.0, 0), self.clocks.clone());
            let order = DeathCause::OwnerKill { reason: String::new() };
            let ordered = self.ordered || self.lie == Lie::MadeUp(tick.0);
            let mut facts = self.lives(roll, ordered.then_some(&order));
            if self.lie == Lie::Spared && self.clocks.death.is_some() {
                self.clocks = before;
                facts = self.lives(1.0, None);
                for fact in &mut facts {
                    if let MortalityFact::StochasticRoll { roll: told, .. } = fact {
                        *told = roll;
                    }
                }
            }
            self.tick = tick;
            let golem = self.genesis.birth.id;
            let told = |body| Envelope { golem, seq: Seq(0), tick, at: Timestamp(0), cause: None, body };
            self.facts.extend(facts.into_iter().map(Fact::Mortality).map(told));
            TurnEnd {
                standing: self.standing(),
                interval: Elapsed::nominal(1),
                insure: false,
                replies: Vec::new(),
                peers: Vec::new(),
                kin: Vec::new(),
            }
        }
        fn facts(&mut self) -> &mut Vec<Envelope<Fact>> {
            &mut self.facts
        }
        fn holdings(&self) -> Holdings {
            Holdings::default()
        }
        fn tick(&self) -> Tick {
            self.tick
        }
        fn next_age(&self) -> VirtualTime {
            VirtualTime(0).after(Elapsed::nominal(self.tick.0 + 1))
        }
        fn standing(&self) -> LifeStanding {
            if self.clocks.death.is_some() { LifeStanding::Dying } else { LifeStanding::Alive }
        }
        fn digest(&self) -> Hash {
            Hash::default()
        }
        fn status(&self) {}
        fn save(&self) -> Pieces {
            Pieces::default()
        }
        fn restore(_: &Genesis, _: &Secret, _: &[u8], _: Remembered) -> Result<Self, String> {
            Err("nothing is saved".to_owned())
        }
    }

    /// Someone whom chance kills within some hundreds of turns.
    fn newborn() -> (Genesis, Secret) {
        let mut settings = Settings::default();
        let chance = &mut settings.mortality.stochastic;
        (chance.base_hazard_rate, chance.age_hazard_coefficient, chance.max_hazard_rate) = (1e-4, 1e-3, 1e-2);
        let (secret, name) = (Secret::from_seed(3), "liar".parse().unwrap());
        let identity = Identity { name: &name, public_key: Hash::default(), commitment: secret.commitment() };
        let birth = identity.first_ancestor(true, Timestamp(0), Usdc::whole(50), settings.hash());
        (Genesis { birth, settings, interval_s: golem_core::NOMINAL_TICK_S, inheritance: None }, secret)
    }

    /// What the rolls of such a life show, under these orders and beside these recorded hazards.
    fn watched(lie: Lie, orders: &[(u64, Ask)], recorded: &[(u64, f64)]) -> Rolls {
        let (genesis, secret) = newborn();
        let rolls = Arc::new(Mutex::new(Rolls::default()));
        let recorded = recorded.iter().copied().collect();
        let mut witness = Witness::<Liar>::new(&genesis, &secret, recorded, Arc::clone(&rolls));
        witness.life.lie = lie;
        for tick in 1..=TURNS {
            let due = orders.iter().filter(|(at, _)| *at == tick);
            let orders = due.map(|(at, ask)| Order { id: *at, ask: ask.clone() }).collect();
            assert_eq!(witness.begin(&TickInput { orders, ..TickInput::default() }), Step::Wishes(Vec::new()));
            let end = witness.finish(&[]);
            assert!(!witness.facts().is_empty(), "turn {tick}: what was looked at is still there");
            if end.standing != LifeStanding::Alive {
                break;
            }
        }
        rolls.lock().unwrap().clone()
    }

    #[test]
    fn an_honest_life_has_every_roll_checked_and_nothing_found() {
        let rolls = watched(Lie::None, &[], &[]);
        let death = rolls.death.expect("chance ends it");
        assert!(matches!(death.cause, DeathCause::Stochastic { .. }), "{death:?}");
        assert!(rolls.findings.is_empty() && rolls.wrong.is_empty(), "{:?}", rolls.findings);
        assert_eq!(rolls.checked, death.tick.0, "every turn has a roll");
        assert!(rolls.closest.is_some_and(|near| near >= 1.0), "{:?}", rolls.closest);
        for ask in [Ask::Kill { reason: String::new() }, Ask::KillSwitch { trigger: String::new() }] {
            let rolls = watched(Lie::None, &[(5, ask)], &[]);
            assert!(rolls.findings.is_empty(), "{:?}", rolls.findings);
            assert_eq!(rolls.death.map(|death| death.tick), Some(Tick(5)));
        }
    }

    #[test]
    fn a_death_that_was_spared_although_its_roll_came_is_found() {
        let due = watched(Lie::None, &[], &[]).death.expect("chance ends it").tick;
        let rolls = watched(Lie::Spared, &[], &[]);
        assert_eq!(rolls.findings[0], format!("turn {due}: a death (stochastic) that was skipped"));
        assert_eq!(rolls.wrong[0], due.0, "not a turn sooner");
        assert!(rolls.checked > due.0, "it lived on");
    }

    #[test]
    fn other_dice_than_the_secret_gives_are_found_in_every_turn() {
        let rolls = watched(Lie::OtherDice, &[], &[]);
        let [told, sealed] = [4, 3].map(|seed| Secret::from_seed(seed).dice(Strand::Death).uniform(1, 0));
        assert_eq!(rolls.findings[0], format!("turn 1: an altered roll, {told:e} where the secret gives {sealed:e}"));
        assert_eq!(rolls.wrong, (1..=rolls.checked).collect::<Vec<_>>());
    }

    #[test]
    fn a_death_that_was_not_due_is_found() {
        let rolls = watched(Lie::MadeUp(7), &[], &[]);
        assert_eq!(rolls.findings, ["turn 7: a death (owner_kill) that was not due"]);
        assert_eq!(rolls.wrong, [7]);
        assert_eq!(rolls.death.map(|death| death.tick), Some(Tick(7)));
    }

    #[test]
    fn an_order_to_die_that_was_not_obeyed_is_found() {
        for ask in [Ask::Kill { reason: String::new() }, Ask::KillSwitch { trigger: String::new() }] {
            let rolls = watched(Lie::Deaf, &[(5, ask)], &[]);
            assert_eq!(rolls.findings, ["turn 5: a death (order) that was skipped"]);
            assert_eq!(rolls.wrong, [5]);
        }
        let fed = watched(Lie::Deaf, &[(5, Ask::Feed { amount: Usdc::whole(1) })], &[]);
        assert!(fed.findings.is_empty(), "no other order is one to die: {:?}", fed.findings);
    }

    #[test]
    fn a_hazard_that_was_altered_in_the_file_is_found() {
        let rolls = watched(Lie::None, &[], &[(5, 0.5)]);
        let what = "turn 5: an altered hazard, 5e-1 where age and fitness give ";
        assert!(rolls.findings.len() == 1 && rolls.findings[0].starts_with(what), "{:?}", rolls.findings);
        assert_eq!(rolls.wrong, [5]);
    }
}
