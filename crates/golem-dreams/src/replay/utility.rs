//! What an episode is worth replaying for: gain times need (Mattar and Daw 2018).
//!
//! Gain is how much there is to learn, need how likely it is to be wanted again, and both lie between 0 and 1. What has
//! no natural scale (surprise, profit and loss, regret) is held against what is usual among the episodes at hand: `x /
//! (x + median)`, so that the usual counts a half, one freak does not flatten the rest, and a calm life still has
//! something to dream about. What is no number counts as nothing.

use super::known::ReplayKnown;
use super::rules::ReplayRules;
use crate::schedule::DreamLegacy;
use crate::seen::DreamSeen;
use golem_core::intent::Outcome;
use golem_core::{Dice, Elapsed, Intent, Usdc};
use golem_grimoire::episode::EpisodeDeed;
use golem_grimoire::{Episode, Marks, Situation};

/// An episode with what was learnt about it later.
pub type LivedEpisode<'a> = (&'a Episode, &'a Marks);

/// An episode is like a death above this cosine.
const LIKE_A_DEATH: f32 = 0.8;

/// Everything that replay goes by.
#[derive(Clone, Copy)]
pub struct ReplayScene<'a> {
    pub rules: &'a ReplayRules,
    pub seen: &'a DreamSeen,
    /// Where the golem stands now.
    pub situation: &'a Situation,
    pub known: &'a ReplayKnown,
    /// The cycle's number: what is chosen in turns goes by it.
    pub cycle: u32,
    /// How much it is for those who come after, and whether what confused it comes first.
    pub legacy: DreamLegacy,
    pub confused: bool,
    pub dice: &'a Dice,
}

/// An episode and what it is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeighedEpisode<'a> {
    pub episode: &'a Episode,
    pub marks: &'a Marks,
    /// From 0 to 1.
    pub gain: f64,
    /// From 0 to 1.
    pub need: f64,
    /// Gain times need, spaced; above 1 only by a mark for dreams or a death.
    pub utility: f64,
    /// How far what was expected lay from what came, from 0 to 1.
    pub confusion: f64,
}

/// What every episode is worth, in the order in which they were lived.
#[must_use]
pub fn weigh<'a>(scene: &ReplayScene<'_>, episodes: &[LivedEpisode<'a>]) -> Vec<WeighedEpisode<'a>> {
    let usual = UsualStakes::of(episodes);
    let one = |(episode, marks): &LivedEpisode<'a>| {
        let (gain, need) = (gain(scene, &usual, episode, marks), need(scene, episode));
        let marked = if marks.dream_priority { scene.rules.priority_factor } else { 1.0 };
        WeighedEpisode {
            episode,
            marks,
            gain,
            need,
            utility: sound(gain * need * spacing(scene, marks) * marked * bloodstain(scene, episode)),
            confusion: usual.surprise.share(surprise(episode)).max(usual.mistake.share(mistake(episode))),
        }
    };
    episodes.iter().map(one).collect()
}

fn gain(scene: &ReplayScene<'_>, usual: &UsualStakes, episode: &Episode, marks: &Marks) -> f64 {
    let rules = scene.rules;
    let fresh = rules.gain_surprise * usual.surprise.share(surprise(episode))
        + rules.gain_pnl * usual.pnl.share(pnl(episode, marks))
        + rules.gain_regret * usual.regret.share(regret(marks));
    sound(fresh * libm::pow(rules.replay_decay, f64::from(marks.replays))).min(1.0)
}

fn need(scene: &ReplayScene<'_>, episode: &Episode) -> f64 {
    let (rules, seen) = (scene.rules, scene.seen);
    let alike = f64::from(scene.situation.cosine(&episode.situation)).max(0.0);
    let same = if seen.regime == episode.regime { 1.0 } else { rules.other_regime };
    let fresh = halved(seen.now.since(episode.age), rules.recency_half_life_h);
    sound(rules.need_similarity * alike + rules.need_regime * same + rules.need_recency * fresh).min(1.0)
}

/// What was replayed just now has less to say.
fn spacing(scene: &ReplayScene<'_>, marks: &Marks) -> f64 {
    let ago = |at| halved(scene.seen.now.since(at), scene.rules.spacing_half_life_h);
    1.0 - scene.rules.spacing_depth * marks.replayed.map_or(0.0, ago)
}

