//! Which episodes a cycle lives through again: the best of them, and a fifth at most that utility alone would never
//! choose.

use super::utility::{ReplayScene, WeighedEpisode, surprise};
use crate::calm::DepotentiationParams;
use crate::calm::feels;
use crate::config::ReplayPrioritization;
use crate::schedule::DreamLegacy;
use golem_core::{Elapsed, Regime};
use golem_grimoire::EpisodeId;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// What is looked at together is at least and at most this much, where there is so much.
const BATCH: (usize, usize) = (5, 10);
/// Where the draws of the uniform order begin among those of a tick; an episode's number is added.
const UNIFORM_DRAW: u32 = 0x1000_0000;
/// The oldest third of what is remembered.
const OLDEST_PART: usize = 3;

/// An episode that is replayed, and why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChosenEpisode<'a> {
    pub of: WeighedEpisode<'a>,
    pub why: ChosenFor,
}

/// Why an episode is replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChosenFor {
    /// It came first in the order that the owner wants.
    Order,
    /// It still stirs.
    Arousal,
    /// It is from the oldest third.
    Oldest,
    /// It is from this regime, which would be missing.
    Regime(Regime),
}

/// At most `n` episodes, those of the order first.
#[must_use]
pub fn select<'a>(scene: &ReplayScene<'_>, weighed: &[WeighedEpisode<'a>], n: usize) -> Vec<ChosenEpisode<'a>> {
    let order = ordered(scene, weighed);
    let spare = diversity_slots(scene, n);
    let mut chosen = ChosenSet::default();
    for of in order.iter().take(n.saturating_sub(spare)) {
        chosen.take(*of, ChosenFor::Order);
    }
    let missing = missing_regimes(scene, weighed, &chosen);
    for slot in 0..spare {
        let wish = wished(scene.cycle as usize, slot, spare, &missing);
        if let Some((of, why)) = wish.and_then(|why| Some((find(scene, weighed, &chosen, why)?, why))) {
            chosen.take(of, why);
        }
    }
    // What nothing unusual was found for goes back to the order.
    for of in order {
        if chosen.all.len() >= n {
            break;
        }
        chosen.take(of, ChosenFor::Order);
    }
    chosen.all
}

/// What is chosen, in even parts that can be looked at together: of as many as an owner or the clocks say at most, and of five
/// to ten where there are five.
pub fn batches<T>(chosen: &[T], most: usize) -> impl Iterator<Item = &[T]> {
    let parts = parts(chosen.len(), most).max(1);
    let (least, longer) = (chosen.len() / parts, chosen.len() % parts);
    let start = move |part: usize| part * least + part.min(longer);
    (0..parts).map(move |part| &chosen[start(part)..start(part + 1)]).filter(|batch| !batch.is_empty())
}

/// Into how many parts so many are shared out.
#[must_use]
pub fn parts(n: usize, most: usize) -> usize {
    n.div_ceil(most.clamp(BATCH.0, BATCH.1)).min(n / BATCH.0).max(n.div_ceil(BATCH.1))
}

#[derive(Default)]
struct ChosenSet<'a> {
    all: Vec<ChosenEpisode<'a>>,
    ids: BTreeSet<EpisodeId>,
}

impl<'a> ChosenSet<'a> {
    fn take(&mut self, of: WeighedEpisode<'a>, why: ChosenFor) {
        if self.ids.insert(of.episode.id) {
            self.all.push(ChosenEpisode { of, why });
        }
    }
}

/// Slots for what utility would never choose: a fifth, rounded down, so never more.
fn diversity_slots(scene: &ReplayScene<'_>, n: usize) -> usize {
    let share = scene.rules.diversity_share.clamp(0.0, 0.2);
    (n as f64 * share + 1e-9) as usize
}

