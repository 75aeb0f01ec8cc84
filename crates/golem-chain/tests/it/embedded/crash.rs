//! A process that dies leaves a chain that can go on; two processes cannot have one chain.

use super::common::{account, contracts, genesis};
use super::script::{act, sample};
use golem_chain::embedded::{ChainError, EmbeddedChain, EmbeddedConfig};
use golem_core::intent::Asset;
use golem_core::{Action, Usdc};
use golem_venue::{Header, Venue};

fn config() -> EmbeddedConfig {
    EmbeddedConfig { write_every: 1, ..EmbeddedConfig::new(genesis(true)) }
}

#[test]
fn after_a_crash_the_chain_is_where_it_was_written_and_the_rest_can_be_lived_again() {
    let Some(contracts) = contracts() else { return };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("chain.db");
    let ops = sample(21, 150);
    let mut unbroken = EmbeddedChain::open_in_memory(contracts, &config()).unwrap();
    let mut digests = vec![(unbroken.head(), unbroken.digest().unwrap())];
    for op in &ops {
        act(&mut unbroken, op);
        digests.push((unbroken.head(), unbroken.digest().unwrap()));
    }
    let mut at = 0;
    let mut crashes = 0;
    while at < ops.len() && crashes < 50 {
        let mut chain = EmbeddedChain::open(&path, contracts, &config()).unwrap();
        // It stands at some point that was lived, not beyond the one it had reached.
        let head = (chain.head(), chain.digest().unwrap());
        at = digests.iter().position(|seen| *seen == head).expect("a point that was lived");
        let until = (at + 41).min(ops.len());
        ops[at..until].iter().for_each(|op| drop(act(&mut chain, op)));
        at = until;
        assert_eq!(chain.digest().unwrap(), digests[at].1);
        crashes += 1;
        // Dropped without a word: what was not written is lost.
    }
    assert!((4..50).contains(&crashes), "{crashes}");
}

#[test]
fn an_effect_and_what_it_did_are_there_together_or_not_at_all() {
    let Some(contracts) = contracts() else { return };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("chain.db");
    let buy = Action::Buy { pay: Usdc::whole(100), min_out: Asset(0) };
    let mut chain = EmbeddedChain::open(&path, contracts, &config()).unwrap();
    chain.fund_to(account(1), Usdc::whole(1_000)).unwrap();
    chain.commit().unwrap();

    // It happened, and the process died before it was said so.
    chain.execute(account(1), &buy).unwrap();
    drop(chain);
    let mut chain = EmbeddedChain::resume(&path).unwrap();
    assert_eq!(chain.effect(b"intent 1").unwrap(), None);
    assert_eq!(chain.book(account(1)).unwrap().usdc, Usdc::whole(1_000));

    chain.execute(account(1), &buy).unwrap();
    chain.set_market_state(b"after one".to_vec());
    chain.record_effect(b"intent 1", b"the receipt").unwrap();
    chain.begin_block(Header { timestamp: 1_700_000_100, base_fee: 7 }).unwrap();
    chain.execute(account(1), &buy).unwrap();
    drop(chain);
    let mut chain = EmbeddedChain::resume(&path).unwrap();
    assert_eq!(chain.effect(b"intent 1").unwrap().as_deref(), Some(&b"the receipt"[..]));
    assert_eq!(chain.market_state(), Some(&b"after one"[..]));
    assert_eq!(chain.book(account(1)).unwrap().usdc, Usdc::whole(900));
    assert_eq!(chain.effect(b"intent 2").unwrap(), None);
    let head = chain.head();
    let fork = chain.fork(head).unwrap();
    assert_eq!(fork.effect(b"intent 1").unwrap(), None, "on a fork it has not been done");
}

#[test]
fn two_cannot_own_one_chain() {
    let Some(contracts) = contracts() else { return };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("chain.db");
    let first = EmbeddedChain::open(&path, contracts, &config()).unwrap();
    for second in [EmbeddedChain::open(&path, contracts, &config()), EmbeddedChain::resume(&path)] {
        assert_eq!(second.err(), Some(ChainError::Locked { path: path.clone(), pid: Some(std::process::id()) }));
    }
    drop(first);
    assert!(EmbeddedChain::resume(&path).is_ok());
}

#[test]
fn another_chain_or_another_file_is_not_taken_for_this_one() {
    let Some(contracts) = contracts() else { return };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("chain.db");
    assert!(matches!(EmbeddedChain::resume(&path), Err(ChainError::Absent(_))));
    drop(EmbeddedChain::open(&path, contracts, &config()).unwrap());
    let other_id = EmbeddedConfig { chain_id: 5, ..config() };
    let other_order = EmbeddedConfig { genesis: genesis(false), ..config() };
    for other in [other_id, other_order] {
        assert!(matches!(EmbeddedChain::open(&path, contracts, &other), Err(ChainError::OtherChain { .. })));
    }
    let text = dir.path().join("notes.txt");
    std::fs::write(&text, "not a chain at all, but long enough to be read as a header of something").unwrap();
    assert!(EmbeddedChain::resume(&text).is_err());
    let empty = dir.path().join("empty.db");
    std::fs::write(&empty, "").unwrap();
    assert!(matches!(EmbeddedChain::resume(&empty), Err(ChainError::Absent(_))));
}
