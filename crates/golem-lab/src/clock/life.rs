//! One life under the clock: when it was called senescent, how often its phase changed, what it was worth, how it died.

use super::{ClockPlan, DAY_OF_CHANGE};
use crate::Subject;
use crate::compare::{ArmSettings, CompareError, PathWorld, WorldSource};
use crate::subject::{account, floor_of, hands_of, newborn};
use crate::world::{Blow, SyntheticConfig};
use golem_core::door::World;
use golem_core::time::NOMINAL_TICKS_PER_DAY;
use golem_core::{Elapsed, Usdc, VirtualTime};
use golem_life::{Fact, Settings};
use golem_mortality::MortalityFact;
use golem_mortality::config::Deaths;
use golem_mortality::couplings::plasticity;
use golem_mortality::epistemic::SenescenceStage;
use golem_venue::floor::FloorWorld;
use golem_venue::market::MarketConfig;
use serde::{Deserialize, Serialize};

/// What the clock remembers, in days.
const CLOCK_MEMORY_DAYS: f64 = 5.0;

/// What kind of mind it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockMind {
    /// It learns all its life.
    Learning,
    /// It stops learning on the day of change.
    Frozen,
    /// It says the opposite of what it thinks from the day of change on.
    TurnedRound,
    /// It never learns.
    NeverLearnt,
}

impl ClockMind {
    /// Give a golem this mind.
    pub(super) fn give(self, settings: &mut Settings) {
        let change = DAY_OF_CHANGE * NOMINAL_TICKS_PER_DAY;
        match self {
            Self::Learning => {}
            Self::Frozen => settings.mind.freeze_at_tick = change,
            Self::TurnedRound => settings.mind.turn_round_at_tick = change,
            Self::NeverLearnt => settings.mind.learning = false,
        }
    }
}

/// What came of a life.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClockLife {
    pub world: String,
    pub mind: ClockMind,
    pub seed: u64,
    /// Virtual days lived.
    pub days: f64,
    /// The day on which it was first called senescent.
    pub senescent_on: Option<f64>,
    /// The first such day on or after the day of change.
    pub senescent_after_change: Option<f64>,
    /// The part of the five days before that in which its phase let it learn nothing new.
    pub unlearning_before: Option<f64>,
    pub phase_changes: u64,
    /// Days in which it was senescent.
    pub senescent_days: f64,
    /// Fitness and lead at the end, and their lowest.
    pub fitness: f64,
    pub lead: f64,
    pub lowest_fitness: f64,
    pub lowest_lead: f64,
    /// The first death, enforced or recorded: of what, and when.
    pub death: Option<(String, f64)>,
    /// The sum of its hazard: survival is e to the minus of it.
    pub hazard: f64,
    /// Net asset value at the end, over what it was given.
    pub worth: f64,
    /// Skill against the last value over the whole life, by domain.
    pub skill: Vec<(String, Option<f64>)>,
    /// Skill of the last five days against half-way and against a newborn, by domain.
    pub half_way: Vec<(String, Option<f64>)>,
    pub newborn: Vec<(String, Option<f64>)>,
}

/// What a life is lived by.
pub(super) struct ClockTerms<'a> {
    pub source: &'a WorldSource,
    pub world: &'a str,
    pub mind: ClockMind,
    pub settings: Settings,
    pub budget: Usdc,
    pub path: u64,
    pub days: u64,
}

