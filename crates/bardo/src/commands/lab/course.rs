//! The course of one life of each arm, on the first path of the first world: what a comparison says of many in figures can be looked at
//! in one.

use crate::commands::kept::KeptMind;
use golem_core::{Elapsed, Timestamp, Usdc, VirtualTime};
use golem_grimoire::change::NamedTable;
use golem_lab::Subject;
use golem_lab::compare::{CompareError, LifeOf, LifeWatch, PairedLives};
use golem_life::Status;
use golem_mortality::BehavioralPhase;
use golem_venue::VenueError;
use golem_view::course::AccountCourse;
use golem_view::dreamt::dreamt;
use golem_view::foresight::foretold;
use golem_view::metrics::Sample;
use golem_view::page::PagePart;
use golem_view::trade::Trades;

/// How often a course is looked at.
const LOOK_EVERY: Elapsed = Elapsed::secs(3_600);
/// Arms whose courses stand in one chart, at most.
const MOST_ARMS: usize = 5;

/// The parts of a page: the second arm's life, with the worth of the others beside it.
pub fn parts(lives: &PairedLives) -> Result<Vec<PagePart>, CompareError> {
    let plan = &lives.plan;
    let arms = plan.arms.len().min(MOST_ARMS);
    let mut seen = Vec::with_capacity(arms);
    for arm in 0..arms {
        let mut course = CourseWatch::default();
        lives.watched(LifeOf { world: 0, template: 0, arm, path: 0 }, &mut course)?;
        seen.push((plan.arms[arm].clone(), course));
    }
    let Some(at) = seen.len().checked_sub(1).map(|last| last.min(1)) else { return Ok(Vec::new()) };
    let (name, lived) = seen.remove(at);
    let mut others: Vec<(String, Vec<Sample>)> = seen.into_iter().map(|(name, course)| (name, course.mine)).collect();
    others.push(("buy and hold".to_owned(), lived.held.clone()));
    let idle = lived.mine.iter().map(|sample| Sample { at: sample.at, worth: plan.budget }).collect();
    others.push(("hold USDC".to_owned(), idle));
    let (world, template, seed) = (&plan.worlds[0], &plan.templates[0], plan.first_seed);
    let words = format!(
        "The first path of {world} with {template}, seed {seed}: the golem is {name}, and the others lived on the same path \
         with the same dice. One path is one roll of the dice; the figures above are of all of them."
    );
    Ok([PagePart::Heading("One path, looked at".to_owned()), PagePart::Words(words)]
        .into_iter()
        .chain(lived.parts(others))
        .collect())
}

/// One life, looked at.
#[derive(Default)]
struct CourseWatch {
    mine: Vec<Sample>,
    held: Vec<Sample>,
    prices: Vec<(Timestamp, f64)>,
    phases: Vec<(Timestamp, BehavioralPhase)>,
    trades: Trades,
    kept: KeptMind,
    next: VirtualTime,
    /// As it stood last.
    last: Option<Status>,
    born_at: Timestamp,
}

impl LifeWatch for CourseWatch {
    fn tables(&self) -> &'static [NamedTable] {
        &KeptMind::TABLES
    }

    fn turn(&mut self, golem: &mut Subject, held: &dyn Fn() -> Result<Usdc, VenueError>) -> Result<(), VenueError> {
        for fact in &golem.facts {
            self.trades.see(fact);
            self.kept.see(fact.tick, &fact.body);
        }
        self.kept.take(golem.take_written());
        let age = golem.life().age();
        if age < self.next && !golem.is_dead() {
            return Ok(());
        }
        self.next = age.after(LOOK_EVERY);
        let status = golem.status();
        if self.mine.is_empty() {
            self.born_at = status.at;
        }
        self.mine.push(Sample { at: status.at, worth: golem.life().worth() });
        self.held.push(Sample { at: status.at, worth: held()? });
        self.phases.push((status.at, status.phase));
        if let Some(price) = status.price {
            self.prices.push((status.at, price));
            self.trades.price(status.at, price);
        }
        self.kept.end(golem.life().grimoire(), self.born_at);
        self.last = Some(status);
        Ok(())
    }
}

impl CourseWatch {
    /// What it was worth, how it fell, what it did, foretold, dreamt and learnt.
    fn parts(self, others: Vec<(String, Vec<Sample>)>) -> Vec<PagePart> {
        let Self { mine, prices, phases, trades, kept, last, born_at, .. } = self;
        let ended_at = last.as_ref().filter(|status| status.death.is_some()).map(|status| status.at);
        let course = AccountCourse { mine, others, prices, phases, ended_at };
        let mut parts =
            vec![course.worth("Golems pay for their living; who holds has none to pay."), course.drawdown()];
        parts.extend(course.phases());
        parts.push(course.table());
        parts.extend(course.trades(trades.all()));
        if let Some(status) = &last {
            parts.extend(foretold(&status.forecasts, &kept.forecasts()));
            parts.extend(dreamt(status.dreams.as_ref(), &kept.dreams(), &kept.staged));
        }
        parts.push(PagePart::Heading("What it learnt".to_owned()));
        parts.extend(kept.lessons.parts(born_at));
        parts
    }
}
