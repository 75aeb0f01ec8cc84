//! `bardo golem remove ID`: what is left of a dead golem is deleted, and said before. The living are never removed.

use super::orders::{confirm, is_running};
use crate::birth::settings_of;
use crate::chain;
use crate::cli::Removal;
use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile};
use crate::herald;
use crate::home::{Home, Place};
use crate::lines::folded;
use crate::out::Out;
use crate::wallets;
use golem_life::LifeStanding;
use golem_runtime::{GolemDir, Lock, Reader};
use golem_view::wrap::counted;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Look, ask, delete.
pub fn run(args: &Removal, yes: bool, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(&args.id)?;
    home.is_at_home(&place)?;
    is_dead(&place)?;
    let dropped = told(&place, args.drop_notices, home, out)?;
    let file = settings(&place);
    let chain = file.as_ref().and_then(|file| own_chain(file, &place, home).transpose()).transpose()?;
    let mut doomed = vec![place.dir.clone()];
    doomed.extend(chain);
    let left = file.as_ref().and_then(|file| left_behind(file, home));
    // Money first: it is all that cannot be had again.
    for line in left.iter().cloned().chain(doomed.iter().map(|path| will_go(path))) {
        out.alert(&line);
    }
    if !yes {
        confirm(&place, &format!("{} will be gone, with its whole record.", place.name), "not removed", out)?;
    }
    let bytes: u64 = doomed.iter().map(|path| size(path)).sum();
    // Nobody may begin to run it from here on; whoever has begun meanwhile goes on, and nothing is deleted.
    let _held = hold(&place)?;
    is_still_dead(&place)?;
    // What it leaves is left before it goes.
    crate::library::bury_dead(std::slice::from_ref(&place), home, out)?;
    for path in &doomed {
        vanish(path)?;
    }
    let told = json!({ "id": place.id, "name": place.name, "deleted": doomed, "bytes": bytes, "left": left,
        "dropped_notices": dropped });
    out.result(&told, || folded(&format!("{} is gone: {:.1} MB deleted", place.name, bytes as f64 / 1e6)))
}

/// Its owner hears of it before it goes, or says that nobody need hear of it: how many notices go unsent.
fn told(place: &Place, drop_them: bool, home: &Home, out: &Out) -> Result<usize, Fail> {
    let name = &place.name;
    if drop_them {
        // Settings that nobody can read have no channels: what waits is not known, and was given up.
        let unsent = herald::unsent(place, home).unwrap_or(0);
        if unsent > 0 {
            out.alert(&format!("{} of {name} were never sent, and go with it", counted(unsent, "notice")));
        }
        return Ok(unsent);
    }
    if herald::unsent(place, home).is_ok_and(|unsent| unsent == 0) {
        return Ok(0);
    }
    let sent = herald::send_now(home, *out);
    let left = herald::unsent(place, home);
    let why = match (left, sent.elsewhere) {
        (Ok(0), _) => return Ok(0),
        (Ok(n), true) => format!("{} of {name} wait, and another process is sending", counted(n, "notice")),
        (Ok(n), false) => format!("{} of {name} could not be sent", counted(n, "notice")),
        (Err(why), _) => format!("whether you were told all of {name} is not known: {why}"),
    };
    let hint = format!("bardo doctor says why; to remove it all the same: bardo golem remove {name} --drop-notices");
    Err(Fail::refused_hint(format!("not removed: {why}"), hint))
}

/// Only the dead may be taken away.
fn is_dead(place: &Place) -> Result<(), Fail> {
    let name = &place.name;
    let status = Reader::open(&place.dir)?.status()?;
    match status.map(|s| s.standing) {
        Some(LifeStanding::Dead) if !is_running(place)? => Ok(()),
        Some(LifeStanding::Dead) => Err(running(place)),
        Some(LifeStanding::Dying) => Err(Fail::hint(
            format!("{name} is dying, and not dead yet"),
            format!("let it come to its end: bardo golem run {name}"),
        )),
        Some(_) | None => Err(Fail::hint(
            format!("{name} is alive, and only the dead can be removed"),
            format!("end its life first: bardo golem kill {name} --reason WHY"),
        )),
    }
}

/// The right to run it, so that nobody else does.
fn hold(place: &Place) -> Result<Lock, Fail> {
    Lock::take(&GolemDir::of_golem(&place.dir)?).map_err(|e| match e {
        golem_runtime::Error::Locked { .. } => running(place),
        other => other.into(),
    })
}

/// A file may have been brought back from a snapshot while the owner was asked.
fn is_still_dead(place: &Place) -> Result<(), Fail> {
    match Reader::open(&place.dir)?.status()?.map(|s| s.standing) {
        Some(LifeStanding::Dead) => Ok(()),
        _ => Err(Fail::hint(format!("{} is not dead any more", place.name), "look again: bardo golem list")),
    }
}

fn running(place: &Place) -> Fail {
    Fail::hint(format!("{} is still being run", place.name), "wait for its process to end")
}

/// Gone at once under its name, then file by file: a removal that is broken off leaves nothing that looks like a golem.
fn vanish(path: &Path) -> Result<(), Fail> {
    let cannot = |e: std::io::Error| Fail::world(format!("cannot delete {}: {e}", path.display()));
    let gone = path.with_extension(format!("removed-{}", std::process::id()));
    std::fs::rename(path, &gone).map_err(cannot)?;
    std::fs::remove_dir_all(&gone).map_err(cannot)
}

fn settings(place: &Place) -> Option<GolemFile> {
    let origin = Reader::open(&place.dir).and_then(|r| r.origin()).ok()?;
    settings_of(&origin).ok()
}

/// The embedded chain that it lived on, where nobody else of this home does: without a golem nobody can go on with it.
fn own_chain(file: &GolemFile, place: &Place, home: &Home) -> Result<Option<PathBuf>, Fail> {
    if file.chain.kind != ChainWord::Embedded {
        return Ok(None);
    }
    let lives_there = |other: &Place| {
        let theirs = settings(other);
        theirs.is_none_or(|theirs| theirs.chain.kind == ChainWord::Embedded && theirs.chain.name == file.chain.name)
    };
    let shared = home.golems()?.iter().filter(|other| other.id != place.id).any(lives_there);
    let dir = chain::kept_at(home, &file.chain.name).parent().map(Path::to_path_buf);
    Ok(dir.filter(|dir| !shared && dir.exists()))
}

/// What stays on somebody's chain: no file of ours can bring it back or take it away.
fn left_behind(file: &GolemFile, home: &Home) -> Option<String> {
    if file.chain.kind != ChainWord::Rpc {
        return None;
    }
    let wallet = &file.chain.wallet;
    let address = wallets::address_of(wallet, &wallets::at(home)).unwrap_or_else(|_| "its address".to_owned());
    Some(format!(
        "money: whatever {address} holds on chain {} stays there, and its key stays in the wallet {wallet}: keep that",
        file.chain.rpc.chain_id
    ))
}

fn will_go(path: &Path) -> String {
    format!("deleted: {} ({:.1} MB)", path.display(), size(path) as f64 / 1e6)
}

/// Bytes of everything in a directory.
fn size(path: &Path) -> u64 {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let of = |entry: std::fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => size(&entry.path()),
        _ => entry.metadata().map_or(0, |m| m.len()),
    };
    entries.map(of).sum()
}
