//! A life as a story: chapters in the order in which they happened, what it learnt, and a reckoning of its money that adds
//! up. It is told from facts, live or read back, so that the same life can be told at any later time.

pub mod calendar;
mod hard;
mod learnt;
mod phases;
mod reckoning;
mod tell;

pub use learnt::{Learnt, plain as in_words};
pub use reckoning::{Instead, Reckoning};
pub use tell::{Ending, Told};

use crate::cause::cause;
use crate::money;
use crate::trade::{Trade, Trades};
use golem_core::fact::Envelope;
use golem_core::{Tick, Timestamp, Usdc};
use golem_dreams::DreamFact;
use golem_life::{Ask, Fact, LifeFact};
use golem_mortality::MortalityFact;
use golem_mortality::economic::Purpose;
use hard::HardTimes;
use phases::{Phases, Transition};
use serde::Serialize;

/// A part of a life that is worth telling.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoryChapter {
    /// What it is about, in two or three words.
    pub title: String,
    /// When it began.
    pub at: Timestamp,
    /// What happened.
    pub text: String,
}

impl StoryChapter {
    /// A chapter.
    pub fn new(title: &str, at: Timestamp, text: impl Into<String>) -> Self {
        Self { title: title.to_owned(), at, text: text.into() }
    }
}

/// What is known of a life so far.
#[derive(Debug, Clone, Default)]
pub struct Story {
    /// When it was born, and with how much.
    born: Option<(Timestamp, Usdc)>,
    trades: Trades,
    /// The turn of the first trade, until it has been told.
    first_trade: Option<Tick>,
    told_first_trade: bool,
    phases: Phases,
    hard: HardTimes,
    /// What its owner and others did to it.
    others: Vec<StoryChapter>,
    fed: Usdc,
    paid: [Usdc; Purpose::ALL.len()],
    learnt: u64,
    refuted: u64,
    /// Whether a dream that came true was told, and one that did not.
    dreams_told: [bool; 2],
    death: Option<StoryChapter>,
}

impl Story {
    /// Take in a fact. What comes back is worth telling at once.
    pub fn see(&mut self, fact: &Envelope<Fact>) -> Vec<StoryChapter> {
        let mut told: Vec<StoryChapter> = self.tell_first_trade(fact.tick).into_iter().collect();
        if let Some(trade) = self.trades.see(fact)
            && trade.is_done()
        {
            self.first_trade.get_or_insert(trade.tick);
        }
        told.extend(self.hard.see(fact));
        let at = fact.at;
        match &fact.body {
            Fact::Life(LifeFact::Born { funded, .. }) => self.born = Some((at, *funded)),
            Fact::Life(LifeFact::Paid { purpose, amount }) => {
                let line = &mut self.paid[purpose.index()];
                *line = line.plus(*amount);
            }
            Fact::Life(LifeFact::StagingSwept { promoted, refuted, .. }) => {
                self.learnt += u64::from(*promoted);
                self.refuted += u64::from(*refuted);
            }
            Fact::Life(LifeFact::Fed { amount }) => {
                self.fed = self.fed.plus(*amount);
                told.push(self.other("fed", at, format!("Its owner gave it {} USDC.", money::usdc(*amount))));
            }
            Fact::Life(LifeFact::Order { ask, .. }) => {
                if let Some(text) = asked(ask) {
                    told.push(self.other("owner", at, text));
                }
            }
            Fact::Dream(dream) => told.extend(self.dream(at, dream)),
            Fact::Mortality(MortalityFact::PhaseTransition { from_phase, to_phase, .. }) => {
                self.phases.see(Transition { at, from: *from_phase, to: *to_phase });
            }
            Fact::Mortality(MortalityFact::WouldHaveDied { cause: why }) => {
                let text = format!("It would have died here, had its clocks been in force: {}.", cause(why));
                told.push(self.other("not dead", at, text));
            }
            Fact::Mortality(MortalityFact::Dying { cause: why, .. }) => {
                let chapter = StoryChapter::new("death", at, format!("{}.", capital(&cause(why))));
                self.death = Some(chapter.clone());
                told.push(chapter);
            }
            _ => {}
        }
        told
    }

