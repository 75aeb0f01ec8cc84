//! What a newborn gains by what another has learnt: one golem lives in a world, its export is read by newborns on their
//! first day, there and elsewhere, as it was learnt and with every claim turned into its opposite.

use crate::subject::Subject;
use crate::world::{PlaceError, WorldPlace, place_by_law};
use golem_core::{Usdc, plain};
use golem_grimoire::decay::ceiling;
use golem_grimoire::experts::DOMAINS;
use golem_grimoire::grimoire::Foreign;
use golem_grimoire::subject::SIGN_TAG;
use golem_grimoire::{Entry, EntryStatus, Grimoire};
use golem_life::{Ask, Settings};
use golem_mortality::config::Deaths;

/// Life-long skill by domain and final worth of a newborn, and how much of what it was told it has come to believe.
#[derive(Debug, Clone, PartialEq)]
pub struct HeirLife {
    /// In the order of [`DOMAINS`].
    pub skill: [f64; DOMAINS.len()],
    /// In USDC.
    pub worth: f64,
    /// Entries from elsewhere that are active at the end: not on trial any more.
    pub active: usize,
}

/// Everything that somebody believes who lived for some days in a world, as its export has it.
///
/// # Errors
/// When there is no such world.
pub fn export_after(world: &str, law: u64, path: u64, days: f64) -> Result<Vec<Foreign>, PlaceError> {
    let subject = lived(place_by_law(world, law, path)?, path, days, &[]);
    let told = |e: &Entry| Foreign { body: e.body.clone(), standing: e.standing.clone() };
    let shelf = subject.life().grimoire().map(Grimoire::shelf);
    Ok(shelf.into_iter().flat_map(|s| s.in_use()).map(told).collect())
}

/// A newborn's first days in a world, with what it is told on the first of them.
///
/// # Errors
/// When there is no such world.
pub fn heir_in(world: &str, law: u64, path: u64, days: f64, told: &[Foreign]) -> Result<HeirLife, PlaceError> {
    let subject = lived(place_by_law(world, law, path)?, path, days, told);
    let life = subject.life();
    let skill = DOMAINS.map(|d| life.mind().forecasters().tally(d).overall().unwrap_or(0.0));
    let foreign = |e: &&Entry| ceiling(e.body.provenance) < 1.0 && e.standing.status == EntryStatus::Active;
    let active = life.grimoire().map_or(0, |g| g.shelf().entries().filter(foreign).count());
    Ok(HeirLife { skill, worth: life.worth().as_f64(), active })
}

/// The same with every claim turned into its opposite: what is said to be followed by more is said to be followed by less.
#[must_use]
pub fn turned_round(told: &[Foreign]) -> Vec<Foreign> {
    told.iter().cloned().map(turned).collect()
}

fn turned(mut one: Foreign) -> Foreign {
    if let Some(claim) = &mut one.body.claim {
        let (from, to) = if claim.then.contains('>') { ('>', "<") } else { ('<', ">") };
        claim.then = claim.then.replace(from, to);
    }
    for tag in &mut one.body.tags {
        if let Some(sign) = tag.strip_prefix(SIGN_TAG) {
            *tag = format!("{SIGN_TAG}{}", if sign == "rises" { "falls" } else { "rises" });
        }
    }
    if let Some(expects) = &mut one.standing.expects {
        expects.milli = expects.milli.saturating_neg();
    }
    // Another sentence, so that nothing is taken for what is known already.
    one.body.text = format!("Not so: {}", one.body.text);
    one.body.parents.clear();
    one
}

fn lived(place: WorldPlace, seed: u64, days: f64, told: &[Foreign]) -> Subject {
    let mut settings = Settings::default();
    settings.mortality.deaths = Deaths::Recorded;
    let mut subject = Subject::placed(seed, Usdc::whole(10_000), &settings, place)
        .unwrap_or_else(|e| unreachable!("a shipped world has a market: {e}"));
    if !told.is_empty() {
        let lines = told.iter().map(plain::json).collect();
        subject.ask(Ask::Learn { entries: lines });
    }
    while subject.age_days() < days && subject.turn() {}
    subject
}
