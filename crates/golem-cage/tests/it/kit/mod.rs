//! A desk for the tests: books at one price, previews of honest intents, and a cage with its facts and its clock.
#![allow(dead_code, missing_docs)]

pub mod watch;

use golem_cage::{Cage, CageAsk, CageConfig, CageFact, Denial, Permit};
use golem_core::intent::{Asset, Outcome, Refusal};
use golem_core::venue::{Appraisal, Gas, PoolSeen, PositionSeen, Range, VenueId, Wide};
use golem_core::{
    Action, Book, Hash, Intent, Preview, Receipt, ReferenceKind, ReferencePrice, Tick, Usdc, VirtualTime,
};

/// A price at which so much of the asset is worth exactly one micro-USDC (a whole costs 3,725 USDC). Its root is 2^82
/// when USDC is token1.
pub const UNIT: u128 = 1 << 28;
pub const RANGE: Range = Range { lower: -600, upper: 600 };
pub const CODE: Hash = Hash([7; 32]);
pub const HOUR: u64 = 3_600;
pub const DAY: u64 = 86_400;

/// So much of the asset that it is worth this many micro-USDC.
pub fn worth(micro: u64) -> Asset {
    Asset(u128::from(micro) * UNIT)
}

pub fn usd(whole: u64) -> Usdc {
    Usdc::whole(whole)
}

/// A mean over half an hour, so many ticks from where the pool stands. The kit's pool stands at tick 0, where the asset is
/// dearer the lower the tick is.
pub fn reference(tick: i32) -> ReferencePrice {
    ReferencePrice { kind: ReferenceKind::PoolMean, tick, spot: 0, window_s: 1_800 }
}

pub fn pool() -> PoolSeen {
    PoolSeen { sqrt_price_x96: Wide([0, 1 << 18, 0, 0]), tick: 0, liquidity: 1 }
}

/// What the desk holds, all in micro-USDC.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Desk {
    pub usdc: u64,
    pub asset: u64,
    /// USDC and asset in the position.
    pub position: Option<(u64, u64)>,
}

impl Desk {
    pub fn book(&self) -> Book {
        let (in_usdc, in_asset) = self.position.unwrap_or_default();
        let position = self.position.map(|(a, b)| PositionSeen {
            id: 11,
            range: RANGE,
            liquidity: u128::from(a) + u128::from(b),
            fees: Usdc(0),
            fees_asset: Asset(0),
        });
        let exposure = Usdc(self.asset.saturating_add(in_asset));
        let worth = Appraisal {
            unwound: exposure,
            gas: Usdc(0),
            position: Usdc(in_usdc.saturating_add(in_asset)),
            fees: Usdc(0),
            exposure,
        };
        Book { usdc: Usdc(self.usdc), asset: worth_of(self.asset), position, pool: pool(), worth, ..Book::default() }
    }
    fn preview(self, intent: Intent, actions: Vec<Action>, after: Desk, outcome: Outcome) -> Preview {
        Preview {
            intent,
            venue: VenueId::UniswapV3,
            code: CODE,
            actions,
            before: self.book(),
            after: after.book(),
            outcome,
            gas: Gas { charged: 100_000, used: 0, cost: Usdc(1) },
            logs: Vec::new(),
            reference: Some(reference(0)),
        }
    }
    /// Buy for `pay`, of which `got` comes back at the spot price; the minimum is what is expected.
    pub fn buy_getting(self, pay: u64, got: u64) -> Preview {
        let (paid, out) = (Usdc(pay), worth_of(got));
        let after = Desk { usdc: self.usdc.saturating_sub(pay), asset: self.asset.saturating_add(got), ..self };
        self.preview(
            Intent::Buy { pay: paid, min_out: out },
            vec![Action::Buy { pay: paid, min_out: out }],
            after,
            Outcome::Bought { paid, got: out },
        )
    }
    pub fn buy(self, pay: u64) -> Preview {
        self.buy_getting(pay, pay)
    }
    pub fn sell_getting(self, give: u64, got: u64) -> Preview {
        let (gave, out) = (worth_of(give), Usdc(got));
        let after = Desk { usdc: self.usdc.saturating_add(got), asset: self.asset.saturating_sub(give), ..self };
        self.preview(
            Intent::Sell { give: gave, min_out: out },
            vec![Action::Sell { give: gave, min_out: out }],
            after,
            Outcome::Sold { gave, got: out },
        )
    }
    pub fn sell(self, give: u64) -> Preview {
        self.sell_getting(give, give)
    }
    /// Add exactly so much of both.
    pub fn add(self, pay: u64, give: u64) -> Preview {
        let (paid, gave) = (Usdc(pay), worth_of(give));
        let (a, b) = self.position.unwrap_or_default();
        let after = Desk {
            usdc: self.usdc.saturating_sub(pay),
            asset: self.asset.saturating_sub(give),
            position: Some((a.saturating_add(pay), b.saturating_add(give))),
        };
        let mint = Action::Mint {
            position: self.position.map(|_| 11),
            range: RANGE,
            pay: paid,
            give: gave,
            min_pay: paid,
            min_give: gave,
        };
        self.preview(
            Intent::Add { pay: paid, give: gave, width_bps: 500, tolerance_bps: 50 },
            vec![mint],
            after,
            Outcome::Added { paid, gave, liquidity: u128::from(pay) + u128::from(give) },
        )
    }
    /// Take a share of the position out.
    pub fn remove(self, share_bps: u32) -> Preview {
        let (a, b) = self.position.unwrap_or_default();
        let part = |x: u64| u64::try_from(u128::from(x) * u128::from(share_bps) / 10_000).unwrap();
        let (out_a, out_b) = (part(a), part(b));
        let close = share_bps == 10_000;
        let after = Desk {
            usdc: self.usdc.saturating_add(out_a),
            asset: self.asset.saturating_add(out_b),
            position: (!close).then_some((a - out_a, b - out_b)),
        };
        let (got, got_asset, liquidity) = (Usdc(out_a), worth_of(out_b), u128::from(out_a) + u128::from(out_b));
        let burn = Action::Burn { position: 11, liquidity, min_out: got, min_asset: got_asset, close };
        self.preview(
            Intent::Remove { share_bps, tolerance_bps: 50 },
            vec![burn],
            after,
            Outcome::Removed { liquidity, got, got_asset },
        )
    }
    pub fn collect(self, got: u64) -> Preview {
        let after = Desk { usdc: self.usdc.saturating_add(got), ..self };
        let mut preview = self.preview(
            Intent::Collect,
            vec![Action::Collect { position: 11 }],
            after,
            Outcome::Collected { got: Usdc(got), got_asset: Asset(0) },
        );
        preview.before.worth.fees = Usdc(got);
        preview
    }
    /// Move the whole position, of which so much of both goes into the new range.
    pub fn rebalance(self, pay: u64, give: u64) -> Preview {
        let (a, b) = self.position.unwrap_or_default();
        let after = Desk {
            usdc: (self.usdc.saturating_add(a)).saturating_sub(pay),
            asset: (self.asset.saturating_add(b)).saturating_sub(give),
            position: Some((pay, give)),
        };
        let liquidity = u128::from(a) + u128::from(b);
        let (got, got_asset, paid, gave) = (Usdc(a), worth_of(b), Usdc(pay), worth_of(give));
        let actions = vec![
            Action::Burn { position: 11, liquidity, min_out: got, min_asset: got_asset, close: true },
            Action::Mint { position: None, range: RANGE, pay: paid, give: gave, min_pay: paid, min_give: gave },
        ];
        let new = u128::from(pay) + u128::from(give);
        self.preview(
            Intent::Rebalance { width_bps: 500, tolerance_bps: 50 },
            actions,
            after,
            Outcome::Moved { got, got_asset, paid, gave, had: liquidity, liquidity: new },
        )
    }
}

