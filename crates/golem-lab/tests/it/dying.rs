//! The dying protocol: what is open is closed by the ordinary door, once and within its limits; errors never stop it; the
//! testament rests on records alone.

use crate::life_kit::{Turn, Watched};
use golem_cage::Permit;
use golem_core::door::Hands;
use golem_core::intent::{Holdings, Outcome};
use golem_core::{Asset, HomeSum, Intent, Observation, Preview, Receipt, Tick, Usdc};
use golem_grimoire::change::NamedTable;
use golem_grimoire::testament::{
    HomeReport, OpenHolding, SettlementReport, Testament, TestamentSection, TestamentSource,
};
use golem_life::drive::InMemory;
use golem_life::{Ask, Being, LifeFact, LifeStanding, Settings, TickInput};
use golem_mind::policy::{Because, Template};
use golem_mortality::DyingStage;
use golem_mortality::dying::DeathTier;

pub(crate) fn settings(template: Template) -> Settings {
    let mut settings = Settings::default();
    settings.mortality.stochastic.enabled = false;
    settings.policy.template = template;
    settings
}

/// A life that holds something.
pub(crate) fn holding(settings: &Settings, open: impl Fn(&Watched) -> bool) -> Watched {
    let mut golem = Watched::born(3, 500, settings);
    for _ in 0..20_000 {
        golem.turn();
        if open(&golem) {
            return golem;
        }
    }
    panic!("{} never held it: {:?}", settings.policy.template, golem.life.holdings());
}

fn in_the_pool() -> Watched {
    holding(&settings(Template::LpManagement), |g| {
        g.life.holdings().liquidity > 0 && g.life.holdings().asset > Asset::ZERO
    })
}

fn with_asset() -> Watched {
    holding(&settings(Template::EthDca), |g| g.life.holdings().asset > Asset::ZERO)
}

/// Every turn from the order to die to the end.
fn die(golem: &mut Watched, change: impl FnMut(TickInput) -> TickInput) -> Vec<Turn> {
    let mut turns = vec![golem.asked(vec![Ask::Kill { reason: "enough".into() }])];
    turns.extend(end(golem, change));
    turns
}

/// Every turn of dying.
fn end(golem: &mut Watched, mut change: impl FnMut(TickInput) -> TickInput) -> Vec<Turn> {
    let mut turns = Vec::new();
    while golem.life.standing() != LifeStanding::Dead {
        let input = change(golem.input());
        turns.push(golem.live(&input));
        assert!(turns.len() < 100, "it never ends");
    }
    turns
}

pub(crate) fn told(turns: &[Turn]) -> impl Iterator<Item = &LifeFact> {
    turns.iter().flat_map(Turn::told)
}

pub(crate) fn settled(turns: &[Turn]) -> SettlementReport {
    let all: Vec<_> =
        told(turns).filter_map(|f| if let LifeFact::Settled { report } = f { Some(report) } else { None }).collect();
    let [report] = &all[..] else { panic!("one settlement: {all:?}") };
    (***report).clone()
}

fn homed(turns: &[Turn]) -> HomeReport {
    let all: Vec<_> =
        told(turns).filter_map(|f| if let LifeFact::WentHome { report } = f { Some(report) } else { None }).collect();
    let [report] = &all[..] else { panic!("it goes home once: {all:?}") };
    (***report).clone()
}

fn testament(turns: &[Turn]) -> Testament {
    let rows: Vec<_> = turns.iter().flat_map(|t| t.rows(NamedTable::Testament)).collect();
    let [(key, body)] = &rows[..] else { panic!("one testament: {}", rows.len()) };
    assert_eq!(*key, "testament");
    serde_json::from_str(body).unwrap()
}

fn stages(turns: &[Turn]) -> Vec<DyingStage> {
    let facts = turns.iter().flat_map(|t| &t.facts);
    facts
        .filter_map(|f| match &f.body {
            golem_life::Fact::Mortality(golem_mortality::MortalityFact::DyingStage { stage, .. }) => Some(*stage),
            _ => None,
        })
        .collect()
}

