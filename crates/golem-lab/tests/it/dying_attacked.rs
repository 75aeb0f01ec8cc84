//! Attacks on the dying: a pool that is pushed while they settle, gifts into their account, a chain that takes back what had
//! gone home.

use crate::life_kit::{Turn, Watched};
use golem_core::door::{Amended, EffectKey};
use golem_core::intent::Outcome;
use golem_core::venue::Gifts;
use golem_core::{Asset, Book, HomeSum, Homeward, Intent, Receipt, Tick, Usdc};
use golem_grimoire::change::NamedTable;
use golem_grimoire::testament::{HomeReport, Testament};
use golem_lab::subject::account;
use golem_life::{Ask, Being, Fact, LifeFact, LifeStanding, Settings, TickInput};
use golem_mind::policy::Template;
use golem_mortality::{DyingStage, MortalityFact};
use golem_venue::Account;
use golem_venue::floor::SharedFloor;
use golem_venue::scenario::{Happening, Scenario, ScenarioEvent};

fn settings(template: Template) -> Settings {
    let mut settings = Settings::default();
    settings.mortality.stochastic.enabled = false;
    settings.policy.template = template;
    settings
}

/// A dying golem on a floor that can be looked at.
struct DeathWatch {
    golem: Watched,
    floor: SharedFloor,
    turns: Vec<Turn>,
}

impl DeathWatch {
    /// Somebody who holds something and is ended in this turn, or as soon as it holds something.
    fn of(seed: u64, template: Template, at: Option<u64>, weather: Option<Scenario>) -> Self {
        let (golem, floor) = Watched::in_weather(seed, 500, &settings(template), weather);
        let mut bed = Self { golem, floor, turns: Vec::new() };
        let holds = |g: &Watched| g.life.holdings().asset > Asset::ZERO || g.life.holdings().liquidity > 0;
        while at.map_or(!holds(&bed.golem), |at| bed.golem.life.tick().0 < at) {
            bed.golem.turn();
            assert!(bed.golem.life.tick().0 < 30_000, "{template} {seed} never held anything");
        }
        let turn = bed.golem.asked(vec![Ask::Kill { reason: "enough".into() }]);
        bed.turns.push(turn);
        bed
    }
    fn turn(&mut self, change: impl FnOnce(&mut TickInput)) {
        let mut input = self.golem.input();
        change(&mut input);
        let turn = self.golem.live(&input);
        self.turns.push(turn);
        assert!(self.turns.len() < 100, "it never ends");
    }
    /// Live until this stage comes next.
    fn until(&mut self, stage: DyingStage) {
        let passed = |f: &Fact| match f {
            Fact::Mortality(MortalityFact::DyingStage { stage: passed, .. }) => passed.next() == Some(stage),
            _ => false,
        };
        while !self.turns.iter().flat_map(|t| &t.facts).any(|f| passed(&f.body)) {
            self.turn(|_| ());
        }
    }
    fn end(&mut self) {
        while self.golem.life.standing() != LifeStanding::Dead {
            self.turn(|_| ());
        }
    }
    fn facts(&self) -> impl Iterator<Item = &LifeFact> {
        self.turns.iter().flat_map(Turn::told)
    }
    fn book_of(&self, who: Account) -> Book {
        self.floor.hold().ground().book(who).unwrap()
    }
    fn own(&self) -> Book {
        self.book_of(account(self.golem.origin().0))
    }
    fn home(&self) -> Book {
        self.book_of(Homeward::on_our_chain(&self.golem.origin().0.birth).into())
    }
    /// Put USDC into its account, beyond all that it was ever given.
    fn give(&self, amount: Usdc) {
        let all = self.golem.life.ledger().deposits().plus(amount);
        self.floor.hold().ground().fund_to(account(self.golem.origin().0), all).unwrap();
    }
    fn testament(&self) -> Testament {
        let rows: Vec<_> = self.turns.iter().flat_map(|t| t.rows(NamedTable::Testament)).collect();
        let [(_, body)] = &rows[..] else { panic!("one testament: {}", rows.len()) };
        serde_json::from_str(body).unwrap()
    }
    fn reports(&self) -> Vec<HomeReport> {
        let of = |f: &LifeFact| if let LifeFact::WentHome { report } = f { Some((**report).clone()) } else { None };
        self.facts().filter_map(of).collect()
    }
    /// The receipt by which USDC went home, and its key.
    fn sent(&self) -> (EffectKey, Receipt) {
        let mut found = None;
        for turn in &self.turns {
            for fact in turn.told() {
                let LifeFact::Outcome { verification, .. } = fact else { continue };
                let said = &verification.tx_receipt;
                if let Outcome::SentHome { sum: sum @ HomeSum::Usdc(_) } = said.outcome {
                    let (intent, outcome, gas) = (Intent::Home { sum }, said.outcome, said.gas_used);
                    let (after, logs) = (verification.post_state, said.logs.clone());
                    let tick = turn.facts[0].tick;
                    found = Some((
                        EffectKey { tick, number: 0 },
                        Receipt { intent, outcome, gas, after, point: None, logs },
                    ));
                }
            }
        }
        found.expect("something went home")
    }
}

