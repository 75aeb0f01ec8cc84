//! `bardo grimoire search ID WORDS`: what a golem knows and remembers of something, the best first, and nothing where
//! nothing fits.

use crate::cli::GrimoireSearch;
use crate::fail::Fail;
use crate::home::Home;
use crate::lines::folded;
use crate::out::Out;
use golem_core::plain::word;
use golem_home::search::search;

/// Search.
pub fn run(args: &GrimoireSearch, home: &Home, out: &Out) -> Result<(), Fail> {
    let found = search(&home.golem(&args.id)?, &args.words.join(" "), args.as_of, args.top)?;
    if let Some(why) = found.failed {
        out.alert(&format!("the embedder gave no vectors ({}): searched by the bundled one", word(&why)));
    }
    // By way of a value, whose keys stand in one order.
    let told = serde_json::to_value(&found).map_err(|e| Fail::Bug(e.to_string()))?;
    out.result(&told, || {
        let mut lines = Vec::new();
        if !found.entries.is_empty() {
            lines.push("what it believes: how well it fits, its id, how sure it is".to_owned());
        }
        for e in &found.entries {
            let (id, sure) = (&e.id, e.effective);
            lines.push(format!("{:.3}  {id:.8} {sure:.2}  {} ({})", e.score, e.text, word(&e.kind)));
            lines.extend(e.testament.iter().map(|said| format!("                      its testament: {said}")));
        }
        if !found.episodes.is_empty() {
            lines.push("what happened to it: how many of the words it has, its turn".to_owned());
        }
        let past = found.episodes.iter();
        lines.extend(past.map(|e| format!("{:.3}  turn {:<9} {}", e.score, e.tick.to_string(), e.text)));
        if lines.is_empty() { "nothing is known about that".to_owned() } else { folded(&lines.join("\n")) }
    })
}
