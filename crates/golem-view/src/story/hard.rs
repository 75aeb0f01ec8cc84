//! Hard times: when a life was in danger, how bad it was and how it ended. Alarms that follow each other within a day are
//! one.

use super::{StoryChapter, calendar, capital};
use crate::{money, time};
use golem_cage::{BreakerLevel, CageFact};
use golem_core::fact::Envelope;
use golem_core::{Timestamp, Usdc};
use golem_daimon::suffering::SufferingFact;
use golem_life::Fact;
use golem_life::fact::DaimonFact;
use golem_mortality::epistemic::{NAIVE_FITNESS, SenescenceStage};
use golem_mortality::{BehavioralPhase, MortalityFact, TriggerClock};

/// Alarms closer than this belong together.
const TOGETHER_S: i64 = 86_400;

/// What was wrong.
#[derive(Debug, Clone, PartialEq)]
enum Danger {
    /// Its worth fell: the breaker, from what, to what.
    Fall { level: BreakerLevel, bps: u32, peak: Usdc, nav: Usdc },
    /// Vitality was low.
    Weak { lowest: BehavioralPhase, clock: TriggerClock },
    /// Money was short.
    Short { remaining: Usdc },
    /// The world had moved on.
    Stale { stage: SenescenceStage, fitness: f64 },
    /// It suffered more than it could bear.
    Burdened { load: f64 },
    /// The last turns in which it could be fed.
    Vigil { fed: bool },
}

impl Danger {
    /// How near to death: what is told first when not everything can be.
    fn weight(&self) -> u32 {
        match self {
            Self::Vigil { .. } => 1_000_000,
            Self::Stale { stage, .. } => 300_000 * (*stage as u32),
            Self::Weak { lowest, .. } => 200_000 - 40_000 * (*lowest as u32),
            Self::Burdened { .. } => 150_000,
            Self::Short { .. } => 130_000,
            Self::Fall { level: BreakerLevel::Calm | BreakerLevel::Half, bps, .. } => *bps,
            Self::Fall { bps, .. } => 100_000 + bps,
        }
    }

    fn is_same_kind(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    fn title(&self) -> &'static str {
        match self {
            Self::Fall { level: BreakerLevel::Half, .. } => "a fall",
            Self::Short { .. } => "money short",
            Self::Vigil { .. } => "vigil",
            Self::Stale { .. } => "out of date",
            _ => "crisis",
        }
    }

    /// How it begins.
    fn begins(&self) -> String {
        match self {
            Self::Fall { level, bps, peak, nav } => {
                let fell = money::percent(f64::from(*bps) / 1e4);
                let (peak, nav) = (money::usdc(*peak), money::usdc(*nav));
                let cage = match level {
                    BreakerLevel::Calm | BreakerLevel::Half => "the cage halved what it may risk",
                    BreakerLevel::ReduceOnly => "the cage let it only sell and withdraw",
                    BreakerLevel::Hold => "the cage stopped it from opening anything",
                };
                format!("Its worth fell {fell} below its high, from {peak} to {nav} USDC; {cage}")
            }
            Self::Weak { lowest, clock } => {
                let above = BehavioralPhase::ALL.iter().find(|phase| *phase > lowest);
                let (line, clock) = (above.map_or(1.0, |phase| phase.threshold()), clock.word());
                format!("Vitality fell below {line}, {clock} most of all: {lowest}, where it opens nothing new")
            }
            Self::Short { remaining } => {
                format!("Money ran short: {} USDC above its reserve", money::usdc(*remaining))
            }
            Self::Stale { stage, fitness } => {
                let how = if *stage == SenescenceStage::Warning { "fell behind" } else { "lost touch with" };
                format!("Its forecasts {how} the market (skill {fitness:.2}, where {NAIVE_FITNESS} is a naive guess)")
            }
            Self::Burdened { load } => format!("It suffered more than it could bear (load {load:.2})"),
            Self::Vigil { .. } => "The vigil began: its last turns, unless somebody feeds it".to_owned(),
        }
    }
}

/// A hard time.
#[derive(Debug, Clone, PartialEq)]
struct HardTime {
    danger: Danger,
    from: Timestamp,
    /// When it last ended; none while it lasts.
    until: Option<Timestamp>,
    alarms: u32,
    told: bool,
}

impl HardTime {
    fn chapter(&self) -> StoryChapter {
        let again = match self.alarms {
            1 => String::new(),
            n => format!("the worst of {n} alarms"),
        };
        let lasted = self.until.map(|until| u64::try_from(until.0.saturating_sub(self.from.0)).unwrap_or(0));
        let end = match (&self.danger, lasted) {
            (Danger::Vigil { fed: true }, _) => "it was fed in time".to_owned(),
            (Danger::Vigil { .. }, _) => "nobody fed it".to_owned(),
            (Danger::Short { .. }, _) => String::new(),
            (_, None) => "that lasted to the end".to_owned(),
            (_, Some(s)) if s < 60 => "over within a minute".to_owned(),
            (_, Some(s)) if s >= 86_400 => format!("over on {}", calendar::day(self.until.unwrap_or(self.from))),
            (_, Some(s)) => format!("over after {}", time::span(s)),
        };
        let rest: Vec<String> = [again, end].into_iter().filter(|part| !part.is_empty()).collect();
        let rest = if rest.is_empty() { String::new() } else { format!(" {}.", capital(&rest.join("; "))) };
        StoryChapter::new(self.danger.title(), self.from, format!("{}.{rest}", self.danger.begins()))
    }
}

