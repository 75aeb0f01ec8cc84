//! Experts: what is proven is true in nine lives of ten, a planted effect is found, a wrong one costs a trifle, a right one
//! shows, and an untrue one from elsewhere fades.

use crate::kit::{Chance, active, body, claim, silent_panel};
use golem_core::observed::{Field, Snapshot};
use golem_core::{Elapsed, VirtualTime};
use golem_grimoire::experts::{
    DOMAINS, ExpertPurse, ExpertSpec, ExpertVerdict, Experts, LEVEL, Learner, PURSE, SaidByPanel, WORST, Way,
    searched_level,
};
use golem_grimoire::series::Series;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::standing::Expectation;
use golem_grimoire::{Entry, EntryBody, EntryKind, Provenance};
use golem_mortality::{Domain, SettledForecast};
use proptest::prelude::*;
use std::collections::VecDeque;

const TICK: u64 = 40_000;
const DAY: u64 = 2_160;
const HORIZON: u64 = 90;

fn normal(chance: &mut Chance) -> f64 {
    (0..12).map(|_| chance.unit()).sum::<f64>() - 6.0
}

/// Blocks until one of so many conditions is proven, each of which holds in a third of the blocks and is worth `effect`.
fn proven_after(chance: &mut Chance, conditions: usize, blocks: usize, effect: f64) -> Option<usize> {
    let level = searched_level(1.0 / conditions as f64, 0);
    let mut all = vec![Learner::new(Way::Either); conditions];
    for block in 0..blocks {
        let residual = normal(chance);
        for one in &mut all {
            one.begin(block & 1);
            if chance.unit() < 0.33 {
                // Samples of one block overlap, and are over together.
                for part in 0..3 {
                    let made = VirtualTime((block as u64 * HORIZON + part) * TICK);
                    one.take(block & 1, 1.0, residual + effect, 1.0 / 3.0, (made, Elapsed((HORIZON - 2) * TICK)));
                }
            }
        }
        // Looked at after every block, and stopped at the first proof.
        if all.iter().any(|one| one.evidence().proves(level)) {
            return Some(block);
        }
    }
    None
}

#[test]
fn whatever_is_looked_at_and_whenever_one_stops_the_level_holds_for_all_of_it_together() {
    let mut chance = Chance(3);
    let wrong = (0..150).filter(|_| proven_after(&mut chance, 60, 500, 0.0).is_some()).count();
    assert!(wrong as f64 <= 150.0 * LEVEL, "{wrong} of 150 lives without anything to find");
    let mut chance = Chance(4);
    let found: Vec<_> = (0..40).filter_map(|_| proven_after(&mut chance, 1, 600, 0.7)).collect();
    assert!(found.len() >= 38, "{} of 40 effects of seven tenths of an error", found.len());
    let found: Vec<_> = (0..40).filter_map(|_| proven_after(&mut chance, 1, 600, 1.5)).collect();
    let mean = found.iter().sum::<usize>() as f64 / found.len() as f64;
    assert!(found.len() == 40 && mean < 60.0, "{} of 40 large effects, after {mean} blocks", found.len());
}

/// A price without memory, seen in every fifth tick: what is learnt from its falls of fifteen ticks, for the next ninety.
fn learnt_from_falls(chance: &mut Chance, days: u64) -> Learner {
    let mut walk = vec![0.0];
    for tick in 0..days * DAY {
        walk.push(walk[tick as usize] + normal(chance) / (HORIZON as f64).sqrt());
    }
    let (mut learner, horizon) = (Learner::new(Way::Either), HORIZON as usize);
    for now in (2 * horizon..walk.len()).step_by(5) {
        let made = now - horizon;
        let side = (made / horizon) & 1;
        if made.is_multiple_of(horizon) {
            learner.begin(side);
        }
        if walk[made] - walk[made - 15] < -0.4 {
            let when = (VirtualTime(made as u64 * TICK), Elapsed(HORIZON * TICK));
            learner.take(side, 1.0, walk[now] - walk[made], 5.0 / HORIZON as f64, when);
        }
    }
    learner
}

