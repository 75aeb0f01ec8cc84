//! `bardo archive list|restore`: what golems know, as the relay keeps it for their owner.

use crate::cli::{ArchiveCommand, KinVisit, RestoreArchive};
use crate::fail::Fail;
use crate::ferry;
use crate::home::Home;
use crate::library::equip_target;
use crate::out::Out;
use golem_ferry::{FoundArchive, RelayVisit, restored};
use golem_runtime::Inbox;
use serde::Serialize;

/// A backup, for people and programs.
#[derive(Debug, Serialize)]
struct ArchiveListed {
    golem: String,
    tick: u64,
    bytes: u64,
    pieces: usize,
    id: String,
}

/// What came of restoring one.
#[derive(Debug, Serialize)]
struct ArchiveRestored {
    golem: String,
    tick: u64,
    entries: usize,
    /// What found no room in its inbox, or is too long for it.
    too_long: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

pub fn run(command: &ArchiveCommand, home: &Home, out: &Out) -> Result<(), Fail> {
    match command {
        ArchiveCommand::List(visit) => list(visit, home, out),
        ArchiveCommand::Restore(args) => restore(args, home, out),
    }
}

fn listed(found: &FoundArchive) -> ArchiveListed {
    let words = &found.manifest.words;
    ArchiveListed {
        golem: words.golem.to_string(),
        tick: words.tick,
        bytes: words.bytes,
        pieces: words.chunks.len(),
        id: found.manifest.id().to_string(),
    }
}

fn list(visit: &KinVisit, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(&visit.id)?;
    let asking = RelayVisit::of(ferry::passenger(home, &place, visit.relay.as_deref())?);
    let found = asking.archives().map_err(|e| ferry::fail(&e))?;
    let all: Vec<ArchiveListed> = found.iter().map(listed).collect();
    out.result(&all, || {
        if all.is_empty() {
            return "the relay keeps no backups of this owner's golems".to_owned();
        }
        let line =
            |a: &ArchiveListed| format!("{} · turn {} · {} bytes in {} pieces", a.golem, a.tick, a.bytes, a.pieces);
        all.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

fn restore(args: &RestoreArchive, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(&args.visit.id)?;
    let passenger = ferry::passenger(home, &place, args.visit.relay.as_deref())?;
    let (owner, group) = (passenger.certificate.words.owner, ferry::clade_key(home)?.group(ferry::EPOCH));
    let asking = RelayVisit::of(passenger);
    let found = asking.archives().map_err(|e| ferry::fail(&e))?;
    let fits = |f: &&FoundArchive| match &args.of {
        Some(of) => f.manifest.words.golem.to_string().starts_with(of.as_str()),
        None => f.manifest.words.golem != place.id,
    };
    let Some(newest) = found.iter().find(fits) else {
        return Err(Fail::hint(
            "there is no such backup",
            format!("see what there is: bardo archive list {}", place.name),
        ));
    };
    let pieces = asking.pieces(newest).map_err(|e| ferry::fail(&e))?;
    let now_s = u64::try_from(crate::clock::clock().now().0).unwrap_or(0);
    let backup = restored(newest, owner, &group, &pieces, now_s)
        .map_err(|e| Fail::world(format!("the backup is not taken: {e}")))?;
    let words = &newest.manifest.words;
    let mut told = ArchiveRestored {
        golem: words.golem.to_string(),
        tick: words.tick,
        entries: backup.parcels().len(),
        too_long: 0,
        file: None,
    };
    if let Some(path) = &args.out {
        let lines: Vec<String> = backup.parcels().iter().map(golem_core::plain::json).collect();
        std::fs::write(path, lines.join("\n") + "\n")?;
        told.file = Some(path.display().to_string());
    } else {
        let mut inbox = Inbox::open(&place.dir)?;
        for (key, ask) in backup.for_reader(&equip_target(&place)?) {
            match inbox.put(&key, &ask, crate::clock::clock().now()) {
                Ok(_) => {}
                Err(golem_runtime::Error::BadOrder { .. }) => told.too_long += 1,
                Err(e) => return Err(e.into()),
            }
        }
    }
    out.result(&told, || {
        let whose = format!("{} entries of {} at turn {}", told.entries, told.golem, told.tick);
        match &told.file {
            Some(file) => format!("{whose}, written to {file}"),
            None => format!("{whose}, handed to {}: it examines them in its next turns", place.name),
        }
    })
}
