//! volatility_regime, yield_trend and gas_condition: levels on the log scale that come back to what is usual.
//!
//! The naive rule is the last value. The panel starts from half-way between it and the day's mean (a rule of one line that
//! is hard to beat; a yield that is looked at once an hour is a mean of looks already, and starts from its last value), as far
//! as that lies within what the model has come to know (three spreads around its learnt mean),
//! and corrects it by the distances from that mean and from the running means of an hour to a day, and by one other level:
//! the heterogeneous autoregression of Corsi (2009), once with a long memory and once with a short one, both from the weights
//! that a golem is born with. Beside them sits a plain rule: volatility goes to its exponentially weighted mean, yield to its usual
//! level, gas the way it usually goes at this hour. Markets are wilder at some hours than at others: what is usual for the hour is
//! taken out of the last volatility, and what is usual for the hour to come is put in, as far as it was seen often enough. All of this is learnt like the weights: a mind that no longer learns
//! goes stale when the world moves.

use super::advice::Advise;
use super::blend::Prior;
use super::hours::{Hours, MONTH, NINE_DAYS};
use super::panel::Belief;
use super::ridge::DIM;
use super::track::{FAR, Habit, INPUTS, PendingForecast, Track, TrackTurn, TrackView};
use crate::math::{DAY, HOUR, clip};
use crate::senses::{Senses, Usual};
use golem_core::{Elapsed, VirtualTime};
use golem_mortality::{Domain, SettledForecast};
use serde::{Deserialize, Serialize};

/// Before there is evidence the models are believed: they say what a golem is born with, which holds in every market that was
/// looked at, and a few outcomes are no reason to doubt it. The plain rule has to earn more of it.
const PRIOR: Prior = Prior { share: 0.9, weight: 4.0, least: 0.0 };
const PLAIN: Prior = Prior { share: 0.3, weight: 1.0, least: 0.0 };
const fn believe(trust_memory: f64, loss_memory: f64) -> Belief {
    Belief { prior: [PRIOR, PRIOR, PLAIN], weights: [0.6, 0.2, 0.15], trust_memory, loss_memory }
}
pub(crate) const VOL: LevelKind = LevelKind {
    habit: Habit {
        domain: Domain::VolatilityRegime,
        names: ["har", "quick har", "ewma"],
        penalty: 45.0,
        quick: 60.0,
        belief: believe(60.0, 40.0),
    },
    usual_memory: 3.0 * DAY,
    mean_of_looks: false,
    innate: [[-0.01, -0.05, 0.03, 0.17, -0.28, 0.07], [-0.10, -0.45, 0.10, 0.05, -0.12, 0.04]],
    least_spread: 0.0,
};
pub(crate) const YIELD: LevelKind = LevelKind {
    habit: Habit {
        domain: Domain::YieldTrend,
        names: ["har", "quick har", "reversion"],
        penalty: 3.0,
        quick: 24.0,
        belief: believe(40.0, 24.0),
    },
    usual_memory: DAY,
    mean_of_looks: true,
    innate: [[-0.01, -0.11, -0.10, 0.24, -0.33, 0.0], [-0.03, -0.18, -0.07, -0.04, 0.10, 0.0]],
    least_spread: 0.3,
};
pub(crate) const GAS: LevelKind = LevelKind {
    habit: Habit {
        domain: Domain::GasCondition,
        names: ["seasonal", "quick seasonal", "hours"],
        penalty: 3.0,
        quick: 180.0,
        belief: believe(240.0, 120.0),
    },
    usual_memory: 3.0 * DAY,
    mean_of_looks: false,
    innate: [[0.0; DIM]; 2],
    least_spread: 0.0,
};
/// Memory of the exponentially weighted mean of volatility, in nominal ticks.
const EWMA: f64 = 6.0 * HOUR;
/// The spread of a level before it is known.
const GUESS: f64 = 0.35;

/// How a level is learnt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LevelKind {
    pub habit: Habit,
    /// Memory of what is usual, in nominal ticks. A longer one gained nothing anywhere, and is slow to follow; a shorter one
    /// loses skill in volatility.
    pub usual_memory: f64,
    /// True where a look shows a mean over several looks as soon as they are rare: such a level does not come back half-way.
    pub mean_of_looks: bool,
    /// The weights that a golem is born with, the constant first; what is learnt is the difference. For turns of a tick (means
    /// over lives in the synthetic markets) and for turns of an hour (over recorded hours of BTC): what is seen once an hour
    /// is noisier, and comes back sooner. In between, in between.
    pub innate: [[f64; DIM]; 2],
    /// Distances are measured in spreads, and in no smaller ones than this: after calm days a burst lies ten of them away.
    pub least_spread: f64,
}

