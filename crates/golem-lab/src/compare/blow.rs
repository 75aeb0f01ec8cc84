//! What the first blow of a life cost: the fall of worth from its beginning to its end, per unit of what was exposed in the day
//! before it. Where the world sends a blow, its ticks are known; elsewhere the first fall of the price by an eighth within a day is
//! one, from the height that it fell from until a day after it was seen.

use crate::Subject;
use crate::world::Blow;
use golem_core::{Elapsed, VirtualTime};
use std::collections::VecDeque;

/// A fall below this share of the highest price of a day is a crash.
const CRASHED: f64 = 0.875;
const DAY: Elapsed = Elapsed::secs(86_400);
/// Who has less than this share of worth exposed has nothing to lose by it.
const LEAST_EXPOSURE: f64 = 0.02;

/// What is seen of a life at one look.
#[derive(Debug, Clone, Copy)]
struct LifeLook {
    age: VirtualTime,
    worth: f64,
    exposure: f64,
    price: f64,
}

/// Who watches for the first blow of a life.
#[derive(Debug)]
pub struct BlowWatch {
    /// When it begins and when its cost is told, where that is known beforehand.
    known: Option<(VirtualTime, VirtualTime)>,
    /// Looks of the last day.
    looks: VecDeque<LifeLook>,
    /// How things stood when it began, and when its cost is told.
    begun: Option<(LifeLook, VirtualTime)>,
    /// Loss per unit of exposure.
    pub loss: Option<f64>,
    over: bool,
}

impl BlowWatch {
    pub fn new(blow: Option<&Blow>) -> Self {
        let age = |tick: u64| VirtualTime::default().after(Elapsed::nominal(tick));
        // How things stand before its first tick.
        let known = blow.map(|blow| (age(blow.at_tick.saturating_sub(1)), age(blow.told_at)));
        Self { known, looks: VecDeque::new(), begun: None, loss: None, over: false }
    }

    /// A turn is over; `hourly` where it is time for a look.
    pub fn turn(&mut self, subject: &Subject, hourly: bool) {
        let age = subject.life().age();
        let is_due = match (self.known, self.begun) {
            (_, Some((_, told_at))) => age >= told_at,
            (Some((begins, _)), None) => hourly || age >= begins,
            (None, None) => hourly,
        };
        let life = subject.life();
        let Some(price) = life.price().filter(|_| is_due && !self.over) else { return };
        let now = LifeLook { age, worth: life.worth().as_f64(), exposure: life.exposure(), price };
        match self.begun {
            Some((was, _)) => {
                self.loss =
                    (was.exposure >= LEAST_EXPOSURE).then(|| (was.worth - now.worth) / (was.exposure * was.worth));
                self.over = true;
            }
            None => self.look(now),
        }
    }

    /// Before it has begun: keep what is seen, and see whether it begins.
    fn look(&mut self, now: LifeLook) {
        self.looks.retain(|look| look.age.after(DAY) >= now.age);
        self.looks.push_back(now);
        let begun = match self.known {
            Some((begins, told_at)) => (now.age >= begins).then_some((now, told_at)),
            None => {
                let highest = self.looks.iter().copied().max_by(|a, b| a.price.total_cmp(&b.price));
                highest.filter(|high| now.price <= high.price * CRASHED).map(|high| (high, now.age.after(DAY)))
            }
        };
        self.begun = begun.map(|(was, told_at)| (LifeLook { exposure: self.exposed_before(was.age), ..was }, told_at));
    }

    /// The mean of what was exposed in the looks up to a moment.
    fn exposed_before(&self, age: VirtualTime) -> f64 {
        let before = || self.looks.iter().filter(|look| look.age <= age);
        before().map(|look| look.exposure).sum::<f64>() / before().count().max(1) as f64
    }
}
