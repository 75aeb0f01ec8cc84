//! The testament beside a golem's file: `testament.json` and `testament.md`, or `testament.sealed` for its owner alone, written
//! from the file and rewritable from it.

use crate::fail::Fail;
use crate::home::Place;
use crate::out::Out;
pub use golem_home::testament::{read, sealed_to};
use std::io::Write;
use std::path::Path;

/// Write the files anew from the golem's file. Before its death is final there is nothing to write.
fn write(dir: &Path) -> Result<(), Fail> {
    let Some(signed) = read(dir)?.filter(|signed| signed.signature.is_some()) else { return Ok(()) };
    if let Some(text) = golem_home::sealed::seal(&signed, &sealed_to(dir)?)? {
        let path = dir.join(golem_home::sealed::FILE);
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
