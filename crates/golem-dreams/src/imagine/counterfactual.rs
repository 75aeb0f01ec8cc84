//! Counterfactuals: for what was decided, the other ways it could have gone, each executed from the point where it was
//! decided and over the same path.
//!
//! [`CounterfactualPlan::of`] says which runs are needed; [`CounterfactualPlan::read`] holds their results against what
//! was done. A copy ends where the lived path ends, so nothing of the future is seen.

use super::alternative::Alternative;
use super::params::ImaginationParams;
use super::regret::{RegretBook, RegretFinding};
use super::score::{better_bps, was_refused};
use golem_core::door::{ForkAct, ForkDeed, ForkFrom, ForkResult, ForkRun, MOST_FORK_STEPS};
use golem_core::{Intent, Point, Regime, VirtualTime};
use golem_grimoire::episode::EpisodeDeed;
use golem_grimoire::{Episode, EpisodeId, EpisodeKind, Marks};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Reasons that are kept of one plan.
const MOST_REASONS: usize = 16;

/// What is to be run, and what for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CounterfactualPlan {
    pub runs: Vec<ForkRun>,
    pub tried: Vec<TriedAlternative>,
    /// Why other alternatives are not tried, for people.
    pub skipped: Vec<String>,
}

/// One alternative and where its runs stand in the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriedAlternative {
    pub episode: EpisodeId,
    pub age: VirtualTime,
    /// The action's word, the weather and the alternative.
    pub finding: (String, Regime, Alternative),
    /// The run of what was done.
    pub did: usize,
    /// The run of what could have been done.
    pub instead: usize,
}

/// A decision that can be imagined otherwise.
struct CounterfactualTarget<'a> {
    episode: &'a Episode,
    deed: &'a EpisodeDeed,
    /// The own act before it.
    before: Option<(&'a Episode, &'a EpisodeDeed)>,
    /// Steps that were lived since, up to the horizon.
    steps: u32,
    open: Vec<Alternative>,
}

/// When imagination asks, and what it is to look at first.
#[derive(Debug, Clone, Copy)]
pub struct CounterfactualMoment {
    /// Lets alternatives take turns.
    pub cycle: u64,
    pub now: VirtualTime,
    /// The open trade, where one of the ways on would hurt it: its acts come first.
    pub attention: Option<u64>,
}

impl CounterfactualPlan {
    /// What to try in this cycle: so many alternatives for each decision, and so many runs. `episodes` are in the order in which
    /// they happened.
    #[must_use]
    pub fn of(
        episodes: &[(&Episode, &Marks)],
        book: &RegretBook,
        params: &ImaginationParams,
        (depth, most_runs): (u32, usize),
        moment: &CounterfactualMoment,
    ) -> Self {
        let mut plan = Self::default();
        let depth = depth as usize;
        for target in targets(episodes, book, params, moment, &mut plan) {
            let room = most_runs.saturating_sub(plan.runs.len());
            // One run is what was done; alone it compares with nothing.
            if room < 2 || depth == 0 {
                break;
            }
            let mut did = None;
            for alternative in in_turn(&target.open, depth, moment.cycle) {
                plan.add(&target, alternative, &mut did, most_runs, params);
            }
        }
        plan
    }

    fn add(
        &mut self,
        target: &CounterfactualTarget<'_>,
        alternative: Alternative,
        did: &mut Option<usize>,
        most_runs: usize,
        params: &ImaginationParams,
    ) {
        let Ok(instead) = alternative.of(target.deed) else { return };
        let (as_lived, otherwise) = match (alternative, instead) {
            (Alternative::Earlier, Some(ForkDeed::Once(intent))) => match earlier(target, intent) {
                Ok(pair) => pair,
                Err(why) => return self.skip(target, alternative, why),
            },
            _ => {
                let after = if alternative == Alternative::Later { params.later_steps } else { 0 };
                if after >= target.steps {
                    return self.skip(target, alternative, "the path since is too short");
                }
                let run = |acts| run_from(target.deed, acts, target.steps);
                let acts = instead.map(|what| ForkAct { after, what }).into_iter().collect();
                (run(as_it_was(target.deed).into_iter().collect()), run(acts))
            }
        };
        // An earlier start has a beginning of its own, so what was done is run from there too.
        let shared = if alternative == Alternative::Earlier { None } else { *did };
        let needed = 1 + usize::from(shared.is_none());
        if self.runs.len() + needed > most_runs {
            return;
        }
        let at = shared.unwrap_or_else(|| {
            self.runs.push(as_lived);
            self.runs.len() - 1
        });
        if alternative != Alternative::Earlier {
            *did = Some(at);
        }
        self.runs.push(otherwise);
        self.tried.push(TriedAlternative {
            episode: target.episode.id,
            age: target.episode.age,
            finding: (target.deed.intent.name().to_owned(), target.episode.regime, alternative),
            did: at,
            instead: self.runs.len() - 1,
        });
    }

    fn skip(&mut self, target: &CounterfactualTarget<'_>, alternative: Alternative, why: &str) {
        self.say(format!("episode {}, {alternative}: {why}", target.episode.id.0));
    }
    fn say(&mut self, why: String) {
        if self.skipped.len() < MOST_REASONS {
            self.skipped.push(why);
        }
    }