#[test]
fn a_fall_within_an_hour_foretells_no_rise_in_it() {
    let mut chance = Chance(11);
    let all: Vec<Learner> = (0..12).map(|_| learnt_from_falls(&mut chance, 60)).collect();
    let slope = all.iter().map(Learner::slope).sum::<f64>() / all.len() as f64;
    let evidence = all.iter().map(|one| one.evidence().log_value()).fold(f64::MIN, f64::max);
    // Means over the samples of each hour would say 0.2, with an evidence of 10.
    assert!(slope.abs() < 0.05 && evidence < 4.0, "{slope}, {evidence}");
}

proptest! {
    #[test]
    fn wrong_experts_cost_no_more_than_their_purse(
        blocks in prop::collection::vec((-2.0..2.0_f64, prop::collection::vec((0.0..1.0_f64, -5.0..5.0_f64), 1..5)), 1..80),
    ) {
        let (mut purse, mut total) = (ExpertPurse::default(), 0.0);
        let mut waits = VecDeque::<(usize, Vec<_>)>::new();
        for (n, (wanted, samples)) in blocks.iter().enumerate() {
            // A block is settled while the next one is under way.
            while waits.front().is_some_and(|(block, _)| block + 2 <= n) {
                let (block, came) = waits.pop_front().expect("there");
                came.iter().for_each(|(weight, shift, residual)| purse.take(block & 1, *weight, *shift, *residual));
            }
            purse.begin(n & 1);
            let shift = purse.allow(n & 1, *wanted);
            prop_assert!(shift.abs() <= wanted.abs() + 1e-12 && shift * wanted >= 0.0);
            let whole: f64 = samples.iter().map(|(weight, _)| weight).sum::<f64>().max(1.0);
            waits.push_back((n, samples.iter().map(|(weight, residual)| (weight / whole, shift, *residual)).collect()));
            for (weight, residual) in samples {
                let r = residual.clamp(-WORST, WORST);
                total += weight / whole * ((r - shift) * (r - shift) - r * r);
            }
            prop_assert!(total <= PURSE + 1e-9, "{total} after {n} blocks");
        }
    }
}

/// A market in which gas is high in spells, and the panel of returns is off by `effect` while it is.
struct Market {
    chance: Chance,
    effect: f64,
    tick: u64,
    high: bool,
    /// The sum of news, and where it was when each forecast was made.
    news: f64,
    open: VecDeque<(VirtualTime, f64, bool, f64)>,
    experts: Experts,
    shelf: Shelf,
    series: Series,
    /// Losses with and without, and what entries heard.
    losses: [f64; 2],
    heard: Vec<(u64, ExpertVerdict)>,
}

impl Market {
    fn new(seed: u64, effect: f64, known: Vec<Entry>) -> Self {
        let mut shelf = Shelf::default();
        known.into_iter().for_each(|entry| assert!(shelf.add(entry)));
        let (mut experts, series) = (Experts::default(), Series::new());
        experts.choose(&shelf, &series, VirtualTime(0), true);
        let (open, heard) = (VecDeque::new(), Vec::new());
        let chance = Chance(seed);
        Self { chance, effect, tick: 0, high: false, news: 0.0, open, experts, shelf, series, losses: [0.0; 2], heard }
    }
    fn now(&self) -> VirtualTime {
        VirtualTime(self.tick * TICK)
    }
    fn turn(&mut self) {
        self.tick += 1;
        let now = self.now();
        self.news += normal(&mut self.chance) / (HORIZON as f64).sqrt();
        // Spells of about twenty ticks, a seventh of the time.
        let changes = self.chance.unit() < if self.high { 1.0 / 20.0 } else { 1.0 / 120.0 };
        self.high ^= changes;
        while self.open.front().is_some_and(|(made, ..)| now.since(*made).0 >= HORIZON * TICK) {
            let Some((made, news, high, said)) = self.open.pop_front() else { break };
            let actual = self.news - news + if high { self.effect } else { 0.0 };
            self.losses[0] += (said - actual) * (said - actual);
            self.losses[1] += actual * actual;
            let of = SettledForecast::of(Domain::PriceDirection, 0.0, 0.0);
            self.experts.settle(&SettledForecast { made, actual, ..of }, true);
        }
        let mut seen = Snapshot::new();
        let gas = if self.high { 2.1 + self.chance.unit() } else { 0.9 + 0.2 * self.chance.unit() };
        seen.set_number(Field::MarketGasRatio, gas).expect("a number");
        seen.set_number(Field::MarketVolumeRatio, 0.5 + self.chance.unit()).expect("a number");
        self.series.push(now, &seen);
        self.experts.see(now, &seen);
        let said = silent_panel(now);
        let advised = self.experts.advise(&said);
        self.open.push_back((now, self.news, self.high, advised.scored));
        if self.tick.is_multiple_of(50) {
            let day = self.tick / DAY;
            self.heard.extend(self.experts.news().into_iter().map(|n| (day, n.what)));
            self.experts.choose(&self.shelf, &self.series, now, true);
        }
    }
    fn days(&mut self, days: u64) -> &mut Self {
        (0..days * DAY).for_each(|_| self.turn());
        self
    }
    /// What a forecast loses with experts, as a share of what it loses without.
    fn share(&self) -> f64 {
        self.losses[0] / self.losses[1]
    }
}

