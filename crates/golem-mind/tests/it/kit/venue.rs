//! A market with hands: swaps at the spot price less a fee, and one liquidity position by the textbook.

use golem_core::intent::{Asset, Holdings, Outcome, Refusal};
use golem_core::venue::{PoolSeen, PositionSeen, Range};
use golem_core::{Book, Intent, Preview, Receipt, Usdc};
use golem_mind::Valuation;

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

pub fn micro(usdc: f64) -> Usdc {
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
            // No policy wants these.
            Intent::Home { .. } | Intent::Unwrap { .. } => return Err(Refusal::Denied),
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
                let Outcome::Removed { got, got_asset, liquidity: had } = self.remove(10_000, price)? else {
                    unreachable!()
                };
                // Only what came out goes in again.
                let Outcome::Added { paid, gave, liquidity } = self.add(got, got_asset, width_bps, price)? else {
                    unreachable!()
                };
                Outcome::Moved { got, got_asset, paid, gave, had, liquidity }
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
