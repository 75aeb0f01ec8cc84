//! One line on one path: who lives, when they end, and what crosses to whoever comes next.

use super::account::LineAccount;
use super::arm::TrialArm;
use super::cell::TrialPath;
use super::error::TrialError;
use super::plan::TrialPlan;
use crate::Subject;
use crate::leaving::leaves;
use crate::subject::{account, floor_of, hands_of};
use crate::world::HOUR_S;
use golem_clade::heirloom::Heirloom;
use golem_clade::inheritance::{Inheritance, InheritanceChoice};
use golem_core::birth::{Descent, Identity};
use golem_core::door::World;
use golem_core::{Elapsed, Hash, Name, Secret, Usdc};
use golem_life::{Ask, Being, CarriedOver, Genesis, Settings};
use golem_venue::floor::{FloorWorld, SharedFloor};
use golem_venue::market::MarketConfig;
use std::sync::Arc;

/// Nominal ticks of an hour.
const HOUR_TICKS: u64 = HOUR_S / golem_core::NOMINAL_TICK_S;
/// Nobody dies within a day of birth: an heir of almost nothing would be followed by another every hour.
const LEAST_LIFE_H: u64 = 24;
/// Hours between two looks at what a stranger would leave.
const STRANGER_EVERY_H: u64 = 240;
/// Hours after which a floor lets go of its past.
const PAST_H: u64 = 2_160;
/// What is left of this after one crossing is 0.4.
const FLAT_BEFORE_CROSSING_BP: u16 = 4_706;

/// When a line has its deaths, or what stands for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endings {
    Never,
    /// When its own clocks say so.
    ByClocks,
    /// At these hours of the path.
    At(Vec<u64>),
}

/// What a line is lived by.
pub struct LineTerms<'a> {
    pub plan: &'a TrialPlan,
    pub arm: TrialArm,
    /// Of this arm.
    pub settings: Settings,
    pub path: &'a TrialPath,
    pub seed: u64,
    pub endings: Endings,
    /// What a stranger would have left, by the hour.
    pub stranger: &'a [(u64, Heirloom)],
    /// Whether this line is a stranger to another, whose belongings are noted.
    pub is_stranger: bool,
}

/// What came of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct LineLived {
    pub account: LineAccount,
    pub worth: f64,
    /// Hours of the path at which somebody ended.
    pub deaths: Vec<u64>,
    /// Of whoever lives at the end, or died last.
    pub digest: Hash,
    /// What it would have left, by the hour, where that was asked for.
    pub belongings: Vec<(u64, Heirloom)>,
}

/// A line under way.
struct LivingLine<'a> {
    terms: &'a LineTerms<'a>,
    floor: SharedFloor,
    genesis: Genesis,
    secret: Secret,
    subject: Subject,
    /// The floor's tick at age 0 of whoever lives.
    joined: u64,
    /// The hour in which this life, or this stretch of it, began.
    since: u64,
    /// How often somebody was followed.
    followed: u32,
    dying: bool,
    told: LineLived,
}

