//! Automatic succession as a machine: the seed's table row by row, and money that is never made or lost, whatever happens when.

use golem_clade::succession::{
    CaseEvent, CompiledHeir, CreditEntry, IdentityState, MovedCredit, OwnerEstate, OwnerTreasury, PROVISION_RETRIES_S,
    PaymentAuthorization, ProvisionConfig, RETRY_QUEUE_S, SuccessionCase, SuccessionHalt, SuccessionNext,
    SuccessionNotice, SuccessionStep, TreasuryRefusal,
};
use golem_core::{GolemId, Hash, Timestamp, Usdc};
use proptest::prelude::*;

const DEAD: GolemId = GolemId([7; 16]);
const HEIR: GolemId = GolemId([8; 16]);
const LINE: GolemId = GolemId([1; 16]);

fn at(s: u64) -> Timestamp {
    Timestamp(1_800_000_000 + i64::try_from(s).unwrap())
}

fn will() -> CompiledHeir {
    CompiledHeir {
        name: "elder-1".parse().unwrap(),
        settings: String::new(),
        budget: Usdc::whole(50),
        inherits: true,
        without: Vec::new(),
    }
}

/// What happens when everything goes well.
fn well(step: SuccessionStep) -> CaseEvent {
    match step {
        SuccessionStep::Export => CaseEvent::Exported { bundle: Hash([3; 32]) },
        SuccessionStep::Compile => CaseEvent::Compiled(will()),
        SuccessionStep::Compare => CaseEvent::Differs { distance: Some(0.2) },
        SuccessionStep::Reserve => CaseEvent::Reserved,
        SuccessionStep::Provision => CaseEvent::Provisioned { berth: "home".to_owned() },
        SuccessionStep::Fund => CaseEvent::Funded { heir: Some(HEIR) },
        SuccessionStep::Register => CaseEvent::Registered { agent: "1".to_owned() },
        SuccessionStep::Boot => CaseEvent::Booted,
        SuccessionStep::Undo => CaseEvent::Undone,
        SuccessionStep::Done => panic!("nothing is left to do"),
    }
}

fn case() -> SuccessionCase {
    SuccessionCase::open(DEAD, LINE, 1, at(0))
}

/// A case that has come to this step without a hitch.
fn come_to(step: SuccessionStep) -> SuccessionCase {
    let mut case = case();
    while case.at != step {
        if case.at == SuccessionStep::Fund {
            case.apply(CaseEvent::Bearing { heir: HEIR }, at(0)).unwrap();
        }
        case.apply(well(case.at), at(0)).unwrap();
    }
    case
}

fn no_place(case: &mut SuccessionCase, now: Timestamp) -> Option<SuccessionNotice> {
    case.apply(CaseEvent::ProvisionFailed { why: "no machine".to_owned(), by_itself: true }, now).unwrap()
}

#[test]
fn the_steps_follow_each_other_and_each_happens_once() {
    let mut case = case();
    let mut seen = Vec::new();
    while let SuccessionNext::Do(step) = case.next(at(0)) {
        seen.push(step);
        if step == SuccessionStep::Fund {
            assert!(case.apply(well(step), at(0)).is_err(), "whom nobody expected is nobody's heir");
            case.apply(CaseEvent::Bearing { heir: HEIR }, at(0)).unwrap();
        }
        let told = case.apply(well(step), at(0)).unwrap();
        assert_eq!(told.is_some(), step == SuccessionStep::Boot, "{step:?}");
        // What is handed on may be sealed anew until it is settled who inherits it; the case stands where it stood.
        let (before, again) = (case.at, case.apply(well(step), at(0)));
        assert_eq!((again.is_err(), case.at), (step != SuccessionStep::Export, before), "{step:?} twice");
    }
    use SuccessionStep::*;
    assert_eq!(seen, [Export, Compile, Compare, Reserve, Provision, Fund, Register, Boot]);
    assert_eq!((case.next(at(0)), case.is_open(), case.heir), (SuccessionNext::Lives(None), false, Some(HEIR)));
}

