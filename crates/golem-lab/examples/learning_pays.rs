//! Whether learning pays: a learner and its twin that never learns, over recorded windows, template by template, paired by
//! window and seed. The interval is a bootstrap over windows: lives of one window share its luck.
//!
//! `cargo run --release -p golem-lab --example learning_pays -- DATA_DIR [develop|validate] [gas|nogas] [SEEDS] [KEY=VALUE ...]`
//! where a setting is a parameter of the policy, such as `lp_management.band=0.1`.
#![expect(clippy::print_stdout, reason = "it is a program whose result is a table")]

use golem_core::intent::Outcome;
use golem_core::{Dice, Strand, Timestamp, Usdc};
use golem_lab::Subject;
use golem_lab::world::{CsvMode, CsvOptions, CsvWorld};
use golem_life::{Fact, LifeFact, Settings};
use golem_mind::Template;
use golem_mortality::config::Deaths;
use golem_mortality::economic::Purpose;
use std::path::{Path, PathBuf};

const DAY: i64 = 86_400;
/// 2017-09-01, and 24 windows of 60 days, 65 days apart; 2022-01-01, and 24 of 30 days.
const DEVELOP: (i64, i64, i64) = (1_504_224_000, 65 * DAY, 60 * DAY);
const VALIDATE: (i64, i64, i64) = (1_640_995_200, 30 * DAY, 30 * DAY);
const WINDOWS: i64 = 24;
const BUDGET: u64 = 10_000;

/// What came of a life.
#[derive(Debug, Clone, Copy, Default)]
struct Lived {
    nav: f64,
    turnover: f64,
    trades: f64,
    gas: f64,
    exposure: f64,
    /// What its own mean exposure would have brought, held evenly.
    even: f64,
}

struct Plan {
    data: PathBuf,
    gas: bool,
    seeds: u64,
    windows: (i64, i64, i64),
    set: Vec<(String, f64)>,
}

impl Plan {
    fn world(&self, window: i64) -> CsvWorld {
        let (first, apart, long) = self.windows;
        let from = first + window * apart;
        let gas = self.gas.then(|| self.data.join("onchain/eth_gas_daily_2015-07_2023-12.csv"));
        let options = CsvOptions {
            mode: CsvMode::PerBar,
            gas,
            from: Some(Timestamp(from)),
            until: Some(Timestamp(from + long)),
            ..CsvOptions::default()
        };
        CsvWorld::open(self.data.join("eth_usdt_1h_2017-08_2023-12.csv"), &options).expect("a window of the data")
    }

    fn settings(&self, template: Template, learning: bool) -> Settings {
        let mut settings = Settings::default();
        settings.mind.learning = learning;
        settings.mortality.deaths = Deaths::Recorded;
        settings.policy.template = template;
        for (key, value) in &self.set {
            match key.as_str() {
                "immortal" => settings.mortality.immortal = *value > 0.0,
                _ => set(&mut settings, key, *value),
            }
        }
        settings
    }

    fn live(&self, window: i64, seed: u64, settings: &Settings) -> Lived {
        let mut subject = Subject::new(seed, Usdc::whole(BUDGET), settings, self.world(window)).expect("a market");
        let (mut lived, mut turns, mut samples, mut first, mut last) = (Lived::default(), 0u64, 0.0f64, None, 0.0);
        while subject.turn() {
            turns += 1;
            for fact in &subject.facts {
                match &fact.body {
                    Fact::Life(LifeFact::Paid { purpose: Purpose::Gas, amount }) => lived.gas += amount.as_f64(),
                    Fact::Life(LifeFact::Outcome { verification, .. }) => {
                        let moved = match verification.tx_receipt.outcome {
                            Outcome::Bought { paid, .. } => paid.as_f64(),
                            Outcome::Sold { got, .. } => got.as_f64(),
                            Outcome::Added { paid, .. } => 2.0 * paid.as_f64(),
                            Outcome::Removed { got, .. } => 2.0 * got.as_f64(),
                            Outcome::Moved { got, paid, .. } => 2.0 * (got.as_f64() + paid.as_f64()),
                            _ => 0.0,
                        };
                        lived.trades += f64::from(u8::from(moved > 0.0));
                        lived.turnover += moved / BUDGET as f64;
                    }
                    _ => {}
                }
            }
            // A status is worth more than a turn: once a day is enough.
            if turns % 24 == 1 {
                let status = subject.status();
                (samples, lived.exposure) = (samples + 1.0, lived.exposure + status.exposure);
                first = first.or(status.price);
                last = status.price.unwrap_or(last);
            }
        }
        let status = subject.status();
        lived.exposure /= samples;
        lived.nav = status.balance.as_f64() / BUDGET as f64;
        lived.even = lived.exposure * first.map_or(0.0, |f| last / f - 1.0);
        lived
    }
}

