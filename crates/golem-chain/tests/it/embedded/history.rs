//! Every point of the past can be forked, and is as it was; what was done there, done again, comes out the same.

use super::common::{ACCOUNT_RANGE, account, contracts, genesis};
use super::script::{Came, Op, act, sample};
use alloy_primitives::B256;
use golem_chain::embedded::{EmbeddedChain, EmbeddedConfig};
use golem_core::{Action, Book, Point, Usdc};
use golem_venue::{Done, Header, MarketTrade, Venue, VenueError, View};

/// Everything that can be seen at a point.
#[derive(Debug, PartialEq)]
struct Sight {
    view: View,
    books: Vec<Book>,
    digest: B256,
}

fn sight(chain: &mut EmbeddedChain) -> Sight {
    let view = chain.view().unwrap();
    let books = ACCOUNT_RANGE.map(|who| chain.book(account(who)).unwrap()).collect();
    Sight { view, books, digest: chain.digest().unwrap() }
}

fn open(dir: &std::path::Path, usdc_is_token0: bool, write_every: u64) -> Option<EmbeddedChain> {
    let config = EmbeddedConfig { write_every, ..EmbeddedConfig::new(genesis(usdc_is_token0)) };
    Some(EmbeddedChain::open(&dir.join("chain.db"), contracts()?, &config).unwrap())
}

#[test]
fn every_point_of_a_long_script_can_be_forked_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut chain) = open(dir.path(), true, 9) else { return };
    let mut lived = vec![sight(&mut chain)];
    for op in sample(7, 260) {
        act(&mut chain, &op);
        lived.push(sight(&mut chain));
    }
    assert!(lived.len() > 250 && chain.head().block > 20, "{} points, {}", lived.len(), chain.head());
    // Part of it is in the file, part of it is not.
    for (at, then) in lived.iter().enumerate() {
        let mut fork = chain.fork(then.view.point).unwrap();
        assert_eq!(&sight(&mut fork), then, "step {at}, {}", then.view.point);
    }
    let head = sight(&mut chain);
    chain.commit().unwrap();
    for then in lived.iter().rev() {
        assert_eq!(&sight(&mut chain.fork(then.view.point).unwrap()), then, "{}", then.view.point);
    }
    drop(chain);
    let mut chain = EmbeddedChain::resume(&dir.path().join("chain.db")).unwrap();
    assert_eq!(sight(&mut chain), head);
    for then in &lived {
        assert_eq!(&sight(&mut chain.fork(then.view.point).unwrap()), then, "{}", then.view.point);
    }
}

#[test]
fn points_that_never_were_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut chain) = open(dir.path(), true, 4) else { return };
    sample(3, 200).iter().for_each(|op| drop(act(&mut chain, op)));
    let head = chain.head();
    let last = chain.block(head.block - 6).unwrap().unwrap().transactions;
    for bad in [
        Point { block: head.block, index: head.index + 1 },
        Point { block: head.block + 1, index: 0 },
        Point { block: head.block - 6, index: last + 1 },
        Point { block: u64::MAX, index: u32::MAX },
    ] {
        assert_eq!(chain.fork_at(bad).err(), Some(VenueError::NoSuchPoint(bad)));
    }
    let end = Point { block: head.block - 6, index: last };
    assert_eq!(chain.fork(end).unwrap().head(), end);
}

#[test]
fn what_was_done_is_done_again_on_a_fork_with_the_same_receipt() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut chain) = open(dir.path(), false, 32) else { return };
    let mut lived: Vec<(u8, Action, Done, Book)> = Vec::new();
    let mut ops = sample(11, 6_000).into_iter();
    while lived.len() < 1_000 {
        let op = ops.next().expect("the script is long enough");
        let Some((who, action)) = super::script::action(&mut chain, &op) else {
            act(&mut chain, &op);
            continue;
        };
        let done = chain.execute(account(who), &action).unwrap();
        if done.gas_used > 0 {
            lived.push((who, action, done, chain.book(account(who)).unwrap()));
        }
    }
    let mut same = 0;
    for (who, action, done, book) in &lived {
        let mut fork = chain.fork_at(done.point).unwrap();
        assert_eq!(&fork.execute(account(*who), action).unwrap(), done);
        assert_eq!(&fork.book(account(*who)).unwrap(), book);
        same += 1;
    }
    assert_eq!(same, 1_000);
    let refused = lived.iter().filter(|(_, _, done, _)| done.refused.is_some()).count();
    assert!((10..500).contains(&refused), "{refused} of them reverted");
}

