//! A backtest as a page with charts: the golem beside the three other accounts over the same bars, what it did, foretold, dreamt and
//! learnt, and what that was worth.

use super::report::{Accounts, BacktestReport, MonthTold};
use super::seeds::OverSeeds;
use crate::page_file;
use golem_core::{Usdc, UsdcDelta};
use golem_life::Status;
use golem_view::course::AccountCourse;
use golem_view::dreamt::dreamt;
use golem_view::foresight::foretold;
use golem_view::metrics::{Sample, Spread};
use golem_view::page::{PagePart, PageTable, PlotUnit, ReportPage, StripPlot, StripRow};
use golem_view::{money, time};

/// The page of one seed.
pub fn page(told: &BacktestReport, accounts: &Accounts) -> ReportPage {
    let lead = format!(
        "{} with {} USDC on {}, from {} to {}. {}",
        told.template,
        money::usdc(told.budget),
        told.chain,
        time::moment(told.from),
        time::moment(told.to),
        ending(told)
    );
    let (course, kept) = (course(told, accounts), &accounts.lived.kept);
    let mut page = ReportPage::new(&format!("Backtest: {}", told.template), &lead);
    page.add(PagePart::Command(page_file::as_typed())).add(PagePart::Facts(facts(told, &accounts.lived.status)));
    page.add(PagePart::Heading("Worth".to_owned()));
    page.add(course.worth("The golem pays for its living, which the others do not have.")).add(course.drawdown());
    page.parts.extend(course.phases());
    page.add(course.table());
    page.add(PagePart::Heading("What it did".to_owned()));
    page.parts.extend(course.trades(accounts.lived.trades.all()));
    page.parts.extend(foretold(&accounts.lived.status.forecasts, &kept.forecasts()));
    page.parts.extend(dreamt(accounts.lived.status.dreams.as_ref(), &kept.dreams(), &kept.staged));
    page.add(PagePart::Heading("What it learnt, and what that was worth".to_owned()));
    page.add(PagePart::Words(learning(told)));
    page.parts.extend(kept.lessons.parts(told.from));
    page.add(PagePart::Heading("Its money".to_owned())).add(PagePart::Table(sum(told)));
    page.add(PagePart::Heading("Month by month".to_owned())).add(PagePart::Table(months(&told.months)));
    page.add(PagePart::Heading("What the figures mean".to_owned()));
    page.add(PagePart::Facts(told.definitions.iter().map(|(n, what)| ((*n).to_owned(), (*what).to_owned())).collect()));
    page
}

fn course(told: &BacktestReport, accounts: &Accounts) -> AccountCourse {
    let lived = &accounts.lived;
    let usdc = lived.rows.iter().map(|row| Sample { at: row.at, worth: told.budget }).collect();
    AccountCourse {
        mine: lived.samples(),
        others: vec![
            ("the same, not learning".to_owned(), accounts.twin.clone()),
            ("buy and hold".to_owned(), accounts.holder.samples.clone()),
            ("hold USDC".to_owned(), usdc),
        ],
        prices: lived.rows.iter().map(|row| (row.at, row.price)).collect(),
        phases: lived.rows.iter().map(|row| (row.at, row.phase)).collect(),
        ended_at: told.death.as_ref().filter(|death| death.enforced).map(|death| death.at),
    }
}

fn ending(told: &BacktestReport) -> String {
    match &told.death {
        None => "It outlived the window.".to_owned(),
        Some(death) => {
            let verb = if death.enforced { "It died" } else { "It would have died" };
            format!("{verb} {}, of {}.", time::moment(death.at), death.cause)
        }
    }
}

fn facts(told: &BacktestReport, status: &Status) -> Vec<(String, String)> {
    let death = told
        .death
        .as_ref()
        .map(|d| format!("{} after {}, worth {} USDC", d.cause, time::age(d.age_days), money::usdc(d.worth)));
    let gas = &told.gas;
    let priced = match &gas.recorded {
        Some(path) => format!("as recorded in {path}, {:.4} gwei on average", gas.mean_gwei),
        None => format!("{:.4} gwei, assumed", gas.assumed_gwei),
    };
    let dreams = status.dreams.as_ref();
    [
        ("seed", told.seed.to_string()),
        ("turns", money::grouped(u128::from(told.turns))),
        ("skill", format!("{:.3}", told.fitness)),
        ("acts", told.trades.to_string()),
        ("dreams", dreams.map_or_else(|| "off: --set dream.enabled=true".to_owned(), |all| all.cycles.to_string())),
        ("first death", death.unwrap_or_else(|| "none".to_owned())),
        ("bars", format!("{}, {} missing", told.data.bars, told.data.missing)),
        ("gas", priced),
    ]
    .map(|(name, what)| (name.to_owned(), what))
    .to_vec()
}

