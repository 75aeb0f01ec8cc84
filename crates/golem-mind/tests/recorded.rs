//! The forecasters over recorded hourly ETH prices. Runs where BARDO_TEST_DATA names the directory of recordings.

mod kit;
use golem_core::{Elapsed, Positive, RawObservation, Regime};
use golem_mind::Learning;
use golem_mortality::Domain;
use kit::Life;
use std::path::Path;

#[test]
fn skill_on_recorded_hours() {
    let Some(dir) = std::env::var_os("BARDO_TEST_DATA").filter(|d| Path::new(d).is_dir()) else { return };
    let path = Path::new(&dir).join("eth_usdt_1h_2017-08_2023-12.csv");
    let mut reader = csv::Reader::from_path(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let close = reader.headers().unwrap().iter().position(|h| h == "close").expect("a close column");
    let mut life = Life::new();
    let (mut changes, mut bars, mut lowest, mut highest) = (0u32, 0u32, 1.0f64, 0.0f64);
    let mut quintiles = [0u32; 5];
    let mut regimes = [0u32; 5];
    for row in reader.records() {
        let price: f64 = row.unwrap()[close].parse().expect("a price");
        assert!(Positive::new(price).is_some());
        life.turn(
            &RawObservation { price: Some(price), ..Default::default() }.admit(),
            Elapsed::secs(3_600),
            Learning::FULL,
        );
        bars += 1;
        let weather = life.mind.senses().weather();
        changes += u32::from(weather.changed);
        quintiles[usize::from(weather.vol_quintile)] += 1;
        regimes[Regime::ALL.iter().position(|r| *r == weather.regime).unwrap()] += 1;
        if bars > 500 {
            let f = life.score.f(Domain::PriceDirection);
            (lowest, highest) = (lowest.min(f), highest.max(f));
        }
    }
    let (price, vol) = (life.score.overall(Domain::PriceDirection), life.score.overall(Domain::VolatilityRegime));
    let a_day = f64::from(changes) / (f64::from(bars) / 24.0);
    assert!((0.48..0.53).contains(&price) && vol > 0.5, "price {price}, volatility {vol}");
    assert!((1.0..10.0).contains(&a_day), "{a_day} changes of regime a day");
    assert!(regimes[1..].iter().all(|n| *n > bars / 50), "{regimes:?}");
    assert!(lowest > 0.40 && highest < 0.60, "at no time far from naive");
    assert!(quintiles.iter().all(|n| *n > bars / 20), "{quintiles:?}");
}
