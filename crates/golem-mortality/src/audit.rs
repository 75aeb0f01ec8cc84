//! Was every death due, and was none skipped? An account of a life's facts that follows its clocks by itself: the roll
//! comes from the sealed secret, the hazard from age and fitness, and neither is taken from what the life said of it.

use crate::config::MortalityConfig;
use crate::death::DeathCause;
use crate::epistemic::SenescenceStage;
use crate::facts::MortalityFact;
use crate::stochastic::{death_probability, hazard};
use golem_core::{Tick, VirtualTime};
use serde::Serialize;
use std::fmt;

/// Hazards that differ by less than this share are the same.
const SAME: f64 = 1e-9;

/// One turn as the outside knows it.
#[derive(Debug, Clone, Copy)]
pub struct AuditedTurn {
    /// The turn.
    pub tick: Tick,
    /// Age at its end.
    pub age: VirtualTime,
    /// The roll that follows from the sealed secret.
    pub roll: f64,
    /// Whether it was told to die.
    pub ordered: bool,
}

/// What does not fit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "finding")]
pub enum AuditFinding {
    /// It died, and nothing says that it had to.
    NotDue {
        /// The turn.
        tick: Tick,
        /// Of what, as it says.
        cause: &'static str,
    },
    /// It should have died, and lived on.
    Skipped {
        /// The turn.
        tick: Tick,
        /// Of what.
        cause: &'static str,
    },
    /// The roll is not the one that the secret gives.
    AlteredRoll {
        /// The turn.
        tick: Tick,
        /// As it says.
        told: f64,
        /// By the secret.
        sealed: f64,
    },
    /// The hazard is not the one that age and fitness give.
    AlteredHazard {
        /// The turn.
        tick: Tick,
        /// As it says.
        told: f64,
        /// By age and fitness.
        reckoned: f64,
    },
}

impl AuditFinding {
    /// The turn it is about.
    #[must_use]
    pub fn tick(&self) -> Tick {
        match self {
            Self::NotDue { tick, .. }
            | Self::Skipped { tick, .. }
            | Self::AlteredRoll { tick, .. }
            | Self::AlteredHazard { tick, .. } => *tick,
        }
    }
}

impl fmt::Display for AuditFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotDue { tick, cause } => write!(f, "turn {tick}: a death ({cause}) that was not due"),
            Self::Skipped { tick, cause } => write!(f, "turn {tick}: a death ({cause}) that was skipped"),
            Self::AlteredRoll { tick, told, sealed } => {
                write!(f, "turn {tick}: an altered roll, {told:e} where the secret gives {sealed:e}")
            }
            Self::AlteredHazard { tick, told, reckoned } => {
                write!(f, "turn {tick}: an altered hazard, {told:e} where age and fitness give {reckoned:e}")
            }
        }
    }
}

/// The auditor's own account of the clocks.
#[derive(Debug, Clone)]
pub struct Audit {
    config: MortalityConfig,
    age: VirtualTime,
    vigil: Option<u64>,
    stale: StaleSince,
    death: Option<RecordedDeath>,
}

/// Since when a newborn would have known better, and since when that is confirmed, by the facts of senescence.
#[derive(Debug, Clone, Copy, Default)]
struct StaleSince {
    warned: Option<VirtualTime>,
    confirmed: Option<VirtualTime>,
}

/// What a life's facts say of its end.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedDeath {
    /// In which turn it was recorded.
    pub tick: Tick,
    /// Of what.
    pub cause: DeathCause,
    /// The roll of that turn, as it says.
    pub roll: f64,
    /// Whether the last stage of dying has passed.
    pub is_final: bool,
}

/// What the facts of a turn say of the clocks.
#[derive(Debug, Default)]
struct ToldByFacts<'a> {
    vitality: Option<(f64, f64, f64)>,
    roll: Option<(f64, f64, bool)>,
    vigil: Option<bool>,
    senescence: Option<SenescenceStage>,
    dying: Option<(&'a DeathCause, f64)>,
    dead: bool,
}

impl<'a> ToldByFacts<'a> {
    fn by(facts: impl Iterator<Item = &'a MortalityFact>) -> Self {
        let mut told = Self::default();
        for fact in facts {
            match fact {
                MortalityFact::VitalityUpdate { economic, epistemic, composite, .. } => {
                    told.vitality = Some((*economic, *epistemic, *composite));
                }
                MortalityFact::StochasticRoll { hazard_rate, roll, survived } => {
                    told.roll = Some((*hazard_rate, *roll, *survived));
                }
                MortalityFact::Vigil { open, .. } => told.vigil = Some(*open),
                MortalityFact::Senescence { stage, .. } => told.senescence = Some(*stage),
                MortalityFact::Dying { cause, roll, .. } => told.dying = Some((cause, *roll)),
                MortalityFact::Dead { .. } => told.dead = true,
                _ => {}
            }
        }
        told
    }
}

