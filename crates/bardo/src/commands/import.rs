//! `bardo grimoire import ID PATH`: entries from outside go to the golem as orders, a few at a time; its admission gate
//! decides, in its own turn, what it believes of them.

use super::orders::{PATIENCE, alive, is_running, put};
use crate::cli::GrimoireImport;
use crate::export::{self, Checked};
use crate::fail::Fail;
use crate::home::{Home, Place};
use crate::out::Out;
use golem_life::Ask;
use golem_runtime::{MAX_TEXT_BYTES, wait_reply};
use serde_json::json;
use std::time::{Duration, Instant};

/// Entries in one order, at most.
const AT_ONCE: usize = 16;
/// Lines that were left and are shown one by one; JSON has them all.
const SHOWN: usize = 20;

/// Run it.
pub fn run(args: &GrimoireImport, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(&args.id)?;
    alive(&place)?;
    let source = export::from_path(&args.path)?;
    let checked = export::check(&source);
    let Checked { entries, skipped, others } = &checked;
    if entries.is_empty() {
        let why: Vec<_> = skipped.iter().take(3).map(|s| format!("{} {}: {}", source.unit, s.line, s.why)).collect();
        let why = if why.is_empty() { "there is no entry in it".to_owned() } else { why.join("; ") };
        let what = format!("nothing in {} can be sent: {why}", args.path.display());
        return Err(Fail::hint(what, "give what bardo grimoire export has written"));
    }
    let sent = if args.dry_run { Sent::default() } else { send(&place, entries)? };
    let told = json!({
        "entries": entries.len(), "sent": sent.entries, "skipped": skipped, "others": others, "dry_run": args.dry_run,
        "orders": sent.orders, "replies": sent.replies, "waiting": sent.orders.len() - sent.replies.len(),
        "running": sent.running,
    });
    out.result(&told, || {
        let mut lines = vec![match args.dry_run {
            true => format!("{} entries could be sent; nothing was", entries.len()),
            false => format!("{} entries sent to {} in {} orders", sent.entries, place.name, sent.orders.len()),
        }];
        lines.extend(sent.replies.iter().cloned());
        if sent.orders.len() > sent.replies.len() {
            let when = if sent.running { "at its next turns" } else { "when it runs" };
            lines.push(format!("{} orders wait: taken {when}", sent.orders.len() - sent.replies.len()));
        }
        lines.extend(skipped.iter().take(SHOWN).map(|s| format!("{} {} skipped: {}", source.unit, s.line, s.why)));
        if skipped.len() > SHOWN {
            lines.push(format!("and {} more skipped; see --json", skipped.len() - SHOWN));
        }
        lines.join("\n")
    })
}

/// What went out, and what came back.
#[derive(Default)]
struct Sent {
    entries: usize,
    orders: Vec<u64>,
    replies: Vec<String>,
    running: bool,
}

fn send(place: &Place, entries: &[String]) -> Result<Sent, Fail> {
    let mut sent = Sent::default();
    for some in orders(entries) {
        let put = put(place, &Ask::Learn { entries: some.to_vec() }).map_err(|fail| match fail {
            // The golem knows again what it knows: sending all of it once more does no harm.
            Fail::Owner(what, hint) if sent.entries > 0 => {
                Fail::Owner(format!("{what}; {} of {} entries were sent", sent.entries, entries.len()), hint)
            }
            other => other,
        })?;
        sent.orders.push(put);
        sent.entries += some.len();
    }
    sent.running = is_running(place)?;
    let until = Instant::now() + if sent.running { PATIENCE } else { Duration::ZERO };
    for order in &sent.orders {
        let patience = until.saturating_duration_since(Instant::now());
        sent.replies.extend(wait_reply(&place.dir, *order, patience)?.map(|reply| reply.text));
    }
    Ok(sent)
}

/// Entries in the order they came, in as few orders as their number and length allow.
fn orders(entries: &[String]) -> Vec<&[String]> {
    let (mut all, mut from, mut bytes) = (Vec::new(), 0, 0);
    for (i, entry) in entries.iter().enumerate() {
        if i > from && (i - from == AT_ONCE || bytes + entry.len() > MAX_TEXT_BYTES) {
            all.push(&entries[from..i]);
            (from, bytes) = (i, 0);
        }
        bytes += entry.len();
    }
    if from < entries.len() {
        all.push(&entries[from..]);
    }
    all
}
