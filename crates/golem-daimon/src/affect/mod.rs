//! Affect: appraisal of events by rules, mood over a personality, and the channels through which it colours behaviour.
//!
//! It colours; it never decides. No limit of phase, gate or cage moves by what a golem feels, and no model is believed about
//! it beyond what the rules would have said.

mod channels;
mod config;
mod emotion;
mod event;
mod fact;
mod ground;
mod helpless;
mod model;
mod mood;
mod mortality;
mod pad;
mod passing;
mod rules;
mod sample;
mod state;
mod status;
mod trigger;

pub use channels::{
    Channels, DreamMix, EXPLORATION, LEAST_CREATIVE, MOST_TIER_SHIFT, RISK_CAP, RISK_FLOOR, SHARING, TierBias,
};
pub use config::{
    AffectConfig, AppraisalModel, ChannelSwitches, FURTHEST_TEMPERAMENT, Personality, Temperament, baseline,
    drawn_temperament, tempered,
};
pub use emotion::{Emotion, Intensity, Plutchik, blend};
pub use event::{Event, EventKind};
pub use fact::{AffectFact, Appraiser};
pub use ground::{Ground, Grounds};
pub use model::{BadAppraisal, Divergence, MOST_DISTANCE, ModelAppraisal};
pub use mood::MoodWord;
pub use mortality::{economic_anxiety, epistemic_vertigo, mortality_emotion, mortality_grounds, stochastic_dread};
pub use pad::Pad;
pub use rules::{AppraisalRule, EmotionStrength, EventAppraisal, RULES, appraise, general, rule_of};
pub use sample::AffectSample;
pub use state::Affect;
pub use status::AffectStatus;
