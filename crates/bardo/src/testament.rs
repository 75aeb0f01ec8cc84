//! The testament beside a golem's file: `testament.json` and `testament.md`, or `testament.sealed` for its owner alone, written
//! from the file and rewritable from it.

use crate::fail::Fail;
use crate::home::Place;
use crate::out::Out;
use crate::stored::parse;
use ed25519_dalek::{Signer, SigningKey};
use golem_core::Hash;
use golem_grimoire::change::NamedTable;
use golem_grimoire::testament::{SignedTestament, Testament};
use golem_life::LifeStanding;
use golem_runtime::{Reader, set_tombstone};
use std::io::Write;
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

/// The key that a golem's testament is sealed to; empty for none.
pub fn sealed_to(dir: &Path) -> Result<String, Fail> {
    Ok(crate::birth::settings_of(&Reader::open(dir)?.origin()?)?.testament.sealed_to)
}

/// What anybody may read of a testament; none where it is not there yet, cannot be read, or is sealed to its owner.
pub fn for_anybody(dir: &Path) -> Option<Testament> {
    sealed_to(dir).ok().filter(String::is_empty)?;
    read(dir).ok().flatten().map(|signed| signed.testament)
}

/// Write the files anew from the golem's file. Before its death is final there is nothing to write.
fn write(dir: &Path) -> Result<(), Fail> {
    let Some(signed) = read(dir)?.filter(|signed| signed.signature.is_some()) else { return Ok(()) };
    if let Some(text) = crate::sealed::seal(&signed, &sealed_to(dir)?)? {
        let path = dir.join(crate::sealed::FILE);
        return replace(&path, &text).map_err(|e| Fail::world(format!("cannot write {}: {e}", path.display())));
    }
    let paths = [dir.join("testament.json"), dir.join("testament.md")];
    // Straight from the typed value: by way of another, numbers would be spelled with other digits than were sealed.
    let json = serde_json::to_string_pretty(&signed).map_err(|e| Fail::Bug(e.to_string()))?;
    for (path, text) in paths.iter().zip([format!("{json}\n"), golem_view::testament::page(&signed)]) {
        replace(path, &text).map_err(|e| Fail::world(format!("cannot write {}: {e}", path.display())))?;
    }
    Ok(())
}

/// Write them for a golem that has come to its end. It is dead either way, and they can be written at any time.
pub fn leave(place: &Place, out: &Out) {
    if let Err(why) = write(&place.dir) {
        let again = format!("write it again: bardo golem testament {}", place.name);
        out.alert(&format!("the testament of {} could not be written: {why}\nhint: {again}", place.name));
    }
}

/// Whole or not at all.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let part = path.with_extension(format!("part-{}", std::process::id()));
    let written = std::fs::File::create(&part)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&part, path));
    if written.is_err() {
        // What is half written helps nobody.
        let _gone = std::fs::remove_file(&part);
    }
    written
}

/// How a golem stands, for whoever asks for a testament that is not there.
pub fn standing(dir: &Path) -> Result<LifeStanding, Fail> {
    let status = Reader::open(dir)?.status()?;
    status.map_or(Ok(LifeStanding::Alive), |row| parse(&row.body).map(|status| status.standing))
}
