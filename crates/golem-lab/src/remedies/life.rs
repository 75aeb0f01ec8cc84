//! One life in which a stressor is provoked: how often it opened, how long it stayed open, and what the life came to.

use super::provoke::Circumstances;
use crate::Subject;
use crate::compare::CompareError;
use golem_core::{Elapsed, Usdc, VirtualTime};
use golem_daimon::suffering::{Canonical, Remedy, SufferingFact};
use golem_life::fact::DaimonFact;
use golem_life::{Ask, Fact};
use golem_mortality::economic::Purpose;
use serde::Serialize;
use std::collections::BTreeMap;

/// What the owner gives when asked for help.
const GIFT: Usdc = Usdc::whole(20);

/// Who lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RemedyArm {
    /// Whoever does nothing about it.
    Without,
    /// Whoever takes remedies, and is answered when it asks.
    With,
    /// Whoever takes remedies, and is never answered.
    Unanswered,
}

impl RemedyArm {
    /// The arms of a stressor: whether the owner answers matters only where the owner is asked.
    #[must_use]
    pub fn of(stressor: Canonical) -> &'static [Self] {
        let asks = stressor.remedies().any(|r| matches!(r, Remedy::AskOwner | Remedy::SendDigest));
        if asks { &[Self::Without, Self::With, Self::Unanswered] } else { &[Self::Without, Self::With] }
    }
    /// In one word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Without => "without",
            Self::With => "with",
            Self::Unanswered => "unanswered",
        }
    }
}

/// What came of a life.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RemedyLife {
    pub stressor: Canonical,
    pub arm: RemedyArm,
    pub seed: u64,
    /// How often the stressor opened.
    pub opened: u32,
    /// Whether it was over when the life was.
    pub eased: bool,
    /// Hours from its first onset until it was over; until the last turn where it never was.
    pub hours_until_eased: Option<f64>,
    /// Hours that it was open in all.
    pub hours_open: f64,
    /// Worth at the end less what is owed and all that the owner gave, as a share of what it was born with.
    pub gain: f64,
    pub trades: u64,
    /// Paid for models, in USDC.
    pub models: f64,
    /// The steps that were taken, and how often.
    pub steps: BTreeMap<Remedy, u32>,
}

/// The stretches in which one stressor was open.
#[derive(Default)]
struct OpenStretches {
    since: Option<VirtualTime>,
    over: Vec<Elapsed>,
}

impl OpenStretches {
    fn see(&mut self, fact: &SufferingFact, stressor: Canonical, now: VirtualTime) {
        match fact {
            SufferingFact::Onset { stressor: s, .. } if s == stressor.name() => self.since = Some(now),
            SufferingFact::Resolved(row) if row.stressor == stressor.name() => {
                self.over.extend(self.since.take().map(|since| now.since(since)));
            }
            _ => {}
        }
    }
    /// All of them; one that goes on counts up to now.
    fn until(self, now: VirtualTime) -> Vec<Elapsed> {
        self.over.into_iter().chain(self.since.map(|since| now.since(since))).collect()
    }
}

/// Live it to the last day.
pub(super) fn live(stressor: Canonical, arm: RemedyArm, seed: u64, days: u64) -> Result<RemedyLife, CompareError> {
    let circumstances = Circumstances::of(stressor);
    let mut subject = circumstances.born(seed, arm != RemedyArm::Without)?;
    let (mut open, mut steps) = (OpenStretches::default(), BTreeMap::new());
    let last = VirtualTime::default().after(Elapsed::secs(days * 86_400));
    let mut unasked = circumstances.owner.into_iter().peekable();
    while subject.next_age() <= last {
        while let Some((_, ask)) = unasked.next_if(|(hour, _)| subject.next_age().age().as_days() * 24.0 >= *hour) {
            subject.ask(ask);
        }
        if !subject.turn() {
            break;
        }
        let now = subject.life().age();
        let mut asked = Vec::new();
        for fact in suffered(&subject) {
            open.see(fact, stressor, now);
            if let SufferingFact::Remedied { remedy, .. } = fact {
                *steps.entry(*remedy).or_insert(0) += 1;
                asked.extend(answer(*remedy).filter(|_| arm == RemedyArm::With));
            }
        }
        asked.into_iter().for_each(|ask| subject.ask(ask));
    }
    let eased = open.since.is_none() && !open.over.is_empty();
    let stretches = open.until(subject.life().age());
    let (life, ledger) = (subject.life(), subject.life().ledger());
    let given = ledger.funded.plus(ledger.fed).as_f64();
    Ok(RemedyLife {
        stressor,
        arm,
        seed,
        opened: u32::try_from(stretches.len()).unwrap_or(u32::MAX),
        eased,
        hours_until_eased: stretches.first().map(|e| e.as_days() * 24.0),
        hours_open: stretches.iter().map(|e| e.as_days() * 24.0).fold(0.0, |sum, h| sum + h),
        gain: (life.worth().as_f64() - ledger.arrears.as_f64() - given) / ledger.funded.as_f64(),
        trades: life.trades(),
        models: ledger.by_purpose[Purpose::Inference.index()].as_f64(),
        steps,
    })
}

/// What an owner who answers says to a message.
fn answer(remedy: Remedy) -> Option<Ask> {
    match remedy {
        Remedy::AskOwner => Some(Ask::Feed { amount: GIFT }),
        Remedy::SendDigest => Some(Ask::Tell { text: "I am here".to_owned() }),
        _ => None,
    }
}

/// What the last turn told of suffering.
fn suffered(subject: &Subject) -> impl Iterator<Item = &SufferingFact> {
    subject.facts.iter().filter_map(|fact| match &fact.body {
        Fact::Daimon(fact) => match &**fact {
            DaimonFact::Suffering(fact) => Some(fact),
            _ => None,
        },
        _ => None,
    })
}