impl LineTerms<'_> {
    /// Live it.
    ///
    /// # Errors
    /// When its market cannot begin or go on.
    pub fn live(&self) -> Result<LineLived, TrialError> {
        self.begin()?.live()
    }

    /// Its first life, before its first turn.
    fn begin(&self) -> Result<LivingLine<'_>, TrialError> {
        let floor = floor_of(self.seed, self.path.hours.clone(), MarketConfig::default(), None)?;
        let (genesis, secret) = self.born(0, 0, self.plan.budget, None);
        let subject = put(&genesis, &secret, &floor, 0);
        let account = LineAccount::new(&self.path.shifts, self.plan.recovery_days * 24);
        let told =
            LineLived { account, worth: 0.0, deaths: Vec::new(), digest: Hash::default(), belongings: Vec::new() };
        Ok(LivingLine {
            terms: self,
            floor,
            genesis,
            secret,
            subject,
            joined: 0,
            since: 0,
            followed: 0,
            dying: false,
            told,
        })
    }

    /// The record of a birth. Chances are those of the generation, whatever the arm: the immortal have those of the first.
    fn born(&self, generation: u32, joined: u64, funding: Usdc, of: Option<Heirloom>) -> (Genesis, Secret) {
        let dice_of = if self.arm.is_immortal() { 0 } else { generation };
        let secret = Secret::from_seed(self.seed.wrapping_mul(1_000_003).wrapping_add(u64::from(dice_of)));
        let name: Name =
            format!("line-{generation}").parse().unwrap_or_else(|_| unreachable!("a valid name by construction"));
        let identity = Identity { name: &name, public_key: Hash::default(), commitment: secret.commitment() };
        let born_at = self.path.hours.epoch().after(Elapsed::nominal(joined));
        let first = identity.first_ancestor(true, born_at, funding, self.settings.hash());
        let birth = match &of {
            None => first,
            Some(left) => first.descending(Descent {
                parent: left.lineage.golem,
                lineage: left.lineage.id,
                generation: left.lineage.generation.saturating_add(1),
                inheritance: left.checksum(),
            }),
        };
        let inheritance = of.map(|heirloom| Arc::new(Inheritance { heirloom, choice: InheritanceChoice::default() }));
        (Genesis { birth, settings: self.settings.clone(), interval_s: HOUR_S, inheritance }, secret)
    }
}

