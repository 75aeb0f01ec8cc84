//! What a golem learnt, and what that was worth, as parts of a page: its rules with the acts under them, and what it found out. The same
//! whether its life is read from a file or was only watched.

use crate::page::{PagePart, PageTable};
use crate::story::{Learnt, in_words};
use crate::wrap::counted;
use crate::{money, time};
use golem_core::{Tick, Timestamp, UsdcDelta};
use golem_grimoire::entry::Provenance;
use golem_grimoire::playbook::{RuleId, RuleWords};
use golem_grimoire::{Entry, EntryStatus};
use golem_life::{Fact, LifeFact};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What is told of what it knows.
const KNOWN: usize = 12;

/// What acts under a rule came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RuleWorth {
    pub acts: u32,
    /// What they realised, gas not counted.
    pub realised: UsdcDelta,
    /// The turn of the first.
    pub first: Tick,
}

/// Something it found out itself, and whether it still goes by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundOut {
    pub learnt: Learnt,
    pub in_use: bool,
}

/// All that it learnt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LifeLessons {
    /// Guesses that came true often enough to become knowledge, and those that did not.
    pub guesses_kept: u64,
    pub guesses_dropped: u64,
    /// The rules of its playbook.
    pub rules: Vec<RuleWords>,
    /// Rules that it acted by and has given up, as they were before it first acted by them.
    pub former: Vec<RuleWords>,
    pub by_rule: BTreeMap<RuleId, RuleWorth>,
    /// What it found out itself, the best proven first.
    pub known: Vec<FoundOut>,
}

/// What it found out itself, awake or asleep; questions that it only asks are not among them.
pub fn own_entries<'a>(all: impl Iterator<Item = &'a Entry>) -> impl Iterator<Item = &'a Entry> {
    let own = |from: &Provenance| matches!(from, Provenance::SelfGenerated | Provenance::Dream);
    all.filter(move |entry| own(&entry.body.provenance) && !entry.body.is_question)
}

/// An entry as it is told.
#[must_use]
pub fn learnt(entry: &Entry, born_at: Timestamp) -> Learnt {
    Learnt {
        at: born_at.after(entry.body.learnt_at.age()),
        text: entry.body.text.clone(),
        is_rule: false,
        held: entry.standing.validated,
        failed: entry.standing.contradicted,
        confidence_bp: entry.standing.confidence_bp,
    }
}

/// What it found out of all that it knows: what it goes by first, then the best proven.
pub fn found_out<'a>(all: impl Iterator<Item = &'a Entry>, born_at: Timestamp) -> Vec<FoundOut> {
    let mut known: Vec<FoundOut> = own_entries(all)
        .map(|entry| FoundOut { learnt: learnt(entry, born_at), in_use: entry.standing.status == EntryStatus::Active })
        .collect();
    let order = |one: &FoundOut| {
        let Learnt { held, confidence_bp, at, ref text, .. } = one.learnt;
        (Reverse((one.in_use, held, confidence_bp)), at, text.clone())
    };
    known.sort_by_cached_key(order);
    known
}

impl LifeLessons {
    /// Take in what acts under rules came to, and what became of guesses.
    pub fn see(&mut self, tick: Tick, fact: &Fact) {
        match fact {
            Fact::Life(LifeFact::Outcome { rules, realised, .. }) => {
                for rule in rules {
                    let none = RuleWorth { first: tick, ..RuleWorth::default() };
                    let worth = self.by_rule.entry(rule.clone()).or_insert(none);
                    worth.acts = worth.acts.saturating_add(1);
                    let more = realised.unwrap_or_default();
                    worth.realised = UsdcDelta(worth.realised.0.saturating_add(more.0));
                }
            }
            Fact::Life(LifeFact::StagingSwept { promoted, refuted, .. }) => {
                self.guesses_kept += u64::from(*promoted);
                self.guesses_dropped += u64::from(*refuted);
            }
            _ => {}
        }
    }

    /// Whether there is nothing to tell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let guessed = self.guesses_kept + self.guesses_dropped > 0;
        !guessed && self.rules.is_empty() && self.former.is_empty() && self.known.is_empty()
    }

    /// Rules and entries with what speaks for them, and what acting by them brought.
    #[must_use]
    pub fn parts(&self, born_at: Timestamp) -> Vec<PagePart> {
        let given_up = match self.former.len() {
            0 => String::new(),
            n => format!(" and has given up {} that it acted by", counted(n, "rule")),
        };
        let mut parts = vec![PagePart::Words(format!(
            "{} of its guesses came true often enough to become knowledge, {} did not. It lives by {}{given_up}.",
            self.guesses_kept,
            self.guesses_dropped,
            counted(self.rules.len(), "rule"),
        ))];
        if self.rules.len() + self.former.len() > 0 {
            parts.push(PagePart::Table(self.rule_table(born_at)));
        }
        if !self.known.is_empty() {
            parts.push(PagePart::Table(self.known_table()));
        }
        parts
    }

    fn rule_table(&self, born_at: Timestamp) -> PageTable {
        let row = |(rule, now): (&RuleWords, &str)| {
            let worth = self.by_rule.get(&rule.id).copied().unwrap_or_default();
            let evidence = format!("{} of {}", rule.validated, rule.validated.saturating_add(rule.contradicted));
            let RuleWorth { acts, realised, .. } = worth;
            let brought = if acts == 0 { "-".to_owned() } else { money::signed(realised) };
            let since = time::day(born_at.after(rule.since.age()));
            let (because, sure) = (in_words(&rule.because), sure(rule.confidence_bp));
            vec![because, since, evidence, sure, acts.to_string(), brought, now.to_owned()]
        };
        let kept = self.rules.iter().map(|rule| (rule, "in its playbook"));
        let former = self.former.iter().map(|rule| (rule, "given up"));
        PageTable {
            caption: "Its rules: how often they came true (of one that was given up, until it first acted by it), and what the acts \
                      under them realised in USDC before gas. Several rules may stand behind one act, and what would have happened \
                      without them is not in the figure."
                .to_owned(),
            head: ["rule", "since", "came true", "sure", "acts", "realised", "now"].map(str::to_owned).to_vec(),
            rows: kept.chain(former).map(row).collect(),
        }
    }

    fn known_table(&self) -> PageTable {
        let row = |FoundOut { learnt, in_use }: &FoundOut| {
            let now = if *in_use { "goes by it" } else { "given up" };
            let known =
                vec![in_words(&learnt.text), time::day(learnt.at), learnt.evidence(), sure(learnt.confidence_bp)];
            known.into_iter().chain([now.to_owned()]).collect()
        };
        let caption = match self.known.len() {
            n if n > KNOWN => format!("What it found out itself: the best proven {KNOWN} of {n}."),
            _ => "What it found out itself.".to_owned(),
        };
        PageTable {
            caption,
            head: ["what", "since", "evidence", "sure", "now"].map(str::to_owned).to_vec(),
            rows: self.known.iter().take(KNOWN).map(row).collect(),
        }
    }
}

fn sure(confidence_bp: u16) -> String {
    format!("{:.0} %", f64::from(confidence_bp) / 100.0)
}
