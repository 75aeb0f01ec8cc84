//! A golem without a life on a floor: it wishes this and that by seeded chance, a cage permits it, and what came of it is
//! remembered. For tests of what is tried on copies, on every chain of our own.
#![allow(dead_code, reason = "each test file uses its part")]

use golem_cage::{Cage, CageAsk, CageConfig};
use golem_core::dice::{Dice, Draws};
use golem_core::door::{ForkAct, ForkDeed, ForkFrom, ForkReply, ForkRequest, ForkRun, Hands, World};
use golem_core::intent::{Asset, Holdings};
use golem_core::{
    Elapsed, Intent, Point, Preview, Receipt, ReferenceKind, ReferencePrice, Strand, Tick, Timestamp, Usdc, VirtualTime,
};
use golem_venue::Account;
use golem_venue::floor::{FloorHands, FloorPlan, FloorWorld, SharedFloor};
use golem_venue::market::{MarketConfig, Outside, OutsideTick};
use golem_venue::scenario::Scenario;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub const WHO: Account = Account([9; 20]);
pub const FUNDS: Usdc = Usdc::whole(10_000);
const EPOCH: i64 = 1_767_225_600;

/// Others trade between a golem's preview and its execution, and every second swap of it is sandwiched.
pub const STORM: &str = r#"
name = "storm"
about = "Everything at once."

[[events]]
what = "rivals"
for_ticks = 1000000
trades = 2
size_usdc = "300"

[[events]]
what = "sandwich"
for_ticks = 1000000
times = 2
every = 2

[[events]]
what = "liquidity_drain"
at_tick = 40
for_ticks = 90
share_bps = 5000
"#;

/// An outside price that wanders by dice, and the last tick that anybody asked it for.
pub struct Wander {
    dice: Dice,
    sigma: f64,
    next: u64,
    price: f64,
    pub asked: Arc<AtomicU64>,
}

impl Wander {
    pub fn new(seed: u64, sigma: f64) -> Self {
        let asked = Arc::new(AtomicU64::new(0));
        Self { dice: Dice::open(seed, Strand::World), sigma, next: 0, price: 3_000.0, asked }
    }
}

impl Outside for Wander {
    fn at(&mut self, tick: u64) -> Option<OutsideTick> {
        self.asked.fetch_max(tick, Ordering::Relaxed);
        while self.next <= tick {
            self.price *= 1.0 + self.sigma * self.dice.draws(self.next).normals().0;
            self.next += 1;
        }
        let gas_gwei = Some(0.05 + (tick % 7) as f64 / 100.0);
        Some(OutsideTick { gas_gwei, volume: Some(20_000.0), ..OutsideTick::priced(self.price) })
    }
    fn save(&self) -> Vec<u8> {
        [self.next.to_le_bytes(), self.price.to_le_bytes()].concat()
    }
    fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        let (next, price) = saved.split_first_chunk::<8>().ok_or("short")?;
        self.next = u64::from_le_bytes(*next);
        self.price = f64::from_le_bytes(price.try_into().map_err(|_| "short")?);
        Ok(())
    }
}

pub fn plan(seed: u64, scenario: Option<&str>) -> FloorPlan {
    FloorPlan {
        market: MarketConfig::default(),
        dice: Dice::open(seed, Strand::Market),
        epoch: Timestamp(EPOCH),
        step_ticks: 1,
        scenario: scenario.map(|text| Scenario::parse(text).unwrap()),
    }
}

/// An act, and what came of it.
#[derive(Debug, Clone)]
pub struct LivedAct {
    pub intent: Intent,
    pub receipt: Receipt,
    /// Nothing else was previewed before it in its turn.
    pub alone: bool,
}

pub struct Trader {
    pub floor: SharedFloor,
    pub seen: FloorWorld,
    pub hands: FloorHands,
    pub acts: Vec<LivedAct>,
    chance: Dice,
    rules: CageConfig,
}

