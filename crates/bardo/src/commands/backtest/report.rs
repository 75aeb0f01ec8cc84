//! What a backtest tells, as others read it.

use super::Bench;
use super::baselines::Holder;
use super::life::Lived;
use super::seeds::OverSeeds;
use golem_core::{Asset, ReferencePrice, Timestamp, Usdc, UsdcDelta};
use golem_lab::world::Survey;
use golem_mortality::BehavioralPhase;
use golem_view::cause;
use golem_view::metrics::{Closed, DEFINITIONS, Liquidity, Ratios, Sample, month_of, months};
use golem_view::trade::{Totals, Trade};
use serde::Serialize;
use std::collections::BTreeMap;

/// The report of one seed, and how far others lie apart.
#[derive(Debug, Serialize)]
pub struct BacktestReport {
    pub template: String,
    pub chain: String,
    pub seed: u64,
    pub from: Timestamp,
    pub to: Timestamp,
    pub turns: u64,
    #[serde(rename = "budget_micro_usdc")]
    pub budget: Usdc,
    #[serde(rename = "final_nav_micro_usdc")]
    pub nav: Usdc,
    #[serde(rename = "buy_and_hold_micro_usdc")]
    pub buy_and_hold: Usdc,
    #[serde(rename = "hold_usdc_micro_usdc")]
    pub hold_usdc: Usdc,
    #[serde(rename = "no_learning_micro_usdc")]
    pub no_learning: Usdc,
    pub max_drawdown: f64,
    pub buy_and_hold_max_drawdown: f64,
    pub no_learning_max_drawdown: f64,
    /// Acts carried out.
    pub trades: u64,
    #[serde(rename = "spent_micro_usdc")]
    pub spent: Usdc,
    pub fitness: f64,
    /// What its price was held against before value was given up.
    pub reference: Option<ReferencePrice>,
    /// Whether one of its clocks ran out within the window.
    pub died: bool,
    pub cause: Option<String>,
    pub death: Option<DeathBeside>,
    /// Shares of the bars that it spent in each phase.
    pub phases: BTreeMap<&'static str, f64>,
    pub last_trade_at: Option<Timestamp>,
    pub money: Money,
    pub ratios: Ratios,
    pub buy_and_hold_ratios: Ratios,
    pub no_learning_ratios: Ratios,
    /// What buying and holding paid: for ETH, and for gas.
    pub buy_and_hold_costs: HolderCosts,
    pub trade_totals: Totals,
    pub closed: Closed,
    /// Nothing where it provided none.
    pub liquidity: Option<LiquidityTold>,
    pub months: Vec<MonthTold>,
    pub gas: GasTold,
    pub data: Survey,
    pub definitions: BTreeMap<&'static str, &'static str>,
    /// Every trade, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trade_list: Option<Vec<Trade>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeds: Option<OverSeeds>,
}

/// A death beside the account that went on, or at its end.
#[derive(Debug, Serialize)]
pub struct DeathBeside {
    pub at: Timestamp,
    pub age_days: f64,
    pub cause: String,
    /// What it was worth then.
    #[serde(rename = "worth_micro_usdc")]
    pub worth: Usdc,
    /// True where it ended the life.
    pub enforced: bool,
}

/// Where the money went: given + realised + open - gas - living - owed is the worth at the end.
#[derive(Debug, Serialize)]
pub struct Money {
    #[serde(rename = "given_micro_usdc")]
    pub given: Usdc,
    /// Profit and loss of what was closed, by its own books, gas not counted.
    #[serde(rename = "realised_micro_usdc")]
    pub realised: UsdcDelta,
    /// In what is still held.
    #[serde(rename = "open_micro_usdc")]
    pub open: UsdcDelta,
    #[serde(rename = "gas_micro_usdc")]
    pub gas: Usdc,
    /// Machine, data and thought.
    #[serde(rename = "living_micro_usdc")]
    pub living: Usdc,
    /// Costs of living that could not be paid yet, as far as there is something to pay them with.
    #[serde(rename = "owed_micro_usdc")]
    pub owed: Usdc,
    /// And those beyond all it has: nobody gets them, and they are in no sum.
    #[serde(rename = "unpayable_micro_usdc")]
    pub unpayable: Usdc,
}

