//! The state of affect and its one step: appraise what happened, let it leave its trace, tell what changed.

use super::Pad;
use super::config::{AffectConfig, AppraisalModel, baseline};
use super::emotion::{Emotion, blend};
use super::event::{Event, EventKind};
use super::fact::{AffectFact, Appraiser};
use super::ground::{Ground, Grounds};
use super::helpless::{Helplessness, encouraged};
use super::model::{Divergence, ModelAppraisal};
use super::mood::{Mood, MoodWord};
use super::mortality::{ACCEPTANCE, mortality_emotion, mortality_grounds};
use super::passing::{Caught, Fading, Grief};
use super::rules::appraise;
use super::sample::AffectSample;
use super::trigger::{LastLook, Trigger};
use golem_core::VirtualTime;
use serde::{Deserialize, Serialize};

/// A mood is told when it has moved by more.
const TOLD_AT: f64 = 0.15;

/// What a golem feels. Saved with its state; nobody but [`Affect::feel`] and [`Affect::sync`] changes it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Affect {
    now: VirtualTime,
    pub(super) mood: Mood,
    /// The mood that was last told.
    told: Pad,
    emotion: Option<Fading>,
    pub(super) grief: Option<Grief>,
    caught: Caught,
    trigger: Trigger,
    look: LastLook,
    pub(super) helpless: Helplessness,
    /// Everything together, as of the last turn.
    pub(super) felt: Pad,
    pub(super) prevailing: Option<Emotion>,
    pub(super) end_is_near: bool,
}

/// What was felt in one turn, before it is one feeling.
#[derive(Default)]
struct Stirred {
    emotions: Vec<Emotion>,
    kinds: Vec<EventKind>,
    /// A success of a helpless golem: it breaks the spell, however small.
    relief: bool,
    grounds: Grounds,
    relevance: f64,
    /// False when all that happened is the regular look at one's own end, and it looks as before.
    worth_telling: bool,
}

impl Affect {
    /// A newborn: its mood is its personality.
    #[must_use]
    pub fn new(config: &AffectConfig) -> Self {
        let mood = baseline(config);
        Self { mood: Mood::new(mood), told: mood, felt: mood, ..Self::default() }
    }

    /// One turn. `said` is a model's own appraisal of it, where one was asked. A clock that is set back stands still.
    pub fn feel(
        &mut self,
        now: VirtualTime,
        events: &[Event],
        said: Option<&ModelAppraisal>,
        sample: &AffectSample,
        config: &AffectConfig,
    ) -> Vec<AffectFact> {
        let mut facts = Vec::new();
        if !config.is_on() {
            return facts;
        }
        self.now = self.now.max(now);
        self.mood.drift(self.now, baseline(config));
        self.end_is_near = config.mortality_aware_affect && sample.vitality() < ACCEPTANCE;
        let stirred = self.stir(events, sample, config, &mut facts);
        let said = said.filter(|_| config.appraisal_model == AppraisalModel::ChainOfEmotion);
        self.appraise(stirred, said, config, &mut facts);
        self.settle(config, &mut facts);
        facts
    }

    /// What of the turn is felt.
    fn stir(
        &mut self,
        events: &[Event],
        sample: &AffectSample,
        config: &AffectConfig,
        facts: &mut Vec<AffectFact>,
    ) -> Stirred {
        let mut stirred = Stirred::default();
        for event in events {
            let Some(mut appraisal) = appraise(event, sample, baseline(config)) else { continue };
            let grounds = Grounds::of(event.kind());
            let lifts = self.helpless.is_helpless() && grounds.has(Ground::Gain);
            if !self.trigger.fires(self.now, &appraisal) && !lifts {
                continue;
            }
            if lifts {
                appraisal.emotion = encouraged(appraisal.emotion);
                stirred.relief = true;
            }
            if *event == Event::SiblingDeath {
                let grief = self.grief.map_or_else(|| Grief::new(self.now), |g| g.again(self.now));
                self.grief = Some(grief);
                facts.push(AffectFact::Grief { open: true, deaths: grief.deaths });
            }
            stirred.add(event.kind(), appraisal.emotion, grounds, appraisal.rule.relevance);
            stirred.worth_telling = true;
        }
        let asked = events.contains(&Event::Mortality);
        if config.mortality_aware_affect && self.look.due(self.now, sample.phase, asked) {
            let emotion = mortality_emotion(sample);
            stirred.worth_telling |= self.look.is_news(&emotion);
            stirred.add(EventKind::Mortality, emotion, mortality_grounds(sample), 1.0);
        }
        stirred
    }