#[test]
fn provisioning_is_tried_after_30_120_and_480_seconds_and_then_every_hour() {
    let mut case = come_to(SuccessionStep::Provision);
    let (mut now, mut told) = (0, Vec::new());
    for (n, wait) in [30, 120, 480, 3_600, 3_600, 3_600].into_iter().enumerate() {
        told.extend(no_place(&mut case, at(now)).map(|_| n));
        assert_eq!(case.next(at(now)), SuccessionNext::Wait(at(now + wait)), "failure {n}");
        assert_eq!(case.next(at(now + wait - 1)), SuccessionNext::Wait(at(now + wait)));
        now += wait;
        assert_eq!(case.next(at(now)), SuccessionNext::Do(SuccessionStep::Provision));
    }
    assert_eq!(told, [3], "the owner is told once, when the queue begins");
    assert_eq!((PROVISION_RETRIES_S, RETRY_QUEUE_S), ([30, 120, 480], 3_600));
    case.apply(well(SuccessionStep::Provision), at(now)).unwrap();
    no_place(&mut case, at(now));
    assert_eq!(case.next(at(now)), SuccessionNext::Wait(at(now + 30)), "a birth that fails begins a count of its own");
    // Where waiting cannot help the owner hears of it at once.
    let mut case = come_to(SuccessionStep::Provision);
    let hopeless = CaseEvent::ProvisionFailed { why: "no token".to_owned(), by_itself: false };
    assert!(matches!(case.apply(hopeless, at(0)).unwrap(), Some(SuccessionNotice::Queued { failures: 1, .. })));
}

/// The command that ended a golem is over long before the hour is; whoever runs in the same home goes on with it.
#[test]
fn what_waits_for_a_place_is_left_to_others_a_minute_after_it_was_due() {
    let mut case = come_to(SuccessionStep::Provision);
    no_place(&mut case, at(0));
    for (s, left) in [(0, false), (30, false), (89, false), (90, true), (9_999, true)] {
        assert_eq!(case.is_left(at(s)), left, "{s}");
    }
    case.apply(CaseEvent::Halted(SuccessionHalt::Revoked), at(100)).unwrap();
    case.apply(CaseEvent::UndoFailed { why: "no answer".to_owned() }, at(100)).unwrap();
    assert_eq!(
        [100, 130, 189, 190].map(|s| case.is_left(at(s))),
        [false, false, false, true],
        "what it holds goes back"
    );
    case.apply(CaseEvent::Undone, at(200)).unwrap();
    assert!(!case.is_left(at(99_999)), "who is halted waits for its owner");
    for step in [SuccessionStep::Compile, SuccessionStep::Register, SuccessionStep::Done] {
        assert!(!come_to(step).is_left(at(99_999)), "{step:?} waits for no place");
    }
}

#[test]
fn a_clock_that_goes_back_keeps_nobody_waiting_for_years() {
    let mut case = come_to(SuccessionStep::Provision);
    no_place(&mut case, at(1_000_000));
    assert_eq!(case.next(at(0)), SuccessionNext::Do(SuccessionStep::Provision));
}

#[test]
fn without_an_identity_it_boots_and_every_heartbeat_tries_again() {
    let failed = || CaseEvent::RegisterFailed { why: "no node".to_owned(), heartbeat_s: 40 };
    let mut case = come_to(SuccessionStep::Register);
    let told = case.apply(failed(), at(0)).unwrap();
    assert!(matches!(told, Some(SuccessionNotice::Unidentified { .. })));
    assert_eq!(case.next(at(0)), SuccessionNext::Do(SuccessionStep::Boot), "it boots all the same");
    case.apply(CaseEvent::Booted, at(1)).unwrap();
    assert_eq!(case.next(at(1)), SuccessionNext::Do(SuccessionStep::Register));
    for n in 0..5 {
        assert_eq!(case.apply(failed(), at(1 + n * 40)).unwrap(), None, "told once");
        assert_eq!(case.next(at(1 + n * 40)), SuccessionNext::Lives(Some(at(1 + (n + 1) * 40))));
        assert_eq!(case.next(at(1 + (n + 1) * 40)), SuccessionNext::Do(SuccessionStep::Register));
        assert!(case.is_open());
    }
    assert_eq!(case.identity, IdentityState::Owed { failures: 6 });
    case.apply(CaseEvent::Registered { agent: "9".to_owned() }, at(900)).unwrap();
    assert_eq!((case.next(at(900)), case.is_open()), (SuccessionNext::Lives(None), false));
}

