//! What comes in from elsewhere says things of the chain: a life asks its chain through its own hands, once a turn, before it examines any of
//! it; and a turn that is lived again asks nobody.

use crate::life_kit::Watched;
use golem_cage::Permit;
use golem_clade::inheritance::{Inheritance, InheritanceChoice};
use golem_clade::library::EquipParcel;
use golem_clade::provenance::{Lineage, Passport, TravellingEntry};
use golem_clade::world_time::LifeClock;
use golem_core::door::{ChainClaim, ClaimReply, ClaimRequest, Hands, NoModels};
use golem_core::intent::Holdings;
use golem_core::{GolemId, Intent, OwnerId, Preview, Receipt, Tick, VirtualTime};
use golem_grimoire::grimoire::Foreign;
use golem_grimoire::standing::Support;
use golem_grimoire::{Claim, Entry, EntryBody, EntryKind, EntryOrigin, EntryStatus, Provenance, Standing};
use golem_life::drive::InMemory;
use golem_life::{Answer, Ask, Being, Life, LifeFact, Order, Record, Settings, TickInput};
use golem_venue::floor::FloorHands;

const SIBLING: GolemId = GolemId([9; 16]);

/// Hands on a chain on which blocks below 100 ended at 3,000, and which cannot say more.
struct Knowing {
    hands: FloorHands,
    asked: Vec<usize>,
}

impl Hands<Permit> for Knowing {
    fn is_external(&self) -> bool {
        self.hands.is_external()
    }
    fn preview(&mut self, wishes: &[Intent], holdings: &Holdings) -> Vec<Preview> {
        self.hands.preview(wishes, holdings)
    }
    fn act(&mut self, now: Tick, preview: &Preview, permit: Permit) -> Receipt {
        self.hands.act(now, preview, permit)
    }
    fn redo(&mut self, preview: &Preview, receipt: &Receipt, holdings: &Holdings) -> Result<(), String> {
        self.hands.redo(preview, receipt, holdings)
    }
    fn bear_out(&mut self, request: &ClaimRequest) -> ClaimReply {
        self.asked.push(request.claims.len());
        request.said(|claim| match claim {
            ChainClaim::Price { block, micro_usdc } => {
                (*block < 100).then(|| ChainClaim::is_price(*micro_usdc, 3_000_000_000))
            }
            _ => None,
        })
    }
}

/// A belief of somebody else's, with what it says of the chain.
fn entry(n: u32, tag: Option<&str>) -> Entry {
    let origin = EntryOrigin { golem: SIBLING, generation: 0 };
    // Of different fields each, so that none is taken for another.
    let (when, then) = [
        ("market.gas_ratio > 3.0", "market.fee_yield_ratio > 1.4"),
        ("market.volatility_ratio > 2.0", "market.gas_ratio > 1.5"),
        ("market.volume_ratio > 3.0", "market.fee_yield_ratio < 0.8"),
        ("market.shock > 3.0", "market.volume_ratio > 2.0"),
        ("market.gas_ratio < 0.5", "market.volume_ratio < 0.7"),
    ][n as usize];
    let text = format!("When {when}, then {then} about 13 minutes later.");
    let claim = Claim { when: when.to_owned(), then: then.to_owned(), unless: None, after_ticks: 20 };
    let body = EntryBody::own(EntryKind::Insight, text, origin, VirtualTime(0));
    let standing = Standing {
        validated: 9,
        own_validation: true,
        quality: 0.7,
        ..Standing::first(EntryStatus::Active, 9_000, Support::default(), VirtualTime(0))
    };
    Entry::new(EntryBody { claim: Some(claim), tags: tag.map(str::to_owned).into_iter().collect(), ..body }, standing)
}

const TRUE: &str = "chain:price=7:3010000000";
const FALSE: &str = "chain:price=7:4000000000";
const UNKNOWN: &str = "chain:price=700:3000000000";

fn lineage() -> Lineage {
    Lineage { id: SIBLING, owner: OwnerId::LOCAL, golem: SIBLING, generation: 0, ancestors: Vec::new() }
}

fn travelling(golem: &Watched, entry: &Entry) -> TravellingEntry {
    let passport = Passport::own(entry, &lineage(), LifeClock { zero: golem.origin().0.birth.born_at });
    let foreign = Foreign { body: entry.body.clone(), standing: entry.standing.clone() };
    TravellingEntry { entry: foreign, passport }
}

fn handed(golem: &Watched, entries: &[Entry]) -> Ask {
    let from = Some((lineage(), golem.origin().0.birth.born_at));
    let pack = |entry: &Entry| EquipParcel {
        entry: travelling(golem, entry),
        channel: Provenance::Clade,
        from: from.clone(),
        validations: Vec::new(),
    };
    let parcels = entries.iter().map(|entry| golem_core::plain::json(&pack(entry))).collect();
    Ask::Equip { parcels }
}

/// A turn with hands that know something of the chain: its record, what the order was answered, and what was asked.
fn knowing(golem: &mut Watched, asks: Vec<Ask>) -> (Record, Option<String>, Vec<usize>) {
    let orders = (1..).zip(asks).map(|(id, ask)| Order { id, ask }).collect();
    let input = TickInput { orders, ..golem.input() };
    let mut hands = Knowing { hands: golem.hands_again(), asked: Vec::new() };
    let turn = InMemory { being: &mut golem.life, hands: &mut hands, models: &mut NoModels };
    let (record, end) = turn.turn(input);
    (record, end.replies.first().map(|reply| reply.text.clone()), hands.asked)
}

