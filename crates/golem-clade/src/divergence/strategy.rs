//! How far a successor's way of life lies from its predecessor's, before it has lived: the rules it would be handed, and the
//! settings of its strategy. A successor that differs in neither is the one that died again.

use super::measure::{DECIDING_EMBEDDER, DivergenceMeasure, PlaybookDistance};
use golem_grimoire::embed::{Embedder, similarity};
use golem_grimoire::playbook::{Playbook, Rule, RuleId};
use std::collections::{BTreeMap, BTreeSet};

/// A way of life on one page: what its rules say, and how its strategy is set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StrategyPage {
    rules: BTreeSet<String>,
    settings: BTreeMap<String, String>,
}

/// A line that stands on one of two pages only.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case", tag = "line")]
pub enum StrategyChange {
    /// A rule that is not handed on.
    Dropped {
        /// In words.
        rule: String,
    },
    /// A rule that only the successor has.
    Added {
        /// In words.
        rule: String,
    },
    /// A setting of the strategy that is another.
    Set {
        /// Its key.
        key: String,
        /// What it was; empty when there was none.
        was: String,
        /// What it is.
        to: String,
    },
}

impl StrategyPage {
    /// A playbook without the rules that are retired, beside the settings of a strategy.
    #[must_use]
    pub fn new(playbook: &Playbook, retired: &BTreeSet<RuleId>, settings: BTreeMap<String, String>) -> Self {
        let kept = playbook.rules().filter(|rule| !retired.contains(rule.id()));
        Self { rules: kept.map(Rule::in_words).collect(), settings }
    }
    /// How far another page lies from this one.
    #[must_use]
    pub fn distance(&self, other: &Self, embedder: &impl Embedder) -> PlaybookDistance {
        let deciding = embedder.id().starts_with(DECIDING_EMBEDDER);
        let (a, b) = (self.lines(), other.lines());
        let (both, all) = (a.intersection(&b).count(), a.union(&b).count());
        PlaybookDistance {
            rules: if all == 0 { 0.0 } else { (all - both) as f64 / all as f64 },
            cosine: cosine(&a, &b, embedder),
            by: if deciding { DivergenceMeasure::CosineDistance } else { DivergenceMeasure::ShareOfRules },
        }
    }
    /// What differs, rules first.
    #[must_use]
    pub fn changes(&self, other: &Self) -> Vec<StrategyChange> {
        let dropped = self.rules.difference(&other.rules).map(|rule| StrategyChange::Dropped { rule: rule.clone() });
        let added = other.rules.difference(&self.rules).map(|rule| StrategyChange::Added { rule: rule.clone() });
        let set = other.settings.iter().filter_map(|(key, to)| {
            let was = self.settings.get(key).cloned().unwrap_or_default();
            (was != *to).then(|| StrategyChange::Set { key: key.clone(), was, to: to.clone() })
        });
        dropped.chain(added).chain(set).collect()
    }
    /// Lines that both have.
    #[must_use]
    pub fn shared(&self, other: &Self) -> usize {
        self.lines().intersection(&other.lines()).count()
    }

    fn lines(&self) -> BTreeSet<String> {
        let settings = self.settings.iter().map(|(key, value)| format!("{key} = {value}"));
        self.rules.iter().cloned().chain(settings).collect()
    }
}

fn cosine(a: &BTreeSet<String>, b: &BTreeSet<String>, embedder: &impl Embedder) -> f64 {
    if a == b {
        return 0.0;
    }
    let text = |lines: &BTreeSet<String>| lines.iter().map(|line| format!("{line}.\n")).collect::<String>();
    similarity(&embedder.embed(&text(a)), &embedder.embed(&text(b))).map_or(1.0, |cosine| 1.0 - f64::from(cosine))
}
