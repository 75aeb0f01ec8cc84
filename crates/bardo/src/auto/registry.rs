//! Identities: a number for each golem, with its generation and its line. Registered twice it is the same.

use super::books;
use crate::chain;
use crate::fail::Fail;
use crate::golem_file::ChainWord;
use crate::home::Home;
use crate::out::Out;
use golem_chain::embedded::{EmbeddedChain, EmbeddedConfig};
use golem_clade::succession::{IdentityClaim, IdentityWord, SuccessionConfig};
use golem_core::{GolemId, Hash};
use golem_runtime::Reader;
use golem_venue::Account;
use golem_venue::market::MarketConfig;

/// The chain of this home on which identities stand, and nothing else does.
const CHAIN: &str = "identity";
/// Dollars for an ether on it, and when it began: nobody trades there, and every home's is the same.
const BEGINNING: (f64, u64) = (2_500.0, 1_767_225_600);

/// Whoever keeps identities.
pub trait IdentityRegistry {
    /// The agent's number in this registry, as `registry:number`; none where nobody asked for one.
    fn register(&mut self, parent: &IdentityClaim, heir: &IdentityClaim) -> Result<Option<String>, Fail>;
}

/// The one that a directive names.
pub fn registry(config: &SuccessionConfig, on: ChainWord, home: &Home, out: &Out) -> Box<dyn IdentityRegistry> {
    match (config.identity, on) {
        (IdentityWord::None, _) => Box::new(NoRegistry),
        (IdentityWord::Home, ChainWord::Embedded) => Box::new(OwnChain { home: home.clone(), out: *out }),
        // On somebody else's chain nothing is signed that no permit covers.
        (IdentityWord::Home, ChainWord::Paper | ChainWord::Rpc) => Box::new(OwnBook { home: home.clone() }),
    }
}

struct NoRegistry;

impl IdentityRegistry for NoRegistry {
    fn register(&mut self, _: &IdentityClaim, _: &IdentityClaim) -> Result<Option<String>, Fail> {
        Ok(None)
    }
}

/// A registry in a contract, for golems whose chain has contracts. It stands on a chain of its own: what is registered is in no golem's
/// record, and the chains that they trade on are made anew from those.
struct OwnChain {
    home: Home,
    out: Out,
}

impl IdentityRegistry for OwnChain {
    fn register(&mut self, parent: &IdentityClaim, heir: &IdentityClaim) -> Result<Option<String>, Fail> {
        let mut chain = self.open()?;
        let mut number = 0;
        for claim in [parent, heir] {
            let owner = self.account(claim.golem.or(claim.parent))?;
            let done = chain.register_agent(owner, &claim.uri(), &claim.metadata());
            number = done.map_err(|e| Fail::world(e.to_string()))?;
        }
        chain.commit().map_err(|e| Fail::world(e.to_string()))?;
        let (id, at) = (EmbeddedConfig::CHAIN_ID, chain.identity_registry());
        Ok(Some(format!("eip155:{id}:{at}:{number}")))
    }
}

impl OwnChain {
    fn open(&self) -> Result<EmbeddedChain, Fail> {
        let contracts = chain::contracts(&self.home, &self.out)?;
        let (price, began) = BEGINNING;
        let genesis = MarketConfig::default().genesis(true, price, began, None);
        let path = chain::path(&self.home, CHAIN)?;
        EmbeddedChain::open(&path, &contracts, &EmbeddedConfig::new(genesis)).map_err(|e| Fail::world(e.to_string()))
    }

    /// The account that a golem acts by. Whoever is not here goes by one that its id gives.
    fn account(&self, golem: Option<GolemId>) -> Result<Account, Fail> {
        let golem = golem.ok_or_else(|| Fail::Bug("an agent of nobody".to_owned()))?;
        let found = Fail::unless_readable(Reader::open(&self.home.golem_dir(golem)).and_then(|r| r.origin()))?;
        Ok(found.map_or_else(
            || {
                let mut who = [0; 20];
                who.copy_from_slice(&Hash::of(&golem.0).0[..20]);
                Account(who)
            },
            |origin| chain::account(&origin),
        ))
    }
}

/// The owner's own book, for golems on paper: the same fields, and nobody else's word for them.
struct OwnBook {
    home: Home,
}

impl IdentityRegistry for OwnBook {
    fn register(&mut self, parent: &IdentityClaim, heir: &IdentityClaim) -> Result<Option<String>, Fail> {
        books::change(&self.home, |estate| {
            estate.register(parent);
            Ok(Some(format!("home:{}", estate.register(heir))))
        })
    }
}
