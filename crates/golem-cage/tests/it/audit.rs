//! The audit chain and the words of denials.

use crate::kit::{Desk, Kept, usd};
use golem_cage::{BreakerLevel, BrokenAudit, CageFact, Contradiction, Denial, Verified, Window, verify_audit};
use golem_core::fact::FactBody;
use golem_core::intent::Refusal;
use golem_core::venue::VenueId;
use golem_core::{Elapsed, Hash, Tick, Usdc};
use std::collections::BTreeSet;

/// A life with every kind of fact in it.
fn lived() -> Kept {
    let mut k = Kept::new(usd(1_000));
    let some = Desk { usdc: usd(600).0, asset: usd(200).0, position: Some((usd(100).0, usd(100).0)) };
    k.see(usd(1_000));
    for n in 1..5 {
        k.carry(&some.buy(n)).unwrap();
        let _ = k.ask(&some.buy(usd(900 + n).0));
        k.wait(40);
    }
    k.carry(&some.rebalance(1, 2)).unwrap();
    k.carry(&some.remove(2_500)).unwrap();
    k.see(usd(960));
    k.halt();
    k.wait(40);
    k.resume();
    k
}

#[test]
fn every_kind_of_fact_is_a_link_and_the_chain_holds() {
    let k = lived();
    let names: BTreeSet<_> = k.facts.iter().map(CageFact::name).collect();
    let all = ["cage.breaker", "cage.denied", "cage.halted", "cage.permit", "cage.resumed", "cage.settled"];
    assert_eq!(names, BTreeSet::from(all));
    assert!(k.facts.iter().all(|fact| !fact.is_series()));
    for (n, fact) in k.facts.iter().enumerate() {
        assert_eq!(fact.audit().seq, n as u64);
    }
    let verified = verify_audit(&k.facts).unwrap();
    assert_eq!(verified, Verified { len: k.facts.len() as u64, head: k.cage.audit_head() });
    let status = k.cage.status(&k.config);
    assert_eq!((status.audit_len, status.audit_head), (verified.len, verified.head));
    assert_eq!(verify_audit([]).unwrap(), Verified { len: 0, head: Hash::default() });
    assert_ne!(k.cage.audit_head(), Hash::default());
}

#[test]
fn recorded_facts_can_be_read_back_and_checked() {
    let k = lived();
    let lines: Vec<String> = k.facts.iter().map(|fact| serde_json::to_string(fact).unwrap()).collect();
    for (line, fact) in lines.iter().zip(&k.facts) {
        assert!(line.starts_with(&format!("{{\"type\":\"{}\",\"audit\":{{\"seq\":", fact.name())), "{line}");
    }
    let read: Vec<CageFact> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(read, k.facts);
    assert_eq!(verify_audit(&read).unwrap().head, k.cage.audit_head());
}

#[test]
fn any_change_of_any_link_is_found_the_first_included() {
    let k = lived();
    for n in 0..k.facts.len() {
        let seq = n as u64;
        // Missing.
        let mut facts = k.facts.clone();
        facts.remove(n);
        if n + 1 < k.facts.len() {
            assert_eq!(verify_audit(&facts), Err(BrokenAudit::Order { expected: seq, found: seq + 1 }));
        } else {
            assert_ne!(verify_audit(&facts).unwrap().head, k.cage.audit_head());
        }
        // Doubled.
        let mut facts = k.facts.clone();
        facts.insert(n, facts[n].clone());
        assert_eq!(verify_audit(&facts), Err(BrokenAudit::Order { expected: seq + 1, found: seq }));
        // Changed in what it tells, in its turn, in its hash.
        for (from, to) in [("\"tick\":", "\"tick\":9"), ("micro_usdc\":", "micro_usdc\":1"), ("\"hash\":\"", "")] {
            let line = serde_json::to_string(&k.facts[n]).unwrap();
            let changed = if to.is_empty() {
                let at = line.find(from).unwrap() + from.len();
                let digit = if &line[at..=at] == "0" { "1" } else { "0" };
                format!("{}{digit}{}", &line[..at], &line[at + 1..])
            } else if line.contains(from) {
                line.replacen(from, to, 1)
            } else {
                continue;
            };
            let mut facts = k.facts.clone();
            facts[n] = serde_json::from_str(&changed).unwrap();
            assert_eq!(verify_audit(&facts), Err(BrokenAudit::Hash { seq }), "{changed}");
        }
    }
}

#[test]
fn a_rewritten_first_link_changes_every_later_one() {
    let (mut a, mut b) = (Kept::new(usd(1)), Kept::new(usd(1)));
    a.cage.halt(Tick(1), "one", &mut a.facts);
    b.cage.halt(Tick(1), "two", &mut b.facts);
    a.resume();
    b.resume();
    assert_ne!(a.facts[1].audit().hash, b.facts[1].audit().hash);
    let mixed = [a.facts[0].clone(), b.facts[1].clone()];
    assert_eq!(verify_audit(&mixed), Err(BrokenAudit::Hash { seq: 1 }));
}