#[test]
fn what_is_open_is_closed_in_its_order_and_money_is_conserved() {
    for mut golem in [in_the_pool(), with_asset()] {
        golem.asked(vec![Ask::Kill { reason: "enough".into() }]);
        let held = golem.life.holdings();
        let (before, worth) = (golem.life.ledger().clone(), golem.life.status().positions);
        let turns = end(&mut golem, |input| input);
        let (ledger, after) = (golem.life.ledger(), golem.life.holdings());
        assert!(ledger.balances(), "every micro-USDC is somewhere");
        assert_eq!((after.liquidity, after.asset), (0, Asset::ZERO));
        assert_eq!((golem.life.status().positions, golem.life.exposure()), (Usdc::ZERO, 0.0));
        let report = settled(&turns);
        assert_eq!(report.failed, []);
        assert_eq!(ledger.received.minus(before.received), report.settled, "what came in is what was booked");
        let gas = report.gas.plus(homed(&turns).gas);
        assert_eq!(ledger.spent.minus(before.spent), gas, "and only gas was paid in these turns");
        assert!(report.gas <= report.gas_limit && report.turns <= report.most_turns, "{report:?}");
        let order: Vec<OpenHolding> = report.actions.iter().map(|a| a.what).collect();
        let want: &[OpenHolding] =
            if held.liquidity > 0 { &[OpenHolding::Liquidity, OpenHolding::Asset] } else { &[OpenHolding::Asset] };
        assert_eq!(order, want, "liquidity first, since it brings asset in");
        assert!(report.settled.as_f64() > worth.as_f64() * 0.95, "{} of {worth}", report.settled);
        let acts: Vec<_> = told(&turns)
            .filter_map(|f| match f {
                LifeFact::Outcome { because, verification, .. } => Some((*because, verification.tx_receipt.outcome)),
                _ => None,
            })
            .collect();
        let (home, acts): (Vec<_>, Vec<_>) =
            acts.into_iter().partition(|(_, outcome)| matches!(outcome, Outcome::SentHome { .. }));
        assert_eq!((acts.len(), home.len()), (order.len(), 1), "each once, through the ordinary door");
        let acts: Vec<_> = acts.into_iter().chain(home).map(|(because, _)| because).collect();
        assert!(acts.iter().all(|why| *why == Some(Because::Dying)), "{acts:?}");
        assert_eq!(stages(&turns), DyingStage::ALL);
        assert!(told(&turns).all(|f| !matches!(f, LifeFact::Decided { action } if !action.only_reduces())));
        let stats = testament(&turns).statistics;
        let realised = report.actions.iter().filter(|a| a.realised.0 != 0).count() as u64;
        assert!(realised > 0 && stats.trades_won + stats.trades_lost >= realised, "its last trades count: {stats:?}");
    }
}

#[test]
fn who_holds_nothing_dies_in_six_turns_and_spends_nothing_but_the_way_home() {
    let mut golem = Watched::born(3, 500, &settings(Template::StableYield));
    golem.turns(300);
    assert_eq!((golem.life.holdings().asset, golem.life.holdings().liquidity), (Asset::ZERO, 0));
    let spent = golem.life.ledger().spent;
    let turns = die(&mut golem, |input| input);
    assert_eq!(turns.len(), 1 + DyingStage::ALL.len());
    let report = settled(&turns);
    assert_eq!((report.turns, report.actions.len(), report.failed.len()), (0, 0, 0));
    // The turn that records a death is lived to its end, with its rent.
    let first = golem.life.ledger().spent.minus(spent).minus(homed(&turns).gas);
    assert!(first < Usdc(1_000), "{first}");
    assert_eq!(told(&turns).filter(|f| matches!(f, LifeFact::Decided { .. })).count(), 1, "to go home");
}

/// Nothing of the world is seen.
fn blind(input: TickInput) -> TickInput {
    TickInput { seen: Observation::default(), ..input }
}