fn says(up: bool) -> EntryBody {
    let then = if up { "forecast.return_error > 0.0" } else { "forecast.return_error < 0.0" };
    let text = format!("When gas is high, {then}.");
    EntryBody { claim: Some(claim("market.gas_ratio > 2.0", then, 90)), ..body(EntryKind::Insight, &text) }
}

/// What somebody else knows: it comes with what it has learnt to expect.
fn told(up: bool, milli: i32) -> Entry {
    let mut entry = active(EntryBody { provenance: Provenance::Clade, ..says(up) }, 5_000);
    entry.standing.expects = Some(Expectation { milli, blocks: 40 });
    entry
}

#[test]
fn what_an_entry_speaks_about_follows_from_its_claim() {
    let spec = |then: &str| {
        ExpertSpec::of(&EntryBody {
            claim: Some(claim("market.gas_ratio > 2.0", then, 90)),
            ..body(EntryKind::Insight, "x")
        })
    };
    for (then, expected) in [
        ("forecast.yield_error > 0.0", Some((Domain::YieldTrend, Way::Up))),
        ("forecast.gas_error < 0.0", Some((Domain::GasCondition, Way::Down))),
        ("market.fee_yield_ratio > 1.5", Some((Domain::YieldTrend, Way::Either))),
        ("market.return_15 < 0.0", Some((Domain::PriceDirection, Way::Either))),
        ("golem.balance_usdc > 5.0", None),
        ("market.protocol == \"degraded\"", None),
    ] {
        assert_eq!(spec(then).map(|s| (s.domain, s.way)), expected, "{then}");
    }
    let question = EntryBody { is_question: true, ..says(true) };
    let rule = EntryBody { kind: EntryKind::Heuristic, ..says(true) };
    assert!(ExpertSpec::of(&question).is_none() && ExpertSpec::of(&rule).is_none());
    let edge = EntryBody {
        edge: Some("market.volatility_ratio>forecast.yield_error@270".into()),
        tags: vec!["sign:rises".into()],
        ..body(EntryKind::CausalLink, "x")
    };
    let spec = ExpertSpec::of(&edge).expect("an edge into a domain");
    assert_eq!((spec.domain, spec.way, spec.input), (Domain::YieldTrend, Way::Up, Some(Field::MarketVolatilityRatio)));
}

#[test]
fn a_right_expert_helps_from_the_first_days_and_is_proven() {
    let first: Vec<f64> = (0..4).map(|seed| Market::new(seed, 1.0, vec![told(true, 900)]).days(6).share()).collect();
    let mean = first.iter().sum::<f64>() / 4.0;
    assert!(mean < 0.995, "what is told helps within days: {first:?}");
    let mut market = Market::new(9, 1.0, vec![told(true, 900)]);
    let share = market.days(25).share();
    assert!(share < 0.97, "{share}");
    assert!(market.heard.iter().any(|(_, what)| *what == ExpertVerdict::Proven), "{:?}", market.heard);
    assert!((market.experts.speakers(Domain::PriceDirection)[0].expects() - 1.0).abs() < 0.4);
}