/// The order that the owner wants. Only utility leaves anything out.
fn ordered<'a>(scene: &ReplayScene<'_>, weighed: &[WeighedEpisode<'a>]) -> Vec<WeighedEpisode<'a>> {
    let mut all: Vec<_> = weighed.iter().filter(|w| !w.marks.let_go).copied().collect();
    let by_id = |a: &WeighedEpisode<'_>, b: &WeighedEpisode<'_>| a.episode.id.cmp(&b.episode.id);
    match scene.rules.prioritization {
        ReplayPrioritization::Utility => {
            all.retain(|w| w.utility > scene.rules.least_utility);
            all.sort_by(|a, b| by_utility(scene, a, b).then_with(|| by_id(a, b)));
        }
        ReplayPrioritization::Recency => all.sort_by_key(|w| std::cmp::Reverse((w.episode.age, w.episode.id))),
        ReplayPrioritization::Surprise => {
            all.sort_by(|a, b| surprise(b.episode).total_cmp(&surprise(a.episode)).then_with(|| by_id(a, b)));
        }
        ReplayPrioritization::Uniform => all.sort_by_cached_key(|w| {
            let draw = UNIFORM_DRAW.wrapping_add(w.episode.id.0 as u32);
            (scene.dice.bits(scene.seen.tick.0, draw), w.episode.id)
        }),
    }
    all
}

/// Near the end what an heir could use comes first; then, for whom the world confuses, what confused it most.
fn by_utility(scene: &ReplayScene<'_>, a: &WeighedEpisode<'_>, b: &WeighedEpisode<'_>) -> Ordering {
    let heirloom =
        |w: &WeighedEpisode<'_>| scene.legacy > DreamLegacy::None && scene.known.transferable.contains(&w.episode.id);
    let confused = if scene.confused { b.confusion.total_cmp(&a.confusion) } else { Ordering::Equal };
    heirloom(b).cmp(&heirloom(a)).then(confused).then_with(|| b.utility.total_cmp(&a.utility))
}

/// What a slot is for: what stirs, what is old, then the missing regimes in turn from cycle to cycle. Where there are
/// too few slots for all three they take turns too, or the last would never come.
fn wished(cycle: usize, slot: usize, slots: usize, missing: &[Regime]) -> Option<ChosenFor> {
    let (kind, turn) = if slots < 3 {
        let place = cycle.wrapping_mul(slots).wrapping_add(slot);
        (place % 3, place / 3)
    } else {
        (slot, cycle.wrapping_mul(slots - 2).wrapping_add(slot.saturating_sub(2)))
    };
    match kind {
        0 => Some(ChosenFor::Arousal),
        1 => Some(ChosenFor::Oldest),
        _ => Some(ChosenFor::Regime(*missing.get(turn.checked_rem(missing.len())?)?)),
    }
}

/// The regimes of the last days that nothing was chosen from.
fn missing_regimes(scene: &ReplayScene<'_>, weighed: &[WeighedEpisode<'_>], chosen: &ChosenSet<'_>) -> Vec<Regime> {
    let there: BTreeSet<Regime> = chosen.all.iter().map(|c| c.of.episode.regime).collect();
    let lived: BTreeSet<Regime> = weighed.iter().filter(|w| is_late(scene, w)).map(|w| w.episode.regime).collect();
    lived.difference(&there).copied().filter(|r| *r != Regime::Unknown).collect()
}

fn is_late(scene: &ReplayScene<'_>, of: &WeighedEpisode<'_>) -> bool {
    let window = Elapsed::secs((scene.rules.diversity_days.clamp(0.0, 1e6) * 86_400.0) as u64);
    scene.seen.now.since(of.episode.age) <= window
}

/// What is left of an episode's arousal by now, by the usual pace at which dreams and time take it.
fn arousal(scene: &ReplayScene<'_>, of: &WeighedEpisode<'_>) -> f64 {
    let felt = feels((of.episode, of.marks), &DepotentiationParams::default(), scene.seen.now);
    felt.map_or(0.0, |[_, arousal, _]| f64::from(arousal))
}

/// The best that a slot can have among what is not chosen yet; the oldest of equals.
fn find<'a>(
    scene: &ReplayScene<'_>,
    weighed: &[WeighedEpisode<'a>],
    chosen: &ChosenSet<'_>,
    wish: ChosenFor,
) -> Option<WeighedEpisode<'a>> {
    let stirs = |w: &WeighedEpisode<'_>| arousal(scene, w);
    let oldest = weighed.get(weighed.len() / OLDEST_PART).map(|w| w.episode.id);
    let fits = |w: &&WeighedEpisode<'a>| match wish {
        ChosenFor::Order => true,
        ChosenFor::Arousal => stirs(w) >= scene.rules.high_arousal,
        ChosenFor::Oldest => oldest.is_some_and(|end| w.episode.id < end),
        ChosenFor::Regime(regime) => w.episode.regime == regime && is_late(scene, w),
    };
    let worth = |w: &WeighedEpisode<'_>| if wish == ChosenFor::Arousal { stirs(w) } else { w.utility };
    let free = weighed.iter().filter(|w| !chosen.ids.contains(&w.episode.id) && !w.marks.let_go);
    free.filter(fits).reduce(|a, b| if worth(b) > worth(a) { b } else { a }).copied()
}
