//! The ledger conserves money under any sequence of operations, and its rules hold one by one.

use golem_core::{Elapsed, Tick, Usdc};
use golem_mortality::config::{EconomicConfig, PartitionShares};
use golem_mortality::economic::rebalance::rebalance;
use golem_mortality::economic::surplus::{operating_bound, return_surplus};
use golem_mortality::economic::{Ledger, Partition, Prices, Purpose, PurseDenied};
use proptest::prelude::*;

fn shares() -> PartitionShares {
    EconomicConfig::default().partitions
}
fn caps() -> PartitionShares {
    EconomicConfig::default().daily_caps
}
fn newborn() -> Ledger {
    Ledger::funded(Usdc::whole(50), 4_000, &shares())
}

/// Pay for a wish, as the turn does: first it is asked, then it is spent.
fn pay(
    ledger: &mut Ledger,
    purpose: Purpose,
    amount: Usdc,
    reserve: Usdc,
    caps: &PartitionShares,
) -> Result<(), PurseDenied> {
    ledger.afford(purpose, amount, reserve, caps)?;
    ledger.spend(purpose, amount);
    Ok(())
}

#[test]
fn funding_is_split_as_decided() {
    let ledger = newborn();
    assert_eq!(ledger.capital, Usdc::whole(30));
    assert_eq!(ledger.purses, [Usdc::whole(12), Usdc::whole(5), Usdc::whole(3), Usdc::ZERO]);
    assert!(ledger.balances());
}

#[test]
fn partitions_follow_the_phase_and_come_back() {
    let mut ledger = newborn();
    ledger.repartition(&PartitionShares { llm: 0.40, gas: 0.20, data: 0.15 });
    assert_eq!(ledger.purses, [Usdc::whole(8), Usdc::whole(4), Usdc::whole(3), Usdc::whole(5)]);
    ledger.repartition(&PartitionShares { llm: 0.0, gas: 0.0, data: 0.0 });
    assert_eq!(ledger.purses, [Usdc::ZERO, Usdc::ZERO, Usdc::ZERO, Usdc::whole(20)]);
    // Terminal: legacy pays gas and reflection, without a daily cap.
    assert!(pay(&mut ledger, Purpose::Gas, Usdc::whole(2), Usdc::whole(1), &caps()).is_ok());
    assert!(pay(&mut ledger, Purpose::Reflection, Usdc::whole(2), Usdc::whole(1), &caps()).is_ok());
    ledger.repartition(&shares());
    assert_eq!(ledger.operating(), Usdc::whole(16));
    assert!(ledger.balances());
}

#[test]
fn wishes_stop_at_purse_cap_and_reserve() {
    let mut ledger = newborn();
    let reserve = Usdc::whole(1);
    assert!(matches!(ledger.afford(Purpose::Gas, Usdc::whole(6), reserve, &caps()), Err(PurseDenied::Purse { .. })));
    // The gas purse holds 5; 30 % a day are 1.50.
    assert!(pay(&mut ledger, Purpose::Gas, Usdc(1_500_000), reserve, &caps()).is_ok());
    assert!(matches!(pay(&mut ledger, Purpose::Gas, Usdc(1), reserve, &caps()), Err(PurseDenied::DailyCap { .. })));
    ledger.open_turn(1);
    assert!(pay(&mut ledger, Purpose::Gas, Usdc(1), reserve, &caps()).is_ok());
    let mut poor = Ledger::funded(Usdc(1_200_000), 10_000, &shares());
    assert!(matches!(pay(&mut poor, Purpose::Gas, Usdc(90_000), Usdc(1_150_000), &caps()), Err(PurseDenied::Reserve)));
    assert!(poor.balances());
}

#[test]
fn rent_is_paid_from_wherever_there_is_something_but_never_the_reserve() {
    let mut ledger = Ledger::funded(Usdc::whole(10), 1_000, &shares());
    let (reserve, mut owed) = (Usdc::whole(1), 0);
    for day in 0..20 {
        ledger.open_turn(day);
        ledger.rent(Purpose::Compute, Usdc(700_000), reserve);
        owed += 700_000;
        assert!(ledger.balances());
        assert!(ledger.liquid() >= reserve);
    }
    assert_eq!(ledger.spent.0 + ledger.arrears.0, owed);
    assert_eq!(ledger.liquid(), reserve);
    assert_eq!(ledger.balance(Usdc::ZERO), Usdc::ZERO, "what is owed counts against the balance");
    ledger.feed(Usdc::whole(10), 4_000, &shares());
    ledger.rent(Purpose::Compute, Usdc::ZERO, reserve);
    assert_eq!(ledger.arrears, Usdc::ZERO, "old rent is paid first");
}

