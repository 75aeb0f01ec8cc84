//! The testament that a golem's file keeps.

use crate::fail::Fail;
use crate::home::Place;
use crate::stored::parse;
use ed25519_dalek::{Signer, SigningKey};
use golem_core::Hash;
use golem_grimoire::change::NamedTable;
use golem_grimoire::testament::{SignedTestament, Testament};
use golem_life::LifeStanding;
use golem_runtime::{Reader, set_tombstone};
use std::path::Path;

/// The testament that a file keeps, as it was sealed; none before it is written.
pub fn stored(reader: &Reader) -> Result<Option<Testament>, Fail> {
    let rows = reader.memory().named(NamedTable::Testament, None, u32::MAX)?;
    let Some(row) = rows.into_iter().find(|row| row.key == Testament::KEY) else { return Ok(None) };
    let testament: Testament =
        Testament::read(&row.body).map_err(|e| Fail::world(format!("its testament cannot be read: {e}")))?;
    if !testament.is_whole() {
        return Err(Fail::hint(
            "its testament is not what was sealed: its checksum differs",
            "live the life again and compare: bardo golem replay",
        ));
    }
    Ok(Some(testament))
}

/// What the file in `dir` keeps of its golem's testament; none before it is written. Signed, and with the revealed secret,
/// once its death is final.
pub fn read(dir: &Path) -> Result<Option<SignedTestament>, Fail> {
    let reader = Reader::open(dir)?;
    let Some(testament) = stored(&reader)? else { return Ok(None) };
    let status = reader.status()?;
    if !status.is_some_and(|row| row.standing == LifeStanding::Dead) {
        return Ok(Some(SignedTestament { testament, death_secret: None, signature: None }));
    }
    // Once the secret is out there is no way back: the stone stands first.
    set_tombstone(dir, testament.death.tick)?;
    let origin = reader.origin()?;
    let signature = SigningKey::from_bytes(&origin.signing_key).sign(&SignedTestament::message(&testament));
    let hex: String = signature.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let death_secret = Some(Hash(origin.secret.reveal()));
    Ok(Some(SignedTestament { testament, death_secret, signature: Some(hex) }))
}

/// Why there is none of a golem's.
pub fn absent(place: &Place) -> Result<Fail, Fail> {
    let name = &place.name;
    Ok(match standing(&place.dir)? {
        LifeStanding::Dead => Fail::hint(
            format!("{name} left no testament: it died before golems wrote one"),
            format!("what it knew: bardo grimoire export {name}"),
        ),
        LifeStanding::Dying => Fail::hint(
            format!("{name} is dying, and has not written its testament yet"),
            format!("let it come to its end: bardo golem run {name}"),
        ),
        LifeStanding::Alive | LifeStanding::Paused => {
            Fail::hint(format!("{name} lives: a testament is written at the end"), format!("bardo golem status {name}"))
        }
    })
}

/// The key that a golem's testament is sealed to; empty for none.
pub fn sealed_to(dir: &Path) -> Result<String, Fail> {
    Ok(crate::origins::settings_of(&Reader::open(dir)?.origin()?)?.testament.sealed_to)
}

/// What anybody may read of a testament; none where it is not there yet, cannot be read, or is sealed to its owner.
pub fn for_anybody(dir: &Path) -> Option<Testament> {
    sealed_to(dir).ok().filter(String::is_empty)?;
    read(dir).ok().flatten().map(|signed| signed.testament)
}

/// How a golem stands, for whoever asks for a testament that is not there.
pub fn standing(dir: &Path) -> Result<LifeStanding, Fail> {
    let status = Reader::open(dir)?.status()?;
    status.map_or(Ok(LifeStanding::Alive), |row| parse(&row.body).map(|status| status.standing))
}