/// Where somebody died in a situation like this one it matters more. Only what was handed down says so.
fn bloodstain(scene: &ReplayScene<'_>, episode: &Episode) -> f64 {
    let mut deaths = scene.known.bloodstains.iter();
    let is_like = deaths.any(|death| death.cosine(&episode.situation) > LIKE_A_DEATH);
    if is_like { scene.rules.bloodstain_factor } else { 1.0 }
}

/// 1 at first, and half of it after each half-life.
fn halved(elapsed: Elapsed, half_life_h: f64) -> f64 {
    sound(libm::exp2(-elapsed.as_hours() / half_life_h)).min(1.0)
}

/// A number that is none, or below nothing, is nothing.
fn sound(x: f64) -> f64 {
    if x.is_finite() { x.max(0.0) } else { 0.0 }
}

/// What is usual in this life, for everything that has no scale of its own.
struct UsualStakes {
    surprise: UsualStake,
    pnl: UsualStake,
    regret: UsualStake,
    mistake: UsualStake,
}

impl UsualStakes {
    fn of(episodes: &[LivedEpisode<'_>]) -> Self {
        let usual = |read: &dyn Fn(&LivedEpisode<'_>) -> f64| UsualStake::of(episodes.iter().map(read));
        Self {
            surprise: usual(&|(e, _)| surprise(e)),
            pnl: usual(&|(e, m)| pnl(e, m)),
            regret: usual(&|(_, m)| regret(m)),
            mistake: usual(&|(e, _)| mistake(e)),
        }
    }
}

/// The median of what is not nothing.
struct UsualStake(f64);

impl UsualStake {
    fn of(all: impl Iterator<Item = f64>) -> Self {
        let mut some: Vec<f64> = all.filter(|x| *x > 0.0).collect();
        some.sort_by(f64::total_cmp);
        Self(some.get(some.len().saturating_sub(1) / 2).copied().unwrap_or(0.0))
    }
    fn share(&self, x: f64) -> f64 {
        if x > 0.0 { x / (x + self.0) } else { 0.0 }
    }
}

/// How wrong the expectation was, in usual errors.
pub(super) fn surprise(episode: &Episode) -> f64 {
    sound(f64::from(episode.surprise))
}

fn regret(marks: &Marks) -> f64 {
    marks.regret_bps.map_or(0.0, |bps| sound(f64::from(bps)))
}

/// What was said of an act beforehand against what came, in basis points.
fn mistake(episode: &Episode) -> f64 {
    let said = episode.deed.as_ref().and_then(|d| d.predicted_bps.zip(d.actual_bps));
    said.map_or(0.0, |(predicted, actual)| sound((predicted - actual).abs()))
}

/// Profit or loss as a share: of what changed hands where something was realised, of wealth where it only shows later.
fn pnl(episode: &Episode, marks: &Marks) -> f64 {
    let realised = episode.deed.as_ref().filter(|d| d.realised.0 != 0);
    match realised.map(|d| (d.realised.0.unsigned_abs(), size(d))) {
        Some((money, size)) if size > Usdc::ZERO => sound(money as f64 / size.0 as f64),
        // What was earned on nothing was earned whole.
        Some(_) => 1.0,
        None => marks.outcome_bps.map_or(0.0, |bps| sound(f64::from(bps).abs() / 1e4)),
    }
}

/// The USDC that changed hands in an act: by its receipt, or by what was wanted.
pub(super) fn size(deed: &EpisodeDeed) -> Usdc {
    match (deed.outcome, deed.intent) {
        (Some(Outcome::Bought { paid, .. } | Outcome::Added { paid, .. }), _) => paid,
        (
            Some(
                Outcome::Sold { got, .. }
                | Outcome::Removed { got, .. }
                | Outcome::Collected { got, .. }
                | Outcome::Moved { got, .. },
            ),
            _,
        ) => got,
        (_, Intent::Buy { pay, .. } | Intent::Add { pay, .. }) => pay,
        (_, Intent::Sell { min_out, .. }) => min_out,
        _ => Usdc::ZERO,
    }
}
