//! Forks of any past point, and the market run forward on them: the same on paper and on contracts, and the same as it was
//! lived.

use super::common::{account, chain, contracts, genesis};
use super::twin::Twin;
use golem_chain::embedded::{EmbeddedChain, EmbeddedConfig};
use golem_core::dice::Dice;
use golem_core::intent::Asset;
use golem_core::{Action, Point, Strand, Timestamp, Usdc};
use golem_venue::market::{Market, MarketConfig, MarketStep, OutsideTick, run_forward};
use golem_venue::scenario::Scenario;
use golem_venue::{PaperVenue, Venue};

const BEGUN: u64 = 1_700_000_000;
const TICKS: u64 = 160;

/// An outside price that wanders, the same every time.
fn path(from: u64) -> impl Iterator<Item = OutsideTick> {
    let dice = Dice::open(17, Strand::World);
    (from..).map(move |tick| {
        let price = 2_000.0 + 40.0 * wave(tick) + 5.0 * dice.draws(tick).normals().0;
        OutsideTick { gas_gwei: Some(0.05 + (tick % 5) as f64), ..OutsideTick::priced(price) }
    })
}

/// Up and down between one and minus one, and back within 50 ticks.
fn wave(tick: u64) -> f64 {
    let turn = (tick % 50) as f64 / 50.0;
    if turn < 0.5 { 4.0 * turn - 1.0 } else { 3.0 - 4.0 * turn }
}

/// A venue that has lived, and where it stood after each tick.
struct Past {
    steps: Vec<MarketStep>,
    points: Vec<(Point, Market)>,
}

fn begin(usdc_is_token0: bool) -> (golem_venue::GenesisConfig, Market) {
    let config = MarketConfig { noise_per_tick: 2.0, noise_usdc: Usdc::whole(5_000), ..MarketConfig::default() };
    let genesis = config.genesis(usdc_is_token0, 2_000.0, BEGUN, None);
    let market =
        Market::new(config, Dice::open(9, Strand::Market), Timestamp(BEGUN as i64 + 40), genesis.liquidity.clone());
    (genesis, market)
}

/// Live, with a golem that trades and keeps a position; in the second half it rests.
fn live(venue: &mut dyn Venue, mut market: Market) -> Past {
    let who = account(1);
    venue.fund_to(who, Usdc::whole(100_000)).unwrap();
    let mut past = Past { steps: Vec::new(), points: Vec::new() };
    for (tick, outside) in (0..TICKS).zip(path(0)) {
        past.steps.push(market.step(venue, tick, &outside).unwrap());
        past.points.push((venue.view().unwrap().point, market.clone()));
        if tick < TICKS / 2 {
            act(venue, tick);
        }
    }
    past
}

fn act(venue: &mut dyn Venue, tick: u64) -> golem_venue::Done {
    let who = account(1);
    let book = venue.book(who).unwrap();
    let middle = book.pool.tick.div_euclid(10) * 10;
    let action = match (tick % 4, book.position) {
        (0, _) => Action::Buy { pay: book.usdc.share_bps(500), min_out: Asset(0) },
        (1, _) => Action::Sell { give: Asset(book.asset.0 / 4), min_out: Usdc(0) },
        (2, None) => Action::Mint {
            position: None,
            range: golem_core::venue::Range { lower: middle - 200, upper: middle + 300 },
            pay: book.usdc.share_bps(1_000),
            give: Asset(book.asset.0 / 2),
            min_pay: Usdc(0),
            min_give: Asset(0),
        },
        (2, Some(p)) => Action::Collect { position: p.id },
        (_, Some(p)) => Action::Burn {
            position: p.id,
            liquidity: p.liquidity / 2 + 1,
            min_out: Usdc(0),
            min_asset: Asset(0),
            close: false,
        },
        (_, None) => Action::Buy { pay: Usdc::whole(1), min_out: Asset(u128::MAX) },
    };
    let mut done = venue.execute(who, &action).unwrap();
    done.gas_used = 0;
    done
}

