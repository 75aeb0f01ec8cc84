//! `bardo golem logs ID`: what happened, in sentences; with `--json` fact by fact as it is recorded.

use crate::cli::Logs;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::screen::dated;
use crate::show;
use golem_core::{Seq, Timestamp};
use golem_life::{Fact, LifeStanding};
use golem_runtime::{FactRow, Reader};
use golem_view::time::since;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

/// What is asked for: kinds by the beginning of their names, and since when.
struct Wanted {
    kinds: Vec<String>,
    since: Option<Timestamp>,
}

impl Wanted {
    fn takes(&self, row: &FactRow) -> bool {
        let kind = self.kinds.is_empty() || self.kinds.iter().any(|k| row.name.starts_with(k.as_str()));
        kind && self.since.is_none_or(|since| row.at >= since)
    }
    fn is_everything(&self) -> bool {
        self.kinds.is_empty() && self.since.is_none()
    }
}

/// The last facts, and with `--watch` the next ones too.
pub fn run(args: &Logs, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(&args.id)?;
    let kinds = args.only.as_deref().map_or(Ok(Vec::new()), kinds)?;
    let reader = Reader::open(&place.dir)?;
    let wanted = Wanted { kinds, since: moment(&reader, args.since.as_deref())? };
    let mut rows = last(&reader, args.last, &wanted)?;
    drop(reader);
    let mut after = None;
    loop {
        for row in rows.iter().filter(|r| wanted.takes(r)) {
            out.line(&if out.json { as_json(row).to_string() } else { as_text(row) })?;
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

/// A moment as the owner named it; a span counts back from the golem's own now.
pub fn moment(reader: &Reader, word: Option<&str>) -> Result<Option<Timestamp>, Fail> {
    let Some(word) = word else { return Ok(None) };
    let now = match reader.status()? {
        Some(status) => status.at,
        None => reader.origin()?.birth.born_at,
    };
    since(word, now).map(Some).map_err(|bad| Fail::hint(bad, "a span counts back from the golem's own time"))
}

/// Kinds by the beginning of their names, each of which there is.
fn kinds(words: &str) -> Result<Vec<String>, Fail> {
    let asked: Vec<&str> = words.split(',').map(str::trim).filter(|w| !w.is_empty()).collect();
    for word in &asked {
        if !Fact::names().any(|name| name.starts_with(word)) {
            return Err(Fail::hint(format!("there are no facts that begin with {word:?}"), nearest(word)));
        }
    }
    Ok(asked.into_iter().map(str::to_owned).collect())
}

/// The kind that was probably meant, or what kinds there are.
fn nearest(word: &str) -> String {
    let rooms: BTreeSet<&str> = Fact::names().filter_map(|name| name.split('.').next()).collect();
    let near = |name: &&str| strsim::jaro_winkler(name, word);
    let names = Fact::names().chain(rooms.iter().copied());
    let best = names.map(|name| (name, near(&name))).max_by(|a, b| a.1.total_cmp(&b.1));
    let all = rooms.into_iter().collect::<Vec<_>>().join(", ");
    match best.filter(|(_, likeness)| *likeness > 0.8) {
        Some((name, _)) => format!("did you mean {name}? They begin with {all}"),
        None => format!("they begin with {all}"),
    }
}

/// The last so many facts of what was asked for.
fn last(reader: &Reader, at_most: u32, wanted: &Wanted) -> Result<Vec<FactRow>, Fail> {
    if wanted.is_everything() {
        return Ok(reader.last_facts(None, at_most)?);
    }
    let (mut kept, mut after): (Vec<FactRow>, Option<Seq>) = (Vec::new(), None);
    loop {
        let page = reader.facts(after, None, 1_000)?;
        let Some(end) = page.last() else { return Ok(kept) };
        after = Some(end.seq);
        kept.extend(page.into_iter().filter(|row| wanted.takes(row)));
        let surplus = kept.len().saturating_sub(at_most as usize);
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

/// The fact in a sentence, in lines that fit.
fn as_text(row: &FactRow) -> String {
    let words = match golem_view::fact::read(&row.name, row.tick, &row.body) {
        Ok(fact) => golem_view::fact::words(&fact),
        Err(_) => None,
    };
    let words = words.unwrap_or_else(|| format!("{}, in a form that is told by --json only", row.name));
    dated(row.at, &words).join("\n")
}
