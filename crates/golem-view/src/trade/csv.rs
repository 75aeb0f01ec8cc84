//! Trades as rows of a table that other programs read: one act a row, money with all its decimals.

use super::Trade;
use crate::money::{exact, exact_eth};
use golem_core::UsdcDelta;

/// The names of the columns.
pub const CSV_HEAD: &str = "tick,number,at,what,state,usdc,eth,price,fee_paid_usdc,fee_earned_usdc,gas_usdc,realised_usdc,profit_usdc,predicted_bps,actual_bps,price_later,exit_price,why";

/// One act. Text that could break a row is quoted.
#[must_use]
pub fn csv_row(trade: &Trade) -> String {
    let usdc = |x: golem_core::Usdc| exact(UsdcDelta(i64::try_from(x.0).unwrap_or(i64::MAX)));
    let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
    let state = match (trade.taken_back, trade.refused) {
        (true, _) => "taken back",
        (false, Some(_)) => "refused",
        (false, None) => "done",
    };
    let cells = [
        trade.tick.to_string(),
        trade.number.to_string(),
        trade.at.to_string(),
        trade.what.word().to_owned(),
        state.to_owned(),
        exact(trade.usdc),
        exact_eth(trade.asset),
        number(trade.price),
        usdc(trade.fee_paid),
        usdc(trade.fee_earned),
        usdc(trade.gas),
        exact(trade.realised),
        trade.profit.map_or(String::new(), exact),
        number(trade.came.predicted_bps),
        number(trade.came.actual_bps),
        number(trade.came.later.map(|s| s.price)),
        number(trade.came.exit.map(|s| s.price)),
        quoted(&trade.why),
    ];
    cells.join(",")
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
