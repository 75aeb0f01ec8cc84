//! What is left of the day: episodes with their weights, and the fragments that are drawn from them.

use super::fragment::{FragmentStatus, LiminalFragment, cut};
use super::gate::ThalamicGate;
use super::hori::HoriStage;
use super::onset::OnsetMaterial;
use super::params::OnsetParams;
use super::theme::DreamTheme;
use crate::imagine::CreativeElement;
use crate::journal::DreamProvenance;
use golem_core::Dice;
use golem_grimoire::admission::hollow;
use golem_grimoire::{Claim, Episode, Importance, Marks};

/// Weights of an episode: how recent (while the gate is open), how weighty, how like the mood.
const WEIGHTS: [f64; 3] = [0.4, 0.3, 0.3];
/// How sharply weights count at temperature 1; heat makes them count less.
const SHARPNESS: f64 = 4.0;
/// Episodes of at least this salience are taken besides the latest.
const SALIENT: f64 = 0.7;
/// Episodes in a fragment.
const IN_ONE: usize = 3;

/// What is left of the day: episodes with their weights.
pub(super) struct DayResidue<'a> {
    pub(super) all: Vec<Residue<'a>>,
}

pub(super) struct Residue<'a> {
    pub(super) episode: &'a Episode,
    marks: &'a Marks,
    recency: f64,
    /// Everything that does not come in from outside.
    pub(super) inner: f64,
}

impl<'a> DayResidue<'a> {
    pub(super) fn of(
        material: &OnsetMaterial<'a>,
        theme: Option<&DreamTheme>,
        params: &OnsetParams,
        alike: impl Fn(&str, &str) -> f32,
    ) -> Self {
        let begin = material.episodes.len().saturating_sub(params.recent as usize);
        let (older, recent) = material.episodes.split_at(begin);
        let weighty = older.iter().rev().filter(|(e, _)| salience(e) >= SALIENT).take(params.salient as usize);
        let many = recent.len().max(1) as f64;
        let fresh = recent.iter().rev().enumerate().map(|(i, e)| (1.0 - i as f64 / many, e));
        let before = weighty.chain(fading(older, params.fading as usize)).map(|e| (0.0, e));
        let all = fresh.chain(before).map(|(recency, &(episode, marks))| {
            let like_mood = f64::from(cosine(material.mood, episode.affect)).mul_add(0.5, 0.5);
            let bias = theme.map_or(0.0, |t| t.bias(alike(&t.keyword, &episode.text), params));
            let inner = WEIGHTS[1] * salience(episode) + WEIGHTS[2] * like_mood + bias;
            Residue { episode, marks, recency, inner }
        });
        Self { all: all.collect() }
    }

    /// One of them by dice; none of those that are taken.
    pub(super) fn draw(
        &self,
        taken: &[&Residue<'_>],
        gate: ThalamicGate,
        heat: f64,
        dice: f64,
    ) -> Option<&Residue<'a>> {
        let weight = |r: &Residue<'_>| {
            let plain = WEIGHTS[0] * r.recency * gate.openness() + r.inner;
            libm::pow(plain.max(1e-6), SHARPNESS / heat.max(0.1))
        };
        let open: Vec<(&Residue<'a>, f64)> = self
            .all
            .iter()
            .filter(|r| !taken.iter().any(|t| t.episode.id == r.episode.id))
            .map(|r| (r, weight(r)))
            .collect();
        let mut at = dice * open.iter().map(|(_, w)| w).sum::<f64>();
        for (residue, weight) in &open {
            at -= weight;
            if at < 0.0 {
                return Some(residue);
            }
        }
        open.last().map(|(residue, _)| *residue)
    }

