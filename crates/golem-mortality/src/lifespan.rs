//! The lifespan: the seed's eight steps, once per turn, in order. The only place where a golem can die.

use crate::config::MortalityConfig;
use crate::death::{Death, DeathCause};
use crate::dying::DyingStage;
use crate::economic::{economic_score, ticks_to_burn};
use crate::epistemic::{EpistemicClock, SenescenceStage, SettledForecast};
use crate::facts::{MortalityFact, TriggerClock};
use crate::info::channel_report;
use crate::phase::{BehavioralPhase, determine_phase};
use crate::stochastic::{StochasticClock, death_probability, survival_24h_from};
use crate::vitality::{VitalityFactors, VitalityState, compute_age_factor};
use golem_core::{Elapsed, Tick, Timestamp, Usdc, VirtualTime};
use serde::{Deserialize, Serialize};

/// What a turn tells the lifespan. Time, chance and the world arrive as arguments.
#[derive(Debug, Clone, Copy)]
pub struct LifespanSeen<'a> {
    /// The turn.
    pub tick: Tick,
    /// Age at the end of the turn.
    pub age: VirtualTime,
    /// Virtual time since the last turn.
    pub elapsed: Elapsed,
    /// When, for people.
    pub at: Timestamp,
    /// Net asset value.
    pub balance: Usdc,
    /// The locked reserve.
    pub reserve: Usdc,
    /// Operating credit (for the record of a death).
    pub credit: Usdc,
    /// Funding at birth.
    pub initial: Usdc,
    /// What living costs, micro-USDC per nominal tick.
    pub burn_rate: f64,
    /// Forecasts that reality has settled this turn.
    pub settled: &'a [SettledForecast],
    /// The sealed roll of this turn, in [0, 1).
    pub roll: f64,
    /// Entropy rate of its actions, where the diagnostics know it: evidence for the channel report.
    pub entropy_rate: Option<f64>,
    /// An owner's or a switch's order to die.
    pub ordered: Option<&'a DeathCause>,
    /// What the ends of its children cost in fitness.
    pub felt: f64,
}

/// What the lifespan remembers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mortality {
    /// The epistemic clock.
    pub epistemic: EpistemicClock,
    /// The stochastic clock.
    pub stochastic: StochasticClock,
    /// Vitality as of the last turn.
    pub vitality: VitalityState,
    /// The phase that the clocks give. Equal to `vitality.phase` except for an immortal, whose phase is pinned.
    pub shadow_phase: BehavioralPhase,
    /// Components as of the last transition: whichever fell most since is the trigger of the next one.
    pub at_transition: VitalityFactors,
    /// Entropy rate of the actions as of the last transition.
    pub entropy_at_transition: Option<f64>,
    /// Components as of the last turn.
    pub components: VitalityFactors,
    /// Turns of the vigil so far; none outside one.
    pub vigil: Option<u64>,
    /// The first death that was lived through: by an immortal, or where deaths are only recorded.
    pub would_have_died_at: Option<Death>,
    /// The one death: recorded first, final when no stage of dying is left.
    pub death: Option<Death>,
    /// The stage of dying that comes next; none before death is recorded and after the last one.
    pub dying: Option<DyingStage>,
    critical: bool,
    warned: bool,
}

impl Mortality {
    /// A newborn: in the phase that its formula gives, which is Stable. Thriving is earned.
    #[must_use]
    pub fn newborn(at: Timestamp, config: &MortalityConfig) -> Self {
        let epistemic = EpistemicClock::default();
        let components = VitalityFactors::of(1.0, epistemic.fitness, 0.0, &config.vitality);
        let composite = components.product();
        let shadow_phase = BehavioralPhase::of(composite);
        let vitality = VitalityState {
            economic: 1.0,
            epistemic: epistemic.fitness,
            age_factor: 0.0,
            composite,
            phase: if config.immortal { BehavioralPhase::Thriving } else { shadow_phase },
            ticks_in_phase: 0,
            previous_phase: None,
            last_computed: at,
        };
        Self {
            epistemic,
            stochastic: StochasticClock::default(),
            vitality,
            shadow_phase,
            at_transition: components,
            entropy_at_transition: None,
            components,
            vigil: None,
            would_have_died_at: None,
            death: None,
            dying: None,
            critical: false,
            warned: false,
        }
    }