#[test]
fn what_cannot_be_closed_is_written_down_and_nothing_stops_the_end() {
    let mut golem = with_asset();
    let held = golem.life.holdings().asset;
    let turns = die(&mut golem, blind);
    let report = settled(&turns);
    let [left] = &report.failed[..] else { panic!("{report:?}") };
    assert_eq!((left.what, left.amount, left.why.as_str()), (OpenHolding::Asset, held.0, "no price was seen"));
    assert!(left.worth > Usdc::ZERO && left.attempts == report.most_turns, "{left:?}");
    assert_eq!((report.turns, report.most_turns, report.actions.len()), (30, 30, 0));
    assert_eq!(stages(&turns), DyingStage::ALL);
    let home = homed(&turns);
    assert_eq!(home.sent[0].sum, HomeSum::Asset(held), "what cannot be sold goes home as it is: {home:?}");
    assert_eq!((golem.life.holdings().asset, golem.life.holdings().on_chain), (Asset::ZERO, Usdc::ZERO));
    let left_open = testament(&turns);
    assert_eq!(left_open.settlement, report);
    let first = &left_open.successor_recommendations.priorities[0];
    assert!(first.what.text().contains("stayed open: no price was seen"), "{}", first.what.text());
}

#[test]
fn what_is_refused_at_first_is_tried_again_and_done_once() {
    let mut golem = with_asset();
    let mut dark = 6;
    let turns = die(&mut golem, |input| {
        dark -= i32::from(dark > 0);
        if dark > 0 { blind(input) } else { input }
    });
    let report = settled(&turns);
    assert_eq!((report.failed.len(), report.actions.len()), (0, 1), "{report:?}");
    assert!(report.turns > 3, "{report:?}");
    assert_eq!(golem.life.holdings().asset, Asset::ZERO);
}

#[test]
fn a_price_that_its_reference_does_not_bear_out_sells_nothing() {
    // In every turn the pool says a tenth less than its own mean. A sale waits for the two to agree, as long as the cage says, and is
    // held against the turn before from then on. A pool that says more than its mean gives a seller no reason to wait.
    let wait = u64::from(settings(Template::EthDca).cage.reference_wait_turns);
    for off in [-1_000, 1_000] {
        let mut golem = with_asset();
        // The turn that records the death is the next one; from the one after it on the two differ.
        let died = golem.life.tick().0 + 1;
        let turns = die(&mut golem, |mut input| {
            if let Some(reference) = &mut input.seen.reference {
                reference.tick += off;
            }
            input
        });
        let report = settled(&turns);
        let after: Vec<u64> = report.actions.iter().map(|act| act.tick.0 - died).collect();
        assert!(off < 0 || after.iter().all(|turn| *turn > wait), "{off}: sold {after:?} turns after its death");
        assert!(!after.is_empty(), "{off}: the wait is over in time: {report:?}");
        assert_eq!(stages(&turns), DyingStage::ALL);
    }
}

#[test]
fn chance_takes_the_short_way() {
    let mut settings = settings(Template::EthDca);
    settings.mortality.stochastic.enabled = true;
    settings.mortality.stochastic.base_hazard_rate = 1e-4;
    settings.mortality.stochastic.age_hazard_coefficient = 1e-3;
    settings.mortality.stochastic.max_hazard_rate = 0.01;
    let mut golem = (1..50)
        .find_map(|seed| {
            let mut golem = Watched::born(seed, 500, &settings);
            while golem.life.standing() == LifeStanding::Alive {
                golem.turn();
            }
            (golem.life.holdings().asset > Asset::ZERO).then_some(golem)
        })
        .expect("one of them held something");
    let mut turns = Vec::new();
    while golem.life.standing() != LifeStanding::Dead {
        let input = blind(golem.input());
        turns.push(golem.live(&input));
    }
    assert_eq!(settled(&turns).most_turns, 12);
    assert_eq!(turns.len(), 12 + DyingStage::ALL.len() - 1);
    let said = testament(&turns);
    assert!(said.sections.killed_me[0].text().starts_with("Chance: "), "{}", said.sections.killed_me[0].text());
    let none = told(&turns).any(|f| matches!(f, LifeFact::Bequeathed { bloodstains } if bloodstains.is_empty()));
    assert!(none, "chance teaches nothing about the market");
}

/// Hands whose previews say that every act costs this much gas.
struct Dear<'a>(&'a mut golem_venue::floor::FloorHands, fn(Usdc) -> Usdc);

