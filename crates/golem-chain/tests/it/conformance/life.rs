//! A golem's life in small: random wishes on a chain whose market moves, each previewed and then carried out.

use super::common::{account, chain};
use alloy_primitives::U256;
use golem_chain::embedded::EmbeddedChain;
use golem_core::intent::Asset;
use golem_core::venue::Range;
use golem_core::{Book, Intent, Preview, Receipt, Usdc};
use golem_venue::pool::maths;
use golem_venue::spot::wide;
use golem_venue::{Account, Header, MarketTrade, Venue, act};

/// Numbers that are the same every time.
pub struct Chance(pub u64);

impl Chance {
    /// One of so many.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n.max(1)
    }
    fn share(&mut self) -> u32 {
        (1 + self.below(4_000)) as u32
    }
}

/// What was previewed, and what came of it.
pub struct Lived {
    pub who: Account,
    pub preview: Preview,
    pub receipt: Receipt,
}

/// A chain, three golems with money, and what they have lived.
pub struct Life {
    pub chain: EmbeddedChain,
    pub chance: Chance,
}

impl Life {
    /// A beginning.
    pub fn new(usdc_is_token0: bool, seed: u64) -> Option<Self> {
        Some(Self::upon(chain(usdc_is_token0)?, seed))
    }

    /// A beginning on a chain.
    pub fn upon(mut chain: EmbeddedChain, seed: u64) -> Self {
        for who in 1..=3 {
            chain.fund_to(account(who), Usdc::whole(50_000)).unwrap();
        }
        Self { chain, chance: Chance(seed) }
    }

    /// Time passes: a new block, and the market moves, mostly a little.
    pub fn pass(&mut self) {
        let view = self.chain.view().unwrap();
        let header = Header { timestamp: view.timestamp + 1 + self.chance.below(79), base_fee: 1_000_000_000 };
        self.chain.begin_block(header).unwrap();
        let chance = &mut self.chance;
        let reach = if chance.below(8) == 0 { 1_500 } else { 40 };
        let to = (view.pool.tick + chance.below(2 * reach + 1) as i32 - reach as i32).clamp(-300_000, 300_000);
        let nudged = maths::ratio_at(to).unwrap() + U256::from(chance.below(1_000_000));
        self.chain.trade(&MarketTrade::ToPrice { sqrt_price_x96: wide(nudged) }).unwrap();
        if chance.below(6) == 0 {
            let middle = to.div_euclid(10) * 10;
            let range = Range { lower: middle - 10 * (1 + chance.below(40) as i32), upper: middle + 100 };
            self.chain.trade(&MarketTrade::Provide { range, liquidity: 1_000_000_000_000 }).unwrap();
        }
    }

    /// A golem wants something, is told what it would do, and does it.
    pub fn act(&mut self) -> Lived {
        let who = account(1 + self.chance.below(3) as u8);
        let book = self.chain.book(who).unwrap();
        let intent = self.wish(&book);
        let preview = act::preview(&mut self.chain, who, &[intent], None).pop().expect("a preview");
        let receipt = act::carry_out(&mut self.chain, who, &preview).unwrap();
        Lived { who, preview, receipt }
    }

    /// Anything that a golem with this book could want, now and then what it cannot have.
    pub fn wish(&mut self, book: &Book) -> Intent {
        let chance = &mut self.chance;
        let greedy = chance.below(14) == 0;
        let pay = book.usdc.share_bps(chance.share());
        let give = Asset(book.asset.0 / 10_000 * u128::from(chance.share()));
        let tolerance_bps = 50;
        let width_bps = [0, 100, 500, 2_000][chance.below(4) as usize];
        match chance.below(if book.position.is_some() { 10 } else { 6 }) {
            0 | 1 => Intent::Buy { pay, min_out: Asset(if greedy { u128::MAX } else { 0 }) },
            2 | 3 => Intent::Sell { give, min_out: Usdc(if greedy { u64::MAX } else { 0 }) },
            4 | 5 => Intent::Add { pay, give, width_bps, tolerance_bps },
            6 | 7 => {
                let share_bps = if chance.below(2) == 0 { 10_000 } else { chance.share() };
                Intent::Remove { share_bps, tolerance_bps }
            }
            8 => Intent::Collect,
            _ => Intent::Rebalance { width_bps, tolerance_bps },
        }
    }

    /// Live so many actions.
    pub fn live(&mut self, actions: usize) -> Vec<Lived> {
        (0..actions)
            .map(|_| {
                if self.chance.below(2) == 0 {
                    self.pass();
                }
                self.act()
            })
            .collect()
    }
}
