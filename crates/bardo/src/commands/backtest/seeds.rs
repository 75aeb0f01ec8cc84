//! One seed or many, on all cores: each seed is three accounts over the same bars, and together they tell how much of a
//! figure is luck.

use super::report::{Accounts, BacktestReport, tell};
use super::{Bench, baselines, export, life, page};
use crate::fail::Fail;
use crate::page_file;
use golem_core::Usdc;
use golem_view::metrics::Spread;
use serde::Serialize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How far the seeds lie apart.
#[derive(Debug, Serialize)]
pub struct OverSeeds {
    pub n: u64,
    #[serde(skip)]
    pub given: Usdc,
    /// How many died within the window.
    pub died: u64,
    pub final_nav_usdc: Option<Spread>,
    pub change: Option<Spread>,
    pub buy_and_hold_change: Option<Spread>,
    pub no_learning_change: Option<Spread>,
    pub max_drawdown: Option<Spread>,
    pub sharpe: Option<Spread>,
    pub sortino: Option<Spread>,
    pub win_rate: Option<Spread>,
    pub profit_factor: Option<Spread>,
    pub trades: Option<Spread>,
    /// Age at death, of those that died.
    pub died_after_days: Option<Spread>,
    pub runs: Vec<OneSeed>,
}

/// One of them.
#[derive(Debug, Serialize)]
pub struct OneSeed {
    pub seed: u64,
    #[serde(rename = "final_nav_micro_usdc")]
    pub nav: Usdc,
    #[serde(rename = "no_learning_micro_usdc")]
    pub no_learning: Usdc,
    #[serde(rename = "buy_and_hold_micro_usdc")]
    pub buy_and_hold: Usdc,
    pub max_drawdown: f64,
    pub trades: u64,
    pub cause: Option<String>,
}

/// All seeds; the report is the first one's, with the spread of all of them.
pub fn all(bench: &Bench<'_>) -> Result<BacktestReport, Fail> {
    let n = bench.args.seeds;
    let last = bench.args.seed.checked_add(n - 1);
    let last =
        last.ok_or_else(|| Fail::hint("there are not so many seeds after this one", "choose a smaller --seed"))?;
    let seeds: Vec<u64> = (bench.args.seed..=last).collect();
    if let [seed] = seeds[..] {
        return finish(bench, seed, side_by_side(bench, seed)?);
    }
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get).min(seeds.len());
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let told = one_by_one(bench, *seed).and_then(|accounts| finish(bench, *seed, accounts));
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((*seed, told));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(seed, _)| *seed);
    let all = done.into_iter().map(|(_, told)| told).collect::<Result<Vec<_>, _>>()?;
    let over = over(&all);
    let first = all.into_iter().next().ok_or_else(|| Fail::Bug("no seed was lived".into()))?;
    Ok(BacktestReport { seeds: Some(over), ..first })
}

/// The three accounts of a seed at the same time.
fn side_by_side(bench: &Bench<'_>, seed: u64) -> Result<Accounts, Fail> {
    thread::scope(|scope| {
        let twin = scope.spawn(|| life::live(bench, seed, false));
        let holder = scope.spawn(|| baselines::buy_and_hold(bench, seed));
        let lived = life::live(bench, seed, true);
        let panicked = |_| Fail::Bug("an account's thread panicked".into());
        let (twin, holder) = (twin.join().map_err(panicked)?, holder.join().map_err(panicked)?);
        Ok(Accounts { lived: lived?, twin: twin?.samples(), holder: holder? })
    })
}

/// The three accounts of a seed one after the other: other seeds keep the other cores busy.
fn one_by_one(bench: &Bench<'_>, seed: u64) -> Result<Accounts, Fail> {
    let (lived, twin) = (life::live(bench, seed, true)?, life::live(bench, seed, false)?.samples());
    Ok(Accounts { lived, twin, holder: baselines::buy_and_hold(bench, seed)? })
}

/// Tell of a seed, and write it down where asked for.
fn finish(bench: &Bench<'_>, seed: u64, accounts: Accounts) -> Result<BacktestReport, Fail> {
    let accounts = accounts.at_the_same_moments();
    let told = tell(bench, seed, &accounts);
    if let Some(dir) = &bench.args.export {
        let dir = if bench.args.seeds == 1 { dir.clone() } else { dir.join(format!("seed-{seed}")) };
        export::write(&dir, bench, &told, &accounts)?;
        page_file::write(&dir.join("page.html"), &page::page(&told, &accounts).html(), false)?;
    }
    if seed == bench.args.seed && bench.wants_page {
        *bench.page.lock().unwrap_or_else(PoisonError::into_inner) = Some(page::page(&told, &accounts));
    }
    Ok(told)
}

fn over(all: &[BacktestReport]) -> OverSeeds {
    let of = |figure: &dyn Fn(&BacktestReport) -> Option<f64>| Spread::of(all.iter().map(figure));
    OverSeeds {
        n: all.len() as u64,
        given: all.first().map_or(Usdc::ZERO, |told| told.budget),
        died: all.iter().filter(|told| told.died).count() as u64,
        final_nav_usdc: of(&|t| Some(t.nav.as_f64())),
        change: of(&|t| Some(t.ratios.change)),
        buy_and_hold_change: of(&|t| Some(t.buy_and_hold_ratios.change)),
        no_learning_change: of(&|t| Some(t.no_learning_ratios.change)),
        max_drawdown: of(&|t| Some(t.max_drawdown)),
        sharpe: of(&|t| t.ratios.sharpe),
        sortino: of(&|t| t.ratios.sortino),
        win_rate: of(&|t| t.closed.win_rate),
        profit_factor: of(&|t| t.closed.profit_factor),
        trades: of(&|t| Some(t.trades as f64)),
        died_after_days: of(&|t| t.death.as_ref().map(|d| d.age_days)),
        runs: all
            .iter()
            .map(|t| OneSeed {
                seed: t.seed,
                nav: t.nav,
                no_learning: t.no_learning,
                buy_and_hold: t.buy_and_hold,
                max_drawdown: t.max_drawdown,
                trades: t.trades,
                cause: t.cause.clone(),
            })
            .collect(),
    }
}
