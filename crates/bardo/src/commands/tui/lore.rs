//! What is known, as a screen shows it; and whose death paid for it.

use crate::home::Place;
use golem_clade::library::{HoldingId, LibraryHolding};
use golem_core::plain::word;
use golem_core::{GolemId, Timestamp};
use golem_grimoire::Entry;
use golem_grimoire::entry::EntryBody;
use golem_home::graves::{self, Grave};
use golem_tui::{BloodMark, GraveStone, LoreEntry};
use golem_view::story::in_words;
use std::collections::BTreeMap;

/// The grave of a golem; none while it lives, or where its file cannot be read.
pub fn grave(place: &Place) -> Option<Grave> {
    let (origin, reader) = graves::opened(place).ok()?;
    graves::grave(place, &origin, &reader).ok()?
}

/// A grave as a screen shows it.
pub fn stone(grave: &Grave, same_market: bool) -> GraveStone {
    GraveStone {
        id: grave.id,
        name: grave.name.to_string(),
        cause: grave.cause_in_words.clone(),
        age_days: grave.age_days,
        died_at: grave.died_at,
        worth: grave.worth_micro_usdc,
        funded: grave.funded_micro_usdc,
        generation: grave.generation,
        last_words: grave.last_words.clone(),
        mood: grave.mood,
        price: grave.price,
        same_market,
    }
}

/// Whose death an entry is tied to.
fn blood(body: &EntryBody, graves: &BTreeMap<GolemId, Grave>) -> Option<BloodMark> {
    let of = body.blood()?;
    Some(match graves.get(&of) {
        Some(grave) => BloodMark { of: grave.name.to_string(), mood: grave.mood },
        None => BloodMark { of: format!("{:.8}", of.to_string()), mood: None },
    })
}

fn told(id: String, body: &EntryBody, confidence: f64, note: String, graves: &BTreeMap<GolemId, Grave>) -> LoreEntry {
    let kind = word(&body.kind).replace('_', " ");
    LoreEntry { id, text: in_words(&body.text), kind, confidence, note, blood: blood(body, graves) }
}

/// Something that a golem believes.
pub fn believed(entry: &Entry, sure: f64, graves: &BTreeMap<GolemId, Grave>) -> LoreEntry {
    let standing = &entry.standing;
    let note = match (standing.validated, standing.contradicted) {
        (0, 0) => String::new(),
        (held, failed) => format!("held {held}, failed {failed}"),
    };
    told(entry.id.to_string(), &entry.body, sure, note, graves)
}

/// Something that the library holds.
pub fn held(id: HoldingId, held: &LibraryHolding, now: Timestamp, graves: &BTreeMap<GolemId, Grave>) -> LoreEntry {
    let marks = [
        (held.is_battle_tested(), "battle-tested"),
        (held.is_disputed(), "disputed"),
        (held.from.is_none(), "a stranger's"),
    ];
    let note: Vec<&str> = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
    told(id.to_string(), held.body(), held.effective(now), note.join(", "), graves)
}
