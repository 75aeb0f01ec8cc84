//! Worlds with a known truth, and fitness computed apart from the code that it judges.
#![allow(dead_code, reason = "every test binary uses its own part of the kit")]

mod venue;
pub use venue::Venue;

use golem_core::intent::{Asset, Holdings, Outcome};
use golem_core::{Dice, Elapsed, Intent, Observation, ProtocolState, RawObservation, Strand, Usdc, VirtualTime};
use golem_mind::{Learning, Mind, Outlook, Permissions, PolicyConfig, Template, Valuation};
use golem_mortality::{Domain, SettledForecast};
use venue::micro;

/// Exponentially weighted losses of one mind.
#[derive(Default)]
pub struct Score {
    losses: [(f64, f64, u32); 6],
    sums: [(f64, f64); 6],
}

impl Score {
    pub fn take(&mut self, settled: &[SettledForecast]) {
        for s in settled {
            let (model, naive, n) = &mut self.losses[s.domain.index()];
            *n += 1;
            let gain = s.domain.ema().max(1.0 / f64::from(*n));
            *model += gain * (s.model_loss - *model);
            *naive += gain * (s.naive_loss - *naive);
            let (model, naive) = &mut self.sums[s.domain.index()];
            *model += s.model_loss;
            *naive += s.naive_loss;
        }
    }
    /// Skill against naive: 0.5 is as good.
    pub fn f(&self, domain: Domain) -> f64 {
        let (model, naive, _) = self.losses[domain.index()];
        if model + naive > 0.0 { naive / (naive + model) } else { 0.5 }
    }
    /// The same over the whole life, without forgetting.
    pub fn overall(&self, domain: Domain) -> f64 {
        let (model, naive) = self.sums[domain.index()];
        if model + naive > 0.0 { naive / (naive + model) } else { 0.5 }
    }
    pub fn count(&self, domain: Domain) -> u32 {
        self.losses[domain.index()].2
    }
    /// Weighted mean over the domains that count.
    pub fn composite(&self) -> f64 {
        let counted = Domain::ALL.into_iter().filter(|d| self.count(*d) >= d.minimum(50));
        let (sum, weight) = counted.fold((0.0, 0.0), |(s, w), d| (s + share(d) * self.f(d), w + share(d)));
        if weight > 0.0 { sum / weight } else { 0.5 }
    }
    pub fn show(&self) -> String {
        let each: Vec<_> = Domain::ALL.iter().map(|d| format!("{d} {:.3}", self.f(*d))).collect();
        format!("{} composite {:.3}", each.join(" "), self.composite())
    }
}

/// A domain's share of fitness.
pub fn share(domain: Domain) -> f64 {
    golem_mortality::config::Shares::default().of(domain)
}

/// Two standard normals of a turn.
pub fn normals(seed: u64, t: u64) -> [f64; 6] {
    let mut draws = Dice::open(seed, Strand::World).draws(t);
    let ((a, b), (c, d), (e, f)) = (draws.normals(), draws.normals(), draws.normals());
    [a, b, c, d, e, f]
}

/// An AR(1) around a mean: `pull` back per tick and `noise` per tick.
#[derive(Clone, Copy)]
pub struct Reverting {
    pub level: f64,
    pub mean: f64,
    pub pull: f64,
    pub noise: f64,
}

impl Reverting {
    pub fn new(mean: f64, pull: f64, noise: f64) -> Self {
        Self { level: mean, mean, pull, noise }
    }
    pub fn step(&mut self, z: f64) -> f64 {
        self.level += self.pull * (self.mean - self.level) + self.noise * z;
        self.level
    }
}

/// A market of 40-second ticks: a random walk whose volatility, like gas and fees, comes back to its mean.
pub struct Market {
    pub seed: u64,
    pub t: u64,
    pub price: f64,
    pub vol: Reverting,
    pub fees: Reverting,
    pub gas: Reverting,
    /// Log amplitude of the daily rhythm of gas.
    pub rhythm: f64,
}

impl Market {
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            t: 0,
            price: libm::log(2_000.0),
            vol: Reverting::new(libm::log(0.0007), 0.01, 0.03),
            fees: Reverting::new(libm::log(0.001), 0.005, 0.02),
            gas: Reverting::new(libm::log(0.02), 0.05, 0.05),
            rhythm: 0.3,
        }
    }
    /// Everything that has a level moves by `by` on the log scale, for good.
    pub fn shift(&mut self, by: f64) {
        for level in [&mut self.vol, &mut self.fees, &mut self.gas] {
            level.mean += by;
            level.level += by;
        }
    }
    pub fn tick(&mut self) -> RawObservation {
        self.t += 1;
        let z = normals(self.seed, self.t);
        self.price += libm::exp(self.vol.step(z[0])) * z[1];
        let day = std::f64::consts::TAU * self.t as f64 / 2_160.0;
        let gas = self.gas.step(z[2]) + self.rhythm * libm::sin(day);
        RawObservation {
            price: Some(libm::exp(self.price)),
            gas_gwei: Some(libm::exp(gas)),
            fee_yield: Some(libm::exp(self.fees.step(z[3]))),
            volume: None,
            protocol: Some(ProtocolState::Normal),
            ..RawObservation::default()
        }
    }
}

