//! The wizard at a grave: from the dead one's settings to a birth, step by step; or from nothing, for whoever starts fresh.

use crate::source::{FreshWish, LoreEntry, SourceFailure, SuccessorOffer, SuccessorWish};
use golem_core::{GolemId, Usdc};
use std::collections::BTreeSet;

/// How long an owner has to take what the deposit left: the grace that a machine gives to whoever is told to stop.
pub const PULL_MS: u64 = 25_000;
/// Ways to trade that whoever starts fresh can choose from.
pub const TEMPLATES: [&str; 4] = ["lp-management", "trend-following", "eth-dca", "stable-yield"];
/// The budget that a clean beginning is offered.
const FRESH_BUDGET: &str = "50";

/// Where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WizardStep {
    /// The strategy, beside what the dead one advises.
    Strategy,
    /// What will be inherited.
    Inheritance,
    /// Entries that the owner takes beyond the deposit.
    Pull,
    /// Name and money.
    Funding,
    Confirm,
    /// Somebody is born.
    Birth,
}

/// A line that can be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WizardField {
    pub key: String,
    pub value: String,
    /// What it was with the dead one.
    pub was: String,
}

/// The wizard.
#[derive(Debug, Clone, PartialEq)]
pub struct SuccessionWizard {
    /// Who is succeeded; none for a clean beginning.
    pub dead: Option<GolemId>,
    pub dead_name: String,
    pub step: WizardStep,
    pub offer: Option<SuccessorOffer>,
    pub settings: Vec<WizardField>,
    pub funding: Vec<WizardField>,
    pub inherit: bool,
    pub force_similarity: bool,
    pub row: usize,
    /// What is being typed into the chosen line.
    pub editing: Option<String>,
    pub remains: Vec<LoreEntry>,
    pub marked: BTreeSet<usize>,
    /// When the time to take entries is over.
    pub pull_until: Option<u64>,
    /// The owner has stopped that clock, with so much left of it.
    pub held: Option<u64>,
    /// Of what is marked, what has been taken.
    pub taken: BTreeSet<usize>,
    /// From which of the dead one's words on its advice is read.
    pub advice_top: usize,
    pub problem: Option<String>,
    /// Who was born, what was said of it, and when.
    pub born: Option<(GolemId, String, u64)>,
    /// Something was asked for and has not been answered.
    pub waiting: bool,
}

