//! What the golem has seen, kept in the few numbers that forecasting needs. Every turn costs the same.

pub mod body;
pub mod closes;
pub mod gauge;
mod lead;
pub mod probe;
mod severity;
pub mod trail;
pub mod weather;

pub use body::Body;
pub use closes::{Closes, PriceTrend};
pub use gauge::{Gauge, Usual};
pub use probe::Probes;
pub use severity::Severity;
pub use trail::PriceTrail;
pub use weather::Weather;

use crate::math::{DAY, HOUR, clip};
use crate::pool::Span;
use gauge::Gains;
use golem_core::{Elapsed, Observation, Positive, ProtocolState, VirtualTime};
use lead::LeadTrail;
use probe::ProbeSight;
use serde::{Deserialize, Serialize};

/// Memory of what is usual for volatility, in nominal ticks: the 30 days of the spec.
const LONG_MEMORY: f64 = 30.0 * DAY;
/// How long a wide move is one of late, and the widest that is told apart, in usual moves.
const SHOCK_WINDOW: Elapsed = Elapsed::nominal(30);
const WIDEST_SHOCK: f64 = 100.0;
/// Memory of what is usual for vitality.
const VITALITY_MEMORY: f64 = 3.0 * DAY;

/// Rolling series of everything that is observed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Senses {
    now: VirtualTime,
    turns: u64,
    /// Nominal ticks since the turn before.
    dt: f64,
    price: Option<Gauge>,
    gas: Option<Gauge>,
    fee_yield: Option<Gauge>,
    volume: Option<Gauge>,
    vol: Option<Gauge>,
    /// Log volatility of the last three hours.
    long_vol: Option<f64>,
    /// What each of the two usually is: on bars of an hour they differ by far.
    usual_vol: Option<Usual>,
    usual_long: Option<Usual>,
    trail: PriceTrail,
    /// Another pair's price of late.
    lead: LeadTrail,
    closes: Closes,
    weather: Weather,
    probes: Probes,
    log_return: Option<f64>,
    /// The widest single move of late, in usual moves, and when it was.
    shock: Option<(VirtualTime, f64)>,
    vol_change: Option<f64>,
    /// Liquidity of the pool when it was last seen, and its change in this turn.
    pool: Option<u128>,
    pool_change: Option<f64>,
    /// Health of the position: 2 in the middle of its range, 1 at its edge; and how far it fell in this turn.
    health: Option<f64>,
    health_drop: f64,
    /// What vitality usually is.
    vitality: Option<Usual>,
    vitality_z: f64,
    /// Largest settled error of this turn, in usual errors.
    surprise: f64,
    /// What was seen last; a field that is missing here is silent in this turn.
    seen: Observation,
}

impl Senses {
    /// Take in one observation. A missing field leaves its series as it was, and silent for this turn.
    pub fn observe(&mut self, seen: &Observation, now: VirtualTime) {
        self.dt = if self.turns == 0 { 0.0 } else { now.since(self.now).as_nominal() };
        self.turns = self.turns.saturating_add(1);
        // Time never goes back; a turn that claims so counts as one without length.
        self.now = self.now.max(now);
        self.seen = *seen;
        let gains = Gains::over(self.dt);
        let now = self.now;
        watch(&mut self.gas, seen.gas_gwei.map(Positive::ln), now, &gains);
        watch(&mut self.volume, seen.volume.map(Positive::ln), now, &gains);
        // Where nobody trades for an hour, what is shown as a yield is a mean that fades: nothing to learn from.
        let idle = self.volume.is_some_and(|traded| now.since(traded.at).as_nominal() >= HOUR);
        self.seen.fee_yield = self.seen.fee_yield.filter(|_| !idle);
        watch(&mut self.fee_yield, self.seen.fee_yield.map(Positive::ln), now, &gains);
        self.lead.see(seen.lead_price.map(Positive::ln), now);
        self.observe_price(seen.price.map(Positive::ln), &gains);
        self.observe_pool(seen);
    }

    fn observe_pool(&mut self, seen: &Observation) {
        let liquidity = seen.book.map(|book| book.pool.liquidity).filter(|l| *l > 0);
        let change = |now: u128, before: u128| crate::math::ratio(now as f64, before as f64) - 1.0;
        self.pool_change = liquidity.zip(self.pool).map(|(now, before)| change(now, before));
        self.pool = liquidity.or(self.pool);
        let health = seen.book.zip(self.price()).and_then(|(book, p)| {
            let range = Span::of(&book, p.last)?;
            Some(1.0 + range.room(p.last))
        });
        self.health_drop = self.health.zip(health).map_or(0.0, |(before, now)| (before - now).max(0.0));
        self.health = health;
    }