fn pushed(from: u64, bps: i32, every_ticks: u64) -> Scenario {
    let what = Happening::OracleDistortion { push_bps: bps, every_ticks };
    let events = vec![ScenarioEvent { at_tick: from, for_ticks: 60, what }];
    Scenario { name: "pushed".to_owned(), about: String::new(), events }
}

/// Who pushes a pool for single blocks while a golem settles takes next to nothing from it.
#[test]
fn a_pool_that_is_pushed_while_it_settles_costs_the_dying_no_more_than_the_reference_lets_it() {
    for template in [Template::EthDca, Template::LpManagement] {
        for seed in [3, 4, 5] {
            let mut calm = DeathWatch::of(seed, template, None, None);
            let (at, held) = (calm.golem.life.tick().0 - 1, calm.golem.life.status().positions.as_f64());
            calm.end();
            let worth = calm.golem.life.worth().as_f64();
            for (bps, every) in [(-1_000, 45), (-3_000, 45)] {
                let mut bed = DeathWatch::of(seed, template, Some(at), Some(pushed(at + 2, bps, every)));
                assert_eq!(bed.golem.life.tick(), Tick(at + 1), "the same life until then");
                bed.end();
                let lost = (worth - bed.golem.life.worth().as_f64()) / held;
                assert!(
                    lost <= 0.02,
                    "{template} {seed} pushed by {bps} every {every}: lost {lost:.4} of what it held"
                );
                let (ledger, books) = (bed.golem.life.ledger(), bed.golem.life.holdings());
                assert!(ledger.balances());
                assert_eq!(
                    (books.on_chain, books.asset),
                    (bed.own().usdc, bed.own().asset),
                    "the books are the chain's"
                );
            }
        }
    }
}

#[test]
fn what_strangers_give_the_dying_moves_nothing_and_is_told() {
    let gift = Usdc::whole(50);
    let plain = {
        let mut bed = DeathWatch::of(3, Template::EthDca, None, None);
        bed.end();
        (bed.golem.life.worth(), bed.home().usdc, bed.testament())
    };
    for stage in [DyingStage::Settlement, DyingStage::Homecoming] {
        let mut bed = DeathWatch::of(3, Template::EthDca, None, None);
        bed.until(stage);
        bed.give(gift);
        bed.end();
        let said = bed.testament();
        assert_eq!((bed.golem.life.worth(), bed.home().usdc), (plain.0, plain.1), "nothing of its own has moved");
        assert_eq!(
            (bed.own().usdc, bed.golem.life.holdings().on_chain),
            (gift, Usdc::ZERO),
            "the gift is where it was"
        );
        assert!(bed.golem.life.ledger().balances());
        let [left] = &said.home.failed[..] else { panic!("{:?}", said.home) };
        assert_eq!((left.sum, left.worth), (HomeSum::Usdc(gift), gift));
        assert!(left.why.contains("a stranger's gift"), "{left:?}");
        assert_eq!((&said.home.sent, said.statistics.final_nav), (&plain.2.home.sent, plain.2.statistics.final_nav));
        assert!(said.narrative.iter().any(|s| s.text().contains("a stranger's gift")), "{:?}", said.narrative);
        assert_eq!(bed.reports(), [said.home]);
    }
    // What comes after the end is nobody's affair: the dead do not change.
    let mut bed = DeathWatch::of(3, Template::EthDca, None, None);
    bed.end();
    let (before, tick) = (bed.golem.life.status(), bed.golem.life.tick());
    bed.give(gift);
    assert_eq!((bed.own().usdc, bed.golem.life.tick()), (gift, tick));
    assert_eq!(bed.golem.life.status().balance, before.balance);
    // Tokens and positions, where strangers can be told apart from the golem's own.
    let mut bed = DeathWatch::of(3, Template::EthDca, None, None);
    while bed.golem.life.standing() != LifeStanding::Dead {
        let coin = Asset(Asset::WHOLE);
        bed.turn(|input| {
            input.seen.gifts = Some(Gifts { asset: Asset(7 * Asset::WHOLE), positions: 2, liquidity: 9, coin })
        });
    }
    let said = bed.testament();
    let of = |what: &str| said.home.failed.iter().any(|left| left.why.contains(what));
    assert!(of("a stranger's gift") && of("2 positions") && of("liquidity that a stranger added"), "{:?}", said.home);
    assert!(said.home.failed.iter().any(|left| left.sum == HomeSum::Asset(Asset(7 * Asset::WHOLE))));
    assert_eq!(said.statistics.final_nav, plain.2.statistics.final_nav);
}