impl SuccessionWizard {
    /// At the grave of somebody.
    pub fn summon(dead: GolemId, dead_name: &str) -> Self {
        let blank = Self::blank(WizardStep::Strategy, Vec::new());
        Self { dead: Some(dead), dead_name: dead_name.to_owned(), inherit: true, waiting: true, ..blank }
    }
    fn blank(step: WizardStep, funding: Vec<WizardField>) -> Self {
        Self {
            dead: None,
            dead_name: String::new(),
            step,
            offer: None,
            settings: Vec::new(),
            funding,
            inherit: false,
            force_similarity: false,
            row: 0,
            editing: None,
            remains: Vec::new(),
            marked: BTreeSet::new(),
            pull_until: None,
            held: None,
            taken: BTreeSet::new(),
            advice_top: 0,
            problem: None,
            born: None,
            waiting: false,
        }
    }
    /// With nothing of anybody's.
    pub fn fresh() -> Self {
        let field = |key: &str, value: &str| WizardField { key: key.into(), value: value.into(), was: value.into() };
        let lines = [("name", ""), ("budget", FRESH_BUDGET), ("template", TEMPLATES[0]), ("seed", "")];
        Self::blank(WizardStep::Funding, lines.map(|(key, value)| field(key, value)).into())
    }
    /// The steps that it has.
    pub fn steps(&self) -> &'static [WizardStep] {
        use WizardStep::{Birth, Confirm, Funding, Inheritance, Pull, Strategy};
        match self.dead {
            Some(_) => &[Strategy, Inheritance, Pull, Funding, Confirm, Birth],
            None => &[Funding, Confirm, Birth],
        }
    }
    pub fn fields(&mut self) -> Option<&mut Vec<WizardField>> {
        match self.step {
            WizardStep::Strategy => Some(&mut self.settings),
            WizardStep::Funding => Some(&mut self.funding),
            _ => None,
        }
    }
    /// How many lines can be chosen from.
    pub fn rows(&self) -> usize {
        match self.step {
            WizardStep::Strategy => self.settings.len(),
            WizardStep::Funding => self.funding.len(),
            WizardStep::Pull => self.remains.len(),
            WizardStep::Inheritance => self.offer.as_ref().map_or(0, |offer| offer.preview.domains.len()),
            _ => 0,
        }
    }
    /// The step after this one, or the one before it.
    pub fn beside(&self, forward: bool) -> Option<WizardStep> {
        let at = self.steps().iter().position(|s| *s == self.step)?;
        self.steps().get(if forward { at + 1 } else { at.checked_sub(1)? }).copied()
    }
    /// The successor that is wanted, by what stands in the lines.
    pub fn wish(&self) -> Option<Result<SuccessorWish, String>> {
        let dead = self.dead?;
        let changed = self.settings.iter().filter(|f| f.value != f.was);
        let sets = changed.map(|f| (f.key.clone(), f.value.clone())).collect();
        let wish = || -> Result<SuccessorWish, String> {
            let budget = match self.funded("budget") {
                None => None,
                Some(text) => Some(money(&text)?),
            };
            let (inherit, force_similarity) = (self.inherit, self.force_similarity);
            Ok(SuccessorWish { dead, name: self.funded("name"), budget, sets, inherit, force_similarity })
        };
        Some(wish())
    }
    /// The clean beginning that is wanted.
    pub fn fresh_wish(&self) -> Result<FreshWish, String> {
        let name = self.funded("name").ok_or("it needs a name")?;
        let seed = match self.funded("seed") {
            None => None,
            Some(text) => Some(text.parse().map_err(|_| format!("{text:?} is no seed: a whole number, or nothing"))?),
        };
        let budget = money(&self.funded("budget").unwrap_or_default())?;
        let template = self.funded("template").unwrap_or_else(|| TEMPLATES[0].to_owned());
        Ok(FreshWish { name, budget, template, seed })
    }
    fn funded(&self, key: &str) -> Option<String> {
        let found = self.funding.iter().find(|f| f.key == key)?;
        let text = found.value.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
    /// What would be born has come back.
    pub fn offered(&mut self, offer: Result<SuccessorOffer, SourceFailure>) {
        self.waiting = false;
        match offer {
            Ok(offer) => {
                self.problem = None;
                if self.settings.is_empty() {
                    let field = |(key, value): &(String, String)| WizardField {
                        key: key.clone(),
                        value: value.clone(),
                        was: value.clone(),
                    };
                    self.settings = offer.fields.iter().map(field).collect();
                }
                if self.funding.is_empty() {
                    let field = |key: &str, value: String| WizardField { key: key.into(), was: value.clone(), value };
                    self.funding = vec![field("name", offer.name.clone()), field("budget", offer.budget.to_string())];
                }
                self.offer = Some(offer);
            }
            Err(why) => self.problem = Some(told(&why)),
        }
    }
    /// What may be taken has come back: from now on the clock runs.
    pub fn laid_out(&mut self, remains: Result<Vec<LoreEntry>, SourceFailure>, now_ms: u64) {
        self.waiting = false;
        match remains {
            Ok(remains) => {
                (self.remains, self.row) = (remains, 0);
                self.pull_until = Some(now_ms.saturating_add(PULL_MS));
            }
            Err(why) => self.problem = Some(told(&why)),
        }
    }
    /// What is left of the time to take, in ms.
    pub fn left_ms(&self, now_ms: u64) -> Option<u64> {
        self.held.or_else(|| self.pull_until.map(|until| until.saturating_sub(now_ms)))
    }
    /// Stop the clock, or let it run on. The file of the dead stays, so nobody has to hurry.
    pub fn hold(&mut self, now_ms: u64) {
        match self.held.take() {
            Some(left) => self.pull_until = Some(now_ms.saturating_add(left)),
            None => self.held = self.left_ms(now_ms),
        }
    }
    /// The ids of what is marked and has not been taken.
    pub fn chosen(&self) -> Vec<String> {
        self.marked.difference(&self.taken).filter_map(|n| self.remains.get(*n)).map(|entry| entry.id.clone()).collect()
    }
    /// Read on in its advice, or back.
    pub fn advise_on(&mut self, forward: bool) {
        let most = self.offer.as_ref().map_or(0, |offer| offer.advice.len()).saturating_sub(1);
        let step = if forward { self.advice_top.saturating_add(1) } else { self.advice_top.saturating_sub(1) };
        self.advice_top = step.min(most);
    }
    /// Put what the testament advises into the lines.
    pub fn take_advice(&mut self) -> usize {
        let Some(offer) = &self.offer else { return 0 };
        let mut taken = 0;
        for (key, to) in &offer.advised {
            match self.settings.iter_mut().find(|f| f.key == *key) {
                Some(field) if field.value == *to => continue,
                Some(field) => field.value.clone_from(to),
                None => {
                    self.settings.push(WizardField { key: key.clone(), value: to.clone(), was: String::new() });
                }
            }
            taken += 1;
        }
        taken
    }
}

fn money(text: &str) -> Result<Usdc, String> {
    text.trim().parse().map_err(|_| format!("{text:?} is no amount of USDC, such as 50 or 12.5"))
}

fn told(why: &SourceFailure) -> String {
    match &why.hint {
        Some(hint) => format!("{} ({hint})", why.what),
        None => why.what.clone(),
    }
}
