//! The report for people, within 80 columns.

use super::report::{BacktestReport, LiquidityTold, MonthTold};
use super::seeds::OverSeeds;
use crate::show;
use golem_core::{Usdc, UsdcDelta};
use golem_lab::world::Survey;
use golem_lab::world::recorded::JUMP;
use golem_mortality::BehavioralPhase;
use golem_view::metrics::{Ratios, Spread};
use golem_view::{money, time, trade, wrap};

/// Where the words of a titled line begin.
const TITLED: usize = 14;

/// A pool in which buying with everything pays more than this share above the price is too shallow to compare with.
const SHALLOW: f64 = 0.02;

/// The whole report.
pub fn text(told: &BacktestReport) -> String {
    let mut lines = vec![
        format!("{} on {}, seed {}", told.template, told.chain, told.seed),
        format!(
            "{} to {} UTC: {}, {} turns",
            time::moment(told.from),
            time::moment(told.to),
            time::span((told.to.0 - told.from.0).unsigned_abs()),
            told.turns
        ),
        String::new(),
    ];
    lines.extend(accounts(told));
    lines.push(String::new());
    lines.extend(sum(told));
    lines.push(String::new());
    lines.extend(titled("ratios", &ratios(&told.ratios)));
    lines.extend(titled("drawdown", &drawdown(&told.ratios)));
    lines.extend(titled("trades", &trades(told)));
    if let Some(liquidity) = &told.liquidity {
        lines.extend(titled("liquidity", &pool(liquidity, told)));
    }
    lines.extend(titled("gas", &gas(told)));
    if told.buy_and_hold_costs.above_spot > SHALLOW {
        lines.extend(titled("pool", &shallow(told)));
    }
    lines.extend(titled("death", &death(told)));
    lines.extend(titled("phases", &phases(told)));
    lines.extend(titled("price check", &format!("against {}", show::reference(told.reference))));
    lines.extend(titled("data", &data(&told.data)));
    lines.push(String::new());
    lines.extend(months(&told.months));
    if let Some(list) = &told.trade_list {
        lines.push(String::new());
        lines.extend(trade::table(list));
    }
    if let Some(over) = &told.seeds {
        lines.push(String::new());
        lines.extend(seeds(over, told.seed));
    }
    lines.push("\n  what each figure means: docs/backtest.md, or `definitions` with --json".to_owned());
    lines.join("\n")
}

fn titled(title: &str, words: &str) -> Vec<String> {
    wrap::fold(&format!("  {title:<w$}", w = TITLED - 2), words, wrap::WIDTH)
}

fn accounts(told: &BacktestReport) -> Vec<String> {
    let line = |name: &str, worth: Usdc, ratios: &Ratios| {
        let sharpe = figure(ratios.sharpe);
        let (change, fall) = (money::change(ratios.change), money::percent(ratios.depth()));
        format!("  {name:<24}{:>16}{change:>11}{fall:>11}{sharpe:>9}", money::usdc(worth))
    };
    vec![
        format!("  {:<24}{:>16}{:>11}{:>11}{:>9}", "", "USDC at the end", "change", "drawdown", "Sharpe"),
        line("the golem", told.nav, &told.ratios),
        line("the same, not learning", told.no_learning, &told.no_learning_ratios),
        line("buy and hold", told.buy_and_hold, &told.buy_and_hold_ratios),
        line("hold USDC", told.hold_usdc, &Ratios::default()),
    ]
}

/// The money, to the micro-USDC: it adds up.
fn sum(told: &BacktestReport) -> Vec<String> {
    let m = &told.money;
    let less = |amount: Usdc| Usdc::ZERO.delta(amount);
    let line = |amount: UsdcDelta, words: &str| format!("  {:<12}{:>18}  {words}", "", money::exact(amount));
    let mut lines = vec![
        line(m.given.delta(Usdc::ZERO), "given"),
        line(m.realised, "realised by trading"),
        line(m.open, "in what is still held, if it were sold now"),
        line(less(m.gas), "gas"),
        line(less(m.living), "living: machine, data, thought"),
    ];
    if m.owed > Usdc::ZERO {
        lines.push(line(less(m.owed), "living that it still has to pay"));
    }
    let beyond = match m.unpayable {
        Usdc::ZERO => String::new(),
        debt => format!(", and {} owed beyond that", money::usdc(debt)),
    };
    lines.push(line(told.nav.delta(Usdc::ZERO), &format!("at the end{beyond}")));
    if let Some(first) = lines.first_mut() {
        first.replace_range(2..7, "money");
    }
    lines
}

