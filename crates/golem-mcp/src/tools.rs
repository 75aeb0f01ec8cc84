//! The table of what can be called: the list that a client gets and the answers to its calls are both made from it.

use crate::allowed::OrderWord;
use crate::asks;
use crate::given::{GivenWords, ToolWord, ToolWordKind, schema};
use golem_home::{Fail, HomeReader};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::Value;

/// How the home is asked.
pub(crate) type AskHome = fn(&HomeReader, &GivenWords<'_>) -> Result<Value, Fail>;

/// One tool.
#[derive(Debug, Clone, Copy)]
pub struct McpTool {
    pub name: &'static str,
    pub about: &'static str,
    pub(crate) words: &'static [ToolWord],
    pub(crate) kind: ToolKind,
}

/// What it does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ToolKind {
    /// Looks; what comes back are figures and words of ours alone.
    Figures(AskHome),
    /// Looks; what comes back has words of golems, models or strangers in it.
    Words(AskHome),
    /// Puts an order into a golem's inbox.
    Order(OrderWord),
}

impl McpTool {
    /// The order that it gives, if it gives one.
    #[must_use]
    pub fn order(&self) -> Option<OrderWord> {
        match self.kind {
            ToolKind::Order(order) => Some(order),
            ToolKind::Figures(_) | ToolKind::Words(_) => None,
        }
    }

    /// As a client sees it.
    pub(crate) fn described(&self) -> Tool {
        let ends = |order| matches!(order, OrderWord::Kill | OrderWord::Reject);
        let hints = ToolAnnotations::new().open_world(false).read_only(self.order().is_none());
        let hints = match self.order() {
            Some(order) => hints.destructive(ends(order)).idempotent(false),
            None => hints,
        };
        Tool::new(self.name, self.about, schema(self.words)).with_annotations(hints)
    }
}

const ID: ToolWord = text("id", "the golem: its name, its id, or a unique beginning of either");
const AS_OF: ToolWord = number("as_of", 0, i64::MAX as u64, None, "as of this turn; what came later is not there");
const SINCE: ToolWord =
    maybe("since", "only since then: 2026-01-31, RFC 3339, or how long before its now (90min, 3h, 2d)");
const REASON: ToolWord = text("reason", "why; it stands in the golem's record");
const PROPOSAL: ToolWord = ToolWord {
    name: "proposal",
    kind: ToolWordKind::Number { least: 0, most: i64::MAX as u64 },
    about: "its number, as dream_staging tells it",
};

const fn text(name: &'static str, about: &'static str) -> ToolWord {
    ToolWord { name, kind: ToolWordKind::Text, about }
}

const fn maybe(name: &'static str, about: &'static str) -> ToolWord {
    ToolWord { name, kind: ToolWordKind::MaybeText, about }
}

const fn number(name: &'static str, least: u64, most: u64, default: Option<u64>, about: &'static str) -> ToolWord {
    ToolWord { name, kind: ToolWordKind::MaybeNumber { least, most, default }, about }
}

const fn last(most: u64, default: u64) -> ToolWord {
    number("last", 1, most, Some(default), "the latest so many")
}

const fn top(most: u64, default: u64) -> ToolWord {
    number("top", 1, most, Some(default), "at most so many")
}

const fn figures(name: &'static str, about: &'static str, words: &'static [ToolWord], ask: AskHome) -> McpTool {
    McpTool { name, about, words, kind: ToolKind::Figures(ask) }
}

const fn words(name: &'static str, about: &'static str, words: &'static [ToolWord], ask: AskHome) -> McpTool {
    McpTool { name, about, words, kind: ToolKind::Words(ask) }
}

const fn order(name: &'static str, about: &'static str, words: &'static [ToolWord], order: OrderWord) -> McpTool {
    McpTool { name, about, words, kind: ToolKind::Order(order) }
}

