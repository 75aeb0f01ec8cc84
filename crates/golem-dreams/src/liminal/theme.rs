//! Theme incubation: one word to fall asleep with. It biases which episodes come up, and is forgotten after one cycle.

use super::params::OnsetParams;
use golem_core::words::one_line;
use golem_grimoire::situation::AXES;
use golem_grimoire::{Entry, Episode, EpisodeId};
use serde::{Deserialize, Serialize};

/// An axis at least so many deviations away names what was surprising.
const TELLING: f32 = 1.0;
/// The most characters of a theme.
const MOST_WORDS: usize = 60;

/// What a dream is to be about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DreamTheme {
    pub keyword: String,
    /// The episode that it comes from; none where it is an open question.
    pub episode: Option<EpisodeId>,
    /// The one cycle that it lives for.
    pub cycle: u64,
}

impl DreamTheme {
    /// The theme of a cycle: what the most surprising of the latest episodes was about; where nothing was surprising,
    /// the latest open question. The earlier of equals.
    #[must_use]
    pub fn of<'a>(
        episodes: impl IntoIterator<Item = &'a Episode>,
        entries: impl IntoIterator<Item = &'a Entry>,
        params: &OnsetParams,
        cycle: u64,
    ) -> Option<Self> {
        let surprising = episodes
            .into_iter()
            .filter(|e| e.surprise.is_finite() && f64::from(e.surprise) >= params.theme_surprise)
            .reduce(|a, b| if b.surprise > a.surprise { b } else { a });
        if let Some(episode) = surprising {
            return Some(Self { keyword: about(episode), episode: Some(episode.id), cycle });
        }
        let questions = entries.into_iter().filter(|e| e.body.is_question && e.is_in_use());
        let latest = questions.reduce(|a, b| if b.body.learnt_at > a.body.learnt_at { b } else { a })?;
        let keyword = one_line(&latest.body.text, MOST_WORDS);
        (!keyword.is_empty()).then_some(Self { keyword, episode: None, cycle })
    }
    /// True in its own cycle and in no other.
    #[must_use]
    pub fn is_alive(&self, cycle: u64) -> bool {
        self.cycle == cycle
    }
    /// What likeness to it adds to a weight; nothing for what is unlike it.
    #[must_use]
    pub fn bias(&self, cosine: f32, params: &OnsetParams) -> f64 {
        if cosine > 0.0 { params.theme_bias * f64::from(cosine.min(1.0)) } else { 0.0 }
    }
}

/// What was out of the ordinary in an episode, in a word or two.
fn about(episode: &Episode) -> String {
    let axes = AXES.iter().zip(episode.situation.0).filter(|(_, x)| x.abs() >= TELLING);
    let furthest = axes.reduce(|a, b| if b.1.abs() > a.1.abs() { b } else { a });
    furthest.map_or_else(|| format!("{} weather", episode.regime), |(axis, _)| axis.name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imagine::samples::{question, watched};
    use golem_core::Regime;

    fn surprised(id: u64, surprise: f32, axis: Option<usize>) -> Episode {
        let mut episode = watched(id, id, Regime::Volatile).0;
        episode.surprise = surprise;
        if let Some(axis) = axis {
            episode.situation.0[axis] = -3.0;
        }
        episode
    }

    #[test]
    fn the_theme_is_what_surprised_most_or_what_is_open() {
        let params = OnsetParams::default();
        let (gas, plain) = (surprised(1, 4.0, Some(8)), surprised(2, 9.0, None));
        let theme = |episodes: &[&Episode], entries: &[Entry]| {
            DreamTheme::of(episodes.iter().copied(), entries, &params, 7).map(|t| (t.keyword, t.episode))
        };
        assert_eq!(theme(&[&gas], &[]), Some(("gas ratio".into(), Some(EpisodeId(1)))));
        assert_eq!(theme(&[&gas, &plain], &[]), Some(("volatile weather".into(), Some(EpisodeId(2)))));
        let calm = surprised(3, 1.9, Some(8));
        assert_eq!(theme(&[&calm], &[]), None);
        assert!(theme(&[&surprised(4, 2.0, None)], &[]).is_some());
        let open = [question("Why does gas rise at noon?", 5), question("What moves fees?", 9)];
        assert_eq!(theme(&[&calm], &open), Some(("What moves fees?".into(), None)));
        assert_eq!(theme(&[&surprised(5, f32::NAN, None)], &open[..1]).unwrap().0, "Why does gas rise at noon?");
        let mut answered = open[0].clone();
        answered.body.is_question = false;
        assert_eq!(theme(&[], &[answered]), None);
    }

    #[test]
    fn it_lives_for_one_cycle_and_adds_a_fifth_at_most() {
        let theme = DreamTheme { keyword: "gas".into(), episode: None, cycle: 7 };
        assert!(theme.is_alive(7) && !theme.is_alive(8) && !theme.is_alive(6));
        for (cosine, bias) in [(1.0, 0.2), (0.5, 0.1), (0.0, 0.0), (-1.0, 0.0), (9.0, 0.2), (f32::NAN, 0.0)] {
            assert!((theme.bias(cosine, &OnsetParams::default()) - bias).abs() < 1e-9, "{cosine}");
        }
    }
}
