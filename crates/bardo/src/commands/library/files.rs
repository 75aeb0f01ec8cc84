//! `bardo library export|import`: a collection as one signed file, and back. After a home is lost, such a file brings back what
//! its golems knew.

use super::all_named;
use crate::cli::{LibraryExport, LibraryImport};
use crate::fail::Fail;
use crate::home::Home;
use crate::library::{SealedBundle, catch_up, change, open_sealed, public_key, signing_key, write_sealed};
use crate::lines::folded;
use crate::out::Out;
use golem_clade::library::ImportedBundle;
use golem_core::{Hash, Name};
use golem_view::wrap::counted;
use serde_json::json;
use std::path::Path;

/// Write one.
pub fn export(args: &LibraryExport, home: &Home, out: &Out) -> Result<(), Fail> {
    let (library, now) = (catch_up(home, out)?, crate::clock::clock().now());
    let ids = all_named(&library, &args.entries, now)?;
    let single = match &args.entries[..] {
        [one] if library.contents(one, now).is_some() => one.parse::<Name>().ok(),
        _ => None,
    };
    let archetype = single.as_ref().and_then(|name| library.bundle(name.as_str())).and_then(|b| b.archetype.clone());
    let name = args.name.clone().or(single);
    let name = name.ok_or_else(|| Fail::hint("entries alone have no name together", "say one: --name NAME"))?;
    let bundle = library.pack(name.clone(), archetype, &ids, now);
    let key = signing_key(home)?;
    let bytes = write_sealed(&bundle, &key, &args.out)?;
    let public = Hash(key.verifying_key().to_bytes());
    let entries = bundle.holdings.len();
    let told = json!({ "path": args.out, "name": name, "entries": entries, "bytes": bytes, "key": public });
    out.result(&told, || {
        folded(&format!(
            "{}: {}\nin another home: bardo library import {} --trust {public}",
            args.out.display(),
            counted(entries, "entry"),
            args.out.display()
        ))
    })
}

/// Take one in.
pub fn import(args: &LibraryImport, home: &Home, out: &Out) -> Result<(), Fail> {
    let (told, own) = take_in(&args.file, args.trust, home)?;
    let value = json!({
        "name": told.name, "own": own, "new": told.new, "known": told.known,
        "left": told.left.iter().map(|(id, why)| json!({ "id": id, "why": why })).collect::<Vec<_>>(),
    });
    out.result(&value, || {
        let mut lines = vec![format!(
            "{}: {} new, {} known already",
            told.name,
            counted(told.new.len(), "entry"),
            told.known.len()
        )];
        if !own {
            lines.push(
                "taken as a stranger's, worth at most 0.30 until golems of yours have seen it come true; was it yours, \
                 say so: --trust KEY"
                    .to_owned(),
            );
        }
        lines.extend(told.left.iter().map(|(id, why)| format!("{id} was left: {why}")));
        lines.push(format!("equip a golem with it: bardo library equip GOLEM {}", told.name));
        folded(&lines.join("\n"))
    })
}

/// Take in a file; and whether it was the owner's own.
pub fn take_in(file: &Path, trust: Option<Hash>, home: &Home) -> Result<(ImportedBundle, bool), Fail> {
    let SealedBundle { bundle, signer } = open_sealed(file)?;
    if let Some(key) = trust.filter(|key| signer != Some(*key)) {
        let by = signer.map_or("nobody".to_owned(), |signer| signer.to_string());
        return Err(Fail::refused(format!("{}: signed by {by}, not by {key}", file.display())));
    }
    let own = public_key(home)?;
    let now = crate::clock::clock().now();
    change(home, |library| {
        trust.into_iter().for_each(|key| library.trust(key));
        let mine = signer.is_some_and(|signer| own == Some(signer) || library.keys().any(|key| key == signer));
        Ok((library.import(bundle, mine, now), mine))
    })
}
