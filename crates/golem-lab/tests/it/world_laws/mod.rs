//! Worlds in which something can be known: each truth can be measured in the stream that a golem sees, and in no other
//! world; and a place is one world, whoever asks, however often.

mod stream;

use golem_core::Usdc;
use golem_core::door::World;
use golem_core::observed::Field;
use golem_core::venue::Wide;
use golem_core::{Elapsed, Intent, RawObservation, VirtualTime};
use golem_lab::world::{Agreement, LAWS, Law, PlaceError, PoolPath, WorldPlace, names, place};
use golem_venue::{Account, Venue, act};
use stream::{Stream, mean, shown, stream};

/// The seeds that every truth is measured with.
const SEEDS: [u64; 8] = [11, 12, 13, 14, 15, 16, 17, 18];
/// What is shown lies so many standard errors above what chance shows without the law, by those seeds.
const APART: f64 = 4.0;

/// The days that a law is watched, the least that it shows at strength 1, and the most that is seen of it where it does not
/// hold; in the mean of the seeds, on the scale of [`shown`]. The least of `vol-fees` is three deviations of what single paths
/// show without it (0.067 by sixteen seeds): volatility is read off few moves of the pool, which hides most of the gain.
const BOUNDS: [(&str, usize, f64, f64); 6] = [
    ("gas-hours", 12, 0.8, 0.3),
    ("fee-bursts", 12, 0.7, 0.2),
    ("vol-fees", 12, 0.2, 0.2),
    ("reversal", 30, 0.22, 0.16),
    ("turning", 30, 0.09, 0.07),
    ("contagion", 12, 0.12, 0.06),
];
/// As long as the longest of them.
const FLAT_DAYS: usize = 30;

fn law(name: &str, seed: u64) -> Law {
    Law::drawn(name, 1.0, seed).expect("a law")
}

/// What is shown in the mean of the seeds, and the square of its standard error.
fn in_the_mean(name: &str, seen: impl Fn(u64) -> Stream) -> (f64, f64) {
    let each = SEEDS.map(|seed| shown(&law(name, seed), &seen(seed)));
    let (middle, n) = (mean(each), SEEDS.len() as f64);
    (middle, each.iter().map(|x| (x - middle) * (x - middle)).sum::<f64>() / (n - 1.0) / n)
}

#[test]
fn every_truth_can_be_measured_and_is_gone_at_strength_nought() {
    for (name, days, least, most) in BOUNDS {
        let (with, spread) = in_the_mean(name, |seed| stream(name, seed, days));
        let (without, chance) = in_the_mean(name, |seed| stream(&format!("{name}@0"), seed, days));
        let apart = (with - without) / (spread + chance).sqrt();
        println!("{name}: {with:.3} with, {without:.3} without, {apart:.1} standard errors apart");
        assert!(apart > APART, "{name}: {with} is shown, {without} without: {apart} standard errors apart");
        assert!(with > least, "{name}: {with} is shown, {without} without");
        assert!(without.abs() < most, "{name}: {without} is shown at strength 0, {with} at 1");
    }
}

#[test]
fn the_flat_world_has_none_of_them() {
    let flat = SEEDS.map(|seed| stream("flat", seed, FLAT_DAYS));
    for (name, _, _, most) in BOUNDS {
        let found = mean(SEEDS.iter().zip(&flat).map(|(seed, seen)| shown(&law(name, *seed), seen)));
        assert!(found.abs() < most, "{name} shows in the flat world: {found}");
    }
}

/// What is observed is read off the pool: an account that provides liquidity is owed exactly what the counters say.
#[test]
fn observed_fees_are_the_pools_own_counters_to_the_unit() {
    let (seed, who) = (5, Account([9; 20]));
    let mut path = PoolPath::new(place("fee-bursts", seed).unwrap(), seed).unwrap();
    path.tick().unwrap();
    path.venue.fund_to(who, Usdc::whole(10_000)).unwrap();
    let wish = |path: &mut PoolPath, intent| {
        for preview in act::preview(&mut path.venue, who, &[intent], None) {
            assert_eq!(preview.refusal(), None, "{intent:?}");
            act::carry_out(&mut path.venue, who, &preview).unwrap();
        }
    };
    wish(&mut path, Intent::Buy { pay: Usdc::whole(5_000), min_out: golem_core::intent::Asset::ZERO });
    let asset = path.venue.book(who).unwrap().asset;
    wish(&mut path, Intent::Add { pay: Usdc::whole(4_000), give: asset, width_bps: 0, tolerance_bps: 500 });
    let begun = path.venue.view().unwrap();
    let mut told = 0.0;
    for _ in 0..2_000 {
        told += path.tick().unwrap().volume.unwrap_or(0.0) * golem_venue::market::FEE;
    }
    let (view, book) = (path.venue.view().unwrap(), path.venue.book(who).unwrap());
    let mine = book.position.expect("it provides");
    let (low, high) = (mine.liquidity as u64, (mine.liquidity >> 64) as u64);
    let liquidity = golem_venue::spot::number(Wide([low, high, 0, 0]));
    let owed = |i: usize| {
        let [from, to] = [begun, view].map(|v| golem_venue::spot::number(v.fee_growth[i]));
        let grown = to.wrapping_sub(from);
        u128::try_from((grown * liquidity) >> 128).expect("fees fit")
    };
    let (usdc, asset) = if view.usdc_is_token0 { (owed(0), owed(1)) } else { (owed(1), owed(0)) };
    assert_eq!((u128::from(mine.fees.0), mine.fees_asset.0), (usdc, asset));
    assert!(usdc > 0 && asset > 0);
    // All of the pool's fees, by the same counters, are what the observed volume says.
    let price = golem_venue::spot::price_f64(&view);
    let share = mine.liquidity as f64 / view.pool.liquidity as f64;
    let all = (usdc as f64 / 1e6 + asset as f64 / 1e18 * price) / share;
    assert!((told / all - 1.0).abs() < 0.02, "{told} was told, {all} was paid");
}

