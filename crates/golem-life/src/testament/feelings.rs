//! How it felt: the shape of its moods, the moments that stood out, and what stirred it most.

use super::sentence;
use crate::life::Life;
use golem_grimoire::testament::{MoodSample, NarrativeArc, TestamentSentence, TestamentSource};

/// Episodes that stirred it most.
const STIRRED: usize = 3;
/// Less arousal than this is none.
const FELT: f32 = 0.3;

impl Life {
    pub(super) fn how_it_felt(&self) -> Vec<TestamentSentence> {
        let chronicle = &self.state.chronicle;
        let moods = chronicle.moods();
        let mut said = Vec::new();
        if let (Some(first), Some(last)) = (moods.first(), moods.last()) {
            let arc = NarrativeArc::of(moods);
            let text = format!(
                "The shape of my life was {}: pleasure went from {:+.3} early over {:+.3} in the middle to {:+.3} in the end.",
                arc.kind.name(),
                arc.early,
                arc.mid,
                arc.late
            );
            said.push(TestamentSentence::of(TestamentSource::Turns { from: first.tick, to: last.tick }, &text));
            let pleasure = |a: &&MoodSample, b: &&MoodSample| a.pad[0].total_cmp(&b.pad[0]);
            for (sample, word) in [(moods.iter().max_by(pleasure), "best"), (moods.iter().min_by(pleasure), "worst")] {
                let Some(sample) = sample else { continue };
                let text = format!("I felt {word} around turn {}: pleasure {:+.3}.", sample.tick, sample.pad[0]);
                said.push(TestamentSentence::of(TestamentSource::Turn(sample.tick), &text));
            }
            if let Some(mood) = chronicle.dominant_mood() {
                let text = format!("Mostly I was {}, by {} samples of my mood.", mood.name(), moods.len());
                said.push(TestamentSentence::of(TestamentSource::Turns { from: first.tick, to: last.tick }, &text));
            }
        }
        if let Some((tick, load)) = chronicle.peak_load {
            let text = format!("What weighed on me was heaviest at turn {tick}: {load:.2} of 1.");
            said.push(TestamentSentence::of(TestamentSource::Turn(tick), &text));
        }
        said.extend(self.what_stirred_it());
        said
    }

    fn what_stirred_it(&self) -> Vec<TestamentSentence> {
        let Some(grimoire) = &self.grimoire else { return Vec::new() };
        let mut stirred: Vec<_> = grimoire
            .shelf()
            .episodes()
            .map(|(episode, marks)| (episode.arousal(marks), episode))
            .filter(|(arousal, _)| *arousal > FELT)
            .collect();
        stirred.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.id.cmp(&b.1.id)));
        let say = |(arousal, episode): (f32, &golem_grimoire::Episode)| {
            let text = format!("This stirred me ({arousal:.2}) at turn {}: {}", episode.tick, sentence(&episode.text));
            TestamentSentence::of(TestamentSource::Episode(episode.id), &text).and(TestamentSource::Turn(episode.tick))
        };
        stirred.into_iter().take(STIRRED).map(say).collect()
    }
}
