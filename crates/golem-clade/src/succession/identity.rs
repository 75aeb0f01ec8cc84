//! Who a golem is to a registry: a number, an address to ask at, and where it stands in its line.
//!
//! ERC-8004 has no field for a generation; the keys `bardo.generation`, `bardo.lineage` and `bardo.parent` of an agent's metadata are.

use golem_core::{GolemId, Name};
use serde::{Deserialize, Serialize};

/// What is registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdentityClaim {
    /// What people call it.
    pub name: Name,
    /// Who; none for an heir that is born elsewhere, which goes by the death that it came of.
    pub golem: Option<GolemId>,
    /// Its generation.
    pub generation: u32,
    /// Its line.
    pub lineage: GolemId,
    /// Whom it succeeds.
    pub parent: Option<GolemId>,
}

impl IdentityClaim {
    /// Its one address: registered again, it is the same agent.
    #[must_use]
    pub fn uri(&self) -> String {
        match (self.golem, self.parent) {
            (Some(golem), _) => format!("bardo:golem/{golem}"),
            (None, Some(parent)) => format!("bardo:heir-of/{parent}"),
            (None, None) => format!("bardo:line/{}/{}", self.lineage, self.generation),
        }
    }

    /// The metadata that goes with it, by key.
    #[must_use]
    pub fn metadata(&self) -> Vec<(String, Vec<u8>)> {
        let mut all = vec![
            ("bardo.generation".to_owned(), self.generation.to_string().into_bytes()),
            ("bardo.lineage".to_owned(), self.lineage.to_string().into_bytes()),
            ("bardo.name".to_owned(), self.name.as_str().as_bytes().to_vec()),
        ];
        all.extend(self.parent.map(|parent| ("bardo.parent".to_owned(), parent.to_string().into_bytes())));
        all
    }
}