#[test]
fn a_halt_waits_for_the_owner_and_gives_back_what_was_begun() {
    let short = SuccessionHalt::Credit { needed: Usdc::whole(50), there: Usdc::whole(1) };
    let near = SuccessionHalt::TooSimilar { found: 0.0, asked: 0.15 };
    for (step, why, undone) in [
        (SuccessionStep::Compare, near, false),
        (SuccessionStep::Reserve, short.clone(), false),
        (SuccessionStep::Provision, short.clone(), true),
        (SuccessionStep::Fund, short, true),
    ] {
        let mut case = come_to(step);
        let told = case.apply(CaseEvent::Halted(why.clone()), at(5)).unwrap();
        assert_eq!(told, Some(SuccessionNotice::Halted { why: why.clone() }));
        if undone {
            assert_eq!(case.next(at(5)), SuccessionNext::Do(SuccessionStep::Undo), "{step:?}");
            case.apply(CaseEvent::UndoFailed { why: "no answer".to_owned() }, at(5)).unwrap();
            assert_eq!(case.next(at(5)), SuccessionNext::Wait(at(35)));
            case.apply(CaseEvent::Undone, at(35)).unwrap();
            assert_eq!(case.berth, None);
        }
        assert_eq!((case.next(at(9_999_999)), case.is_open()), (SuccessionNext::Halted(why), false), "{step:?}");
        assert!(case.apply(CaseEvent::Reserved, at(40)).is_err(), "nothing goes on by itself");
        case.apply(CaseEvent::Resumed, at(50)).unwrap();
        assert_eq!(case.next(at(50)), SuccessionNext::Do(SuccessionStep::Compile), "the owner's word is asked anew");
    }
    let mut case = come_to(SuccessionStep::Compare);
    case.apply(CaseEvent::Halted(SuccessionHalt::Succeeded { heir: HEIR }), at(5)).unwrap();
    assert!(case.apply(CaseEvent::Resumed, at(6)).is_err(), "one death has one successor");
    for late in [SuccessionStep::Register, SuccessionStep::Boot, SuccessionStep::Done] {
        let mut case = come_to(late);
        let halt = CaseEvent::Halted(SuccessionHalt::Succeeded { heir: HEIR });
        assert!(case.apply(halt, at(5)).is_err(), "who is born is not halted any more ({late:?})");
    }
}

#[test]
fn every_halt_has_a_number_of_its_own_and_says_what_would_lift_it() {
    let all = [
        SuccessionHalt::Credit { needed: Usdc::whole(2), there: Usdc::whole(1) },
        SuccessionHalt::TooSimilar { found: 0.1, asked: 0.15 },
        SuccessionHalt::Generations { next: 11, most: 10 },
        SuccessionHalt::Expired { at: at(0) },
        SuccessionHalt::Unfit { why: "no".to_owned() },
        SuccessionHalt::Succeeded { heir: HEIR },
        SuccessionHalt::Revoked,
    ];
    for (n, halt) in all.iter().enumerate() {
        assert_eq!(usize::from(halt.code()), 720 + n);
        assert!(!halt.name().is_empty() && !halt.lifted_by().is_empty() && !halt.to_string().is_empty());
        assert_eq!(serde_json::from_str::<SuccessionHalt>(&serde_json::to_string(halt).unwrap()).unwrap(), *halt);
    }
}

fn credit(usdc: u64) -> CreditEntry {
    CreditEntry { amount: Usdc::whole(usdc), at: at(0), note: String::new() }
}

fn moved(heir: GolemId, usdc: u64, when: u64) -> MovedCredit {
    MovedCredit { amount: Usdc::whole(usdc), at: at(when), lineage: LINE, heir: Some(heir), berth: "home".to_owned() }
}

#[test]
fn one_death_moves_money_once() {
    let mut t = OwnerTreasury::default();
    assert_eq!(
        t.hold(DEAD, Usdc::whole(50), at(0)),
        Err(TreasuryRefusal::Short { needed: Usdc::whole(50), there: Usdc(0) })
    );
    assert_eq!((t.credit("a", credit(70)), t.credit("a", credit(70))), (Ok(true), Ok(false)));
    assert!(t.credit("a", credit(71)).is_err() && t.credit("b", credit(0)).is_err());
    for _ in 0..2 {
        t.hold(DEAD, Usdc::whole(50), at(1)).unwrap();
        assert_eq!((t.free(), t.held()), (Usdc::whole(20), Usdc::whole(50)));
    }
    assert!(t.hold(HEIR, Usdc::whole(21), at(1)).is_err(), "what is set aside is not there twice");
    assert!(t.hold(DEAD, Usdc::whole(51), at(1)).is_err());
    assert!(t.hand_over(DEAD, moved(HEIR, 49, 2)).is_err() && t.hand_over(HEIR, moved(DEAD, 1, 2)).is_err());
    for _ in 0..2 {
        t.hand_over(DEAD, moved(HEIR, 50, 2)).unwrap();
        assert_eq!((t.free(), t.held(), t.moved()), (Usdc::whole(20), Usdc(0), Usdc::whole(50)));
    }
    assert!(t.hand_over(DEAD, moved(LINE, 50, 2)).is_err(), "another heir of the same death");
    assert!(t.hold(DEAD, Usdc::whole(1), at(3)).is_err(), "one death is paid for once");
    let mut full = OwnerTreasury::default();
    let most = CreditEntry { amount: Usdc(u64::MAX), ..credit(1) };
    full.credit("a", most).unwrap();
    assert_eq!(full.credit("b", credit(1)), Err(TreasuryRefusal::TooMuch));
}

