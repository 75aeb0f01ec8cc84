//! The past of a paper floor: it is not kept in memory, and every lived point of it can still be forked, also after a
//! restart.

use golem_core::door::{Hands, PastRow, World};
use golem_core::intent::Holdings;
use golem_core::{Book, Elapsed, Intent, NOMINAL_TICK_S, Point, Usdc, VirtualTime};
use golem_lab::subject::paper;
use golem_lab::world::{Synthetic, SyntheticConfig};
use golem_venue::floor::{ChapterShelf, Floor, FloorHands, FloorPlan, FloorWorld, SharedFloor, WorldOutside};
use golem_venue::market::MarketConfig;
use golem_venue::scenario::Scenario;
use golem_venue::{Account, View};
use std::collections::BTreeMap;

const WHO: Account = Account([9; 20]);

/// Others trade between a golem's preview and its execution, somebody sandwiches every second swap of it, the pool is
/// pushed about, and half of the market's liquidity leaves for a while.
const STORM: &str = r#"
name = "storm"
about = "Everything at once."

[[events]]
what = "rivals"
for_ticks = 100000
trades = 2
size_usdc = "500"

[[events]]
what = "sandwich"
for_ticks = 100000
times = 2
every = 2

[[events]]
what = "oracle_distortion"
for_ticks = 2000
push_bps = -300
every_ticks = 45

[[events]]
what = "liquidity_drain"
at_tick = 500
for_ticks = 1500
share_bps = 5000
"#;

fn outside(seed: u64) -> Synthetic {
    Synthetic::new(SyntheticConfig::default(), seed).unwrap()
}

/// A floor with weather in which rivals trade between a golem's preview and its execution, and somebody sandwiches it.
fn stormy(seed: u64) -> SharedFloor {
    let world = outside(seed);
    let scenario = Scenario::parse(STORM).unwrap();
    let plan = FloorPlan {
        market: MarketConfig::default(),
        dice: golem_core::Dice::open(seed, golem_core::Strand::Market),
        epoch: world.epoch(),
        step_ticks: world.natural_interval_s().unwrap_or(NOMINAL_TICK_S) / NOMINAL_TICK_S,
        scenario: Some(scenario),
    };
    SharedFloor::new(Floor::paper(plan, false, Box::new(WorldOutside(world))).unwrap())
}

/// Chapters that were handed over, as a file would keep them.
#[derive(Clone, Default)]
struct Rows(BTreeMap<u64, Vec<u8>>);

impl Rows {
    fn take(&mut self, rows: Vec<PastRow>) {
        self.0.extend(rows.into_iter().map(|row| (row.place, row.body)));
    }
}

impl ChapterShelf for Rows {
    fn last_until(&mut self, place: u64) -> Result<Option<Vec<u8>>, String> {
        Ok(self.0.range(..=place).next_back().map(|(_, body)| body.clone()))
    }
}

/// A golem that trades every few ticks, without a life around it.
struct Trader {
    floor: SharedFloor,
    seen: FloorWorld,
    hands: FloorHands,
    rows: Rows,
    /// What stood at points that were lived.
    lived: Vec<(Point, View, Book)>,
}

impl Trader {
    fn on(floor: SharedFloor) -> Self {
        let (seen, hands) = (FloorWorld::new(floor.clone(), WHO, 0), FloorHands::new(floor.clone(), WHO));
        Self { floor, seen, hands, rows: Rows::default(), lived: Vec::new() }
    }
    fn look(&mut self) {
        let mut floor = self.floor.hold();
        let view = floor.ground().view().unwrap();
        let book = floor.ground().book(WHO).unwrap();
        self.lived.push((view.point, view, book));
    }
    fn turn(&mut self, n: u64) {
        self.seen.observe(VirtualTime::default().after(Elapsed::nominal(n))).unwrap();
        self.look();
        if n.is_multiple_of(7) {
            let deposits = Usdc::whole(10_000 + n / 1_000);
            let holdings = Holdings { deposits, ..Holdings::default() };
            let wish = match n % 3 {
                0 => Intent::Buy { pay: Usdc::whole(20), min_out: golem_core::intent::Asset(1) },
                1 => Intent::Add {
                    pay: Usdc::whole(10),
                    give: golem_core::intent::Asset(3_000_000_000_000_000),
                    width_bps: 500,
                    tolerance_bps: 9_999,
                },
                _ => Intent::Sell { give: golem_core::intent::Asset(3_000_000_000_000_000), min_out: Usdc(1) },
            };
            for preview in self.hands.preview(&[wish], &holdings) {
                // As after a restart: done without a permit, and held against nothing.
                drop(self.hands.redo(
                    &preview,
                    &golem_core::Receipt::kept_back(wish, golem_core::intent::Refusal::Denied),
                    &holdings,
                ));
            }
            self.look();
        }
    }
    fn turns(&mut self, range: std::ops::Range<u64>) {
        range.for_each(|n| self.turn(n));
    }
}