    /// True once the last stage of dying has passed.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.death.is_some() && self.dying.is_none()
    }

    /// The death that was only written down is died after all, of the same cause: for experiments that say themselves when.
    /// False when none is written down, or one has begun.
    pub fn carry_out(&mut self, tick: Tick, age: VirtualTime) -> bool {
        let Some(recorded) = self.would_have_died_at.clone().filter(|_| self.death.is_none()) else { return false };
        self.death = Some(Death { tick, age, final_vitality: self.vitality, ..recorded });
        self.dying = Some(DyingStage::FIRST);
        true
    }

    /// The stage of dying that is next has passed, with what came of it. Returns true when it was the last, and the golem
    /// is dead.
    pub fn pass_stage(&mut self, outcome: String, facts: &mut Vec<MortalityFact>) -> bool {
        let Some(stage) = self.dying else { return self.is_dead() };
        facts.push(MortalityFact::DyingStage { stage, outcome });
        self.dying = stage.next();
        if self.dying.is_none() {
            facts.extend(self.death.as_ref().map(MortalityFact::dead));
        }
        self.is_dead()
    }

    /// One turn of living. Returns true when death is recorded (now or already); then nothing of it changes any more.
    pub fn tick(&mut self, seen: &LifespanSeen<'_>, config: &MortalityConfig, facts: &mut Vec<MortalityFact>) -> bool {
        if self.death.is_some() {
            return true;
        }
        // 1. economic health
        let economic = self.economic_health(seen, config, facts);
        // 2. epistemic fitness
        self.epistemic_fitness(seen, config, facts);
        // 3. composite vitality and phase
        self.vitality_and_phase(economic, seen, config, facts);
        // 4. the stochastic check
        let unlucky = self.stochastic_check(seen, config, facts);
        // 5., 6. and the vigil: what kills, in the seed's order; an order to die comes before all of them
        if let Some(cause) = self.verdict(unlucky, seen, config) {
            let by_order = seen.ordered.is_some();
            let death = Death { cause, tick: seen.tick, age: seen.age, roll: seen.roll, final_vitality: self.vitality };
            if !config.kills() && !by_order {
                if self.would_have_died_at.is_none() {
                    facts.push(MortalityFact::WouldHaveDied { cause: Box::new(death.cause.clone()) });
                    self.would_have_died_at = Some(death);
                }
            } else {
                facts.push(MortalityFact::dying(&death));
                self.death = Some(death);
                self.dying = Some(DyingStage::FIRST);
            }
        }
        // 7. phase behaviours are read from the table by whoever acts; 8. telemetry
        facts.push(MortalityFact::VitalityUpdate {
            economic: self.vitality.economic,
            epistemic: self.vitality.epistemic,
            stochastic: self.survival_24h(seen, config),
            composite: self.vitality.composite,
            phase: self.vitality.phase,
            tick: seen.tick,
        });
        self.death.is_some()
    }

    fn survival_24h(&self, seen: &LifespanSeen<'_>, config: &MortalityConfig) -> f64 {
        let (age, fitness) = (seen.age.nominal(), self.epistemic.fitness);
        if config.stochastic.enabled {
            survival_24h_from(age, self.stochastic.gompertz, fitness, &config.stochastic)
        } else {
            1.0
        }
    }

    fn economic_health(
        &mut self,
        seen: &LifespanSeen<'_>,
        config: &MortalityConfig,
        facts: &mut Vec<MortalityFact>,
    ) -> f64 {
        if !config.economic.enabled {
            return 1.0;
        }
        let economic = economic_score(seen.balance, seen.reserve, seen.initial);
        let line = config.economic.conservation_threshold;
        if !self.critical && economic < line {
            self.critical = true;
            let remaining = seen.balance.minus(seen.reserve);
            facts.push(MortalityFact::EconomicCritical {
                remaining,
                burn_rate: seen.burn_rate,
                projected_ticks: ticks_to_burn(remaining, seen.burn_rate),
            });
        }
        // Re-armed a little above the line, so that hovering does not repeat the fact every turn.
        self.critical &= economic < line + 0.05;
        economic
    }

    fn epistemic_fitness(&mut self, seen: &LifespanSeen<'_>, config: &MortalityConfig, facts: &mut Vec<MortalityFact>) {
        let clock = &mut self.epistemic;
        clock.settle(seen.settled, seen.tick, seen.age, &config.epistemic);
        let stage = clock.senescence.stage;
        clock.tick_feeling(seen.felt, seen.age, seen.elapsed, &config.epistemic);
        if clock.senescence.stage != stage && clock.senescence.stage != SenescenceStage::Fatal {
            facts.push(MortalityFact::Senescence {
                stage: clock.senescence.stage,
                fitness: clock.fitness,
                lead: clock.lead,
                failing_domains: clock.failing_domains(&config.epistemic),
            });
        }
        if !self.warned && clock.fitness < 0.5 {
            self.warned = true;
            facts.push(MortalityFact::EpistemicWarning {
                fitness: clock.fitness,
                senescence_threshold: config.epistemic.senescence_threshold,
                ticks_in_decline: seen.age.since(clock.peak_at).nominal_floor(),
            });
        }
        self.warned &= clock.fitness < 0.52;
    }

    fn vitality_and_phase(
        &mut self,
        economic: f64,
        seen: &LifespanSeen<'_>,
        config: &MortalityConfig,
        facts: &mut Vec<MortalityFact>,
    ) {
        let (age, fitness) = (seen.age.nominal(), self.epistemic.fitness);
        let now = VitalityFactors::of(economic, fitness, age, &config.vitality);
        let composite = now.product();
        let from = self.shadow_phase;
        let to = determine_phase(composite, from, config.vitality.hysteresis);
        self.components = now;
        self.vitality.economic = economic;
        self.vitality.epistemic = fitness;
        self.vitality.age_factor = compute_age_factor(age, config.vitality.reference_lifespan);
        self.vitality.composite = composite;
        self.vitality.last_computed = seen.at;
        self.vitality.ticks_in_phase += 1;
        if to != from {
            self.shadow_phase = to;
            if !config.immortal {
                let trigger_clock = self.moved_most(&now, to > from);
                facts.push(MortalityFact::PhaseTransition { from_phase: from, to_phase: to, composite, trigger_clock });
                let before = self.at_transition.channels(self.entropy_at_transition);
                let report = channel_report(&before, &now.channels(seen.entropy_rate));
                facts.extend(report.map(|r| MortalityFact::Channel(Box::new(r))));
                self.vitality.phase = to;
                self.vitality.previous_phase = Some(from);
                self.vitality.ticks_in_phase = 0;
            }
            self.at_transition = now;
            self.entropy_at_transition = seen.entropy_rate;
        }
        match (self.shadow_phase == BehavioralPhase::Terminal, self.vigil) {
            (true, None) => {
                self.vigil = Some(0);
                facts.push(MortalityFact::Vigil { open: true, turns: config.vitality.vigil_turns });
            }
            (true, Some(turns)) => self.vigil = Some(turns + 1),
            (false, Some(turns)) => {
                self.vigil = None;
                facts.push(MortalityFact::Vigil { open: false, turns });
            }
            (false, None) => {}
        }
    }

    /// The component that fell most since the last transition; on a climb the one that recovered most.
    fn moved_most(&self, now: &VitalityFactors, climbs: bool) -> TriggerClock {
        let was = &self.at_transition;
        let sign = if climbs { -1.0 } else { 1.0 };
        let moves = [
            (TriggerClock::Economic, sign * (was.economic - now.economic)),
            (TriggerClock::Epistemic, sign * (was.epistemic - now.epistemic)),
            (TriggerClock::Stochastic, sign * (was.age - now.age)),
        ];
        moves.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(TriggerClock::Economic, |(clock, _)| clock)
    }

    fn stochastic_check(
        &mut self,
        seen: &LifespanSeen<'_>,
        config: &MortalityConfig,
        facts: &mut Vec<MortalityFact>,
    ) -> bool {
        if !config.stochastic.enabled {
            return false;
        }
        let (age, elapsed) = (seen.age.nominal(), seen.elapsed.as_nominal());
        let dies = self.stochastic.tick(age, elapsed, self.epistemic.fitness, seen.roll, &config.stochastic);
        let hazard_rate = self.stochastic.current_hazard;
        facts.push(MortalityFact::StochasticRoll { hazard_rate, roll: seen.roll, survived: !dies });
        dies
    }

    fn verdict(&self, unlucky: bool, seen: &LifespanSeen<'_>, config: &MortalityConfig) -> Option<DeathCause> {
        if let Some(cause) = seen.ordered {
            return Some(cause.clone());
        }
        if unlucky {
            return Some(DeathCause::Stochastic {
                hazard_rate: self.stochastic.current_hazard,
                death_roll: seen.roll,
                tick_at_death: seen.tick.0,
                epistemic_fitness: self.epistemic.fitness,
                credit_balance: seen.credit,
                was_in_senescence: self.epistemic.senescence.is_senescent(),
                death_probability: death_probability(self.stochastic.current_hazard, seen.elapsed.as_nominal()),
            });
        }
        if config.economic.enabled && seen.balance <= seen.reserve {
            return Some(self.of_poverty(seen));
        }
        if config.epistemic.enabled && self.epistemic.senescence.is_fatal(self.vitality.composite) {
            return Some(self.of_ignorance(config));
        }
        self.after_the_vigil(seen, config)
    }

    /// The vigil is over: the enabled clock whose component is lowest kills. Age counts for none.
    fn after_the_vigil(&self, seen: &LifespanSeen<'_>, config: &MortalityConfig) -> Option<DeathCause> {
        if self.vigil? < config.vitality.vigil_turns {
            return None;
        }
        let poorer = self.components.economic <= self.components.epistemic;
        match (config.economic.enabled, config.epistemic.enabled) {
            (true, true) if poorer => Some(self.of_poverty(seen)),
            (true, false) => Some(self.of_poverty(seen)),
            (_, true) => Some(self.of_ignorance(config)),
            (false, false) => None,
        }
    }

    fn of_poverty(&self, seen: &LifespanSeen<'_>) -> DeathCause {
        DeathCause::Economic {
            balance: seen.balance,
            burn_rate: seen.burn_rate,
            ticks_alive: seen.age.age().nominal_floor(),
        }
    }

    fn of_ignorance(&self, config: &MortalityConfig) -> DeathCause {
        let clock = &self.epistemic;
        DeathCause::EpistemicSenescence {
            final_fitness: clock.fitness,
            fitness_at_peak: clock.peak,
            ticks_in_senescence: clock.senescence.senescent_for.nominal_floor(),
            failing_domains: clock.failing_domains(&config.epistemic),
            last_successful_prediction: clock.last_success.0,
        }
    }
}
