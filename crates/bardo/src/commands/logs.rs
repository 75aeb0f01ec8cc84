//! `bardo golem logs ID`.

use crate::cli::Logs;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::show;
use golem_core::Seq;
use golem_life::Standing;
use golem_runtime::{FactRow, Reader};
use serde_json::{Value, json};
use std::time::Duration;

/// The last facts, and with `--watch` the next ones too.
pub fn run(args: &Logs, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(&args.id)?;
    let wanted = |row: &FactRow| args.only.as_ref().is_none_or(|p| row.name.starts_with(p.as_str()));
    let mut rows = last(&Reader::open(&place.dir)?, args, &wanted)?;
    let mut after = None;
    loop {
        for row in rows.iter().filter(|r| wanted(r)) {
            out.line(&if out.json { as_json(row).to_string() } else { as_text(row) })?;
        }
        after = rows.last().map(|r| r.seq).or(after);
        let dead = || {
            Reader::open(&place.dir).and_then(|r| r.status()).map(|s| s.is_some_and(|s| s.standing == Standing::Dead))
        };
        if !args.watch || (rows.is_empty() && dead()?) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(500));
        rows = Reader::open(&place.dir)?.facts(after, None, 1_000)?;
    }
}

/// The last so many facts of the kind that was asked for.
fn last(reader: &Reader, args: &Logs, wanted: &impl Fn(&FactRow) -> bool) -> Result<Vec<FactRow>, Fail> {
    if args.only.is_none() {
        return Ok(reader.last_facts(None, args.last)?);
    }
    let (mut kept, mut after): (Vec<FactRow>, Option<Seq>) = (Vec::new(), None);
    loop {
        let page = reader.facts(after, None, 1_000)?;
        let Some(end) = page.last() else { return Ok(kept) };
        after = Some(end.seq);
        kept.extend(page.into_iter().filter(wanted));
        let surplus = kept.len().saturating_sub(args.last as usize);
        kept.drain(..surplus);
    }
}

fn as_json(row: &FactRow) -> Value {
    let body: Value = serde_json::from_str(&row.body).unwrap_or(Value::Null);
    let mut told = json!({ "seq": row.seq, "tick": row.tick, "at": show::time(row.at), "cause": row.cause });
    if let (Some(told), Value::Object(body)) = (told.as_object_mut(), body) {
        told.extend(body);
    }
    told
}

fn as_text(row: &FactRow) -> String {
    let body: Value = serde_json::from_str(&row.body).unwrap_or(Value::Null);
    let fields: Vec<String> = body
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, _)| *key != "type")
        .map(|(key, value)| match value {
            Value::String(s) => format!("{key}={s}"),
            other => format!("{key}={other}"),
        })
        .collect();
    format!("{} turn {:>7}  {:<28} {}", show::time(row.at), row.tick.0, row.name, fields.join(" "))
}