/// What buying and holding paid.
#[derive(Debug, Serialize)]
pub struct HolderCosts {
    #[serde(rename = "paid_micro_usdc")]
    pub paid: Usdc,
    #[serde(rename = "gas_micro_usdc")]
    pub gas: Usdc,
    /// ETH that it got, in its smallest unit.
    pub got: Asset,
    /// How much dearer than the pool's price before it, as a share: the fee, and how far it moved the price.
    pub above_spot: f64,
}

/// Fees against loss versus rebalancing.
#[derive(Debug, Serialize)]
pub struct LiquidityTold {
    #[serde(flatten)]
    pub sums: Liquidity,
    pub net_usdc: f64,
}

/// A month of all accounts.
#[derive(Debug, Serialize)]
pub struct MonthTold {
    pub month: String,
    pub change: f64,
    pub buy_and_hold: Option<f64>,
    pub no_learning: Option<f64>,
    pub trades: u64,
}

/// What gas was taken to cost.
#[derive(Debug, Serialize)]
pub struct GasTold {
    /// A file that recorded it; without one the price is assumed.
    pub recorded: Option<String>,
    /// The price wherever none is recorded.
    pub assumed_gwei: f64,
    /// Over all bars.
    pub mean_gwei: f64,
}

/// Three accounts over the same bars.
pub struct Accounts {
    pub lived: Lived,
    /// The same golem without learning.
    pub twin: Vec<Sample>,
    pub holder: Holder,
}

impl Accounts {
    /// Everybody is read at the same moments, until the end of the window or of a life that ended before it. Whoever ended
    /// earlier stays as it was.
    pub fn at_the_same_moments(mut self) -> Self {
        for samples in [&mut self.twin, &mut self.holder.samples] {
            let (mut left, mut worth) = (samples.iter().peekable(), Usdc::ZERO);
            let read = |row: &super::life::BarRow| {
                while let Some(sample) = left.next_if(|sample| sample.at <= row.at) {
                    worth = sample.worth;
                }
                Sample { at: row.at, worth }
            };
            *samples = self.lived.rows.iter().map(read).collect();
        }
        self
    }
}

/// Put it together.
pub fn tell(bench: &Bench<'_>, seed: u64, accounts: &Accounts) -> BacktestReport {
    let Accounts { lived, twin, holder } = accounts;
    let (status, file, args) = (&lived.status, &bench.file, bench.args);
    let mine = lived.samples();
    let (ratios, hold, frozen) = (Ratios::of(&mine), Ratios::of(&holder.samples), Ratios::of(twin));
    let last = |samples: &[Sample]| samples.last().map_or(args.budget, |s| s.worth);
    let moment = |row: Option<&super::life::BarRow>| row.map_or(bench.survey.first, |row| row.at);
    let death = death(lived);
    BacktestReport {
        template: args.template.to_string(),
        chain: file.chain.kind.name().to_owned(),
        seed,
        from: moment(lived.rows.first()),
        to: moment(lived.rows.last()),
        turns: lived.turns,
        budget: args.budget,
        nav: last(&mine),
        buy_and_hold: last(&holder.samples),
        hold_usdc: args.budget,
        no_learning: last(twin),
        max_drawdown: ratios.depth(),
        buy_and_hold_max_drawdown: hold.depth(),
        no_learning_max_drawdown: frozen.depth(),
        trades: status.trades,
        spent: status.spent,
        fitness: status.vitality.epistemic,
        reference: status.cage.reference,
        died: death.is_some(),
        cause: death.as_ref().map(|d| d.cause.clone()),
        death,
        phases: phases(lived),
        last_trade_at: lived.trades.all().iter().rev().find(|t| t.is_done()).map(|t| t.at),
        money: money(lived, args.budget, last(&mine)),
        months: by_month(lived, &mine, &holder.samples, twin),
        ratios,
        buy_and_hold_ratios: hold,
        no_learning_ratios: frozen,
        buy_and_hold_costs: HolderCosts {
            paid: holder.paid,
            gas: holder.gas,
            got: holder.got,
            above_spot: holder.above_spot(),
        },
        trade_totals: lived.trades.totals(),
        closed: Closed::of(lived.trades.all()),
        liquidity: (lived.liquidity.bars > 0)
            .then(|| LiquidityTold { sums: lived.liquidity, net_usdc: lived.liquidity.net_usdc() }),
        gas: gas(bench, lived),
        data: bench.survey.clone(),
        definitions: DEFINITIONS.into_iter().collect(),
        trade_list: args.trades.then(|| lived.trades.all().to_vec()),
        seeds: None,
    }
}

