//! Whether a text lies far outside everything that a golem knows. How far is far comes from its own knowledge: from how near
//! its entries usually are to each other.

use golem_grimoire::admission::OFF_TOPIC_BELOW;
use golem_grimoire::embed::{Embedder, MeasuredVector};
use golem_grimoire::shelf::Shelf;

/// Entries of its own below which a golem cannot say what is usual.
pub const LEAST_KNOWN: usize = 50;
/// Entries that stand for all of them.
const MOST_COMPARED: usize = 256;
/// Usual deviations below the usual likeness from which on something lies outside.
const DEVIATIONS: f64 = 3.0;

/// What a golem knows, as points, and how near to its nearest each of them usually is.
#[derive(Debug, Clone, Default)]
pub struct KnowledgeCloud {
    points: Vec<MeasuredVector>,
    /// The least likeness to the nearest that is usual; none while too little is known.
    least: Option<f64>,
}

impl KnowledgeCloud {
    /// What is known here. What others told and nobody has validated does not say what is usual: a stream of strangers must not
    /// move the centre towards itself.
    #[must_use]
    pub fn of(shelf: &Shelf, embedder: &impl Embedder) -> Self {
        let own: Vec<&str> = shelf.in_use().filter(|e| !e.is_hearsay()).map(|e| e.body.text.as_str()).collect();
        if own.len() < LEAST_KNOWN {
            return Self::default();
        }
        let step = own.len().div_ceil(MOST_COMPARED);
        let points: Vec<MeasuredVector> =
            own.iter().step_by(step).map(|text| MeasuredVector::of(&embedder.embed(text))).collect();
        let nearest: Vec<f64> = (0..points.len()).filter_map(|at| nearest(&points, &points[at], Some(at))).collect();
        let n = nearest.len().max(1) as f64;
        let mean = nearest.iter().sum::<f64>() / n;
        let spread = (nearest.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n).sqrt();
        // However alike everything known is, what the gate calls on the subject is near enough.
        Self { points, least: Some((mean - DEVIATIONS * spread).clamp(0.0, OFF_TOPIC_BELOW)) }
    }
    /// True when the text lies outside. While too little is known, nothing does.
    #[must_use]
    pub fn is_outside(&self, text: &str, embedder: &impl Embedder) -> bool {
        let Some(least) = self.least else { return false };
        let point = MeasuredVector::of(&embedder.embed(text));
        nearest(&self.points, &point, None).is_none_or(|likeness| likeness < least)
    }
    /// The likeness to the nearest from which on something lies inside.
    #[must_use]
    pub fn least(&self) -> Option<f64> {
        self.least
    }
}

fn nearest(points: &[MeasuredVector], to: &MeasuredVector, except: Option<usize>) -> Option<f64> {
    let others = points.iter().enumerate().filter(|(at, _)| Some(*at) != except);
    others.filter_map(|(_, p)| p.similarity(to)).map(f64::from).reduce(f64::max)
}
