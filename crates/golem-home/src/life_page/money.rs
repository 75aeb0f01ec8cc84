//! What a life was worth over time beside doing nothing and beside holding, and where its money went.

use super::reading::LifeReading;
use golem_core::{Tick, Timestamp, Usdc};
use golem_life::LifePoint;
use golem_view::course::AccountCourse;
use golem_view::metrics::Sample;
use golem_view::money;
use golem_view::page::{PagePart, PageTable};
use golem_view::story::Instead;

/// The account over time. Its last moment is how the life stands, so that the chart ends where the story does.
pub(super) fn course(life: &LifeReading) -> AccountCourse {
    let mut nothing = Nothing { life, paid: Usdc::ZERO, fed: Usdc::ZERO, at: [0, 0] };
    let begin = |worth: Usdc| vec![Sample { at: life.born_at, worth }];
    let (mut mine, mut idle, mut held) = (begin(life.funding), begin(life.funding), begin(life.funding));
    let (mut taken, mut so_far) = (Usdc::ZERO, 0);
    for (at, point) in &life.points {
        taken = taken.plus(sum_until(&life.taken, &mut so_far, point.tick));
        // What its owner took is no loss. Of whoever is dying it stands in the balance already.
        let is_dying = life.status.death.as_ref().is_some_and(|death| point.tick >= death.tick);
        let home = if is_dying { Usdc::ZERO } else { taken };
        mine.push(Sample { at: *at, worth: point.balance.plus(home) });
        let left = nothing.left(point);
        idle.push(Sample { at: *at, worth: left });
        held.extend(holding(life, point, left).map(|worth| Sample { at: *at, worth }));
    }
    let end = life.status.at;
    push_last(&mut mine, end, life.status.worth());
    push_last(&mut idle, end, life.told.nothing);
    let mut others = Vec::new();
    if let Some(last) = life.told.holding {
        push_last(&mut held, end, last);
        others.push(("buy and hold".to_owned(), held));
    }
    others.push(("hold USDC".to_owned(), idle));
    AccountCourse {
        mine,
        others,
        prices: life.points.iter().filter_map(|(at, point)| Some((*at, point.price?))).collect(),
        phases: phases(life),
        ended_at: life.is_dead().then(|| life.ended_at()),
    }
}

/// The last word on a line: it stands in the place of whatever stood at the same moment, but never of the beginning.
fn push_last(samples: &mut Vec<Sample>, at: Timestamp, worth: Usdc) {
    while samples.len() > 1 && samples.last().is_some_and(|sample| sample.at >= at) {
        samples.pop();
    }
    samples.push(Sample { at, worth });
}

fn phases(life: &LifeReading) -> Vec<(Timestamp, golem_mortality::BehavioralPhase)> {
    // A point says how it stood after a stretch, and the status after the last one.
    let mut from = life.born_at;
    let mut all = Vec::new();
    for (at, point) in &life.points {
        all.push((from, point.phase));
        from = *at;
    }
    all.push((from, life.status.phase));
    all
}

/// What doing nothing but live would have left: what was given, less the rent.
struct Nothing<'a> {
    life: &'a LifeReading,
    paid: Usdc,
    fed: Usdc,
    /// How far it has come in what was paid and fed.
    at: [usize; 2],
}

impl Nothing<'_> {
    fn left(&mut self, point: &LifePoint) -> Usdc {
        self.paid = self.paid.plus(sum_until(&self.life.paid, &mut self.at[0], point.tick));
        self.fed = self.fed.plus(sum_until(&self.life.fed, &mut self.at[1], point.tick));
        self.life.funding.plus(self.fed).minus(point.spent.minus(self.paid))
    }
}

fn sum_until(all: &[(Tick, Usdc)], at: &mut usize, until: Tick) -> Usdc {
    let mut sum = Usdc::ZERO;
    while let Some((_, amount)) = all.get(*at).filter(|(tick, _)| *tick <= until) {
        sum = sum.plus(*amount);
        *at += 1;
    }
    sum
}

/// What holding since birth would have left at a point, by the same reckoning as at the end.
fn holding(life: &LifeReading, point: &LifePoint, nothing: Usdc) -> Option<Usdc> {
    let instead = Instead { price_now: point.price?, ..life.instead? };
    Some(instead.beside(nothing))
}

/// What the chart of its worth has to say beside its lines.
pub(super) fn note(life: &LifeReading) -> String {
    let mut same = "The other two pay the same rent, and no gas or thought; holding pays for two swaps.".to_owned();
    let taken = life.taken.iter().fold(Usdc::ZERO, |sum, (_, amount)| sum.plus(*amount));
    if taken > Usdc::ZERO {
        same += &format!(" {} USDC that its owner took home count on.", money::usdc(taken));
    }
    match life.fed.len() {
        0 => same,
        n => {
            let sum = life.fed.iter().fold(Usdc::ZERO, |sum, (_, amount)| sum.plus(*amount));
            let times = if n == 1 { "once".to_owned() } else { format!("{n} times") };
            format!("{same} Its owner fed it {times}, {} USDC together, and the lines rise with it.", money::usdc(sum))
        }
    }
}

/// Where every micro-USDC went.
pub(super) fn reckoning(life: &LifeReading) -> Vec<PagePart> {
    let row =
        |(what, amount, note): (&str, golem_core::UsdcDelta, String)| vec![what.to_owned(), money::exact(amount), note];
    let table = PageTable {
        caption: "To the micro-USDC: the last line is the sum of the others.".to_owned(),
        head: ["", "USDC", ""].map(str::to_owned).to_vec(),
        rows: life.told.reckoning.lines().into_iter().map(row).collect(),
    };
    vec![PagePart::Heading("Its money".to_owned()), PagePart::Table(table)]
}