impl Hands<Permit> for Dear<'_> {
    fn is_external(&self) -> bool {
        false
    }
    fn redo(&mut self, preview: &Preview, receipt: &Receipt, holdings: &Holdings) -> Result<(), String> {
        Hands::<Permit>::redo(self.0, preview, receipt, holdings)
    }
    fn preview(&mut self, wishes: &[Intent], holdings: &Holdings) -> Vec<Preview> {
        let mut previews = self.0.preview(wishes, holdings);
        for preview in &mut previews {
            if let Outcome::Sold { got, .. } = preview.outcome {
                preview.gas.cost = (self.1)(got);
            }
        }
        previews
    }
    fn act(&mut self, now: Tick, preview: &Preview, permit: Permit) -> Receipt {
        self.0.act(now, preview, permit)
    }
}

/// The settlement of a golem whose sales would cost this much.
fn settled_at(gas: fn(Usdc) -> Usdc) -> (SettlementReport, u64) {
    let mut golem = with_asset();
    golem.asked(vec![Ask::Kill { reason: "enough".into() }]);
    let (mut turns, trades) = (Vec::new(), golem.life.trades());
    while golem.life.standing() != LifeStanding::Dead {
        let input = golem.input();
        let Watched { life, hands, models, .. } = &mut golem;
        let mut dear = Dear(hands, gas);
        let (_, end) = InMemory { being: life, hands: &mut dear, models: models.as_mut() }.turn(input);
        let facts = std::mem::take(golem.life.facts());
        turns.push(Turn { facts, changes: golem.life.changes(), end });
    }
    (settled(&turns), golem.life.trades() - trades)
}

#[test]
fn gas_that_is_not_worth_it_or_not_there_is_not_paid() {
    let (report, acts) = settled_at(|got| got.plus(Usdc(1)));
    let [left] = &report.failed[..] else { panic!("{report:?}") };
    // Beyond the budget, and nothing of the sale would be left: whichever is said first, nothing is sold.
    assert!(left.why.contains("gas") && acts == 0, "{left:?}");
    let (report, acts) = settled_at(|got| Usdc(got.0 / 3));
    let [left] = &report.failed[..] else { panic!("{report:?}") };
    assert!(left.why.contains("more than the") && left.why.contains("left for it") && acts == 0, "{left:?}");
    assert_eq!(left.attempts + 1, report.most_turns, "gas may fall: it is tried again in every turn but the first");
}

#[test]
fn a_testament_rests_on_records_alone() {
    for mut golem in [in_the_pool(), with_asset()] {
        golem.turns(6_000);
        let turns = die(&mut golem, |input| input);
        let said = testament(&turns);
        assert!(said.is_whole(), "the checksum is over what is there");
        let (grimoire, last) = (golem.life.grimoire().unwrap(), golem.life.tick());
        assert!(said.sentences().count() > 20, "{}", said.sentences().count());
        for sentence in said.sentences() {
            assert!(!sentence.rests_on().is_empty() && sentence.text().len() > 10);
            for source in sentence.rests_on() {
                let known = match source {
                    TestamentSource::Turn(tick) => (Tick(1)..=last).contains(tick),
                    TestamentSource::Turns { from, to } => from <= to && *to <= last,
                    TestamentSource::Entry(id) => {
                        grimoire.shelf().entry(*id).is_some_and(|e| {
                            let words = golem_core::words::one_line(&e.body.text, 40);
                            sentence.text().contains(&words)
                        }) || grimoire.shelf().ashes().contains_key(id)
                    }
                    TestamentSource::Episode(id) => id.0 >= 1 && *id < grimoire.next_episode(),
                    TestamentSource::Edge(id) => {
                        grimoire.graph().edge(id).is_some_and(|e| sentence.text().contains(&e.say()))
                    }
                    TestamentSource::Proposal(n) => (1..=grimoire.staging().last_number()).contains(n),
                    TestamentSource::Rule(id) => grimoire.playbook().rule(id).is_some(),
                    TestamentSource::Dream(_) => false,
                };
                assert!(known, "{source} does not bear out {:?}", sentence.text());
            }
        }
        for section in [TestamentSection::Learned, TestamentSection::KilledMe, TestamentSection::EmotionalTopology] {
            assert!(!said.sections.of(section).is_empty(), "{}", section.title());
        }
        assert_eq!(said.final_playbook, grimoire.page());
        assert_eq!(said.statistics.final_nav, golem.life.status().worth());
        assert_eq!(golem.life.status().balance, Usdc::ZERO, "it has nothing any more");
        assert_eq!(said.statistics.trades_executed, golem.life.trades());
        assert!(said.narrative.len() >= 5 && said.last_words.text().contains("I was ended"));
    }
}

