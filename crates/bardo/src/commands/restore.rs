//! `bardo golem restore ID`: bring the file back from an insurance snapshot, and its embedded chain with it.

mod anew;
mod lost;

use crate::cli::Restore;
use crate::fail::Fail;
use crate::home::{Home, Place};
use crate::out::{Out, as_value};
use crate::show;
use golem_core::Tick;
use golem_runtime::{Error, Manifest, Reader, Sorted, list_snapshots, list_snapshots_aside};
use golem_runtime::{restore_snapshot, verify_snapshots};
use serde_json::json;
use std::path::PathBuf;

/// Dead is final, whether there are snapshots or not. A file that cannot be read is left to the runtime to judge.
fn refuse_the_dead(place: &Place) -> Result<(), Fail> {
    let Ok(Some(row)) = Reader::open(&place.dir).and_then(|reader| reader.status()) else { return Ok(()) };
    if row.standing.is_final() {
        return Err(golem_runtime::Error::Dead { path: place.dir.clone(), tick: row.tick }.into());
    }
    Ok(())
}

/// List snapshots, or restore one. What was there before is moved aside, never deleted.
pub fn run(args: &Restore, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(&args.id)?;
    if args.chain {
        return chain(&place, home, out);
    }
    let all = list_snapshots(&place.dir)?;
    if args.list {
        return list(&place, &all, out);
    }
    refuse_the_dead(&place)?;
    let before = lost::Before::look(&place.dir);
    // Before anything is moved: a chain that others live on does not go back.
    anew::may_be_made(&place, home)?;
    let unreadable = verify_snapshots(&place.dir)?;
    // One of a life that was left is taken only by its name.
    let left = list_snapshots_aside(&place.dir)?;
    let asked = |from: &[(PathBuf, Manifest)]| args.snapshot.filter(|tick| from.iter().any(|(_, m)| m.tick.0 == *tick));
    let from = if asked(&all).is_none() && asked(&left).is_some() { &left } else { &all };
    let (manifest, sorted, mut skipped) = bring_back(&place, from, args.snapshot)?;
    skipped.extend(unreadable);
    let lost = before.lost(&place.dir, manifest.tick)?;
    let made = anew::make(&place, home, out)?;
    let told = json!({
        "id": place.id, "tick": manifest.tick, "lost": lost, "skipped": skipped,
        "set_aside": sorted.aside, "taken_back": sorted.back,
        "chain": made.as_ref().map(|made| json!({ "turns": made.turns, "effects": made.effects })),
    });
    out.result(&told, || {
        let with = if made.is_some() { ", and its chain with it" } else { "" };
        let (name, tick) = (&place.name, manifest.tick);
        let mut lines = vec![format!("{name} is back at turn {tick}{with}; what was there has been moved aside")];
        lines.extend(lost.words());
        lines.extend(skipped.iter().map(|why| format!("left out, since it is damaged: {why}")));
        lines.extend(sorted_words(&place, &sorted));
        lines.join("\n")
    })
}

fn list(place: &Place, all: &[(PathBuf, Manifest)], out: &Out) -> Result<(), Fail> {
    let left = list_snapshots_aside(&place.dir)?;
    let rows = golem_home::insured::snapshots(place)?;
    let wrong = verify_snapshots(&place.dir)?;
    out.result(&as_value(&rows)?, || {
        let mut lines: Vec<String> =
            all.iter().map(|(_, m)| format!("turn {:>9}  {}", m.tick, show::time(m.at))).collect();
        if lines.is_empty() {
            lines.push(format!("{} has no snapshots that can be read", place.name));
        }
        let left =
            left.iter().map(|(_, m)| format!("turn {:>9}  {}  of a life that was left", m.tick, show::time(m.at)));
        lines.extend(left);
        lines.extend(wrong);
        lines.join("\n")
    })
}

/// Restore the snapshot that was asked for, or the newest that is whole; what had to be left out, in words.
fn bring_back<'a>(
    place: &Place,
    all: &'a [(PathBuf, Manifest)],
    asked: Option<u64>,
) -> Result<(&'a Manifest, Sorted, Vec<String>), Fail> {
    let mut newest_first: Vec<_> = all.iter().filter(|(_, m)| asked.is_none_or(|tick| m.tick.0 == tick)).collect();
    // Of several of one turn, the one that was set aside last.
    newest_first.reverse();
    newest_first.sort_by_key(|(_, m)| std::cmp::Reverse(m.tick));
    let mut skipped = Vec::new();
    for (path, manifest) in newest_first {
        match restore_snapshot(&place.dir, path, crate::clock::clock().now()) {
            Ok(restored) => return Ok((manifest, restored.snapshots, skipped)),
            // A rotten one stands in the way of no other.
            Err(e @ Error::Damaged { .. }) => skipped.push(format!("turn {}: {e}", manifest.tick)),
            Err(other) => return Err(other.into()),
        }
    }
    let hint = format!("see them: bardo golem restore {} --list", place.name);
    match skipped.is_empty() {
        true => Err(Fail::hint("there is no such snapshot", hint)),
        false => Err(Fail::hint(format!("no snapshot is whole: {}", skipped.join("; ")), hint)),
    }
}

/// Make the chain anew, and nothing else.
fn chain(place: &Place, home: &Home, out: &Out) -> Result<(), Fail> {
    anew::may_be_made(place, home)?;
    let made = anew::make(place, home, out)?
        .ok_or_else(|| Fail::hint(format!("{} lives on no embedded chain", place.name), "leave --chain out"))?;
    let told = json!({ "id": place.id, "turns": made.turns, "effects": made.effects });
    out.result(&told, || {
        format!(
            "the chain of {} was made anew from its own record: {} turns, {} effects, nothing is lost; \
             what was there has been moved aside",
            place.name, made.turns, made.effects
        )
    })
}

/// What became of the other snapshots.
fn sorted_words(place: &Place, sorted: &Sorted) -> Vec<String> {
    let turns = |ticks: &[Tick]| ticks.iter().map(Tick::to_string).collect::<Vec<_>>().join(", ");
    let mut lines = Vec::new();
    if !sorted.back.is_empty() {
        lines.push(format!("the snapshots of turns {} belong to it again", turns(&sorted.back)));
    }
    if let Some(last) = sorted.aside.last() {
        lines.push(format!(
            "the snapshots of turns {} belong to the life that was left, and are set aside; \
             go there after all: bardo golem restore {} --snapshot {last}",
            turns(&sorted.aside),
            place.name
        ));
    }
    lines
}
