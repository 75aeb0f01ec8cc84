//! Which venues are trusted, and with which code: those on the owner's list, with the pinned code or, for the one that
//! the golem meets first in its life, the code it had then. Code that was found changed stays refused.

use crate::config::CageConfig;
use crate::denial::Denial;
use golem_core::venue::VenueId;
use golem_core::{Elapsed, Hash, Preview, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Met {
    code: Hash,
    ready: VirtualTime,
    /// The policy under which other code was found: only another policy can trust this venue again.
    changed_under: Option<Hash>,
}

/// The venues met so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Trust {
    met: BTreeMap<VenueId, Met>,
}

impl Trust {
    /// Hold a preview's venue and code against what is trusted.
    pub(crate) fn check(&mut self, preview: &Preview, now: VirtualTime, config: &CageConfig) -> Result<(), Denial> {
        let (venue, found) = (preview.venue, preview.code);
        if !config.venues.contains(&venue) {
            return Err(Denial::Venue { venue });
        }
        let pin = config.code.get(&venue).copied();
        let newborn = self.met.is_empty();
        if pin.is_none() && !newborn && !self.met.contains_key(&venue) {
            return Err(Denial::Unpinned { venue });
        }
        let wait = if newborn { Elapsed(0) } else { Elapsed::secs(config.new_venue_cooldown_s) };
        let met = self.met.entry(venue).or_insert_with(|| Met {
            code: pin.unwrap_or(found),
            ready: now.after(wait),
            changed_under: None,
        });
        let (pinned, policy) = (pin.unwrap_or(met.code), config.hash());
        if found != pinned {
            met.changed_under = Some(policy);
        }
        if met.changed_under == Some(policy) {
            return Err(Denial::Code { venue, pinned, found });
        }
        (met.code, met.changed_under) = (found, None);
        let left = met.ready.since(now);
        if left > Elapsed(0) { Err(Denial::Cooldown { venue, left }) } else { Ok(()) }
    }
}