impl ClockTerms<'_> {
    /// Live it in the lab's mode.
    pub(super) fn live_recorded(mut self, plan: &ClockPlan) -> Result<ClockLife, CompareError> {
        self.settings.mortality.deaths = Deaths::Recorded;
        self.live(plan)
    }

    /// Live it to the last day, or to its death.
    pub(super) fn live(mut self, plan: &ClockPlan) -> Result<ClockLife, CompareError> {
        self.mind.give(&mut self.settings);
        let seed = plan.seed + self.path;
        let arm =
            ArmSettings { life: self.settings, market: MarketConfig::default(), synthetic: SyntheticConfig::default() };
        let PathWorld { world, market, blow, .. } = self.source.path(self.path, seed, self.days, &arm)?;
        let (secret, genesis) = newborn(seed, self.budget, &arm.life, &world);
        let (who, ends) = (account(&genesis), world.ends_at());
        let floor = floor_of(seed, world, market, blow.as_ref().map(Blow::scenario))?;
        let seen = FloorWorld::new(floor.clone(), who, 0).like(Some(genesis.interval_s), ends);
        let hands = Box::new(hands_of(&genesis, floor.clone()));
        let mut subject = Subject::on(&genesis, &secret, Box::new(seen), hands);
        let mut life = ClockLife::begin(self.world, self.mind, seed);
        let last = VirtualTime::default().after(Elapsed::secs(self.days * 86_400));
        let (mut turns, mut was, mut senescent, mut unlearning) = (0u64, 0.0, false, 0.0);
        while subject.next_age() <= last && subject.turn() {
            let day = subject.age_days();
            let learns = plasticity(subject.life().mortality().vitality.phase) > 0.0;
            unlearning += (f64::from(u8::from(!learns)) - unlearning) * ((day - was) / CLOCK_MEMORY_DAYS).min(1.0);
            for fact in &subject.facts {
                if let Fact::Mortality(fact) = &fact.body {
                    life.hear(fact, day, (day - was) * NOMINAL_TICKS_PER_DAY as f64, &mut senescent);
                }
            }
            if senescent {
                life.unlearning_before.get_or_insert(unlearning);
                life.senescent_days += day - was;
                if day >= DAY_OF_CHANGE as f64 {
                    life.senescent_after_change.get_or_insert(day);
                }
            }
            was = day;
            turns += 1;
            if turns % 90 == 0 {
                let clock = &subject.life().mortality().epistemic;
                life.lowest_fitness = life.lowest_fitness.min(clock.fitness);
                life.lowest_lead = life.lowest_lead.min(clock.lead);
            }
            if turns % NOMINAL_TICKS_PER_DAY == 0 {
                drop(FloorWorld::new(floor.clone(), who, 0).hand_over());
            }
        }
        if let Some(trouble) = floor.hold().trouble() {
            return Err(trouble.clone().into());
        }
        let status = subject.status();
        life.days = subject.age_days();
        (life.fitness, life.lead) = (status.vitality.epistemic, status.lead);
        life.worth = status.worth().as_f64() / self.budget.as_f64();
        let by_domain = |of: fn(&golem_mind::forecast::Scores) -> Option<f64>| {
            status.forecasts.iter().map(|s| (s.domain.name().to_owned(), of(s))).collect()
        };
        life.skill = by_domain(|s| s.overall);
        life.half_way = by_domain(|s| s.half_way);
        life.newborn = by_domain(|s| s.newborn);
        let death = status.death.or(status.would_have_died_at);
        life.death = death.map(|d| (d.cause.name().to_owned(), d.age.age().as_days()));
        Ok(life)
    }
}

impl ClockLife {
    fn begin(world: &str, mind: ClockMind, seed: u64) -> Self {
        Self {
            world: world.to_owned(),
            mind,
            seed,
            days: 0.0,
            senescent_on: None,
            senescent_after_change: None,
            unlearning_before: None,
            phase_changes: 0,
            senescent_days: 0.0,
            fitness: 0.5,
            lead: 0.0,
            lowest_fitness: 0.5,
            lowest_lead: 0.0,
            death: None,
            hazard: 0.0,
            worth: 1.0,
            skill: Vec::new(),
            half_way: Vec::new(),
            newborn: Vec::new(),
        }
    }

    fn hear(&mut self, fact: &MortalityFact, day: f64, ticks: f64, senescent: &mut bool) {
        match fact {
            MortalityFact::PhaseTransition { .. } => self.phase_changes += 1,
            MortalityFact::Senescence { stage, .. } => {
                *senescent = *stage >= SenescenceStage::Confirmed;
                if *senescent {
                    self.senescent_on.get_or_insert(day);
                }
            }
            MortalityFact::StochasticRoll { hazard_rate, .. } => self.hazard += hazard_rate * ticks,
            _ => {}
        }
    }
}