    /// The context of one, the action of another, the outcome of a third (of the second, where there are only two).
    pub(super) fn fragment(
        &self,
        material: &OnsetMaterial<'_>,
        params: &OnsetParams,
        dice: &Dice,
        gate: ThalamicGate,
        heat: f64,
        number: u32,
    ) -> Option<LiminalFragment> {
        let mut drawn: Vec<&Residue<'_>> = Vec::new();
        for n in 0..IN_ONE as u32 {
            let roll = dice.uniform(material.tick, number * IN_ONE as u32 + n);
            drawn.extend(self.draw(&drawn, gate, heat, roll));
        }
        let (context, action, outcome) = match drawn.as_slice() {
            [a, b, c] => (a, b, c),
            [a, b] => (a, b, b),
            _ => return None,
        };
        let content = cut(&recombined(context.episode, action.episode, outcome.episode), params.partial_tokens);
        let apart = 1.0 - f64::from(context.episode.situation.cosine(&outcome.episode.situation));
        let tones: Vec<f64> = drawn.iter().filter_map(|r| r.episode.affect).map(|felt| f64::from(felt[0])).collect();
        Some(LiminalFragment {
            id: format!("onset/{}/{number}", material.cycle),
            claim: claim(context, outcome),
            content,
            novelty_score: 0.0,
            semantic_distance: (apart / 2.0).clamp(0.0, 1.0),
            emotional_tone: tones.iter().filter(|t| t.is_finite()).sum::<f64>() / tones.len().max(1) as f64,
            provenance: DreamProvenance::Hypnagogic,
            dali_cycle: 0,
            hori_stage: HoriStage::of(heat),
            source_episodes: drawn.iter().map(|r| r.episode.id).collect(),
            timestamp: material.at,
            confidence: params.least_confidence,
            status: FragmentStatus::Raw,
        })
    }
}

/// Those that will be forgotten first, the least firm and then the oldest, have a last chance to be of use.
fn fading<'e, 'a>(
    older: &'e [(&'a Episode, &'a Marks)],
    most: usize,
) -> impl Iterator<Item = &'e (&'a Episode, &'a Marks)> {
    let mut light: Vec<_> = older.iter().filter(|(e, _)| salience(e) < SALIENT).collect();
    let first = |a: &&(&Episode, &Marks), b: &&(&Episode, &Marks)| {
        a.1.strength.total_cmp(&b.1.strength).then(a.0.id.cmp(&b.0.id))
    };
    if light.len() > most {
        light.select_nth_unstable_by(most, first);
        light.truncate(most);
    }
    light.sort_unstable_by(first);
    light.into_iter()
}

fn recombined(context: &Episode, action: &Episode, outcome: &Episode) -> String {
    let did = action.deed.as_ref().map_or("wait", |deed| deed.intent.name());
    format!(
        "In {} weather, {}: {did}, and then {}",
        context.regime,
        context.situation.describe(2),
        outcome.text.trim_end_matches('.')
    )
}

/// The weather of the context, and what came of the outcome, where reality has a say in it.
fn claim(context: &Residue<'_>, outcome: &Residue<'_>) -> Option<Claim> {
    let when = CreativeElement::of_episode(context.episode, context.marks).when?;
    let (then, after_ticks) = CreativeElement::of_episode(outcome.episode, outcome.marks).then?;
    let claim = Claim { when, then, unless: None, after_ticks };
    hollow(&claim).is_none().then_some(claim)
}

fn salience(episode: &Episode) -> f64 {
    match episode.importance {
        Importance::Routine => 0.2,
        Importance::Notable => 0.5,
        Importance::Critical => 0.8,
        Importance::Emergency => 1.0,
    }
}

/// How alike two moods are; 0 where one is not known.
pub(super) fn cosine(a: Option<[f32; 3]>, b: Option<[f32; 3]>) -> f32 {
    let (Some(a), Some(b)) = (a, b) else { return 0.0 };
    let dot = |x: [f32; 3], y: [f32; 3]| x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    let norms = (dot(a, a) * dot(b, b)).sqrt();
    let cosine = dot(a, b) / norms;
    if norms > 0.0 && cosine.is_finite() { cosine.clamp(-1.0, 1.0) } else { 0.0 }
}
