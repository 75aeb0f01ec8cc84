//! `bardo golem logs ID`: what happened, in sentences; with `--json` fact by fact as it is recorded.

use crate::cli::Logs;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::screen::dated;
use golem_home::logs::{LogsWanted, recorded};
use golem_life::LifeStanding;
use golem_runtime::{FactRow, Reader};
use std::time::Duration;

/// The last facts, and with `--watch` the next ones too.
pub fn run(args: &Logs, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(&args.id)?;
    let reader = Reader::open(&place.dir)?;
    let wanted = LogsWanted::read(&reader, args.only.as_deref(), args.since.as_deref())?;
    let mut rows = wanted.last(&reader, args.last)?;
    drop(reader);
    let mut after = None;
    loop {
        for row in rows.iter().filter(|r| wanted.takes(r)) {
            out.line(&if out.json { recorded(row).to_string() } else { as_text(row) })?;
        }
        after = rows.last().map(|r| r.seq).or(after);
        let dead = || {
            Reader::open(&place.dir)
                .and_then(|r| r.status())
                .map(|s| s.is_some_and(|s| s.standing == LifeStanding::Dead))
        };
        if !args.watch || (rows.is_empty() && dead()?) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(500));
        rows = Reader::open(&place.dir)?.facts(after, None, 1_000)?;
    }
}

/// The fact in a sentence, in lines that fit.
fn as_text(row: &FactRow) -> String {
    let words = match golem_view::fact::read(&row.name, row.tick, &row.body) {
        Ok(fact) => golem_view::fact::words(&fact),
        Err(_) => None,
    };
    let words = words.unwrap_or_else(|| format!("{}, in a form that is told by --json only", row.name));
    dated(row.at, &words).join("\n")
}
