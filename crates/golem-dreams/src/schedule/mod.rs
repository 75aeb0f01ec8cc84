//! When it dreams. [`DreamScheduler::consider`] is asked in every waking turn, and every wish (the owner's order, an
//! open window, the interval, urgency) passes the same gate and the same caps.
//!
//! | mode | window | interval (core) | urgency | order |
//! |---|---|---|---|---|
//! | owner | yes | | | yes |
//! | autonomous | | yes | yes | yes |
//! | hybrid | yes | yes | yes | yes |

pub mod budget;
pub mod clocks;
pub mod duration;
pub mod gate;
pub mod intensity;
pub mod quality;
pub mod session;
pub mod urgency;
pub mod verdict;
pub mod windows;

#[cfg(test)]
pub(crate) mod testing;

pub use budget::{BudgetCap, CycleAllowance, DreamBudget};
pub use clocks::{DreamContent, DreamLegacy, DreamModulation};
pub use duration::DreamLength;
pub use gate::WhyAwake;
pub use intensity::{DreamBounds, DreamCeilings, InferenceGrade};
pub use quality::DreamWorth;
pub use session::{DreamSessions, SessionTally};
pub use urgency::{DreamUrgency, UrgencyInput};
pub use verdict::{CyclePlan, DreamTrigger, DreamVerdict};

use crate::config::{DreamConfig, DreamScheduleMode};
use crate::seen::DreamSeen;
use crate::state::DreamTier;
use duration::least_interval;
use gate::{GateAsked, precondition};
use golem_core::{Tick, Usdc};
use golem_mortality::BehavioralPhase;
use serde::{Deserialize, Serialize};
use urgency::{UrgencyBuildUp, dream_urgency, opens_at};
use windows::{SleepNight, open_window};

/// The seed's `DreamScheduler`: what is remembered from turn to turn about when to dream.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DreamScheduler {
    build_up: UrgencyBuildUp,
    /// Urgency as of the latest turn, from 0 to 1.
    pub urgency: f64,
    /// The turn in which the latest cycle began or ended.
    pub last_dream_tick: Option<Tick>,
    day: u64,
    pub cycles_today: u32,
    pub sessions: DreamSessions,
    pub cycles_since_birth: u64,
    pub budget: DreamBudget,
    pub worth: DreamWorth,
    /// Whether the one emergency dream of this life has been dreamt.
    pub emergency_used: bool,
    /// Whether the latest cycle was broken off: who was woken stays awake for an interval, also at night.
    woken: bool,
}

impl DreamScheduler {
    /// Whether to sleep now. `ordered` is the owner's directive, which stands for an urgency of 1 and passes the same
    /// gate. With dreams off nothing is remembered.
    pub fn should_dream(&mut self, seen: &DreamSeen, config: &DreamConfig, ordered: bool) -> DreamVerdict {
        if !config.enabled {
            return DreamVerdict::Stay { why: WhyAwake::Off };
        }
        let night = self.night(seen, config);
        self.turn_pages(seen, night);
        let blocked = precondition(seen, config, GateAsked::Every);
        let urgency = self.feel(seen, config, blocked.is_some());
        match self.judge(seen, config, ordered, urgency, night, blocked) {
            Ok(trigger) => DreamVerdict::Open { trigger },
            Err(why) => DreamVerdict::Stay { why },
        }
    }

    fn judge(
        &self,
        seen: &DreamSeen,
        config: &DreamConfig,
        ordered: bool,
        urgency: DreamUrgency,
        night: Option<SleepNight>,
        blocked: Option<WhyAwake>,
    ) -> Result<DreamTrigger, WhyAwake> {
        if seen.phase == BehavioralPhase::Terminal && !self.emergency_used {
            return precondition(seen, config, GateAsked::Emergency).map_or(Ok(DreamTrigger::Emergency), Err);
        }
        if let Some(why) = blocked {
            return Err(why);
        }
        let modulation = clocks::modulation(seen, &config.clocks);
        if modulation.ceased {
            let hours = seen.projected_life_h.unwrap_or_default();
            return Err(WhyAwake::LifeTooShort { hours, least: config.clocks.cease_below_h });
        }
        let trigger = self.wish(seen, config, ordered, urgency, night, &modulation)?;
        self.capped(seen, config, &modulation).map_or(Ok(trigger), Err)
    }

    /// The strongest wish: the owner's word, then what is scheduled, then what it needs by itself.
    fn wish(
        &self,
        seen: &DreamSeen,
        config: &DreamConfig,
        ordered: bool,
        urgency: DreamUrgency,
        night: Option<SleepNight>,
        modulation: &DreamModulation,
    ) -> Result<DreamTrigger, WhyAwake> {
        let by_itself = config.schedule.mode != DreamScheduleMode::Owner;
        let threshold = opens_at(seen.phase, seen.market_active, config).unwrap_or(f64::INFINITY);
        if ordered {
            Ok(DreamTrigger::Owner)
        } else if night.is_some() {
            Ok(DreamTrigger::Window)
        } else if by_itself && self.interval_is_due(seen, config, modulation) {
            Ok(DreamTrigger::Interval)
        } else if by_itself && urgency.value >= threshold {
            Ok(DreamTrigger::Urgency { largest: urgency.largest() })
        } else if by_itself {
            Err(WhyAwake::NotDue { urgency: urgency.value, opens_at: threshold })
        } else {
            Err(WhyAwake::NoWindow)
        }
    }

