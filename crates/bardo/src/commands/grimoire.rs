//! `bardo grimoire search|show|why|stats|export|import ID`: looking into what a golem knows, now or as of an earlier turn.

use crate::cli::{GrimoireCommand, GrimoireExport};
use crate::export::{self, ExportedMemory, Format, NamedRow};
use crate::fail::Fail;
use crate::home::Home;
use crate::lines::folded;
use crate::out::{Out, as_value};
use golem_core::plain::word;
use golem_core::{GolemId, Tick};
use golem_grimoire::Remembered;
use golem_grimoire::change::NamedTable;
use golem_grimoire::grimoire::{STRANGER, WorthByTwin};
use golem_home::knowledge::ReadMemory;
use golem_home::lore::{self, EntryPage, LastRecall, LoreStats};
use golem_runtime::memory::{Detail, Named};
use golem_view::story::in_words;
use golem_view::wrap::counted;
use serde_json::json;
use std::io::BufWriter;

/// Run one.
pub fn run(command: GrimoireCommand, home: &Home, out: &Out) -> Result<(), Fail> {
    match command {
        GrimoireCommand::Search(args) => super::search::run(&args, home, out),
        GrimoireCommand::Show { id, entry } => show(&id, &entry, home, out),
        GrimoireCommand::Why { id, turn } => why(&id, turn, home, out),
        GrimoireCommand::Stats { id } => stats(&id, home, out),
        GrimoireCommand::Export(args) => export(&args, home, out),
        GrimoireCommand::Import(args) => super::import::run(&args, home, out),
    }
}

/// Everything, for others to read.
fn holdings(memory: ReadMemory) -> Result<ExportedMemory, Fail> {
    let Remembered { episodes, entries, rows, vectors, .. } = memory.all;
    let mut rows: Vec<NamedRow> =
        rows.into_iter().map(|(table, key, body)| NamedRow { table, key, tick: None, body }).collect();
    for table in NamedTable::FOR_PEOPLE {
        let named = memory.reader.memory().named(table, Some(memory.tick), u32::MAX)?.into_iter().rev();
        rows.extend(named.map(|Named { key, tick, body }| NamedRow { table, key, tick: Some(tick), body }));
    }
    let mut holdings = ExportedMemory { episodes, entries, rows };
    holdings.take_vectors(vectors);
    Ok(holdings)
}

fn show(id: &str, entry: &str, home: &Home, out: &Out) -> Result<(), Fail> {
    let memory = lore::memory(&home.golem(id)?)?;
    let entry = memory.entry(entry)?;
    out.result(&as_value(&EntryPage::of(entry, &memory))?, || {
        let (body, standing) = (&entry.body, &entry.standing);
        let mut lines = vec![
            format!("{} ({})", body.text, word(&body.kind)),
            format!("  id          {}", entry.id),
            format!(
                "  confidence  {:.2} stored, {:.2} now, quality {:.2}",
                f64::from(standing.confidence_bp) / 1e4,
                entry.effective(memory.now),
                standing.quality
            ),
            format!(
                "  evidence    {} validated, {} contradicted, used {} times, retrieved {} times",
                standing.validated, standing.contradicted, standing.uses, standing.retrievals
            ),
            format!("  from        {}, learnt on day {:.1}", word(&body.provenance), body.learnt_at.age().as_days()),
        ];
        if let Some(claim) = &body.claim {
            lines.push(format!(
                "  claims      when {} then {} after {} ticks",
                claim.when, claim.then, claim.after_ticks
            ));
        }
        lines.extend(memory.learnt_by_another(entry).map(|golem| format!("  learnt by   {}", learner(golem, home))));
        lines.extend(memory.worth(entry.id).map(|worth| format!("  earned      {}", earned(&worth))));
        lines.extend(memory.passage(entry.id).map(|said| format!("  testament   {}", in_words(said))));
        lines.extend(lore::waiting(entry, &memory).map(|what| format!("  {what}")));
        folded(&lines.join("\n"))
    })
}

fn why(id: &str, turn: Option<u64>, home: &Home, out: &Out) -> Result<(), Fail> {
    let memory = ReadMemory::open(&home.golem(id)?, turn, Detail::Learnt)?;
    let last = lore::recalled(&memory)?;
    let (told, LastRecall { tick: Tick(tick), recall: found, .. }) = (as_value(&last)?, &last);
    let text = |id| memory.all.entries.iter().find(|(e, _)| e.id == id).map_or("(forgotten)", |(e, _)| &e.body.text);
    out.result(&told, || {
        let mut lines = vec![format!("recalled in turn {tick}: {} entries, {} tokens", found.hits.len(), found.tokens)];
        for hit in &found.hits {
            lines.push(format!("{:.3}  {}", hit.score, text(hit.id)));
            lines.extend(hit.why.to_string().lines().map(|line| format!("       {line}")));
            if let Some(of) = last.of_others.iter().find(|of| of.entry == hit.id) {
                let earned = of.worth.map_or_else(String::new, |worth| format!("; {}", earned(&worth)));
                lines.push(format!("       learnt by {}{earned}", learner(of.learnt_by, home)));
            }
        }
        folded(&lines.join("\n"))
    })
}

/// Who learnt something first, by name where its file is in this home.
fn learner(golem: GolemId, home: &Home) -> String {
    match home.place_of(golem) {
        _ if golem == STRANGER.golem => "a stranger".to_owned(),
        Some(place) => place.name.to_string(),
        None => golem.to_string(),
    }
}

/// What acting by something was worth, in words.
fn earned(worth: &WorthByTwin) -> String {
    format!("{:+.1} bp beyond acting without it, over {}", worth.bps, counted(worth.trials as usize, "trial"))
}

fn stats(id: &str, home: &Home, out: &Out) -> Result<(), Fail> {
    let found = lore::stats(&home.golem(id)?)?;
    out.result(&as_value(&found)?, || {
        let LoreStats { active, candidates, archived, burnt, junk_share, episodes, .. } = found;
        folded(&format!(
            "{active} active, {candidates} on trial, {archived} archived, {burnt} burnt; {:.1} % of what is active is junk; {episodes} episodes",
            junk_share * 100.0
        ))
    })
}

fn export(args: &GrimoireExport, home: &Home, out: &Out) -> Result<(), Fail> {
    if args.out.is_none() && args.format != Format::Jsonl {
        return Err(Fail::hint("this format is a directory of tables", "say where: --out DIR"));
    }
    let memory = ReadMemory::open(&home.golem(&args.id)?, args.as_of, Detail::All)?;
    let holdings = holdings(memory)?;
    let Some(path) = &args.out else {
        return export::to_lines(&holdings, &mut BufWriter::new(std::io::stdout().lock()));
    };
    export::to_path(&holdings, args.format, path)?;
    let (episodes, entries, rows) = (holdings.episodes.len(), holdings.entries.len(), holdings.rows.len());
    let told =
        json!({ "path": path, "format": word(&args.format), "episodes": episodes, "entries": entries, "rows": rows });
    out.result(&told, || {
        format!("{episodes} episodes, {entries} entries and {rows} other rows are in {}", path.display())
    })
}
