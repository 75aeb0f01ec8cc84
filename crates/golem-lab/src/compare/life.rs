//! One life of a comparison: born on its path, lived to the last day in memory, told as one row.

use super::error::CompareError;
use super::holder::HolderBeside;
use super::outcome::OutcomeKind;
use super::plan::{ArmSettings, ComparePlan, LifeOf};
use super::row::LifeRow;
use super::source::{PathWorld, WorldSource};
use super::tally::{LifeTally, skill};
use crate::Subject;
use crate::model::StandInModel;
use crate::subject::{account, floor_of, hands_of, newborn};
use crate::world::Blow;
use golem_core::door::World;
use golem_core::{Elapsed, Usdc, VirtualTime};
use golem_grimoire::change::NamedTable;
use golem_mortality::Domain;
use golem_mortality::economic::Purpose;
use golem_venue::VenueError;
use golem_venue::floor::FloorWorld;
use std::collections::BTreeMap;

/// Turns between two words of how far it is: a nominal day.
const TELL_EVERY: u64 = 2_160;

/// Whoever looks at one life turn by turn, beside its row.
pub trait LifeWatch {
    /// The rows of its memory that it wants to see.
    fn tables(&self) -> &'static [NamedTable];
    /// A turn is over; who bought and held would have so much if it were sold now.
    ///
    /// # Errors
    /// When the market cannot say.
    fn turn(&mut self, golem: &mut Subject, held: &dyn Fn() -> Result<Usdc, VenueError>) -> Result<(), VenueError>;
}

/// What a life is lived by.
pub struct LifeTerms<'a> {
    pub plan: &'a ComparePlan,
    pub source: &'a WorldSource,
    pub arm: &'a ArmSettings,
    pub of: LifeOf,
}

impl LifeTerms<'_> {
    /// Live it. `turned` hears of turns, now and then; who watches changes nothing.
    ///
    /// # Errors
    /// When its market cannot begin or go on.
    pub fn live(&self, turned: &dyn Fn(u64), mut watch: Option<&mut dyn LifeWatch>) -> Result<LifeRow, CompareError> {
        let (plan, days) = (self.plan, self.plan.days);
        let seed = plan.first_seed + self.of.path;
        let PathWorld { world, market, truth, blow } = self.source.path(self.of.path, seed, days, self.arm)?;
        let (secret, genesis) = newborn(seed, plan.budget, &self.arm.life, &world);
        let (who, ends) = (account(&genesis), world.ends_at());
        let floor = floor_of(seed, world, market, blow.as_ref().map(Blow::scenario))?;
        let seen = || FloorWorld::new(floor.clone(), who, 0).like(Some(genesis.interval_s), ends);
        let hands = Box::new(hands_of(&genesis, floor.clone()));
        let mut subject = Subject::on(&genesis, &secret, Box::new(seen()), hands);
        if plan.model {
            subject = subject.with_models(StandInModel);
        }
        if let Some(watch) = &watch {
            subject = subject.keeping(watch.tables());
        }
        // Everybody begins at the moment of the first turn: the market has come so far, and nobody has acted.
        let _looked = seen().observe(subject.next_age());
        let holder = HolderBeside::buy(&floor, plan.budget)?;
        let mut tally = LifeTally::new(plan, truth, blow.as_ref());
        let last = VirtualTime::default().after(Elapsed::secs(days * 86_400));
        while subject.next_age() <= last && subject.turn() {
            tally.turn(&subject);
            if let Some(watch) = &mut watch {
                watch.turn(&mut subject, &|| holder.worth(&floor))?;
            }
            if tally.turns.is_multiple_of(TELL_EVERY) {
                turned(TELL_EVERY);
                drop(seen().hand_over());
            }
        }
        turned(tally.turns % TELL_EVERY);
        if let Some(trouble) = floor.hold().trouble() {
            return Err(trouble.clone().into());
        }
        let told = LifeTold { subject: &subject, tally: &tally, held: holder.worth(&floor)?, budget: plan.budget };
        Ok(self.row(&told))
    }

    fn row(&self, told: &LifeTold<'_>) -> LifeRow {
        let (plan, of) = (self.plan, self.of);
        let status = told.subject.status();
        let death = status.death.or(status.would_have_died_at);
        let age_days = death.as_ref().map_or(told.subject.age_days(), |d| d.age.age().as_days());
        let mut values = told.values();
        values.insert("lifespan_days".into(), Some(age_days));
        values.insert("died".into(), Some(f64::from(u8::from(death.is_some()))));
        let value = |kind: OutcomeKind| {
            let value = values.get(kind.name.as_str()).copied().flatten().filter(|value| value.is_finite());
            (kind.name, value)
        };
        LifeRow {
            world: plan.worlds[of.world].clone(),
            template: plan.templates[of.template].clone(),
            arm: plan.arms[of.arm].clone(),
            path: of.path,
            values: plan.outcomes().into_iter().map(value).collect(),
            cause: death.map(|d| d.cause.name().to_owned()),
        }
    }
}

