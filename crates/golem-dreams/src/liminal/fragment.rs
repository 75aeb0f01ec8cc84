//! A fragment: something half thought at the edge of sleep, where it came from and how new it is.

use super::hori::HoriStage;
use crate::journal::DreamProvenance;
use golem_core::Timestamp;
use golem_core::words::words;
use golem_grimoire::retrieval::tokens;
use golem_grimoire::{Claim, EpisodeId};
use serde::{Deserialize, Serialize};

/// What became of a fragment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FragmentStatus {
    /// Nobody has looked at it.
    Raw,
    /// New enough: imagination may use it.
    SelectedForRem,
    /// Imagination used it.
    Developed,
    /// It surfaced by itself.
    Promoted,
    Discarded,
}

/// A fragment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiminalFragment {
    /// `onset/CYCLE/N`.
    pub id: String,
    pub content: String,
    /// From 0 to 1: how unlike everything that is known.
    pub novelty_score: f64,
    /// From 0 to 1: how far apart its episodes lie.
    pub semantic_distance: f64,
    /// The mean pleasure of its episodes, from -1 to 1.
    pub emotional_tone: f64,
    pub provenance: DreamProvenance,
    pub dali_cycle: u32,
    pub hori_stage: HoriStage,
    pub source_episodes: Vec<EpisodeId>,
    pub timestamp: Timestamp,
    /// From 0.10 to 0.20.
    pub confidence: f64,
    pub status: FragmentStatus,
    /// What reality could check of it.
    pub claim: Option<Claim>,
}

/// A text up to its last whole word within so many tokens, on one line: what comes after is never thought.
#[must_use]
pub fn cut(text: &str, most_tokens: u32) -> String {
    let mut out = String::new();
    for word in words(text) {
        let longer = if out.is_empty() { word.to_owned() } else { format!("{out} {word}") };
        if tokens(&longer) > most_tokens {
            break;
        }
        out = longer;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_fragment_ends_at_its_last_whole_token() {
        let long = "abc ".repeat(200);
        let kept = cut(&long, 80);
        assert_eq!((tokens(&kept), kept.split(' ').count()), (80, 80));
        assert_eq!(cut("one\n## two\u{202e}", 80), "one ## two");
        assert_eq!(cut(&"x".repeat(1_000), 80), "");
    }

    proptest! {
        #[test]
        fn no_text_is_longer(text in any::<String>(), most in 0u32..100) {
            prop_assert!(tokens(&cut(&text, most)) <= most);
        }
    }
}