#[test]
fn an_untrue_expert_from_elsewhere_fades_within_ten_days_and_costs_a_trifle() {
    for (seed, up, milli, effect) in [(1, true, 900, -1.0), (2, false, -900, 1.0), (3, true, -900, -1.0)] {
        let mut market = Market::new(seed, effect, vec![told(up, milli)]);
        let share = market.days(10).share();
        assert!(share < 1.01, "{share}");
        assert!(market.heard.iter().any(|(_, what)| *what == ExpertVerdict::Wrong), "{seed}: {:?}", market.heard);
        assert!(!market.heard.iter().any(|(_, what)| *what == ExpertVerdict::Proven));
    }
}

#[test]
fn what_is_told_of_nothing_is_never_proven() {
    for seed in 0..3 {
        let mut market = Market::new(seed, 0.0, vec![told(true, 900)]);
        let share = market.days(20).share();
        assert!(share < 1.01, "{share}");
        assert!(!market.heard.iter().any(|(_, what)| *what == ExpertVerdict::Proven), "{:?}", market.heard);
        assert!(market.experts.found().is_empty(), "there is nothing to find");
    }
}

#[test]
fn what_the_panel_does_not_know_is_found_by_itself() {
    let mut market = Market::new(5, 1.2, Vec::new());
    let found = loop {
        market.days(1);
        let found = market.experts.found();
        if !found.is_empty() || market.tick > 20 * DAY {
            break found;
        }
    };
    let one = found.first().expect("gas tells");
    assert!(one.up && one.domain == Domain::PriceDirection, "{one:?}");
    let when = &one.claim.as_ref().map(|c| c.when.clone()).unwrap_or_else(|| one.edge.clone().unwrap_or_default());
    assert!(when.contains("gas"), "{when}");
    assert!(market.tick <= 12 * DAY, "after {} days", market.tick / DAY);
    assert_eq!(DOMAINS.len(), 4);
}

/// What a panel that says 0 becomes while gas is high, where hunches are leaned on so many times as far as usual.
fn advised(market: &Market, on_hunches: f64) -> f64 {
    let (mut experts, mut seen) = (market.experts.clone(), Snapshot::new());
    seen.set_number(Field::MarketGasRatio, 2.5).expect("a number");
    let made = market.now();
    experts.see(made, &seen);
    let said = SaidByPanel { domain: Domain::PriceDirection, made, panel: 0.0, scale: 1.0, stored: false, on_hunches };
    experts.advise(&said).scored
}

#[test]
fn a_hunch_is_leaned_on_as_far_as_one_likes_to_try_and_nothing_else_is() {
    let own = |milli| {
        let mut entry = active(says(true), 5_000);
        entry.standing.expects = Some(Expectation { milli, blocks: 40 });
        entry
    };
    let proven = |market: &Market| market.experts.speakers(Domain::PriceDirection)[0].proven;
    let mut market = Market::new(1, 0.6, vec![own(600)]);
    market.days(2);
    assert!(!proven(&market));
    let [least, half, usual, double, most] = [0.1, 0.5, 1.0, 2.0, 9.0].map(|times| advised(&market, times));
    // Leaning further goes towards what all hunches say together, which is not what the loudest of them says.
    assert!(usual > 0.0 && half < 0.9 * usual && (double - usual).abs() > 1e-3, "{half} {usual} {double}");
    assert_eq!((Some(least), Some(most)), (Some(half), Some(double)), "within bounds");
    // What somebody else says is not this golem's to try.
    let mut market = Market::new(1, 0.6, vec![told(true, 600)]);
    market.days(2);
    assert!(!proven(&market) && advised(&market, 1.0) > 0.0);
    assert_eq!(Some(advised(&market, 2.0)), Some(advised(&market, 0.5)));
    // And what is proven is no hunch any more.
    let mut market = Market::new(9, 1.5, vec![own(900)]);
    market.days(25);
    assert!(proven(&market));
    assert_eq!(Some(advised(&market, 2.0)), Some(advised(&market, 0.5)));
}