    /// Scheduled core cycles: one an interval, which poor dreams stretch. They leave a part of the day's cycles to
    /// urgent ones, unless dreams are good.
    fn interval_is_due(&self, seen: &DreamSeen, config: &DreamConfig, modulation: &DreamModulation) -> bool {
        let cap = config.core_max_cycles_per_day;
        let reserve = if self.worth.is_good() { 0.0 } else { config.urgent_reserve };
        let scheduled = cap.saturating_sub((f64::from(cap) * reserve).round() as u32);
        let turns = (least_interval(config, modulation) as f64 * self.worth.stretch()).round() as u64;
        config.tier == DreamTier::Core && self.cycles_today < scheduled && self.turns_awake(seen) >= turns
    }

    /// The caps that every wish meets: interval, cycles of the day or the session, money. The cycles of one hardened
    /// night follow each other without a pause, unless it was woken.
    fn capped(&self, seen: &DreamSeen, config: &DreamConfig, modulation: &DreamModulation) -> Option<WhyAwake> {
        let (interval, awake) = (least_interval(config, modulation), self.turns_awake(seen));
        let length = DreamLength::of(seen.phase, modulation.intensity);
        let core = config.tier == DreamTier::Core;
        let (day, session) = (config.core_max_cycles_per_day, length.cycles_per_window);
        let follows_on = !core && self.sessions.is_night() && !self.woken;
        if core && self.cycles_today >= day {
            Some(WhyAwake::DayFull { cap: day })
        } else if !core && self.sessions.now().cycles >= session {
            Some(WhyAwake::SessionFull { cap: session })
        } else if let Some(closed) = self.budget.closed_by(config.tier, length, config, self.sessions.now().spent) {
            Some(WhyAwake::Budget { cap: closed.bound_by, limit: closed.limit })
        } else if !follows_on && awake < interval {
            Some(WhyAwake::TooSoon { interval, left: interval - awake })
        } else {
            None
        }
    }

    /// Turns since the latest dream, or since birth.
    #[must_use]
    pub fn turns_awake(&self, seen: &DreamSeen) -> u64 {
        seen.tick.0.saturating_sub(self.last_dream_tick.unwrap_or_default().0)
    }

    /// What a cycle that `trigger` opens now is given, when `purse` is there to spend. The last dream spends nothing: what
    /// is left belongs to the death reserve.
    #[must_use]
    pub fn plan(&self, seen: &DreamSeen, config: &DreamConfig, trigger: DreamTrigger, purse: Usdc) -> CyclePlan {
        let tier = trigger.tier(config);
        let modulation = clocks::modulation(seen, &config.clocks);
        let length = DreamLength::of(seen.phase, modulation.intensity);
        let purse = if trigger == DreamTrigger::Emergency { Usdc::ZERO } else { purse };
        CyclePlan {
            tier,
            modulation,
            bounds: DreamBounds::of(seen.fitness, tier, &modulation, config),
            length,
            allowance: self.budget.allowance(tier, length, config, self.sessions.now().spent, purse),
        }
    }

    /// A cycle has begun.
    pub fn opened(&mut self, seen: &DreamSeen, config: &DreamConfig, trigger: DreamTrigger) {
        self.turn_pages(seen, self.night(seen, config));
        self.last_dream_tick = Some(seen.tick);
        self.cycles_today = self.cycles_today.saturating_add(1);
        self.sessions.opened();
        self.cycles_since_birth = self.cycles_since_birth.saturating_add(1);
        self.emergency_used |= trigger == DreamTrigger::Emergency;
        self.woken = false;
    }

    /// The cycle that has ended was broken off: nothing follows on it.
    pub fn was_woken(&mut self) {
        self.woken = true;
    }

    /// It has ended, whole or woken: what it thinks it was worth, and what it cost. The cost belongs to the session and
    /// the month in which it began.
    pub fn finished(&mut self, seen: &DreamSeen, quality: f64, cost: Usdc) {
        self.last_dream_tick = Some(seen.tick);
        self.build_up.slept();
        self.worth.learnt(quality, seen.now);
        self.sessions.book(cost);
        self.budget.book(cost);
    }

    /// What the latest cycle has cost was not all known when it ended.
    pub fn paid_later(&mut self, cost: Usdc) {
        self.sessions.book(cost);
        self.budget.book(cost);
    }

    fn feel(&mut self, seen: &DreamSeen, config: &DreamConfig, blocked: bool) -> DreamUrgency {
        let pure = dream_urgency(seen, self.turns_awake(seen), &config.urgency);
        self.build_up.turn(seen, pure.value, blocked, &config.urgency);
        let urgency = self.build_up.on_top_of(pure);
        self.urgency = urgency.value;
        urgency
    }

    fn night(&self, seen: &DreamSeen, config: &DreamConfig) -> Option<SleepNight> {
        let looked_at = config.schedule.mode != DreamScheduleMode::Autonomous;
        open_window(&config.windows.windows, seen.at).filter(|_| looked_at)
    }

    /// A new day, session or month counts from nothing.
    fn turn_pages(&mut self, seen: &DreamSeen, night: Option<SleepNight>) {
        let day = seen.now.day();
        if day != self.day {
            (self.day, self.cycles_today) = (day, 0);
        }
        self.sessions.at(night, day);
        self.budget.at(seen.now);
    }
}

#[cfg(test)]
mod tests;