    /// A price at a moment: it shows what became of earlier trades.
    pub fn price(&mut self, at: Timestamp, price: f64) {
        self.trades.price(at, price);
    }

    /// The trades so far.
    #[must_use]
    pub fn trades(&self) -> &Trades {
        &self.trades
    }

    fn other(&mut self, title: &str, at: Timestamp, text: String) -> StoryChapter {
        let chapter = StoryChapter::new(title, at, text);
        self.others.push(chapter.clone());
        chapter
    }

    /// Of all dreams the first that came true is told, and the first that did not.
    fn dream(&mut self, at: Timestamp, fact: &DreamFact) -> Option<StoryChapter> {
        let DreamFact::Judged { came_true, text, .. } = fact else { return None };
        if text.is_empty() || std::mem::replace(&mut self.dreams_told[usize::from(*came_true)], true) {
            return None;
        }
        let (title, what) = match came_true {
            true => ("a true dream", "It had dreamt this, and the days that followed bore it out"),
            false => ("only a dream", "It had dreamt this, and the days that followed did not bear it out"),
        };
        Some(self.other(title, at, format!("{what}: {}", learnt::plain(text))))
    }

    /// The first trade may take several acts of one turn: it is told when that turn is over.
    fn tell_first_trade(&mut self, now: Tick) -> Option<StoryChapter> {
        if self.told_first_trade || self.first_trade.is_none_or(|tick| tick >= now) {
            return None;
        }
        self.told_first_trade = true;
        self.first_trade_chapter()
    }

    fn first_trade_chapter(&self) -> Option<StoryChapter> {
        let first = self.first_trade?;
        let acts: Vec<&Trade> = self.trades.all().iter().filter(|t| t.tick == first && t.is_done()).collect();
        let one = acts.first()?;
        let deeds: Vec<String> = acts.iter().map(|t| t.sentence()).collect();
        let text = capital(&format!("{}.{}", deeds.join(", then "), why(one)));
        Some(StoryChapter::new("first trade", one.at, text))
    }
}

/// What an owner or a sibling asked, where it changed a life.
fn asked(ask: &Ask) -> Option<String> {
    Some(match ask {
        Ask::Pause => "Its owner put it to rest.".to_owned(),
        Ask::Resume => "Its owner let it go on.".to_owned(),
        Ask::Halt { reason } => format!("Its owner forbade it new risk: {reason}."),
        Ask::Kill { reason } => format!("Its owner ended it: {reason}."),
        Ask::KillSwitch { .. } => "Somebody threw its kill switch.".to_owned(),
        Ask::Learn { entries } => format!("It was shown {} things that another golem had learnt.", entries.len()),
        Ask::Equip { parcels } => format!("It was handed {} things from its owner's library.", parcels.len()),
        Ask::Peer { from, died: true, .. } => format!("It heard that {from} had died."),
        Ask::Suffer { .. } => "It took over what another agent had suffered.".to_owned(),
        Ask::Judge { proposal, approved } => {
            format!("Its owner {} its proposal {proposal}.", if *approved { "approved" } else { "rejected" })
        }
        Ask::Withdraw { amount: Some(amount) } => format!("Its owner took {} USDC out of it.", money::usdc(*amount)),
        Ask::Withdraw { amount: None } => "Its owner took all of its capital.".to_owned(),
        // Food is told by what arrived, dreams by what they bring; talk changes little.
        Ask::Feed { .. } | Ask::Peer { .. } | Ask::Kin { .. } | Ask::Tell { .. } | Ask::Dream | Ask::Wake { .. } => {
            return None;
        }
    })
}

/// Why it was done, as a sentence of its own.
fn why(trade: &Trade) -> String {
    // Which rule it was says nothing to a reader; that it was one of its own does.
    let (words, own) = match trade.why.split_once("; under ") {
        Some((words, _)) => (words, "; a rule that it had learnt was in force"),
        None => (trade.why.as_str(), ""),
    };
    if words.is_empty() { String::new() } else { format!(" Why: {}{own}.", words.trim_end_matches('.')) }
}

/// With a capital letter.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
