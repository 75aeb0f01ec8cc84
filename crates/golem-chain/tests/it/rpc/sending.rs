//! Sending against real nodes: stuck, replaced, lost, crashed, reorganised. A counter on the chain counts what really
//! happened, and the account's ether must be what the receipts say, to the wei.

use crate::kit::{Anvil, AnyPen, Behave, Proxy, anvil};
use crate::rpc::nodes::{config, node};
use alloy_primitives::{Address, Bytes, U256, address};
use golem_chain::rpc::{ChainEvent, Pen, Reconciled, RpcConfig, Sender, SentStep, StepCall, StepEnd};
use golem_core::Tick;
use golem_core::door::EffectKey;
use golem_core::intent::Refusal;
use golem_venue::VenueError;
use serde_json::{Value, json};
use std::path::PathBuf;
use tempfile::TempDir;

const COUNTER: Address = address!("00000000000000000000000000000000000c0de0");
const A: EffectKey = EffectKey::new(Tick(1), 0);
const B: EffectKey = EffectKey::new(Tick(1), 1);
const THEIRS: EffectKey = EffectKey::new(Tick(9), 0);
/// What the account begins with.
const ETHER: u128 = 10_000_000_000_000_000_000;

/// A node with a counter on it, a proxy before it, and a sender that can be dropped and made again.
struct Bench {
    anvil: Anvil,
    proxy: Proxy,
    config: RpcConfig,
    dir: TempDir,
    pen: AnyPen,
}

impl Bench {
    fn new() -> Self {
        let (anvil, pen) = (Anvil::start(), AnyPen::of(7));
        // Adds one to its first slot whenever it is called.
        anvil.call("anvil_setCode", json!([COUNTER, "0x60005460010160005500"]));
        anvil.call("anvil_setBalance", json!([pen.account(), format!("{ETHER:#x}")]));
        anvil.mine(1);
        let proxy = Proxy::before(&anvil.address);
        let mut config = config(vec![proxy.url()]);
        config.bump_after_ms = 30_000;
        config.turn_budget_ms = 10_000;
        config.request_timeout_ms = 1_000;
        Self { anvil, proxy, config, dir: tempfile::tempdir().expect("a directory"), pen }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("sent.db")
    }

    /// A sender as after a start: nothing remembered but the record.
    fn sender(&self) -> Sender {
        Sender::open(node(&self.config), &self.path(), self.pen.account()).expect("a sender")
    }

    fn stop_mining(&self) {
        self.anvil.call("evm_setAutomine", json!([false]));
    }

    fn count(&self) -> u128 {
        self.anvil.number("eth_getStorageAt", json!([COUNTER, "0x0", "latest"]))
    }

    /// The counter stands where it should, and the ether is what was there less what the ends say was paid.
    fn settles(&self, count: u128, ends: &[&StepEnd]) {
        assert_eq!(self.count(), count, "what really happened");
        let paid: u128 = ends
            .iter()
            .map(|end| match end {
                StepEnd::Landed(l) | StepEnd::Cancelled(l) => u128::from(l.gas_used) * l.gas_price,
                StepEnd::Displaced => 0,
            })
            .sum();
        assert_eq!(self.anvil.number("eth_getBalance", json!([self.pen.account(), "latest"])), ETHER - paid);
    }
}

fn call() -> StepCall {
    StepCall { to: COUNTER, data: Bytes::new(), gas_limit: 60_000, value: U256::ZERO }
}

