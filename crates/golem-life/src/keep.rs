//! The state as bytes: saved, restored, and as one hash.

use crate::equip::know_handed;
use crate::life::{Genesis, Life, State, origin};
use golem_core::plain::{self, Pieces};
use golem_core::{Hash, Secret};
use golem_grimoire::{Grimoire, GrimoireState, Remembered};
use serde::Serialize;

/// Hash over the state, room by room.
pub(crate) fn digest(life: &Life) -> Hash {
    let State { core, ledger, portfolio, mortality, mind, cage, info, diary, thought, context, inner, dreams, .. } =
        &life.state;
    let State { phages, chronicle, deathbed, heir, homegoing, gas, kin, .. } = &life.state;
    let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 state digest");
    room(&mut hasher, "core", core);
    room(&mut hasher, "ledger", ledger);
    room(&mut hasher, "portfolio", portfolio);
    room(&mut hasher, "mortality", mortality);
    room(&mut hasher, "mind", mind);
    room(&mut hasher, "cage", cage);
    // A room that is off adds nothing: a new room does not change the digest of a life that does not use it.
    if let Some(info) = info {
        room(&mut hasher, "diagnostics", info);
    }
    if inner.affect.is_some() || inner.suffering.is_some() {
        room(&mut hasher, "daimon", inner);
    }
    if life.genesis.settings.thinking.any() || life.genesis.settings.thinking.embeds {
        room(&mut hasher, "thinking", &(thought, context));
    }
    if let Some(grimoire) = &life.grimoire {
        room(&mut hasher, "grimoire", &(diary, grimoire.state()));
    }
    if let Some(dreams) = dreams {
        room(&mut hasher, "dreams", dreams);
    }
    if let Some(phages) = phages {
        room(&mut hasher, "phages", phages);
    }
    if !heir.is_none() {
        room(&mut hasher, "heir", heir);
    }
    // What is kept for the end decides nothing before it, and counts from then on.
    if let Some(deathbed) = deathbed {
        room(&mut hasher, "dying", &(chronicle, deathbed));
    }
    if let Some(homegoing) = homegoing {
        room(&mut hasher, "home", homegoing);
    }
    if let Some(gas) = gas {
        room(&mut hasher, "gas", gas);
    }
    if let Some(kin) = kin {
        room(&mut hasher, "kin", kin);
    }
    Hash(*hasher.finalize().as_bytes())
}

/// The whole state as bytes.
pub(crate) fn save(life: &Life) -> Pieces {
    let grimoire = life.grimoire.as_ref().map(Grimoire::state);
    plain::pieces(&(&life.state, grimoire))
}

/// The state from bytes and from what the file remembers of the same turn.
pub(crate) fn restore(genesis: &Genesis, secret: &Secret, saved: &[u8], memory: Remembered) -> Result<Life, String> {
    let (state, kept): (State, Option<GrimoireState>) =
        postcard::from_bytes(saved).map_err(|e| format!("saved state does not fit: {e}"))?;
    let (name, origin) = origin(genesis);
    let mut grimoire = kept.map(|kept| Grimoire::rebuild(name, origin, kept, &memory)).transpose()?;
    if let Some(grimoire) = &mut grimoire {
        know_handed(genesis, grimoire, &memory);
    }
    Ok(Life::with(genesis, secret, state, grimoire))
}

fn room<T: Serialize>(hasher: &mut blake3::Hasher, name: &str, state: &T) {
    let bytes = plain::pieces(state);
    hasher.update(name.as_bytes());
    hasher.update(&[0]);
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    bytes.iter().for_each(|piece| {
        hasher.update(piece);
    });
}
