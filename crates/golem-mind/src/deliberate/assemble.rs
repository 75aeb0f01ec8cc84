//! Assembly: sections in their order, each within its share of the tokens, every line plain and labelled with where it comes
//! from. What a section does not need goes to what is remembered.

use crate::context::{ContextPolicy, Section};
use golem_core::words::{is_hidden, one_line};
use golem_grimoire::retrieval::tokens;
use golem_grimoire::{EntryId, Provenance};
use golem_mortality::couplings::Awareness;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The most characters of one line.
const LINE: usize = 300;

/// What there is to show.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// What it knows of its own mortality.
    pub awareness: Awareness,
    /// How it feels, line by line. Stands above the goals.
    pub suffering: Vec<String>,
    /// What it is after.
    pub goals: Vec<String>,
    /// What is observed, and what is expected.
    pub situation: Vec<String>,
    /// Rules whose condition holds.
    pub playbook: Vec<String>,
    /// What memory offers, the best first.
    pub knowledge: Vec<OfferedEntry>,
    /// Times like this one, the likest first.
    pub episodes: Vec<String>,
    /// What the owner said, the newest last.
    pub owner: Vec<String>,
}

/// An entry that memory offers.
#[derive(Debug, Clone, PartialEq)]
pub struct OfferedEntry {
    /// Which.
    pub id: EntryId,
    /// Where it came from.
    pub source: Provenance,
    /// How far it is to be believed now, from 0 to 1.
    pub confidence: f64,
    /// In words.
    pub text: String,
}

/// What a model is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownContext {
    /// The text.
    pub text: String,
    /// Its tokens, estimated.
    pub tokens: u32,
    /// The entries that are in it.
    pub entries: Vec<EntryId>,
    /// Those that had no place though there was one, since their source had all that it may take.
    pub crowded_out: Vec<EntryId>,
}

/// Lay out what there is within so many tokens.
#[must_use]
pub fn assemble(policy: &ContextPolicy, budget: u32, material: &Material) -> ShownContext {
    let mut blocks: BTreeMap<Section, String> = BTreeMap::new();
    let mut spent = 0;
    for section in Section::ALL.into_iter().filter(|s| *s != Section::Knowledge) {
        // How it feels is a control signal, short by construction: half of it would say something else.
        let share = if section == Section::Suffering { u32::MAX } else { policy.tokens_of(section, budget) };
        let block = block(section, lines_of(section, material), share);
        spent = tokens(&block).saturating_add(spent);
        blocks.insert(section, block);
    }
    let MemoryShown { text: remembered, entries, crowded_out } =
        remembered(policy, budget.saturating_sub(spent), &material.knowledge);
    blocks.insert(Section::Knowledge, remembered);
    let text: String = Section::ALL.iter().filter_map(|s| blocks.get(s)).map(String::as_str).collect();
    ShownContext { tokens: tokens(&text), text, entries, crowded_out }
}

fn title(section: Section) -> &'static str {
    match section {
        Section::Vitality => "Where you stand",
        Section::Suffering => "",
        Section::Goals => "What you are after",
        Section::Situation => "What is observed",
        Section::Playbook => "Rules of your playbook that hold now",
        Section::Knowledge => "What you remember",
        Section::Episodes => "Times like this one",
        Section::Owner => "What the owner said",
    }
}

fn lines_of(section: Section, material: &Material) -> Vec<String> {
    match section {
        Section::Vitality => vec![aware(&material.awareness)],
        Section::Suffering => material.suffering.clone(),
        Section::Goals => material.goals.clone(),
        Section::Situation => material.situation.clone(),
        Section::Playbook => material.playbook.clone(),
        Section::Episodes => material.episodes.clone(),
        Section::Owner => material.owner.iter().map(|words| format!("\"{}\"", words.replace('"', "'"))).collect(),
        Section::Knowledge => Vec::new(),
    }
}

fn aware(a: &Awareness) -> String {
    let left = a.projected_life_h.map_or_else(|| "nothing burns".to_owned(), |h| format!("money for {h:.0} h"));
    format!("vitality {:.2}, phase {}, {left}, hazard {}", a.vitality, a.phase.name(), a.hazard_band.name())
}

/// A section with as many whole lines as fit; none without lines.
fn block(section: Section, lines: Vec<String>, budget: u32) -> String {
    let mut text = String::new();
    // Suffering keeps the form it comes in; nothing else has any.
    let plain = |line: &str| match section {
        Section::Suffering => line.chars().filter(|c| !is_hidden(*c)).take(LINE).collect(),
        _ => one_line(line, LINE),
    };
    for line in lines.iter().map(|l| plain(l)).filter(|l| !l.trim().is_empty()) {
        let mut longer = text.clone();
        // Suffering comes with a header of its own.
        if longer.is_empty() && section != Section::Suffering {
            let _ = writeln!(longer, "## {}", title(section));
        }
        let bullet = if matches!(section, Section::Vitality | Section::Suffering) { "" } else { "- " };
        let _ = writeln!(longer, "{bullet}{line}");
        if tokens(&longer) > budget {
            break;
        }
        text = longer;
    }
    text
}

/// What is shown of what memory offers.
struct MemoryShown {
    text: String,
    entries: Vec<EntryId>,
    crowded_out: Vec<EntryId>,
}

/// What memory offers, no source beyond its share.
fn remembered(policy: &ContextPolicy, budget: u32, offered: &[OfferedEntry]) -> MemoryShown {
    let depth = usize::from(policy.depth);
    let mut places: BTreeMap<Provenance, usize> = BTreeMap::new();
    let (mut lines, mut entries, mut crowded_out) = (Vec::new(), Vec::new(), Vec::new());
    for memory in offered {
        let taken = places.entry(memory.source).or_default();
        if entries.len() >= depth {
            break;
        }
        if *taken >= policy.places_of(memory.source, depth) {
            crowded_out.push(memory.id);
            continue;
        }
        *taken += 1;
        let id = memory.id.to_string();
        lines.push(format!("[{} {} {:.2}] {}", &id[..8], word(memory.source), memory.confidence, memory.text));
        entries.push(memory.id);
    }
    let text = block(Section::Knowledge, lines, budget);
    entries.truncate(text.lines().count().saturating_sub(1));
    MemoryShown { text, entries, crowded_out }
}

/// Where it came from, in a word.
fn word(source: Provenance) -> &'static str {
    match source {
        Provenance::SelfGenerated => "own",
        Provenance::Owner => "owner",
        Provenance::Dream => "dream",
        Provenance::Clade => "sibling",
        Provenance::Replicant => "replicant",
        Provenance::Marketplace => "bought",
        Provenance::Testament => "inherited",
    }
}
