//! Home: the one address besides its own that a golem's money can go to. It is fixed at birth, and no intent, action or permit
//! names it: whoever carries a transfer out was told it once, by the birth record.

use crate::address::HomeAddress;
use crate::birth::Birth;
use serde::{Deserialize, Serialize};

/// The way home. It leads where the birth record says, and cannot be made from anything else:
///
/// ```compile_fail,E0423
/// let _elsewhere = golem_core::Homeward([9; 20]);
/// ```
///
/// A venue keeps it in its own records, byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Homeward(HomeAddress);

impl Homeward {
    /// The address that the owner fixed at birth; `None` for who was born without one.
    #[must_use]
    pub fn fixed(birth: &Birth) -> Option<Self> {
        birth.home.map(Self)
    }
    /// The same on a chain of our own, where whoever was born without one goes home to its owner's account there.
    #[must_use]
    pub fn on_our_chain(birth: &Birth) -> Self {
        let ours = || blake3::derive_key("bardo 2026 owner account", &birth.owner.0);
        Self::fixed(birth).unwrap_or_else(|| Self(HomeAddress::of_hash(ours())))
    }
    /// Where it leads.
    #[must_use]
    pub fn address(&self) -> HomeAddress {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::birth::Identity;
    use crate::{Hash, Name, Timestamp, Usdc};

    fn born() -> Birth {
        let name: Name = "ada".parse().expect("a name");
        let identity = Identity { name: &name, public_key: Hash::of(b"key"), commitment: Hash::of(b"secret") };
        identity.first_ancestor(true, Timestamp(0), Usdc::whole(50), Hash::of(b"{}"))
    }

    #[test]
    fn the_way_home_is_the_birth_record_s() {
        let birth = born();
        assert_eq!(Homeward::fixed(&birth), None);
        let ours = Homeward::on_our_chain(&birth);
        assert_eq!(ours, Homeward::on_our_chain(&Birth { funding: Usdc(1), ..birth.clone() }), "its owner's account");
        let home = HomeAddress::new([5; 20]);
        let fixed = Birth { home, ..birth };
        assert_eq!(Homeward::fixed(&fixed).map(|way| way.address()), home);
        assert_eq!(Some(Homeward::on_our_chain(&fixed)), Homeward::fixed(&fixed));
    }
}
