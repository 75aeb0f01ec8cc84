//! What others see of affect: the channels, a snapshot for episodes, and a view for people and contexts.

use super::channels::{Channels, ChannelsFelt};
use super::config::drawn_temperament;
use super::emotion::{Intensity, Plutchik};
use super::mood::MoodWord;
use super::{Affect, AffectConfig, Pad};
use serde::{Deserialize, Serialize};
use std::fmt;

impl Affect {
    /// What is coloured now. Neutral while affect is off.
    #[must_use]
    pub fn channels(&self, config: &AffectConfig) -> Channels {
        if !config.is_on() {
            return Channels::NEUTRAL;
        }
        let felt = ChannelsFelt {
            pad: self.felt,
            prevailing: self.prevailing,
            word: MoodWord::of(self.mood.pad()),
            end_is_near: self.end_is_near,
        };
        Channels::of(&felt, &config.channels)
    }

    /// Everything that is felt, as of the last turn.
    #[must_use]
    pub fn felt(&self) -> Pad {
        self.felt
    }
    /// The mood.
    #[must_use]
    pub fn mood(&self) -> Pad {
        self.mood.pad()
    }
    /// What an episode keeps of it; nothing while affect is off.
    #[must_use]
    pub fn snapshot(&self, config: &AffectConfig) -> Option<[f32; 3]> {
        config.is_on().then(|| self.felt.compact())
    }
    /// For surfaces and contexts; nothing while affect is off.
    #[must_use]
    pub fn status(&self, config: &AffectConfig) -> Option<AffectStatus> {
        config.is_on().then(|| AffectStatus {
            mood: MoodWord::of(self.mood.pad()),
            mood_pad: self.mood.pad(),
            felt: self.felt,
            emotion: self.prevailing.map(|e| e.label),
            strength: self.prevailing.map_or(0.0, |e| e.strength.get()),
            grieving: self.grief.map_or(0, |g| g.deaths),
            helpless: self.helpless.is_helpless(),
            channels: self.channels(config),
            temperament: drawn_temperament(config),
        })
    }
}

/// What a surface shows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AffectStatus {
    /// The mood in a word.
    pub mood: MoodWord,
    /// The mood.
    pub mood_pad: Pad,
    /// Everything together.
    pub felt: Pad,
    /// The emotion that prevails, if one does.
    pub emotion: Option<Plutchik>,
    /// How strong it still is.
    pub strength: f64,
    /// How many dead are grieved for.
    pub grieving: u32,
    /// Whether it has felt powerless for long.
    pub helpless: bool,
    /// What is coloured.
    pub channels: Channels,
    /// The personality that it was born with, where it was drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperament: Option<Pad>,
}

impl fmt::Display for AffectStatus {
    /// One line for a context.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mood {} ({})", self.mood.name(), self.mood_pad)?;
        if let Some(emotion) = self.emotion {
            write!(f, ", {} {}", Intensity::of(self.strength).name(), emotion.name())?;
        }
        if self.grieving > 0 {
            write!(f, ", grieving for {}", self.grieving)?;
        }
        if self.helpless {
            write!(f, ", feels powerless: small successes count")?;
        }
        write!(f, "; it colours judgement and moves no limit")
    }
}