/// One of each.
fn denials() -> Vec<(u16, &'static str, Denial)> {
    let (venue, hash, x) = (VenueId::UniswapV2, Hash::default(), Usdc(1_500_000));
    let limit = |window| Denial::Limit { window, asked: x, used: x, cap: x };
    vec![
        (100, "nothing", Denial::Nothing),
        (101, "loop", Denial::Loop { times: 5, of: 20 }),
        (102, "would_fail", Denial::WouldFail { why: Refusal::Funds }),
        (103, "contradiction", Denial::Contradiction { how: Contradiction::Books }),
        (104, "twice", Denial::Twice { permit: 1 }),
        (105, "outstanding", Denial::Outstanding { open: 4, cap: 4 }),
        (106, "unfounded", Denial::Unfounded),
        (107, "no_leave", Denial::NoLeave),
        (108, "beyond_leave", Denial::BeyondLeave { asked: 2, left: 1 }),
        (200, "venue", Denial::Venue { venue }),
        (201, "unpinned", Denial::Unpinned { venue }),
        (202, "code", Denial::Code { venue: VenueId::UniswapV3, pinned: hash, found: hash }),
        (203, "cooldown", Denial::Cooldown { venue, left: Elapsed(1_001) }),
        (204, "off_reference", Denial::OffReference { off: 301, cap: 300 }),
        (205, "no_reference", Denial::NoReference),
        (300, "halted", Denial::Halted),
        (301, "breaker", Denial::Breaker { level: BreakerLevel::ReduceOnly }),
        (302, "breaker_hold", Denial::Breaker { level: BreakerLevel::Hold }),
        (303, "bled", Denial::Bled { drawdown: 2_001, cap: 2_000 }),
        (400, "tolerance", Denial::Tolerance { asked: 101, cap: 100 }),
        (401, "slippage", Denial::Slippage { expected: x, fair: x, cap: 100 }),
        (402, "minimum", Denial::Minimum { cap: 100 }),
        (500, "position", Denial::Position { after: x, cap: x }),
        (501, "exposure", Denial::Exposure { after: x, cap: x }),
        (502, "gas", Denial::Gas { cost: x, cap: x }),
        (510, "per_tx", limit(Window::Tx)),
        (511, "per_hour", limit(Window::Hour)),
        (512, "per_day", limit(Window::Day)),
        (513, "per_life", limit(Window::Life)),
    ]
}

#[test]
fn every_denial_has_a_number_a_name_a_reason_and_what_lifts_it() {
    let all = denials();
    for (code, name, denial) in &all {
        assert_eq!((denial.code(), denial.name()), (*code, *name));
        assert!(denial.to_string().len() > 10 && denial.lifted_by().len() > 3, "{denial}");
        let text = serde_json::to_string(denial).unwrap();
        assert_eq!(&serde_json::from_str::<Denial>(&text).unwrap(), denial);
    }
    let reasons: BTreeSet<String> = all.iter().map(|(_, _, denial)| denial.to_string()).collect();
    let names: BTreeSet<&str> = all.iter().map(|(_, name, _)| *name).collect();
    let codes: BTreeSet<u16> = all.iter().map(|(code, ..)| *code).collect();
    assert_eq!((reasons.len(), names.len(), codes.len()), (all.len(), all.len(), all.len()));
    let said: Vec<String> = all.iter().map(|(_, _, denial)| denial.to_string()).collect();
    assert!(said.contains(&"1.50 USDC on top of 1.50 is above the limit of 1.50 per hour".to_owned()));
    assert!(said.contains(&"uniswap-v2 is new and has to wait another 2 s".to_owned()));
    assert!(said.contains(&"the drawdown breaker stands at reduce_only".to_owned()));
    assert_eq!(Denial::Halted.lifted_by(), "the owner's resume; reducing stays possible");
    assert_eq!(Denial::Tolerance { asked: 101, cap: 100 }.lifted_by(), "a smaller tolerance");
    let levels = [BreakerLevel::Calm, BreakerLevel::Half, BreakerLevel::ReduceOnly, BreakerLevel::Hold];
    assert_eq!(levels.map(BreakerLevel::name), ["calm", "half", "reduce_only", "hold"]);
}

#[test]
fn denials_are_counted_by_name() {
    let mut k = Kept::new(usd(1_000));
    let some = Desk { usdc: usd(1_000).0, asset: 0, position: None };
    for n in 1..=3 {
        assert_eq!(k.why(&some.buy(usd(500).0 + n)), "per_tx");
    }
    k.halt();
    assert_eq!(k.why(&some.buy(1)), "halted");
    let status = k.cage.status(&k.config);
    assert_eq!(status.denials.into_iter().collect::<Vec<_>>(), [("halted".to_owned(), 1), ("per_tx".to_owned(), 3)]);
    assert_eq!((status.permits, status.policy), (0, k.config.hash()));
}