/// A level as seen in one turn, with three other levels to hold it against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LevelLook {
    last: f64,
    others: [f64; 3],
    /// Another level that may lead this one, as a distance from its own mean over a day.
    leads: f64,
    /// Its mean over a day.
    day: f64,
    /// A settled forecast of volatility is measured by the variance since.
    mark: f64,
    /// Time of day as an angle, for what has a daily rhythm: it takes the place of two other levels.
    angle: Option<f64>,
}

/// The forecaster of one level.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Level {
    pub track: Track,
    usual: Option<Usual>,
    /// Exponentially weighted mean, where that is the plain rule.
    ewma: Option<f64>,
    /// The rhythm of the day, where that is.
    hours: Option<Hours>,
    /// Nominal ticks and turns in a row that the level has been outside what the model knows.
    away: f64,
    away_turns: u8,
}

/// A level that stays outside this long, and this many turns, has moved for good: a broken quote does not.
const MOVED: f64 = 45.0;
const MOVED_TURNS: u8 = 3;

impl Level {
    /// Settle what is due and learn.
    pub(crate) fn sense(
        &mut self,
        kind: &LevelKind,
        look: Option<LevelLook>,
        senses: &Senses,
        turn: TrackTurn,
        out: &mut Vec<SettledForecast>,
    ) -> f64 {
        let now = senses.now();
        let actual = |p: &PendingForecast| match kind.habit.domain {
            Domain::VolatilityRegime => {
                senses.price().map(|_| crate::senses::trail::log_vol(senses.variance() - p.mark, now.since(p.made)))
            }
            _ => look.map(|l| l.last),
        };
        let surprise = self.track.settle(&kind.habit, now, senses.dt(), turn, actual, out);
        if let Some(look) = look {
            self.learn_level(kind, &look, senses, turn);
        }
        surprise
    }

    /// Learn what is usual; and when the level has left that for good, begin again where it is now.
    fn learn_level(&mut self, kind: &LevelKind, look: &LevelLook, senses: &Senses, turn: TrackTurn) {
        let dt = senses.dt() * turn.rate;
        let usual = self.usual.get_or_insert(Usual::guess(look.last, GUESS, kind.habit.domain.horizon().as_nominal()));
        usual.learn(look.last, senses.dt(), turn.memory.min(kind.usual_memory), turn.rate);
        match kind.habit.domain {
            Domain::VolatilityRegime => {
                let mean = self.ewma.get_or_insert(look.last);
                // A broken quote is far outside; a storm is inside.
                *mean += -libm::expm1(-dt / EWMA) * clip(look.last - *mean, 9.0 * usual.spread);
                self.hours.get_or_insert_default().learn(senses.now(), look.last - look.day, dt, MONTH);
            }
            Domain::GasCondition => {
                self.hours.get_or_insert_default().learn(senses.now(), look.last - look.day, dt, NINE_DAYS);
            }
            _ => {}
        }
        if usual.z(look.last, 9.0).abs() <= FAR || dt <= 0.0 {
            (self.away, self.away_turns) = (0.0, 0);
            return;
        }
        (self.away, self.away_turns) = ((self.away + dt).min(MOVED), self.away_turns.saturating_add(1));
        if self.away >= MOVED && self.away_turns >= MOVED_TURNS {
            *usual = Usual::guess(look.last, GUESS.max(usual.spread), kind.habit.domain.horizon().as_nominal());
            (self.away, self.away_turns) = (0.0, 0);
            self.ewma = self.ewma.map(|_| look.last);
            self.track.teach_from(senses.now());
        }
    }

    /// Store and return the expected level.
    pub(crate) fn forecast(
        &mut self,
        kind: &LevelKind,
        senses: &Senses,
        now: VirtualTime,
        advise: &mut Advise<'_>,
    ) -> Option<(f64, bool)> {
        let view = self.view(kind, senses)?;
        Some(self.track.issue(&kind.habit, &view, now, advise))
    }
    /// The same without a word.
    pub(crate) fn forecast_silently(&mut self, kind: &LevelKind, senses: &Senses, now: VirtualTime) {
        // Looked at only where something comes of it: mostly its last is too recent.
        let Some(since) = self.track.since_silent(&kind.habit, now) else { return };
        if let Some(view) = self.view(kind, senses) {
            self.track.issue_silently(&kind.habit, &view, now, since);
        }
    }

