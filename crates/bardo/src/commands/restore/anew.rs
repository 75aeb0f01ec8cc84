//! A chain made anew from the record of the one golem on it: its seed and its own recorded acts say everything that happened
//! there. Where others live too, nobody's record is the whole, and the chain stays as it is.

use crate::birth;
use crate::chain;
use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile};
use crate::home::{Home, Place};
use crate::out::Out;
use golem_chain::embedded::EmbeddedChain;
use golem_core::door::KeyedHands;
use golem_runtime::{Reader, Rebuilt, rebuild_life, set_anchor};

/// The settings of a golem on an embedded chain; nothing for others.
fn embedded(place: &Place) -> Result<Option<GolemFile>, Fail> {
    let file = birth::settings_of(&Reader::open(&place.dir)?.origin()?)?;
    Ok((file.chain.kind == ChainWord::Embedded).then_some(file))
}

/// Whether the chain under a golem may be made anew: nobody else has lived on it.
pub fn may_be_made(place: &Place, home: &Home) -> Result<(), Fail> {
    // A file that cannot be read says nothing about its chain; its readable settings do, to people.
    let name = match embedded(place) {
        Ok(None) => return Ok(()),
        Ok(Some(file)) => file.chain.name,
        Err(_) => match readable(place) {
            Some(file) if file.chain.kind == ChainWord::Embedded => file.chain.name,
            _ => return Ok(()),
        },
    };
    let mut others = Vec::new();
    for other in home.golems()?.into_iter().filter(|other| other.id != place.id) {
        let Ok(reader) = Reader::open(&other.dir) else { continue };
        let on_it = reader
            .origin()
            .ok()
            .and_then(|origin| birth::settings_of(&origin).ok())
            .is_some_and(|file| file.chain.kind == ChainWord::Embedded && file.chain.name == name);
        if on_it && reader.anchor()?.lived.0 > 0 {
            others.push(other.name.to_string());
        }
    }
    if others.is_empty() {
        return Ok(());
    }
    Err(Fail::hint(
        format!(
            "{} shares the chain {name} with {}: what they did there cannot be taken back",
            place.name,
            others.join(", ")
        ),
        "only a golem that is alone on its chain goes back with it; put back copies of all their files and of \
         the chain from the same time",
    ))
}

fn readable(place: &Place) -> Option<GolemFile> {
    GolemFile::read(&std::fs::read_to_string(place.dir.join("golem.toml")).ok()?, &[]).ok()
}

/// Make it: live the golem's record again on a new chain, and put that in the place of the old one. Nothing for a golem on
/// another kind of chain.
pub fn make(place: &Place, home: &Home, out: &Out) -> Result<Option<Rebuilt>, Fail> {
    let Some(file) = embedded(place)? else { return Ok(None) };
    let origin = Reader::open(&place.dir)?.origin()?;
    let path = chain::kept_at(home, &file.chain.name);
    let draft = path.with_extension("db.anew");
    for leftover in ["", "-wal", "-shm", "-journal", ".lock"] {
        let _absent = std::fs::remove_file(draft.with_extension(format!("anew{leftover}")));
    }
    out.say(&format!("making the chain {} anew from the record of {}", file.chain.name, place.name));
    golem_runtime::make_dir(path.parent().unwrap_or(&path))?;
    let chain::Stand { mut world, mut hands, floor, .. } = chain::stand_anew(&file, home, &origin, &draft, out)?;
    let made = rebuild_life(&place.dir, &birth::genesis(&origin)?, &mut world, &mut hands)?;
    if let Some(floor) = &floor {
        let mut floor = floor.hold();
        match floor.trouble().cloned() {
            Some(was) => return Err(chain::trouble(&was)),
            None => floor.commit().map_err(|e| chain::trouble(&e))?,
        }
    }
    let mark = hands.anchor().ok_or_else(|| Fail::Bug("a chain in a file has no mark".to_owned()))?;
    drop((world, hands, floor));
    EmbeddedChain::replace(&path, &draft).map_err(|e| Fail::world(e.to_string()))?;
    set_anchor(&place.dir, &mark, crate::clock::clock().now())?;
    Ok(Some(made))
}
