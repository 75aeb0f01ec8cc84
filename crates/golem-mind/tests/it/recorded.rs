//! The forecasters over recorded markets: the scores are printed, whatever they are. Runs where BARDO_TEST_DATA names the
//! directory of recordings.

use crate::kit;
use crate::rivals::{DayMean, Har};
use golem_core::{Elapsed, Observation, Positive, RawObservation, Regime};
use golem_mind::Learning;
use golem_mortality::Domain;
use golem_mortality::epistemic::DomainSkill;
use kit::Life;
use std::path::{Path, PathBuf};

fn recordings() -> Option<PathBuf> {
    std::env::var_os("BARDO_TEST_DATA").map(PathBuf::from).filter(|d| d.is_dir())
}

/// The numbers of one column, in order.
fn column(path: &Path, name: &str) -> Vec<f64> {
    let mut reader = csv::Reader::from_path(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let at = reader.headers().unwrap().iter().position(|h| h == name).unwrap_or_else(|| panic!("no {name} column"));
    reader.records().map(|row| row.unwrap()[at].parse().expect("a number")).collect()
}

/// A life over a recording, one turn for each row.
fn lived(turns: impl Iterator<Item = Observation>, by: Elapsed, mut after: impl FnMut(&Life)) -> Life {
    let mut life = Life::new();
    for seen in turns {
        life.turn(&seen, by, Learning::FULL);
        after(&life);
    }
    life
}

fn prices(all: Vec<f64>) -> impl Iterator<Item = Observation> {
    all.into_iter().map(|p| {
        assert!(Positive::new(p).is_some());
        RawObservation { price: Some(p), ..Default::default() }.admit()
    })
}

/// One line for each domain that was settled.
fn shown(name: &str, life: &Life) -> String {
    let mut lines = String::new();
    for domain in Domain::ALL {
        let s = life.mind.forecasters().scores(domain, &DomainSkill::default());
        let Some(overall) = s.overall.filter(|_| s.settled > 50) else { continue };
        let weights: Vec<_> = s.weights.iter().map(|w| format!("{} {:.2}", w.model, w.weight)).collect();
        let (hits, inside) = (s.hit_rate.unwrap_or(0.0), s.coverage.unwrap_or(f64::NAN));
        let (settled, weights) = (s.settled, weights.join(", "));
        lines += &format!(
            "{name}: {domain} skill {overall:.3} over {settled} forecasts, hits {hits:.3}, inside {inside:.3}; {weights}\n"
        );
    }
    lines
}

#[test]
fn skill_on_recorded_hours() {
    let Some(dir) = recordings() else { return };
    let closes = column(&dir.join("eth_usdt_1h_2017-08_2023-12.csv"), "close");
    let (mut changes, mut bars, mut lowest, mut highest) = (0u32, 0u32, 1.0f64, 0.0f64);
    let (mut quintiles, mut regimes) = ([0u32; 5], [0u32; 5]);
    let life = lived(prices(closes), Elapsed::secs(3_600), |life| {
        bars += 1;
        let weather = life.mind.senses().weather();
        changes += u32::from(weather.changed);
        quintiles[usize::from(weather.vol_quintile)] += 1;
        regimes[Regime::ALL.iter().position(|r| *r == weather.regime).unwrap()] += 1;
        if bars > 500 {
            let f = life.score.f(Domain::PriceDirection);
            (lowest, highest) = (lowest.min(f), highest.max(f));
        }
    });
    eprint!("{}", shown("ETH, hours", &life));
    let (price, vol) = (life.score.overall(Domain::PriceDirection), life.score.overall(Domain::VolatilityRegime));
    let a_day = f64::from(changes) / (f64::from(bars) / 24.0);
    assert!((0.48..0.53).contains(&price) && vol > 0.5, "price {price}, volatility {vol}");
    assert!((1.0..10.0).contains(&a_day), "{a_day} changes of regime a day");
    assert!(regimes[1..].iter().all(|n| *n > bars / 50), "{regimes:?}");
    assert!(lowest > 0.40 && highest < 0.60, "at no time far from naive");
    assert!(quintiles.iter().all(|n| *n > bars / 20), "{quintiles:?}");
    for domain in [Domain::PriceDirection, Domain::VolatilityRegime] {
        let inside = life.mind.forecasters().scores(domain, &DomainSkill::default()).coverage.expect("judged");
        assert!((inside - golem_mind::forecast::TARGET).abs() < 0.03, "{domain}: {inside} of the outcomes were inside");
    }
}

#[test]
fn near_naive_on_other_recordings() {
    let Some(dir) = recordings() else { return };
    for (name, file, price, secs) in [
        ("BTC, hours", "btc_usdt_swap_1h_2020-01_2023-12.csv", "close", 3_600),
        ("ETH, quarters", "eth_usdt_swap_15m_2022-11_2023-12.csv", "close", 900),
        ("ETH, minutes", "onchain/weth_usd_minute_2023-08-13_17.csv", "weth_usd", 60),
    ] {
        let life = lived(prices(column(&dir.join(file), price)), Elapsed::secs(secs), |_| {});
        eprint!("{}", shown(name, &life));
        let price = life.score.overall(Domain::PriceDirection);
        assert!(price > 0.45, "{name}: returns are nearly unforecastable, and no worse than that: {price}");
    }
    let gas = column(&dir.join("onchain/eth_gas_minute_2023-08-14_17.csv"), "gas_gwei");
    let turns = gas.into_iter().map(|g| RawObservation { gas_gwei: Some(g), ..Default::default() }.admit());
    let life = lived(turns, Elapsed::secs(60), |_| {});
    eprint!("{}", shown("gas, minutes", &life));
    assert!(life.score.overall(Domain::GasCondition) > 0.47, "{}", life.score.show());
}

/// Mean squared errors of the next hour's log volatility: the golem's, the last value's, a day's exponentially weighted mean's
/// and an expanding autoregression's, over the same hours.
fn hours_of(closes: Vec<f64>) -> [f64; 4] {
    let (mut mean, mut har, mut sums, mut n) = (DayMean::new(), Har::default(), [0.0; 4], 0u32);
    lived(prices(closes), Elapsed::secs(3_600), |life| {
        for s in life.out.iter().filter(|s| s.domain == Domain::VolatilityRegime) {
            if let Some((by_day, by_har)) = mean.says().zip(har.says()) {
                let losses = [s.predicted, s.naive, by_day, by_har].map(|said| (said - s.actual) * (said - s.actual));
                sums.iter_mut().zip(losses).for_each(|(sum, loss)| *sum += loss);
                n += 1;
            }
            mean.learn(s.actual);
            har.learn(s.actual);
        }
    });
    assert!(n > 20_000, "{n} hours");
    sums.map(|sum| sum / f64::from(n))
}

#[test]
fn volatility_is_forecast_better_than_by_a_days_mean_and_by_an_autoregression() {
    let Some(dir) = recordings() else { return };
    for (name, file) in [("ETH", "eth_usdt_1h_2017-08_2023-12.csv"), ("BTC", "btc_usdt_swap_1h_2020-01_2023-12.csv")] {
        let [own, naive, by_day, by_har] = hours_of(column(&dir.join(file), "close"));
        let f = |loss: f64| naive / (naive + loss);
        eprintln!("{name}: {:.4}, a day's mean {:.4}, an autoregression {:.4}", f(own), f(by_day), f(by_har));
        assert!(own < by_day && own < by_har, "{name}: {own} {by_day} {by_har}");
    }
}

/// What a forecast of the tenth and the ninetieth percentile loses: twice the mean pinball loss of the two, which is the continuous ranked
/// probability score as far as two quantiles go. (What is said between them is a mean, which a skewed level has elsewhere than
/// its median.)
fn crps(quantiles: [f64; 2], actual: f64) -> f64 {
    let pinball = |(q, p): (f64, f64)| if actual > q { p * (actual - q) } else { (1.0 - p) * (q - actual) };
    quantiles.into_iter().zip([0.1, 0.9]).map(pinball).sum::<f64>()
}

/// Quantiles of the next hour's log volatility, the golem's and those of a day's mean with all its errors so far.
fn quantiles_of(closes: Vec<f64>) -> [f64; 2] {
    let (mut mean, mut errors, mut sums, mut n) = (DayMean::new(), Vec::<f64>::new(), [0.0; 2], 0u32);
    lived(prices(closes), Elapsed::secs(3_600), |life| {
        let settled = life.mind.forecasters().settled_at(life.now).filter(|p| p.domain == Domain::VolatilityRegime);
        for p in settled {
            let (Some([low, high]), Some(came)) = (p.interval, p.came) else { continue };
            if let Some(by_day) = mean.says() {
                if errors.len() > 400 {
                    let at = |share: f64| by_day + errors[(share * errors.len() as f64) as usize];
                    let told = [[low, high], [at(0.1), at(0.9)]];
                    sums.iter_mut().zip(told).for_each(|(sum, told)| *sum += crps(told, came.actual));
                    n += 1;
                }
                let error = came.actual - by_day;
                errors.insert(errors.partition_point(|e| *e < error), error);
            }
            mean.learn(came.actual);
        }
    });
    assert!(n > 20_000, "{n} hours");
    sums.map(|sum| sum / f64::from(n))
}

#[test]
fn its_quantiles_of_volatility_are_better_than_a_days_mean_with_its_errors() {
    let Some(dir) = recordings() else { return };
    for (name, file) in [("ETH", "eth_usdt_1h_2017-08_2023-12.csv"), ("BTC", "btc_usdt_swap_1h_2020-01_2023-12.csv")] {
        let [own, by_day] = quantiles_of(column(&dir.join(file), "close"));
        eprintln!("{name}: crps {own:.4}, a day's mean with its errors {by_day:.4}");
        assert!(own < by_day, "{name}: {own} {by_day}");
    }
}
