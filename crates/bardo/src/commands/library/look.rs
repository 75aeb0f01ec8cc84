//! `bardo library list|search|show`: looking at what is held.

use crate::cli::{LibraryList, LibrarySearch};
use crate::fail::Fail;
use crate::home::Home;
use crate::library::{catch_up, public_key};
use crate::lines::folded;
use crate::out::{Out, as_value};
use golem_clade::library::{Archetype, HoldingId, LibraryHolding, OwnerLibrary};
use golem_clade::provenance::ValidationWord;
use golem_core::Timestamp;
use golem_core::plain::word;
use golem_home::holdings::{self, HoldingPage, one};
use golem_home::shelf::{HeldEntry, LibraryPage};
use golem_view::story::in_words;
use golem_view::wrap::counted;

/// `library list`.
pub fn list(args: &LibraryList, home: &Home, out: &Out) -> Result<(), Fail> {
    let (library, now) = (catch_up(home, out)?, crate::clock::clock().now());
    let wanted = args.template.map(|template| Archetype::named(template.name()));
    let page = LibraryPage::of(&library, public_key(home)?, wanted.as_ref(), now);
    out.result(&as_value(&page)?, || {
        let (all, deposits) = (&page.entries, &page.deposits);
        if all.is_empty() {
            return "the library is empty: golems leave to it when they die, and bardo library pull takes from them"
                .to_owned();
        }
        let mut lines =
            vec![format!("{}, {} of deaths", counted(all.len(), "entry"), counted(deposits.len(), "deposit"))];
        lines.extend(in_lines(&library, all.iter().take(args.top), now));
        if all.len() > args.top {
            lines.push(format!("and {} more: --top N, or --json", all.len() - args.top));
        }
        folded(&lines.join("\n"))
    })
}

/// `library search`.
pub fn search(args: &LibrarySearch, home: &Home, out: &Out) -> Result<(), Fail> {
    let (library, now) = (catch_up(home, out)?, crate::clock::clock().now());
    let found = holdings::search(&library, &args.words.join(" "), args.top, now);
    out.result(&as_value(&found)?, || {
        if found.entries.is_empty() {
            return "nothing is held about that".to_owned();
        }
        folded(&in_lines(&library, found.entries.iter().map(|found| &found.entry), now).join("\n"))
    })
}

/// `library show`.
pub fn show(entry: &str, home: &Home, out: &Out) -> Result<(), Fail> {
    let (library, now) = (catch_up(home, out)?, crate::clock::clock().now());
    let (id, held) = one(&library, entry)?;
    out.result(&as_value(&HoldingPage::of(id, held, now))?, || {
        let body = held.body();
        let from = match &held.from {
            Some(from) => format!("{}{}", from.lineage.golem, if from.dead { ", dead by then" } else { "" }),
            None => "a stranger".to_owned(),
        };
        let mut lines = vec![
            format!("{} ({})", body.text, word(&body.kind)),
            format!("  id          {id}"),
            format!("  worth       {:.2} stored, {:.2} now", bp(held.confidence_bp()), held.effective(now)),
            format!("  came        as {}, from {from}", held.inflow.name().replace('_', " ")),
            format!(
                "  word        seen to come true by {}, to fail by {}",
                counted(held.count(ValidationWord::Confirmed) as usize, "golem"),
                counted(held.count(ValidationWord::Contradicted) as usize, "golem")
            ),
            format!("  equipped    {}", counted(held.equipped.len(), "golem")),
            format!("  for         {}", held.archetypes.iter().map(Archetype::as_str).collect::<Vec<_>>().join(", ")),
        ];
        if let Some(claim) = &body.claim {
            lines.push(format!(
                "  claims      when {} then {} after {} ticks",
                claim.when, claim.then, claim.after_ticks
            ));
        }
        folded(&lines.join("\n"))
    })
}

fn bp(n: u16) -> f64 {
    f64::from(n) / 1e4
}

/// Entries for people, one line each.
pub fn in_lines<'a>(
    library: &OwnerLibrary,
    entries: impl Iterator<Item = &'a HeldEntry>,
    now: Timestamp,
) -> Vec<String> {
    entries.filter_map(|entry| Some(in_line(entry.id, library.holding(entry.id)?, now))).collect()
}

/// For people: how much it is worth, its id, what it says, and what is special about it.
pub fn in_line(id: HoldingId, held: &LibraryHolding, now: Timestamp) -> String {
    let marks = [
        (held.body().is_bloodstain, "paid for with a life"),
        (held.is_battle_tested(), "battle-tested"),
        (held.is_disputed(), "disputed"),
        (held.from.is_none(), "a stranger's"),
    ];
    let marks: Vec<&str> = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
    let marks = if marks.is_empty() { String::new() } else { format!("; {}", marks.join(", ")) };
    let id = id.to_string();
    let (text, kind) = (in_words(&held.body().text), word(&held.body().kind).replace('_', " "));
    format!("{:.2}  {id:.8}  {text} ({kind}{marks})", held.effective(now))
}
