//! Which episodes are worth a dream: what surprised, what could have gone much better, what contradicts what is believed.

use super::CycleReport;
use crate::episode::{Episode, EpisodeId, Marks, Went};
use crate::shelf::Shelf;

/// A surprise of so many usual errors is worth a dream.
pub const DREAM_SURPRISE: f32 = 3.0;
/// So many basis points of regret are.
pub const DREAM_REGRET_BPS: f32 = 50.0;
/// Marked in one cycle at most, the most surprising first.
const MOST_MARKED: usize = 8;
/// How far back a cycle looks.
const LOOK_BACK: usize = 64;

pub(super) fn tag(shelf: &mut Shelf, report: &mut CycleReport) {
    let waiting = |(_, m): &(&Episode, &Marks)| !m.dream_priority && m.replays == 0;
    let mut worth: Vec<(f32, EpisodeId)> =
        shelf.episodes().rev().take(LOOK_BACK).filter(waiting).filter_map(|(e, m)| Some((pull(e, m)?, e.id))).collect();
    worth.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    for (_, id) in worth.into_iter().take(MOST_MARKED) {
        shelf.mark(id, |m| m.dream_priority = true);
        report.tagged += 1;
    }
}

/// How much an episode asks to be dreamt about; none when it does not. An outcome that contradicts how it looked at first
/// counts like a surprise.
fn pull(episode: &Episode, marks: &Marks) -> Option<f32> {
    let regret = marks.regret_bps.filter(|r| r.is_finite()).unwrap_or(0.0) / DREAM_REGRET_BPS;
    let surprise = if episode.surprise.is_finite() { episode.surprise / DREAM_SURPRISE } else { 0.0 };
    let contradicted = matches!(
        (episode.went, marks.outcome_bps),
        (Went::Positive, Some(bps)) if bps < 0.0
    ) || matches!((episode.went, marks.outcome_bps), (Went::Negative, Some(bps)) if bps > 0.0);
    let pull = regret.max(surprise).max(if contradicted { 1.0 } else { 0.0 });
    (pull >= 1.0).then_some(pull)
}