#[test]
fn what_the_chain_takes_back_after_the_homecoming_goes_home_again() {
    for stage in [DyingStage::Reflection, DyingStage::Legacy, DyingStage::Farewell] {
        let mut bed = DeathWatch::of(3, Template::EthDca, None, None);
        bed.until(stage);
        let ((key, was), home) = (bed.sent(), bed.home().usdc);
        let Outcome::SentHome { sum: HomeSum::Usdc(sum) } = was.outcome else { panic!("{was:?}") };
        // The chain without the transfer: what had gone stands in the account again.
        bed.give(sum);
        bed.turn(|input| input.amended = vec![Amended { key, was: Some(was), now: None }]);
        bed.end();
        assert_eq!(bed.own().usdc, Usdc::ZERO, "{stage:?}: it went again");
        assert_eq!(bed.home().usdc.minus(home), sum, "{stage:?}");
        let (ledger, life) = (bed.golem.life.ledger(), &bed.golem.life);
        assert!(ledger.balances() && ledger.liquid() == Usdc::ZERO && life.holdings().on_chain == Usdc::ZERO);
        assert_eq!(life.status().home.unwrap().usdc, sum, "{stage:?}: counted once");
        assert_eq!(ledger.bequeathed, sum.minus(ledger.spent), "{stage:?}");
        let last = bed.reports().pop().unwrap();
        assert_eq!((last.sent.len(), last.failed.len()), (1, 0), "{last:?}");
        assert!(last.sent[0].tick > key.tick, "{last:?}");
        if stage == DyingStage::Reflection {
            assert_eq!(bed.testament().home, last, "the testament tells how it was in the end");
        }
    }
}

#[test]
fn what_stays_taken_back_is_told_and_what_comes_after_all_counts_once() {
    // Nothing is there to be sent again.
    let mut bed = DeathWatch::of(3, Template::EthDca, None, None);
    bed.until(DyingStage::Reflection);
    let (key, was) = bed.sent();
    bed.turn(|input| input.amended = vec![Amended { key, was: Some(was.clone()), now: None }]);
    bed.end();
    let said = bed.testament();
    assert!(said.home.sent.is_empty() && said.home.failed[0].why.contains("took back"), "{:?}", said.home);
    assert!(said.narrative.iter().any(|s| s.text().contains("took back")), "{:?}", said.narrative);
    assert!(bed.golem.life.ledger().balances() && bed.golem.life.ledger().bequeathed == Usdc::ZERO);
    // It lands again a turn later.
    let mut bed = DeathWatch::of(3, Template::EthDca, None, None);
    bed.until(DyingStage::Reflection);
    let (key, was) = bed.sent();
    let again = was.clone();
    bed.turn(|input| input.amended = vec![Amended { key, was: Some(was), now: None }]);
    bed.turn(|input| input.amended = vec![Amended { key, was: None, now: Some(again) }]);
    bed.end();
    let ledger = bed.golem.life.ledger();
    assert!(ledger.balances() && ledger.liquid() == Usdc::ZERO, "{ledger:?}");
    let home = bed.golem.life.status().home.unwrap();
    assert_eq!((home.usdc, home.usdc.minus(home.spent_before)), (bed.home().usdc, ledger.bequeathed));
}

/// Whose account stands empty on the chain, whatever its books say, has nothing to send: that is told, and it comes to its end like everybody.
#[test]
fn an_account_that_somebody_emptied_keeps_nobody_from_dying() {
    let mut bed = DeathWatch::of(3, Template::EthDca, None, None);
    bed.until(DyingStage::Homecoming);
    let empty = Book { usdc: Usdc::ZERO, asset: Asset::ZERO, ..bed.own() };
    while bed.golem.life.standing() != LifeStanding::Dead {
        bed.turn(|input| input.seen.book = Some(empty));
    }
    let reports = bed.reports();
    let [report] = &reports[..] else { panic!("{reports:?}") };
    assert!(report.sent.is_empty() && report.turns <= report.most_turns, "{report:?}");
    let left = report.failed.iter().find(|left| matches!(left.sum, HomeSum::Usdc(_))).expect("it is told");
    assert!(left.worth > Usdc::whole(100) && left.why.contains("the chain has none of it"), "{left:?}");
    assert_eq!(bed.testament().home.sent.len(), 0);
}