fn forks_are_what_was_lived(floor: &SharedFloor, lived: &[(Point, View, Book)], every: usize) {
    for (point, view, book) in lived.iter().step_by(every).chain(lived.last()) {
        let mut fork = floor.hold().fork_at(*point).unwrap_or_else(|e| panic!("{point}: {e}"));
        assert_eq!((fork.view().unwrap(), fork.book(WHO).unwrap()), (*view, *book), "at {point}");
    }
}

#[test]
fn every_lived_point_can_be_forked_and_the_present_is_not_moved_by_it() {
    for make in [|| paper(3, outside(3)).unwrap(), || stormy(4)] {
        let mut trader = Trader::on(make());
        trader.turns(1..6_000);
        assert!(trader.lived.iter().any(|(_, _, book)| book.position.is_some() && book.asset.0 > 0));
        forks_are_what_was_lived(&trader.floor, &trader.lived, 241);
        // Points inside of a block too: between two transactions nothing else than the first has happened.
        let head = trader.floor.hold().ground().view().unwrap();
        let mut again = Trader::on(make());
        again.turns(1..6_000);
        assert_eq!(again.floor.hold().ground().view().unwrap(), head, "looking back changed nothing");
        trader.turns(6_000..6_200);
        again.turns(6_000..6_200);
        assert_eq!(again.lived.last(), trader.lived.last());
        for nowhere in [Point { block: 900, index: 40 }, Point { block: 9_000, index: 0 }, Point { block: 0, index: 0 }]
        {
            assert!(trader.floor.hold().fork_at(nowhere).is_err(), "{nowhere}");
        }
    }
}

#[test]
fn after_a_restart_every_point_can_be_forked_from_what_was_handed_over() {
    let mut trader = Trader::on(stormy(5));
    for thousand in 0..6 {
        trader.turns(thousand * 1_000 + 1..thousand * 1_000 + 1_001);
        let rows = trader.seen.hand_over();
        trader.rows.take(rows);
    }
    let saved = trader.seen.save();
    let floor = stormy(5);
    floor.hold().read_from(Box::new(trader.rows.clone()));
    let mut back = FloorWorld::new(floor.clone(), WHO, 0);
    back.restore(&saved).unwrap();
    forks_are_what_was_lived(&floor, &trader.lived, 97);
    // Without what was handed over, the beginning is gone and says so.
    let bare = stormy(5);
    FloorWorld::new(bare.clone(), WHO, 0).restore(&saved).unwrap();
    assert!(bare.hold().fork_at(trader.lived[0].0).is_err());
}

#[test]
fn the_past_takes_no_memory_and_little_room_in_the_file() {
    let mut trader = Trader::on(paper(6, outside(6)).unwrap());
    let mut held = Vec::new();
    for thousand in 0..12u64 {
        trader.turns(thousand * 1_000 + 1..thousand * 1_000 + 1_001);
        let rows = trader.seen.hand_over();
        trader.rows.take(rows);
        held.push(trader.floor.hold().past_bytes());
        trader.lived.clear();
    }
    let most = held.iter().max().unwrap();
    assert!(*most < 200_000 && held[11] < held[3] * 2, "{held:?}");
    let kept: usize = trader.rows.0.values().map(Vec::len).sum();
    // A busy one: one action in seven ticks.
    assert!(kept < 400_000, "{kept} bytes for 12,000 ticks, before they are packed");
}
