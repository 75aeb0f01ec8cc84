//! volatility_regime, yield_trend and gas_condition: levels on the log scale that come back to what is usual.
//!
//! The naive rule is the last value. The model starts from it, as far as it lies within what the model has come to
//! know (three spreads around its learnt mean), and corrects it by the distances from that mean and from the running
//! means of an hour to a day: the heterogeneous autoregression of Corsi (2009). Mean and spread are learnt like the
//! weights: a mind that no longer learns goes stale when the world moves.

use super::blend::Prior;
use super::track::{FAR, Habit, INPUTS, Pending, Track, View};
use crate::math::{DAY, clip};
use crate::senses::{Senses, Usual};
use golem_core::VirtualTime;
use golem_mortality::{Domain, Settled};
use serde::{Deserialize, Serialize};

/// Before there is evidence the model is mostly believed: without weights it says what the naive rule says.
const PRIOR: Prior = Prior { share: 0.7, weight: 1.0 };
pub(crate) const VOL: Kind = Kind {
    habit: Habit { domain: Domain::VolatilityRegime, penalty: 3.0, memory: 240.0, prior: PRIOR, trust_memory: 60.0 },
    memory: 3.0 * DAY,
};
pub(crate) const YIELD: Kind = Kind {
    habit: Habit { domain: Domain::YieldTrend, penalty: 3.0, memory: 80.0, prior: PRIOR, trust_memory: 40.0 },
    memory: 3.0 * DAY,
};
pub(crate) const GAS: Kind = Kind {
    habit: Habit { domain: Domain::GasCondition, penalty: 3.0, memory: 720.0, prior: PRIOR, trust_memory: 240.0 },
    memory: 2.0 * DAY,
};
/// The spread of a level before it is known.
const GUESS: f64 = 0.35;

/// How a level is learnt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    pub habit: Habit,
    /// Memory of mean and spread, in nominal ticks.
    memory: f64,
}

/// A level as seen in one turn, with three other levels to hold it against.
#[derive(Debug, Clone, Copy)]
struct Look {
    last: f64,
    others: [f64; 3],
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
    /// Nominal ticks and turns in a row that the level has been outside what the model knows.
    away: f64,
    away_turns: u8,
}

/// A level that stays outside this long, and this many turns, has moved for good: a broken quote does not.
const MOVED: f64 = 45.0;
const MOVED_TURNS: u8 = 3;

impl Level {
    /// Settle what is due and learn.
    pub(crate) fn sense(&mut self, kind: &Kind, senses: &Senses, rate: f64, out: &mut Vec<Settled>) -> f64 {
        let look = look(kind.habit.domain, senses);
        let now = senses.now();
        let actual = |p: &Pending| match kind.habit.domain {
            Domain::VolatilityRegime => {
                senses.price().map(|_| crate::senses::trail::log_vol(senses.variance() - p.mark, now.since(p.made)))
            }
            _ => look.map(|l| l.last),
        };
        let surprise = self.track.settle(&kind.habit, now, senses.dt(), rate, actual, out);
        if let Some(look) = look {
            self.learn_level(kind, &look, senses, rate);
        }
        surprise
    }

    /// Learn what is usual; and when the level has left that for good, begin again where it is now.
    fn learn_level(&mut self, kind: &Kind, look: &Look, senses: &Senses, rate: f64) {
        let dt = senses.dt() * rate;
        let usual = self.usual.get_or_insert(Usual::guess(look.last, GUESS, kind.habit.domain.horizon().as_nominal()));
        usual.learn(look.last, senses.dt(), kind.memory, rate);
        if usual.z(look.last, 9.0).abs() <= FAR || dt <= 0.0 {
            (self.away, self.away_turns) = (0.0, 0);
            return;
        }
        (self.away, self.away_turns) = ((self.away + dt).min(MOVED), self.away_turns.saturating_add(1));
        if self.away >= MOVED && self.away_turns >= MOVED_TURNS {
            *usual = Usual::guess(look.last, GUESS.max(usual.spread), kind.habit.domain.horizon().as_nominal());
            (self.away, self.away_turns) = (0.0, 0);
            self.track.teach_from(senses.now());
        }
    }

    /// Store and return the expected level.
    pub(crate) fn forecast(&mut self, kind: &Kind, senses: &Senses, now: VirtualTime) -> Option<f64> {
        let look = look(kind.habit.domain, senses)?;
        let usual = self.usual?;
        let z = usual.z(look.last, FAR);
        let away = |other: f64| clip((other - look.last) / usual.spread, FAR);
        let mut inputs: [f64; INPUTS] = [z, away(look.others[0]), away(look.others[1]), away(look.others[2])];
        if let Some(angle) = look.angle {
            let (sin, cos) = libm::sincos(angle);
            (inputs[2], inputs[3]) = (sin, cos);
        }
        let (anchor, scale) = (usual.mean + usual.spread * z, usual.spread);
        Some(self.track.issue(&kind.habit, &View { naive: look.last, anchor, scale, inputs, mark: look.mark }, now))
    }
}

fn look(domain: Domain, senses: &Senses) -> Option<Look> {
    let gauge = match domain {
        Domain::VolatilityRegime => senses.vol(),
        Domain::YieldTrend => senses.fee_yield(),
        Domain::GasCondition => senses.gas(),
        _ => None,
    }?;
    let (mut others, mut mark, mut angle) = (gauge.means, 0.0, None);
    match domain {
        Domain::VolatilityRegime => {
            others[0] = senses.long_vol().unwrap_or(gauge.last);
            mark = senses.variance();
        }
        // The day begins when the golem was born: where its sine starts makes no difference to a linear model.
        Domain::GasCondition => {
            let day = (senses.now().0 % 86_400_000) as f64 / 86_400_000.0;
            angle = Some(std::f64::consts::TAU * day);
        }
        _ => {}
    }
    Some(Look { last: gauge.last, others, mark, angle })
}
