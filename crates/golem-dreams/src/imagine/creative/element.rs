//! What creative work is made of: a condition, what is believed to follow, and what was done about it, of one entry or
//! one episode.

use crate::imagine::hypothesis::in_weather;
use golem_core::Intent;
use golem_core::words::one_line;
use golem_grimoire::{Claim, Entry, Episode, EpisodeId, Marks, RuleAction};

/// The most characters of its text.
const MOST_WORDS: usize = 80;
/// An outcome within so many basis points of nothing says nothing.
const NOTHING_BPS: f32 = 1.0;

/// A piece of experience that can be combined with another.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CreativeElement {
    pub text: String,
    /// When it applies.
    pub when: Option<String>,
    /// What follows, and how many ticks later.
    pub then: Option<(String, u32)>,
    /// What is done about it.
    pub action: Option<RuleAction>,
    pub episodes: Vec<EpisodeId>,
}

impl CreativeElement {
    /// Of something that is believed.
    #[must_use]
    pub fn of_entry(entry: &Entry) -> Self {
        let claim = entry.body.claim.as_ref();
        Self {
            text: one_line(&entry.body.text, MOST_WORDS),
            when: claim.map(|c| c.when.clone()),
            then: claim.map(|c| (c.then.clone(), c.after_ticks)),
            action: entry.body.action.clone(),
            episodes: entry.body.episodes.clone(),
        }
    }
    /// Of something that is only thought.
    #[must_use]
    pub fn of_thought(text: &str, claim: &Claim, episodes: &[EpisodeId]) -> Self {
        Self {
            text: one_line(text, MOST_WORDS),
            when: Some(claim.when.clone()),
            then: Some((claim.then.clone(), claim.after_ticks)),
            action: None,
            episodes: episodes.to_vec(),
        }
    }
    /// Of something that happened: its weather is the condition, and what came of what was done is what follows. Where
    /// that was a loss, standing aside is the action.
    #[must_use]
    pub fn of_episode(episode: &Episode, marks: &Marks) -> Self {
        let outcome = marks.outcome_bps.filter(|bps| bps.abs() > NOTHING_BPS);
        let rose = match (episode.deed.as_ref().map(|d| d.intent), outcome) {
            (Some(Intent::Buy { .. } | Intent::Add { .. }), Some(bps)) => Some(bps > 0.0),
            (Some(Intent::Sell { .. } | Intent::Remove { .. }), Some(bps)) => Some(bps < 0.0),
            _ => None,
        };
        let then = rose.map(|rose| format!("market.return_90 {} 0.0", if rose { ">" } else { "<" }));
        Self {
            text: one_line(&episode.text, MOST_WORDS),
            when: in_weather(episode.regime),
            action: (rose == Some(false)).then_some(RuleAction::StandAside),
            then: then.map(|then| (then, 90)),
            episodes: vec![episode.id],
        }
    }
}
