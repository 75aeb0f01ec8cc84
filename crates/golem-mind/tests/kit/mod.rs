//! Worlds with a known truth, and the fitness of decision 9 computed apart from the code that it judges.
#![allow(dead_code, reason = "every test binary uses its own part of the kit")]

use golem_core::intent::{Asset, Holdings, Outcome, Refusal};
use golem_core::{
    Dice, Elapsed, Intent, Observation, ProtocolState, RawObservation, Receipt, Strand, Usdc, VirtualTime,
};
use golem_mind::{Learning, Mind, Valuation};
use golem_mortality::{Domain, Settled};

/// Exponentially weighted losses of one mind.
#[derive(Default)]
pub struct Score {
    losses: [(f64, f64, u32); 6],
    sums: [(f64, f64); 6],
}

impl Score {
    pub fn take(&mut self, settled: &[Settled]) {
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
        let (sum, weight) = counted.fold((0.0, 0.0), |(s, w), d| (s + d.weight() * self.f(d), w + d.weight()));
        if weight > 0.0 { sum / weight } else { 0.5 }
    }
    pub fn show(&self) -> String {
        let each: Vec<_> = Domain::ALL.iter().map(|d| format!("{d} {:.3}", self.f(*d))).collect();
        format!("{} composite {:.3}", each.join(" "), self.composite())
    }
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
        }
    }
}

/// A mind in a world of equal turns, with its score.
pub struct Life {
    pub mind: Mind,
    pub score: Score,
    pub now: VirtualTime,
    pub out: Vec<Settled>,
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

/// A paper venue: spot price less a fee; a full-range position worth the root of the price per unit.
pub struct Venue {
    pub holdings: Holdings,
    pub fee_bps: f64,
    /// Fraction of micro-USDC of fees that has not become a whole one.
    dust: f64,
}

impl Venue {
    pub fn new(capital: Usdc, fee_bps: f64) -> Self {
        Self { holdings: Holdings { capital, ..Default::default() }, fee_bps, dust: 0.0 }
    }
    fn unit(price: f64) -> f64 {
        libm::sqrt(price) / 40.0
    }
    pub fn earn(&mut self, price: f64, yield_per_day: f64) {
        let earned = self.dust + self.holdings.units as f64 * Self::unit(price) * yield_per_day / 2_160.0;
        self.holdings.fees.0 += earned as u64;
        self.dust = earned.fract();
    }
    pub fn value(&self, price: f64) -> Valuation {
        let liquidity = Usdc((self.holdings.units as f64 * Self::unit(price)) as u64);
        let asset = Usdc((self.holdings.asset.0 as f64 * price / 1e3) as u64);
        let nav = self.holdings.capital.plus(asset).plus(liquidity).plus(self.holdings.fees);
        Valuation { nav, liquidity }
    }
    pub fn act(&mut self, intent: &Intent, price: f64) -> Receipt {
        let kept = 1.0 - self.fee_bps / 1e4;
        let half = 1.0 - 0.5 * self.fee_bps / 1e4;
        let h = &mut self.holdings;
        let refused = |why| Outcome::Refused { why };
        let outcome = match *intent {
            Intent::Buy { pay, .. } if pay > h.capital => refused(Refusal::Funds),
            Intent::Add { pay, .. } if pay > h.capital => refused(Refusal::Funds),
            Intent::Sell { give, .. } if give > h.asset => refused(Refusal::Funds),
            Intent::Buy { pay, min_out } => {
                let got = Asset((pay.0 as f64 * 1e3 / price * kept) as u64);
                if got < min_out {
                    refused(Refusal::Slippage)
                } else {
                    (h.capital, h.asset) = (h.capital.minus(pay), Asset(h.asset.0 + got.0));
                    Outcome::Bought { paid: pay, got }
                }
            }
            Intent::Sell { give, min_out } => {
                let got = Usdc((give.0 as f64 * price / 1e3 * kept) as u64);
                if got < min_out {
                    refused(Refusal::Slippage)
                } else {
                    (h.capital, h.asset) = (h.capital.plus(got), Asset(h.asset.0 - give.0));
                    Outcome::Sold { gave: give, got }
                }
            }
            Intent::Add { pay, .. } => {
                let units = (pay.0 as f64 / Self::unit(price) * half) as u64;
                (h.capital, h.units) = (h.capital.minus(pay), h.units + units);
                Outcome::Added { paid: pay, units }
            }
            Intent::Remove { share_bps, .. } => {
                let units = (u128::from(h.units) * u128::from(share_bps) / 10_000) as u64;
                let got = Usdc((units as f64 * Self::unit(price) * half) as u64).plus(h.fees);
                (h.units, h.fees, h.capital) = (h.units - units, Usdc::ZERO, h.capital.plus(got));
                Outcome::Removed { units, got }
            }
            Intent::Collect => {
                let got = h.fees;
                (h.fees, h.capital) = (Usdc::ZERO, h.capital.plus(got));
                Outcome::Collected { got }
            }
            Intent::Hold | Intent::Rebalance { .. } => refused(Refusal::NoPosition),
        };
        Receipt { intent: *intent, outcome, gas: Usdc::ZERO }
    }
}