    fn observe_price(&mut self, level: Option<f64>, gains: &Gains) {
        self.weather.changed = false;
        (self.log_return, self.vol_change) = (None, None);
        let Some(level) = level else { return };
        let now = self.now;
        let before = self.price;
        self.log_return = before.map(|b| level - b.last);
        let dt = before.map_or(0.0, |b| now.since(b.at).as_nominal());
        self.observe_shock(dt);
        self.trail.step(self.log_return.unwrap_or(0.0), now);
        self.closes.see(level, now);
        watch(&mut self.price, Some(level), now, gains);
        let vol = self.trail.short(now);
        self.long_vol = self.trail.long(now);
        if let Some(v) = vol {
            self.vol_change = self.vol.map(|g| v - g.last);
            watch(&mut self.vol, vol, now, gains);
            self.usual_vol.get_or_insert(Usual::guess(v, 0.4, 90.0)).learn(v, self.dt, LONG_MEMORY, 1.0);
        }
        if let Some(v) = self.long_vol {
            self.usual_long.get_or_insert(Usual::guess(v, 0.4, 270.0)).learn(v, self.dt, LONG_MEMORY, 1.0);
        }
        let heat = self.long_vol.zip(self.usual_long).map(|(long, usual)| long - usual.mean);
        let vol_z = vol.zip(self.usual_vol).map_or(0.0, |(v, usual)| usual.z(v, 9.0));
        let deviation = self.price.map_or(0.0, |p| p.last - 0.5 * (p.means[0] + p.means[1]));
        self.weather.look(deviation, heat, vol_z, dt, now);
    }

    /// `dt` is the time since the price was last seen.
    fn observe_shock(&mut self, dt: f64) {
        let now = self.now;
        self.shock = self.shock.filter(|(at, _)| now.since(*at) < SHOCK_WINDOW);
        let Some((moved, usual)) = self.log_return.zip(self.vol.map(|g| g.means[2])).filter(|_| dt > 0.0) else {
            return;
        };
        let moves = moved / (libm::exp(usual) * libm::sqrt(dt / HOUR)).max(1e-12);
        if self.shock.is_none_or(|(_, widest)| moves.abs() >= widest.abs()) {
            self.shock = Some((now, clip(moves, WIDEST_SHOCK)));
        }
    }

    /// Run the probes, once the turn's forecasts are settled: `surprise` is the largest settled error in usual errors.
    pub(crate) fn probe(&mut self, surprise: f64) {
        self.surprise = surprise;
        self.vitality_z = 0.0;
        self.probes = Probes::look(&self.sight(), &Body::default());
    }
    /// Run them again with what the rest of the golem knows about itself.
    pub(crate) fn feel(&mut self, body: &Body) {
        if let Some(x) = body.vitality.filter(|x| x.is_finite()) {
            let usual = self.vitality.get_or_insert(Usual::guess(x, 0.05, 90.0));
            self.vitality_z = usual.z(x, 9.0);
            usual.learn(x, self.dt, VITALITY_MEMORY, 1.0);
        }
        self.probes = Probes::look(&self.sight(), body);
    }
    fn sight(&self) -> ProbeSight {
        let strength = self.price().and_then(|p| Some((self.closes.strength()?, p.last > p.means[2])));
        ProbeSight {
            log_return: self.log_return,
            pool_change: self.pool_change,
            health: self.health,
            health_drop: self.health_drop,
            gas_excess: self.gas_excess(),
            strength,
            vitality_z: self.vitality_z,
            surprise: self.surprise,
            regime_changed: self.weather.changed,
            rejected: self.seen.rejected,
        }
    }