fn figure(ratio: Option<f64>) -> String {
    ratio.map_or("-".to_owned(), |x| if x.abs() < 1e5 { format!("{x:.2}") } else { format!("{x:.0e}") })
}

fn share(ratio: Option<f64>) -> String {
    ratio.map_or("-".to_owned(), |x| if x.abs() < 1e4 { money::change(x) } else { format!("{:.0e} %", x * 100.0) })
}

fn ratios(r: &Ratios) -> String {
    let days = if r.days < 30 { format!("; {} days are few to judge by", r.days) } else { String::new() };
    format!(
        "CAGR {}, Sharpe {}, Sortino {}, Calmar {}, volatility {}{days}",
        share(r.cagr),
        figure(r.sharpe),
        figure(r.sortino),
        figure(r.calmar),
        r.volatility.map_or("-".to_owned(), money::percent),
    )
}

fn drawdown(r: &Ratios) -> String {
    let Some(d) = r.drawdown else { return "none".to_owned() };
    let recovered = d.recovered_at.map_or("not recovered".to_owned(), |at| format!("recovered {}", time::moment(at)));
    let (from, to) = (time::moment(d.peak_at), time::moment(d.trough_at));
    format!("{} from {from} to {to}, {recovered}", money::percent(d.depth))
}

fn trades(told: &BacktestReport) -> String {
    let (all, closed) = (&told.trade_totals, &told.closed);
    let mut words = format!("{} carried out, {} refused", all.done, all.refused);
    match closed.win_rate {
        None => words += "; none of them closed anything",
        Some(rate) => {
            let factor = closed.profit_factor.map_or("without a loss".to_owned(), |f| format!("{f:.2}"));
            let signed = |x: Option<UsdcDelta>| x.map_or("-".to_owned(), money::signed);
            words += &format!(
                "; {} closed something: {} won, profit factor {factor}, best {}, worst {} USDC",
                closed.count,
                money::percent(rate),
                signed(closed.best),
                signed(closed.worst)
            );
        }
    }
    if told.trade_list.is_none() && all.done > 0 {
        words += " (all of them: --trades)";
    }
    words
}

fn pool(liquidity: &LiquidityTold, told: &BacktestReport) -> String {
    let lost = (liquidity.sums.lvr_usdc * 1e6).round() as i64;
    format!(
        "fees {} against a loss versus rebalancing of {}: {} USDC, over {} of {} bars",
        money::usdc(liquidity.sums.fees),
        money::usdc(Usdc(lost.max(0).unsigned_abs())),
        money::signed(UsdcDelta((liquidity.net_usdc * 1e6).round() as i64)),
        liquidity.sums.bars,
        told.data.bars.saturating_add(told.data.missing).saturating_sub(1)
    )
}

fn gas(told: &BacktestReport) -> String {
    let gas = &told.gas;
    let paid = money::usdc(told.money.gas);
    match &gas.recorded {
        Some(path) => format!(
            "as recorded in {path}, {} gwei on average ({} where it says nothing); {paid} USDC paid",
            gwei(gas.mean_gwei),
            gwei(gas.assumed_gwei)
        ),
        None => format!("{} gwei, assumed (set --gas-gwei); {paid} USDC paid", gwei(gas.assumed_gwei)),
    }
}

fn shallow(told: &BacktestReport) -> String {
    let dearer = money::percent(told.buy_and_hold_costs.above_spot);
    format!(
        "too shallow for this budget: buying with all of it pays {dearer} above the price \
         (deepen it: --set market.depth_usdc='\"N\"')"
    )
}

