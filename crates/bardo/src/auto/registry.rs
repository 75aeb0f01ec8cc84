//! Identities: a number for each golem, with its generation and its line. Registered twice it is the same.

use super::books;
use crate::fail::Fail;
use crate::home::Home;
use golem_clade::succession::{IdentityClaim, IdentityWord, SuccessionConfig};

/// Whoever keeps identities.
pub trait IdentityRegistry {
    /// The agent's number in this registry, as `registry:number`; none where nobody asked for one.
    fn register(&mut self, parent: &IdentityClaim, heir: &IdentityClaim) -> Result<Option<String>, Fail>;
}

/// The one that a directive names.
pub fn registry(config: &SuccessionConfig, home: &Home) -> Box<dyn IdentityRegistry> {
    match config.identity {
        IdentityWord::None => Box::new(NoRegistry),
        IdentityWord::Home => Box::new(OwnBook { home: home.clone() }),
    }
}

struct NoRegistry;

impl IdentityRegistry for NoRegistry {
    fn register(&mut self, _: &IdentityClaim, _: &IdentityClaim) -> Result<Option<String>, Fail> {
        Ok(None)
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
