//! What a golem did with the money, from its facts, with what became of each act.

use crate::fail::Fail;
use crate::stored::points;
use golem_core::fact::Envelope;
use golem_core::{GolemId, Timestamp};
use golem_life::Fact;
use golem_runtime::{FactRow, Reader};
use golem_view::trade::{Trade, Trades};

/// The trades of a golem's file, with what became of each.
pub fn read(reader: &Reader) -> Result<Trades, Fail> {
    let golem = reader.origin()?.birth.id;
    let mut rows = Vec::new();
    for name in Trades::NAMES {
        let mut after = None;
        loop {
            let page = reader.facts(after, Some(name), 1_000)?;
            let Some(end) = page.last() else { break };
            after = Some(end.seq);
            rows.extend(page);
        }
    }
    rows.sort_by_key(|row| row.seq);
    let mut trades = Trades::default();
    let mut prices = prices(reader, rows.is_empty())?.into_iter().peekable();
    for row in rows {
        while let Some((at, price)) = prices.next_if(|(at, _)| *at <= row.at) {
            trades.price(at, price);
        }
        trades.see(&envelope(golem, row)?);
    }
    prices.for_each(|(at, price)| trades.price(at, price));
    Ok(trades)
}

/// Those since a moment, and of them the last so many.
pub fn chosen(all: &[Trade], since: Option<Timestamp>, last: Option<usize>) -> &[Trade] {
    let first = all.iter().position(|t| since.is_none_or(|since| t.at >= since)).unwrap_or(all.len());
    &all[first.max(last.map_or(0, |n| all.len().saturating_sub(n)))..]
}

/// A stored fact as it was told.
fn envelope(golem: GolemId, row: FactRow) -> Result<Envelope<Fact>, Fail> {
    let body = golem_view::fact::read(&row.name, row.tick, &row.body)
        .map_err(|e| Fail::world(format!("fact {} cannot be read: {e}", row.seq.0)))?;
    Ok(Envelope { golem, seq: row.seq, tick: row.tick, at: row.at, cause: row.cause, body })
}

/// The prices that the file kept, oldest first.
fn prices(reader: &Reader, needless: bool) -> Result<Vec<(Timestamp, f64)>, Fail> {
    let all = if needless { Vec::new() } else { points(reader)? };
    Ok(all.into_iter().filter_map(|(at, point)| Some((at, point.price?))).collect())
}
