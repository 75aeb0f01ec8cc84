//! Giving birth: keys, secret, birth record, settings and the golem's one file.

use crate::fail::Fail;
use crate::golem_file::GolemFile;
use crate::home::{Home, Place};
use crate::world;
use ed25519_dalek::SigningKey;
use golem_core::birth::Identity;
use golem_core::{Birth, Hash, Name, OwnerId, Secret, Usdc};
use golem_life::Genesis;
use golem_runtime::Origin;
use std::path::Path;

/// What is asked of a birth.
#[derive(Debug, Clone)]
pub struct Request {
    /// What to call it.
    pub name: Name,
    /// What it is given.
    pub budget: Usdc,
    /// An open life, computed from a seed.
    pub seed: Option<u64>,
    /// Its settings.
    pub file: GolemFile,
}

/// Everything about a golem that is about to be born; nothing is on disk yet.
pub struct Newborn {
    /// What will be written.
    pub origin: Origin,
    file: GolemFile,
}

/// Make a newborn.
pub fn conceive(request: Request) -> Result<Newborn, Fail> {
    let Request { name, budget, seed, mut file } = request;
    if budget < Usdc::whole(1) {
        return Err(Fail::hint(format!("{budget} USDC is not enough to live on"), "give it at least 1 USDC"));
    }
    if budget > Usdc::whole(1_000_000_000) {
        return Err(Fail::owner(format!("{budget} USDC is more than this program will handle")));
    }
    let (secret, signing) = match seed {
        Some(seed) => (
            Secret::from_seed(seed),
            SigningKey::from_bytes(&blake3::derive_key("bardo 2026 open life key", &seed.to_le_bytes())),
        ),
        None => (Secret::from_entropy(entropy()?), SigningKey::from_bytes(&entropy()?)),
    };
    let world = world::build(&file.world)?;
    file.golem.name = name.to_string();
    file.heartbeat.tick_interval_s = world::interval_s(file.heartbeat.tick_interval_s, world.as_ref());
    let public_key = Hash(signing.verifying_key().to_bytes());
    let commitment = secret.commitment();
    let id = Identity { name: &name, public_key, commitment }.id();
    let birth = Birth {
        id,
        name,
        owner: OwnerId::LOCAL,
        generation: 0,
        lineage: id,
        parent: None,
        public_key,
        commitment,
        open: seed.is_some(),
        born_at: world.epoch(),
        funding: budget,
        settings: file.life().hash(),
    };
    let text = file.to_toml()?;
    let origin = Origin {
        birth,
        settings_given: text.clone(),
        settings_resolved: text,
        secret,
        signing_key: signing.to_bytes(),
    };
    Ok(Newborn { origin, file })
}

impl Newborn {
    /// Write it into a home.
    pub fn settle(self, home: &Home) -> Result<Place, Fail> {
        let birth = &self.origin.birth;
        if let Some(other) = home.golems()?.into_iter().find(|p| p.name == birth.name) {
            return Err(Fail::hint(
                format!("a golem called {} lives here already ({})", other.name, other.id),
                "choose another name",
            ));
        }
        let dir = home.golem_dir(birth.id);
        std::fs::create_dir_all(&dir).map_err(|e| Fail::world(format!("cannot create {}: {e}", dir.display())))?;
        golem_runtime::create(&dir, &self.origin)?;
        write_settings(&dir, &self.file)?;
        Ok(Place { dir, id: birth.id, name: birth.name.clone() })
    }
}

/// The readable copy of the settings. The file in the database is the one that counts.
fn write_settings(dir: &Path, file: &GolemFile) -> Result<(), Fail> {
    let path = dir.join("golem.toml");
    let text = format!(
        "# Fixed at birth: editing this file changes nothing. The truth is in golem.db.\n\n{}",
        file.to_toml()?
    );
    std::fs::write(&path, text).map_err(|e| Fail::world(format!("cannot write {}: {e}", path.display())))
}

/// A golem that has not taken a turn yet may be born anew into another world: same keys, same secret.
pub fn rebirth(place: &Place, origin: &Origin, file: GolemFile) -> Result<(), Fail> {
    let lock_free =
        golem_runtime::Store::open(&place.dir, golem_runtime::OpenOptions::default(), golem_core::Timestamp(0))?;
    lock_free.close()?;
    let mut file = file;
    let world = world::build(&file.world)?;
    file.heartbeat.tick_interval_s = world::interval_s(0, world.as_ref());
    let text = file.to_toml()?;
    let birth = Birth { born_at: world.epoch(), settings: file.life().hash(), ..origin.birth.clone() };
    let anew = Origin { birth, settings_given: text.clone(), settings_resolved: text, ..origin.clone() };
    for name in ["golem.db", "golem.db-wal", "golem.db-shm", "epoch"] {
        match std::fs::remove_file(place.dir.join(name)) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(e.into()),
            _ => {}
        }
    }
    golem_runtime::create(&place.dir, &anew)?;
    write_settings(&place.dir, &file)
}

/// What a recorded origin says about how to live: settings and world.
pub fn settings_of(origin: &Origin) -> Result<GolemFile, Fail> {
    GolemFile::read(&origin.settings_resolved, &[])
}

/// What the life is born from.
pub fn genesis(origin: &Origin) -> Result<Genesis, Fail> {
    let file = settings_of(origin)?;
    let interval_s = file.heartbeat.tick_interval_s;
    Ok(Genesis { birth: origin.birth.clone(), settings: file.life(), interval_s })
}

fn entropy() -> Result<[u8; 32], Fail> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|e| Fail::world(format!("the system has no randomness to give: {e}")))?;
    Ok(bytes)
}