fn see(there: &mut WorldPlace, tick: u64) -> RawObservation {
    there.world.observe(VirtualTime(Elapsed::nominal(tick).0)).expect("it never ends")
}

#[test]
fn a_place_is_one_world_and_its_saved_position_resumes_exactly() {
    for name in names() {
        let [mut a, mut b] = [7, 7].map(|seed| place(name, seed).unwrap());
        let mut other = place(name, 8).unwrap();
        for tick in 0..1_500 {
            let seen = see(&mut a, tick);
            assert_eq!(seen, see(&mut b, tick), "{name}, tick {tick}");
            assert!(tick < 2 || seen != see(&mut other, tick), "{name}, tick {tick}: another seed, the same world");
        }
        let saved = a.world.save();
        let mut resumed = place(name, 7).unwrap();
        resumed.world.restore(&saved).unwrap();
        assert!(other.world.restore(&saved).is_err(), "{name}: another seed");
        for tick in 1_500..3_000 {
            assert_eq!(see(&mut a, tick), see(&mut resumed, tick), "{name}, tick {tick}");
        }
        // Whoever looks seldom sees the same world, and volume since the last look.
        let seldom = RawObservation { volume: None, ..see(&mut place(name, 7).unwrap(), 2_999) };
        assert_eq!(seldom, RawObservation { volume: None, ..see(&mut resumed, 2_999) }, "{name}");
    }
}

/// Two worlds that are the same up to a moment show the same until then: what a law will do is not seen before it does it.
#[test]
fn nothing_of_the_future_is_visible() {
    for name in LAWS {
        let [mut ruled, mut bare] = [1.0, 0.0].map(|strength| place(&format!("{name}@{strength}"), 3).unwrap());
        let law = law(name, 3);
        let first = match law {
            // From the first tick on, or from the first dear hour.
            Law::GasHours { .. } | Law::Turning { .. } => continue,
            Law::VolFees { lag, .. } => lag - 1,
            Law::FeeBursts { lag, .. } | Law::Reversal { lag, .. } | Law::Contagion { lag, .. } => lag,
        };
        for tick in 0..first {
            assert_eq!(see(&mut ruled, tick), see(&mut bare, tick), "{name}, tick {tick}");
        }
        let parted = (first..6_000).any(|tick| see(&mut ruled, tick) != see(&mut bare, tick));
        assert!(parted, "{name} does nothing");
    }
}

#[test]
fn laws_are_drawn_by_seed_and_their_truth_tells_true_from_false() {
    for name in LAWS {
        assert_eq!(law(name, 1), law(name, 1));
        assert!((2..30).any(|seed| law(name, seed) != law(name, 1)), "{name} is the same for every seed");
        let truth = place(name, 1).unwrap().truth;
        let link = &truth.links[0];
        let said = |sign, lag| truth.agrees(link.cause, link.effect, sign, lag);
        if link.is_plain() {
            assert_eq!(said(link.sign, link.lag_ticks), Agreement::True, "{}", truth.sentence);
            assert_eq!(said(-link.sign, link.lag_ticks), Agreement::False, "{}", truth.sentence);
        }
        assert_eq!(truth.agrees(Field::MarketProtocol, Field::MarketGasRatio, 1, 45), Agreement::False, "{name}");
        assert!(place(&format!("{name}@0"), 1).unwrap().truth.links.is_empty());
    }
    // What tells of a turn tells no direction by itself.
    let turning = place("turning", 1).unwrap().truth;
    let teller = turning.links[0].told_by.expect("it is told");
    assert_eq!(turning.agrees(teller, Field::MarketReturn90, 1, 90), Agreement::False);
    let flat = place("flat", 1).unwrap().truth;
    assert_eq!(flat.agrees(Field::MarketGasRatio, Field::MarketFeeYieldRatio, 1, 45), Agreement::False);
    assert_eq!(flat.agrees(Field::MarketVolatilityRatio, Field::MarketReturn90, 1, 90), Agreement::False);
    assert_eq!(flat.agrees(Field::MarketGasRatio, Field::MarketGasGwei, 1, 45), Agreement::Unknown);
    let market = place("default", 1).unwrap().truth;
    assert_eq!(market.agrees(Field::MarketGasRatio, Field::MarketFeeYieldRatio, 1, 45), Agreement::Unknown);
}

#[test]
fn a_name_that_is_no_world_is_refused_with_what_there_is() {
    let why = |name: &str| place(name, 1).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(why("gas").contains("gas-hours"), "{}", why("gas"));
    assert!(why("gas-hours@x").contains("gas-hours@1.5"));
    assert!(why("gas-hours@NaN").contains("no strength"));
    assert!(matches!(place("flat@2", 1), Err(PlaceError::NoRule { .. })));
    assert!(matches!(place("nowhere@2", 1), Err(PlaceError::NoSuchWorld { .. })));
    assert!(place("reversal@10", 1).is_ok());
}
