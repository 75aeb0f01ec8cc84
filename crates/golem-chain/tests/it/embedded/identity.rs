//! Identities on a chain of our own: an agent has one number, its generation and line stand there, and a crash makes no second one.

use super::common::{contracts, genesis};
use golem_chain::embedded::{EmbeddedChain, EmbeddedConfig};
use golem_venue::Account;

fn words(generation: u32, lineage: &str) -> Vec<(String, Vec<u8>)> {
    vec![
        ("bardo.generation".to_owned(), generation.to_string().into_bytes()),
        ("bardo.lineage".to_owned(), lineage.as_bytes().to_vec()),
    ]
}

#[test]
fn an_agent_is_registered_once_and_its_line_can_be_read() {
    let Some(contracts) = contracts() else { return };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("chain.db");
    let (parent, heir) = (Account([3; 20]), Account([4; 20]));
    let keys = ["bardo.generation", "bardo.lineage", "bardo.parent"];
    {
        let mut chain = EmbeddedChain::open(&path, contracts, &EmbeddedConfig::new(genesis(true))).unwrap();
        assert_eq!(chain.agent_of("bardo:golem/a").unwrap(), None);
        assert_eq!(chain.register_agent(parent, "bardo:golem/a", &words(0, "a")).unwrap(), 1);
        chain.commit().unwrap();
        // Killed before it is written, nothing has happened.
        assert_eq!(chain.register_agent(heir, "bardo:golem/b", &words(1, "a")).unwrap(), 2);
    }
    let mut chain = EmbeddedChain::open(&path, contracts, &EmbeddedConfig::new(genesis(true))).unwrap();
    assert_eq!(chain.agent_of("bardo:golem/b").unwrap(), None);
    let mut more = words(1, "a");
    more.push(("bardo.parent".to_owned(), b"a".to_vec()));
    for _ in 0..2 {
        assert_eq!(chain.register_agent(heir, "bardo:golem/b", &more).unwrap(), 2);
        assert_eq!(chain.register_agent(parent, "bardo:golem/a", &words(0, "a")).unwrap(), 1);
        chain.commit().unwrap();
    }
    drop(chain);
    let mut chain = EmbeddedChain::resume(&path).unwrap();
    let seen = chain.agent(2, &keys).unwrap();
    assert_eq!((seen.owner, seen.uri.as_str()), (heir, "bardo:golem/b"));
    assert_eq!(seen.metadata, [b"1".to_vec(), b"a".to_vec(), b"a".to_vec()]);
    let seen = chain.agent(1, &keys).unwrap();
    assert_eq!((seen.owner, seen.metadata), (parent, vec![b"0".to_vec(), b"a".to_vec(), Vec::new()]));
    assert!(chain.agent(3, &keys).is_err(), "nobody has this number");
    assert_eq!(
        chain.register_agent(heir, "bardo:golem/a", &words(9, "z")).unwrap(),
        1,
        "whoever asks, it stays whose it is"
    );
    assert_eq!(chain.agent(1, &keys).unwrap().owner, parent);
}