/// The same golem, once with learning and once without.
fn learning(told: &BacktestReport) -> String {
    let difference = told.nav.delta(told.no_learning);
    format!(
        "The same golem without learning ended with {} USDC, so that learning made a difference of {} USDC on this path. One path \
         is one roll of the dice: --seeds N tells how far they lie apart.",
        money::usdc(told.no_learning),
        money::signed(difference)
    )
}

fn sum(told: &BacktestReport) -> PageTable {
    let m = &told.money;
    let less = |amount: Usdc| Usdc::ZERO.delta(amount);
    let lines: [(&str, UsdcDelta); 7] = [
        ("given", m.given.delta(Usdc::ZERO)),
        ("realised by trading", m.realised),
        ("in what is still held, if it were sold now", m.open),
        ("gas", less(m.gas)),
        ("living: machine, data, thought", less(m.living)),
        ("living that it still has to pay", less(m.owed)),
        ("at the end", told.nav.delta(Usdc::ZERO)),
    ];
    PageTable {
        caption: "To the micro-USDC: the last line is the sum of the others.".to_owned(),
        head: ["", "USDC"].map(str::to_owned).to_vec(),
        rows: lines.into_iter().map(|(what, amount)| vec![what.to_owned(), money::exact(amount)]).collect(),
    }
}

fn months(all: &[MonthTold]) -> PageTable {
    let cell = |x: Option<f64>| x.map_or("-".to_owned(), money::change);
    let row = |m: &MonthTold| {
        vec![m.month.clone(), money::change(m.change), cell(m.no_learning), cell(m.buy_and_hold), m.trades.to_string()]
    };
    PageTable {
        caption: String::new(),
        head: ["month", "the golem", "not learning", "buy and hold", "acts"].map(str::to_owned).to_vec(),
        rows: all.iter().map(row).collect(),
    }
}

/// How far the seeds lie apart, to stand below the page of the first.
pub fn seeds(over: &OverSeeds) -> Vec<PagePart> {
    let changes = |of: &dyn Fn(&super::seeds::OneSeed) -> Usdc| -> Vec<f64> {
        over.runs.iter().map(|run| golem_view::metrics::change(over.given, of(run))).collect()
    };
    let strips = [
        ("the golem", changes(&|run| run.nav)),
        ("the same, not learning", changes(&|run| run.no_learning)),
        ("buy and hold", changes(&|run| run.buy_and_hold)),
    ];
    let rows = strips.into_iter().map(|(label, values)| StripRow { label: label.to_owned(), values }).collect();
    let row = |name: &str, spread: &Option<Spread>, word: &dyn Fn(f64) -> String| {
        let cells =
            spread.map_or_else(|| [(); 4].map(|()| "-".to_owned()), |s| [s.mean, s.median, s.min, s.max].map(word));
        std::iter::once(name.to_owned()).chain(cells).collect::<Vec<_>>()
    };
    let table = PageTable {
        caption: format!("{} of {} died within the window.", over.died, over.n),
        head: ["", "mean", "median", "least", "most"].map(str::to_owned).to_vec(),
        rows: vec![
            row("change", &over.change, &money::change),
            row("not learning", &over.no_learning_change, &money::change),
            row("buy and hold", &over.buy_and_hold_change, &money::change),
            row("deepest fall", &over.max_drawdown, &money::percent),
            row("acts", &over.trades, &|x| format!("{x:.1}")),
        ],
    };
    let caption = "Each mark is one seed: the change of its worth over the window.".to_owned();
    vec![
        PagePart::Heading("Other seeds".to_owned()),
        PagePart::Words("What stands above is the life of the first seed. These are all of them.".to_owned()),
        PagePart::Strips(StripPlot { caption, unit: PlotUnit::Percent, rows }),
        PagePart::Table(table),
    ]
}