fn death(lived: &Lived) -> Option<DeathBeside> {
    let death = lived.death.as_ref()?;
    let at = lived.rows.first()?.at.after(death.age.age());
    let row = lived.rows.iter().rev().find(|row| row.at <= at)?;
    let (age_days, enforced) = (death.age.age().as_days(), lived.status.death.is_some());
    Some(DeathBeside { at, age_days, cause: cause::cause(&death.cause), worth: row.worth, enforced })
}

fn phases(lived: &Lived) -> BTreeMap<&'static str, f64> {
    let all = lived.phases.iter().sum::<u64>().max(1) as f64;
    let share = |(phase, bars): (BehavioralPhase, u64)| (phase.name(), bars as f64 / all);
    BehavioralPhase::ALL.into_iter().zip(lived.phases).map(share).collect()
}

fn money(lived: &Lived, given: Usdc, nav: Usdc) -> Money {
    let (has, debt) = lived.rows.last().map_or_else(Default::default, |row| (row.liquid.plus(row.positions), row.owed));
    let (realised, owed) = (lived.trades.totals().realised, debt.min(has));
    let (gas, living) = (lived.gas, lived.status.spent.minus(lived.gas));
    let costs = gas.plus(living).plus(owed);
    let open = nav.plus(costs).delta(given).0.saturating_sub(realised.0);
    Money { given, realised, open: UsdcDelta(open), gas, living, owed, unpayable: debt.minus(owed) }
}

fn by_month(lived: &Lived, mine: &[Sample], hold: &[Sample], twin: &[Sample]) -> Vec<MonthTold> {
    let changes = |samples: &[Sample]| -> BTreeMap<String, f64> {
        months(samples).into_iter().map(|month| (month.month, month.change)).collect()
    };
    let (hold, twin) = (changes(hold), changes(twin));
    let mut trades: BTreeMap<String, u64> = BTreeMap::new();
    for trade in lived.trades.all().iter().filter(|t| t.is_done()) {
        *trades.entry(month_of(trade.at)).or_default() += 1;
    }
    let told = |month: golem_view::metrics::Month| MonthTold {
        buy_and_hold: hold.get(&month.month).copied(),
        no_learning: twin.get(&month.month).copied(),
        trades: trades.get(&month.month).copied().unwrap_or_default(),
        change: month.change,
        month: month.month,
    };
    months(mine).into_iter().map(told).collect()
}

fn gas(bench: &Bench<'_>, lived: &Lived) -> GasTold {
    let path = &bench.file.world.gas_path;
    let sum: f64 = lived.rows.iter().map(|row| row.gas_gwei).sum();
    GasTold {
        recorded: (!path.is_empty()).then(|| path.clone()),
        assumed_gwei: bench.file.market.gas_gwei,
        mean_gwei: sum / lived.rows.len().max(1) as f64,
    }
}