fn signed(nonce: &str, usdc: u64, from: u64, to: u64) -> PaymentAuthorization {
    PaymentAuthorization {
        from: "0xaa".to_owned(),
        to: "0xbb".to_owned(),
        amount: Usdc::whole(usdc),
        valid_after: at(from),
        valid_before: at(to),
        nonce: nonce.to_owned(),
        asset: "1/0xcc".to_owned(),
        signature: "0x00".to_owned(),
        used_for: None,
    }
}

#[test]
fn a_signed_payment_pays_for_one_heir_while_it_is_good() {
    let mut t = OwnerTreasury::default();
    assert_eq!(t.authorize(signed("1", 80, 10, 20)), Ok(true));
    assert_eq!(t.authorize(signed("2", 60, 10, 20)), Ok(true));
    assert_eq!(t.authorize(signed("1", 80, 10, 20)), Ok(false));
    assert!(t.authorize(signed("1", 81, 10, 20)).is_err(), "one nonce, one payment");
    for early_or_late in [10, 20, 21] {
        assert!(t.clone().hold(DEAD, Usdc::whole(50), at(early_or_late)).is_err(), "{early_or_late}");
    }
    t.hold(DEAD, Usdc::whole(50), at(11)).unwrap();
    assert_eq!((t.credited(), t.free()), (Usdc::whole(60), Usdc::whole(10)), "the smallest that covers it");
    assert_eq!(t.authorizations().filter(|p| p.used_for == Some(DEAD)).count(), 1);
    assert_eq!(t.authorize(signed("2", 60, 10, 20)), Ok(false), "given again, it stays used");
    t.release(DEAD);
    t.hold(DEAD, Usdc::whole(50), at(12)).unwrap();
    assert_eq!(t.credited(), Usdc::whole(60), "what it brought is there");
    t.hold(HEIR, Usdc::whole(85), at(12)).unwrap();
    assert!(t.hold(LINE, Usdc::whole(50), at(12)).is_err(), "none is used twice");
}

#[test]
fn whoever_forces_deaths_burns_no_more_than_a_day_allows() {
    let mut t = OwnerTreasury::default();
    t.credit("a", credit(10_000)).unwrap();
    let (mut now, mut born) = (0, Vec::new());
    while now < 3 * 86_400 {
        let free = t.not_before(LINE, 3, 600, at(now));
        if free <= at(now) {
            let n = u8::try_from(born.len() + 20).unwrap();
            t.hold(GolemId([n; 16]), Usdc::whole(50), at(now)).unwrap();
            t.hand_over(GolemId([n; 16]), moved(GolemId([n + 100; 16]), 50, now)).unwrap();
            born.push(now);
        }
        now += 60;
    }
    assert_eq!(born, [0, 600, 1_200, 86_400, 87_000, 87_600, 172_800, 173_400, 174_000]);
    assert!(t.not_before(DEAD, 3, 600, at(now)) <= at(now), "another line is another matter");
}

