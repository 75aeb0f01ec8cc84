//! Forward replay: what to do next with what is held, by what was done before where things stood alike and what came of
//! it; and whether it would help, tried on a copy of the present in the weather that is likely to come.

use super::utility::{LivedEpisode, ReplayScene};
use golem_core::door::{ForkAct, ForkDeed, ForkFrom, ForkResult, ForkRun};
use golem_core::happening::ScenarioEvent;
use golem_core::{Intent, Usdc};
use golem_grimoire::EpisodeId;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// How many of the most alike episodes have a say.
const NEIGHBOURS: usize = 20;
/// How often something must have been done among them.
const LEAST_DONE: usize = 3;
/// How far the price may lie from where it stood when the act was first wanted.
const TOLERANCE_BPS: u32 = 500;

/// What is likely to be the best to do.
#[derive(Debug, Clone, PartialEq)]
pub struct ForwardResponse {
    pub action: &'static str,
    /// What it would be, as in the most alike episode; nothing for holding.
    pub intent: Option<Intent>,
    /// What it brought there in the mean, in basis points of wealth, the more alike the more it counts.
    pub expected_bps: f64,
    pub episodes: Vec<EpisodeId>,
}

/// An act among the neighbours.
struct LikeAct {
    alike: f32,
    id: EpisodeId,
    intent: Intent,
    bps: f64,
}

/// What has paid most where things stood as they do now. Nothing for who holds nothing, or has done too little.
#[must_use]
pub fn respond(scene: &ReplayScene<'_>, episodes: &[LivedEpisode<'_>], holds: bool) -> Option<ForwardResponse> {
    if !holds {
        return None;
    }
    let acts = episodes.iter().filter_map(|(episode, marks)| {
        let deed = episode.deed.as_ref().filter(|d| !d.on_paper)?;
        let bps = f64::from(marks.outcome_bps.filter(|bps| bps.is_finite())?);
        let alike = scene.situation.cosine(&episode.situation);
        (alike > 0.0).then_some(LikeAct { alike, id: episode.id, intent: deed.intent, bps })
    });
    let mut near: Vec<LikeAct> = acts.collect();
    near.sort_by(|a, b| b.alike.total_cmp(&a.alike).then_with(|| b.id.cmp(&a.id)));
    near.truncate(NEIGHBOURS);
    let mut by_action: BTreeMap<&'static str, Vec<&LikeAct>> = BTreeMap::new();
    for act in &near {
        by_action.entry(act.intent.name()).or_default().push(act);
    }
    let enough = by_action.into_iter().filter(|(_, acts)| acts.len() >= LEAST_DONE);
    enough
        .map(|(action, acts)| response(action, &acts))
        .reduce(|best, r| if r.expected_bps > best.expected_bps { r } else { best })
}

/// `acts` are the most alike first, and there is one.
fn response(action: &'static str, acts: &[&LikeAct]) -> ForwardResponse {
    let weight: f64 = acts.iter().map(|a| f64::from(a.alike)).sum();
    let sum: f64 = acts.iter().map(|a| f64::from(a.alike) * a.bps).sum();
    let mut episodes: Vec<EpisodeId> = acts.iter().map(|a| a.id).collect();
    episodes.sort_by_key(|id| Reverse(*id));
    ForwardResponse {
        action,
        intent: acts.first().map(|a| a.intent).filter(|i| *i != Intent::Hold),
        expected_bps: sum / weight,
        episodes,
    }
}

/// Two runs from the present under some weather: nothing is done, and the response is. None where the response is to
/// hold.
#[must_use]
pub fn ask(response: &ForwardResponse, weather: &[ScenarioEvent], steps: u32) -> Vec<ForkRun> {
    let run = |acts: Vec<ForkAct>| ForkRun { from: ForkFrom::Present, acts, weather: weather.to_vec(), steps };
    let Some(intent) = response.intent else { return Vec::new() };
    vec![run(Vec::new()), run(vec![ForkAct { after: 0, what: ForkDeed::Once(intent.unbound(TOLERANCE_BPS)) }])]
}

/// What the response brought more than doing nothing, in basis points of wealth.
#[must_use]
pub fn take(results: &[ForkResult]) -> Option<f64> {
    let [Ok(nothing), Ok(done)] = results else { return None };
    let more = i128::from(done.after.0) - i128::from(nothing.after.0);
    (nothing.before > Usdc::ZERO).then(|| more as f64 / nothing.before.0 as f64 * 1e4)
}