impl LivingLine<'_> {
    fn live(mut self) -> Result<LineLived, TrialError> {
        let last = self.terms.plan.days * 24;
        let mut due = match &self.terms.endings {
            Endings::At(hours) => hours.clone(),
            Endings::Never | Endings::ByClocks => Vec::new(),
        };
        due.sort_unstable_by(|a, b| b.cmp(a));
        let mut cleared = 0;
        while self.hour_of(self.subject.next_age().age()) <= last {
            if !self.subject.turn() {
                if let Some(trouble) = self.floor.hold().trouble() {
                    return Err(trouble.clone().into());
                }
                break;
            }
            let hour = self.hour_of(self.subject.life().age().age());
            self.told.account.turn(self.subject.life().mind().forecasters(), hour);
            if hour >= cleared + PAST_H {
                cleared = hour;
                // Nobody goes back: the floor need not keep what is over.
                drop(FloorWorld::new(self.floor.clone(), account(&self.genesis), self.joined).hand_over());
            }
            if self.terms.is_stranger && hour.is_multiple_of(STRANGER_EVERY_H) && !self.dying {
                let left = self.heirloom();
                self.told.belongings.push((hour, left));
            }
            if self.subject.is_dead() {
                self = self.succeeded(hour);
            } else if !self.dying && self.is_due(hour, &mut due) {
                self = self.ended(hour);
            }
        }
        self.told.worth = self.worth().as_f64() / self.terms.plan.budget.as_f64() - 1.0;
        self.told.digest = Being::digest(self.subject.life());
        Ok(self.told)
    }

    /// The hour of the path at an age of whoever lives.
    fn hour_of(&self, age: Elapsed) -> u64 {
        (self.joined + age.nominal_floor()) / HOUR_TICKS
    }

    fn is_due(&self, hour: u64, due: &mut Vec<u64>) -> bool {
        match &self.terms.endings {
            Endings::Never => false,
            Endings::ByClocks => {
                hour >= self.since + LEAST_LIFE_H && self.subject.life().mortality().would_have_died_at.is_some()
            }
            Endings::At(_) => {
                let now = due.last().is_some_and(|at| *at <= hour);
                if now {
                    due.pop();
                }
                now
            }
        }
    }

    /// Its end has come: it dies, or what stands for a death happens to it.
    fn ended(mut self, hour: u64) -> Self {
        self.told.deaths.push(hour);
        match self.terms.arm {
            TrialArm::MatchedForgetting => self.forgot(hour),
            TrialArm::ShamDeath if !self.terms.plan.costs => {
                let (genesis, secret) = (self.genesis.clone(), &self.secret);
                self.subject = self.subject.carried_into(&genesis, secret, CarriedOver::ALL);
                self
            }
            arm => {
                self.dying = true;
                // What its clocks have on record is what it dies of: the cause says what a death teaches, and how long it takes
                // to settle. A sham has no cause, and a span of another life may end before its own clocks say anything.
                let has_cause = arm != TrialArm::ShamDeath && self.subject.dies_as_recorded();
                if !has_cause {
                    self.subject.ask(Ask::Kill { reason: "the trial ends this life".to_owned() });
                }
                self
            }
        }
    }

    /// It loses what a death takes, and lives on with everything else.
    fn forgot(mut self, hour: u64) -> Self {
        let left = self.heirloom();
        self.followed += 1;
        (self.genesis, self.secret) =
            self.terms.born(self.followed, self.joined, self.genesis.birth.funding, Some(left));
        // It goes on seeing: whoever is old and blind would trade where a newborn waits.
        let what = CarriedOver { estate: true, age: true, senses: true, ..CarriedOver::NOTHING };
        self.subject = self.subject.carried_into(&self.genesis, &self.secret, what);
        // What the mind before it wrote is in what was left, as an heir has it.
        drop(self.subject.take_written());
        self.told.account.another_mind();
        self.since = hour;
        self
    }

    /// It is dead, and somebody follows with what it had.
    fn succeeded(mut self, hour: u64) -> Self {
        let estate = self.worth();
        self.followed += 1;
        (self.since, self.dying) = (hour, false);
        if self.terms.arm == TrialArm::ShamDeath {
            (self.genesis, self.secret) = self.terms.born(self.followed, self.joined, estate, None);
            let what = CarriedOver { estate: false, ..CarriedOver::ALL };
            let (seen, hands) = doors(&self.genesis, &self.floor, self.joined);
            self.subject = self.subject.carried_into(&self.genesis, &self.secret, what).moved(seen, hands);
            return self;
        }
        let left = match self.terms.arm {
            TrialArm::NoInheritance => None,
            TrialArm::FlatInheritance => Some(flat(self.heirloom())),
            TrialArm::RandomParent => {
                let before = self.terms.stranger.iter().rev().find(|(at, _)| *at <= hour);
                before.map(|(_, left)| left.clone())
            }
            _ => Some(self.heirloom()),
        };
        self.joined += self.subject.life().age().age().nominal_floor();
        (self.genesis, self.secret) = self.terms.born(self.followed, self.joined, estate, left);
        self.subject = put(&self.genesis, &self.secret, &self.floor, self.joined);
        self.told.account.another_mind();
        self
    }

    /// What whoever lives or died last would leave.
    fn heirloom(&self) -> Heirloom {
        leaves(&self.genesis, &self.subject).heirloom
    }

    /// What there is: of the living all that they own, of the dead what has become money. What could not be closed is lost.
    fn worth(&self) -> Usdc {
        let (life, ledger) = (self.subject.life(), self.subject.life().ledger());
        if self.subject.is_dead() { ledger.balance(Usdc::ZERO).plus(ledger.bequeathed) } else { life.balance() }
    }
}

type Doors = (Box<dyn World>, Box<dyn golem_core::door::Hands<golem_cage::Permit>>);

fn doors(genesis: &Genesis, floor: &SharedFloor, joined: u64) -> Doors {
    let who = account(genesis);
    let seen = FloorWorld::new(floor.clone(), who, joined).like(Some(genesis.interval_s), None);
    (Box::new(seen), Box::new(hands_of(genesis, floor.clone())))
}

fn put(genesis: &Genesis, secret: &Secret, floor: &SharedFloor, joined: u64) -> Subject {
    let (seen, hands) = doors(genesis, floor, joined);
    Subject::on(genesis, secret, seen, hands).writing()
}

/// Everything in it is left at 0.4, whatever it was worth.
fn flat(mut left: Heirloom) -> Heirloom {
    for one in left.entries.iter_mut().chain(&mut left.questions) {
        let crossings = &mut one.passport.crossings;
        (crossings.judged_bp, crossings.generations, crossings.hops) = (FLAT_BEFORE_CROSSING_BP, 0, 0);
    }
    left
}

#[cfg(test)]
mod tests;