fn worth_of(micro: u64) -> Asset {
    worth(micro)
}

/// A desk with so many whole USDC.
pub fn desk(whole: u64) -> Desk {
    Desk { usdc: usd(whole).0, ..Desk::default() }
}

/// The receipt of a preview that came true.
pub fn as_predicted(preview: &Preview) -> Receipt {
    let mut receipt = Receipt::kept_back(preview.intent, Refusal::Reverted);
    receipt.outcome = preview.outcome;
    receipt.after = Some(preview.after);
    receipt
}

/// A cage with its settings, facts and clock.
#[derive(Debug, Clone)]
pub struct Kept {
    pub cage: Cage,
    pub config: CageConfig,
    pub facts: Vec<CageFact>,
    pub now_s: u64,
    pub tick: u64,
    pub nav: Usdc,
}

impl Kept {
    pub fn new(nav: Usdc) -> Self {
        Self { cage: Cage::default(), config: CageConfig::default(), facts: Vec::new(), now_s: 0, tick: 1, nav }
    }
    pub fn with(nav: Usdc, change: impl FnOnce(&mut CageConfig)) -> Self {
        let mut kept = Self::new(nav);
        change(&mut kept.config);
        kept
    }
    pub fn now(&self) -> VirtualTime {
        VirtualTime(self.now_s * 1_000)
    }
    pub fn ask(&mut self, preview: &Preview) -> Result<Permit, Denial> {
        let ask = CageAsk { tick: Tick(self.tick), now: self.now(), nav: self.nav, preview };
        self.cage.ask(&ask, &self.config, &mut self.facts)
    }
    /// Ask, and let it come true if it is permitted.
    pub fn carry(&mut self, preview: &Preview) -> Result<(), Denial> {
        let permit = self.ask(preview)?;
        self.settle(permit, &as_predicted(preview));
        Ok(())
    }
    pub fn settle(&mut self, permit: Permit, receipt: &Receipt) {
        self.cage.settle(permit.id(), Tick(self.tick), receipt, &mut self.facts);
    }
    pub fn see(&mut self, nav: Usdc) {
        self.nav = nav;
        self.cage.see(self.now(), Tick(self.tick), nav, &self.config, &mut self.facts);
    }
    pub fn wait(&mut self, seconds: u64) {
        self.now_s += seconds;
        self.tick += 1;
    }
    pub fn halt(&mut self) {
        self.cage.halt(Tick(self.tick), "enough", &mut self.facts);
    }
    pub fn resume(&mut self) {
        self.cage.resume(Tick(self.tick), &mut self.facts);
    }
    /// The name of the denial, or what it was instead.
    pub fn why(&mut self, preview: &Preview) -> &'static str {
        match self.ask(preview) {
            Ok(_) => "permitted",
            Err(why) => why.name(),
        }
    }
}
