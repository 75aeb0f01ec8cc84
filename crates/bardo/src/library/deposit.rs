//! What golems bring by themselves: the deposit of each death, once, and their word on what is held.
//!
//! A deposit is made by whoever comes next: the run in which the golem died, or any command of the library after it. What was
//! deposited stands in the same transaction as that it was, so that a process that is killed in between changes nothing.

use super::{change, find, visit};
use crate::fail::Fail;
use crate::home::{Home, Place};
use crate::out::Out;
use golem_clade::library::{BundleStanding, LibraryVisitor, OwnerLibrary};
use golem_grimoire::embed::StaticEmbedder;
use golem_life::LifeStanding;
use golem_runtime::Reader;
use golem_view::wrap::counted;

/// Make the deposits of those among these that are dead, and were not made before.
pub fn bury_dead(places: &[Place], home: &Home, out: &Out) -> Result<(), Fail> {
    let mut dead = Vec::new();
    for place in places {
        // One that cannot be read is told of by whoever runs it.
        let found = Reader::open(&place.dir).and_then(|reader| reader.status()).ok().flatten();
        dead.extend(found.is_some_and(|row| row.standing == LifeStanding::Dead).then(|| place.clone()));
    }
    if dead.is_empty() {
        return Ok(());
    }
    let known = find(home)?.unwrap_or_default();
    let guests = guests(&dead, home, out, |place, _| Ok(!known.has_deposit_of(place.id)))?;
    bring(&guests, home, out, false)
}

/// Bring the library up to date with every golem of this home, and say what it holds then.
pub fn catch_up(home: &Home, out: &Out) -> Result<OwnerLibrary, Fail> {
    let known = find(home)?.unwrap_or_default();
    let guests = guests(&home.golems()?, home, out, |place, reader| {
        let (tick, _) = reader.tip()?;
        let moved = known.looked_at(place.id).is_none_or(|seen| seen < tick);
        Ok(tick.0 > 0 && (moved || (is_dead(reader)? && !known.has_deposit_of(place.id))))
    })?;
    bring(&guests, home, out, true)?;
    Ok(if guests.is_empty() { known } else { find(home)?.unwrap_or_default() })
}

fn is_dead(reader: &Reader) -> Result<bool, Fail> {
    Ok(reader.status()?.is_some_and(|row| row.standing == LifeStanding::Dead))
}

/// Those that are wanted, each read from its file. One that cannot be read is told of and left.
fn guests(
    places: &[Place],
    home: &Home,
    out: &Out,
    wanted: impl Fn(&Place, &Reader) -> Result<bool, Fail>,
) -> Result<Vec<LibraryVisitor>, Fail> {
    let mut all = Vec::new();
    for place in places {
        let one = || -> Result<Option<LibraryVisitor>, Fail> {
            let reader = Reader::open(&place.dir)?;
            if wanted(place, &reader)? { visit(place, home).map(Some) } else { Ok(None) }
        };
        match one() {
            Ok(guest) => all.extend(guest),
            Err(why) => out.alert(&format!("the library leaves {} out: {why}", place.name)),
        }
    }
    Ok(all)
}

/// Deposits first, so that what came with a death is known as such; then everybody's word.
fn bring(guests: &[LibraryVisitor], home: &Home, out: &Out, words: bool) -> Result<(), Fail> {
    if guests.is_empty() {
        return Ok(());
    }
    let now = crate::clock::clock().now();
    let told = change(home, |library| {
        let (mut told, mut news) = (Vec::new(), false);
        for guest in guests {
            if let Some(death) = library.bury(guest, now) {
                news = true;
                let crowded = match death.no_room {
                    0 => String::new(),
                    n => format!("; for {n} more there was no room"),
                };
                told.push(format!(
                    "{} left to the library: {}, {}{crowded}",
                    guest.name,
                    counted(death.kept.len(), "entry"),
                    counted(death.edges.len(), "cause")
                ));
            }
        }
        for guest in guests.iter().filter(|_| words) {
            let promoted = library.look(guest, now).len();
            if promoted > 0 {
                news = true;
                told.push(format!("{} came in that several golems have seen come true", counted(promoted, "entry")));
            }
        }
        // What several golems came to is looked for where something came in; that enough have seen it come true, at every look.
        let named = if news { library.propose(&StaticEmbedder::bundled(), now) } else { library.publish() };
        for name in named {
            let is_published = library.bundle(&name).is_some_and(|b| b.standing == BundleStanding::Published);
            let what = if is_published { "publishes" } else { "proposes" };
            told.push(format!("the library {what} {name}, which several golems came to within a week"));
        }
        Ok(told)
    })?;
    told.iter().for_each(|line| out.say(line));
    Ok(())
}
