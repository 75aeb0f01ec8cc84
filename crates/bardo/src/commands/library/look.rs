//! `bardo library list|search|show`: looking at what is held.

use super::one;
use crate::cli::{LibraryList, LibrarySearch};
use crate::fail::Fail;
use crate::home::Home;
use crate::library::{catch_up, public_key};
use crate::lines::folded;
use crate::out::Out;
use golem_clade::library::{Archetype, HoldingId, LibraryHolding};
use golem_clade::provenance::ValidationWord;
use golem_core::Timestamp;
use golem_core::plain::word;
use golem_grimoire::embed::{Embedder as _, StaticEmbedder, similarity};
use golem_home::shelf::HeldEntry;
use golem_view::story::in_words;
use golem_view::wrap::counted;
use serde_json::{Value, json};

/// A text without a word in common must be this near in meaning.
const NEAR: f32 = 0.45;

/// `library list`.
pub fn list(args: &LibraryList, home: &Home, out: &Out) -> Result<(), Fail> {
    let (library, now) = (catch_up(home, out)?, crate::clock::clock().now());
    let wanted = args.template.map(|template| Archetype::named(template.name()));
    let fits = |held: &LibraryHolding| wanted.as_ref().is_none_or(|kind| held.archetypes.contains(kind));
    let mut all: Vec<(HoldingId, &LibraryHolding)> = library.holdings().filter(|(_, held)| fits(held)).collect();
    all.sort_by(|a, b| b.1.rank(now).total_cmp(&a.1.rank(now)).then(a.0.cmp(&b.0)));
    let deposits: Vec<Value> = library
        .deposits()
        .map(|(golem, d)| {
            json!({ "golem": golem, "name": d.name, "template": d.archetype, "tick": d.tick, "at": d.at,
            "entries": d.kept.len(), "left": d.left, "edges": d.edges.len() })
        })
        .collect();
    let told = json!({
        "key": public_key(home)?, "entries": all.iter().map(|(id, h)| in_json(*id, h, now)).collect::<Vec<_>>(),
        "deposits": deposits,
    });
    out.result(&told, || {
        if all.is_empty() {
            return "the library is empty: golems leave to it when they die, and bardo library pull takes from them"
                .to_owned();
        }
        let mut lines =
            vec![format!("{}, {} of deaths", counted(all.len(), "entry"), counted(deposits.len(), "deposit"))];
        lines.extend(all.iter().take(args.top).map(|(id, held)| in_line(*id, held, now)));
        if all.len() > args.top {
            lines.push(format!("and {} more: --top N, or --json", all.len() - args.top));
        }
        folded(&lines.join("\n"))
    })
}

/// `library search`.
pub fn search(args: &LibrarySearch, home: &Home, out: &Out) -> Result<(), Fail> {
    let (library, now) = (catch_up(home, out)?, crate::clock::clock().now());
    let (embedder, asked) = (StaticEmbedder::bundled(), args.words.join(" ").to_lowercase());
    let (meant, words) = (embedder.embed(&asked), words_in(&asked));
    let fit = |held: &LibraryHolding| -> Option<f64> {
        let text = held.tags().fold(held.body().text.to_lowercase(), |text, tag| format!("{text} {tag}"));
        let has = words_in(&text);
        let share = words.iter().filter(|word| has.contains(word)).count() as f64 / words.len().max(1) as f64;
        let alike = similarity(&meant, &embedder.embed(&held.body().text)).unwrap_or(0.0);
        (share > 0.0 || alike >= NEAR).then(|| (share + f64::from(alike.max(0.0))) / 2.0 * held.rank(now))
    };
    let mut found: Vec<(f64, HoldingId, &LibraryHolding)> =
        library.holdings().filter_map(|(id, held)| Some((fit(held)?, id, held))).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    found.truncate(args.top);
    let score = |(score, id, held): &(f64, HoldingId, &LibraryHolding)| {
        let mut value = in_json(*id, held, now);
        value["score"] = json!(score);
        value
    };
    out.result(&json!({ "entries": found.iter().map(score).collect::<Vec<_>>() }), || {
        if found.is_empty() {
            return "nothing is held about that".to_owned();
        }
        folded(&found.iter().map(|(_, id, held)| in_line(*id, held, now)).collect::<Vec<_>>().join("\n"))
    })
}

fn words_in(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2).collect()
}

/// `library show`.
pub fn show(entry: &str, home: &Home, out: &Out) -> Result<(), Fail> {
    let (library, now) = (catch_up(home, out)?, crate::clock::clock().now());
    let (id, held) = one(&library, entry)?;
    let mut told = in_json(id, held, now);
    told["holding"] = json!(held);
    out.result(&told, || {
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

/// What others rely on.
pub fn in_json(id: HoldingId, held: &LibraryHolding, now: Timestamp) -> Value {
    json!(HeldEntry::of(id, held, now))
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
