//! The state as bytes: saved, restored, and as one hash.

use crate::equip::know_handed;
use crate::life::{Genesis, Life, State, origin};
use golem_core::plain;
use golem_core::{Hash, Secret};
use golem_grimoire::{Grimoire, GrimoireState, Remembered};
use serde::Serialize;

/// Hash over the state, room by room.
pub(crate) fn digest(life: &Life) -> Hash {
    let State { core, ledger, portfolio, mortality, mind, cage, info, diary, thought, context, inner, dreams, .. } =
        &life.state;
    let State { phages, chronicle, deathbed, heir, homegoing, gas, kin, .. } = &life.state;
    let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 state digest");
    let mut bytes = Vec::with_capacity(64 * 1024);
    room(&mut hasher, &mut bytes, "core", core);
    room(&mut hasher, &mut bytes, "ledger", ledger);
    room(&mut hasher, &mut bytes, "portfolio", portfolio);
    room(&mut hasher, &mut bytes, "mortality", mortality);
    room(&mut hasher, &mut bytes, "mind", mind);
    room(&mut hasher, &mut bytes, "cage", cage);
    // A room that is off adds nothing: a new room does not change the digest of a life that does not use it.
    if let Some(info) = info {
        room(&mut hasher, &mut bytes, "diagnostics", info);
    }
    if inner.affect.is_some() || inner.suffering.is_some() {
        room(&mut hasher, &mut bytes, "daimon", inner);
    }
    if life.genesis.settings.thinking.any() || life.genesis.settings.thinking.embeds {
        room(&mut hasher, &mut bytes, "thinking", &(thought, context));
    }
    if let Some(grimoire) = &life.grimoire {
        room(&mut hasher, &mut bytes, "grimoire", &(diary, grimoire.state()));
    }
    if let Some(dreams) = dreams {
        room(&mut hasher, &mut bytes, "dreams", dreams);
    }
    if let Some(phages) = phages {
        room(&mut hasher, &mut bytes, "phages", phages);
    }
    if !heir.is_none() {
        room(&mut hasher, &mut bytes, "heir", heir);
    }
    // What is kept for the end decides nothing before it, and counts from then on.
    if let Some(deathbed) = deathbed {
        room(&mut hasher, &mut bytes, "dying", &(chronicle, deathbed));
    }
    if let Some(homegoing) = homegoing {
        room(&mut hasher, &mut bytes, "home", homegoing);
    }
    if let Some(gas) = gas {
        room(&mut hasher, &mut bytes, "gas", gas);
    }
    if let Some(kin) = kin {
        room(&mut hasher, &mut bytes, "kin", kin);
    }
    Hash(*hasher.finalize().as_bytes())
}

/// The whole state as bytes.
pub(crate) fn save(life: &Life) -> Vec<u8> {
    let grimoire = life.grimoire.as_ref().map(Grimoire::state);
    plain::bytes(&(&life.state, grimoire))
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

fn room<T: Serialize>(hasher: &mut blake3::Hasher, bytes: &mut Vec<u8>, name: &str, state: &T) {
    bytes.clear();
    *bytes = plain::bytes_onto(state, std::mem::take(bytes));
    hasher.update(name.as_bytes());
    hasher.update(&[0]);
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}