#[test]
fn markets_run_forward_alike_on_forks_of_any_point_and_as_they_were_lived() {
    let Some(contracts) = contracts() else { return };
    for usdc_is_token0 in [true, false] {
        let (genesis, market) = begin(usdc_is_token0);
        let mut chain = EmbeddedChain::open_in_memory(contracts, &EmbeddedConfig::new(genesis.clone())).unwrap();
        let mut paper = PaperVenue::genesis(&genesis).unwrap();
        let (ours, theirs) = (live(&mut chain, market.clone()), live(&mut paper, market));
        assert_eq!(ours.steps, theirs.steps);
        let names = [None, Some("crash"), Some("liquidity-drain"), Some("oracle-distortion"), Some("gas-war")];
        let at = [3, 31, 60, 79, 81, 120, 150];
        for (tick, name) in at.into_iter().zip(names.into_iter().cycle()) {
            let scenario = name.map(|name| Scenario::named(name).unwrap());
            let mut both = Vec::new();
            for (venue, past) in [(&mut chain as &mut dyn Venue, &ours), (&mut paper as &mut dyn Venue, &theirs)] {
                let (point, market) = &past.points[tick];
                let mut fork = venue.fork_at(*point).unwrap();
                assert_eq!(fork.view().unwrap().point, *point);
                let steps =
                    run_forward(fork.as_mut(), path(tick as u64 + 1).take(60), market.clone(), scenario.as_ref());
                let mut done: Vec<_> = (0..8).map(|n| act(fork.as_mut(), n)).collect();
                done.iter_mut().for_each(|d| d.gas_used = 0);
                let view = fork.view().unwrap();
                let book = fork.book(account(1)).unwrap();
                both.push((steps.unwrap(), done, view.pool, view.fee_growth, view.point, book));
            }
            assert!(both[0] == both[1], "{name:?} from tick {tick}: {both:#?}");
            if scenario.is_none() && tick as u64 >= TICKS / 2 {
                // Nobody but the market acted after that: the fork's future is what was lived.
                let lived = &ours.steps[tick + 1..];
                let count = lived.len().min(60);
                assert_eq!(both[0].0[..count], lived[..count]);
            }
        }
        let head = chain.view().unwrap().point;
        assert_eq!(chain.fork_at(head).unwrap().view(), chain.view());
    }
}

#[test]
fn a_market_runs_forward_on_a_fork_of_a_real_node_as_on_our_own() {
    for usdc_is_token0 in [true, false] {
        let Some(mut chain) = chain(usdc_is_token0) else { return };
        let Some(mut twin) = Twin::of(&chain, &genesis(usdc_is_token0)) else { return };
        chain.fund_to(account(1), Usdc::whole(100_000)).unwrap();
        twin.follow(&mut chain);
        // Both stand in an open block one second later.
        let head = chain.view().unwrap();
        let next = golem_venue::Header { timestamp: head.timestamp + 1, base_fee: head.base_fee };
        chain.begin_block(next).unwrap();
        let mut runs = Vec::new();
        for venue in [&mut chain as &mut dyn Venue, &mut twin.venue as &mut dyn Venue] {
            let view = venue.view().unwrap();
            let mut fork = venue.fork_at(view.point).unwrap();
            let market = Market::upon(MarketConfig::default(), Dice::open(2, Strand::Market), &view, 0);
            let mut steps = run_forward(fork.as_mut(), path(1).take(25), market, None).unwrap();
            let done: Vec<_> = (0..8)
                .map(|n| golem_venue::Done { point: Point::default(), gas_charged: 0, ..act(fork.as_mut(), n) })
                .collect();
            steps.iter_mut().for_each(|step| step.block -= view.point.block);
            let after = fork.view().unwrap();
            runs.push((steps, done, after.pool, after.fee_growth));
        }
        assert!(runs[0] == runs[1], "{runs:#?}");
        assert!(runs[0].1.iter().any(|done| done.refused.is_none()));
    }
}