fn end(sent: Result<SentStep, VenueError>) -> StepEnd {
    match sent {
        Ok(SentStep::Settled(end)) => end,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_step_is_sent_once_however_often_it_is_asked_for() {
    if anvil::is_missing() {
        return;
    }
    let mut bench = Bench::new();
    let mut sender = bench.sender();
    let first = end(sender.send(A, 0, &call(), &mut bench.pen));
    assert!(matches!(&first, StepEnd::Landed(l) if l.succeeded && l.logs.is_empty()));
    assert_eq!(end(sender.send(A, 0, &call(), &mut bench.pen)), first);
    drop(sender);
    let mut sender = bench.sender();
    assert_eq!(end(sender.send(A, 0, &call(), &mut bench.pen)), first, "nor after a restart");
    let other = StepCall { data: Bytes::from_static(b"x"), ..call() };
    assert!(matches!(sender.send(A, 0, &other, &mut bench.pen), Err(VenueError::Bug(_))));
    let second = end(sender.send(A, 1, &call(), &mut bench.pen));
    assert_eq!(bench.pen.signed, 2);
    bench.settles(2, &[&first, &second]);
}

#[test]
fn confirmations_are_waited_for() {
    if anvil::is_missing() {
        return;
    }
    let mut bench = Bench::new();
    bench.config.confirmations = 3;
    bench.config.turn_budget_ms = 1_500;
    let mut sender = bench.sender();
    assert_eq!(sender.send(A, 0, &call(), &mut bench.pen), Ok(SentStep::Unknown));
    bench.anvil.mine(2);
    assert_eq!(bench.sender().reconcile(A, &mut bench.pen), Ok(Reconciled::Unknown));
    bench.anvil.mine(1);
    let mut sender = bench.sender();
    assert!(matches!(sender.reconcile(A, &mut bench.pen), Ok(Reconciled::Settled(_))));
    let end = end(sender.send(A, 0, &call(), &mut bench.pen));
    bench.settles(1, &[&end]);
}

#[test]
fn after_a_crash_behind_the_broadcast_it_is_found_by_its_hash() {
    if anvil::is_missing() {
        return;
    }
    let mut bench = Bench::new();
    bench.config.turn_budget_ms = 1_500;
    bench.stop_mining();
    assert_eq!(bench.sender().send(A, 0, &call(), &mut bench.pen), Ok(SentStep::Unknown));
    // Restarted before it lands: nothing is known, and nothing is signed.
    bench.pen.permitted = false;
    assert_eq!(bench.sender().reconcile(A, &mut bench.pen), Ok(Reconciled::Unknown));
    assert_eq!(bench.sender().reconcile(B, &mut bench.pen), Ok(Reconciled::NeverSent));
    bench.anvil.mine(1);
    let mut sender = bench.sender();
    let Ok(Reconciled::Settled(steps)) = sender.reconcile(A, &mut bench.pen) else { panic!("not settled") };
    let landed = steps[0].end.clone().expect("an end");
    assert!(matches!(landed, StepEnd::Landed(_)));
    assert_eq!(end(sender.send(A, 0, &call(), &mut bench.pen)), landed);
    bench.settles(1, &[&landed]);
}

#[test]
fn after_a_crash_before_the_broadcast_it_is_sent_with_the_same_bytes() {
    if anvil::is_missing() {
        return;
    }
    let mut bench = Bench::new();
    bench.config.turn_budget_ms = 1_500;
    // The node never sees it: whoever crashed in between cannot tell the difference.
    bench.proxy.behave(|method, _| match method {
        "eth_sendRawTransaction" => Behave::Cut,
        _ => Behave::Pass,
    });
    assert_eq!(bench.sender().send(A, 0, &call(), &mut bench.pen), Ok(SentStep::Unknown));
    let signed = bench.pen.signed;
    bench.proxy.reform();
    bench.pen.permitted = false;
    let mut sender = bench.sender();
    let Ok(Reconciled::Settled(steps)) = sender.reconcile(A, &mut bench.pen) else { panic!("not settled") };
    assert_eq!(bench.pen.signed, signed, "nothing was signed anew");
    bench.settles(1, &[steps[0].end.as_ref().expect("an end")]);
}

#[test]
fn what_is_found_too_old_after_a_crash_is_taken_back_under_its_own_nonce() {
    if anvil::is_missing() {
        return;
    }
    let mut bench = Bench::new();
    bench.config.turn_budget_ms = 1_500;
    bench.proxy.behave(|method, _| match method {
        "eth_sendRawTransaction" => Behave::Answer(json!("0x00")),
        _ => Behave::Pass,
    });
    assert_eq!(bench.sender().send(A, 0, &call(), &mut bench.pen), Ok(SentStep::Unknown));
    bench.proxy.reform();
    bench.pen.permitted = false;
    let later = move || (crate::rpc::nodes::wall() + 500) * 1_000;
    let node = golem_chain::rpc::Node::new(&bench.config, Box::new(|| 0.5), Box::new(later)).expect("a node");
    let mut sender = Sender::open(node, &bench.path(), bench.pen.account()).expect("a sender");
    let Ok(Reconciled::Settled(steps)) = sender.reconcile(A, &mut bench.pen) else { panic!("not settled") };
    let end = steps[0].end.clone().expect("an end");
    assert!(matches!(end, StepEnd::Cancelled(_)), "{end:?}");
    bench.settles(0, &[&end]);
    // The nonce is used up: the first signature can never land.
    let raw: Vec<String> = raws(&bench);
    assert!(bench.anvil.try_call("eth_sendRawTransaction", json!([raw[0]])).is_err());
    bench.settles(0, &[&end]);
}

/// All signatures in the record, the oldest first.
fn raws(bench: &Bench) -> Vec<String> {
    let db = rusqlite::Connection::open(bench.path()).expect("the record");
    let mut query = db.prepare("SELECT raw FROM tries ORDER BY rowid").expect("a query");
    let read = query.query_map([], |r| r.get::<_, Vec<u8>>(0)).expect("rows");
    read.map(|raw| Bytes::from(raw.expect("bytes")).to_string()).collect()
}

#[test]
fn a_stuck_transaction_is_raised_by_an_eighth_and_happens_once() {
    if anvil::is_missing() {
        return;
    }
    let mut bench = Bench::new();
    bench.config.turn_budget_ms = 1_500;
    bench.config.bump_after_ms = 100;
    bench.config.max_bumps = 20;
    bench.stop_mining();
    assert_eq!(bench.sender().send(A, 0, &call(), &mut bench.pen), Ok(SentStep::Unknown));
    assert!(bench.pen.signed >= 3, "{} signatures", bench.pen.signed);
    let db = rusqlite::Connection::open(bench.path()).expect("the record");
    let mut query = db.prepare("SELECT max_fee, tip FROM tries ORDER BY rowid").expect("a query");
    let rows = query.query_map([], |r| Ok((r.get::<_, String>(0)?, r.get::<_, String>(1)?))).expect("rows");
    let fees: Vec<(u128, u128)> =
        rows.map(|r| r.expect("a row")).map(|(f, t)| (f.parse().expect("wei"), t.parse().expect("wei"))).collect();
    for pair in fees.windows(2) {
        assert!(pair[1].0 * 8 >= pair[0].0 * 9 && pair[1].1 * 8 >= pair[0].1 * 9, "{fees:?}");
    }
    bench.anvil.mine(2);
    let mut sender = bench.sender();
    let Ok(Reconciled::Settled(steps)) = sender.reconcile(A, &mut bench.pen) else { panic!("not settled") };
    assert_eq!(steps.len(), 1);
    bench.settles(1, &[steps[0].end.as_ref().expect("an end")]);
}

#[test]
fn what_stays_stuck_is_taken_back() {
    if anvil::is_missing() {
        return;
    }
    let mut bench = Bench::new();
    bench.config.turn_budget_ms = 2_500;
    bench.config.bump_after_ms = 100;
    bench.config.max_bumps = 1;
    bench.stop_mining();
    assert_eq!(bench.sender().send(A, 0, &call(), &mut bench.pen), Ok(SentStep::Unknown));
    assert_eq!(bench.pen.signed, 3, "the first, one raised, one that takes it back");
    bench.anvil.mine(1);
    let mut sender = bench.sender();
    let Ok(Reconciled::Settled(steps)) = sender.reconcile(A, &mut bench.pen) else { panic!("not settled") };
    let end = steps[0].end.clone().expect("an end");
    assert!(matches!(end, StepEnd::Cancelled(_)), "{end:?}");
    bench.settles(0, &[&end]);
}

#[test]
fn a_hundredfold_base_fee_is_not_paid() {
    if anvil::is_missing() {
        return;
    }
    let mut bench = Bench::new();
    bench.config.max_fee_gwei = 20;
    bench.anvil.call("anvil_setNextBlockBaseFeePerGas", json!(["0x174876e800"]));
    bench.anvil.mine(1);
    let sent = bench.sender().send(A, 0, &call(), &mut bench.pen);
    assert!(matches!(sent, Ok(SentStep::NotSent { why: Refusal::Cancelled, .. })), "{sent:?}");
    assert_eq!(bench.pen.signed, 0);
    assert_eq!(bench.sender().reconcile(A, &mut bench.pen), Ok(Reconciled::NeverSent));
    bench.settles(0, &[]);
}

#[test]
fn a_base_fee_that_jumps_behind_the_broadcast_leaves_it_open_until_it_is_taken_back() {
    if anvil::is_missing() {
        return;
    }
    let mut bench = Bench::new();
    bench.config.turn_budget_ms = 2_500;
    bench.config.bump_after_ms = 100;
    bench.config.max_fee_gwei = 20;
    bench.config.max_bumps = 20;
    bench.stop_mining();
    let mut sender = bench.sender();
    bench.anvil.call("anvil_setNextBlockBaseFeePerGas", json!(["0x174876e800"]));
    assert_eq!(sender.send(A, 0, &call(), &mut bench.pen), Ok(SentStep::Unknown));
    bench.anvil.mine(1);
    assert_eq!(bench.count(), 0, "nobody mines what pays less than the base fee");
    assert_eq!(bench.sender().reconcile(A, &mut bench.pen), Ok(Reconciled::Unknown));
    // Ten times less than a block before is more than any chain does, but the node lets us.
    bench.anvil.call("anvil_setNextBlockBaseFeePerGas", json!(["0x3b9aca00"]));
    // It may have been dropped meanwhile: then it is told again, and mined at once.
    bench.anvil.call("evm_setAutomine", json!([true]));
    bench.anvil.mine(1);
    let mut sender = bench.sender();
    let Ok(Reconciled::Settled(steps)) = sender.reconcile(A, &mut bench.pen) else { panic!("not settled") };
    let end = steps[0].end.clone().expect("an end");
    let happened = u128::from(matches!(end, StepEnd::Landed(_)));
    bench.settles(happened, &[&end]);
    let paid = match &end {
        StepEnd::Landed(l) | StepEnd::Cancelled(l) => l.gas_price,
        StepEnd::Displaced => 0,
    };
    assert!(paid <= 20_000_000_000);
}

#[test]
fn a_nonce_that_somebody_else_used_ends_the_step() {
    if anvil::is_missing() {
        return;
    }
    let mut bench = Bench::new();
    bench.config.turn_budget_ms = 1_500;
    bench.proxy.behave(|method, _| match method {
        "eth_sendRawTransaction" => Behave::Cut,
        _ => Behave::Pass,
    });
    assert_eq!(bench.sender().send(A, 0, &call(), &mut bench.pen), Ok(SentStep::Unknown));
    bench.proxy.reform();
    bench.config.turn_budget_ms = 10_000;
    // The same account, from elsewhere.
    let elsewhere = tempfile::tempdir().expect("a directory");
    let mut twin = AnyPen::of(7);
    let mut other = Sender::open(node(&bench.config), &elsewhere.path().join("sent.db"), twin.account()).expect("one");
    let theirs = end(other.send(THEIRS, 0, &StepCall { data: Bytes::from_static(b"theirs"), ..call() }, &mut twin));
    let mut sender = bench.sender();
    let Ok(Reconciled::Settled(steps)) = sender.reconcile(A, &mut bench.pen) else { panic!("not settled") };
    assert_eq!(steps[0].end, Some(StepEnd::Displaced));
    let next = end(sender.send(B, 0, &call(), &mut bench.pen));
    bench.settles(2, &[&theirs, &next]);
}

#[test]
fn a_receipt_that_comes_later_than_its_block_is_waited_for() {
    if anvil::is_missing() {
        return;
    }
    let mut bench = Bench::new();
    let mut sender = bench.sender();
    // The block is there and the nonce is used; the node has no receipt for it yet.
    let mut looks = 0;
    bench.proxy.behave(move |method, _| {
        looks += i32::from(method == "eth_getTransactionReceipt");
        let early = method == "eth_getTransactionReceipt" && looks <= 4;
        if early { Behave::Change(Box::new(|receipt| *receipt = Value::Null)) } else { Behave::Pass }
    });
    let end = end(sender.send(A, 0, &call(), &mut bench.pen));
    assert!(matches!(end, StepEnd::Landed(_)), "{end:?}");
    bench.settles(1, &[&end]);
}

#[test]
fn nothing_new_is_begun_while_something_may_still_land() {
    if anvil::is_missing() {
        return;
    }
    let mut bench = Bench::new();
    bench.config.turn_budget_ms = 1_500;
    bench.stop_mining();
    let mut sender = bench.sender();
    assert_eq!(sender.send(A, 0, &call(), &mut bench.pen), Ok(SentStep::Unknown));
    let signed = bench.pen.signed;
    let mut sender = bench.sender();
    assert!(matches!(sender.send(B, 0, &call(), &mut bench.pen), Err(VenueError::Unreachable(_))));
    assert_eq!(bench.pen.signed, signed);
    assert_eq!(sender.reconcile(B, &mut bench.pen), Ok(Reconciled::NeverSent));
}

#[test]
fn answers_that_get_lost_and_messages_that_come_twice_change_nothing() {
    if anvil::is_missing() {
        return;
    }
    let mut bench = Bench::new();
    for (n, how) in [|| Behave::Forget, || Behave::Twice, || Behave::Refuse(-32000, "no")].into_iter().enumerate() {
        let mut once = true;
        bench.proxy.behave(move |method, _| match method {
            "eth_sendRawTransaction" if std::mem::take(&mut once) => how(),
            _ => Behave::Pass,
        });
        end(bench.sender().send(EffectKey::new(Tick(100 + n as u64), 0), 0, &call(), &mut bench.pen));
        assert_eq!(bench.count(), n as u128 + 1);
    }
}

#[test]
fn one_node_that_takes_it_is_enough() {
    if anvil::is_missing() {
        return;
    }
    let mut bench = Bench::new();
    // Two doors to the same chain; one forgets whatever is sent through it.
    let other = Proxy::before(&bench.anvil.address);
    bench.config.urls.push(other.url());
    bench.proxy.behave(|method, _| match method {
        "eth_sendRawTransaction" => Behave::Answer(json!("0x00")),
        _ => Behave::Pass,
    });
    let end = end(bench.sender().send(A, 0, &call(), &mut bench.pen));
    bench.settles(1, &[&end]);
}

#[test]
fn a_lying_receipt_is_not_believed_by_two() {
    if anvil::is_missing() {
        return;
    }
    let mut bench = Bench::new();
    bench.stop_mining();
    bench.config.turn_budget_ms = 1_500;
    bench.config.urls.push(bench.anvil.url());
    let liar = |block: Value| {
        move |method: &str, params: &Value| match method {
            "eth_getTransactionReceipt" => Behave::Answer(json!({
                "transactionHash": params[0], "blockNumber": block["number"], "blockHash": block["hash"],
                "transactionIndex": "0x0", "status": "0x1", "gasUsed": "0x5208", "effectiveGasPrice": "0x1", "logs": [],
            })),
            _ => Behave::Pass,
        }
    };
    bench.proxy.behave(liar(bench.anvil.call("eth_getBlockByNumber", json!(["latest", false]))));
    assert_eq!(bench.sender().send(A, 0, &call(), &mut bench.pen), Ok(SentStep::Unknown));
    assert_eq!(bench.sender().reconcile(A, &mut bench.pen), Ok(Reconciled::Unknown));
    bench.proxy.reform();
    bench.anvil.mine(1);
    assert!(matches!(bench.sender().reconcile(A, &mut bench.pen), Ok(Reconciled::Settled(_))));
    assert_eq!(bench.count(), 1);
}

#[test]
fn a_reorganisation_that_drops_it_brings_it_back_to_pending_and_it_lands_again() {
    if anvil::is_missing() {
        return;
    }
    let mut bench = Bench::new();
    let mut sender = bench.sender();
    assert_eq!(sender.poll(&mut bench.pen), Ok(Vec::new()));
    let first = end(sender.send(A, 0, &call(), &mut bench.pen));
    assert_eq!(sender.poll(&mut bench.pen), Ok(Vec::new()));
    let before = bench.anvil.height();
    bench.anvil.call("anvil_reorg", json!([1, []]));
    assert_eq!(bench.count(), 0, "the chain has forgotten it");
    assert_eq!(bench.anvil.height(), before);
    bench.stop_mining();
    let events = sender.poll(&mut bench.pen).expect("events");
    assert_eq!(
        events,
        [
            ChainEvent::Rewound { common: before - 1, was: before },
            ChainEvent::Reorged { key: A, step: 0, was: first.clone(), now: None },
        ]
    );
    assert!(matches!(sender.send(B, 0, &call(), &mut bench.pen), Err(VenueError::Unreachable(_))));
    bench.anvil.mine(1);
    let events = sender.poll(&mut bench.pen).expect("events");
    let [ChainEvent::Settled { end: again, .. }] = &events[..] else { panic!("{events:?}") };
    assert_ne!(*again, first);
    bench.settles(1, &[again]);
    assert_eq!(sender.poll(&mut bench.pen), Ok(Vec::new()));
    assert_eq!(bench.pen.signed, 1, "the same bytes all the time");
}

#[test]
fn a_reorganisation_that_replays_it_elsewhere_is_told() {
    if anvil::is_missing() {
        return;
    }
    let mut bench = Bench::new();
    let mut sender = bench.sender();
    let first = end(sender.send(A, 0, &call(), &mut bench.pen));
    bench.anvil.mine(3);
    assert_eq!(sender.poll(&mut bench.pen), Ok(Vec::new()));
    bench.anvil.call("anvil_reorg", json!([4, [[raws(&bench)[0], 2]]]));
    // Also after a restart: what was believed is in the record.
    let mut sender = bench.sender();
    let events = sender.poll(&mut bench.pen).expect("events");
    let [ChainEvent::Rewound { .. }, ChainEvent::Reorged { was, now: Some(now), .. }] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!(*was, first);
    let (StepEnd::Landed(old), StepEnd::Landed(new)) = (was, now) else { panic!("{events:?}") };
    assert_eq!((old.hash, old.block + 2), (new.hash, new.block));
    assert_ne!(old.block_hash, new.block_hash);
    bench.settles(1, &[now]);
    assert_eq!(sender.poll(&mut bench.pen), Ok(Vec::new()));
}

#[test]
fn without_ether_for_gas_nothing_is_signed() {
    if anvil::is_missing() {
        return;
    }
    let mut bench = Bench::new();
    bench.anvil.call("anvil_setBalance", json!([bench.pen.account(), "0x1"]));
    bench.anvil.mine(1);
    let sent = bench.sender().send(A, 0, &call(), &mut bench.pen);
    assert!(matches!(sent, Ok(SentStep::NotSent { why: Refusal::Funds, .. })), "{sent:?}");
    assert_eq!((bench.pen.signed, bench.count()), (0, 0));
    assert_eq!(U256::from(1), U256::from(bench.anvil.number("eth_getBalance", json!([bench.pen.account(), "latest"]))));
}