fn claimed(record: &Record) -> usize {
    record.answers.iter().filter(|answer| matches!(answer, Answer::Claimed(_))).count()
}

#[test]
fn what_is_handed_over_is_held_against_the_golems_own_chain() {
    let settings = Settings::default();
    let mut golem = Watched::born(3, 1_000, &settings);
    golem.turns(5);
    let all = [entry(0, Some(TRUE)), entry(1, Some(FALSE)), entry(3, Some(UNKNOWN)), entry(4, None)];
    let ask = handed(&golem, &all);
    let (record, reply, asked) = knowing(&mut golem, vec![ask]);
    assert_eq!(asked, [3], "all of it in one question");
    assert_eq!(claimed(&record), 1, "and the answer is part of the record");
    let reply = reply.expect("an answer");
    assert!(reply.starts_with("took 2 on trial, knew 0, put 1 aside, refused 1"), "{reply}");
    assert!(reply.contains("chain"), "{reply}");
    let shelf = golem.life.grimoire().unwrap().shelf();
    assert!(
        !shelf.entries().any(|e| e.body.tags.iter().any(|tag| tag == FALSE)),
        "what the chain denies stays outside"
    );
    // Nobody is asked where nothing is said of a chain, and where nothing comes in.
    let ask = handed(&golem, &[entry(2, None)]);
    let (record, _, asked) = knowing(&mut golem, vec![ask]);
    assert!(asked.is_empty() && claimed(&record) == 0);
    let (_, _, asked) = knowing(&mut golem, Vec::new());
    assert!(asked.is_empty());
}

#[test]
fn without_a_chain_what_is_said_of_one_waits_whether_true_or_false() {
    let mut golem = Watched::born(3, 1_000, &Settings::default());
    golem.turns(5);
    let ask = handed(&golem, &[entry(0, Some(TRUE)), entry(1, Some(FALSE)), entry(3, None)]);
    let turn = golem.asked(vec![ask]);
    let reply = turn.reply(1).expect("an answer");
    assert!(reply.starts_with("took 1 on trial, knew 0, put 2 aside, refused 0"), "{reply}");
}

#[test]
fn an_heir_asks_in_the_turn_in_which_it_takes_its_inheritance_in_and_again_nobody() {
    let mut parent = Watched::born(3, 500, &Settings::default());
    parent.turns(300);
    let mut left = parent.leaves(&golem_life::WrittenPages::default());
    let own = left.lineage.clone();
    for (n, tag) in (0..).zip([TRUE, FALSE, UNKNOWN]) {
        let mut one = travelling(&parent, &entry(n, Some(tag)));
        one.entry.body.origin = EntryOrigin { golem: own.golem, generation: own.generation };
        let entry = Entry::new(one.entry.body.clone(), one.entry.standing.clone());
        one.passport = Passport::own(&entry, &own, LifeClock { zero: parent.origin().0.birth.born_at });
        left.entries.push(one);
    }
    let heir = |parent: &Watched| parent.heir(5, left.clone());
    let mut first = heir(&parent);
    let (record, _, asked) = knowing(&mut first, Vec::new());
    assert_eq!((asked, claimed(&record)), (vec![3], 1));
    let report = |life: &mut Life| {
        let told = std::mem::take(life.facts());
        told.into_iter().find_map(|fact| match fact.body {
            golem_life::Fact::Life(LifeFact::Inherited { report, .. }) => Some(report),
            _ => None,
        })
    };
    let taken = report(&mut first.life).expect("it inherited");
    assert_eq!(taken.refused.get("false_on_chain"), Some(&1), "{taken:?}");
    let blind = {
        let mut blind = heir(&parent);
        drop(blind.turn());
        blind.life.grimoire().unwrap().shelf().entries().count()
    };
    assert_eq!(first.life.grimoire().unwrap().shelf().entries().count() + 1, blind, "without a chain the lie waits");
    // The next turn asks nothing, and the same record lives the same turn again with nobody there to ask.
    let (_, _, asked) = knowing(&mut first, Vec::new());
    assert!(asked.is_empty());
    let mut again = heir(&parent);
    let step = again.life.begin(&record.input);
    let golem_life::Step::Ask(_) = step else { panic!("{step:?}") };
    let mut step = again.life.answered(&record.answers[0]);
    for answer in &record.answers[1..] {
        assert!(matches!(step, golem_life::Step::Ask(_)));
        step = again.life.answered(answer);
    }
    let golem_life::Step::Wishes(wishes) = step else { panic!("{step:?}") };
    assert_eq!(wishes, record.intents);
    let retaken = report(&mut again.life).expect("it inherited");
    assert_eq!(retaken, taken);
    // The inheritance itself names what is to be asked.
    let inheritance = Inheritance { heirloom: left, choice: InheritanceChoice::default() };
    assert_eq!(inheritance.asked_of_chain().map(|request| request.claims.len()), Some(3));
}
