//! Real history, when there is some: set BARDO_TEST_DATA to a directory with the hourly ETH file. Silent otherwise.

use golem_core::VirtualTime;
use golem_core::door::World;
use golem_lab::world::{CsvMode, CsvOptions, CsvWorld};
use std::path::PathBuf;

fn data(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(std::env::var_os("BARDO_TEST_DATA")?).join(name);
    path.is_file().then_some(path)
}

fn hourly() -> Option<PathBuf> {
    data("eth_usdt_1h_2017-08_2023-12.csv")
}

#[test]
fn six_years_of_hours_can_be_lived_through() {
    let Some(path) = hourly() else { return };
    let mut world = CsvWorld::open(path, &CsvOptions::default()).expect("a sound file");
    assert_eq!(world.natural_interval_s(), Some(3_600));
    let end = world.ends_at().expect("it ends");
    let mut turns = 0;
    let mut age = VirtualTime(0);
    while let Some(seen) = world.observe(age) {
        assert_eq!(seen.admit().rejected, 0);
        assert!(seen.price.is_some_and(|price| (50.0..6_000.0).contains(&price)));
        (turns, age.0) = (turns + 1, age.0 + 3_600_000);
    }
    assert_eq!(turns, end.0 / 3_600_000 + 1, "one turn per hour, outages included");
    assert!(turns > world.bars() as u64);
}

#[test]
fn filled_in_it_repeats_itself_no_more_than_a_market_does() {
    let Some(path) = hourly() else { return };
    let options = CsvOptions { mode: CsvMode::Bridge { seed: 1 }, ..CsvOptions::default() };
    let mut world = CsvWorld::open(path, &options).expect("a sound file");
    let (mut last, mut before, mut both, mut own) = (None::<f64>, 0.0, 0.0, 0.0);
    for n in 0..5_000 * 90 {
        let price = world.observe(VirtualTime(n * 40_000)).and_then(|seen| seen.price).expect("within history");
        let change = last.map_or(0.0, |last| libm::log(price / last));
        both += change * before;
        own += change * change;
        (last, before) = (Some(price), change);
    }
    let found = both / own;
    assert!(found.abs() < 0.03, "lag 1: {found}");
}

#[test]
fn daily_gas_joins_hourly_bars() {
    let (Some(path), Some(gas)) = (hourly(), data("onchain/eth_gas_daily_2015-07_2023-12.csv")) else { return };
    let mut world = CsvWorld::open(path, &CsvOptions { gas: Some(gas), ..CsvOptions::default() }).expect("sound");
    let seen = world.observe(VirtualTime(86_400_000 * 30)).expect("within history");
    assert!(seen.gas_gwei.is_some_and(|gwei| (0.1..1_000.0).contains(&gwei)), "{seen:?}");
}
