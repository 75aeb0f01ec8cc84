//! Decisions that were thought through before: a situation analysed three times with the same result needs no model the
//! fourth time, for as long as it still is that situation.

mod scene;
mod stance;

pub use scene::{PositionState, Scene};
pub use stance::Stance;

use golem_core::observed::{Field, Snapshot};
use golem_core::{Elapsed, Regime, VirtualTime};
use golem_grimoire::playbook::RuleId;
use serde::{Deserialize, Serialize};

/// Analyses with the same result before it is a rule.
const CONSISTENT: u32 = 3;
/// How long a rule holds without being analysed again: half an hour, times the phase's factor.
const LIFE: Elapsed = Elapsed::nominal(45);
/// A condition that has moved by more than this share is another situation.
const DRIFT: f64 = 0.2;
/// Situations that are kept.
const MOST: usize = 64;
/// The numbers that must still be what they were.
const CONDITIONS: [Field; 6] = [
    Field::MarketPrice,
    Field::MarketVolatility,
    Field::MarketGasGwei,
    Field::MarketFeeYield,
    Field::GolemExposure,
    Field::PositionShare,
];

/// Which playbook and which context policy a decision was made under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Versions {
    /// Revision of the playbook, for people: edits flush by rule.
    pub playbook: u64,
    /// Revision of the context policy: another one flushes everything.
    pub context: u32,
}

/// Where and when a decision is asked for or made.
#[derive(Debug, Clone, Copy)]
pub struct CachePlace<'a> {
    /// The situation.
    pub scene: &'a Scene,
    /// What is observed.
    pub seen: &'a Snapshot,
    /// The moment.
    pub now: VirtualTime,
    /// The versions that hold.
    pub versions: Versions,
    /// The phase's factor of a rule's life; none caches nothing.
    pub life: Option<u32>,
}

/// One situation that was analysed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cached {
    /// The situation, coarsely.
    pub pattern: u64,
    /// What it came to.
    pub stance: Stance,
    /// The knowledge that was used.
    pub rules: Vec<RuleId>,
    /// How often it was analysed in a row with this result.
    pub count: u32,
    /// How often that saved a model.
    pub hits: u32,
    /// When it was first analysed.
    pub since: VirtualTime,
    /// When last.
    pub last_validated: VirtualTime,
    /// Until when it holds.
    pub expires_at: VirtualTime,
    /// The numbers at the last analysis.
    pub conditions: Vec<(Field, f64)>,
    /// The versions it was made under.
    pub versions: Versions,
}

/// What the cache has done, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CacheCounts {
    /// How often it was asked.
    pub asked: u64,
    /// How often it had an answer.
    pub hits: u64,
    /// Situations dropped because the world had moved on: regime, revision, edit or drift.
    pub dropped: u64,
    /// Situations it holds.
    pub held: u64,
    /// Of these, how many are rules.
    pub rules: u64,
}

/// The decision cache.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DecisionCache {
    held: Vec<Cached>,
    regime: Regime,
    context: u32,
    counts: CacheCounts,
}

impl DecisionCache {
    /// The decision for a situation, if it is a rule that still holds.
    pub fn find(&mut self, place: &CachePlace<'_>) -> Option<&Cached> {
        self.meet(place.scene.regime, place.versions);
        place.life.filter(|times| *times > 0)?;
        self.counts.asked = self.counts.asked.saturating_add(1);
        let pattern = place.scene.pattern();
        let at = self.held.iter().position(|c| c.pattern == pattern)?;
        if drifted(&self.held[at].conditions, place.seen) {
            self.held.remove(at);
            self.counts.dropped = self.counts.dropped.saturating_add(1);
            return None;
        }
        let cached = &mut self.held[at];
        if cached.count < CONSISTENT || place.now >= cached.expires_at {
            return None;
        }
        cached.hits = cached.hits.saturating_add(1);
        self.counts.hits = self.counts.hits.saturating_add(1);
        self.held.get(at)
    }

    /// Take note of an analysis, and of the knowledge it used. Another result than last time begins to count anew.
    pub fn note(&mut self, place: &CachePlace<'_>, stance: Stance, rules: &[RuleId]) {
        let CachePlace { scene, seen, now, versions, life } = *place;
        self.meet(scene.regime, versions);
        let Some(times) = life.filter(|times| *times > 0) else { return };
        let pattern = scene.pattern();
        let before = self.held.iter().position(|c| c.pattern == pattern).map(|at| self.held.remove(at));
        let same = before.filter(|c| c.stance == stance && !drifted(&c.conditions, seen));
        let (count, hits, since) = same.map_or((1, 0, now), |c| (c.count.saturating_add(1), c.hits, c.since));
        if self.held.len() >= MOST {
            let oldest = self.held.iter().enumerate().min_by_key(|(_, c)| (c.last_validated, c.pattern)).map(|o| o.0);
            oldest.map(|at| self.held.remove(at));
        }
        let expires_at = now.after(Elapsed(LIFE.0.saturating_mul(u64::from(times))));
        let conditions = CONDITIONS.iter().filter_map(|f| Some((*f, seen.get(*f)?.as_f64()?))).collect();
        self.held.push(Cached {
            pattern,
            stance,
            rules: rules.to_vec(),
            count,
            hits,
            since,
            last_validated: now,
            expires_at,
            conditions,
            versions,
        });
    }

    /// The playbook was edited: what used one of these rules is forgotten.
    pub fn forget(&mut self, edited: &[RuleId]) {
        let before = self.held.len();
        self.held.retain(|c| !c.rules.iter().any(|rule| edited.contains(rule)));
        self.dropped(before);
    }

    /// The playbook has another revision: what was decided under the old one is forgotten.
    pub fn flush(&mut self) {
        let before = self.held.len();
        self.held.clear();
        self.dropped(before);
    }

    /// Another regime or another context policy flushes everything.
    fn meet(&mut self, regime: Regime, versions: Versions) {
        if self.regime != regime || self.context != versions.context {
            let before = self.held.len();
            self.held.clear();
            self.dropped(before);
            (self.regime, self.context) = (regime, versions.context);
        }
    }
    fn dropped(&mut self, before: usize) {
        let gone = before.saturating_sub(self.held.len()) as u64;
        self.counts.dropped = self.counts.dropped.saturating_add(gone);
    }

    /// What it has done.
    #[must_use]
    pub fn counts(&self) -> CacheCounts {
        let rules = self.held.iter().filter(|c| c.count >= CONSISTENT).count() as u64;
        CacheCounts { held: self.held.len() as u64, rules, ..self.counts }
    }
    /// Everything it holds, the latest last.
    #[must_use]
    pub fn held(&self) -> &[Cached] {
        &self.held
    }
}

/// Whether any of the numbers has moved by more than a fifth, or is no longer seen.
fn drifted(conditions: &[(Field, f64)], seen: &Snapshot) -> bool {
    conditions.iter().any(|(field, then)| {
        let now = seen.get(*field).and_then(golem_core::observed::Value::as_f64);
        now.is_none_or(|now| (now - then).abs() > DRIFT * then.abs())
    })
}