/// All of them.
pub const MCP_TOOLS: &[McpTool] = &[
    words("golems", "All golems of this home at a glance.", &[], asks::golems),
    words(
        "status",
        "How a golem stands: phase, vitality, money, positions, mood, what is locked.",
        &[ID],
        asks::status,
    ),
    figures("vitals", "Its three clocks, hazard and expected time left.", &[ID], asks::vitals),
    figures("forecast", "How long it may yet live, day by day, and of what it would die.", &[ID], asks::forecast),
    words("trades", "What it did with its money, the oldest first.", &[ID, SINCE, last(1_000, 50)], asks::trades),
    words(
        "logs",
        "What happened to it: its facts as they are recorded, the oldest first.",
        &[
            ID,
            last(1_000, 40),
            maybe("only", "only facts whose names begin like this, such as mortality; with commas"),
            SINCE,
        ],
        asks::logs,
    ),
    figures(
        "predictions",
        "What it has foretold, how well, and what came of it.",
        &[ID, maybe("domain", "one domain only, such as price_direction"), top(200, 12), AS_OF],
        asks::predictions,
    ),
    words("suffering", "What weighs on it, with evidence and what would ease it.", &[ID], asks::suffering),
    words(
        "suffering_history",
        "What has weighed on it, the latest last.",
        &[ID, last(500, 40)],
        asks::suffering_history,
    ),
    words("dream_journal", "What it dreamt, the newest first.", &[ID, last(100, 10)], asks::dream_journal),
    words(
        "dream",
        "One dream, whole.",
        &[ID, number("number", 0, u32::MAX as u64, None, "its number; the latest without one")],
        asks::dream,
    ),
    figures("dream_stats", "How many dreams there were, what came true, and what they cost.", &[ID], asks::dream_stats),
    words("dream_staging", "What waits for the waking world to confirm it.", &[ID], asks::dream_staging),
    words("playbook", "The rules that it lives by.", &[ID, AS_OF], asks::playbook),
    words(
        "grimoire_search",
        "What it knows and remembers of something, the best first.",
        &[ID, text("words", "about what"), top(100, 10), AS_OF],
        asks::grimoire_search,
    ),
    words(
        "grimoire_entry",
        "One thing that it knows, with its evidence.",
        &[ID, text("entry", "its id, or the beginning of it")],
        asks::grimoire_entry,
    ),
    figures("grimoire_stats", "How much it knows, and how much of it is junk.", &[ID], asks::grimoire_stats),
    words("testament", "What a dead golem left.", &[ID], asks::testament),
    words("story", "Its life as a story with figures, dead or alive.", &[ID], asks::story),
    words("lineage", "The line that it stands in, ancestors first.", &[ID], asks::lineage),
    words("config", "The settings that it was born with, without what may be a key.", &[ID], asks::config),
    words("graveyard", "The dead of this home, the last to die first.", &[last(500, 50)], asks::graveyard),
    words(
        "library_search",
        "What the owner's library holds about something: what dead golems left, and what was bought.",
        &[text("words", "about what"), top(100, 10)],
        asks::library_search,
    ),
    words(
        "library_entry",
        "One entry of the owner's library: where it came from, and who has seen it come true.",
        &[text("entry", "its id, or the beginning of it")],
        asks::library_entry,
    ),
    order("pause", "Take no turns until resumed; a paused golem neither ages nor pays.", &[ID], OrderWord::Pause),
    order("resume", "Go on after a pause or a halt.", &[ID], OrderWord::Resume),
    order("halt", "Take no new risk until resumed.", &[ID, REASON], OrderWord::Halt),
    order("feed", "Give it money.", &[ID, text("usdc", "how much, in USDC, as text, such as 12.50")], OrderWord::Feed),
    order(
        "kill",
        "End its life, for ever.",
        &[ID, REASON, text("confirm", "the golem's name, once more, as a word that it is meant")],
        OrderWord::Kill,
    ),
    order("tell", "Speak to it.", &[ID, text("text", "the words")], OrderWord::Tell),
    order("dream_now", "Ask it to dream from its next turn on.", &[ID], OrderWord::Dream),
    order("wake", "Wake it: what the dream had come to is kept.", &[ID, REASON], OrderWord::Wake),
    order("approve", "Believe a staged proposal.", &[ID, PROPOSAL], OrderWord::Approve),
    order("reject", "Take a staged proposal off the table.", &[ID, PROPOSAL], OrderWord::Reject),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_order_has_its_tool_and_every_tool_a_name_of_its_own() {
        let names: BTreeSet<&str> = MCP_TOOLS.iter().map(|tool| tool.name).collect();
        assert_eq!(names.len(), MCP_TOOLS.len());
        for order in OrderWord::ALL {
            assert_eq!(MCP_TOOLS.iter().filter(|tool| tool.order() == Some(order)).count(), 1, "{order:?}");
        }
        for tool in MCP_TOOLS {
            let told = tool.described();
            let hints = told.annotations.unwrap();
            assert_eq!(hints.read_only_hint, Some(tool.order().is_none()), "{}", tool.name);
            // A client may ask its person before what cannot be undone.
            let ends = tool.order().map(|order| matches!(order, OrderWord::Kill | OrderWord::Reject));
            assert_eq!(hints.destructive_hint, ends, "{}", tool.name);
            assert_eq!(told.input_schema["additionalProperties"], false, "{}", tool.name);
            // Whoever orders says whom.
            assert!(tool.order().is_none() || tool.words.first() == Some(&ID), "{}", tool.name);
        }
    }
}
