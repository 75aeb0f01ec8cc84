//! `bardo golem trades ID`: what it did with the money.

use crate::cli::TradesOf;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::stored::parse;
use golem_home::logs::moment;
use golem_home::trades::chosen;
pub use golem_home::trades::read;
use golem_life::Status;
use golem_runtime::Reader;
use golem_view::trade::{CSV_HEAD, Totals, Trade, csv_row, table, total_lines};
use golem_view::wrap::{WIDTH, fold};

/// Every act, or those that were asked for.
pub fn run(args: &TradesOf, home: &Home, out: &Out) -> Result<(), Fail> {
    if args.csv && out.json {
        return Err(Fail::hint("--csv and --json are two formats", "take one of them"));
    }
    let place = home.golem(&args.id)?;
    let reader = Reader::open(&place.dir)?;
    let since = moment(&reader, args.since.as_deref())?;
    let trades = read(&reader)?;
    let all = trades.all();
    let shown = chosen(all, since, args.last.map(|n| n as usize));
    if args.csv {
        let rows: Vec<String> = std::iter::once(CSV_HEAD.to_owned()).chain(shown.iter().map(csv_row)).collect();
        return out.line(&rows.join("\n"));
    }
    let status = status(&reader)?;
    out.result(&shown, || text(shown, all.len(), status.as_ref()))
}

fn status(reader: &Reader) -> Result<Option<Status>, Fail> {
    reader.status()?.map(|row| parse(&row.body)).transpose()
}

fn text(shown: &[Trade], of: usize, status: Option<&Status>) -> String {
    if of == 0 {
        return "it has not traded yet".to_owned();
    }
    let whole = shown.len() == of;
    let mut lines = if shown.is_empty() { vec!["nothing in that time".to_owned()] } else { table(shown) };
    let totals = Totals::of(shown);
    lines.push(String::new());
    lines.extend(total_lines(&totals, whole));
    if !whole {
        lines.push(format!("  these are {} of {of} acts; without --since and --last all are shown", shown.len()));
    }
    if let Some(status) = status.filter(|s| whole && s.earned != totals.realised) {
        let words = format!(
            "its own books say {} realised: they keep what the chain took back later",
            golem_view::money::exact(status.earned)
        );
        lines.extend(fold("  ", &words, WIDTH));
    }
    lines.join("\n")
}
