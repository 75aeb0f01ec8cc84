//! `bardo grimoire import ID PATH`: entries from outside go to the golem as orders, a few at a time; its admission gate
//! decides, in its own turn, what it believes of them.

use super::orders::{Sent, alive, send_all};
use crate::cli::GrimoireImport;
use crate::export::{self, Checked};
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use golem_life::Ask;
use golem_runtime::MAX_TEXT_BYTES;
use serde_json::json;

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
    // The golem knows again what it knows: sending all of it once more does no harm.
    let asks: Vec<Ask> = orders(entries).into_iter().map(|some| Ask::Learn { entries: some.to_vec() }).collect();
    let sent = if args.dry_run { Sent::default() } else { send_all(&place, &asks)? };
    let count = if args.dry_run { 0 } else { entries.len() };
    let told = json!({
        "entries": entries.len(), "sent": count, "skipped": skipped, "others": others, "dry_run": args.dry_run,
        "orders": sent.orders, "replies": sent.replies, "waiting": sent.waiting(),
        "running": sent.running,
    });
    out.result(&told, || {
        let mut lines = vec![match args.dry_run {
            true => format!("{} entries could be sent; nothing was", entries.len()),
            false => format!("{} entries sent to {} in {} orders", count, place.name, sent.orders.len()),
        }];
        lines.extend(sent.lines());
        lines.extend(skipped.iter().take(SHOWN).map(|s| format!("{} {} skipped: {}", source.unit, s.line, s.why)));
        if skipped.len() > SHOWN {
            lines.push(format!("and {} more skipped; see --json", skipped.len() - SHOWN));
        }
        lines.join("\n")
    })
}

/// Entries in the order they came, in as few orders as their number and length allow.
pub(super) fn orders(entries: &[String]) -> Vec<&[String]> {
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
