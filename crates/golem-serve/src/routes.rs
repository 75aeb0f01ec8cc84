//! The table of what can be asked: the router and the OpenAPI description are both made from it, so that neither can say
//! what the other does not.

use crate::query::{QueryWord, WordKind};

/// What answers a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteKind {
    /// A read, answered with JSON.
    Read(ReadWord),
    /// What happens in one golem's life, as it happens.
    GolemEvents,
    /// How all golems stand, as it changes.
    HomeEvents,
    /// An order to a golem.
    Order,
    /// Figures for Prometheus.
    Metrics,
    /// The description of all this.
    Description,
}

/// What is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadWord {
    Golems,
    Status,
    Vitals,
    Forecast,
    Facts,
    Series,
    Trades,
    Predictions,
    Suffering,
    SufferingHistory,
    Dreams,
    Staging,
    Playbook,
    GrimoireSearch,
    Testament,
    Obituary,
    Lineage,
    Config,
    Graveyard,
    Library,
}

/// One route.
#[derive(Debug, Clone, Copy)]
pub struct ServedRoute {
    pub path: &'static str,
    /// Its name in the description.
    pub name: &'static str,
    pub about: &'static str,
    pub kind: RouteKind,
    pub words: &'static [QueryWord],
}

impl ServedRoute {
    /// GET, or POST for what changes something.
    #[must_use]
    pub fn is_post(&self) -> bool {
        self.kind == RouteKind::Order
    }
}

const fn number(name: &'static str, least: u64, most: u64, default: Option<u64>, about: &'static str) -> QueryWord {
    QueryWord { name, kind: WordKind::Number { least, most, default }, about }
}

const fn read(
    path: &'static str,
    name: &'static str,
    word: ReadWord,
    words: &'static [QueryWord],
    about: &'static str,
) -> ServedRoute {
    ServedRoute { path, name, about, kind: RouteKind::Read(word), words }
}

/// The greatest place in history and turn that anybody can name.
const MOST: u64 = i64::MAX as u64;

const AFTER_SEQ: QueryWord =
    number("after", 0, MOST, None, "facts behind this place in history; without it the newest");
const FACTS: QueryWord = QueryWord {
    name: "facts",
    kind: WordKind::OneOf(&["all", "events", "none"]),
    about: "which facts: all, those that whoever watches wants to hear at once, or none (only how it stands)",
};

/// All of them.
pub const ROUTES: &[ServedRoute] = &[
    read("/api/golems", "golems", ReadWord::Golems, &[], "Every golem of this home at a glance (golem list)."),
    read("/api/golems/{id}/status", "status", ReadWord::Status, &[], "How a golem stands (golem status)."),
    read("/api/golems/{id}/vitals", "vitals", ReadWord::Vitals, &[], "Its clocks (golem vitals)."),
    read(
        "/api/golems/{id}/forecast",
        "forecast",
        ReadWord::Forecast,
        &[],
        "How long it may yet live (golem vitals --forecast).",
    ),
    read(
        "/api/golems/{id}/facts",
        "facts",
        ReadWord::Facts,
        &[AFTER_SEQ, number("limit", 1, 2_000, Some(200), "at most so many")],
        "What happened, the oldest first (golem logs).",
    ),
    read(
        "/api/golems/{id}/series",
        "series",
        ReadWord::Series,
        &[
            number("after", 0, MOST, Some(0), "points after this turn"),
            number("points", 10, 20_000, Some(2_000), "about so many, evenly chosen; the newest is always there"),
        ],
        "The downsampled series of its life.",
    ),
    read(
        "/api/golems/{id}/trades",
        "trades",
        ReadWord::Trades,
        &[number("last", 1, 100_000, Some(1_000), "the latest so many")],
        "What it did with its money, the oldest first (golem trades).",
    ),
    read(
        "/api/golems/{id}/predictions",
        "predictions",
        ReadWord::Predictions,
        &[number("top", 0, 1_000, Some(40), "the latest so many that are settled")],
        "What it has foretold, how well, and what came of it (predictions).",
    ),
    read("/api/golems/{id}/suffering", "suffering", ReadWord::Suffering, &[], "What weighs on it (suffering show)."),
    read(
        "/api/golems/{id}/suffering/history",
        "suffering_history",
        ReadWord::SufferingHistory,
        &[number("last", 1, 10_000, Some(50), "the latest so many")],
        "What has weighed on it (suffering history).",
    ),
    read(
        "/api/golems/{id}/dreams",
        "dreams",
        ReadWord::Dreams,
        &[number("last", 1, 500, Some(20), "the latest so many")],
        "What it dreamt, the newest first (dream journal).",
    ),
    read("/api/golems/{id}/staging", "staging", ReadWord::Staging, &[], "What is being tested of it (dream staging)."),
    read("/api/golems/{id}/playbook", "playbook", ReadWord::Playbook, &[], "The rules it lives by (playbook show)."),
    read(
        "/api/golems/{id}/grimoire",
        "grimoire_search",
        ReadWord::GrimoireSearch,
        &[
            QueryWord { name: "q", kind: WordKind::Text, about: "what to look for" },
            number("top", 1, 200, Some(20), "at most so many of each"),
        ],
        "What it knows and remembers of something (grimoire search).",
    ),
    read("/api/golems/{id}/testament", "testament", ReadWord::Testament, &[], "What it left (golem testament)."),
    read("/api/golems/{id}/obituary", "obituary", ReadWord::Obituary, &[], "Its life as a story (golem story)."),
    read("/api/golems/{id}/lineage", "lineage", ReadWord::Lineage, &[], "The line that it stands in (lineage)."),
    read(
        "/api/golems/{id}/config",
        "config",
        ReadWord::Config,
        &[],
        "The settings that it was born with, without what may be a key (golem config).",
    ),
    read("/api/graveyard", "graveyard", ReadWord::Graveyard, &[], "The dead of this home (graveyard)."),
    read("/api/library", "library", ReadWord::Library, &[], "What golems left to their owner (library list)."),
    ServedRoute {
        path: "/api/golems/{id}/events",
        name: "golem_events",
        about: "What happens in its life, as it happens. The id of an event is its place in history; Last-Event-ID (or \
                after) resumes behind it, and none is left out.",
        kind: RouteKind::GolemEvents,
        words: &[number("after", 0, MOST, None, "behind this place in history; without it from now on"), FACTS],
    },
    ServedRoute {
        path: "/api/events",
        name: "home_events",
        about: "How all golems of this home stand: each card when the client comes, then each that changes. Last-Event-ID \
                resumes with what has changed since.",
        kind: RouteKind::HomeEvents,
        words: &[],
    },
    ServedRoute {
        path: "/api/golems/{id}/orders",
        name: "order",
        about: "Tell it something: pause, resume, halt, feed, kill, tell, dream, wake, approve, reject. The order goes into \
                its durable inbox; a golem that runs answers at its next turn.",
        kind: RouteKind::Order,
        words: &[],
    },
    ServedRoute {
        path: "/metrics",
        name: "metrics",
        about: "Figures for Prometheus.",
        kind: RouteKind::Metrics,
        words: &[],
    },
    ServedRoute {
        path: "/api/openapi.json",
        name: "openapi",
        about: "This description.",
        kind: RouteKind::Description,
        words: &[],
    },
];