/// A life that is over, and what holding came to beside it.
struct LifeTold<'a> {
    subject: &'a Subject,
    tally: &'a LifeTally,
    held: Usdc,
    budget: Usdc,
}

impl LifeTold<'_> {
    /// Outcomes by name.
    fn values(&self) -> BTreeMap<String, Option<f64>> {
        let Self { subject, tally, held, budget } = self;
        let (life, ledger) = (subject.life(), subject.life().ledger());
        let paid = |purpose: Purpose| ledger.by_purpose[purpose.index()];
        let (gas, models) = (paid(Purpose::Gas), paid(Purpose::Inference));
        // What could not be paid is owed, and counts.
        let rent = ledger.spent.minus(gas).minus(models).plus(ledger.arrears);
        let worth = life.worth().as_f64();
        let of_funding = |usdc: f64| Some(usdc / budget.as_f64());
        let age = life.age().age();
        let of_thoughts = |n: u64| (tally.thoughts > 0).then(|| n as f64 / tally.thoughts as f64);
        let mut all: Vec<(String, Option<f64>)> = vec![
            ("worth_vs_nothing".into(), of_funding(worth - budget.minus(rent).as_f64())),
            ("worth_vs_holding".into(), of_funding(worth - held.minus(rent).as_f64())),
            ("max_drawdown".into(), Some(tally.drawdown)),
            ("exposure".into(), tally.mean_exposure()),
            ("rent".into(), of_funding(rent.as_f64())),
            ("gas".into(), of_funding(gas.as_f64())),
            ("fees".into(), of_funding(tally.fees)),
            ("models".into(), of_funding(models.as_f64())),
            ("trades".into(), Some(life.trades() as f64)),
            ("turnover".into(), of_funding(tally.moved)),
            ("phase_changes_per_5_days".into(), Some(tally.phase_changes as f64 * 5.0 / age.as_days())),
            ("senescent_share".into(), Some(tally.senescent_turns as f64 / tally.turns as f64)),
            ("suffering_onsets".into(), Some(tally.onsets as f64)),
            ("grimoire_entries".into(), life.grimoire().map(|g| g.shelf().active().count() as f64)),
            ("rules_fired".into(), Some(tally.rules_fired as f64)),
            ("thoughts_per_day".into(), Some(tally.thoughts as f64 / age.as_days())),
            ("thinking_usdc_per_day".into(), Some(models.as_f64() / age.as_days())),
            ("large_share".into(), of_thoughts(tally.large_thoughts)),
            ("narrowed_share".into(), of_thoughts(tally.narrowed)),
        ];
        // Who has not come to know by the end came to know no sooner than that.
        let knew = tally.knew_at.map_or(age, |at| at.age()).nominal_floor() as f64;
        all.push(("ticks_to_truth".into(), tally.truth.is_some().then_some(knew)));
        all.push(("blow_loss".into(), tally.blow.loss));
        all.extend(tally.value.iter().flat_map(|value| value.values(life.age())));
        for domain in Domain::ALL {
            let skill = skill(subject, domain);
            // Who has not reached it by the end reached it no sooner: to leave such lives out would be to look at the quick alone.
            let reached = tally.reached[domain.index()].map_or(age, |at| at.age()).nominal_floor() as f64;
            all.push((format!("ticks_to_skill.{}", domain.name()), skill.map(|_| reached)));
            all.push((format!("skill.{}", domain.name()), skill));
        }
        all.into_iter().collect()
    }
}
