//! What paper arithmetic costs: swaps, whole blocks, valuations, previews, and going back into history.

use divan::{Bencher, counter::ItemsCount};
use golem_core::intent::Asset;
use golem_core::{Action, Dice, Intent, Point, Strand, Usdc};
use golem_venue::{Account, GenesisConfig, Header, MarketTrade, PaperVenue, Venue, act, spot};

fn main() {
    divan::main();
}

const GOLEM: Account = Account([7; 20]);
const BATCH: u64 = 1_000;

fn venue() -> PaperVenue {
    let price = spot::sqrt_price_of(3_000.0, true);
    let config = GenesisConfig::deep(true, price, Usdc::whole(2_000_000), 1_700_000_000, 10_000_000);
    PaperVenue::genesis(&config).expect("a plain beginning")
}

/// Prices that wander as they do in a market: about seven basis points a step.
fn prices(n: u64) -> Vec<MarketTrade> {
    let dice = Dice::open(1, Strand::World);
    let mut price = 3_000.0f64;
    let step = |t| {
        price *= libm::exp(0.0007 * dice.draws(t).normals().0);
        MarketTrade::ToPrice { sqrt_price_x96: spot::sqrt_price_of(price, true) }
    };
    (0..n).map(step).collect()
}

/// Buying and selling by turns: nearly always one step.
#[divan::bench]
fn swaps_small(bencher: Bencher<'_, '_>) {
    let mut venue = venue();
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        for n in 0..BATCH / 2 {
            venue.trade(&MarketTrade::Buy { pay: Usdc(1_000_000 + n) }).expect("a market");
            venue.trade(&MarketTrade::Sell { give: Asset(300_000_000_000_000 + u128::from(n)) }).expect("a market");
        }
    });
}

/// Swaps to the next price of a wandering market, with a tick crossed now and then.
#[divan::bench]
fn swaps_to_price(bencher: Bencher<'_, '_>) {
    let (mut venue, trades) = (venue(), prices(BATCH));
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        for trade in &trades {
            venue.trade(trade).expect("a market");
        }
    });
}

/// Swaps that cross two to four initialised ticks each.
#[divan::bench]
fn swaps_crossing(bencher: Bencher<'_, '_>) {
    let mut venue = venue();
    let there = [3_000.0, 3_400.0].map(|p| MarketTrade::ToPrice { sqrt_price_x96: spot::sqrt_price_of(p, true) });
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        for n in 0..BATCH {
            venue.trade(&there[usize::from(n % 2 == 0)]).expect("a market");
        }
    });
}

/// A block, a swap in it, and a look at it: what every tick of a life pays at least.
#[divan::bench]
fn blocks_with_a_swap(bencher: Bencher<'_, '_>) {
    let (mut venue, trades) = (venue(), prices(BATCH));
    let mut timestamp = 1_700_000_000;
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        for trade in &trades {
            timestamp += 12;
            venue.begin_block(Header { timestamp, base_fee: 10_000_000 }).expect("ours");
            venue.trade(trade).expect("a market");
            divan::black_box(venue.view().expect("a view"));
        }
    });
}

fn with_position() -> PaperVenue {
    let mut venue = venue();
    venue.fund_to(GOLEM, Usdc::whole(1_000)).expect("ours");
    venue.execute(GOLEM, &Action::Buy { pay: Usdc::whole(500), min_out: Asset(0) }).expect("a buy");
    let asset = venue.holder(GOLEM).asset;
    let add = Intent::Add { pay: Usdc::whole(400), give: asset, width_bps: 500, tolerance_bps: 50 };
    let preview = act::preview(&mut venue, GOLEM, &[add], None).remove(0);
    act::carry_out(&mut venue, GOLEM, &preview).expect("an add");
    assert!(venue.holder(GOLEM).deed.is_some());
    venue
}

/// Valuing a position with everything unwound.
#[divan::bench]
fn book_with_position(bencher: Bencher<'_, '_>) {
    let mut venue = with_position();
    bencher.bench_local(|| venue.book(GOLEM).expect("a book"));
}

/// Previewing one swap on a fork of the head.
#[divan::bench]
fn preview_a_buy(bencher: Bencher<'_, '_>) {
    let mut venue = with_position();
    let buy = [Intent::Buy { pay: Usdc::whole(10), min_out: Asset(1) }];
    bencher.bench_local(|| act::preview(&mut venue, GOLEM, &buy, None));
}

fn long_history() -> PaperVenue {
    let mut venue = venue();
    for (n, trade) in prices(200_000).iter().enumerate() {
        let timestamp = 1_700_000_000 + 12 * n as u64;
        venue.begin_block(Header { timestamp, base_fee: 10_000_000 + n as u128 * 1_013 % 7_777_777 }).expect("ours");
        venue.trade(trade).expect("a market");
    }
    assert!(venue.history_bytes() < 12_000_000, "history takes {} bytes", venue.history_bytes());
    venue
}

/// Forking any point among 200,000 blocks with a swap each.
#[divan::bench(sample_count = 200, sample_size = 1)]
fn fork_the_past(bencher: Bencher<'_, '_>) {
    let venue = long_history();
    let mut n = 0u64;
    bencher.bench_local(|| {
        n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        venue.fork(Point { block: 2 + (n >> 33) % 199_990, index: 1 }).expect("a past point")
    });
}
