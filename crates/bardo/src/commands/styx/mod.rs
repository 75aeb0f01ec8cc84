//! `bardo styx run|status|token`: a relay between siblings, by itself or for a fleet.

mod place;
mod status;

use crate::cli::{StyxCommand, StyxRun, StyxToken};
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::run_loop;
use place::{StorePlace, shelf, store};
use serde_json::json;
use std::path::Path;
use std::time::Duration;
use styx::desk::RelayDesk;
use styx::store::{KeptRowKey, RowRoom};
use styx::{RelayAddress, RelayStartFault, SOCKET_PATH};

/// Files that a relay needs besides its sockets: its store, its pieces, its threads.
const OTHER_FILES: u64 = 128;

/// Run one.
pub fn run(command: &StyxCommand, home: &Home, out: &Out) -> Result<(), Fail> {
    match command {
        StyxCommand::Run(args) => relay(args, home, out),
        StyxCommand::Status(args) => status::run(args, out),
        StyxCommand::Token(args) => token(args, home, out),
    }
}

/// Serve until told to stop.
fn relay(args: &StyxRun, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = StorePlace::read(&args.store, home)?;
    if args.nats.is_some() && !place.is_shared() {
        return Err(Fail::hint(
            "relays wake each other only where they share a database",
            "give --store postgres://... as well, or leave --nats out",
        ));
    }
    let tls = match (&args.tls_cert, &args.tls_key) {
        (Some(chain), Some(key)) => Some((pem(chain)?, pem(key)?)),
        _ => None,
    };
    let stop = run_loop::stop_on_signals()?;
    let (held, kept) = store(&place)?;
    let mut desk = RelayDesk::new(kept, shelf(args.archive.as_deref(), home)?);
    desk.public = args.public;
    desk.owners = (!args.owners.is_empty()).then(|| args.owners.iter().copied().collect());
    if let Some(files) = golem_runtime::raise_open_files() {
        let sockets = usize::try_from(files.saturating_sub(OTHER_FILES)).unwrap_or(usize::MAX).max(1);
        if sockets < desk.limits.connections {
            out.say(&format!(
                "this machine lets it have {sockets} connections (ulimit -n), of {}",
                desk.limits.connections
            ));
            desk.limits.connections = sockets;
        }
    }
    let log = desk.store.identity().log;
    let at = RelayAddress {
        listen: args.listen,
        anywhere: args.anywhere,
        names: args.names.clone(),
        hints: args.nats.clone(),
        shared: place.is_shared(),
        threads: usize::from(args.threads),
        tls,
    };
    let scheme = if at.tls.is_some() { "wss" } else { "ws" };
    let server = styx::start(desk, at).map_err(|fault| refused(&fault))?;
    let url = format!("{scheme}://{}{SOCKET_PATH}", server.address());
    if out.json {
        out.line(&json!({ "url": url, "log": log, "store": place.shown() }).to_string())?;
    } else {
        out.line(&format!("golems dial {url}"))?;
        out.say(&format!("what it keeps is in {}", place.shown()));
        if args.anywhere && scheme == "ws" {
            out.alert("other machines can reach it, and nothing on the way is encrypted but what golems seal");
        }
        out.say("Ctrl-C stops it");
    }
    while !stop.wait_for(Duration::from_secs(3600)) {}
    server.stop();
    drop(held);
    Ok(())
}

/// An owner's token, made from the store.
fn token(args: &StyxToken, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = StorePlace::read(&args.store, home)?;
    place.is_there()?;
    let (kept, shelf) = (place.open()?, std::sync::Arc::new(styx::shelf::ModelShelf::default()));
    let desk = RelayDesk::new(kept, shelf);
    let known = KeptRowKey { room: RowRoom::Owner, owner: args.owner, key: vec![0] };
    if desk.store.row(&known).map_err(place::broken)?.is_none() {
        out.say("no golem of this owner has come to this relay yet");
    }
    let token = styx::token_of(&desk, args.owner).map_err(place::broken)?;
    out.result(&json!({ "owner": args.owner, "token": token }), || token.clone())
}

fn pem(file: &Path) -> Result<Vec<u8>, Fail> {
    std::fs::read(file).map_err(|e| {
        Fail::hint(format!("{}: {e}", file.display()), "--tls-cert and --tls-key are PEM files that can be read")
    })
}

fn refused(fault: &RelayStartFault) -> Fail {
    match (fault, fault.hint()) {
        (RelayStartFault::NotLoopback(_) | RelayStartFault::Tls(_), Some(hint)) => Fail::hint(fault.to_string(), hint),
        (_, Some(hint)) => Fail::world_hint(fault.to_string(), hint),
        (_, None) => Fail::world(fault.to_string()),
    }
}