impl Trader {
    pub fn on(floor: SharedFloor, seed: u64) -> Self {
        let (seen, hands) = (FloorWorld::new(floor.clone(), WHO, 0), FloorHands::new(floor.clone(), WHO));
        let rules = CageConfig {
            per_tx_share_bps: 10_000,
            per_hour_share_bps: 100_000,
            per_day_share_bps: 1_000_000,
            max_position_bps: 10_000,
            max_exposure_bps: 10_000,
            max_slippage_bps: 1_000,
            per_tx_usdc: FUNDS,
            per_hour_usdc: FUNDS,
            per_day_usdc: FUNDS,
            max_gas_bps: 5_000,
            ..CageConfig::default()
        };
        Self { floor, seen, hands, acts: Vec::new(), chance: Dice::open(seed, Strand::Mind), rules }
    }
    pub fn look(&mut self, n: u64) {
        self.seen.observe(VirtualTime::default().after(Elapsed::nominal(n))).unwrap();
    }
    /// Look, wish once or twice, and carry out what is permitted; of two wishes the first is sometimes given up.
    pub fn turn(&mut self, n: u64) {
        self.look(n);
        let mut draws = self.chance.draws(n);
        let mut wishes = vec![self.wish(&mut draws)];
        if draws.uniform() < 0.3 {
            wishes.push(self.wish(&mut draws));
        }
        let gives_up = draws.uniform() < 0.5;
        let previews = self.hands.preview(&wishes, &holdings());
        for (i, preview) in previews.into_iter().enumerate() {
            if i == 0 && wishes.len() > 1 && gives_up {
                continue;
            }
            self.act(n, preview, i == 0);
        }
    }
    fn act(&mut self, n: u64, preview: Preview, alone: bool) {
        let preview = at_its_reference(preview);
        let (tick, now) = (Tick(n), VirtualTime(n * 40_000));
        let ask = CageAsk { tick, now, nav: FUNDS, preview: &preview };
        // A new cage every time: its limits are not under test.
        let Ok(permit) = Cage::default().ask(&ask, &self.rules, &mut Vec::new()) else { return };
        let receipt = self.hands.act(tick, &preview, permit);
        if receipt.point.is_some() {
            self.acts.push(LivedAct { intent: preview.intent, receipt, alone });
        }
    }
    fn wish(&self, draws: &mut Draws) -> Intent {
        let book = self.floor.hold().ground().book(WHO).unwrap();
        let usdc = if book.usdc == Usdc::ZERO { FUNDS } else { book.usdc };
        let share = (100.0 + draws.uniform() * 2_000.0) as u32;
        let pay = usdc.share_bps(share);
        let give = Asset(book.asset.0 / 10_000 * u128::from(share));
        let (width_bps, tolerance_bps) = (200 + share, 300);
        match (draws.uniform() * 8.0) as u32 {
            0..=1 => Intent::Buy { pay, min_out: Asset(pay.0 as u128 * 1_000_000_000_000 / 3_400) },
            2 => Intent::Sell { give, min_out: Usdc((give.0 / 1_000_000_000_000) as u64 * 2_500) },
            3..=4 => Intent::Add { pay, give: Asset(book.asset.0 / 2), width_bps, tolerance_bps },
            5 => Intent::Remove { share_bps: if share > 1_500 { 10_000 } else { share }, tolerance_bps },
            6 => Intent::Collect,
            _ => Intent::Rebalance { width_bps, tolerance_bps },
        }
    }
    pub fn turns(&mut self, range: std::ops::Range<u64>) {
        range.for_each(|n| self.turn(n));
    }
    pub fn ask(&mut self, runs: Vec<ForkRun>) -> ForkReply {
        self.hands.try_on_fork(&ForkRequest { runs }, &holdings())
    }
    pub fn tick(&self) -> u64 {
        self.floor.hold().tick().unwrap()
    }
}

fn at_its_reference(preview: Preview) -> Preview {
    let tick = preview.before.pool.tick;
    let reference = ReferencePrice { kind: ReferenceKind::PoolMean, tick, spot: tick, window_s: 1_800 };
    Preview { reference: Some(reference), ..preview }
}

pub fn holdings() -> Holdings {
    Holdings { deposits: FUNDS, ..Holdings::default() }
}

pub fn run(from: ForkFrom, acts: &[(u32, ForkDeed)], steps: u32) -> ForkRun {
    let acts = acts.iter().map(|(after, what)| ForkAct { after: *after, what: *what }).collect();
    ForkRun { from, acts, weather: Vec::new(), steps }
}

pub fn at(act: &LivedAct) -> Point {
    act.receipt.point.unwrap()
}

/// "Do what I did" gives the receipt that was lived, for every act; returns how many there were.
pub fn same_again(trader: &mut Trader) -> usize {
    let acts = trader.acts.clone();
    for some in acts.chunks(20) {
        let mut runs: Vec<ForkRun> =
            some.iter().map(|act| run(ForkFrom::Lived(at(act)), &[(0, ForkDeed::AsLived)], 0)).collect();
        runs.extend(some.iter().map(|act| run(ForkFrom::Lived(at(act)), &[(0, ForkDeed::Once(act.intent))], 0)));
        let reply = trader.ask(runs);
        for (n, act) in some.iter().enumerate() {
            let told = |n: usize| reply.runs[n].as_ref().map(|ran| (ran.acted[0].outcome, ran.acted[0].gas));
            let lived = (act.receipt.outcome, act.receipt.gas.cost);
            assert_eq!(told(n), Ok(lived), "{act:?}");
            // Made into actions anew, it is the same wherever nothing else had been wished for before it.
            if act.alone {
                assert_eq!(told(n + some.len()), Ok(lived), "{act:?}");
            }
        }
    }
    acts.len()
}
