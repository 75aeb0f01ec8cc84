//! What is known, as a screen shows it; and whose death paid for it.

use crate::birth::settings_of;
use crate::golem_file::{ChainWord, GolemFile};
use crate::home::Place;
use crate::stored::parse;
use golem_clade::library::{HoldingId, LibraryHolding};
use golem_core::plain::word;
use golem_core::{GolemId, Timestamp};
use golem_grimoire::Entry;
use golem_grimoire::entry::EntryBody;
use golem_life::LifeStanding;
use golem_runtime::Reader;
use golem_tui::{BloodMark, GraveStone, LoreEntry};
use golem_view::cause::cause;
use golem_view::story::in_words;
use std::collections::BTreeMap;

/// A grave, and the market that it lies beside.
#[derive(Debug, Clone)]
pub struct MarketGrave {
    pub stone: GraveStone,
    pub market: String,
}

/// The market of a golem in a word that two golems share if they trade on the same one.
pub fn market(file: &GolemFile) -> String {
    match file.chain.kind {
        ChainWord::Rpc => "a node's".to_owned(),
        ChainWord::Embedded => format!("embedded {}", file.chain.name),
        ChainWord::Paper => format!("{:?} {:?} {}", file.world, file.market, file.chain.scenario),
    }
}

/// The grave of a golem; none while it lives, or where its file cannot be read.
pub fn grave(place: &Place) -> Option<MarketGrave> {
    let reader = Reader::open(&place.dir).ok()?;
    let row = reader.status().ok()??;
    if row.standing != LifeStanding::Dead {
        return None;
    }
    let (status, origin) = (parse(&row.body).ok()?, reader.origin().ok()?);
    let death = status.death.clone()?;
    let (birth, worth) = (&origin.birth, status.worth());
    let left = golem_home::testament::for_anybody(&place.dir);
    let stone = GraveStone {
        id: place.id,
        name: birth.name.to_string(),
        cause: cause(&death.cause),
        age_days: death.age.age().as_days(),
        died_at: birth.born_at.after(death.age.age()),
        worth,
        funded: status.funded,
        generation: birth.generation,
        last_words: left.map(|left| left.last_words.text().to_owned()),
        mood: status.affect.map(|affect| affect.mood_pad),
        price: status.price,
        same_market: false,
    };
    let market = settings_of(&origin).map_or(String::new(), |file| market(&file));
    Some(MarketGrave { stone, market })
}

/// Whose death an entry is tied to.
fn blood(body: &EntryBody, graves: &BTreeMap<GolemId, MarketGrave>) -> Option<BloodMark> {
    if !body.is_bloodstain {
        return None;
    }
    let of = body.origin.golem;
    Some(match graves.get(&of) {
        Some(grave) => BloodMark { of: grave.stone.name.clone(), mood: grave.stone.mood },
        None => BloodMark { of: format!("{:.8}", of.to_string()), mood: None },
    })
}

fn told(
    id: String,
    body: &EntryBody,
    confidence: f64,
    note: String,
    graves: &BTreeMap<GolemId, MarketGrave>,
) -> LoreEntry {
    let kind = word(&body.kind).replace('_', " ");
    LoreEntry { id, text: in_words(&body.text), kind, confidence, note, blood: blood(body, graves) }
}

/// Something that a golem believes.
pub fn believed(entry: &Entry, sure: f64, graves: &BTreeMap<GolemId, MarketGrave>) -> LoreEntry {
    let standing = &entry.standing;
    let note = match (standing.validated, standing.contradicted) {
        (0, 0) => String::new(),
        (held, failed) => format!("held {held}, failed {failed}"),
    };
    told(entry.id.to_string(), &entry.body, sure, note, graves)
}

/// Something that the library holds.
pub fn held(
    id: HoldingId,
    held: &LibraryHolding,
    now: Timestamp,
    graves: &BTreeMap<GolemId, MarketGrave>,
) -> LoreEntry {
    let marks = [
        (held.is_battle_tested(), "battle-tested"),
        (held.is_disputed(), "disputed"),
        (held.from.is_none(), "a stranger's"),
    ];
    let note: Vec<&str> = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
    told(id.to_string(), held.body(), held.effective(now), note.join(", "), graves)
}
