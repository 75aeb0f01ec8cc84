//! `bardo golem restore ID`: bring the file back from an insurance snapshot.

use crate::cli::Restore;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::show;
use golem_runtime::{list_snapshots, restore_snapshot};
use serde_json::json;

/// List snapshots, or restore one. What was there before is moved aside, never deleted.
pub fn run(args: &Restore, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(&args.id)?;
    let all = list_snapshots(&place.dir)?;
    if args.list {
        let rows: Vec<_> = all.iter().map(|(_, m)| json!({ "tick": m.tick, "at": show::time(m.at) })).collect();
        return out.result(&rows, || {
            let lines: Vec<String> =
                all.iter().map(|(_, m)| format!("turn {:>9}  {}", m.tick, show::time(m.at))).collect();
            if lines.is_empty() { format!("{} has no snapshots yet", place.name) } else { lines.join("\n") }
        });
    }
    let chosen = match args.snapshot {
        Some(tick) => all.iter().find(|(_, m)| m.tick.0 == tick),
        None => all.iter().max_by_key(|(_, m)| m.tick),
    };
    let (path, manifest) = chosen.ok_or_else(|| {
        Fail::hint("there is no such snapshot", format!("see them: bardo golem restore {} --list", place.name))
    })?;
    restore_snapshot(&place.dir, path, crate::clock::clock().now())?;
    let told = json!({ "id": place.id, "tick": manifest.tick });
    out.result(&told, || {
        format!("{} is back at turn {}; the file that was there has been moved aside", place.name, manifest.tick)
    })
}
