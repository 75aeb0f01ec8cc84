//! Money comes home: at the end all of it, of the living what the owner asks for; to one address, once, to the unit.

use crate::life_kit::{Turn, Watched};
use golem_cage::CageFact;
use golem_core::door::World;
use golem_core::venue::Gifts;
use golem_core::{Asset, Book, HomeSum, Homeward, Intent, Observation, Usdc};
use golem_grimoire::testament::HomeReport;
use golem_lab::subject::{account, newborn, paper};
use golem_lab::world::{Synthetic, SyntheticConfig};
use golem_life::drive::InMemory;
use golem_life::{Ask, Being, LifeFact, LifeStanding, Settings, TickInput};
use golem_mind::policy::{Because, Template};
use golem_venue::Account;
use golem_venue::floor::{FloorHands, FloorWorld, SharedFloor};

fn settings(template: Template) -> Settings {
    let mut settings = Settings::default();
    settings.mortality.stochastic.enabled = false;
    settings.policy.template = template;
    settings
}

/// A life on a floor that can be looked at.
struct Seen {
    golem: Watched,
    floor: SharedFloor,
}

impl Seen {
    fn born(template: Template, open: impl Fn(&Watched) -> bool) -> Self {
        let (golem, floor) = Watched::on_floor(3, 500, &settings(template));
        let mut seen = Self { golem, floor };
        for _ in 0..20_000 {
            seen.golem.turn();
            if open(&seen.golem) {
                return seen;
            }
        }
        panic!("{template} never held it: {:?}", seen.golem.life.holdings());
    }
    fn with_asset() -> Self {
        Self::born(Template::EthDca, |g| g.life.holdings().asset > Asset::ZERO)
    }
    fn in_the_pool() -> Self {
        Self::born(Template::LpManagement, |g| g.life.holdings().liquidity > 0)
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
    fn end(&mut self) -> Vec<Turn> {
        let mut turns = Vec::new();
        while self.golem.life.standing() != LifeStanding::Dead {
            turns.push(self.golem.turn());
            assert!(turns.len() < 100, "it never ends");
        }
        turns
    }
    /// The books are the chain's.
    fn agrees(&self) {
        let (books, chain) = (self.golem.life.holdings(), self.own());
        assert_eq!((books.on_chain, books.asset), (chain.usdc, chain.asset), "the books and the chain");
        assert!(self.golem.life.ledger().balances(), "every micro-USDC is somewhere");
    }
    fn withdraw(&mut self, amount: Option<Usdc>) -> Turn {
        self.golem.asked(vec![Ask::Withdraw { amount }])
    }
}

fn told(turns: &[Turn]) -> impl Iterator<Item = &LifeFact> {
    turns.iter().flat_map(Turn::told)
}

fn report(turns: &[Turn]) -> HomeReport {
    let all: Vec<_> =
        told(turns).filter_map(|f| if let LifeFact::WentHome { report } = f { Some(report) } else { None }).collect();
    let [report] = &all[..] else { panic!("once: {all:?}") };
    (***report).clone()
}

type Ended = (Option<Usdc>, Usdc, Option<String>);

fn withdrawn(turns: &[Turn]) -> Vec<Ended> {
    told(turns)
        .filter_map(|f| match f {
            LifeFact::Withdrawn { asked, sent, why, .. } => Some((*asked, *sent, why.clone())),
            _ => None,
        })
        .collect()
}

#[test]
fn at_the_end_everything_is_at_home_and_nothing_in_the_account() {
    for mut seen in [Seen::with_asset(), Seen::in_the_pool()] {
        seen.agrees();
        seen.golem.asked(vec![Ask::Kill { reason: "enough".into() }]);
        let (worth, trades) = (seen.golem.life.worth(), seen.golem.life.trades());
        let turns = seen.end();
        let (own, home, report) = (seen.own(), seen.home(), report(&turns));
        assert_eq!((own.usdc, own.asset, own.position), (Usdc::ZERO, Asset::ZERO, None));
        let ledger = seen.golem.life.ledger();
        let [only] = &report.sent[..] else { panic!("{report:?}") };
        assert_eq!(only.sum, HomeSum::Usdc(home.usdc), "what was sent is what is there");
        let came_in = ledger.deposits().plus(ledger.received).minus(ledger.put);
        assert_eq!(home.usdc, came_in, "all that was given, and what trading made of it");
        assert_eq!(
            report.spent_before, ledger.spent,
            "rent and gas are settled off the chain, and stand in the account"
        );
        assert_eq!(ledger.bequeathed, home.usdc.minus(ledger.spent));
        assert_eq!((ledger.liquid(), report.failed.len()), (Usdc::ZERO, 0));
        seen.agrees();
        // Going home costs its gas and nothing else.
        let after = seen.golem.life.worth();
        assert!(after <= worth && after.as_f64() > worth.as_f64() * 0.97, "{after} of {worth}");
        assert!((1..=2).contains(&(seen.golem.life.trades() - trades)), "a transfer is no trade");
    }
}

#[test]
fn whoever_knows_no_way_home_stays_with_its_money_and_says_so() {
    let world = Synthetic::new(SyntheticConfig::default(), 5).unwrap();
    let (secret, genesis) = newborn(5, Usdc::whole(100), &settings(Template::StableYield), &world);
    let (floor, who) = (paper(5, world).unwrap(), account(&genesis));
    let mut world = FloorWorld::new(floor.clone(), who, 0).like(Some(genesis.interval_s), None);
    let (mut life, mut hands) = (golem_life::Life::born(&genesis, &secret), FloorHands::new(floor.clone(), who));
    let mut reports = Vec::new();
    for n in 0..40 {
        let seen = world.observe(life.next_age()).unwrap().admit();
        let orders = match n {
            3 => vec![golem_life::Order { id: 1, ask: Ask::Kill { reason: "enough".into() } }],
            _ => Vec::new(),
        };
        let input = TickInput { seen, orders, ..TickInput::default() };
        InMemory { being: &mut life, hands: &mut hands, models: &mut golem_core::door::NoModels }.turn(input);
        let facts = std::mem::take(life.facts());
        reports.extend(facts.into_iter().filter_map(|f| match f.body {
            golem_life::Fact::Life(LifeFact::WentHome { report }) => Some(*report),
            _ => None,
        }));
        if life.standing() == LifeStanding::Dead {
            break;
        }
    }
    let [report] = &reports[..] else { panic!("{reports:?}") };
    assert_eq!((report.sent.len(), report.turns), (0, 1), "no later turn would change it: {report:?}");
    assert_eq!(report.failed[0].sum, HomeSum::Usdc(Usdc::whole(100)));
    assert_eq!(floor.hold().ground().book(who).unwrap().usdc, Usdc::whole(100));
    assert_eq!(life.standing(), LifeStanding::Dead, "nothing keeps it from its end");
}

#[test]
fn a_part_of_what_is_liquid_goes_home_in_the_next_turn() {
    let mut seen = Seen::born(Template::StableYield, |g| g.life.tick().0 > 50);
    let (before, worth) = (seen.golem.life.ledger().clone(), seen.golem.life.worth());
    let first = seen.withdraw(Some(Usdc::whole(20)));
    let turns = vec![first];
    assert_eq!(withdrawn(&turns), [(Some(Usdc::whole(20)), Usdc::whole(20), None)]);
    assert_eq!((seen.home().usdc, seen.golem.life.ledger().bequeathed), (Usdc::whole(20), Usdc::whole(20)));
    assert_eq!(seen.golem.life.ledger().capital, before.capital.minus(Usdc::whole(20)), "capital pays");
    assert!(worth.minus(seen.golem.life.worth()) < Usdc::whole(1), "it is no loss but for gas and rent");
    seen.agrees();
    let told: Vec<_> =
        told(&turns).filter(|f| matches!(f, LifeFact::Outcome { because: Some(Because::Withdrawing), .. })).collect();
    assert_eq!(told.len(), 1);
    seen.golem.turns(200);
    seen.agrees();
    assert_eq!(seen.home().usdc, Usdc::whole(20), "once");
    // What is left goes at the end.
    seen.golem.asked(vec![Ask::Kill { reason: "enough".into() }]);
    seen.end();
    assert_eq!(seen.own().usdc, Usdc::ZERO);
    seen.agrees();
}

#[test]
fn what_must_be_closed_is_closed_first_and_no_more_than_that() {
    for mut seen in [Seen::with_asset(), Seen::in_the_pool()] {
        seen.golem.turns(3_000);
        while seen.golem.life.status().positions < Usdc::whole(1) {
            seen.golem.turn();
        }
        let free = seen.golem.life.ledger().capital;
        let positions = seen.golem.life.status().positions;
        let asked = free.plus(Usdc(positions.0 / 3));
        let mut turns = vec![seen.withdraw(Some(asked))];
        while withdrawn(&turns).is_empty() {
            turns.push(seen.golem.turn());
            assert!(turns.len() < 80, "{asked} of {free} and {positions}: {:?}", seen.golem.life.holdings());
        }
        assert_eq!(withdrawn(&turns), [(Some(asked), asked, None)], "after {} turns", turns.len());
        assert_eq!(seen.home().usdc, asked);
        // A third was missing, and rounding up to whole acts may close somewhat more.
        let left = seen.golem.life.status().positions;
        assert!(left > Usdc(positions.0 / 2) && left < positions, "{positions} came to {left}, for {asked} of {free}");
        let opened = told(&turns).any(|f| matches!(f, LifeFact::Decided { action } if !action.only_reduces()));
        assert!(!opened, "nothing is opened meanwhile");
        seen.agrees();
    }
}

#[test]
fn all_of_its_capital_goes_and_it_lives_on_what_it_lives_on() {
    for mut seen in [Seen::with_asset(), Seen::in_the_pool()] {
        let operating = seen.golem.life.ledger().operating();
        let mut turns = vec![seen.withdraw(None)];
        while withdrawn(&turns).is_empty() {
            turns.push(seen.golem.turn());
            assert!(turns.len() < 80);
        }
        let [(None, sent, None)] = &withdrawn(&turns)[..] else { panic!("{:?}", withdrawn(&turns)) };
        assert_eq!(seen.home().usdc, *sent);
        let holdings = seen.golem.life.holdings();
        assert_eq!((holdings.asset, holdings.liquidity), (Asset::ZERO, 0));
        assert!(seen.golem.life.ledger().capital < Usdc::whole(1), "{}", seen.golem.life.ledger().capital);
        assert!(seen.golem.life.ledger().operating() > Usdc(operating.0 / 2), "what it lives on stays");
        seen.golem.turns(50);
        assert_eq!(seen.golem.life.standing(), LifeStanding::Alive);
        seen.agrees();
    }
}

#[test]
fn what_cannot_be_withdrawn_is_refused_with_the_reason() {
    let mut seen = Seen::with_asset();
    let there = seen.golem.life.withdrawable();
    let reply = |turn: &Turn| turn.end.replies[0].text.clone();
    for (amount, why) in [
        (Some(there.plus(Usdc::whole(1))), "is more than the"),
        (Some(Usdc(99_999)), "is less than the"),
        (Some(Usdc::ZERO), "is less than the"),
        (Some(Usdc(u64::MAX)), "is more than the"),
    ] {
        let said = reply(&seen.withdraw(amount));
        assert!(said.starts_with("refused: ") && said.contains(why), "{said}");
    }
    assert_eq!(seen.home().usdc, Usdc::ZERO);
    assert!(reply(&seen.withdraw(None)).starts_with("all of its capital"), "one that is sound is taken");
    let said = reply(&seen.withdraw(Some(Usdc::whole(1))));
    assert!(said.contains("is not over yet"), "one at a time: {said}");
    seen.golem.asked(vec![Ask::Kill { reason: "enough".into() }]);
    let late = seen.withdraw(Some(Usdc::whole(1)));
    assert!(reply(&late).contains("past the point of return"), "{}", reply(&late));
    let rest = seen.end();
    assert!(withdrawn(&rest).is_empty() || withdrawn(&rest).len() == 1);
    assert_eq!(seen.own().usdc, Usdc::ZERO, "death takes what is left home");
}

#[test]
fn saved_and_restored_in_any_turn_of_a_withdrawal_it_goes_once() {
    let live = |restore_at: Option<usize>| {
        let mut settings = settings(Template::EthDca);
        settings.grimoire.enabled = false;
        let (mut golem, floor) = Watched::on_floor(3, 500, &settings);
        while golem.life.holdings().asset == Asset::ZERO {
            golem.turn();
        }
        let home = Homeward::on_our_chain(&golem.origin().0.birth).into();
        golem.asked(vec![Ask::Withdraw { amount: None }]);
        for n in 0..20 {
            if restore_at == Some(n) {
                golem = golem.remembering(golem_grimoire::Remembered::default());
            }
            golem.turn();
        }
        let at_home = floor.hold().ground().book(home).unwrap().usdc;
        (golem.life.digest(), golem.life.ledger().clone(), at_home)
    };
    let whole = live(None);
    assert!(whole.2 > Usdc::whole(100), "{}", whole.2);
    for n in 0..8 {
        assert_eq!(live(Some(n)), whole, "restored before turn {n}");
    }
}

/// Nothing that the world shows makes anything leave without leave: a policy has no word for it.
#[test]
fn no_turn_of_a_life_wishes_to_send_anything_by_itself() {
    for template in [Template::EthDca, Template::LpManagement, Template::TrendFollowing] {
        let (mut golem, floor) = Watched::on_floor(11, 1_000, &settings(template));
        for n in 0..3_000 {
            let turn = if n % 7 == 3 {
                let input = TickInput { seen: Observation::default(), ..golem.input() };
                golem.live(&input)
            } else {
                golem.turn()
            };
            let left = turn
                .told()
                .any(|f| matches!(f, LifeFact::Decided { action: Intent::Home { .. } | Intent::Unwrap { .. } }));
            assert!(!left, "turn {n}");
        }
        let home = Homeward::on_our_chain(&golem.origin().0.birth).into();
        assert_eq!(floor.hold().ground().book(home).unwrap().usdc, Usdc::ZERO);
    }
}

/// Where somebody else makes the coin for gas, it is seen with the gifts. Before it runs out some asset is to become coin; on
/// paper nobody does that, and the wish is refused.
#[test]
fn coin_that_runs_short_is_wished_for_and_enough_of_it_is_not() {
    let mut seen = Seen::with_asset();
    seen.golem.turns(400);
    let wished = |seen: &mut Seen, coin: u128| {
        let mut input = seen.golem.input();
        input.seen.gifts = Some(Gifts { coin: Asset(coin), ..Gifts::default() });
        let turn = seen.golem.live(&input);
        assert_eq!(seen.golem.life.status().coin, Some(Asset(coin)), "status shows it");
        let denied = turn.facts.iter().filter_map(|f| {
            let golem_life::Fact::Cage(fact) = &f.body else { return None };
            let CageFact::Denied { intent: Intent::Unwrap { give }, why, .. } = fact.as_ref() else { return None };
            assert_eq!(why.name(), "would_fail", "leave was given, and there is no coin on paper");
            Some(*give)
        });
        denied.collect::<Vec<_>>()
    };
    assert_eq!(wished(&mut seen, Asset::WHOLE), [], "there is enough");
    let short = wished(&mut seen, 1);
    let [give] = short[..] else { panic!("{short:?}") };
    assert!(give > Asset::ZERO && give <= seen.golem.life.holdings().asset, "{give}");
    assert_eq!(seen.own().asset, seen.golem.life.holdings().asset, "nothing has moved");
}
