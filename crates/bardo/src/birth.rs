//! Giving birth: keys, secret, birth record, settings and the golem's one file.

use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile};
use crate::home::{Home, Place};
use crate::world;
use ed25519_dalek::SigningKey;
use golem_clade::provenance::Lineage;
use golem_core::birth::{Descent, Identity};
use golem_core::{Birth, Elapsed, Hash, HomeAddress, Name, Secret, Timestamp, Usdc};
use golem_mortality::economic::MOST;
use golem_runtime::{OpenOptions as StoreOptions, Origin, Store};
use golem_wallet::derive_golem_key;
use std::fs::{OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

pub use golem_home::origins::{genesis, settings_of};

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
    /// Whom it succeeds; nobody made a first ancestor.
    pub heir: Option<NewHeir>,
}

/// Whom a newborn succeeds, and what it is given.
#[derive(Debug, Clone)]
pub struct NewHeir {
    /// The line of the one that died.
    pub line: Lineage,
    /// What its file will keep, as [`crate::bundle::give`] makes it.
    pub given: Vec<u8>,
}

impl NewHeir {
    fn descent(&self) -> Descent {
        Descent {
            parent: self.line.golem,
            lineage: self.line.id,
            generation: self.line.generation.saturating_add(1),
            inheritance: Hash::of(&self.given),
        }
    }
}

/// Everything about a golem that is about to be born; nothing is on disk yet.
pub struct Newborn {
    /// What will be written.
    pub origin: Origin,
    file: GolemFile,
}

/// Make a newborn.
pub fn conceive(request: Request) -> Result<Newborn, Fail> {
    let Request { name, budget, seed, mut file, heir } = request;
    check_budget(budget)?;
    let (secret, signing) = match seed {
        Some(seed) => (
            Secret::from_seed(seed),
            SigningKey::from_bytes(&blake3::derive_key("bardo 2026 open life key", &seed.to_le_bytes())),
        ),
        None => (Secret::from_entropy(entropy()?), SigningKey::from_bytes(&entropy()?)),
    };
    file.check_secrets()?;
    file.golem.name = name.to_string();
    file.world.settle()?;
    let given = file.to_toml()?;
    let world = world::build(&file.world)?;
    file.heartbeat.tick_interval_s = world::interval_s(file.heartbeat.tick_interval_s, world.as_ref());
    let public_key = Hash(signing.verifying_key().to_bytes());
    let identity = Identity { name: &name, public_key, commitment: secret.commitment() };
    let birth = identity.first_ancestor(seed.is_some(), born_at(&file, world.epoch()), budget, file.life().hash());
    let birth = heir.as_ref().map_or(birth.clone(), |heir| birth.descending(heir.descent()));
    let birth = Birth { home: home_of(&file, &signing)?, ..birth };
    let origin = Origin {
        birth,
        settings_given: given,
        settings_resolved: file.to_toml()?,
        secret,
        signing_key: signing.to_bytes(),
        inheritance: heir.map(|heir| heir.given),
    };
    Ok(Newborn { origin, file })
}

/// Where its money will go: an address of the owner's, and not its own. On a node's chain there must be one.
fn home_of(file: &GolemFile, signing: &SigningKey) -> Result<Option<HomeAddress>, Fail> {
    let home = file.chain.home_address().map_err(|why| Fail::owner(format!("chain.home: {why}")))?;
    let own = derive_golem_key(&signing.to_bytes()).address();
    match home {
        None if file.chain.kind == ChainWord::Rpc => Err(Fail::hint(
            "a golem on a node's chain must know its owner's address: its money goes there when it dies",
            "give it one, for life: --set chain.home=0x...",
        )),
        Some(home) if home.bytes() == own.0.0 => {
            Err(Fail::hint("chain.home: that is the golem's own address", "give it an address of yours"))
        }
        home => Ok(home),
    }
}

