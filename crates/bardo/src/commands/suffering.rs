//! `bardo suffering show|history|import ID`: what weighs on a golem, what has, and what another system's agent brings along.

use crate::chart::bar;
use crate::cli::SufferingCommand;
use crate::commands::orders;
use crate::fail::Fail;
use crate::home::Home;
use crate::lines::folded;
use crate::out::Out;
use golem_core::VirtualTime;
use golem_daimon::affect::MoodWord;
use golem_daimon::suffering::{import, pieces};
use golem_home::pain;
use golem_life::{Ask, Status};
use golem_runtime::MAX_TEXT_BYTES;
use serde_json::{Value, json};
use std::path::Path;

/// Run one.
pub fn run(command: &SufferingCommand, home: &Home, out: &Out) -> Result<(), Fail> {
    match command {
        SufferingCommand::Show { id } => show(id, home, out),
        SufferingCommand::History { id, last } => history(id, *last, home, out),
        SufferingCommand::Import { id, file, dry_run } => take_over(id, file, *dry_run, home, out),
    }
}

fn show(id: &str, home: &Home, out: &Out) -> Result<(), Fail> {
    let (read, burden) = pain::read(&home.golem(id)?)?;
    // By way of a value, whose keys stand in one order.
    let told = serde_json::to_value(&burden).map_err(|e| Fail::Bug(e.to_string()))?;
    out.result(&told, || lines(&read).join("\n"))
}

/// Load, stressors and what is locked, for people; nothing where suffering is off.
pub fn lines(s: &Status) -> Vec<String> {
    let Some(suffering) = &s.suffering else { return Vec::new() };
    let mut lines = vec![format!(
        "  suffering  {} {:.2}   band {}, raw sum {:.2}{}",
        bar(suffering.load),
        suffering.load,
        suffering.band.name(),
        suffering.raw,
        if suffering.respites > 0 { format!(", {} respites", suffering.respites) } else { String::new() }
    )];
    for stressor in &suffering.stressors {
        let word = if stressor.unverifiable { " (its own word: nothing can check it)" } else { "" };
        let what = format!("{} {:.2}  {}{word}", stressor.name, stressor.severity, stressor.evidence);
        lines.extend(folded(&format!("             {what}")).lines().map(ToOwned::to_owned));
        let mut more = |words: String| {
            lines.extend(folded(&format!("               {words}")).lines().map(ToOwned::to_owned));
        };
        more(format!("will ease when: {}", stressor.eases_when));
        if let Some(remedy) = stressor.remedy(s.name.as_str()) {
            more(format!("what you can do: {remedy}"));
        }
    }
    for (n, locked) in golem_view::locked::locked(s).into_iter().enumerate() {
        let line = format!("  {:<10} {locked}", if n == 0 { "locked" } else { "-" });
        lines.extend(folded(&line).lines().map(ToOwned::to_owned));
    }
    if let Some(affect) = &s.affect {
        lines.extend(folded(&format!("  feels      {affect}")).lines().map(ToOwned::to_owned));
        let born = affect.temperament.map(|t| format!("  by nature  {} ({t}), drawn at birth", MoodWord::of(t).name()));
        lines.extend(born);
    }
    lines
}

fn history(id: &str, last: u32, home: &Home, out: &Out) -> Result<(), Fail> {
    let rows = pain::history(&home.golem(id)?, last as usize)?;
    out.result(&rows, || {
        if rows.is_empty() {
            return "nothing has ended yet".to_owned();
        }
        rows.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

fn line(fact: &Value) -> String {
    let (text, number) = (|k: &str| fact[k].as_str().unwrap_or("-"), |k: &str| fact[k].as_f64().unwrap_or(0.0));
    let days = |k: &str| number(k) / 86_400_000.0;
    // Only a respite has a load before and after it.
    if fact.get("before").is_some() {
        return format!("turn {:<8} respite: load {:.2} -> {:.2}", fact["tick"], number("before"), number("after"));
    }
    format!(
        "day {:>6.1} to {:>6.1}  {:<20} {:<9} peak {:.2}  {}: {}",
        days("onset"),
        days("ended"),
        text("stressor"),
        text("ledger"),
        number("peak"),
        text("ending"),
        text("note")
    )
}

fn take_over(id: &str, file: &Path, dry_run: bool, home: &Home, out: &Out) -> Result<(), Fail> {
    let text = std::fs::read_to_string(file)
        .map_err(|e| Fail::hint(format!("cannot read {}: {e}", file.display()), "give a suffering.json"))?;
    let found = import(&text, VirtualTime(0)).map_err(|e| Fail::owner(format!("{}: {e}", file.display())))?;
    let remarks: Vec<String> = found.lint.iter().map(ToString::to_string).collect();
    let told = json!({ "active": found.active().count(), "history": found.history.len(), "lint": remarks });
    if dry_run {
        return out.result(&told, || {
            let head = format!("{} active, {} of the past", found.active().count(), found.history.len());
            std::iter::once(head).chain(remarks.iter().cloned()).collect::<Vec<_>>().join("\n")
        });
    }
    remarks.iter().for_each(|remark| out.say(remark));
    let pieces = pieces(&text, MAX_TEXT_BYTES).map_err(|e| Fail::owner(format!("{}: {e}", file.display())))?;
    let place = home.golem(id)?;
    orders::alive(&place)?;
    let asks: Vec<Ask> = pieces.into_iter().map(|text| Ask::Suffer { text }).collect();
    let sent = orders::send_all(&place, &asks)?;
    let told = json!({
        "active": found.active().count(), "history": found.history.len(), "lint": remarks,
        "orders": sent.orders, "replies": sent.replies, "waiting": sent.waiting(), "running": sent.running,
    });
    out.result(&told, || {
        let head =
            format!("{} active and {} of the past sent to {}", found.active().count(), found.history.len(), place.name);
        std::iter::once(head).chain(sent.lines()).collect::<Vec<_>>().join("\n")
    })
}