/// All hard times, as they come.
#[derive(Debug, Clone, Default)]
pub(super) struct HardTimes {
    all: Vec<HardTime>,
}

impl HardTimes {
    /// Take in a fact; what begins now and is grave is worth telling at once.
    pub(super) fn see(&mut self, fact: &Envelope<Fact>) -> Option<StoryChapter> {
        let at = fact.at;
        match &fact.body {
            Fact::Cage(cage) => match &**cage {
                CageFact::Breaker { to: BreakerLevel::Calm, .. } => self.over(at, |d| matches!(d, Danger::Fall { .. })),
                CageFact::Breaker { to, drawdown_bps, peak, nav, .. } => {
                    return self.alarm(at, Danger::Fall { level: *to, bps: *drawdown_bps, peak: *peak, nav: *nav });
                }
                _ => {}
            },
            Fact::Mortality(MortalityFact::PhaseTransition { to_phase, trigger_clock, .. }) => {
                if *to_phase >= BehavioralPhase::Stable {
                    self.over(at, |d| matches!(d, Danger::Weak { .. }));
                } else {
                    return self.alarm(at, Danger::Weak { lowest: *to_phase, clock: *trigger_clock });
                }
            }
            Fact::Mortality(MortalityFact::EconomicCritical { remaining, .. }) => {
                return self.alarm(at, Danger::Short { remaining: *remaining });
            }
            Fact::Mortality(MortalityFact::Senescence { stage, fitness, .. }) => {
                if *stage == SenescenceStage::None {
                    self.over(at, |d| matches!(d, Danger::Stale { .. }));
                } else {
                    return self.alarm(at, Danger::Stale { stage: *stage, fitness: *fitness });
                }
            }
            Fact::Mortality(MortalityFact::Vigil { open: true, .. }) => {
                return self.alarm(at, Danger::Vigil { fed: false });
            }
            Fact::Mortality(MortalityFact::Vigil { open: false, .. }) => {
                if let Some(vigil) = self.latest(|d| matches!(d, Danger::Vigil { .. })) {
                    (vigil.danger, vigil.until) = (Danger::Vigil { fed: true }, Some(at));
                }
            }
            Fact::Daimon(inner) => match &**inner {
                DaimonFact::Suffering(SufferingFact::Crisis { load, .. }) => {
                    return self.alarm(at, Danger::Burdened { load: *load });
                }
                DaimonFact::Suffering(SufferingFact::Respite { .. }) => {
                    self.over(at, |d| matches!(d, Danger::Burdened { .. }));
                }
                _ => {}
            },
            Fact::Life(_) | Fact::Mortality(_) | Fact::Dream(_) | Fact::Phage(_) => {}
        }
        None
    }

    fn latest(&mut self, is: impl Fn(&Danger) -> bool) -> Option<&mut HardTime> {
        self.all.iter_mut().rev().find(|hard| is(&hard.danger))
    }

    fn over(&mut self, at: Timestamp, is: impl Fn(&Danger) -> bool) {
        if let Some(hard) = self.latest(is) {
            hard.until = Some(at);
        }
    }

    fn alarm(&mut self, at: Timestamp, danger: Danger) -> Option<StoryChapter> {
        let grave = danger.weight() >= 100_000;
        let told = StoryChapter::new(danger.title(), at, format!("{}.", danger.begins()));
        if let Some(hard) = self.latest(|d| d.is_same_kind(&danger)) {
            let near = hard.until.is_none_or(|until| at.0.saturating_sub(until.0) < TOGETHER_S);
            if near {
                hard.alarms += u32::from(hard.until.is_some());
                hard.until = None;
                if danger.weight() > hard.danger.weight() {
                    hard.danger = danger;
                }
                // What only now becomes grave is told now, and once.
                let news = grave && !hard.told;
                hard.told |= grave;
                return news.then_some(told);
            }
        }
        self.all.push(HardTime { danger, from: at, until: None, alarms: 1, told: grave });
        grave.then_some(told)
    }

    /// The worst of them in the order in which they came, and how many there were in all.
    pub(super) fn chapters(&self, most: usize) -> (Vec<StoryChapter>, usize) {
        let mut worst: Vec<&HardTime> = self.all.iter().collect();
        worst.sort_by_key(|hard| std::cmp::Reverse(hard.danger.weight()));
        worst.truncate(most);
        worst.sort_by_key(|hard| hard.from);
        (worst.into_iter().map(HardTime::chapter).collect(), self.all.len())
    }
}