    /// From what was stirred to one emotion, and from that to the mood.
    fn appraise(
        &mut self,
        stirred: Stirred,
        said: Option<&ModelAppraisal>,
        config: &AffectConfig,
        facts: &mut Vec<AffectFact>,
    ) {
        let rules = blend(&stirred.emotions);
        let verdict = said.map(|said| match &rules {
            Some(rules) => said.against(rules, stirred.grounds),
            None => Err(Divergence::NoTrigger),
        });
        if let (Some(Err(why)), Some(said)) = (verdict, said) {
            let distance = rules.map(|r| r.pad.distance(said.0.pad));
            facts.push(AffectFact::Divergence { why, distance, rules, model: said.0 });
        }
        let (felt, by) = match (verdict, rules) {
            (Some(Ok(felt)), _) => (felt, Appraiser::Model),
            (_, Some(felt)) => (felt, Appraiser::Rules),
            _ => return,
        };
        self.mood.take(&felt, config);
        self.dwell(&stirred, felt);
        if stirred.worth_telling || by == Appraiser::Model {
            facts.push(AffectFact::Appraisal {
                triggers: stirred.kinds,
                emotion: felt.label,
                intensity: felt.intensity(),
                strength: felt.strength.get(),
                pad: felt.pad,
                relevance: stirred.relevance,
                by,
            });
        }
    }

    /// What goes on being felt: a trifle does not make a great fear go away, and a death is carried by the grief for it.
    fn dwell(&mut self, stirred: &Stirred, felt: Emotion) {
        let only_deaths = stirred.kinds.iter().all(|k| *k == EventKind::SiblingDeath);
        let standing = self.emotion.and_then(|e| e.at(self.now));
        let prevails = stirred.relief || standing.is_none_or(|e| felt.strength.get() >= e.strength.get());
        if prevails && !only_deaths {
            self.emotion = Some(Fading::new(felt, self.now));
        }
    }

    /// Put together what is felt now, and tell what has changed.
    fn settle(&mut self, config: &AffectConfig, facts: &mut Vec<AffectFact>) {
        let emotion = self.emotion.and_then(|e| e.at(self.now));
        let grief = self.grief.and_then(|g| g.at(self.now, config));
        if emotion.is_none() {
            self.emotion = None;
        }
        if let (Some(over), None) = (self.grief, grief) {
            self.grief = None;
            facts.push(AffectFact::Grief { open: false, deaths: over.deaths });
        }
        let passing = |e: Option<Emotion>| e.map_or(Pad::NEUTRAL, |e| e.felt());
        let caught = self.caught.settle(self.now);
        self.felt = self.mood.pad().plus(passing(emotion)).plus(passing(grief)).plus(caught);
        self.prevailing = match (emotion, grief) {
            (Some(e), Some(g)) if g.strength.get() > e.strength.get() => Some(g),
            (Some(e), _) => Some(e),
            (None, g) => g,
        };
        if let Some(dominance) = self.helpless.sample(self.now, self.felt.dominance()) {
            facts.push(AffectFact::Helplessness { open: self.helpless.is_helpless(), dominance });
        }
        let mood = self.mood.pad();
        if mood.distance2(self.told) > TOLD_AT * TOLD_AT {
            facts.push(AffectFact::MoodChange { from: self.told, to: mood, mood: MoodWord::of(mood) });
            self.told = mood;
        }
    }

    /// One exchange with siblings: their feelings rub off, within limits.
    pub fn sync(
        &mut self,
        now: VirtualTime,
        siblings: &[Pad],
        warnings: u32,
        config: &AffectConfig,
    ) -> Option<AffectFact> {
        if !config.is_on() || (siblings.is_empty() && warnings == 0) {
            return None;
        }
        self.now = self.now.max(now);
        let added = self.caught.catch(self.now, siblings, warnings);
        self.felt = self.felt.plus(added);
        let siblings = u32::try_from(siblings.len()).unwrap_or(u32::MAX);
        Some(AffectFact::Contagion { siblings, warnings, added })
    }
}

impl Stirred {
    fn add(&mut self, kind: EventKind, emotion: Emotion, grounds: Grounds, relevance: f64) {
        self.emotions.push(emotion);
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
        self.grounds = self.grounds.or(grounds);
        self.relevance = self.relevance.max(relevance);
    }
}
