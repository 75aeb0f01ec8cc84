//! All that a page tells of a life, read from its file.

use crate::dreams;
use crate::fail::Fail;
use crate::forecasts::{self, Foretold};
use crate::home::Place;
use crate::retell::{self, Retold};
use crate::{rules, stored, testament, trades};
use golem_core::{GolemId, Tick, Timestamp, Usdc};
use golem_daimon::suffering::SufferingFact;
use golem_dreams::journal::DreamJournalEntry;
use golem_grimoire::playbook::{RuleId, RuleWords};
use golem_grimoire::staging::Proposal;
use golem_grimoire::testament::Testament;
use golem_life::{Fact, LifeFact, LifePoint, LifeStanding, Status};
use golem_mortality::economic::Purpose;
use golem_runtime::Reader;
use golem_runtime::memory::Detail;
use golem_view::lessons::{LifeLessons, RuleWorth, found_out};
use golem_view::story::{Instead, Told};
use golem_view::trade::Trade;
use std::collections::BTreeMap;

/// Predictions that are read; a chart shows no more of them.
const PREDICTIONS: usize = 600;
/// Dreams that are told.
const DREAMS: u32 = 30;
/// Things that weighed on it, of each kind.
const SUFFERED: u32 = 8;

/// A life, as far as a page tells it.
pub(super) struct LifeReading {
    pub status: Status,
    pub born_at: Timestamp,
    pub turns: u64,
    pub hash: String,
    pub unread: u64,
    pub way: String,
    pub told: Told,
    pub instead: Option<Instead>,
    pub funding: Usdc,
    pub points: Vec<(Timestamp, LifePoint)>,
    pub trades: Vec<Trade>,
    /// What was paid for other things than rent, and what its owner gave, each with its turn.
    pub paid: Vec<(Tick, Usdc)>,
    pub fed: Vec<(Tick, Usdc)>,
    /// What its owner took home while it lived, each with its turn.
    pub taken: Vec<(Tick, Usdc)>,
    pub foretold: Foretold,
    pub dreams: Vec<DreamJournalEntry>,
    pub staged: Vec<Proposal>,
    /// What it learnt, and what that was worth.
    pub lessons: LifeLessons,
    /// When, and what weighed on it.
    pub suffered: Vec<(Timestamp, String)>,
    /// What it left, where anybody may read it.
    pub testament: Option<Testament>,
}

impl LifeReading {
    pub(super) fn of(place: &Place) -> Result<Self, Fail> {
        let reader = Reader::open(&place.dir)?;
        let (tick, hash) = reader.tip()?;
        let birth = reader.origin()?.birth;
        let Retold { status, born_at, told, way, instead, unread, .. } = retell::read(&place.dir)?;
        let acts = Acts::of(&reader, birth.id)?;
        let lessons = learnt(place, &reader, &told, acts.lessons)?;
        Ok(Self {
            status,
            born_at,
            turns: tick.0,
            hash: hash.to_string(),
            unread,
            way,
            told,
            instead,
            funding: birth.funding,
            points: stored::points(&reader)?,
            trades: trades::read(&reader)?.all().to_vec(),
            paid: acts.paid,
            fed: acts.fed,
            taken: acts.taken,
            foretold: forecasts::read(place, None, None, PREDICTIONS)?,
            dreams: dreams::latest(place, None, DREAMS)?.into_iter().map(|dreamt| dreamt.entry).collect(),
            staged: dreams::staging(place, None)?,
            lessons,
            suffered: suffered(&reader, birth.id)?,
            testament: testament::for_anybody(&place.dir),
        })
    }

    /// Whether its death is final: one that is dying has a death on record too.
    pub(super) fn is_dead(&self) -> bool {
        self.status.standing == LifeStanding::Dead
    }

    /// How old it is, or became: turns of dying are no part of a life's length.
    pub(super) fn age_days(&self) -> f64 {
        self.status.death.as_ref().map_or(self.status.age_days, |death| death.age.age().as_days())
    }

