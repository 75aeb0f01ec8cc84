//! Worlds with a known truth, and the fitness of decision 9 computed apart from the code that it judges.
#![allow(dead_code, reason = "every test binary uses its own part of the kit")]

use golem_core::intent::{Asset, Holdings, Outcome, Refusal};
use golem_core::venue::{PoolSeen, PositionSeen, Range};
use golem_core::{
    Book, Dice, Elapsed, Intent, Observation, Preview, ProtocolState, RawObservation, Receipt, Strand, Usdc,
    VirtualTime,
};
use golem_mind::{Learning, Mind, Outlook, Permissions, PolicyConfig, Template, Valuation};
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
            book: None,
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

/// Natural logarithms of a tick, and of a pool's price at one USDC.
const LN_TICK: f64 = 9.999_500_033_330_834e-5;
const LN_SCALE: f64 = 27.631_021_115_928_547;
/// Liquidity of the ledger in one of the textbook's.
const LIQUIDITY: f64 = 1e12;

/// A position by the textbook: a range of log prices, and liquidity such that the whole of it is worth
/// `liquidity * root of price * (parts)`.
#[derive(Clone, Copy)]
pub struct Position {
    pub low: f64,
    pub high: f64,
    pub liquidity: f64,
}

impl Position {
    /// USDC and asset of one unit of liquidity, in whole units.
    fn parts(&self, price: f64) -> (f64, f64) {
        let (low, high) = (libm::exp(0.5 * self.low), libm::exp(0.5 * self.high));
        let root = libm::sqrt(price).clamp(low, high);
        (root - low, 1.0 / root - 1.0 / high)
    }
    fn worth(&self, price: f64) -> f64 {
        let (usdc, asset) = self.parts(price);
        self.liquidity * (usdc + asset * price)
    }
}

/// A market that takes a fee of every swap and has no depth to speak of, with one position by the textbook's amounts.
pub struct Venue {
    pub holdings: Holdings,
    pub fee_bps: f64,
    pub position: Option<Position>,
    /// Fraction of micro-USDC of fees that has not become a whole one.
    dust: f64,
}

fn micro(usdc: f64) -> Usdc {
    Usdc((usdc * 1e6).max(0.0) as u64)
}

