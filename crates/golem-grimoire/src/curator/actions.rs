//! From what was done to what is worth doing: actions of one kind in one weather, three or more of them, become an
//! insight, or evidence for and against one. Losses on the way become warnings.

use super::distil::{give_evidence, learn_or_move};
use super::{CuratorMaterial, Distilled, LEAST_EVIDENCE, own, warnings};
use crate::entry::{DecayClass, Entry, EntryBody, EntryId, EntryKind};
use crate::episode::{Episode, EpisodeId};
use crate::shelf::Shelf;
use crate::situation::Situation;
use crate::standing::EntryStatus;
use crate::standing::Support;
use crate::subject::{ACTION_TAG, WENT_BADLY, WENT_WELL, speaks_well};
use golem_core::{Elapsed, Regime};
use golem_mortality::Domain;
use std::collections::{BTreeMap, BTreeSet};

/// An action whose outcome has not been known for so long never will be.
const TOO_LATE: Elapsed = Elapsed::secs(86_400);
/// An insight of at least this effective confidence is argued with before its opposite is learnt.
const STILL_BELIEVED: f64 = 0.5;
/// Episodes named as evidence.
const MOST_NAMED: usize = 16;

/// By action and weather.
type Clusters = BTreeMap<(&'static str, Regime), Cluster>;

#[derive(Default)]
struct Cluster {
    episodes: Vec<EpisodeId>,
    good: u32,
    bad: u32,
    sum: Situation,
}

/// `warned` are the episodes that have been warned about and still wait for more of their kind.
pub(super) fn distil(
    shelf: &mut Shelf,
    told: &CuratorMaterial<'_>,
    warned: &mut BTreeSet<EpisodeId>,
    out: &mut Distilled,
) {
    let (clusters, seen, dangers) = sort(shelf, told);
    for danger in dangers {
        if warned.insert(danger.episode) {
            warnings::warn(shelf, danger, told, out);
        }
    }
    for id in seen {
        shelf.mark(id, |m| m.consolidated = true);
        warned.remove(&id);
        out.episodes += 1;
    }
    for ((action, regime), cluster) in clusters {
        if cluster.good + cluster.bad >= LEAST_EVIDENCE {
            learn(shelf, action, regime, &cluster, told, out);
        }
    }
}

/// What has not been looked at yet, by action and weather; what need not be looked at again; what was dangerous.
fn sort(shelf: &Shelf, told: &CuratorMaterial<'_>) -> (Clusters, Vec<EpisodeId>, Vec<warnings::DangerSeen>) {
    let mut clusters = Clusters::new();
    let (mut seen, mut dangers) = (Vec::new(), Vec::new());
    for (episode, marks) in shelf.episodes().filter(|(_, m)| !m.consolidated) {
        dangers.extend(warnings::danger(episode, marks));
        let Some(deed) = &episode.deed else {
            seen.push(episode.id);
            continue;
        };
        match episode.went_well(marks) {
            Some(good) => {
                let cluster = clusters.entry((deed.intent.name(), episode.regime)).or_default();
                cluster.add(episode, good);
            }
            None if told.now.since(episode.age) >= TOO_LATE || marks.outcome_bps.is_some() => seen.push(episode.id),
            None => {}
        }
    }
    for cluster in clusters.values().filter(|c| c.good + c.bad >= LEAST_EVIDENCE) {
        seen.extend(&cluster.episodes);
    }
    (clusters, seen, dangers)
}

impl Cluster {
    fn add(&mut self, episode: &Episode, good: bool) {
        self.episodes.push(episode.id);
        *(if good { &mut self.good } else { &mut self.bad }) += 1;
        for (sum, x) in self.sum.0.iter_mut().zip(episode.situation.0) {
            *sum += x;
        }
    }
    fn middle(&self) -> Situation {
        let n = self.episodes.len().max(1) as f32;
        Situation(self.sum.0.map(|x| x / n))
    }
}

fn learn(
    shelf: &mut Shelf,
    action: &str,
    regime: Regime,
    cluster: &Cluster,
    told: &CuratorMaterial<'_>,
    out: &mut Distilled,
) {
    let well = cluster.good >= cluster.bad;
    let (confirmed, contradicted) = if well { (cluster.good, cluster.bad) } else { (cluster.bad, cluster.good) };
    let seen = Support { confirmed, contradicted };
    let body = insight(action, regime, well, cluster, told);
    // What says the opposite of the same action hears the same evidence the other way round.
    let other_way = Support { confirmed: contradicted, contradicted: confirmed };
    let is_opposite = |b: &EntryBody| b.kind == EntryKind::Insight && speaks_well(b) == Some(!well);
    let opposed: Vec<EntryId> =
        shelf.on_topic(&body).filter(|e| has_a_say(e) && is_opposite(&e.body)).map(|e| e.id).collect();
    for id in &opposed {
        give_evidence(shelf, *id, other_way, told, out);
    }
    // As long as the opposite is believed, the evidence only weighs against it.
    let believed = |e: &Entry| e.is_in_use() && e.effective(told.now) >= STILL_BELIEVED;
    if opposed.iter().filter_map(|id| shelf.entry(*id)).any(believed) {
        return;
    }
    if learn_or_move(shelf, body, seen, told, out).is_some() {
        out.insights += 1;
    }
}

/// Neither archived nor burnt.
fn has_a_say(entry: &Entry) -> bool {
    entry.is_in_use() || matches!(entry.standing.status, EntryStatus::Quarantined(_))
}

fn insight(action: &str, regime: Regime, well: bool, cluster: &Cluster, told: &CuratorMaterial<'_>) -> EntryBody {
    let (word, tag) = if well { ("well", WENT_WELL) } else { ("badly", WENT_BADLY) };
    EntryBody {
        decay_class: DecayClass::Regime,
        domain: Some(Domain::ActionOutcome),
        regime: Some(regime),
        tags: vec![format!("{ACTION_TAG}{action}"), tag.to_owned()],
        prototype: Some(cluster.middle()),
        episodes: cluster.episodes.iter().rev().take(MOST_NAMED).copied().collect(),
        ..own(told, EntryKind::Insight, format!("To {action} in {regime} weather tends to go {word}."))
    }
}
