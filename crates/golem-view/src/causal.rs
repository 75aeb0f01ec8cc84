//! What drives what in a golem's world, in words: a terminal's line, a page's graph and its table say the same.

use crate::story::in_words;
use crate::time;
use golem_core::NOMINAL_TICK_S;
use golem_grimoire::causal::Edge;
use serde::Serialize;

/// An edge in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CauseWords {
    /// What drives.
    pub from: String,
    /// What is driven.
    pub to: String,
    /// `raises` or `lowers`.
    pub way: &'static str,
    /// How long until it is felt.
    pub after: String,
    /// All that is known of it.
    pub sentence: String,
}

impl CauseWords {
    /// Of an edge.
    #[must_use]
    pub fn of(edge: &Edge) -> Self {
        let (from, to) = (in_words(edge.from.name()), in_words(edge.to.name()));
        let way = if edge.weight >= 0.0 { "raises" } else { "lowers" };
        let after = time::span(u64::from(edge.lag) * NOMINAL_TICK_S);
        let gone = if edge.holds() { "" } else { ", holds no more" };
        let sentence = format!(
            "{from} ─{:+.2}→ {to}: {way} it after {after}; held {} times, failed {}, sure {:.2}{gone}",
            edge.weight,
            edge.held,
            edge.failed,
            f64::from(edge.confidence_bp) / 1e4
        );
        Self { from, to, way, after, sentence }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::VirtualTime;
    use golem_core::observed::Field;
    use golem_grimoire::causal::EdgeId;

    #[test]
    fn an_edge_says_its_way_its_lag_and_whether_it_still_holds() {
        let (from, to) = (Field::MarketFeeYield, Field::MarketVolume);
        let mut edge = Edge {
            id: EdgeId::new(from, to, 12),
            from,
            to,
            lag: 12,
            weight: -0.31,
            confidence_bp: 7_500,
            held: 5,
            failed: 1,
            failed_in_a_row: 0,
            fired: 9,
            last_fired: None,
            created: VirtualTime(0),
            invalidated: None,
            judged: 0,
        };
        let words = CauseWords::of(&edge);
        assert_eq!(
            words.sentence,
            "fee yield ─-0.31→ volume: lowers it after 8 min; held 5 times, failed 1, sure 0.75"
        );
        assert_eq!((words.way, &words.after[..]), ("lowers", "8 min"));
        (edge.weight, edge.invalidated) = (0.0, Some(VirtualTime(1)));
        let words = CauseWords::of(&edge);
        assert!(words.way == "raises" && words.sentence.ends_with("sure 0.75, holds no more"), "{}", words.sentence);
    }
}