#[test]
fn what_is_changed_in_a_testament_is_seen() {
    let mut golem = with_asset();
    let said = testament(&die(&mut golem, |input| input));
    let mut changed = said.clone();
    changed.statistics.trades_executed += 1;
    assert!(said.is_whole() && !changed.is_whole());
    assert!(said.told.is_none(), "nobody was asked");
}

#[test]
fn whoever_declines_drafts_and_poverty_is_told_with_its_figures() {
    let mut settings = settings(Template::LpManagement);
    settings.mortality.economic.compute_usdc_per_hour = Usdc(60_000);
    let mut golem = Watched::born(11, 6, &settings);
    let mut turns = Vec::new();
    while golem.life.standing() != LifeStanding::Dead {
        turns.push(golem.turn());
        assert!(turns.len() < 40_000);
    }
    let drafted =
        told(&turns).find_map(|f| if let LifeFact::TestamentWritten { drafted, .. } = f { *drafted } else { None });
    assert!(drafted.is_some_and(|tick| tick.is_every(50)), "it declined, and drafted: {drafted:?}");
    let said = testament(&turns);
    assert!(said.sections.killed_me[0].text().starts_with("Poverty: "), "{}", said.sections.killed_me[0].text());
    let first = &said.successor_recommendations.priorities[0];
    assert!(first.what.text().contains("rent took"), "{}", first.what.text());
    assert!(said.budget.is_some_and(|b| b.tier == DeathTier::Standard), "{:?}", said.budget);
    assert!(golem.life.ledger().balances());
}

#[test]
fn saved_and_restored_in_any_turn_of_dying_it_ends_the_same() {
    let live = |restore_at: Option<usize>| {
        let mut settings = settings(Template::EthDca);
        settings.grimoire.enabled = false;
        let mut golem = Watched::born(3, 500, &settings);
        while golem.life.holdings().asset == Asset::ZERO {
            golem.turn();
        }
        golem.asked(vec![Ask::Kill { reason: "enough".into() }]);
        let mut rows = Vec::new();
        for n in 0.. {
            if golem.life.standing() == LifeStanding::Dead {
                return (golem.life.digest(), golem.life.ledger().clone(), rows);
            }
            if restore_at == Some(n) {
                golem = golem.remembering(golem_grimoire::Remembered::default());
            }
            let turn = golem.turn();
            rows.extend(turn.rows(NamedTable::Testament).map(|(key, body)| (key.to_owned(), body.to_owned())));
        }
        unreachable!()
    };
    let (digest, ledger, rows) = live(None);
    assert_eq!(rows.len(), 1);
    for n in 0..8 {
        assert_eq!(live(Some(n)), (digest, ledger.clone(), rows.clone()), "restored before turn {n} of dying");
    }
}

#[test]
fn advice_names_settings_that_exist() {
    let mut golem = in_the_pool();
    golem.turns(3_000);
    let said = testament(&die(&mut golem, |input| input));
    let all = serde_json::to_value(Settings::default()).unwrap();
    for advice in &said.successor_recommendations.config {
        let path = format!("/{}", advice.key.replace('.', "/"));
        let stands = all.pointer(&path).map(ToString::to_string);
        assert_eq!(stands.as_ref(), Some(&advice.was), "{advice:?}");
        assert!(advice.was != advice.to && said.sections.would_change.iter().any(|s| s.text().contains(&advice.key)));
    }
    assert_eq!(said.sections.would_change.len(), said.successor_recommendations.config.len());
}