    /// The largest settled error of this turn, in usual errors of its domain.
    #[must_use]
    pub fn surprise(&self) -> f64 {
        self.surprise
    }
    /// USDC per unit of the asset, if it was seen in this turn.
    #[must_use]
    pub fn spot(&self) -> Option<f64> {
        self.seen.price.map(Positive::get)
    }
    /// Means of the log price over two windows of hours and the channel of closes over a third, if the price was seen
    /// for long enough and in this turn.
    #[must_use]
    pub fn trend(&self, fast_hours: u32, slow_hours: u32, breakout_hours: u32) -> Option<PriceTrend> {
        self.seen.price.and_then(|_| self.closes.trend(self.now, fast_hours, slow_hours, breakout_hours))
    }
    /// The log price, if it was seen in this turn.
    #[must_use]
    pub fn price(&self) -> Option<&Gauge> {
        self.price.as_ref().filter(|_| self.seen.price.is_some())
    }
    /// The log gas price, if it was seen in this turn.
    #[must_use]
    pub fn gas(&self) -> Option<&Gauge> {
        self.gas.as_ref().filter(|_| self.seen.gas_gwei.is_some())
    }
    /// The log fee yield, if it was seen in this turn.
    #[must_use]
    pub fn fee_yield(&self) -> Option<&Gauge> {
        self.fee_yield.as_ref().filter(|_| self.seen.fee_yield.is_some())
    }
    /// Log realised volatility of the last 90 nominal ticks, if the price was seen for that long and in this turn.
    #[must_use]
    pub fn vol(&self) -> Option<&Gauge> {
        self.vol.as_ref().filter(|_| self.seen.price.is_some())
    }
    /// Log return over the last 90 nominal ticks, if the price was seen for that long and in this turn.
    #[must_use]
    pub fn return_90(&self) -> Option<f64> {
        self.seen.price.and_then(|_| self.trail.short_return(self.now))
    }
    /// Log return over the last 15 nominal ticks, if the price was seen for that long and in this turn.
    #[must_use]
    pub fn return_15(&self) -> Option<f64> {
        self.seen.price.and_then(|_| self.trail.return_over(Elapsed::nominal(15), self.now))
    }
    /// The widest single move of the price within 30 nominal ticks, in moves as they usually are over a day.
    #[must_use]
    pub fn shock(&self) -> Option<f64> {
        self.seen.price.and(self.shock).map(|(_, moves)| moves)
    }
    /// Log return of another pair over the last 45 nominal ticks, where there is one to see.
    #[must_use]
    pub fn lead_return(&self) -> Option<f64> {
        self.seen.lead_price.and_then(|_| self.lead.moved(self.now))
    }
    /// Fee yield over its mean of about a day.
    #[must_use]
    pub fn fee_yield_ratio(&self) -> Option<f64> {
        self.fee_yield().map(|g| libm::exp(g.last - g.means[2]))
    }
    /// Gas over its mean of about a day.
    #[must_use]
    pub fn gas_ratio(&self) -> Option<f64> {
        self.gas().map(|g| libm::exp(g.last - g.means[2]))
    }
    /// Volume over its mean of about a day.
    #[must_use]
    pub fn volume_ratio(&self) -> Option<f64> {
        self.volume.as_ref().filter(|_| self.seen.volume.is_some()).map(|g| libm::exp(g.last - g.means[2]))
    }
    /// What was seen in this turn.
    #[must_use]
    pub fn seen(&self) -> &Observation {
        &self.seen
    }
    /// Log realised volatility per 90 nominal ticks over the last 270.
    #[must_use]
    pub fn long_vol(&self) -> Option<f64> {
        self.long_vol
    }
    /// What volatility usually is.
    #[must_use]
    pub fn usual_vol(&self) -> Option<&Usual> {
        self.usual_vol.as_ref()
    }
    /// State of the protocol in this turn.
    #[must_use]
    pub fn protocol(&self) -> Option<ProtocolState> {
        self.seen.protocol
    }
    /// Log of gas over its one-hour mean.
    #[must_use]
    pub fn gas_excess(&self) -> Option<f64> {
        self.gas().map(|g| g.last - g.means[0])
    }
    /// Realised variance so far: forecasts of volatility are measured by its differences.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.trail.total()
    }
    /// The regime and its tags.
    #[must_use]
    pub fn weather(&self) -> &Weather {
        &self.weather
    }
    /// What is worth a second look.
    #[must_use]
    pub fn probes(&self) -> &Probes {
        &self.probes
    }
    /// Log return and change of log volatility since the turn before: what answered that turn's action.
    #[must_use]
    pub fn response(&self) -> Option<[f64; 2]> {
        self.log_return.map(|r| [r, self.vol_change.unwrap_or(0.0)])
    }
    /// The moment of the last observation.
    #[must_use]
    pub fn now(&self) -> VirtualTime {
        self.now
    }
    /// Length of the last turn in nominal ticks.
    #[must_use]
    pub fn dt(&self) -> f64 {
        self.dt
    }
}

fn watch(gauge: &mut Option<Gauge>, level: Option<f64>, now: VirtualTime, gains: &Gains) {
    match (gauge, level) {
        (_, None) => {}
        (Some(g), Some(level)) => g.see(level, now, gains),
        (empty, Some(level)) => *empty = Some(Gauge::first(level, now)),
    }
}
