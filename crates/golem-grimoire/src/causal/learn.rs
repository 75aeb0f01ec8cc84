//! Learning: judge what is known on fresh rows, then look for what is not known yet.

use super::dependence::{MAX_LAG, dot, over, profile, without};
use super::innovations::innovations;
use super::judge::{Candidate, CausalJudgement};
use super::variable::{column, index, pairs, variables};
use super::{Edge, Graph};
use crate::change::Change;
use crate::series::Series;
use crate::series::statistic::two_sided;
use golem_core::dice::Dice;
use golem_core::observed::Field;
use golem_core::{Tick, VirtualTime};

/// The chance of any candidate at all in a sweep over unrelated series.
const FALSE_ALARM: f64 = 0.05;
/// The effect is at the first lag that does nearly as well as the best: later ones are its echo or its end.
const NEARLY: f64 = 0.75;
/// In deviations of chance: what stays below this is not looked at closely, as long as it cannot be sure.
const FAR: f64 = 4.0;
/// Rows without which nothing is looked for.
const LEAST_ROWS: usize = 512;
/// Shifted copies that a candidate must beat, all of them.
const SURROGATES: usize = 99;
/// Edges and candidates from one variable to another: an effect and its end, each with its lag.
const MOST_OF_A_PAIR: usize = 2;
/// Lags of one pair that are closer than this are the same effect.
const APART: u32 = 5;
/// Candidates that wait at most.
const MOST_WAITING: usize = 16;

/// The innovations of every node; none where a node says nothing.
type News = Vec<Option<Vec<f32>>>;

impl Graph {
    /// Judge and look: to be called every 250 turns or so. Comes back with a row for every edge that stands differently.
    pub fn learn(&mut self, series: &Series, now: VirtualTime, dice: &Dice, turn: Tick) -> Vec<Change> {
        // Lags are looked for in nominal ticks: bars are too coarse for that.
        if series.len() < LEAST_ROWS || series.row_ticks() > 1 {
            return Vec::new();
        }
        let news: News = (0..variables().len()).map(|node| innovations(&column(series, node))).collect();
        let mut changes = self.judge_edges(series, &news, now);
        changes.extend(self.judge_candidates(series, &news, now));
        self.look(series, &news, dice, turn);
        self.forget();
        changes
    }

    fn judge_edges(&mut self, series: &Series, news: &News, now: VirtualTime) -> Vec<Change> {
        let ids: Vec<_> = self.holding().map(|e| e.id.clone()).collect();
        let mut changes = Vec::new();
        for id in ids {
            let Some(edge) = self.edges.get(&id) else { continue };
            let from = row(series, edge.judged);
            let Some(target) = self.target(news, edge) else { continue };
            let Some(source) = index(edge.from).and_then(|node| news[node].as_ref()) else { continue };
            let Some(fresh) = over(source, &target, edge.lag as usize, from..series.len()) else { continue };
            let judgement = edge.judge(series.len() - from, fresh);
            if judgement != CausalJudgement::Wait
                && let Some(edge) = self.edges.get_mut(&id)
            {
                edge.settle(judgement, fresh, now, judged_to(series, edge.lag));
                changes.push(edge.row());
            }
        }
        changes
    }

    fn judge_candidates(&mut self, series: &Series, news: &News, now: VirtualTime) -> Vec<Change> {
        let mut changes = Vec::new();
        for candidate in std::mem::take(&mut self.candidates) {
            let from = row(series, candidate.since);
            let source = index(candidate.from).and_then(|node| news[node].as_ref());
            let target = index(candidate.to).and_then(|node| self.without_parents(news, node, None));
            let fresh = source
                .zip(target)
                .and_then(|(source, target)| over(source, &target, candidate.lag as usize, from..series.len()));
            let Some(fresh) = fresh else {
                self.candidates.push(candidate);
                continue;
            };
            match candidate.judge(series.len() - from, fresh) {
                CausalJudgement::Wait => self.candidates.push(candidate),
                CausalJudgement::Failed => (),
                CausalJudgement::Held => {
                    let edge = self.confirmed(&candidate.confirmed(fresh, now, judged_to(series, candidate.lag)));
                    changes.push(edge.row());
                    self.edges.insert(edge.id.clone(), edge);
                }
            }
        }
        changes
    }