impl Venue {
    pub fn new(capital: Usdc, fee_bps: f64) -> Self {
        Self { holdings: Holdings { capital, ..Default::default() }, fee_bps, position: None, dust: 0.0 }
    }
    /// With a position of so many micro-USDC around a price.
    pub fn with_position(mut self, worth: u64, price: f64, width: f64) -> Self {
        let at = libm::log(price);
        let mut position = Position { low: at - width, high: at + width, liquidity: 1.0 };
        position.liquidity = worth as f64 / 1e6 / position.worth(price);
        self.put(Some(position));
        self
    }
    fn put(&mut self, position: Option<Position>) {
        self.position = position.filter(|p| p.liquidity * LIQUIDITY >= 1.0);
        self.holdings.liquidity = self.position.map_or(0, |p| (p.liquidity * LIQUIDITY) as u128);
        if self.position.is_none() {
            self.holdings.fees = Usdc::ZERO;
        }
    }
    /// See a price; earn fees on what is in range, at a yield a day for an unbounded position.
    pub fn earn(&mut self, price: f64, yield_per_day: f64) {
        let Some(p) = self.position else { return };
        self.holdings.in_range = (p.low..p.high).contains(&libm::log(price));
        if self.holdings.in_range {
            let earned = self.dust + 2e6 * p.liquidity * libm::sqrt(price) * yield_per_day / 2_160.0;
            self.holdings.fees.0 += earned as u64;
            self.dust = earned.fract();
        }
    }
    pub fn value(&self, price: f64) -> Valuation {
        let liquidity = micro(self.position.map_or(0.0, |p| p.worth(price)));
        let asset = micro(self.holdings.asset.as_f64() * price);
        let nav = self.holdings.capital.plus(asset).plus(liquidity).plus(self.holdings.fees);
        Valuation { nav, liquidity }
    }
    /// Asset at the spot price, in the account and in the position, as a share of everything.
    pub fn exposure(&self, price: f64) -> f64 {
        let inside = self.position.map_or(0.0, |p| p.liquidity * p.parts(price).1);
        (self.holdings.asset.as_f64() + inside) * price / self.value(price).nav.as_f64().max(1e-9)
    }
    /// Carry an intent out. The preview says the same as the receipt: nobody trades in between.
    pub fn act(&mut self, intent: &Intent, price: f64) -> (Preview, Receipt) {
        let outcome = self.carry_out(intent, price).unwrap_or_else(|why| Outcome::Refused { why });
        self.earn(price, 0.0);
        let mut preview = Preview::refused(*intent, Refusal::NoMarket);
        preview.outcome = outcome;
        let mut receipt = Receipt::kept_back(*intent, Refusal::NoMarket);
        (receipt.outcome, receipt.after) = (outcome, Some(self.book(price)));
        (preview, receipt)
    }
    pub fn book(&self, price: f64) -> Book {
        let tick = |log: f64| libm::floor((log - LN_SCALE) / LN_TICK) as i32;
        let position = self.position.map(|p| PositionSeen {
            id: 1,
            range: Range { lower: tick(p.low), upper: tick(p.high) },
            liquidity: self.holdings.liquidity,
            fees: self.holdings.fees,
            fees_asset: Asset::ZERO,
        });
        let pool = PoolSeen { tick: tick(libm::log(price)), ..Default::default() };
        Book { usdc: self.holdings.capital, asset: self.holdings.asset, position, pool, ..Default::default() }
    }
    fn carry_out(&mut self, intent: &Intent, price: f64) -> Result<Outcome, Refusal> {
        let kept = 1.0 - self.fee_bps / 1e4;
        let h = &mut self.holdings;
        Ok(match *intent {
            Intent::Hold => Outcome::Held,
            Intent::Buy { pay, min_out } => {
                let got = Asset::of_whole(pay.as_f64() / price * kept);
                h.capital = h.capital.checked_sub(pay).ok_or(Refusal::Funds)?;
                if got < min_out {
                    h.capital = h.capital.plus(pay);
                    return Err(Refusal::Slippage);
                }
                h.asset = h.asset.plus(got);
                Outcome::Bought { paid: pay, got }
            }
            Intent::Sell { give, min_out } => {
                let got = micro(give.as_f64() * price * kept);
                if give > h.asset || got < min_out {
                    return Err(if give > h.asset { Refusal::Funds } else { Refusal::Slippage });
                }
                (h.capital, h.asset) = (h.capital.plus(got), h.asset.minus(give));
                Outcome::Sold { gave: give, got }
            }
            Intent::Add { pay, give, width_bps, .. } => self.add(pay, give, width_bps, price)?,
            Intent::Remove { share_bps, .. } => self.remove(share_bps, price)?,
            Intent::Collect => {
                self.position.ok_or(Refusal::NoPosition)?;
                let got = std::mem::take(&mut self.holdings.fees);
                self.holdings.capital = self.holdings.capital.plus(got);
                Outcome::Collected { got, got_asset: Asset::ZERO }
            }
            Intent::Rebalance { width_bps, .. } => {
                let Outcome::Removed { got, got_asset, .. } = self.remove(10_000, price)? else { unreachable!() };
                // Only what came out goes in again.
                let Outcome::Added { paid, gave, liquidity } = self.add(got, got_asset, width_bps, price)? else {
                    unreachable!()
                };
                Outcome::Moved { got, got_asset, paid, gave, liquidity }
            }
        })
    }
    fn add(&mut self, pay: Usdc, give: Asset, width_bps: u32, price: f64) -> Result<Outcome, Refusal> {
        if pay > self.holdings.capital || give > self.holdings.asset {
            return Err(Refusal::Funds);
        }
        let (at, half) = (libm::log(price), libm::log1p(f64::from(width_bps) / 1e4));
        let half = if width_bps == 0 { 40.0 } else { half };
        let mut p = self.position.unwrap_or(Position { low: at - half, high: at + half, liquidity: 0.0 });
        let (usdc, asset) = p.parts(price);
        let more = (pay.as_f64() / usdc).min(give.as_f64() / asset);
        if !(more.is_finite() && more > 0.0) {
            return Err(Refusal::Reverted);
        }
        let (paid, gave) = (micro(more * usdc).min(pay), Asset::of_whole(more * asset).min(give));
        (self.holdings.capital, self.holdings.asset) =
            (self.holdings.capital.minus(paid), self.holdings.asset.minus(gave));
        p.liquidity += more;
        self.put(Some(p));
        Ok(Outcome::Added { paid, gave, liquidity: (more * LIQUIDITY) as u128 })
    }
    fn remove(&mut self, share_bps: u32, price: f64) -> Result<Outcome, Refusal> {
        let mut p = self.position.ok_or(Refusal::NoPosition)?;
        let out = p.liquidity * f64::from(share_bps) / 1e4;
        let (usdc, asset) = p.parts(price);
        let got = micro(out * usdc).plus(std::mem::take(&mut self.holdings.fees));
        let got_asset = Asset::of_whole(out * asset);
        (self.holdings.capital, self.holdings.asset) =
            (self.holdings.capital.plus(got), self.holdings.asset.plus(got_asset));
        p.liquidity = if share_bps >= 10_000 { 0.0 } else { p.liquidity - out };
        self.put(Some(p));
        Ok(Outcome::Removed { liquidity: (out * LIQUIDITY) as u128, got, got_asset })
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