#[test]
fn receipts_with_logs_can_be_had_again_for_every_transaction() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut chain) = open(dir.path(), true, 5) else { return };
    sample(5, 120).iter().for_each(|op| drop(act(&mut chain, op)));
    let (mut transactions, mut logs) = (0, 0);
    for number in 0..=chain.head().block {
        let seen = chain.block(number).unwrap().unwrap();
        assert_eq!(chain.block_named(seen.hash), Some(number));
        for mined in chain.mined_in(number).unwrap() {
            assert_eq!(chain.transaction_named(mined.hash).unwrap().as_ref(), Some(&mined.sent));
            assert_eq!(mined.logs.is_empty(), !mined.sent.success || mined.sent.to.is_none() && mined.logs.is_empty());
            (transactions, logs) = (transactions + 1, logs + mined.logs.len());
        }
    }
    assert!(transactions > 150 && logs > 200, "{transactions} transactions, {logs} logs");
    assert_eq!(chain.block(chain.head().block + 1).unwrap(), None);
}

#[test]
fn a_fork_is_a_chain_of_its_own_and_can_be_forked_again() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut chain) = open(dir.path(), true, 6) else { return };
    let ops = sample(13, 120);
    let (before, after) = ops.split_at(60);
    before.iter().for_each(|op| drop(act(&mut chain, op)));
    let middle = chain.head();
    let mut at_head = chain.fork(middle).unwrap();
    let lived: Vec<Came> = after.iter().map(|op| act(&mut chain, op)).collect();
    let end = sight(&mut chain);

    // The same future on a fork of the past, on one that was taken then, and on a fork of a fork.
    for mut fork in [chain.fork(middle).unwrap(), at_head.fork(middle).unwrap(), at_head] {
        let mut points = Vec::new();
        for (op, came) in after.iter().zip(&lived) {
            points.push(sight(&mut fork));
            assert_eq!(&act(&mut fork, op), came);
        }
        assert_eq!(sight(&mut fork), end);
        // Its own past, and the past that it shares with the chain.
        for then in points.iter().step_by(7) {
            assert_eq!(&sight(&mut fork.fork(then.view.point).unwrap()), then);
        }
        let early = Point { block: 1, index: 1 };
        assert_eq!(sight(&mut fork.fork(early).unwrap()), sight(&mut chain.fork(early).unwrap()));
    }
    assert_eq!(sight(&mut chain), end, "nothing that happened on a fork touched the chain");
}

#[test]
fn a_fork_has_the_transactions_time_base_fee_and_nonces() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut chain) = open(dir.path(), true, 2) else { return };
    chain.fund_to(account(1), Usdc::whole(1_000)).unwrap();
    let mut expected = Vec::new();
    for n in 1..=12u64 {
        let header = Header { timestamp: 1_700_000_000 + 40 * n, base_fee: 1_000 + u128::from(n) };
        chain.begin_block(header).unwrap();
        let who = account(1).0.into();
        expected.push((chain.head(), header, chain.nonce(who).unwrap(), chain.balance(who).unwrap()));
        chain.trade(&MarketTrade::Buy { pay: Usdc(n) }).unwrap();
        chain.execute(account(1), &Action::Buy { pay: Usdc(n), min_out: Default::default() }).unwrap();
    }
    for (point, header, nonce, balance) in expected {
        let mut fork = chain.fork(point).unwrap();
        let view = fork.view().unwrap();
        assert_eq!((view.timestamp, view.base_fee, view.point), (header.timestamp, header.base_fee, point));
        let who = account(1).0.into();
        assert_eq!((fork.nonce(who).unwrap(), fork.balance(who).unwrap()), (nonce, balance));
    }
}

#[test]
fn scripts_really_do_things() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut chain) = open(dir.path(), true, 64) else { return };
    let (mut done, mut crossed, mut reverted, mut moved) = ([0; 5], 0, 0, 0);
    for op in sample(1, 1_500) {
        match (act(&mut chain, &op), op) {
            (Came::Traded(traded), _) => {
                moved += 1;
                crossed += traded.crossed;
            }
            (Came::Done(d), op) if d.refused.is_none() => {
                crossed += d.crossed;
                done[match op {
                    Op::Buy { .. } | Op::BuyLittle { .. } => 0,
                    Op::Sell { .. } => 1,
                    Op::Mint { .. } => 2,
                    Op::Burn { .. } => 3,
                    _ => 4,
                }] += 1;
            }
            (Came::Done(d), _) if d.gas_charged > 0 => reverted += 1,
            _ => {}
        }
    }
    assert!(
        done.iter().all(|n| *n > 30) && reverted > 30 && crossed > 300 && moved > 300,
        "{done:?} {reverted} {crossed} {moved}"
    );
}