/// Refuse a budget that nobody could live on, or that is more than a ledger handles.
pub fn check_budget(budget: Usdc) -> Result<(), Fail> {
    if budget < Usdc::whole(1) {
        return Err(Fail::hint(format!("{budget} USDC is not enough to live on"), "give it at least 1 USDC"));
    }
    if budget > MOST {
        let what = format!("{budget} USDC is more than the {MOST} that a golem may be given");
        return Err(Fail::hint(what, format!("give it at most {MOST} USDC")));
    }
    Ok(())
}

/// Calendar time of birth: the world's beginning, and the steps that its chain had taken by then; on a node's chain, now.
fn born_at(file: &GolemFile, epoch: Timestamp) -> Timestamp {
    match file.chain.kind {
        ChainWord::Rpc => crate::clock::clock().now(),
        _ => epoch.after(Elapsed::nominal(file.chain.joined_at)),
    }
}

impl Newborn {
    /// Whether its name is free in this home.
    pub fn is_free(&self, home: &Home) -> Result<(), Fail> {
        match home.golems()?.into_iter().find(|p| p.name == self.origin.birth.name) {
            Some(other) => Err(Fail::hint(
                format!("a golem called {} lives here already ({})", other.name, other.id),
                "choose another name",
            )),
            None => Ok(()),
        }
    }

    /// Write it into a home.
    pub fn settle(self, home: &Home) -> Result<Place, Fail> {
        let birth = &self.origin.birth;
        self.is_free(home)?;
        let dir = home.golem_dir(birth.id);
        golem_runtime::make_dir(&home.path().join("golems"))?;
        golem_runtime::create(&dir, &self.origin)?;
        write_settings(&dir, &self.file)?;
        Ok(Place { dir, id: birth.id, name: birth.name.clone() })
    }
}

/// The readable copy of the settings, where a crash between the two has left none.
pub fn settings_are_readable(place: &Place) -> Result<(), Fail> {
    if place.dir.join("golem.toml").exists() {
        return Ok(());
    }
    let origin = golem_runtime::Reader::open(&place.dir)?.origin()?;
    write_settings(&place.dir, &settings_of(&origin)?)
}

/// The readable copy of the settings. The file in the database is the one that counts.
fn write_settings(dir: &Path, file: &GolemFile) -> Result<(), Fail> {
    let path = dir.join("golem.toml");
    let text = format!(
        "# Fixed at birth: editing this file changes nothing. The truth is in golem.db.\n\n{}",
        file.to_toml()?
    );
    let fail = |e: std::io::Error| Fail::world(format!("cannot write {}: {e}", path.display()));
    // It says where the owner's nodes and models are, and nobody else needs to know. One that others can read is made anew.
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path).map_err(fail)?;
    file.set_permissions(Permissions::from_mode(0o600)).map_err(fail)?;
    file.write_all(text.as_bytes()).map_err(fail)
}

/// A golem that has not taken a turn yet may be born anew into another world: same keys, same secret, same mail.
pub fn rebirth(place: &Place, word: &str) -> Result<(), Fail> {
    let mut store = Store::open(&place.dir, StoreOptions::default(), Timestamp(0))?;
    let origin = store.origin().clone();
    let mut file = GolemFile::read(&origin.settings_given, &[])?;
    world::choose(&mut file.world, word)?;
    let given = file.to_toml()?;
    let world = world::build(&file.world)?;
    file.heartbeat.tick_interval_s = world::interval_s(file.heartbeat.tick_interval_s, world.as_ref());
    let birth = Birth { born_at: born_at(&file, world.epoch()), settings: file.life().hash(), ..origin.birth.clone() };
    let anew = Origin { birth, settings_given: given, settings_resolved: file.to_toml()?, ..origin };
    store.rebirth(&anew)?;
    store.close()?;
    write_settings(&place.dir, &file)
}

fn entropy() -> Result<[u8; 32], Fail> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|e| Fail::world(format!("the system has no randomness to give: {e}")))?;
    Ok(bytes)
}
