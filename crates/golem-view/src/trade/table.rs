//! Trades as a table that fits a terminal, with sums that add up.

use super::{Totals, Trade};
use crate::money::{self, fitted};
use crate::time::moment;
use crate::wrap::{WIDTH, fold};
use golem_core::{Usdc, UsdcDelta};

/// The table: two lines or more for each act, at most 80 columns.
#[must_use]
pub fn table(trades: &[Trade]) -> Vec<String> {
    let mut lines = vec![format!(
        "{:<16} {:<7} {:>10} {:>10} {:>9} {:>7} {:>6} {:>8}",
        "when (UTC)", "what", "USDC", "ETH", "price", "fee", "gas", "profit"
    )];
    for trade in trades {
        lines.push(row(trade));
        let mut said = Vec::new();
        if let Some(why) = trade.refused {
            said.push(format!("came to nothing: {}", super::words::refusal(why)));
        }
        if trade.taken_back {
            said.push("the chain took it back".to_owned());
        }
        if !trade.why.is_empty() {
            said.push(trade.why.clone());
        }
        said.extend(Some(trade.aftermath()).filter(|s| !s.is_empty()));
        if !said.is_empty() {
            lines.extend(fold("    ", &said.join(" · "), WIDTH));
        }
    }
    lines
}

fn row(t: &Trade) -> String {
    let plain = |x: Usdc| if x == Usdc::ZERO { String::new() } else { fitted(signed(x), 6, false) };
    let fee = match t.fee_earned {
        Usdc::ZERO => plain(t.fee_paid),
        earned => fitted(signed(earned), 7, true),
    };
    let price = t.price.map_or(String::new(), |p| fitted(UsdcDelta((p * 1e6).min(9e18) as i64), 9, false));
    let profit = t.profit.map_or(String::new(), |p| fitted(p, 8, true));
    let usdc = if t.usdc.0 == 0 { String::new() } else { fitted(t.usdc, 10, true) };
    let eth = if t.asset == 0 { String::new() } else { money::fitted_eth(t.asset, 10) };
    let line = format!(
        "{:<16} {:<7} {usdc:>10} {eth:>10} {price:>9} {fee:>7} {:>6} {profit:>8}",
        moment(t.at),
        t.what.word(),
        plain(t.gas)
    );
    line.trim_end().to_owned()
}

/// The sums, with all decimals, so that they can be checked: what was realised, less gas, plus the gas in what is held, is
/// the profit. `whole` when these are all trades of the life; only then the sum closes.
#[must_use]
pub fn total_lines(totals: &Totals, whole: bool) -> Vec<String> {
    let usdc = |x: Usdc| money::exact(signed(x));
    let failed = if totals.refused == 0 { String::new() } else { format!(", {} came to nothing", totals.refused) };
    let mut lines = vec![format!("total: {} acts{failed}", totals.done)];
    let mut item = |name: &str, amount: String, about: &str| lines.push(format!("  {name:<22} {amount:>16}  {about}"));
    item("realised", money::exact(totals.realised), "USDC, at average cost");
    item("less gas", usdc(totals.gas), "all of it");
    if whole {
        item("plus gas still held", usdc(totals.gas_held()), "in the cost of what it holds");
    }
    let profit = "profit";
    let about = if whole { "after gas" } else { "after gas, that of buying included" };
    item(profit, money::exact(totals.profit), about);
    let fees = format!(
        "  pool fees, in the amounts above: paid {}, earned {}",
        usdc(totals.fee_paid),
        usdc(totals.fee_earned)
    );
    lines.push(fees);
    lines
}

fn signed(x: Usdc) -> UsdcDelta {
    x.delta(Usdc::ZERO)
}