/// A mind in a world of equal turns, with its score.
pub struct Life {
    pub mind: Mind,
    pub score: Score,
    pub now: VirtualTime,
    pub out: Vec<SettledForecast>,
}

impl Life {
    pub fn new() -> Self {
        Self { mind: Mind::default(), score: Score::default(), now: VirtualTime(0), out: Vec::new() }
    }
    pub fn turn(&mut self, seen: &Observation, by: Elapsed, learning: Learning) {
        self.now = self.now.after(by);
        self.out.clear();
        self.mind.sense(seen, self.now, learning, &mut self.out);
        self.mind.forecast(self.now);
        self.score.take(&self.out);
    }
}

/// A mind with hands: one turn of a life with a template. Returns what was wanted.
pub fn live(
    life: &mut Life,
    venue: &mut Venue,
    raw: &RawObservation,
    learning: Learning,
    may: &Permissions,
    config: &PolicyConfig,
) -> Vec<Intent> {
    let price = raw.price.unwrap_or(2_000.0);
    let raw = RawObservation { book: Some(venue.book(price)), ..*raw };
    life.turn(&raw.admit(), Elapsed::nominal(1), learning);
    venue.earn(price, raw.fee_yield.unwrap_or(0.0));
    let value = venue.value(price);
    let intents = life.mind.decide(life.now, &venue.holdings, &value, may, config);
    for intent in &intents {
        let (preview, receipt) = venue.act(intent, price);
        let mut out = Vec::new();
        life.mind.verify(&preview, &receipt, learning, &mut out);
        life.score.take(&out);
    }
    intents
}

/// A calm market at 2,000 USDC with hourly deviations of 0.7 % (3.43 % a day), little yield and little gas.
pub fn calm() -> Outlook {
    let log_vol = Some(libm::log(0.007));
    Outlook {
        price: Some(2_000.0),
        mean_return: Some(0.0),
        log_vol,
        usual_log_vol: log_vol,
        log_yield: Some(libm::log(0.000_1)),
        log_gas: Some(libm::log(0.01)),
        ..Default::default()
    }
}

/// What is held at a price of 2,000, all in USDC: in the account, in the asset, in a position that has the price.
pub fn holding(capital: f64, asset: f64, liquidity: f64) -> (Holdings, Valuation) {
    let holdings = Holdings {
        capital: micro(capital),
        asset: Asset::of_whole(asset / 2_000.0),
        liquidity: micro(liquidity).0.into(),
        in_range: true,
        ..Default::default()
    };
    (holdings, Valuation { nav: micro(capital + asset + liquidity), liquidity: micro(liquidity) })
}

/// A policy with hands, for markets that are set by hand instead of forecast.
pub struct Trader {
    pub policy: golem_mind::Policy,
    pub venue: Venue,
    pub config: PolicyConfig,
    pub tick: u64,
}

impl Trader {
    pub fn new(template: Template, capital: u64) -> Self {
        let config = PolicyConfig { template, ..Default::default() };
        Self { policy: golem_mind::Policy::default(), venue: Venue::new(Usdc::whole(capital), 5.0), config, tick: 0 }
    }
    /// Let some nominal ticks pass, then one turn: what was wanted, and done.
    pub fn turn(&mut self, after: u64, outlook: &Outlook, may: &Permissions) -> Vec<Intent> {
        self.tick += after;
        let price = outlook.price.unwrap_or(2_000.0);
        self.venue.earn(price, 0.0);
        let range = golem_mind::Span::of(&self.venue.book(price), libm::log(price));
        let (holdings, value) = (self.venue.holdings, self.venue.value(price));
        let now = VirtualTime(0).after(Elapsed::nominal(self.tick));
        let seen = Outlook { range, ..*outlook };
        let intents = self.policy.decide(&seen, &holdings, &value, may, &self.config, now);
        for intent in &intents {
            let (_, receipt) = self.venue.act(intent, price);
            assert!(!matches!(receipt.outcome, Outcome::Refused { .. }), "{intent:?}: {:?}", receipt.outcome);
        }
        intents
    }
    pub fn names(intents: &[Intent]) -> Vec<&'static str> {
        intents.iter().map(Intent::name).collect()
    }
}