    fn view(&self, kind: &LevelKind, senses: &Senses) -> Option<TrackView> {
        let look = look(kind.habit.domain, senses)?;
        let usual = self.usual?;
        let scale = usual.spread.max(kind.least_spread);
        let by_the_hour = (senses.dt() / HOUR).clamp(0.0, 1.0);
        let (rhythm, then) = self.rhythm(kind, senses);
        let half_way = half_way(&look) + rhythm;
        let (base, mark) = if kind.mean_of_looks {
            (half_way + by_the_hour * (look.last - half_way), half_way)
        } else {
            (half_way, look.mark)
        };
        let away = |other: f64| clip((other - look.last) / scale, FAR);
        let [a, b, c] = look.others.map(away);
        let mut inputs: [f64; INPUTS] = [clip((look.last - usual.mean) / scale, FAR), a, b, c, clip(look.leads, FAR)];
        if let Some(angle) = look.angle {
            let (sin, cos) = libm::sincos(angle);
            (inputs[2], inputs[3], inputs[4]) = (c, sin, cos);
        }
        let [ticks, hours] = kind
            .innate
            .map(|[constant, weights @ ..]| constant + weights.iter().zip(&inputs).map(|(w, x)| w * x).sum::<f64>());
        let innate = ticks + by_the_hour * (hours - ticks);
        let anchor = usual.mean + clip(base - usual.mean, FAR * scale) + scale * innate;
        let plain = self.plain(kind, &look, &usual, senses) + then;
        Some(TrackView { naive: look.last, base, anchor, scale, inputs, plain, mark })
    }

    /// How volatility moves with the hours: half of what is usual for this one goes from half of the last value, and what is
    /// usual for the next one comes. The latter by itself, too.
    fn rhythm(&self, kind: &LevelKind, senses: &Senses) -> (f64, f64) {
        let Some(hours) = self.hours.as_ref().filter(|_| kind.habit.domain == Domain::VolatilityRegime) else {
            return (0.0, 0.0);
        };
        let then = hours.usually(senses.now().after(ahead(kind, senses)));
        (then - 0.5 * hours.usually(senses.now()), then)
    }

    /// What the plain rule of the domain says.
    fn plain(&self, kind: &LevelKind, look: &LevelLook, usual: &Usual, senses: &Senses) -> f64 {
        match kind.habit.domain {
            Domain::VolatilityRegime => self.ewma.unwrap_or(look.last),
            Domain::GasCondition => {
                look.last + self.hours.as_ref().map_or(0.0, |hours| hours.step(senses.now(), ahead(kind, senses)))
            }
            _ => usual.mean,
        }
    }
}

/// How far ahead is looked. On turns longer than the horizon, the next turn is what will be seen.
fn ahead(kind: &LevelKind, senses: &Senses) -> Elapsed {
    Elapsed(kind.habit.domain.horizon().0.max((senses.dt() * 40_000.0) as u64))
}

/// Half-way between the last value and the day's mean.
fn half_way(look: &LevelLook) -> f64 {
    0.5 * (look.last + look.day)
}

/// Volatility, yield and gas as seen in one turn: the same for everyone who looks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LevelLooks {
    pub vol: Option<LevelLook>,
    pub fee_yield: Option<LevelLook>,
    pub gas: Option<LevelLook>,
}

impl LevelLooks {
    pub(crate) fn of(senses: &Senses) -> Self {
        let of = |kind: &LevelKind| look(kind.habit.domain, senses);
        Self { vol: of(&VOL), fee_yield: of(&YIELD), gas: of(&GAS) }
    }
}

fn look(domain: Domain, senses: &Senses) -> Option<LevelLook> {
    let gauge = match domain {
        Domain::VolatilityRegime => senses.vol(),
        Domain::YieldTrend => senses.fee_yield(),
        Domain::GasCondition => senses.gas(),
        _ => None,
    }?;
    let (mut others, mut mark, mut angle, mut leads) = (gauge.means, 0.0, None, 0.0);
    match domain {
        Domain::VolatilityRegime => {
            others[0] = senses.long_vol().unwrap_or(gauge.last);
            mark = senses.variance();
            leads = senses.volume_ratio().map_or(0.0, libm::log);
        }
        // The day begins when the golem was born: where its sine starts makes no difference to a linear model.
        Domain::GasCondition => {
            let day = (senses.now().0 % 86_400_000) as f64 / 86_400_000.0;
            angle = Some(std::f64::consts::TAU * day);
        }
        _ => {}
    }
    Some(LevelLook { last: gauge.last, others, leads, day: gauge.means[2], mark, angle })
}