    /// What the runs say, and why some say nothing. `results` stand in the order of `runs`.
    #[must_use]
    pub fn read(&self, results: &[ForkResult]) -> (Vec<RegretFinding>, Vec<String>) {
        let (mut findings, mut silent) = (Vec::new(), Vec::new());
        for tried in &self.tried {
            let said = match (results.get(tried.did), results.get(tried.instead)) {
                (Some(Ok(_)), Some(Ok(instead))) if was_refused(instead) => Err("the copy refused it"),
                (Some(Ok(did)), Some(Ok(instead))) => better_bps(instead, did).ok_or("the runs cannot be compared"),
                _ => Err("a run did not come to its end"),
            };
            let (action, regime, alternative) = tried.finding.clone();
            match said {
                Ok(better_bps) => findings.push(RegretFinding {
                    episode: tried.episode,
                    age: tried.age,
                    action,
                    regime,
                    alternative,
                    better_bps,
                }),
                Err(why) => silent.push(format!("episode {}, {alternative}: {why}", tried.episode.0)),
            }
        }
        (findings, silent)
    }
}

/// For each episode, what the best of its alternatives would have brought more; nothing where what was done was best.
#[must_use]
pub fn regrets(findings: &[RegretFinding]) -> BTreeMap<EpisodeId, f32> {
    let mut best: BTreeMap<EpisodeId, f32> = BTreeMap::new();
    for finding in findings {
        let regret = best.entry(finding.episode).or_default();
        *regret = regret.max(finding.better_bps.clamp(0.0, 10_000.0) as f32);
    }
    best
}

/// Decisions worth imagining otherwise: those of a trade that needs attention, then what it did itself before what it did on paper, what has a parameter to choose
/// before what has none, the latest before the earlier, what has more alternatives before what has fewer.
fn targets<'a>(
    episodes: &[(&'a Episode, &'a Marks)],
    book: &RegretBook,
    params: &ImaginationParams,
    moment: &CounterfactualMoment,
    plan: &mut CounterfactualPlan,
) -> Vec<CounterfactualTarget<'a>> {
    let mut all = Vec::new();
    let mut before = None;
    for (episode, _) in episodes.iter().filter(|(e, _)| e.kind == EpisodeKind::Action) {
        let was_somewhere = |deed: &&EpisodeDeed| deed.intent != Intent::Hold || deed.point != Point::default();
        let Some(deed) = episode.deed.as_ref().filter(was_somewhere) else { continue };
        let lived = moment.now.since(episode.age).nominal_floor();
        let steps = u32::try_from(lived).unwrap_or(u32::MAX).min(params.horizon_steps).min(MOST_FORK_STEPS);
        let is_open = |a: &Alternative| a.of(deed).is_ok() && !book.has(episode.id, *a);
        let open: Vec<Alternative> = Alternative::ALL.into_iter().filter(is_open).collect();
        if steps < params.least_steps {
            plan.say(format!("episode {}: it is too young to say what came of it", episode.id.0));
        } else if !open.is_empty() {
            all.push(CounterfactualTarget { episode, deed, before, steps, open });
        }
        let is_act = !deed.on_paper && deed.intent != Intent::Hold;
        before = is_act.then_some((*episode, deed)).or(before);
    }
    all.sort_by_key(|t| {
        let has_parameter = t.deed.intent != Intent::Collect;
        let holds = t.deed.intent == Intent::Hold;
        let is_in_danger = moment.attention == Some(t.deed.trade) && !t.deed.on_paper && !holds;
        (
            !is_in_danger,
            holds,
            t.deed.on_paper,
            !has_parameter,
            Reverse(t.episode.age),
            Reverse(t.open.len()),
            t.episode.id,
        )
    });
    all
}

/// Which of the open alternatives this cycle tries: with room for two or more, holding is always among them; the others
/// take turns.
fn in_turn(open: &[Alternative], depth: usize, cycle: u64) -> Vec<Alternative> {
    let mut chosen = Vec::new();
    let mut rest: Vec<Alternative> = open.to_vec();
    if depth >= 2 && rest.contains(&Alternative::NotAtAll) {
        rest.retain(|a| *a != Alternative::NotAtAll);
        chosen.push(Alternative::NotAtAll);
    }
    let n = rest.len();
    let begin = usize::try_from(cycle % (n.max(1) as u64)).unwrap_or(0);
    chosen.extend(rest.iter().cycle().skip(begin).take(n).take(depth.saturating_sub(chosen.len())));
    chosen
}

/// What was done and the same earlier, both from the point of the act before it: an act cannot lie before the point at
/// which the copy begins.
fn earlier(target: &CounterfactualTarget<'_>, intent: Intent) -> Result<(ForkRun, ForkRun), &'static str> {
    let (episode, deed) = target.before.ok_or("there is no earlier point to begin at")?;
    if deed.point >= target.deed.point {
        return Err("the act before it lies at the same point");
    }
    let apart = u32::try_from(target.episode.age.since(episode.age).nominal_floor()).unwrap_or(u32::MAX);
    let steps = apart.saturating_add(target.steps);
    if apart < 2 {
        return Err("the act before it was just before");
    }
    if steps > MOST_FORK_STEPS {
        return Err("the act before it was too long ago");
    }
    let run = |after, intent| run_from(deed, vec![once(0, deed.intent), once(after, intent)], steps);
    // Both at any price: the time is what differs.
    Ok((run(apart, intent), run(apart / 2, intent)))
}

/// What was done, where it was done: the very actions, where there were any. Holding does nothing, and what was only done on
/// paper is done as it was meant.
fn as_it_was(deed: &EpisodeDeed) -> Option<ForkAct> {
    let what = if deed.was_carried_out() { ForkDeed::AsLived } else { ForkDeed::Once(deed.intent) };
    (deed.intent != Intent::Hold).then_some(ForkAct { after: 0, what })
}

fn once(after: u32, intent: Intent) -> ForkAct {
    ForkAct { after, what: ForkDeed::Once(intent) }
}

fn run_from(deed: &EpisodeDeed, acts: Vec<ForkAct>, steps: u32) -> ForkRun {
    ForkRun { from: ForkFrom::Lived(deed.point), acts, weather: Vec::new(), steps }
}

#[cfg(test)]
mod tests;
