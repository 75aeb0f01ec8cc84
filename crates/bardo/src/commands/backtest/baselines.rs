//! What doing something simpler would have brought, over the same bars and at the same costs: the pool's fee, gas, and what
//! it takes to be back in USDC at the end.

use super::Bench;
use super::watch::{Watch, fetched};
use crate::chain;
use crate::fail::Fail;
use golem_core::intent::{Asset, Outcome};
use golem_core::{Intent, Usdc};
use golem_venue::act;
use golem_view::metrics::Sample;

/// An account that buys once and holds.
pub struct Holder {
    pub samples: Vec<Sample>,
    /// What was paid for ETH.
    pub paid: Usdc,
    /// ETH that came of it.
    pub got: Asset,
    /// The pool's price before it.
    pub price: f64,
    /// Gas of paying it.
    pub gas: Usdc,
}

/// Buy with everything at the bar of the golem's first turn, through the same pool, and hold to the end of the window.
pub fn buy_and_hold(bench: &Bench<'_>, seed: u64) -> Result<Holder, Fail> {
    let file = bench.seeded(seed);
    let mut watch = Watch::over(&bench.stand(&file)?)?;
    let mut holder = Holder { samples: Vec::new(), paid: Usdc::ZERO, got: Asset::ZERO, price: 0.0, gas: Usdc::ZERO };
    for (n, age) in watch.ages().enumerate() {
        bench.bar.inc(1);
        let seen = watch.look(age)?;
        if n == 1 {
            holder.price = seen.price;
            holder.buy(&watch, bench.args.budget)?;
        }
        let worth = match n {
            0 => bench.args.budget,
            _ => {
                let book = watch.book()?;
                book.usdc.minus(holder.gas).plus(fetched(&book))
            }
        };
        holder.samples.push(Sample { at: watch.moment(age), worth });
    }
    Ok(holder)
}

impl Holder {
    /// How much dearer than the pool's price its purchase was, as a share: the fee, and how far it moved the price.
    pub fn above_spot(&self) -> f64 {
        let worth = self.got.as_f64() * self.price;
        if worth > 0.0 { self.paid.as_f64() / worth - 1.0 } else { 0.0 }
    }

    fn buy(&mut self, watch: &Watch, budget: Usdc) -> Result<(), Fail> {
        let (mut floor, who) = (watch.floor.hold(), watch.who);
        let ground = floor.ground();
        ground.fund_to(who, budget).map_err(|e| chain::trouble(&e))?;
        let all = |pay| Intent::Buy { pay, min_out: Asset(1) };
        // What is paid for gas cannot be paid for ETH: look first what it costs.
        let gas = act::preview(ground, who, &[all(budget)], None).first().map_or(Usdc::ZERO, |p| p.gas.cost);
        let pay = budget.minus(gas);
        if pay == Usdc::ZERO {
            return Ok(());
        }
        for preview in act::preview(ground, who, &[all(pay)], None) {
            let receipt = act::carry_out(ground, who, &preview).map_err(|e| chain::trouble(&e))?;
            let Outcome::Bought { paid, got } = receipt.outcome else {
                return Err(Fail::hint(
                    format!("the pool cannot take a purchase of {pay} USDC, so that nobody could buy and hold"),
                    "give less (--budget), or deepen the pool: --set market.depth_usdc=N",
                ));
            };
            (self.paid, self.got, self.gas) = (paid, got, receipt.gas.cost);
        }
        Ok(())
    }
}