#[test]
fn profit_refills_operating_credit() {
    let mut ledger = newborn();
    assert_eq!(ledger.put_into_positions(Usdc::whole(10)), Usdc::ZERO);
    ledger.receive(Usdc::whole(14), Usdc::whole(4), 5_000, &shares());
    assert_eq!(ledger.operating(), Usdc::whole(22));
    assert_eq!(ledger.capital, Usdc::whole(32));
    assert!(ledger.balances());
    assert_eq!(ledger.put_into_positions(Usdc::whole(33)), Usdc::whole(1), "beyond capital, operating credit pays");
    assert!(ledger.balances());
    assert_eq!(ledger.operating(), Usdc::whole(21));
    assert_eq!(ledger.on_chain(), ledger.deposits().plus(Usdc::whole(14)).minus(Usdc::whole(43)));
}

#[test]
fn what_refill_added_beyond_its_bound_flows_back_into_capital() {
    let prices = Prices::of(&EconomicConfig::default());
    let day = Elapsed::secs(86_400);
    // 40 % of 50 USDC, and sixty days of 0.228 USDC.
    let bound = |ledger: &Ledger| operating_bound(ledger, &prices, day);
    let mut ledger = newborn();
    assert_eq!(bound(&ledger), Usdc(20_000_000 + 60 * 228_000));
    assert_eq!(return_surplus(&mut ledger, Usdc(33_680_000)), Usdc::ZERO, "a newborn holds its share and no more");
    // 100 USDC of profit, in lumps: half of each refills operating credit, which stays within its bound.
    for _ in 0..20 {
        ledger.receive(Usdc::whole(5), Usdc::whole(5), 5_000, &shares());
        let (most, worth) = (bound(&ledger), ledger.liquid());
        return_surplus(&mut ledger, most);
        assert!(ledger.operating() <= most && ledger.balances());
        assert_eq!(ledger.liquid(), worth, "it moves, it does not vanish");
    }
    assert_eq!((ledger.operating(), ledger.capital), (Usdc(33_680_000), Usdc(116_320_000)));
    // The division between purses stays as it was, and what was fed is bounded by its own share.
    let by_share = ledger.purses.map(|p| p.0 as f64 / 33_680_000.0);
    assert!(by_share.iter().zip([0.60, 0.25, 0.15, 0.0]).all(|(a, b)| (a - b).abs() < 1e-4), "{by_share:?}");
    ledger.feed(Usdc::whole(10), 4_000, &shares());
    let most = bound(&ledger);
    assert_eq!(return_surplus(&mut ledger, most), Usdc::ZERO);
    // Models cost something too: sixty days of what they have cost per day so far.
    ledger.spend(Purpose::Inference, Usdc::whole(3));
    let six = Elapsed::secs(6 * 86_400);
    assert_eq!(operating_bound(&ledger, &prices, six).minus(bound(&Ledger::default())), Usdc::whole(24 + 30));
}

#[test]
fn what_the_chain_takes_back_is_taken_back_to_the_unit() {
    let mut ledger = newborn();
    let before = ledger.clone();
    ledger.spend(Purpose::Gas, Usdc(700));
    ledger.put_into_positions(Usdc::whole(10));
    ledger.unbook(-10_000_000, Purpose::Gas, Usdc(700));
    assert_eq!((ledger.capital, ledger.put, ledger.spent), (before.capital, before.put, before.spent));
    assert_eq!(ledger.purses, before.purses);
    ledger.receive(Usdc::whole(3), Usdc::ZERO, 5_000, &shares());
    ledger.unbook(3_000_000, Purpose::Gas, Usdc::ZERO);
    assert_eq!((ledger.capital, ledger.received), (before.capital, before.received));
    assert!(ledger.balances());
    // What came back and is gone again can be more than there is: the rest is owed.
    ledger.receive(Usdc::whole(3), Usdc::ZERO, 5_000, &shares());
    ledger.spend(Purpose::Gas, ledger.liquid());
    ledger.unbook(3_000_000, Purpose::Gas, Usdc::ZERO);
    assert_eq!(ledger.arrears, Usdc::whole(3));
    assert!(ledger.balances());
}

