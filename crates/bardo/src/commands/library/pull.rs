//! `bardo library pull GOLEM ENTRY...`: the owner takes entries from a golem. From the dead whatever was believed; from the
//! living what they are sure of, and the rest by the owner's own word.

use super::look::in_line;
use crate::cli::LibraryPull;
use crate::fail::Fail;
use crate::home::{Home, Place};
use crate::library::{change, visit};
use crate::lines::folded;
use crate::out::Out;
use golem_clade::library::{HoldingId, InflowRefusal, LibraryInflow, LibraryVisitor, OwnerLibrary};
use golem_grimoire::{Entry, EntryId};
use serde_json::json;

/// Run it.
pub fn run(args: &LibraryPull, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(&args.golem)?;
    let (inflow, PulledEntries { taken, left, library }) = take(args, &place, home)?;
    let now = crate::clock::clock().now();
    if taken.is_empty() {
        let why = left.first().map_or("it believes nothing".to_owned(), |(id, why)| {
            format!("{id}: {why}; what would lift it: {}", why.lifted_by())
        });
        return Err(Fail::refused(format!("nothing of {} comes in: {why}", place.name)));
    }
    let refused: Vec<_> =
        left.iter().map(|(id, why)| json!({ "id": id, "code": why.code(), "why": why.to_string() })).collect();
    out.result(&json!({ "inflow": inflow, "entries": taken, "refused": refused }), || {
        let held = taken.iter().filter_map(|id| Some((*id, library.holding(*id)?)));
        let mut lines: Vec<String> = held.map(|(id, h)| in_line(id, h, now)).collect();
        if args.all {
            lines.push(format!("{} entries do not come in; see --json", left.len()));
        } else {
            lines.extend(left.iter().map(|(id, why)| format!("{id} does not come in: {why}")));
        }
        folded(&lines.join("\n"))
    })
}

/// What came in, and what did not.
pub(crate) struct PulledEntries {
    pub taken: Vec<HoldingId>,
    pub left: Vec<(EntryId, InflowRefusal)>,
    library: OwnerLibrary,
}

/// Take what is asked for.
pub(crate) fn take(args: &LibraryPull, place: &Place, home: &Home) -> Result<(LibraryInflow, PulledEntries), Fail> {
    let guest = visit(place, home)?;
    let inflow = if guest.dead || args.anyway { LibraryInflow::ManualPull } else { LibraryInflow::LiveExport };
    let chosen: Vec<&Entry> = match args.all {
        true => guest.entries.iter().collect(),
        false => args.entries.iter().map(|word| find(&guest, word)).collect::<Result<_, _>>()?,
    };
    let now = crate::clock::clock().now();
    let taken = change(home, |library| {
        let (mut taken, mut left): (Vec<HoldingId>, Vec<(EntryId, InflowRefusal)>) = Default::default();
        // A death is deposited before anybody takes anything else from it.
        library.bury(&guest, now);
        for entry in chosen {
            match library.take(&guest, entry, inflow, now) {
                Ok(id) => taken.push(id),
                Err(why) => left.push((entry.id, why)),
            }
        }
        Ok(PulledEntries { taken, left, library: library.clone() })
    })?;
    Ok((inflow, taken))
}

fn find<'a>(guest: &'a LibraryVisitor, word: &str) -> Result<&'a Entry, Fail> {
    let mut found = guest.entries.iter().filter(|e| !word.is_empty() && e.id.to_string().starts_with(word));
    match (found.next(), found.next()) {
        (Some(entry), None) => Ok(entry),
        (Some(_), Some(_)) => Err(Fail::hint(format!("{word:?} begins more than one entry"), "give more of it")),
        (None, _) => Err(Fail::hint(
            format!("{} has no entry {word:?}", guest.name),
            format!("see what it knows: bardo grimoire search {} WORDS", guest.name),
        )),
    }
}