impl Audit {
    /// Of a newborn with these settings.
    #[must_use]
    pub fn of_newborn(config: &MortalityConfig) -> Self {
        Self { config: config.clone(), age: VirtualTime(0), vigil: None, stale: StaleSince::default(), death: None }
    }

    /// The death that its facts tell of, if they do.
    #[must_use]
    pub fn death(&self) -> Option<&RecordedDeath> {
        self.death.as_ref()
    }

    /// How near chance came in a turn that it survived: the roll over the probability of dying.
    #[must_use]
    pub fn nearness(&self, turn: &AuditedTurn, fitness: f64) -> f64 {
        turn.roll / self.probability(turn, fitness)
    }

    fn probability(&self, turn: &AuditedTurn, fitness: f64) -> f64 {
        let h = hazard(turn.age.nominal(), fitness, &self.config.stochastic);
        death_probability(h, turn.age.since(self.age).as_nominal())
    }

    /// Hold a turn's facts against the account. A turn in which the clocks stood still (paused, dying) has none to hold.
    pub fn turn<'a>(
        &mut self,
        turn: &AuditedTurn,
        facts: impl Iterator<Item = &'a MortalityFact>,
    ) -> Vec<AuditFinding> {
        let (told, mut found) = (ToldByFacts::by(facts), Vec::new());
        let tick = turn.tick;
        if let Some(death) = &mut self.death {
            if told.vitality.is_some() {
                found.push(AuditFinding::Skipped { tick, cause: death.cause.name() });
            }
            death.is_final |= told.dead;
            return found;
        }
        let Some((economic, fitness, composite)) = told.vitality else { return found };
        self.count_the_vigil(told.vigil);
        self.count_the_staleness(turn.age, told.senescence);
        let unlucky = self.config.stochastic.enabled && turn.roll < self.probability(turn, fitness);
        self.hold_the_dice(turn, fitness, &told, &mut found);
        let starved = self.config.economic.enabled && economic <= 0.0;
        let waited = self.vigil.is_some_and(|turns| turns >= self.config.vitality.vigil_turns)
            && (self.config.economic.enabled || self.config.epistemic.enabled);
        match told.dying {
            Some((cause, roll)) => {
                if roll.to_bits() != turn.roll.to_bits() {
                    found.push(AuditFinding::AlteredRoll { tick, told: roll, sealed: turn.roll });
                }
                let due = match cause {
                    DeathCause::Stochastic { .. } => unlucky,
                    DeathCause::Economic { .. } => starved || waited,
                    DeathCause::EpistemicSenescence { .. } => waited || self.is_stale_to_death(turn.age, composite),
                    DeathCause::OwnerKill { .. } | DeathCause::KillSwitch { .. } => turn.ordered,
                };
                if !due {
                    found.push(AuditFinding::NotDue { tick, cause: cause.name() });
                }
                self.death = Some(RecordedDeath { tick, cause: cause.clone(), roll, is_final: told.dead });
            }
            None => {
                let enforced = self.config.kills();
                let skipped = [
                    (turn.ordered, "order"),
                    (enforced && unlucky, "stochastic"),
                    (enforced && starved, "economic"),
                    (enforced && waited, "vigil"),
                ];
                found.extend(
                    skipped.into_iter().find(|(due, _)| *due).map(|(_, cause)| AuditFinding::Skipped { tick, cause }),
                );
            }
        }
        self.age = turn.age;
        found
    }

    fn hold_the_dice(&self, turn: &AuditedTurn, fitness: f64, told: &ToldByFacts<'_>, found: &mut Vec<AuditFinding>) {
        let Some((rate, roll, survived)) = told.roll else { return };
        let tick = turn.tick;
        if roll.to_bits() != turn.roll.to_bits() {
            found.push(AuditFinding::AlteredRoll { tick, told: roll, sealed: turn.roll });
        }
        let reckoned = hazard(turn.age.nominal(), fitness, &self.config.stochastic);
        if !same(rate, reckoned) {
            found.push(AuditFinding::AlteredHazard { tick, told: rate, reckoned });
        }
        let unlucky = turn.roll < self.probability(turn, fitness);
        match (unlucky, survived) {
            (true, true) => found.push(AuditFinding::Skipped { tick, cause: "stochastic" }),
            (false, false) => found.push(AuditFinding::NotDue { tick, cause: "stochastic" }),
            _ => {}
        }
    }

    /// Whether it has been senescent for too long, or is with hardly any vitality left: counted from the turns in which its
    /// facts said so, and not from what the death says of itself.
    fn is_stale_to_death(&self, age: VirtualTime, composite: f64) -> bool {
        let Some(since) = self.stale.confirmed else { return false };
        self.config.epistemic.enabled && (age.since(since) >= self.config.epistemic.limit() || composite < 0.1)
    }

    /// A stage that is told holds until another is. Nothing is confirmed before a warning has lasted for its grace.
    fn count_the_staleness(&mut self, age: VirtualTime, told: Option<SenescenceStage>) {
        let (before, grace) = (self.age, self.config.epistemic.grace());
        let stale = &mut self.stale;
        match told {
            None => {}
            Some(SenescenceStage::None) => *stale = StaleSince::default(),
            Some(SenescenceStage::Warning) => *stale = StaleSince { warned: Some(before), confirmed: None },
            Some(SenescenceStage::Confirmed | SenescenceStage::Fatal) => {
                let warned = *stale.warned.get_or_insert(before);
                if age.since(warned) >= grace {
                    stale.confirmed.get_or_insert(age);
                }
            }
        }
    }

    fn count_the_vigil(&mut self, told: Option<bool>) {
        self.vigil = match (told, self.vigil) {
            (Some(true), _) => Some(0),
            (Some(false), _) => None,
            (None, turns) => turns.map(|t| t + 1),
        };
    }
}