    /// When it died, or was looked at last.
    pub(super) fn ended_at(&self) -> Timestamp {
        self.status.death.as_ref().map_or(self.status.at, |death| self.born_at.after(death.age.age()))
    }
}

/// What of its acts and its money no story keeps.
#[derive(Default)]
struct Acts {
    paid: Vec<(Tick, Usdc)>,
    fed: Vec<(Tick, Usdc)>,
    taken: Vec<(Tick, Usdc)>,
    lessons: LifeLessons,
}

impl Acts {
    fn of(reader: &Reader, golem: GolemId) -> Result<Self, Fail> {
        let mut all = Self::default();
        for name in ["Paid", "Fed", "Withdrawn", "Outcome"].map(LifeFact::named) {
            retell::facts(reader, golem, Some(name), |fact| all.see(fact.tick, &fact.body))?;
        }
        Ok(all)
    }

    fn see(&mut self, tick: Tick, fact: &Fact) {
        match fact {
            Fact::Life(LifeFact::Paid { purpose, amount }) if !is_rent(*purpose) => self.paid.push((tick, *amount)),
            Fact::Life(LifeFact::Fed { amount }) => self.fed.push((tick, *amount)),
            Fact::Life(LifeFact::Withdrawn { sent, .. }) => self.taken.push((tick, *sent)),
            body => self.lessons.see(tick, body),
        }
    }
}

/// What living costs whatever one does.
fn is_rent(purpose: Purpose) -> bool {
    matches!(purpose, Purpose::Compute | Purpose::Data | Purpose::Snapshot)
}

fn rules_at(place: &Place, turn: Option<Tick>) -> Result<Vec<RuleWords>, Fail> {
    Ok(rules::playbook(place, turn)?.playbook().rules().map(|rule| rule.words().clone()).collect())
}

/// All that it learnt: what its acts came to is known already.
fn learnt(place: &Place, reader: &Reader, told: &Told, acts: LifeLessons) -> Result<LifeLessons, Fail> {
    let born_at = reader.origin()?.birth.born_at;
    let rules = rules_at(place, None)?;
    let former = former(place, &rules, &acts.by_rule)?;
    let all = reader.memory().remembered(None, Detail::Learnt)?;
    let known = found_out(all.entries.iter().map(|(entry, _)| entry), born_at);
    let (guesses_kept, guesses_dropped) = (told.guesses_kept, told.guesses_dropped);
    Ok(LifeLessons { guesses_kept, guesses_dropped, rules, former, known, ..acts })
}

/// The rules that it acted by and that stand in its playbook no more, as they were when it first acted by them.
fn former(place: &Place, now: &[RuleWords], by_rule: &BTreeMap<RuleId, RuleWorth>) -> Result<Vec<RuleWords>, Fail> {
    let mut all: Vec<RuleWords> = Vec::new();
    for (id, worth) in by_rule {
        if now.iter().chain(&all).any(|rule| rule.id == *id) {
            continue;
        }
        let then = rules_at(place, Some(Tick(worth.first.0.saturating_sub(1))))?;
        let gone = |rule: &RuleWords| by_rule.contains_key(&rule.id) && !now.iter().any(|kept| kept.id == rule.id);
        let more: Vec<RuleWords> =
            then.into_iter().filter(gone).filter(|r| !all.iter().any(|a| a.id == r.id)).collect();
        all.extend(more);
    }
    Ok(all)
}

/// What began to weigh on it, what became a crisis and what was over, the oldest first.
fn suffered(reader: &Reader, golem: GolemId) -> Result<Vec<(Timestamp, String)>, Fail> {
    let mut rows = Vec::new();
    for kind in ["Onset", "Crisis", "Respite", "Resolved"] {
        rows.extend(reader.last_facts(Some(SufferingFact::named(kind)), SUFFERED)?);
    }
    rows.sort_by_key(|row| row.seq);
    let told = |row: &golem_runtime::FactRow| {
        let fact = retell::fact(row, golem)?;
        Some((row.at, golem_view::fact::words(&fact.body)?))
    };
    Ok(rows.iter().filter_map(told).collect())
}
