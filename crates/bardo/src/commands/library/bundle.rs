//! `bardo library bundle`: collections, those that are proposed, and the starter kit of each template.

use super::all_named;
use super::look::in_lines;
use crate::cli::LibraryBundle;
use crate::fail::Fail;
use crate::home::Home;
use crate::library::{catch_up, change};
use crate::lines::folded;
use crate::out::{Out, as_value};
use golem_clade::library::{Archetype, OwnerLibrary};
use golem_core::{Name, Timestamp};
use golem_grimoire::embed::StaticEmbedder;
use golem_home::holdings::{self, BundleCard};
use golem_view::wrap::counted;
use serde_json::json;

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
    let all = holdings::bundles(library, now);
    out.result(&as_value(&all)?, || {
        if all.bundles.is_empty() {
            return "there is no bundle: make one with bardo library bundle NAME ENTRY...".to_owned();
        }
        let line = |of: &BundleCard| format!("{}  {} ({})", of.name, counted(of.entries, "entry"), of.standing);
        folded(&all.bundles.iter().map(line).collect::<Vec<_>>().join("\n"))
    })
}

fn contents(library: &OwnerLibrary, name: &Name, now: Timestamp, out: &Out) -> Result<(), Fail> {
    let page = holdings::contents(library, name.as_str(), now)?;
    out.result(&as_value(&page)?, || {
        let mut lines = vec![format!("{name}: {}", counted(page.entries.len(), "entry"))];
        lines.extend(in_lines(library, page.entries.iter(), now));
        folded(&lines.join("\n"))
    })
}