fn gwei(x: f64) -> String {
    let text = format!("{x:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn death(told: &BacktestReport) -> String {
    let Some(death) = &told.death else { return "none: it outlived the window".to_owned() };
    let (at, age, worth) = (time::moment(death.at), time::age(death.age_days), money::usdc(death.worth));
    let (verb, after) = match death.enforced {
        true => ("it died", "The account was read until then"),
        false => ("it would have died", "The account went on (--stop-at-death ends with it)"),
    };
    format!("{verb} {at}, after {age}, worth {worth} USDC. Of {}. {after}.", death.cause)
}

fn phases(told: &BacktestReport) -> String {
    let share = |phase: BehavioralPhase| told.phases.get(phase.name()).copied().unwrap_or_default();
    let each = BehavioralPhase::ALL.into_iter().rev().filter(|p| share(*p) > 0.0);
    let each: Vec<String> = each.map(|p| format!("{} {}", p.name(), money::percent(share(p)))).collect();
    let last = told.last_trade_at.map_or("it never traded".to_owned(), |at| format!("last trade {}", time::moment(at)));
    let mut words = format!("{} of the time; {last}", each.join(", "));
    if share(BehavioralPhase::Terminal) + share(BehavioralPhase::Declining) > 0.25 {
        words += "; it opens nothing while it declines (--set mortality.immortal=true pins it to thriving)";
    }
    words
}

fn data(survey: &Survey) -> String {
    let mut words = format!("{} bars of {}, ", survey.bars, length(survey.bar_s));
    words += &match survey.longest_gap {
        None => "none missing or repeated".to_owned(),
        Some(longest) => {
            let (gaps, from) = (many(survey.gaps, "gap"), time::moment(longest.from));
            let still = "the price stands still there";
            format!("{} missing in {gaps}, the longest {} from {from}: {still}", survey.missing, longest.bars)
        }
    };
    if survey.silent > 0 {
        words += &format!("; {} without volume", survey.silent);
    }
    if let Some(largest) = survey.largest_move {
        let jumps = if survey.jumps == 0 { "no move".to_owned() } else { many(survey.jumps, "move") };
        let (change, at) = (money::change(largest.change), time::moment(largest.at));
        words += &format!("; {jumps} beyond {:.0} %, the largest {change} at {at}", JUMP * 100.0);
    }
    words
}

fn many(n: u64, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}

/// The length of a bar.
fn length(seconds: u64) -> String {
    match seconds {
        s if s.is_multiple_of(86_400) => format!("{} d", s / 86_400),
        s if s.is_multiple_of(3_600) => format!("{} h", s / 3_600),
        s if s.is_multiple_of(60) => format!("{} min", s / 60),
        s => format!("{s} s"),
    }
}

fn months(all: &[MonthTold]) -> Vec<String> {
    let line = |month: &str, cells: [&str; 4]| {
        let [mine, twin, hold, trades] = cells;
        format!("  {month:<10}{mine:>14}{twin:>16}{hold:>16}{trades:>10}")
    };
    let mut lines = vec![line("month", ["the golem", "not learning", "buy and hold", "trades"])];
    for m in all {
        let cell = |x: Option<f64>| x.map_or("-".to_owned(), money::change);
        let cells = [cell(Some(m.change)), cell(m.no_learning), cell(m.buy_and_hold), m.trades.to_string()];
        lines.push(line(&m.month, [&cells[0], &cells[1], &cells[2], &cells[3]]));
    }
    lines
}

fn seeds(over: &OverSeeds, first: u64) -> Vec<String> {
    let last = over.runs.last().map_or(first, |run| run.seed);
    let line = |name: &str, cells: [String; 4]| {
        let [mean, median, min, max] = cells;
        format!("  {name:<24}{mean:>13}{median:>13}{min:>13}{max:>13}")
    };
    let row = |name: &str, spread: &Option<Spread>, word: &dyn Fn(f64) -> String| {
        let cells =
            spread.map_or_else(|| [(); 4].map(|()| "-".to_owned()), |s| [s.mean, s.median, s.min, s.max].map(word));
        line(name, cells)
    };
    let plain = |x: f64| figure(Some(x));
    let mut lines = vec![
        line(&format!("seeds {first} to {last}"), ["mean", "median", "least", "most"].map(str::to_owned)),
        row("the golem", &over.change, &money::change),
        row("the same, not learning", &over.no_learning_change, &money::change),
        row("buy and hold", &over.buy_and_hold_change, &money::change),
        row("drawdown", &over.max_drawdown, &money::percent),
        row("Sharpe", &over.sharpe, &plain),
        row("Sortino", &over.sortino, &plain),
        row("won", &over.win_rate, &money::percent),
        row("profit factor", &over.profit_factor, &plain),
        row("trades", &over.trades, &|x| format!("{x:.1}")),
    ];
    lines.push(match over.died_after_days {
        None => format!("  none of {} died", over.n),
        Some(after) => format!("  {} of {} died, after {} at the median", over.died, over.n, time::age(after.median)),
    });
    lines
}