#[test]
fn an_estate_reads_back_what_it_wrote_and_refuses_what_it_never_wrote() {
    let mut estate = OwnerEstate::default();
    estate.treasury.credit("a", credit(70)).unwrap();
    estate.treasury.authorize(signed("1", 80, 10, 20)).unwrap();
    estate.treasury.hold(DEAD, Usdc::whole(50), at(1)).unwrap();
    estate.put(come_to(SuccessionStep::Fund));
    let rows = estate.take_changes();
    assert!(estate.take_changes().is_empty(), "what was taken is not taken again");
    let words: Vec<(String, String, String)> =
        rows.iter().map(|r| (r.table.to_owned(), r.key.clone(), r.body.clone().unwrap())).collect();
    let read = |all: &[(String, String, String)]| {
        OwnerEstate::read(all.iter().map(|(t, k, b)| (t.as_str(), k.as_str(), b.as_str())))
    };
    let mut back = read(&words).unwrap();
    assert_eq!((&back.treasury, back.case(DEAD)), (&estate.treasury, estate.case(DEAD)));
    back.treasury.release(DEAD);
    let change = back.take_changes();
    assert_eq!((change.len(), change[0].table, &change[0].body), (1, "hold", &None));
    for (table, key, body) in [
        ("purse", "a", "{}"),
        ("credit", "b", "{}"),
        ("hold", "no id", r#"{"amount":1,"at":"2026-01-01T00:00:00Z"}"#),
        ("hold", &HEIR.to_string(), r#"{"amount":90000000,"at":"2026-01-01T00:00:00Z"}"#),
    ] {
        let mut bad = words.clone();
        bad.push((table.to_owned(), key.to_owned(), body.to_owned()));
        assert!(read(&bad).is_err(), "{table} {key}");
    }
    let mut swapped = words;
    swapped.iter_mut().filter(|row| row.0 == "case").for_each(|row| row.1 = HEIR.to_string());
    assert!(read(&swapped).is_err(), "a case about another death");
}

proptest! {
    /// Whatever happens in whatever order, a case goes from step to step, is funded once, and never both halted and done.
    #[test]
    fn no_order_of_events_breaks_a_case(events in proptest::collection::vec((0u8..21, 0u64..4_000), 0..60)) {
        let (mut case, mut now, mut funded) = (case(), 0, 0);
        for (n, later) in events {
            now += later;
            let event = match n {
                0 => well(SuccessionStep::Export),
                1 => well(SuccessionStep::Compile),
                2 => well(SuccessionStep::Compare),
                3 => well(SuccessionStep::Reserve),
                4 => well(SuccessionStep::Provision),
                5 => well(SuccessionStep::Fund),
                6 => well(SuccessionStep::Register),
                7 => CaseEvent::Booted,
                8 => CaseEvent::ProvisionFailed { why: String::new(), by_itself: true },
                9 => CaseEvent::RegisterFailed { why: String::new(), heartbeat_s: 40 },
                10 => CaseEvent::BootFailed { why: String::new() },
                11 => CaseEvent::Halted(SuccessionHalt::TooSimilar { found: 0.0, asked: 0.15 }),
                12 => CaseEvent::Undone,
                13 => CaseEvent::UndoFailed { why: String::new() },
                14 => CaseEvent::Resumed,
                15 => CaseEvent::Postponed { until: at(now + 100) },
                16 => CaseEvent::Bearing { heir: HEIR },
                17 => CaseEvent::Moved,
                18 => CaseEvent::Asked { place: ProvisionConfig::default() },
                19 => CaseEvent::Exported { bundle: Hash([4; 32]) },
                _ => CaseEvent::Unregistered,
            };
            let before = case.clone();
            match case.apply(event, at(now)) {
                Err(_) => prop_assert_eq!(&case, &before, "a refused event changes nothing"),
                Ok(_) => funded += u32::from(before.funded.is_none() && case.funded.is_some()),
            }
            prop_assert!(!(case.funded.is_some() && case.halted.is_some()));
            prop_assert!(before.funded.is_none() || case.funded == before.funded, "funded once");
            prop_assert!(before.heir.is_none() || case.heir == before.heir);
            prop_assert!(case.funded.is_none() || case.place == before.place, "where it was paid for, it begins");
            let body = serde_json::to_string(&case).unwrap();
            prop_assert_eq!(serde_json::from_str::<SuccessionCase>(&body).unwrap(), case.clone());
        }
        prop_assert!(funded <= 1);
    }

    /// Credit is neither made nor lost.
    #[test]
    fn credit_is_conserved(moves in proptest::collection::vec((0u8..5, 0u8..6, 1u64..90), 0..80)) {
        let mut t = OwnerTreasury::default();
        for (n, (kind, who, usdc)) in moves.into_iter().enumerate() {
            let (dead, now) = (GolemId([who; 16]), n as u64);
            let before = t.clone();
            let done = match kind {
                0 => t.credit(&format!("k{who}"), credit(usdc)).map(drop),
                1 => t.hold(dead, Usdc::whole(usdc), at(now)),
                2 => { t.release(dead); Ok(()) }
                3 => t.hand_over(dead, moved(GolemId([who + 100; 16]), usdc, now)),
                _ => t.authorize(signed(&who.to_string(), usdc, 0, 70)).map(drop),
            };
            if done.is_err() {
                prop_assert_eq!(&t, &before, "what was refused changed nothing");
            }
            prop_assert_eq!(t.credited().0, t.free().0 + t.held().0 + t.moved().0);
            for (dead, moved) in before.moves() {
                prop_assert_eq!(t.move_of(dead), Some(moved), "what was moved stays moved");
            }
        }
    }
}
