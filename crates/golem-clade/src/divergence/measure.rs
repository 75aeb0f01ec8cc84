//! How far two playbooks lie apart: by their rules, and by their words.

use golem_grimoire::embed::{Embedder, similarity};
use golem_grimoire::playbook::{Playbook, Rule, render};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The embedder whose cosine decides; beside any other the share of rules does.
pub const DECIDING_EMBEDDER: &str = "nomic-embed-text-v1.5";

/// Which of the two measures decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DivergenceMeasure {
    /// The share of rules that differ.
    ShareOfRules,
    /// The cosine distance of the texts.
    CosineDistance,
}

/// How far one playbook lies from another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PlaybookDistance {
    /// The share of rules that only one of the two has.
    pub rules: f64,
    /// The cosine distance of the texts, from 0 to 2.
    pub cosine: f64,
    /// Which of them decides.
    pub by: DivergenceMeasure,
}

impl PlaybookDistance {
    /// Between what was inherited and what became of it.
    #[must_use]
    pub fn between(inherited: &Playbook, evolved: &Playbook, embedder: &impl Embedder) -> Self {
        let deciding = embedder.id().starts_with(DECIDING_EMBEDDER);
        Self {
            rules: share_that_differs(inherited, evolved),
            cosine: cosine_distance(inherited, evolved, embedder),
            by: if deciding { DivergenceMeasure::CosineDistance } else { DivergenceMeasure::ShareOfRules },
        }
    }
    /// The number that decides.
    #[must_use]
    pub fn deciding(&self) -> f64 {
        match self.by {
            DivergenceMeasure::ShareOfRules => self.rules,
            DivergenceMeasure::CosineDistance => self.cosine,
        }
    }
}

/// The share of all rules of either that the other does not have; 0 when there are none. A rule is when it applies and what
/// it does: other words, other evidence and another id make no other rule.
fn share_that_differs(a: &Playbook, b: &Playbook) -> f64 {
    let said = |p: &Playbook| p.rules().map(Rule::in_words).collect::<BTreeSet<_>>();
    let (a, b) = (said(a), said(b));
    let (both, all) = (a.intersection(&b).count(), a.union(&b).count());
    if all == 0 { 0.0 } else { (all - both) as f64 / all as f64 }
}

fn cosine_distance(a: &Playbook, b: &Playbook, embedder: &impl Embedder) -> f64 {
    // Only what the rules say: two pages have their head in common, whoever wrote them.
    let text = |p: &Playbook| match p.rules().next() {
        Some(_) => p.rules().map(|r| format!("{}. {}\n", r.words().title, r.in_words())).collect::<String>(),
        None => render(p),
    };
    let (a, b) = (text(a), text(b));
    if a == b {
        return 0.0;
    }
    similarity(&embedder.embed(&a), &embedder.embed(&b)).map_or(1.0, |cosine| 1.0 - f64::from(cosine))
}