fn set(settings: &mut Settings, key: &str, value: f64) {
    let p = &mut settings.policy;
    match key {
        "lp_management.band" => p.lp_management.band = value,
        "lp_management.risk_aversion" => p.lp_management.risk_aversion = value,
        "lp_management.hold_days" => p.lp_management.hold_days = value,
        "lp_management.signal_horizons" => p.lp_management.signal_horizons = value,
        "lp_management.max_liquidity" => p.lp_management.max_liquidity = value,
        "lp_management.base_exposure" => p.lp_management.base_exposure = value,
        "lp_management.range_sigmas" => p.lp_management.range_sigmas = value,
        "trend_following.band" => p.trend_following.band = value,
        "trend_following.risk_aversion" => p.trend_following.risk_aversion = value,
        "stable_yield.max_liquidity" => p.stable_yield.max_liquidity = value,
        "stable_yield.hold_days" => p.stable_yield.hold_days = value,
        "cooldown_ticks" => p.cooldown_ticks = value as u64,
        _ => panic!("no such setting here: {key}"),
    }
}

/// The middle 95 in 100 of the bootstrap means, windows drawn with replacement.
fn interval(by_window: &[f64]) -> (f64, f64) {
    let (n, dice) = (by_window.len(), Dice::open(1, Strand::World));
    let mut means: Vec<f64> = (0..4_000u64)
        .map(|round| {
            let mut draws = dice.draws(round);
            (0..n).map(|_| by_window[((draws.uniform() * n as f64) as usize).min(n - 1)]).sum::<f64>() / n as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    (means[100], means[3_899])
}

fn mean(of: impl Iterator<Item = f64>) -> f64 {
    let (n, sum) = of.fold((0.0f64, 0.0), |(n, sum), x| (n + 1.0, sum + x));
    sum / n.max(1.0)
}

fn compare(plan: &Plan, template: Template) {
    let arms = [true, false].map(|learning| plan.settings(template, learning));
    let mut rows: Vec<Vec<[Lived; 2]>> = Vec::new();
    for window in 0..WINDOWS {
        rows.push((1..=plan.seeds).map(|seed| [0, 1].map(|arm: usize| plan.live(window, seed, &arms[arm]))).collect());
    }
    let by_window: Vec<f64> = rows.iter().map(|lives| mean(lives.iter().map(|[a, b]| a.nav / b.nav - 1.0))).collect();
    let (low, high) = interval(&by_window);
    println!(
        "{:<16} learner - twin {:+.2} % [{:+.2}, {:+.2}]",
        template.name(),
        100.0 * mean(by_window.iter().copied()),
        100.0 * low,
        100.0 * high
    );
    for (arm, name) in ["learner", "twin"].into_iter().enumerate() {
        let of = |f: fn(&Lived) -> f64| mean(rows.iter().flatten().map(|pair| f(&pair[arm])));
        println!(
            "    {name:<8} nav {:+.2} %, against its own exposure {:+.2} %, exposure {:.3}, turnover {:.1}, trades {:.1}, gas {:.2} %",
            100.0 * (of(|l| l.nav) - 1.0),
            100.0 * of(|l| l.nav - 1.0 - l.even),
            of(|l| l.exposure),
            of(|l| l.turnover),
            of(|l| l.trades),
            100.0 * of(|l| l.gas) / BUDGET as f64,
        );
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let data = args.next().expect("a directory with the recorded data");
    let words: Vec<String> = args.collect();
    let has = |word: &str| words.iter().any(|w| w == word);
    let set = words.iter().filter_map(|w| w.split_once('=')).filter_map(|(k, v)| Some((k.to_owned(), v.parse().ok()?)));
    let plan = Plan {
        data: Path::new(&data).to_path_buf(),
        gas: has("gas"),
        seeds: words.iter().find_map(|w| w.parse().ok()).unwrap_or(2),
        windows: if has("validate") { VALIDATE } else { DEVELOP },
        set: set.collect(),
    };
    for template in Template::ALL {
        let named: Vec<_> = Template::ALL.into_iter().filter(|t| has(t.name())).collect();
        if named.is_empty() || named.contains(&template) {
            compare(&plan, template);
        }
    }
}
