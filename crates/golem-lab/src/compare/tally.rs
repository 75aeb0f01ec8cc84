//! What is counted of a life while it is lived: from facts as they pass and from one look every virtual hour. Nothing of
//! it becomes text.

use super::best::ValueWatch;
use super::blow::BlowWatch;
use super::plan::ComparePlan;
use crate::Subject;
use crate::knowledge::lives_by_the_truth;
use crate::world::{Blow, Truth};
use golem_core::intent::Outcome;
use golem_core::model::ModelTier;
use golem_core::verification::flows;
use golem_core::{Elapsed, OutcomeVerification, Usdc, VirtualTime};
use golem_life::{Fact, LifeFact};
use golem_mind::cache::Stance;
use golem_mortality::epistemic::SenescenceStage;
use golem_mortality::{Domain, MortalityFact};

/// How often a life is looked at.
const LOOK_EVERY: Elapsed = Elapsed::secs(3_600);
/// What the pool takes of everything that is swapped.
const POOL_FEE: f64 = 0.0005;

/// The counts of a life.
#[derive(Debug)]
pub struct LifeTally {
    pub turns: u64,
    pub phase_changes: u64,
    pub senescent_turns: u64,
    senescent: bool,
    pub onsets: u64,
    pub rules_fired: u64,
    /// Turns that a model thought through, by a large one, and to less than what the policy wanted.
    pub thoughts: u64,
    pub large_thoughts: u64,
    pub narrowed: u64,
    /// USDC that went through swaps and through liquidity.
    pub moved: f64,
    /// What the pool took.
    pub fees: f64,
    looks: u64,
    exposure: f64,
    highest: Usdc,
    pub drawdown: f64,
    next_look: VirtualTime,
    skill_level: f64,
    /// Since when the skill of each domain has been at its level.
    pub reached: [Option<VirtualTime>; Domain::ALL.len()],
    /// What is true of its world, and when a rule of its playbook first said so.
    pub truth: Option<Truth>,
    pub knew_at: Option<VirtualTime>,
    /// The first blow of its life.
    pub blow: BlowWatch,
    /// The parameter whose best value is asked for.
    pub value: Option<ValueWatch>,
}

impl LifeTally {
    /// Before the first turn.
    pub fn new(plan: &ComparePlan, truth: Option<Truth>, blow: Option<&Blow>) -> Self {
        Self {
            turns: 0,
            phase_changes: 0,
            senescent_turns: 0,
            senescent: false,
            onsets: 0,
            rules_fired: 0,
            thoughts: 0,
            large_thoughts: 0,
            narrowed: 0,
            moved: 0.0,
            fees: 0.0,
            looks: 0,
            exposure: 0.0,
            highest: plan.budget,
            drawdown: 0.0,
            next_look: VirtualTime::default(),
            skill_level: plan.skill_level,
            reached: [None; Domain::ALL.len()],
            truth,
            knew_at: None,
            blow: BlowWatch::new(blow),
            value: plan.grid().as_ref().map(ValueWatch::new),
        }
    }

    /// Mean share of worth that followed the price.
    pub fn mean_exposure(&self) -> Option<f64> {
        (self.looks > 0).then(|| self.exposure / self.looks as f64)
    }

    /// A turn is over.
    pub fn turn(&mut self, subject: &Subject) {
        self.turns += 1;
        for fact in &subject.facts {
            self.fact(&fact.body);
        }
        self.senescent_turns += u64::from(self.senescent);
        if let Some(grimoire) = subject.life().grimoire() {
            self.rules_fired += grimoire.fired().ids.len() as u64;
        }
        let age = subject.life().age();
        let is_due = age >= self.next_look;
        self.blow.turn(subject, is_due);
        if is_due {
            self.look(subject, age);
            self.next_look = age.after(LOOK_EVERY);
        }
    }

    fn fact(&mut self, fact: &Fact) {
        match fact {
            Fact::Mortality(MortalityFact::PhaseTransition { .. }) => self.phase_changes += 1,
            Fact::Mortality(MortalityFact::Senescence { stage, .. }) => {
                self.senescent = *stage >= SenescenceStage::Confirmed;
            }
            Fact::Life(LifeFact::Outcome { verification, price, .. }) => self.act(verification, *price),
            Fact::Life(LifeFact::Deliberated { tier, stance, .. }) => {
                self.thoughts += 1;
                self.large_thoughts += u64::from(*tier == ModelTier::T2);
                self.narrowed += u64::from(stance.is_some_and(|stance| stance != Stance::Follow));
            }
            Fact::Daimon(fact) if fact.is_onset() => self.onsets += 1,
            _ => {}
        }
    }

    fn act(&mut self, verification: &OutcomeVerification, price: Option<f64>) {
        let outcome = &verification.tx_receipt.outcome;
        let [usdc, asset, _] = flows(outcome);
        let (usdc, asset) =
            (usdc.unsigned_abs() as f64 / 1e6, asset.unsigned_abs() as f64 / 1e18 * price.unwrap_or(0.0));
        match outcome {
            Outcome::Bought { .. } | Outcome::Sold { .. } => {
                self.moved += usdc;
                self.fees += usdc * POOL_FEE;
            }
            Outcome::Added { .. } | Outcome::Removed { .. } | Outcome::Moved { .. } => self.moved += usdc + asset,
            Outcome::Held | Outcome::Refused { .. } | Outcome::Collected { .. } => {}
            Outcome::SentHome { .. } | Outcome::Unwrapped { .. } => {}
        }
    }

    fn look(&mut self, subject: &Subject, age: VirtualTime) {
        let (life, worth) = (subject.life(), subject.life().worth());
        self.looks += 1;
        self.exposure += life.exposure();
        self.highest = self.highest.max(worth);
        if self.highest > Usdc::ZERO {
            self.drawdown = self.drawdown.max(1.0 - worth.as_f64() / self.highest.as_f64());
        }
        if let (None, Some(truth), Some(grimoire)) = (self.knew_at, &self.truth, life.grimoire()) {
            self.knew_at = lives_by_the_truth(grimoire, truth).then_some(age);
        }
        if let Some(value) = &mut self.value {
            value.look(life.strategy(), age);
        }
        for domain in Domain::ALL {
            let reached = &mut self.reached[domain.index()];
            match skill(subject, domain) {
                Some(skill) if skill >= self.skill_level => *reached = reached.or(Some(age)),
                _ => *reached = None,
            }
        }
    }
}

/// Skill of a domain over the whole life: 1 less its loss over the naive loss.
pub fn skill(subject: &Subject, domain: Domain) -> Option<f64> {
    subject.life().mind().forecasters().tally(domain).overall()
}