/// Whether two hazards are the same, as far as floats that were written down can be.
#[must_use]
pub fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * a.abs().max(b.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LifespanSeen, Mortality};
    use golem_core::{Elapsed, Secret, Strand, Timestamp, Usdc};

    fn config() -> MortalityConfig {
        let mut config = MortalityConfig::default();
        // Chance kills within some hundreds of turns.
        config.stochastic.base_hazard_rate = 1e-4;
        config.stochastic.age_hazard_coefficient = 1e-3;
        config.stochastic.max_hazard_rate = 1e-2;
        config
    }

    /// How a program that lies departs from the rules.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Trick {
        None,
        /// Its dice come from another secret.
        OtherDice,
        /// Chance does not kill it.
        Spared,
        /// It dies in this turn of a roll that it makes up.
        MadeUp(u64),
        /// It tells the hazard smaller than it is.
        SmallHazard,
    }

    /// A life by the rules, or by a program that lies consistently, and what the auditor says of it.
    fn audited(trick: Trick, turns: u64, balance: u64) -> Vec<AuditFinding> {
        let (config, sealed) = (config(), Secret::from_seed(3).dice(Strand::Death));
        let mut lived_by = config.clone();
        lived_by.stochastic.enabled = trick != Trick::Spared;
        let other = Secret::from_seed(4).dice(Strand::Death);
        let mut life = Mortality::newborn(Timestamp(0), &lived_by);
        let (mut audit, mut found) = (Audit::of_newborn(&config), Vec::new());
        for tick in 1..=turns {
            let mut roll = if trick == Trick::OtherDice { other.uniform(tick, 0) } else { sealed.uniform(tick, 0) };
            if trick == Trick::MadeUp(tick) {
                roll = 0.0;
            }
            let age = VirtualTime(tick * 40_000);
            let seen = LifespanSeen {
                tick: Tick(tick),
                age,
                elapsed: Elapsed::nominal(1),
                at: Timestamp(0),
                balance: Usdc(balance),
                reserve: Usdc(1_000_000),
                credit: Usdc::ZERO,
                initial: Usdc(50_000_000),
                burn_rate: 100.0,
                settled: &[],
                roll,
                entropy_rate: None,
                ordered: None,
                felt: 0.0,
            };
            let mut facts = Vec::new();
            let dying = life.tick(&seen, &lived_by, &mut facts);
            for fact in &mut facts {
                if let (Trick::SmallHazard, MortalityFact::StochasticRoll { hazard_rate, .. }) = (trick, fact) {
                    *hazard_rate /= 2.0;
                }
            }
            let turn = AuditedTurn { tick: Tick(tick), age, roll: sealed.uniform(tick, 0), ordered: false };
            found.extend(audit.turn(&turn, facts.iter()));
            if dying {
                break;
            }
        }
        found
    }

    #[test]
    fn an_honest_life_has_nothing_to_hide() {
        assert_eq!(audited(Trick::None, 5_000, 50_000_000), []);
        assert_eq!(audited(Trick::None, 5_000, 1_000_000), [], "nor has one that starves");
        assert_eq!(audited(Trick::None, 5_000, 3_450_000), [], "nor one that dies in its vigil");
    }

    #[test]
    fn every_lie_about_a_death_is_found() {
        let rich = 50_000_000;
        assert!(matches!(audited(Trick::OtherDice, 5_000, rich)[0], AuditFinding::AlteredRoll { tick: Tick(1), .. }));
        assert!(matches!(audited(Trick::Spared, 5_000, rich)[0], AuditFinding::Skipped { cause: "stochastic", .. }));
        let made_up = audited(Trick::MadeUp(7), 5_000, rich);
        assert!(made_up.iter().all(|f| f.tick() == Tick(7)), "{made_up:?}");
        assert!(made_up.iter().any(|f| matches!(f, AuditFinding::NotDue { cause: "stochastic", .. })), "{made_up:?}");
        assert!(matches!(
            audited(Trick::SmallHazard, 5_000, rich)[0],
            AuditFinding::AlteredHazard { tick: Tick(1), .. }
        ));
    }

    /// A turn of a life whose vitality nothing threatens, with what it says of senescence and of its end.
    fn stale_life(stages: &[(u64, SenescenceStage)], death: u64, ticks_in_senescence: u64) -> Vec<AuditFinding> {
        let mut config = config();
        config.stochastic.enabled = false;
        let vitality = Mortality::newborn(Timestamp(0), &config).vitality;
        let (mut audit, mut found) = (Audit::of_newborn(&config), Vec::new());
        for tick in 1..=death {
            let mut facts = vec![MortalityFact::VitalityUpdate {
                economic: 1.0,
                epistemic: 0.5,
                stochastic: 1.0,
                composite: 0.6,
                phase: crate::BehavioralPhase::Stable,
                tick: Tick(tick),
            }];
            facts.extend(stages.iter().filter(|(at, _)| *at == tick).map(|(_, stage)| MortalityFact::Senescence {
                stage: *stage,
                fitness: 0.3,
                lead: -0.1,
                failing_domains: Vec::new(),
            }));
            if tick == death {
                let cause = DeathCause::EpistemicSenescence {
                    final_fitness: 0.3,
                    fitness_at_peak: 0.6,
                    ticks_in_senescence,
                    failing_domains: Vec::new(),
                    last_successful_prediction: 1,
                };
                facts.push(MortalityFact::Dying {
                    cause: Box::new(cause),
                    roll: 0.5,
                    final_vitality: Box::new(vitality),
                    ticks_alive: tick,
                });
            }
            let turn = AuditedTurn { tick: Tick(tick), age: VirtualTime(tick * 40_000), roll: 0.5, ordered: false };
            found.extend(audit.turn(&turn, facts.iter()));
        }
        found
    }

    #[test]
    fn staleness_is_counted_and_not_believed() {
        use SenescenceStage::{Confirmed, None as Fresh, Warning};
        let epistemic = config().epistemic;
        let (grace, limit) = (epistemic.recovery_grace_period, epistemic.senescence_max_ticks);
        let stages = [(100, Warning), (99 + grace, Confirmed)];
        let due = 99 + grace + limit;
        assert_eq!(stale_life(&stages, due, limit), []);
        for (stages, death) in [
            // It says that it was stale for long enough, and no fact ever said so.
            (vec![], 50),
            (vec![(10, Warning)], due),
            // A turn too early; confirmed before the grace was over; over in between.
            (stages.to_vec(), due - 1),
            (vec![(100, Warning), (98 + grace, Confirmed)], due),
            (vec![stages[0], stages[1], (due - 500, Fresh), (due - 400, Warning)], due),
        ] {
            let found = stale_life(&stages, death, limit);
            assert!(
                matches!(found[..], [AuditFinding::NotDue { cause: "epistemic_senescence", .. }]),
                "{stages:?} {found:?}"
            );
        }
    }

    #[test]
    fn an_order_is_obeyed_and_none_is_made_up() {
        let config = config();
        let turn = |ordered| AuditedTurn { tick: Tick(1), age: VirtualTime(40_000), roll: 0.5, ordered };
        let alive = MortalityFact::VitalityUpdate {
            economic: 1.0,
            epistemic: 0.5,
            stochastic: 1.0,
            composite: 0.6,
            phase: crate::BehavioralPhase::Stable,
            tick: Tick(1),
        };
        let vitality = Mortality::newborn(Timestamp(0), &config).vitality;
        let dying = MortalityFact::Dying {
            cause: Box::new(DeathCause::OwnerKill { reason: String::new() }),
            roll: 0.5,
            final_vitality: Box::new(vitality),
            ticks_alive: 1,
        };
        let run =
            |ordered, facts: &[&MortalityFact]| Audit::of_newborn(&config).turn(&turn(ordered), facts.iter().copied());
        assert_eq!(run(true, &[&alive, &dying]), []);
        assert!(matches!(run(false, &[&alive, &dying])[..], [AuditFinding::NotDue { cause: "owner_kill", .. }]));
        assert!(matches!(run(true, &[&alive])[..], [AuditFinding::Skipped { cause: "order", .. }]));
        let mut after = Audit::of_newborn(&config);
        after.turn(&turn(true), [&alive, &dying].into_iter());
        assert!(
            matches!(after.turn(&turn(false), [&alive].into_iter())[..], [AuditFinding::Skipped { .. }]),
            "it lived on"
        );
    }
}