    /// A confirmed edge with what is remembered of it from before.
    fn confirmed(&self, new: &Edge) -> Edge {
        let mut edge = new.clone();
        if let Some(old) = self.edges.get(&new.id) {
            (edge.created, edge.fired, edge.last_fired) = (old.created, old.fired, old.last_fired);
            (edge.held, edge.failed) = (old.held.saturating_add(2), old.failed);
            edge.settle_confidence();
        }
        edge
    }

    /// Look at every pair for an effect that is not known yet.
    fn look(&mut self, series: &Series, news: &News, dice: &Dice, turn: Tick) {
        let tests = (pairs().count() * MAX_LAG) as f64;
        let mut draws = dice.draws(turn.0);
        let sure = |z: f64| two_sided(z) * tests <= FALSE_ALARM;
        let least = if sure(FAR) { 0.0 } else { FAR };
        // What is found here waits: no edge changes on the way.
        let targets: News = (0..variables().len()).map(|node| self.without_parents(news, node, None)).collect();
        for (from, to) in pairs() {
            let (source_field, target_field) = (variables()[from].0, variables()[to].0);
            let known = self.lags(source_field, target_field);
            if known.len() >= MOST_OF_A_PAIR || self.candidates.len() >= MOST_WAITING {
                continue;
            }
            let (Some(source), Some(target)) = (&news[from], &targets[to]) else { continue };
            let mut all: Vec<_> = (1u32..).zip(profile(source, target, least)).collect();
            all.retain(|(lag, _)| known.iter().all(|k| k.abs_diff(*lag) >= APART));
            let best = all.iter().map(|(_, d)| d.z.abs()).fold(0.0, f64::max);
            let first = all.into_iter().find(|(_, d)| sure(d.z) && d.z.abs() >= NEARLY * best);
            let Some((lag, found)) = first else { continue };
            let sum = found.slope.abs() * dot(source, source);
            let shifted = (0..SURROGATES).all(|_| {
                let rows = source.len();
                let by = 2 * MAX_LAG + (draws.uniform() * (rows - 4 * MAX_LAG) as f64) as usize;
                (dot(source, &target[by..]) + dot(&source[rows - by..], &target[..by])).abs() < sum
            });
            if shifted {
                let (slope, since) = (found.slope, series.ticks().end);
                self.candidates.push(Candidate { from: source_field, to: target_field, lag, slope, since });
            }
        }
    }

    /// The lags of what is known or waits between two variables.
    fn lags(&self, from: Field, to: Field) -> Vec<u32> {
        let edges = self.holding().filter(|e| e.from == from && e.to == to).map(|e| e.lag);
        edges.chain(self.candidates.iter().filter(|c| c.from == from && c.to == to).map(|c| c.lag)).collect()
    }

    /// The innovations of an edge's target without what its other known causes do to it: an effect of a common cause or
    /// of a cause in between is not counted twice.
    fn target(&self, news: &News, edge: &Edge) -> Option<Vec<f32>> {
        self.without_parents(news, index(edge.to)?, Some(edge))
    }

    fn without_parents(&self, news: &News, node: usize, but: Option<&Edge>) -> Option<Vec<f32>> {
        let mut target = news[node].clone()?;
        let field = variables()[node].0;
        for parent in self.holding().filter(|e| e.to == field && but.is_none_or(|b| b.id != e.id)) {
            if let Some(source) = index(parent.from).and_then(|n| news[n].as_ref()) {
                without(&mut target, source, parent.lag as usize);
            }
        }
        Some(target)
    }
}

/// The row of a nominal tick, or the first one when it is gone.
fn row(series: &Series, tick: u64) -> usize {
    let into = tick.clamp(series.ticks().start, series.ticks().end) - series.ticks().start;
    usize::try_from(into).unwrap_or(usize::MAX)
}

/// The first nominal tick whose effect has not been seen yet.
fn judged_to(series: &Series, lag: u32) -> u64 {
    series.ticks().end.saturating_sub(u64::from(lag)).max(series.ticks().start)
}
