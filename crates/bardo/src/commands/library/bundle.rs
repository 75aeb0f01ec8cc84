//! `bardo library bundle`: collections, those that are proposed, and the starter kit of each template.

use super::all_named;
use super::look::{in_json, in_line};
use crate::cli::LibraryBundle;
use crate::fail::Fail;
use crate::home::Home;
use crate::library::{catch_up, change};
use crate::lines::folded;
use crate::out::Out;
use golem_clade::library::{Archetype, OwnerLibrary, starter_name};
use golem_core::plain::word;
use golem_core::{Name, Timestamp};
use golem_grimoire::embed::StaticEmbedder;
use golem_mind::Template;
use golem_view::wrap::counted;
use serde_json::{Value, json};

/// Show, make, add, propose.
pub fn run(args: &LibraryBundle, home: &Home, out: &Out) -> Result<(), Fail> {
    let (mut library, now) = (catch_up(home, out)?, crate::clock::clock().now());
    if args.propose {
        let embedder = StaticEmbedder::bundled();
        let named = change(home, |library| Ok(library.propose(&embedder, now)))?;
        return out.result(&json!({ "bundles": named }), || match named.len() {
            0 => "nothing new: no three golems came to the same within a week".to_owned(),
            _ => folded(&format!("proposed or published: {}", named.join(", "))),
        });
    }
    let Some(name) = &args.name else { return overview(&library, now, out) };
    if !args.entries.is_empty() || args.template.is_some() {
        if name.as_str().ends_with("-starter") || name.as_str().starts_with("proposal-") {
            let hint = "take another name";
            return Err(Fail::hint(format!("{name} is a name that the library itself gives"), hint));
        }
        let archetype = args.template.map(|template| Archetype::named(template.name()));
        library = change(home, |library| {
            let ids = all_named(library, &args.entries, now)?;
            library.collect(name, archetype, &ids, now);
            Ok(library.clone())
        })?;
    }
    contents(&library, name, now, out)
}

fn overview(library: &OwnerLibrary, now: Timestamp, out: &Out) -> Result<(), Fail> {
    let mut all: Vec<(String, String, usize)> = Vec::new();
    for (name, bundle) in library.bundles() {
        all.push((name.to_owned(), word(&bundle.standing), library.contents(name, now).map_or(0, |c| c.len())));
    }
    for template in Template::ALL {
        let kit = library.starter(&Archetype::named(template.name()), now);
        if !kit.is_empty() {
            all.push((starter_name(&Archetype::named(template.name())), "starter".to_owned(), kit.len()));
        }
    }
    let told: Vec<Value> =
        all.iter().map(|(name, standing, n)| json!({ "name": name, "standing": standing, "entries": n })).collect();
    out.result(&json!({ "bundles": told }), || {
        if all.is_empty() {
            return "there is no bundle: make one with bardo library bundle NAME ENTRY...".to_owned();
        }
        let line =
            |(name, standing, n): &(String, String, usize)| format!("{name}  {} ({standing})", counted(*n, "entry"));
        folded(&all.iter().map(line).collect::<Vec<_>>().join("\n"))
    })
}

fn contents(library: &OwnerLibrary, name: &Name, now: Timestamp, out: &Out) -> Result<(), Fail> {
    let Some(ids) = library.contents(name.as_str(), now) else {
        let hint =
            format!("see which there are: bardo library bundle; or make it: bardo library bundle {name} ENTRY...");
        return Err(Fail::hint(format!("there is no bundle {name}"), hint));
    };
    let held: Vec<_> = ids.iter().filter_map(|id| Some((*id, library.holding(*id)?))).collect();
    let bundle = library.bundle(name.as_str());
    let told = json!({
        "name": name, "template": bundle.and_then(|b| b.archetype.clone()),
        "standing": bundle.map_or("starter".to_owned(), |b| word(&b.standing)),
        "entries": held.iter().map(|(id, h)| in_json(*id, h, now)).collect::<Vec<_>>(),
    });
    out.result(&told, || {
        let mut lines = vec![format!("{name}: {}", counted(held.len(), "entry"))];
        lines.extend(held.iter().map(|(id, h)| in_line(*id, h, now)));
        folded(&lines.join("\n"))
    })
}