#[test]
fn a_purse_that_will_run_dry_is_filled_from_the_fullest() {
    let mut ledger = newborn();
    let reserve = Usdc::whole(1);
    let mut moved = None;
    for t in 0..400 {
        ledger.rent(Purpose::Data, Usdc(10_000), reserve);
        if let Some(r) = rebalance(&mut ledger, Tick(t)) {
            moved = Some((t, r));
            break;
        }
    }
    let (at, r) = moved.expect("it was filled");
    assert_eq!((r.from, r.to), (Partition::Llm, Partition::Data));
    // 3 USDC at 0.01 a turn: dry at turn 300, foreseen ten turns ahead.
    assert!((285..300).contains(&at), "{at}");
    assert!(ledger.purses[Partition::Data.index()] >= Usdc(90_000));
    assert!(rebalance(&mut ledger, Tick(at + 29)).is_none(), "cool-down");
    assert!(ledger.balances());
}

#[derive(Debug, Clone)]
enum Op {
    Feed(u64),
    Rent(usize, u64),
    Wish(usize, u64),
    Put(u64),
    Receive(u64, u64),
    Repartition(f64, f64, f64),
    Rebalance(u64),
    Day(u64),
    Bequeath(u64, u64),
    Unsend(u64),
    Return(u64),
}

fn op() -> impl Strategy<Value = Op> {
    let money = || prop_oneof![0..100_000_000u64, Just(0), Just(u64::MAX / 4)];
    prop_oneof![
        (0..100_000_000u64).prop_map(Op::Feed),
        (0usize..7, money()).prop_map(|(p, m)| Op::Rent(p, m)),
        (0usize..7, money()).prop_map(|(p, m)| Op::Wish(p, m)),
        money().prop_map(Op::Put),
        (0..100_000_000u64, money()).prop_map(|(a, b)| Op::Receive(a, b)),
        (0.0..1.0f64, 0.0..1.0f64, 0.0..1.0f64).prop_map(|(a, b, c)| {
            let sum = (a + b + c).max(1.0);
            Op::Repartition(a / sum, b / sum, c / sum)
        }),
        (0..1_000u64).prop_map(Op::Rebalance),
        (0..100u64).prop_map(Op::Day),
        (money(), prop_oneof![Just(0), 0..100_000_000u64]).prop_map(|(m, kept)| Op::Bequeath(m, kept)),
        money().prop_map(Op::Unsend),
        money().prop_map(Op::Return),
    ]
}

proptest! {
    #[test]
    fn money_is_conserved(ops in prop::collection::vec(op(), 1..120), reserve in 0..5_000_000u64) {
        let mut ledger = newborn();
        let reserve = Usdc(reserve);
        for op in ops {
            match op {
                Op::Feed(m) => { ledger.feed(Usdc(m), 4_000, &shares()); }
                Op::Rent(p, m) => { ledger.rent(Purpose::ALL[p], Usdc(m), reserve); }
                Op::Wish(p, m) => { let _denied = pay(&mut ledger, Purpose::ALL[p], Usdc(m), reserve, &caps()); }
                Op::Put(m) => { ledger.put_into_positions(Usdc(m)); }
                Op::Receive(a, b) => ledger.receive(Usdc(a), Usdc(b), 5_000, &shares()),
                Op::Repartition(llm, gas, data) => ledger.repartition(&PartitionShares { llm, gas, data }),
                Op::Rebalance(t) => { rebalance(&mut ledger, Tick(t)); }
                Op::Day(d) => ledger.open_turn(d),
                Op::Return(m) => { return_surplus(&mut ledger, Usdc(m)); }
                Op::Bequeath(m, kept) => { ledger.send_home(Usdc(m), Usdc(kept)); }
                Op::Unsend(m) => ledger.unsend(Usdc(m)),
            }
            prop_assert!(ledger.balances(), "{ledger:?}");
            let lines: u64 = ledger.by_purpose.iter().map(|u| u.0).sum();
            prop_assert_eq!(lines, ledger.spent.0, "every line has a purpose");
        }
    }
}
